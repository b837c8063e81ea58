/*
 * Packets, file mode: methods, threads, blocks of one thread's records each, the summary. Layout D
 * is what ART wrote last, layout E what Perfetto reads; they differ in the header and in the bytes
 * of a record. docs/formats/packets.md.
 */
#include "base/arena.h"
#include "base/error.h"
#include "format/encode.h"
#include "format/writer.h"

/* The most records of a block: the stored count has 16 bits, and stays true in shorter blocks. */
#define BLOCK_RECORDS_MOST 16384u
#define RECORD_LEN_MOST (3u * TV_LEB_MOST)
#define PAYLOAD_CAP (BLOCK_RECORDS_MOST * RECORD_LEN_MOST)

/* The block that is being filled. */
struct packets_state {
    unsigned version;
    uint32_t thread_id; /* of the block */
    uint32_t count;     /* records in it */
    size_t len;         /* bytes of payload */
    uint64_t word, wall, cpu;
    uint64_t undescribed; /* records of methods without a line */
    uint8_t payload[PAYLOAD_CAP];
};

static enum tv_code put_methods(struct tv_writer *writer, struct tv_error *err)
{
    const struct tv_trace *trace = &writer->trace;
    for (size_t i = 0; i < trace->method_count; i++) {
        struct tv_str line;
        uint64_t id;
        if (!tv_writer_method_id(writer, trace->methods[i].id, &id)) {
            writer->result.changes[TV_WRITE_METHODS_LEFT_OUT]++;
            continue;
        }
        TV_TRY(tv_writer_method_line(writer, &trace->methods[i], id, TV_WRITER_WITHOUT_ID, &line,
                                     err));
        uint8_t *to = tv_out_reserve(&writer->out, TV_PACKET_METHOD_HEAD);
        tv_out_filled(&writer->out, tv_encode_packet_method(to, id, (uint16_t)line.len));
        tv_out_text(&writer->out, line);
    }
    return TV_OK;
}

/* Threads that only records name are listed, too: Perfetto refuses blocks of other threads. */
static enum tv_code put_threads(struct tv_writer *writer, struct tv_error *err)
{
    for (size_t i = 0; i < writer->thread_count; i++) {
        const struct tv_write_thread *thread = &writer->threads[i];
        struct tv_str name;
        TV_TRY(tv_writer_name(writer, thread, &name, err));
        uint8_t *to = tv_out_reserve(&writer->out, TV_PACKET_THREAD_HEAD);
        tv_out_filled(&writer->out,
                      tv_encode_packet_thread(to, thread->new_id, (uint16_t)name.len));
        tv_out_text(&writer->out, name);
    }
    return TV_OK;
}

static enum tv_code begin(struct tv_writer *writer, uint64_t counter, struct tv_error *err)
{
    struct packets_state *state;
    TV_TRY(tv_arena_take(&writer->trace.arena, sizeof(*state), &state, err));
    writer->state = state;
    bool has_two = writer->has_clock[TV_CLOCK_WALL] && writer->has_clock[TV_CLOCK_CPU];
    state->version = has_two ? TV_WIRE_PACKETS_TWO_TIMES : TV_WIRE_PACKETS_ONE_TIME;
    uint8_t *to = tv_out_reserve(&writer->out, TV_WIRE_HEADER);
    tv_out_filled(&writer->out, tv_encode_packets_header(to, state->version,
                                                         writer->trace.start_time_ns, counter));
    TV_TRY(put_methods(writer, err));
    return put_threads(writer, err);
}

static enum tv_code begin_words(struct tv_writer *writer, struct tv_error *err)
{
    return begin(writer, 0, err);
}

/* The counter is the clock itself, which stood at the start time at the start. It must not be 0:
 * readers know the layout by it. */
static enum tv_code begin_ticks(struct tv_writer *writer, struct tv_error *err)
{
    uint64_t start = writer->trace.start_time_ns;
    return begin(writer, start ? start : 1, err);
}

/* Writes the block, and begins another whose sums start at zero. */
static void put_block(struct tv_writer *writer)
{
    struct packets_state *state = writer->state;
    if (!state->count)
        return;
    uint8_t *to = tv_out_reserve(&writer->out, TV_PACKET_BLOCK_HEAD);
    tv_out_filled(&writer->out, tv_encode_packet_block(to, state->thread_id, (uint16_t)state->count,
                                                       (uint32_t)state->len));
    tv_out_bytes(&writer->out, state->payload, state->len);
    state->count = 0;
    state->len = 0;
    state->word = 0;
    state->wall = 0;
    state->cpu = 0;
}

/* The block that the next record goes into: a block has records of one thread. */
static struct packets_state *block_for(struct tv_writer *writer,
                                       const struct tv_write_record *record)
{
    struct packets_state *state = writer->state;
    if (state->thread_id != record->thread_id || state->count == BLOCK_RECORDS_MOST)
        put_block(writer);
    state->thread_id = record->thread_id;
    state->count++;
    return state;
}

/* Appends a record of layout D as differences from the record before. */
static enum tv_code put_words(struct tv_writer *writer, const struct tv_write_record *record,
                              struct tv_error *err)
{
    (void)err;
    struct packets_state *state = block_for(writer, record);
    uint8_t *to = state->payload;
    uint64_t word = record->method_id | (uint64_t)record->action;
    uint64_t wall = record->time[TV_CLOCK_WALL];
    uint64_t cpu = record->time[TV_CLOCK_CPU];
    state->undescribed += record->method_ix == TV_MAP_NONE;
    state->len += tv_encode_sleb(to + state->len, word - state->word);
    if (writer->has_clock[TV_CLOCK_WALL])
        state->len += tv_store_uleb(to + state->len, wall - state->wall);
    if (writer->has_clock[TV_CLOCK_CPU])
        state->len += tv_store_uleb(to + state->len, cpu - state->cpu);
    state->word = word;
    state->wall = wall;
    state->cpu = cpu;
    return TV_OK;
}

/* The same for layout E, where only enters name their method. CPU time never falls here, so its
 * differences are the same numbers to whoever takes them as signed or as unsigned. */
static enum tv_code put_ticks(struct tv_writer *writer, const struct tv_write_record *record,
                              struct tv_error *err)
{
    (void)err;
    struct packets_state *state = block_for(writer, record);
    bool has_wall = writer->has_clock[TV_CLOCK_WALL];
    uint8_t *to = state->payload;
    uint64_t first = record->time[has_wall ? TV_CLOCK_WALL : TV_CLOCK_CPU];
    uint64_t wall = first << 2 | (uint64_t)record->action;
    uint64_t cpu = record->time[TV_CLOCK_CPU];
    state->len += tv_encode_sleb(to + state->len, wall - state->wall);
    if (state->version == TV_WIRE_PACKETS_TWO_TIMES)
        state->len += tv_encode_sleb(to + state->len, cpu - state->cpu);
    if (record->action == TV_ACTION_ENTER) {
        state->len += tv_encode_sleb(to + state->len, record->method_id - state->word);
        state->word = record->method_id;
    }
    state->wall = wall;
    state->cpu = cpu;
    return TV_OK;
}

static enum tv_code end(struct tv_writer *writer, struct tv_error *err)
{
    const struct packets_state *state = writer->state;
    put_block(writer);
    tv_out_init(&writer->line_out, (struct tv_sink){.write = NULL, .ctx = NULL});
    tv_writer_put_section(writer, &writer->line_out, state->version, TV_SECTION_PACKETS_SUMMARY);
    uint64_t len = writer->line_out.total;
    if (len > UINT16_MAX) {
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the summary is longer than packets can say");
    }
    uint8_t *to = tv_out_reserve(&writer->out, TV_PACKET_SUMMARY_HEAD);
    tv_out_filled(&writer->out, tv_encode_packet_summary(to, (uint16_t)len));
    tv_writer_put_section(writer, &writer->out, state->version, TV_SECTION_PACKETS_SUMMARY);
    return TV_OK;
}

/* Readers take the records for layout D when they name described methods. */
static enum tv_code end_words(struct tv_writer *writer, struct tv_error *err)
{
    const struct packets_state *state = writer->state;
    if (state->undescribed && state->undescribed * 2 >= writer->result.records)
        writer->result.changes[TV_WRITE_LAYOUT_UNTOLD] = state->undescribed;
    return end(writer, err);
}

const struct tv_write_family tv_write_packets_d = {.name = "packets-d",
                                                   .thread_id_least = 1,
                                                   .thread_id_most = UINT32_MAX,
                                                   .method_id_most = UINT64_MAX,
                                                   .method_id_mask = TV_WIRE_ACTION_MASK,
                                                   .unit_ns = 1,
                                                   .time_most = INT64_MAX,
                                                   .has_two_clocks = true,
                                                   .has_common_axis = true,
                                                   .first_choice = TV_CLOCK_WALL,
                                                   .begin = begin_words,
                                                   .put = put_words,
                                                   .end = end_words};

/* The action takes two bits of a time. */
const struct tv_write_family tv_write_packets_e = {.name = "packets",
                                                   .thread_id_least = 1,
                                                   .thread_id_most = UINT32_MAX,
                                                   .method_id_most = UINT64_MAX,
                                                   .unit_ns = 1,
                                                   .time_most = INT64_MAX >> 2,
                                                   .has_two_clocks = true,
                                                   .has_bare_exits = true,
                                                   .has_common_axis = true,
                                                   .first_choice = TV_CLOCK_WALL,
                                                   .begin = begin_ticks,
                                                   .put = put_ticks,
                                                   .end = end};
