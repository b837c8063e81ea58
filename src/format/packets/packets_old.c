/*
 * Tells the layouts A and B of packets, which are refused; see format/packets/packets_old.h.
 *
 * Both have shorter heads than the layouts that are read, and nothing in the file names the layout.
 * So the file is walked with the lengths of each; the layout is the one whose walk ends with a
 * summary at the very end of the file. docs/formats/packets.md.
 */
#include "format/packets/packets_old.h"

#include <stdbool.h>

#include "base/bytes/cursor.h"
#include "format/text_section.h"
#include "format/wire.h"

#define THREAD_ID_LEN 4u
#define TIME_LEN 4u
#define COUNT_LEN 2u
#define ID_LEN_A 4u
#define ID_LEN_B 8u

/* Skips fixed bytes, then a u2 length and as many bytes. */
static bool skip_sized(struct tv_cursor *cursor, size_t fixed, struct tv_str *text)
{
    uint16_t len;
    return tv_cursor_skip(cursor, fixed) && tv_cursor_take_u16(cursor, &len) &&
           tv_cursor_take_str(cursor, len, text);
}

/* A file that was closed: blocks, and a summary as its last packet. */
static bool walks_to_summary(const struct tv_trace *trace, size_t id_len)
{
    size_t times = trace->version == TV_WIRE_PACKETS_TWO_TIMES ? 2 : 1;
    size_t fixed_of_kind[] = {
        [TV_WIRE_PACKET_THREAD] = THREAD_ID_LEN,
        [TV_WIRE_PACKET_METHOD] = id_len,
        [TV_WIRE_PACKET_BLOCK] = THREAD_ID_LEN + id_len + times * TIME_LEN + COUNT_LEN,
        [TV_WIRE_PACKET_SUMMARY] = 0,
    };
    struct tv_cursor cursor = {.bytes = trace->bytes, .len = trace->len, .pos = TV_WIRE_HEADER};
    bool has_block = false;
    uint8_t kind;
    while (tv_cursor_take_u8(&cursor, &kind)) {
        struct tv_str text;
        if (kind > TV_WIRE_PACKET_SUMMARY || !skip_sized(&cursor, fixed_of_kind[kind], &text))
            return false;
        if (kind == TV_WIRE_PACKET_SUMMARY)
            return has_block && tv_text_begins_section(text, false) && !tv_cursor_left(&cursor);
        has_block = has_block || kind == TV_WIRE_PACKET_BLOCK;
    }
    return false;
}

char tv_packets_old_layout(const struct tv_trace *trace)
{
    if (trace->len < TV_WIRE_HEADER)
        return 0;
    if (walks_to_summary(trace, ID_LEN_A))
        return 'A';
    return walks_to_summary(trace, ID_LEN_B) ? 'B' : 0;
}
