/*
 * Family E: streams, 0xF1 to 0xF3. Records of a fixed size, and between them packets that describe
 * methods and threads; a summary closes the file when tracing was stopped properly.
 *
 * Opening walks the whole stream once: only the summary at its end names the clock, and Android 6
 * to 13 wrote records of one clock four bytes wider than the header says, which shows only in where
 * a walk leads. So the tables are complete before the first batch, and batches decode what the walk
 * has proven. Format: docs/formats/stream.md.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/text_damage.h"
#include "format/data_header.h"
#include "format/formats.h"
#include "format/text/text_records.h"
#include "format/text_section.h"
#include "format/wire.h"

#define THREAD_ID_COUNT 65536u
#define SEEN_WORD_BITS 64u

struct stream_reader {
    struct tv_record_shape shape;
    size_t pos; /* offset of the next record or packet */
    size_t end; /* where the last whole record or packet before the summary, the cut or the damage
                   ends */
};

/* What one walk with one record size finds. */
struct walk {
    struct tv_trace *trace; /* takes methods, threads and the summary */
    struct tv_cursor cursor;
    size_t record_len;
    bool is_derailed; /* an opcode that does not exist, or a summary that is none */
    bool has_summary;
    struct tv_text_section summary;
    uint64_t seen[THREAD_ID_COUNT / SEEN_WORD_BITS]; /* one bit per thread id that a record has */
};

/* Streams have their own versions: 1 to 3 with the streaming bits. */
static bool stream_matches(const uint8_t *bytes, size_t len)
{
    if (len < TV_WIRE_DATA_OFFSET_AT || tv_load_le32(bytes) != TV_WIRE_MAGIC)
        return false;
    unsigned version = tv_load_le16(bytes + TV_WIRE_VERSION_AT);
    return version >= (TV_WIRE_STREAMING | 1) && version <= (TV_WIRE_STREAMING | 3);
}

static void add_finding(struct walk *walk, enum tv_finding_kind kind, uint64_t offset)
{
    tv_findings_add(&walk->trace->findings, kind, 1, offset);
}

/* What was found where a packet should be: a packet that was read, one that the file's end cuts,
 * the summary, or no packet. */
enum packet { PACKET_TAKEN, PACKET_CUT, PACKET_SUMMARY, PACKET_DERAILED };

static struct tv_str without_line_end(struct tv_str line)
{
    if (line.len && line.at[line.len - 1] == '\n')
        line.len--;
    return line;
}

/* A line that cannot be read is a finding and no error: records of the method are shown by its id.
 */
static enum tv_code take_method(struct walk *walk, enum packet *packet, struct tv_error *err)
{
    uint64_t off = walk->cursor.pos - 3;
    uint16_t len;
    struct tv_str line;
    if (!tv_cursor_take_u16(&walk->cursor, &len) ||
        !tv_cursor_take_str(&walk->cursor, len, &line)) {
        *packet = PACKET_CUT;
        return TV_OK;
    }
    struct tv_trace_method method = {0};
    enum tv_text_quality quality = tv_text_parse_method_line(without_line_end(line), &method);
    if (quality != TV_TEXT_GOOD)
        add_finding(walk, TV_FINDING_BAD_LINE, off);
    if (quality == TV_TEXT_BAD)
        return TV_OK;
    return tv_trace_add_method(walk->trace, &method, off, err);
}

static enum tv_code take_thread(struct walk *walk, enum packet *packet, struct tv_error *err)
{
    uint64_t off = walk->cursor.pos - 3;
    uint16_t id;
    uint16_t len;
    struct tv_str name;
    if (!tv_cursor_take_u16(&walk->cursor, &id) || !tv_cursor_take_u16(&walk->cursor, &len) ||
        !tv_cursor_take_str(&walk->cursor, len, &name)) {
        *packet = PACKET_CUT;
        return TV_OK;
    }
    return tv_trace_add_thread(walk->trace, id, name, off, err);
}

/* Reads the summary, also when the file ends inside it. */
static enum tv_code take_summary(struct walk *walk, enum packet *packet, struct tv_error *err)
{
    size_t off = walk->cursor.pos - 3;
    uint32_t claimed;
    if (!tv_cursor_take_u32(&walk->cursor, &claimed)) {
        *packet = PACKET_CUT;
        return TV_OK;
    }
    size_t pos = walk->cursor.pos;
    size_t left = tv_cursor_left(&walk->cursor);
    bool is_cut = claimed > left;
    size_t len = is_cut ? left : claimed;
    if (!tv_text_begins_section((struct tv_str){(const char *)walk->cursor.bytes + pos, len},
                                is_cut)) {
        *packet = PACKET_DERAILED;
        return TV_OK;
    }
    struct tv_text_source source = {.bytes = walk->cursor.bytes,
                                    .len = pos + len,
                                    .pos = pos,
                                    .has_offsets = true,
                                    .is_cut = is_cut};
    TV_TRY(tv_text_section_read(walk->trace, &source, &walk->summary, err));
    walk->has_summary = walk->summary.has_version || !is_cut;
    if (is_cut)
        add_finding(walk, TV_FINDING_TRUNCATED_RECORD, off);
    else
        walk->trace->summary = (struct tv_str){(const char *)walk->cursor.bytes + pos, len};
    if (len < left)
        tv_text_judge_rest(walk->trace, pos + len);
    *packet = PACKET_SUMMARY;
    return TV_OK;
}

/* Reads the packet at the cursor, which stands at a thread id of 0, or at fewer bytes
 * than a record. */
static enum tv_code take_packet(struct walk *walk, enum packet *packet, struct tv_error *err)
{
    uint16_t zero;
    uint8_t opcode;
    if (!tv_cursor_take_u16(&walk->cursor, &zero) || zero ||
        !tv_cursor_take_u8(&walk->cursor, &opcode)) {
        *packet = PACKET_CUT;
        return TV_OK;
    }
    *packet = PACKET_TAKEN;
    switch (opcode) {
    case TV_WIRE_STREAM_METHOD:
        return take_method(walk, packet, err);
    case TV_WIRE_STREAM_THREAD:
        return take_thread(walk, packet, err);
    case TV_WIRE_STREAM_SUMMARY:
        return take_summary(walk, packet, err);
    default:
        *packet = PACKET_DERAILED;
        return TV_OK;
    }
}

/* Skips records up to the next packet, which begins with a thread id of 0, and adds them to the
 * trace as one run. */
static enum tv_code skip_records(struct walk *walk, struct tv_error *err)
{
    const uint8_t *at = walk->cursor.bytes + walk->cursor.pos;
    size_t most = tv_cursor_left(&walk->cursor) / walk->record_len;
    size_t count = 0;
    unsigned last = 0;
    for (; count < most; count++, at += walk->record_len) {
        unsigned id = tv_load_le16(at);
        if (!id)
            break;
        if (id != last)
            walk->seen[id / SEEN_WORD_BITS] |= UINT64_C(1) << id % SEEN_WORD_BITS;
        last = id;
    }
    size_t off = walk->cursor.pos;
    walk->cursor.pos += count * walk->record_len;
    return tv_trace_add_fixed(walk->trace, off, count, err);
}

/* Walks to the summary, the cut or the damage; *end is where the last whole record or
 * packet ends. */
static enum tv_code walk_stream(struct walk *walk, size_t *end, struct tv_error *err)
{
    enum packet packet = PACKET_TAKEN;
    while (packet == PACKET_TAKEN) {
        TV_TRY(skip_records(walk, err));
        *end = walk->cursor.pos;
        if (!tv_cursor_left(&walk->cursor))
            return TV_OK;
        TV_TRY(take_packet(walk, &packet, err));
    }
    walk->is_derailed = packet == PACKET_DERAILED;
    if (packet != PACKET_SUMMARY)
        tv_text_judge_tail(walk->trace, *end);
    return TV_OK;
}

static void start_walk(struct walk *walk, struct tv_trace *trace,
                       const struct tv_data_header *header, size_t record_len)
{
    *walk = (struct walk){
        .trace = trace,
        .cursor = {.bytes = trace->bytes, .len = trace->len, .pos = header->records_off},
        .record_len = record_len,
    };
}

static unsigned count_unknown_in(const struct walk *walk, uint32_t word_ix)
{
    unsigned count = 0;
    uint32_t id = word_ix * SEEN_WORD_BITS;
    for (uint64_t left = walk->seen[word_ix]; left; left >>= 1, id++)
        count += left & 1 && tv_map_get(&walk->trace->thread_of_id, id) == TV_MAP_NONE;
    return count;
}

/* Threads that records name and no packet describes: a walk with the wrong record length
 * finds many. */
static unsigned count_unknown_threads(const struct walk *walk)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < TV_COUNT_OF(walk->seen); i++)
        count += count_unknown_in(walk, i);
    return count;
}

struct verdict {
    bool is_derailed;
    bool has_summary; /* a walk with the wrong record length meets one only by a rare chance */
    unsigned unknown_threads;
};

/* Walks with a record length and tells how that ends. Leaves the trace as it is. */
static enum tv_code try_record_len(const struct tv_trace *trace,
                                   const struct tv_data_header *header, size_t record_len,
                                   struct verdict *verdict, struct tv_error *err)
{
    struct tv_trace scratch;
    tv_trace_init(&scratch, trace->alloc);
    scratch.bytes = trace->bytes;
    scratch.len = trace->len;
    struct walk walk;
    start_walk(&walk, &scratch, header, record_len);
    size_t end;
    enum tv_code code = walk_stream(&walk, &end, err);
    verdict->is_derailed = walk.is_derailed;
    verdict->has_summary = walk.has_summary;
    verdict->unknown_threads = count_unknown_threads(&walk);
    tv_trace_release(&scratch);
    return code;
}

/* Whether the other record length leads to a better end than the one that the header says. */
static bool is_better(const struct verdict *other, const struct verdict *said)
{
    if (other->is_derailed != said->is_derailed)
        return said->is_derailed;
    if (other->has_summary != said->has_summary)
        return other->has_summary;
    return other->unknown_threads < said->unknown_threads;
}

/* Chooses between the record length of the header and the other one: records of one clock may have
 * 10 bytes where the header says 14, or 14 where it says 10. The walk that ends better is right. */
static enum tv_code choose_record_len(const struct tv_trace *trace,
                                      const struct tv_data_header *header, size_t *record_len,
                                      struct tv_error *err)
{
    size_t said = header->record_len;
    *record_len = said;
    if (header->version == (TV_WIRE_STREAMING | 3) ||
        (said != TV_WIRE_ONE_TIME_RECORD && said != TV_WIRE_TWO_TIMES_RECORD))
        return TV_OK;
    size_t other = TV_WIRE_ONE_TIME_RECORD + TV_WIRE_TWO_TIMES_RECORD - said;
    struct verdict of_said;
    struct verdict of_other;
    TV_TRY(try_record_len(trace, header, said, &of_said, err));
    TV_TRY(try_record_len(trace, header, other, &of_other, err));
    if (is_better(&of_other, &of_said))
        *record_len = other;
    return TV_OK;
}

/* Sets which times a record has: those of the version. Shorter records of version 3 have one time,
 * on the clock that the summary names. */
static enum tv_code choose_shape(struct tv_trace *trace, const struct tv_data_header *header,
                                 const struct walk *walk, struct tv_record_shape *shape,
                                 struct tv_error *err)
{
    enum tv_clock_option clock = walk->summary.clock;
    bool is_single = clock == TV_CLOCK_OPTION_WALL || clock == TV_CLOCK_OPTION_CPU;
    bool has_two = trace->version == 3;
    if (has_two && is_single && walk->record_len < TV_WIRE_TWO_TIMES_RECORD)
        has_two = false;
    shape->layout = has_two ? TV_RECORD_TWO_TIMES : TV_RECORD_ONE_TIME;
    shape->clock = clock == TV_CLOCK_OPTION_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    shape->len = walk->record_len;
    trace->has_clock[TV_CLOCK_WALL] = has_two || shape->clock == TV_CLOCK_WALL;
    trace->has_clock[TV_CLOCK_CPU] = has_two || shape->clock == TV_CLOCK_CPU;
    trace->has_common_axis = trace->has_clock[TV_CLOCK_WALL];
    size_t least = tv_record_least_len(shape->layout);
    return shape->len < least ? tv_data_header_refuse_record_len(header, least, err) : TV_OK;
}

/* Sets what the header tells. */
static void fill_header_facts(struct tv_trace *trace, const struct tv_data_header *header)
{
    trace->version = header->version & ~TV_WIRE_STREAMING;
    trace->is_streaming = true;
    trace->start_time_ns = header->start_ns;
    trace->unit_ns = 1000;
    trace->clock_bits = 32;
    memcpy(trace->format_name, "stream", sizeof("stream"));
    trace->format_name[sizeof("stream") - 1] = (char)('0' + trace->version);
}

/* Fails where a damaged stream was copied as text. The beginning of a file is not judged: it has no
 * summary, and that is no damage. */
static enum tv_code refuse_copied(const struct tv_trace *trace, struct tv_error *err)
{
    return trace->opts.is_part
               ? TV_OK
               : tv_text_damage_refuse(tv_text_damage_judge(trace->bytes, trace->len), 0, err);
}

/* Walks with the chosen record length, into the trace's tables. */
static enum tv_code read_tables(struct tv_trace *trace, const struct tv_data_header *header,
                                struct stream_reader *reader, struct tv_error *err)
{
    size_t record_len = TV_WIRE_TWO_TIMES_RECORD; /* a header that is cut has no records after it */
    if (!header->is_cut)
        TV_TRY(choose_record_len(trace, header, &record_len, err));
    struct walk walk;
    start_walk(&walk, trace, header, record_len);
    TV_TRY(walk_stream(&walk, &reader->end, err));
    if (walk.is_derailed || count_unknown_threads(&walk))
        TV_TRY(refuse_copied(trace, err));
    TV_TRY(tv_text_read_side(trace, &walk.summary, &walk.has_summary, err));
    if (header->is_cut)
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, header->off);
    if (walk.has_summary) {
        tv_text_section_compare_version(trace, &walk.summary);
    } else {
        tv_findings_add(&trace->findings, TV_FINDING_NO_SUMMARY, 1, reader->end);
    }
    trace->expected_records = trace->fixed.count;
    TV_TRY(choose_shape(trace, header, &walk, &reader->shape, err));
    tv_records_tell_fixed(&reader->shape, &trace->fixed);
    return TV_OK;
}

/* A file that was copied as text may have a damaged record length; then the error names the copy
 * and not the length. */
static enum tv_code stream_open(struct tv_trace *trace, struct tv_error *err)
{
    struct stream_reader *reader;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*reader), &reader, err));
    trace->reader = reader;
    struct tv_data_header header;
    TV_TRY(tv_data_header_read(trace, 0, &header, err));
    if (header.has_record_len &&
        (header.record_len < TV_WIRE_ONE_TIME_RECORD || header.record_len > TV_WIRE_RECORD_MOST)) {
        TV_TRY(refuse_copied(trace, err));
        return tv_data_header_refuse_record_len(&header, TV_WIRE_ONE_TIME_RECORD, err);
    }
    fill_header_facts(trace, &header);
    reader->pos = header.records_off;
    return read_tables(trace, &header, reader, err);
}

/* Appends the records up to the next packet, as far as the batch has room. */
static void take_run(struct tv_trace *trace, struct stream_reader *reader, struct tv_batch *batch)
{
    const size_t len = reader->shape.len;
    const uint8_t *at = trace->bytes + reader->pos;
    size_t most = (reader->end - reader->pos) / len;
    size_t room = trace->opts.batch_len - batch->count;
    if (most > room)
        most = room;
    size_t count = 0;
    while (count < most && tv_load_le16(at + count * len)) {
        batch->offsets[batch->count + count] = reader->pos + count * len;
        count++;
    }
    tv_records_decode(&reader->shape, at, count, batch);
    reader->pos += count * len;
}

/* Skips a method or thread packet, which was read at open. */
static void skip_packet(const struct tv_trace *trace, struct stream_reader *reader)
{
    struct tv_cursor cursor = {.bytes = trace->bytes, .len = reader->end, .pos = reader->pos};
    uint16_t skipped;
    uint8_t opcode;
    uint16_t len;
    bool is_whole = tv_cursor_take_u16(&cursor, &skipped) && tv_cursor_take_u8(&cursor, &opcode) &&
                    (opcode != TV_WIRE_STREAM_THREAD || tv_cursor_take_u16(&cursor, &skipped)) &&
                    tv_cursor_take_u16(&cursor, &len) && tv_cursor_skip(&cursor, len);
    tv_assert(is_whole);
    reader->pos = is_whole ? cursor.pos : reader->end;
}

/* Fills a batch from the runs, and skips the packets between them. */
static enum tv_code stream_next(struct tv_trace *trace, struct tv_batch *batch,
                                struct tv_error *err)
{
    (void)err;
    struct stream_reader *reader = trace->reader;
    batch->offset = reader->pos;
    batch->offset_step = 0;
    while (batch->count < trace->opts.batch_len && reader->pos < reader->end) {
        take_run(trace, reader, batch);
        if (batch->count < trace->opts.batch_len && reader->pos < reader->end)
            skip_packet(trace, reader);
    }
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!trace->has_clock[clock])
            memset(batch->time[clock], 0, batch->count * sizeof(batch->time[clock][0]));
    }
    if (batch->count)
        batch->offset = batch->offsets[0];
    return TV_OK;
}

static void stream_skip_fixed(struct tv_trace *trace)
{
    struct stream_reader *reader = trace->reader;
    reader->pos = reader->end;
}

const struct tv_format tv_format_stream = {.family = "stream",
                                           .matches = stream_matches,
                                           .open = stream_open,
                                           .next = stream_next,
                                           .skip_fixed = stream_skip_fixed,
                                           .close = NULL};
