/*
 * Streams, as Android 8 to 13 wrote them: a method's and a thread's packet before the first record
 * that needs it, at the end a summary with the threads. docs/formats/stream.md.
 */
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/units.h"
#include "format/encode.h"
#include "format/write/writer.h"

/* Which methods and threads were described so far. */
struct stream_state {
    unsigned version;
    uint8_t *is_method_told; /* per method of the trace */
    uint8_t *is_thread_told; /* per thread of the writer */
};

static enum tv_code begin(struct tv_writer *writer, struct tv_error *err)
{
    struct tv_trace *trace = &writer->trace;
    struct stream_state *state;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*state), &state, err));
    TV_TRY(tv_arena_take(&trace->arena, trace->method_count + 1, &state->is_method_told, err));
    TV_TRY(tv_arena_take(&trace->arena, writer->thread_count + 1, &state->is_thread_told, err));
    writer->state = state;
    bool has_two = writer->has_clock[TV_CLOCK_WALL] && writer->has_clock[TV_CLOCK_CPU];
    state->version = has_two ? 3 : 2;
    uint8_t *to = tv_out_reserve(&writer->out, TV_WIRE_HEADER);
    tv_out_filled(&writer->out, tv_encode_data_header(to, state->version | TV_WIRE_STREAMING,
                                                      trace->start_time_ns / TV_NS_PER_US,
                                                      has_two ? TV_WIRE_TWO_TIMES_RECORD
                                                              : TV_WIRE_ONE_TIME_RECORD));
    return TV_OK;
}

/* Describes a method before the first record that names it. */
static enum tv_code tell_method(struct tv_writer *writer, const struct tv_write_record *record,
                                struct tv_error *err)
{
    struct stream_state *state = writer->state;
    if (record->method_ix == TV_MAP_NONE || state->is_method_told[record->method_ix])
        return TV_OK;
    state->is_method_told[record->method_ix] = 1;
    struct tv_str line;
    TV_TRY(tv_writer_method_line(writer, &writer->trace.methods[record->method_ix],
                                 record->method_id, TV_WRITER_WITH_ID, &line, err));
    uint8_t *to = tv_out_reserve(&writer->out, TV_STREAM_METHOD_HEAD);
    tv_out_filled(&writer->out, tv_encode_stream_method(to, (uint16_t)line.len));
    tv_out_text(&writer->out, line);
    return TV_OK;
}

/* Describes a thread before its first record. A thread without a name is described, too: readers
 * know by these packets that they read records in their true length. */
static enum tv_code tell_thread(struct tv_writer *writer, const struct tv_write_record *record,
                                struct tv_error *err)
{
    struct stream_state *state = writer->state;
    if (state->is_thread_told[record->thread_ix])
        return TV_OK;
    state->is_thread_told[record->thread_ix] = 1;
    struct tv_str name;
    TV_TRY(tv_writer_name(writer, &writer->threads[record->thread_ix], &name, err));
    uint8_t *to = tv_out_reserve(&writer->out, TV_STREAM_THREAD_HEAD);
    tv_out_filled(&writer->out,
                  tv_encode_stream_thread(to, (uint16_t)record->thread_id, (uint16_t)name.len));
    tv_out_text(&writer->out, name);
    return TV_OK;
}

static enum tv_code put(struct tv_writer *writer, const struct tv_write_record *record,
                        struct tv_error *err)
{
    const struct stream_state *state = writer->state;
    TV_TRY(tell_method(writer, record, err));
    TV_TRY(tell_thread(writer, record, err));
    uint16_t thread = (uint16_t)record->thread_id;
    uint32_t word = (uint32_t)record->method_id | (uint32_t)record->action;
    uint32_t wall = (uint32_t)record->time[TV_CLOCK_WALL];
    uint32_t cpu = (uint32_t)record->time[TV_CLOCK_CPU];
    uint8_t *to = tv_out_reserve(&writer->out, TV_WIRE_TWO_TIMES_RECORD);
    size_t len = state->version == 3
                     ? tv_encode_two_times_record(to, thread, word, cpu, wall)
                     : tv_encode_one_time_record(to, thread, word,
                                                 writer->has_clock[TV_CLOCK_WALL] ? wall : cpu);
    tv_out_filled(&writer->out, len);
    return TV_OK;
}

/* The summary's length stands before it, so the summary is first written to nowhere, to
 * be counted. */
static enum tv_code end(struct tv_writer *writer, struct tv_error *err)
{
    const struct stream_state *state = writer->state;
    for (size_t i = 0; i < writer->trace.method_count; i++)
        writer->result.changes[TV_WRITE_METHODS_LEFT_OUT] += !state->is_method_told[i];
    tv_out_init(&writer->line_out, (struct tv_sink){.write = NULL, .ctx = NULL});
    tv_writer_put_section(writer, &writer->line_out, state->version, TV_SECTION_STREAM_SUMMARY);
    uint64_t len = writer->line_out.total;
    if (len > UINT32_MAX) {
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the summary is longer than a stream can say");
    }
    uint8_t *to = tv_out_reserve(&writer->out, TV_STREAM_SUMMARY_HEAD);
    tv_out_filled(&writer->out, tv_encode_stream_summary(to, (uint32_t)len));
    tv_writer_put_section(writer, &writer->out, state->version, TV_SECTION_STREAM_SUMMARY);
    return TV_OK;
}

const struct tv_write_family tv_write_stream = {.name = "stream",
                                                .thread_id_least = 1,
                                                .thread_id_most = UINT16_MAX,
                                                .method_id_most = UINT32_MAX & ~TV_WIRE_ACTION_MASK,
                                                .method_id_mask = TV_WIRE_ACTION_MASK,
                                                .has_common_axis = true,
                                                .unit_ns = TV_NS_PER_US,
                                                .has_two_clocks = true,
                                                .first_choice = TV_CLOCK_WALL,
                                                .begin = begin,
                                                .put = put,
                                                .end = end};
