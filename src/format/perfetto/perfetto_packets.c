/*
 * Packets of a Perfetto trace; see format/perfetto/perfetto_packets.h.
 *
 * A Perfetto trace is a protobuf message of packets. The number of the field that carries a dump is
 * not taken for granted: the first field whose payload begins with the header of a dump gives it
 * (dump_number), and pieces of dumps are then known by that number. Files may be damaged, so each
 * length is checked by base/bytes/protobuf.h.
 */
#include "format/perfetto/perfetto_packets.h"

#include <string.h>

#include "base/bytes/protobuf.h"
#include "format/packet.h"

/* Of a trace. */
#define FIELD_PACKET 1u
/* Of a packet. */
#define FIELD_COMPRESSED_PACKETS 50u
#define FIELD_TRUSTED_PID 79u
/* Of a message that carries a dump. */
#define FIELD_PAYLOAD 1u
#define FIELD_PROCESS_NAME 2u

#define PACKETS_TO_BE_SURE 4u
#define PACKETS_AHEAD 64u

void tv_perfetto_start(struct tv_perfetto_packets *packets, const uint8_t *bytes, size_t len)
{
    *packets = (struct tv_perfetto_packets){.cursor = {.bytes = bytes, .len = len, .pos = 0}};
}

/* Takes the fields of a message as those of one that carries a dump. Most messages are others: the
 * first field that cannot be in such a message ends the look. */
static bool take_dump(struct tv_cursor message, struct tv_perfetto_packet *packet)
{
    struct tv_field field;
    bool has_payload = false;
    while (tv_field_take(&message, &field)) {
        if (!field.is_bytes || field.number > FIELD_PROCESS_NAME)
            return false;
        if (field.number == FIELD_PAYLOAD) {
            has_payload = true;
            packet->pos = field.pos;
            packet->len = field.len;
        } else {
            packet->process_name = tv_field_text(&message, &field);
        }
    }
    return has_payload;
}

/* Whether a field of a packet carries a dump. Its number is known by the first dump with a header;
 * a further piece of a dump has none. */
static bool is_dump(struct tv_perfetto_packets *packets, const struct tv_field *field,
                    struct tv_perfetto_packet *packet)
{
    struct tv_perfetto_packet taken = *packet;
    if (!take_dump(tv_field_message(&packets->cursor, field), &taken))
        return false;
    struct tv_cursor payload = {
        .bytes = packets->cursor.bytes, .len = taken.pos + taken.len, .pos = taken.pos};
    taken.has_header = tv_packet_is_dump_header(&payload);
    if (taken.has_header && !packets->dump_number)
        packets->dump_number = field->number;
    if (field->number != packets->dump_number)
        return false;
    *packet = taken;
    return true;
}

/* What is no packet leaves the cursor where it was, so the caller can judge the rest of the file.
 */
bool tv_perfetto_take(struct tv_perfetto_packets *packets, struct tv_perfetto_packet *packet)
{
    struct tv_cursor before = packets->cursor;
    struct tv_field field;
    *packet = (struct tv_perfetto_packet){.off = before.pos};
    if (!tv_field_take(&packets->cursor, &field) || field.number != FIELD_PACKET ||
        !field.is_bytes) {
        packets->cursor = before;
        return false;
    }
    packet->is_cut = field.is_cut;
    struct tv_cursor inside = tv_field_message(&packets->cursor, &field);
    while (tv_field_take(&inside, &field)) {
        if (field.number == FIELD_TRUSTED_PID && !field.is_bytes)
            packet->process_id = (uint32_t)field.value;
        else if (field.is_bytes && !packet->is_dump)
            packet->is_dump = is_dump(packets, &field, packet);
    }
    return true;
}

bool tv_perfetto_begins(const uint8_t *bytes, size_t len)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = 0};
    struct tv_field field;
    for (unsigned packets = 0; packets < PACKETS_TO_BE_SURE; packets++) {
        if (!tv_cursor_left(&cursor))
            return packets > 0;
        if (!tv_field_take(&cursor, &field) || field.number != FIELD_PACKET || !field.is_bytes ||
            field.is_cut || !field.len)
            return false;
    }
    return true;
}

bool tv_perfetto_is_compressed(const uint8_t *bytes, size_t len)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = 0};
    struct tv_field field;
    for (unsigned i = 0; i < PACKETS_AHEAD && tv_field_take(&cursor, &field); i++) {
        struct tv_cursor packet = tv_field_message(&cursor, &field);
        if (!field.is_bytes)
            return false;
        while (tv_field_take(&packet, &field)) {
            if (field.number == FIELD_COMPRESSED_PACKETS && field.is_bytes)
                return true;
        }
    }
    return false;
}
