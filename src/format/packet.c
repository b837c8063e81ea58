/*
 * Packet headers; see format/packet.h.
 *
 * A packet begins with its kind, then has a head of a fixed length, in which the length of what
 * follows stands. Each length is compared with what is left of the file before it is used. A block
 * or a summary that the file's end cuts is taken as far as it goes, since its first part is still
 * of use; a packet of a thread or a method is taken whole or not at all.
 */
#include "format/packet.h"

#include "base/bytes.h"
#include "format/wire.h"

#define U24_LEN 3u

static bool take_u24(struct tv_cursor *cursor, uint32_t *value)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_skip(cursor, U24_LEN))
        return false;
    *value = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    return true;
}

static bool take_thread(struct tv_cursor *cursor, struct tv_packet *packet)
{
    uint16_t len;
    return tv_cursor_take_u32(cursor, &packet->thread_id) && tv_cursor_take_u16(cursor, &len) &&
           tv_cursor_take_str(cursor, len, &packet->text);
}

static bool take_method(struct tv_cursor *cursor, struct tv_packet *packet)
{
    uint16_t len;
    if (!tv_cursor_take_u64(cursor, &packet->method_id) || !tv_cursor_take_u16(cursor, &len) ||
        !tv_cursor_take_str(cursor, len, &packet->text))
        return false;
    if (packet->text.len && packet->text.at[packet->text.len - 1] == '\n')
        packet->text.len--;
    return true;
}

/* A block that the file cuts is taken as far as it goes. */
static bool take_block(struct tv_cursor *cursor, struct tv_packet *packet)
{
    uint32_t len;
    if (!tv_cursor_take_u32(cursor, &packet->thread_id) || !take_u24(cursor, &packet->count) ||
        !tv_cursor_take_u32(cursor, &len))
        return false;
    packet->is_cut = len > tv_cursor_left(cursor);
    packet->payload_pos = cursor->pos;
    packet->payload_len = packet->is_cut ? tv_cursor_left(cursor) : len;
    cursor->pos += packet->payload_len;
    return true;
}

static bool take_summary(struct tv_cursor *cursor, struct tv_packet *packet)
{
    uint16_t claimed;
    if (!tv_cursor_take_u16(cursor, &claimed))
        return false;
    packet->is_cut = claimed > tv_cursor_left(cursor);
    return tv_cursor_take_str(cursor, packet->is_cut ? tv_cursor_left(cursor) : claimed,
                              &packet->text);
}

static bool take_rest(struct tv_cursor *cursor, struct tv_packet *packet)
{
    switch (packet->kind) {
    case TV_PACKET_THREAD:
        return take_thread(cursor, packet);
    case TV_PACKET_METHOD:
        return take_method(cursor, packet);
    case TV_PACKET_BLOCK:
        return take_block(cursor, packet);
    case TV_PACKET_SUMMARY:
        return take_summary(cursor, packet);
    case TV_PACKET_HEAD:
        break;
    }
    return false;
}

/* Packets have no length of their own, so an unknown kind is where reading ends. */
enum tv_packet_step tv_packet_take(struct tv_cursor *cursor, struct tv_packet *packet)
{
    size_t off = cursor->pos;
    uint8_t kind;
    if (!tv_cursor_take_u8(cursor, &kind))
        return TV_PACKET_CUT;
    *packet = (struct tv_packet){.kind = (enum tv_packet_kind)kind, .off = off};
    if (kind <= TV_WIRE_PACKET_SUMMARY && take_rest(cursor, packet))
        return TV_PACKET_TAKEN;
    cursor->pos = off;
    return kind > TV_WIRE_PACKET_SUMMARY ? TV_PACKET_DERAILED : TV_PACKET_CUT;
}

bool tv_packet_is_dump_header(const struct tv_cursor *cursor)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    return tv_cursor_left(cursor) >= TV_WIRE_DATA_OFFSET_AT && tv_load_le32(at) == TV_WIRE_MAGIC &&
           tv_load_le16(at + TV_WIRE_VERSION_AT) == TV_WIRE_LONG_RUNNING_VERSION;
}

enum tv_packet_step tv_packet_take_dump(struct tv_cursor *cursor, struct tv_packet *packet)
{
    bool is_header = tv_packet_is_dump_header(cursor);
    bool is_summary =
        tv_cursor_left(cursor) && cursor->bytes[cursor->pos] == TV_WIRE_PACKET_SUMMARY;
    if (!is_header && !is_summary)
        return tv_packet_take(cursor, packet);
    *packet = (struct tv_packet){.kind = TV_PACKET_HEAD, .off = cursor->pos};
    return tv_cursor_skip(cursor, is_header ? TV_WIRE_HEADER : TV_WIRE_LONG_RUNNING_SUMMARY)
               ? TV_PACKET_TAKEN
               : TV_PACKET_CUT;
}
