/*
 * Writes v1, v2 and v3: the text section, the data header, then records of a fixed size.
 *
 * The three versions differ in the bytes of a record: v1 has a thread id of one byte and one time,
 * v2 has two bytes and one time, v3 has two bytes and two times. Everything is known before the
 * first record, so the output is written from front to back. docs/formats/text.md.
 */
#include "base/error.h"
#include "base/units.h"
#include "format/encode.h"
#include "format/write/writer.h"

static enum tv_code begin(struct tv_writer *writer, unsigned version, unsigned record_len)
{
    struct tv_out *out = &writer->out;
    tv_writer_put_section(writer, out, version, TV_SECTION_TEXT);
    uint8_t *to = tv_out_reserve(out, TV_WIRE_HEADER);
    uint64_t start_usec = writer->trace.start_time_ns / TV_NS_PER_US;
    tv_out_filled(out, tv_encode_data_header(to, version, start_usec, record_len));
    return TV_OK;
}

static uint32_t word_of(const struct tv_write_record *record)
{
    return (uint32_t)record->method_id | (uint32_t)record->action;
}

/* Fails for the id that ends the records of these versions. No writer gives it, but a damaged
 * stream may have it. */
static enum tv_code check_method_id(const struct tv_write_record *record, struct tv_error *err)
{
    if (record->method_id != TV_WIRE_NEVER_WRITTEN)
        return TV_OK;
    return tv_fail(
        err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
        "a method has the id 0x%x, which ends the records of v1, v2 and v3: write stream "
        "or packets",
        TV_WIRE_NEVER_WRITTEN);
}

/* The time of a record that has one. */
static uint32_t one_time_of(const struct tv_writer *writer, const struct tv_write_record *record)
{
    return (uint32_t)record->time[writer->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU];
}

static bool has_two_clocks(const struct tv_writer *writer)
{
    return writer->has_clock[TV_CLOCK_WALL] && writer->has_clock[TV_CLOCK_CPU];
}

static enum tv_code begin_v1(struct tv_writer *writer, struct tv_error *err)
{
    (void)err; /* a failure of the sink is kept in the output, and told when that is finished */
    return begin(writer, 1, 0);
}

static enum tv_code begin_v2(struct tv_writer *writer, struct tv_error *err)
{
    (void)err;
    return begin(writer, 2, 0);
}

static enum tv_code begin_v3(struct tv_writer *writer, struct tv_error *err)
{
    (void)err;
    return begin(writer, 3, TV_WIRE_TWO_TIMES_RECORD);
}

static enum tv_code put_v1(struct tv_writer *writer, const struct tv_write_record *record,
                           struct tv_error *err)
{
    TV_TRY(check_method_id(record, err));
    uint8_t *to = tv_out_reserve(&writer->out, TV_WIRE_V1_RECORD);
    tv_out_filled(&writer->out, tv_encode_v1_record(to, (uint8_t)record->thread_id, word_of(record),
                                                    one_time_of(writer, record)));
    return TV_OK;
}

static enum tv_code put_v2(struct tv_writer *writer, const struct tv_write_record *record,
                           struct tv_error *err)
{
    TV_TRY(check_method_id(record, err));
    uint8_t *to = tv_out_reserve(&writer->out, TV_WIRE_ONE_TIME_RECORD);
    tv_out_filled(&writer->out,
                  tv_encode_one_time_record(to, (uint16_t)record->thread_id, word_of(record),
                                            one_time_of(writer, record)));
    return TV_OK;
}

/* A record has room for two times even where there is one: Perfetto refuses shorter records. The
 * one time stands twice, since readers differ in which of the two they take. */
static enum tv_code put_v3(struct tv_writer *writer, const struct tv_write_record *record,
                           struct tv_error *err)
{
    TV_TRY(check_method_id(record, err));
    uint32_t one = one_time_of(writer, record);
    uint32_t cpu = has_two_clocks(writer) ? (uint32_t)record->time[TV_CLOCK_CPU] : one;
    uint8_t *to = tv_out_reserve(&writer->out, TV_WIRE_TWO_TIMES_RECORD);
    tv_out_filled(&writer->out, tv_encode_two_times_record(to, (uint16_t)record->thread_id,
                                                           word_of(record), cpu, one));
    return TV_OK;
}

static enum tv_code end_text(struct tv_writer *writer, struct tv_error *err)
{
    (void)writer;
    (void)err;
    return TV_OK;
}

/* The last multiple of 4 that a u4 holds. */
#define METHOD_ID_MOST (UINT32_MAX & ~TV_WIRE_ACTION_MASK)

const struct tv_write_family tv_write_v1 = {.name = "v1",
                                            .thread_id_least = 1,
                                            .thread_id_most = UINT8_MAX,
                                            .method_id_most = METHOD_ID_MOST,
                                            .method_id_mask = TV_WIRE_ACTION_MASK,
                                            .unit_ns = TV_NS_PER_US,
                                            .has_two_clocks = false,
                                            .first_choice = TV_CLOCK_CPU,
                                            .begin = begin_v1,
                                            .put = put_v1,
                                            .end = end_text};

const struct tv_write_family tv_write_v2 = {.name = "v2",
                                            .thread_id_least = 1,
                                            .thread_id_most = UINT16_MAX,
                                            .method_id_most = METHOD_ID_MOST,
                                            .method_id_mask = TV_WIRE_ACTION_MASK,
                                            .has_common_axis = true,
                                            .unit_ns = TV_NS_PER_US,
                                            .has_two_clocks = false,
                                            .first_choice = TV_CLOCK_WALL,
                                            .begin = begin_v2,
                                            .put = put_v2,
                                            .end = end_text};

const struct tv_write_family tv_write_v3 = {.name = "v3",
                                            .thread_id_least = 1,
                                            .thread_id_most = UINT16_MAX,
                                            .method_id_most = METHOD_ID_MOST,
                                            .method_id_mask = TV_WIRE_ACTION_MASK,
                                            .has_common_axis = true,
                                            .unit_ns = TV_NS_PER_US,
                                            .has_two_clocks = true,
                                            .first_choice = TV_CLOCK_WALL,
                                            .begin = begin_v3,
                                            .put = put_v3,
                                            .end = end_text};
