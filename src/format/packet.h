/* Reads the packets of the packet and low-overhead families, one at a time:
 * docs/formats/packets.md. */
#ifndef TV_FORMAT_PACKET_H
#define TV_FORMAT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/cursor.h"
#include "base/compiler.h"
#include "base/str.h"

enum tv_packet_kind {
    TV_PACKET_THREAD,
    TV_PACKET_METHOD,
    TV_PACKET_BLOCK,
    TV_PACKET_SUMMARY,
    TV_PACKET_HEAD /* dumps: a header, or a summary, of which nothing is used */
};

struct tv_packet {
    enum tv_packet_kind kind;
    size_t off;
    uint32_t thread_id; /* thread, block */
    uint64_t method_id; /* method */
    uint32_t count; /* block: records as its header says; a writer with more stores the count modulo
                       65536 */
    struct tv_str text; /* thread: name; method: line without its newline; summary: all */
    size_t payload_pos; /* block */
    size_t payload_len; /* block: bytes, as far as the file goes */
    bool is_cut;        /* block, summary: the file ends inside it */
};

enum tv_packet_step {
    TV_PACKET_TAKEN,
    TV_PACKET_CUT,     /* the file ends inside a header or a text; nothing was taken */
    TV_PACKET_DERAILED /* no packet begins so; nothing was taken */
};

/* Reads the packet at the cursor, which has bytes left, and moves the cursor to its end when
 * it was taken. */
enum tv_packet_step tv_packet_take(struct tv_cursor *cursor,
                                   struct tv_packet *packet) TV_MUST_CHECK;
/* Reads the packet at the cursor of a low-overhead dump, which has other summaries, and may have
 * headers. */
enum tv_packet_step tv_packet_take_dump(struct tv_cursor *cursor,
                                        struct tv_packet *packet) TV_MUST_CHECK;
/* Whether a header of a low-overhead dump begins at the cursor. */
bool tv_packet_is_dump_header(const struct tv_cursor *cursor);

#endif
