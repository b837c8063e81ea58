/* The packets of a Perfetto trace, one at a time, and which of them carry a low-overhead dump:
 * docs/formats/perfetto.md. */
#ifndef TV_FORMAT_PERFETTO_PERFETTO_PACKETS_H
#define TV_FORMAT_PERFETTO_PERFETTO_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/cursor.h"
#include "base/compiler.h"
#include "base/str.h"

struct tv_perfetto_packets {
    struct tv_cursor cursor;
    /* The field that dumps are in, which differs between builds of Perfetto: that of the first one
     * that begins with a header. 0: none was met. */
    uint64_t dump_number;
};

struct tv_perfetto_packet {
    size_t off;
    bool is_cut;     /* the file ends inside it */
    bool is_dump;    /* it carries a dump, or a further piece of one: the fields below are set */
    bool has_header; /* a dump begins here */
    uint32_t process_id; /* 0: the packet does not say it */
    struct tv_str process_name;
    size_t pos; /* of the piece */
    size_t len;
};

void tv_perfetto_start(struct tv_perfetto_packets *packets, const uint8_t *bytes, size_t len);
/* Takes the next packet; false at the end, and where no packet begins. */
bool tv_perfetto_take(struct tv_perfetto_packets *packets,
                      struct tv_perfetto_packet *packet) TV_MUST_CHECK;
/* Whether the bytes begin as a Perfetto trace does: with a row of packets, or fewer that fill the
 * file; a line of text rarely does. */
bool tv_perfetto_begins(const uint8_t *bytes, size_t len);
/* Whether any of the first packets holds others that are compressed. */
bool tv_perfetto_is_compressed(const uint8_t *bytes, size_t len);

#endif
