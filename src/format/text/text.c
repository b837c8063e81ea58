/*
 * Families A, B and C: a text section, a data header, fixed records of version 1, 2 or 3.
 *
 * What stands before the records is read at open, and the number of whole records is proven there;
 * batches then decode without checks. Format: docs/formats/text.md.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/text_damage.h"
#include "base/units.h"
#include "format/data_header.h"
#include "format/formats.h"
#include "format/text/text_records.h"
#include "format/text_section.h"
#include "format/wire.h"

/* Places at which records are compared with the list of threads, and records at each. */
#define STEP_PLACES 16u
#define STEP_RECORDS 4u
#define WORD_BITS 64u
#define THREAD_ID_COUNT 65536u /* of records: the low 16 bits of an id */

/* What stands between two batches. */
struct text_reader {
    struct tv_record_shape shape;
    struct tv_text_section section;
    size_t pos;    /* offset of the next record */
    size_t left;   /* whole records from there on */
    uint64_t held; /* records given so far */
    bool is_done;
};

static const char version_line[] = "*version";

static bool text_matches(const uint8_t *bytes, size_t len)
{
    size_t at = sizeof(version_line) - 1;
    if (len <= at || memcmp(bytes, version_line, at) != 0)
        return false;
    return bytes[at] == '\n' || (bytes[at] == '\r' && len > at + 1 && bytes[at + 1] == '\n');
}

/* Whether only white space is left from `pos` on: a key file may end with line ends. */
static bool is_blank_from(const struct tv_trace *trace, size_t pos)
{
    while (pos < trace->len && strchr("\r\n \t", trace->bytes[pos]) && trace->bytes[pos])
        pos++;
    return pos == trace->len;
}

/* Fails when nothing useful follows *end, or when *end itself is missing. */
static enum tv_code check_has_records(const struct tv_trace *trace,
                                      const struct tv_text_section *section, struct tv_error *err)
{
    size_t pos = section->end_pos;
    if (!section->has_end && pos == trace->len) {
        return tv_fail(
            err, TV_ERR_FORMAT, pos,
            "the text section has no *end line and no records follow it: the file is cut or was "
            "never finished");
    }
    if (is_blank_from(trace, pos)) {
        return tv_fail(
            err, TV_ERR_FORMAT, pos,
            "only the key file of a pair, it ends after *end: its records are in the .data file; "
            "give the name without .key, or join the two");
    }
    return TV_OK;
}

/* Sets which times a record has, by the version and the clock option. */
static enum tv_code choose_shape(struct tv_trace *trace, enum tv_clock_option clock,
                                 struct text_reader *reader)
{
    bool is_dual = clock == TV_CLOCK_OPTION_DUAL;
    bool has_two = trace->version == 3 && is_dual;
    /* Without a clock option the one time is CPU, and dual in one time is CPU too. */
    enum tv_clock one = clock == TV_CLOCK_OPTION_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    reader->shape.clock = one;
    reader->shape.layout = TV_RECORD_ONE_TIME;
    if (trace->version == 1) {
        reader->shape.layout = TV_RECORD_V1;
    } else if (has_two) {
        reader->shape.layout = TV_RECORD_TWO_TIMES;
    }
    trace->has_clock[TV_CLOCK_WALL] = has_two || one == TV_CLOCK_WALL;
    trace->has_clock[TV_CLOCK_CPU] = has_two || one == TV_CLOCK_CPU;
    /* Version 1 starts every thread at 0, on whichever clock. */
    trace->has_common_axis = trace->version != 1 && trace->has_clock[TV_CLOCK_WALL];
    return TV_OK;
}

/* Fails where the data header and the records were copied as text. A text section with CRLF may
 * have been written by hand: then records have a 0a without a 0d before it, or none. */
static enum tv_code refuse_copied(const struct tv_trace *trace, size_t off, struct tv_error *err)
{
    const uint8_t *bytes = trace->bytes + off;
    size_t len = trace->len - off;
    enum tv_text_damage copied = tv_text_damage_characters(bytes, len);
    bool has_crlf = trace->bytes[sizeof(version_line) - 1] == '\r';
    if (copied == TV_TEXT_DAMAGE_WELL && has_crlf && tv_text_damage_has_returns(bytes, len))
        copied = TV_TEXT_DAMAGE_CRLF;
    return tv_text_damage_refuse(copied, off, err);
}

/* Fails for a file that was copied as text, where the header or the records already show that bytes
 * were added or lost: less evidence is enough than in refuse_copied. */
static enum tv_code refuse_damaged(const struct tv_trace *trace, size_t off, struct tv_error *err)
{
    const uint8_t *bytes = trace->bytes + off;
    size_t len = trace->len - off;
    enum tv_text_damage copied = tv_text_damage_judge(bytes, len);
    if (copied == TV_TEXT_DAMAGE_WELL && tv_text_damage_has_returns(bytes, len))
        copied = TV_TEXT_DAMAGE_CRLF;
    else if (copied == TV_TEXT_DAMAGE_WELL && tv_text_damage_lacks_pairs(bytes, len))
        copied = TV_TEXT_DAMAGE_LF;
    return tv_text_damage_refuse(copied, off, err);
}

/* The thread ids that the file lists, as records have them: one bit for each. */
struct listed_ids {
    uint64_t words[THREAD_ID_COUNT / WORD_BITS];
};

static bool is_listed(const struct listed_ids *ids, unsigned id)
{
    return ids->words[id / WORD_BITS] >> id % WORD_BITS & 1;
}

/* How many records from `at` on are of listed threads. */
static unsigned count_listed(const struct tv_trace *trace, const struct listed_ids *ids,
                             const uint8_t *at)
{
    unsigned count = 0;
    for (unsigned i = 0; i < STEP_RECORDS; i++, at += trace->fixed.len)
        count += is_listed(ids, trace->fixed.thread_len == 1 ? at[0] : tv_load_le16(at));
    return count;
}

static bool is_described(const struct tv_trace *trace, uint32_t id)
{
    for (size_t i = 0; i < trace->method_count; i++) {
        if (trace->methods[i].id == id)
            return true;
    }
    return false;
}

/* How many records from `at` on are of described methods. */
static unsigned count_described(const struct tv_trace *trace, const uint8_t *at)
{
    unsigned count = 0;
    at += trace->fixed.thread_len;
    for (unsigned i = 0; i < STEP_RECORDS; i++, at += trace->fixed.len)
        count += is_described(trace, tv_load_le32(at) & ~TV_WIRE_ACTION_MASK);
    return count;
}

/* Whether records at a place name threads that are not listed and methods that are not described,
 * and would name listed threads if they began some bytes later. A thread that ended before the
 * recording did is in no list of Dalvik, and beginning some bytes later would find listed ids where
 * these are small. */
static bool is_place_out_of_step(const struct tv_trace *trace, const struct listed_ids *ids,
                                 const uint8_t *at)
{
    if (count_listed(trace, ids, at) > STEP_RECORDS / 2)
        return false;
    for (uint32_t shift = 1; shift < trace->fixed.len; shift++) {
        if (count_listed(trace, ids, at + shift) == STEP_RECORDS)
            return count_described(trace, at) <= STEP_RECORDS / 2;
    }
    return false;
}

/* Whether bytes before or between the records were added or lost: then all records behind them are
 * read from wrong bytes. */
static enum tv_code find_out_of_step(const struct tv_trace *trace, bool *is_out_of_step,
                                     struct tv_error *err)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    struct listed_ids *ids = NULL;
    unsigned out_of_step = 0;
    *is_out_of_step = false;
    if (!trace->thread_count || fixed->count < (STEP_PLACES + 1) * (STEP_RECORDS + 1))
        return TV_OK;
    TV_TRY(tv_alloc_new(trace->alloc, &ids, 1, sizeof(*ids), err));
    for (size_t i = 0; i < trace->thread_count; i++) {
        uint32_t id = trace->threads[i].id % THREAD_ID_COUNT;
        ids->words[id / WORD_BITS] |= UINT64_C(1) << id % WORD_BITS;
    }
    for (size_t i = 0; i < STEP_PLACES; i++) {
        uint64_t record = fixed->count / (STEP_PLACES + 1) * (i + 1);
        out_of_step += is_place_out_of_step(
            trace, ids, trace->bytes + fixed->runs[0].off + record * fixed->len);
    }
    tv_alloc_release(trace->alloc, &ids, 1, sizeof(*ids));
    *is_out_of_step = out_of_step >= STEP_PLACES / 4;
    return TV_OK;
}

/* Sets how far records are apart. Version 3 says it, and may say more than its fields take: the
 * rest of a record is skipped. */
static enum tv_code check_record_len(const struct tv_trace *trace,
                                     const struct tv_data_header *header,
                                     struct text_reader *reader, struct tv_error *err)
{
    size_t least = tv_record_least_len(reader->shape.layout);
    reader->shape.len = least;
    if (header->version < 3 || !header->has_record_len)
        return TV_OK;
    if (header->record_len < least || header->record_len > TV_WIRE_RECORD_MOST) {
        TV_TRY(tv_text_damage_refuse(
            tv_text_damage_judge(trace->bytes + header->off, trace->len - header->off), header->off,
            err));
        return tv_data_header_refuse_record_len(header, least, err);
    }
    reader->shape.len = header->record_len;
    return TV_OK;
}

/* The records of this trace: all whole ones that follow, or as many as the text section counts
 * where another trace begins behind these. */
static size_t count_records(const struct tv_trace *trace, const struct text_reader *reader)
{
    const size_t count = (trace->len - reader->pos) / reader->shape.len;
    const struct tv_text_section *section = &reader->section;
    if (!section->has_record_count || section->record_count >= count)
        return count;
    const size_t counted = (size_t)section->record_count;
    return tv_text_begins_trace(trace, reader->pos + counted * reader->shape.len) ? counted : count;
}

/* Reads the data header and proves how many whole records follow. From here on records are decoded
 * without checks, and also by their ordinals (trace->fixed). */
static enum tv_code read_header(struct tv_trace *trace, struct text_reader *reader,
                                struct tv_error *err)
{
    struct tv_data_header header;
    TV_TRY(tv_data_header_read(trace, reader->section.end_pos, &header, err));
    TV_TRY(refuse_copied(trace, header.off, err));
    if (header.version < 1 || header.version > 3) {
        return tv_fail(
            err, TV_ERR_UNSUPPORTED, header.off + TV_WIRE_VERSION_AT,
            "the data after *end have version %u, not 1, 2 or 3: the file is damaged, or was "
            "copied as text; copy it again, in binary",
            header.version);
    }
    trace->version = header.version;
    trace->start_time_ns = header.start_ns;
    trace->unit_ns = TV_NS_PER_US;
    trace->clock_bits = 32;
    trace->format_name[0] = 'v';
    trace->format_name[1] = (char)('0' + header.version);
    TV_TRY(choose_shape(trace, reader->section.clock, reader));
    TV_TRY(check_record_len(trace, &header, reader, err));
    reader->pos = header.records_off;
    reader->left = count_records(trace, reader);
    trace->expected_records = reader->left;
    tv_records_tell_fixed(&reader->shape, &trace->fixed);
    TV_TRY(tv_trace_add_fixed(trace, reader->pos, reader->left, err));
    bool is_out_of_step;
    TV_TRY(find_out_of_step(trace, &is_out_of_step, err));
    if (is_out_of_step)
        TV_TRY(refuse_damaged(trace, header.off, err));
    if (header.is_cut)
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, header.off);
    return TV_OK;
}

static enum tv_code text_open(struct tv_trace *trace, struct tv_error *err)
{
    struct text_reader *reader;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*reader), &reader, err));
    trace->reader = reader;
    struct tv_text_source source = {
        .bytes = trace->bytes, .len = trace->len, .has_offsets = true, .before_records = true};
    TV_TRY(tv_text_section_read(trace, &source, &reader->section, err));
    TV_TRY(check_has_records(trace, &reader->section, err));
    TV_TRY(read_header(trace, reader, err));
    tv_text_section_compare_version(trace, &reader->section);
    TV_TRY(tv_trace_find_cut_threads(trace, trace->fixed.thread_len == 1 ? UINT8_MAX : UINT16_MAX,
                                     err));
    if (!reader->section.has_end)
        tv_findings_add(&trace->findings, TV_FINDING_MISSING_END, 1, reader->section.end_pos);
    return TV_OK;
}

/* How many records of the batch stand before the first that was never written. */
static size_t count_written(const struct tv_batch *batch)
{
    uint32_t is_stopped = 0;
    for (size_t i = 0; i < batch->count; i++)
        is_stopped |= (batch->key_action[i] & ~TV_WIRE_ACTION_MASK) == TV_WIRE_NEVER_WRITTEN;
    if (!is_stopped)
        return batch->count;
    size_t written = 0;
    while ((batch->key_action[written] & ~TV_WIRE_ACTION_MASK) != TV_WIRE_NEVER_WRITTEN)
        written++;
    return written;
}

/* Judges what is left after the last record, once. */
static void finish(struct tv_trace *trace, struct text_reader *reader)
{
    const struct tv_text_section *section = &reader->section;
    reader->is_done = true;
    if (reader->left) {
        tv_text_judge_rest(trace, reader->pos);
    } else {
        tv_text_judge_tail(trace, reader->pos);
    }
    if (!trace->opts.is_part && section->has_record_count && section->record_count > reader->held)
        tv_findings_add(&trace->findings, TV_FINDING_MISSING_RECORDS,
                        section->record_count - reader->held, section->record_count_off);
}

/* Records end early at the first that was never written, which a batch shows only when it
 * is decoded. */
static enum tv_code text_next(struct tv_trace *trace, struct tv_batch *batch, struct tv_error *err)
{
    (void)err;
    struct text_reader *reader = trace->reader;
    if (reader->is_done)
        return TV_OK;
    const struct tv_record_shape *shape = &reader->shape;
    size_t count = reader->left < trace->opts.batch_len ? reader->left : trace->opts.batch_len;
    batch->offset = reader->pos;
    batch->offset_step = (uint32_t)shape->len;
    tv_records_decode(shape, trace->bytes + reader->pos, count, batch);
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!trace->has_clock[clock])
            memset(batch->time[clock], 0, count * sizeof(batch->time[clock][0]));
    }
    batch->count = count_written(batch);
    reader->pos += batch->count * shape->len;
    reader->left -= batch->count;
    reader->held += batch->count;
    if (batch->count < count || !reader->left)
        finish(trace, reader);
    return TV_OK;
}

static void text_skip_fixed(struct tv_trace *trace)
{
    struct text_reader *reader = trace->reader;
    if (reader->is_done)
        return;
    reader->pos += reader->left * reader->shape.len;
    reader->held += reader->left;
    reader->left = 0;
    finish(trace, reader);
}

const struct tv_format tv_format_text = {.family = "text",
                                         .matches = text_matches,
                                         .open = text_open,
                                         .next = text_next,
                                         .skip_fixed = text_skip_fixed,
                                         .close = NULL};
