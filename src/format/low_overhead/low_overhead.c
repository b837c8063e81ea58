/*
 * Family G: low-overhead dumps of ART, raw or as base64. Most have no header: a file is one when it
 * begins with a header (version 0xF6), or when all of it walks as one. Long-running methods have
 * wall times, which begin at the first here; dumps of all methods have none. Format:
 * docs/formats/low-overhead.md.
 */
#include "format/low_overhead/low_overhead.h"

#include <string.h>

#include "base/bytes.h"
#include "base/bytes/base64.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/text_damage.h"
#include "format/event_block_walk.h"
#include "format/formats.h"
#include "format/keys.h"
#include "format/packet.h"
#include "format/text_section.h"
#include "format/wire.h"

#define RECORD_MOST 20u /* bytes of a record: two numbers of at most ten */

/* `base` is first, so that a pointer to it is one to this. */
struct low_overhead_reader {
    struct tv_dump_reader base; /* ends with packets, or with blocks that have no lengths */
    const uint8_t *bytes;       /* the file, or what it decodes to from base64 */
    size_t len;
    struct tv_block_walk walk; /* of long-running methods */
};

/* Whether a whole block holds as many records as it says, and nothing else. */
static bool is_block(const uint8_t *bytes, const struct tv_packet *packet)
{
    struct tv_event_block block;
    struct tv_raw raw;
    size_t count = 0;
    tv_block_start(&block, TV_BLOCK_LONG_RUNNING, bytes, packet->payload_pos, packet->payload_len);
    do {
        tv_block_decode(&block, &raw, TV_RAW_CAP);
        count += raw.count;
    } while (raw.count);
    return !block.is_broken && count == packet->count;
}

/*
 * Whether a block that the file cuts looks like one of long-running methods, as far as it goes: the
 * only proof of a dump that ends inside its first block.
 */
static bool is_cut_block(const uint8_t *bytes, const struct tv_packet *packet)
{
    uint64_t claimed = tv_load_le32(bytes + packet->payload_pos - sizeof(uint32_t));
    if (!tv_is_thread_plausible(packet->thread_id) || !packet->count || claimed < packet->count ||
        claimed > packet->count * (uint64_t)RECORD_MOST)
        return false;
    struct tv_event_block block;
    struct tv_raw raw;
    tv_block_start(&block, TV_BLOCK_LONG_RUNNING, bytes, packet->payload_pos, packet->payload_len);
    tv_block_decode(&block, &raw, TV_RAW_CAP);
    uint64_t before = 0;
    for (size_t i = 0; i < raw.count; i++) {
        if (raw.time[TV_CLOCK_WALL][i] < before ||
            (raw.action[i] == TV_ACTION_ENTER && !tv_is_address_plausible(raw.method_id[i])))
            return false;
        before = raw.time[TV_CLOCK_WALL][i];
    }
    return raw.count > 0;
}

/* Whether these bytes are only line ends and zeros, as after a file that was padded. */
static bool is_blank(const uint8_t *bytes, size_t len)
{
    size_t at = 0;
    while (at < len && (bytes[at] == '\n' || bytes[at] == '\r' || !bytes[at]))
        at++;
    return at == len;
}

/* A dump has fewer threads than this before its first method or block. A file with more is a file
 * of zeros, which read as threads without end. */
#define THREADS_MOST (1u << 17)
/* How far the start of a base64 text is looked for. */
#define BASE64_AHEAD ((size_t)4096)

/* Whether these are long-running methods: packets to the end, or to a cut that leaves enough. */
static bool is_long_running(const uint8_t *bytes, size_t len)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = 0};
    struct tv_packet packet;
    size_t proofs = 0;
    size_t taken = 0;
    while (tv_cursor_left(&cursor)) {
        if (!proofs && taken++ > THREADS_MOST)
            return false;
        enum tv_packet_step step = tv_packet_take_dump(&cursor, &packet);
        if (step == TV_PACKET_DERAILED)
            return proofs > 0 && is_blank(bytes + cursor.pos, len - cursor.pos);
        if (step == TV_PACKET_CUT)
            break;
        if (packet.is_cut)
            return proofs > 0 || (packet.kind == TV_PACKET_BLOCK && is_cut_block(bytes, &packet));
        if (packet.kind == TV_PACKET_BLOCK && !is_block(bytes, &packet))
            return false;
        bool is_method = packet.kind == TV_PACKET_METHOD && packet.text.len &&
                         memchr(packet.text.at, '\t', packet.text.len);
        proofs += is_method || (packet.kind == TV_PACKET_BLOCK && packet.count);
    }
    return proofs > 0;
}

static bool has_header(const uint8_t *bytes, size_t len)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = 0};
    return tv_packet_is_dump_header(&cursor);
}

/* A dump without a header must walk as one of the two kinds. */
static bool is_dump(const uint8_t *bytes, size_t len)
{
    struct tv_all_methods_blocks blocks;
    return has_header(bytes, len) ||
           (len && bytes[0] <= TV_WIRE_PACKET_SUMMARY &&
            (is_long_running(bytes, len) || tv_all_methods_matches(bytes, len, &blocks)));
}

/* Whether a dump, or its base64, can begin with this byte. */
static bool is_first_byte(uint8_t first)
{
    return first == TV_WIRE_PACKET_BLOCK || first == TV_WIRE_PACKET_SUMMARY ||
           first == (TV_WIRE_MAGIC & UINT8_MAX);
}

/* Whether this is the text of a base64 dump: all of it is in the alphabet, and it begins with a
 * block of packets, a summary or a header. */
static bool is_base64_dump(const uint8_t *bytes, size_t len)
{
    uint8_t first;
    size_t decoded_len;
    size_t ahead = len < BASE64_AHEAD ? len : BASE64_AHEAD;
    return tv_base64_decode(bytes, ahead, &first, 1) == 1 && is_first_byte(first) &&
           tv_base64_measure(bytes, len, &decoded_len);
}

static bool low_overhead_matches(const uint8_t *bytes, size_t len)
{
    return is_dump(bytes, len) || is_base64_dump(bytes, len);
}

/* Decodes the whole text into the arena; names of threads and methods are then views into that. */
static enum tv_code decode_base64(struct tv_trace *trace, struct low_overhead_reader *reader,
                                  struct tv_error *err)
{
    size_t len = 0;
    uint8_t *bytes;
    if (!tv_base64_measure(trace->bytes, trace->len, &len))
        return tv_fail(err, TV_ERR_FORMAT, 0, "not base64");
    TV_TRY(tv_arena_take(&trace->arena, len, &bytes, err));
    reader->len = tv_base64_decode(trace->bytes, trace->len, bytes, len);
    reader->bytes = bytes;
    if (!is_dump(reader->bytes, reader->len)) {
        return tv_fail(
            err, TV_ERR_FORMAT, 0,
            "base64 text that holds no low-overhead method trace: give the text between the "
            "marks, and all of it");
    }
    return TV_OK;
}

static enum tv_code take_description(struct tv_trace *trace, const struct tv_packet *packet,
                                     struct tv_error *err)
{
    if (packet->kind == TV_PACKET_THREAD)
        return tv_trace_add_thread(trace, packet->thread_id, packet->text, packet->off, err);
    if (packet->kind != TV_PACKET_METHOD)
        return TV_OK;
    struct tv_trace_method method = {.id = packet->method_id};
    if (tv_text_parse_method(packet->text, &method) != TV_TEXT_GOOD)
        tv_findings_add(&trace->findings, TV_FINDING_BAD_LINE, 1, packet->off);
    return tv_trace_add_method(trace, &method, packet->off, err);
}

/* Reads the thread and method packets from `pos` on; blocks among them are read later. */
static enum tv_code read_tables(struct tv_trace *trace, struct low_overhead_reader *reader,
                                size_t pos, struct tv_error *err)
{
    struct tv_cursor cursor = {.bytes = reader->bytes, .len = reader->len, .pos = pos};
    struct tv_packet packet;
    while (tv_cursor_left(&cursor) && tv_packet_take_dump(&cursor, &packet) == TV_PACKET_TAKEN) {
        if (packet.is_cut)
            tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, packet.off);
        TV_TRY(take_description(trace, &packet, err));
    }
    reader->base.end = cursor.pos;
    if (tv_cursor_left(&cursor)) {
        bool is_cut = !is_blank(reader->bytes + cursor.pos, reader->len - cursor.pos);
        tv_findings_add(&trace->findings,
                        is_cut ? TV_FINDING_TRUNCATED_RECORD : TV_FINDING_TRAILING_BYTES, 1,
                        cursor.pos);
    }
    return TV_OK;
}

/* The axis begins at the earliest time; the file counts from the machine's start. */
static void measure_times(struct tv_trace *trace, struct low_overhead_reader *reader)
{
    uint64_t first = UINT64_MAX;
    struct tv_block_walk *walk = &reader->walk;
    struct tv_raw *raw = &reader->base.raw;
    tv_block_walk_start(walk, &trace->method_of_id, TV_BLOCK_LONG_RUNNING, reader->bytes, 0,
                        reader->base.end);
    while (tv_block_walk_next(walk, raw, TV_RAW_CAP)) {
        trace->expected_records += raw->count;
        for (size_t i = 0; i < raw->count; i++) {
            if (raw->time[TV_CLOCK_WALL][i] < first)
                first = raw->time[TV_CLOCK_WALL][i];
        }
    }
    trace->start_time_ns = trace->expected_records ? first : 0;
    tv_block_walk_start(walk, &trace->method_of_id, TV_BLOCK_LONG_RUNNING, reader->bytes, 0,
                        reader->base.end);
}

static bool take_blocks(struct tv_dump_reader *base, size_t raw_cap)
{
    struct low_overhead_reader *reader = (struct low_overhead_reader *)base;
    return tv_block_walk_next(&reader->walk, &base->raw, raw_cap);
}

/* Opens the dump as the kind that it walks as. */
static enum tv_code read_dump(struct tv_trace *trace, struct low_overhead_reader *reader,
                              struct tv_error *err)
{
    bool with_header = has_header(reader->bytes, reader->len);
    if (with_header) {
        trace->version = TV_WIRE_LONG_RUNNING_VERSION & ~TV_WIRE_STREAMING;
        trace->is_streaming = true;
    }
    if (with_header || is_long_running(reader->bytes, reader->len)) {
        TV_TRY(read_tables(trace, reader, 0, err));
        if (with_header && reader->base.end < reader->len)
            TV_TRY(tv_text_damage_refuse(tv_text_damage_judge(reader->bytes, reader->len), 0, err));
        tv_dump_set_timed(trace, &reader->base, take_blocks);
        measure_times(trace, reader);
        return TV_OK;
    }
    struct tv_all_methods_blocks blocks;
    bool is_all_methods = tv_all_methods_matches(reader->bytes, reader->len, &blocks);
    tv_assert(is_all_methods);
    (void)is_all_methods;
    if (blocks.is_cut) {
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, blocks.end);
        blocks.end = reader->len; /* its whole records count */
    } else {
        TV_TRY(read_tables(trace, reader, blocks.end, err));
    }
    reader->base.end = blocks.end;
    trace->expected_records =
        tv_all_methods_start(&reader->base.dump, &blocks, &trace->method_of_id, &reader->base.raw);
    return TV_OK;
}

static enum tv_code low_overhead_open(struct tv_trace *trace, struct tv_error *err)
{
    struct low_overhead_reader *reader;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*reader), &reader, err));
    tv_keys_init(&reader->base.keys, trace->alloc);
    trace->reader = reader;
    memcpy(trace->format_name, "low-overhead", sizeof("low-overhead"));
    trace->unit_ns = 1;
    trace->clock_bits = 64;
    reader->bytes = trace->bytes;
    reader->len = trace->len;
    if (!is_dump(trace->bytes, trace->len))
        TV_TRY(decode_base64(trace, reader, err));
    return read_dump(trace, reader, err);
}

const struct tv_format tv_format_low_overhead = {.family = "low-overhead",
                                                 .matches = low_overhead_matches,
                                                 .open = low_overhead_open,
                                                 .next = tv_dump_next,
                                                 .close = tv_dump_close};
