/*
 * Packets, file mode: methods, threads, blocks of one thread's records each, the summary. Layout D
 * is what ART wrote last, layout E what Perfetto reads; they differ in the header and in the bytes
 * of a record. Blocks stand in the order in which they became full. docs/formats/packets.md.
 */
#include "base/error.h"
#include "base/memory/arena.h"
#include "format/encode.h"
#include "format/write/writer.h"

/* The most records of a block: the stored count has 16 bits, and stays true in shorter blocks. */
#define BLOCK_RECORDS_MOST 16384u
#define RECORD_LEN_MOST (3u * TV_LEB_MOST)
/* Blocks that are not full yet are held back in these pieces, which all threads share; when no
 * piece is free, all blocks are written. */
#define PIECE_LEN 2048u
#define PIECE_COUNT 1024u
#define NO_PIECE UINT32_MAX

/* A piece of a block's payload. It has whole records only. */
struct piece {
    uint32_t next; /* the next piece of the block, or the next free piece */
    uint32_t len;
    uint8_t bytes[PIECE_LEN];
};

/* The block of a thread that is being filled. */
struct block {
    uint32_t first, last; /* pieces; NO_PIECE: there is none */
    uint32_t count;       /* records */
    uint32_t len;         /* bytes of payload */
    uint64_t word, wall, cpu;
};

struct packets_state {
    unsigned version;
    struct block *blocks; /* by thread of the writer */
    size_t block_count;
    uint64_t undescribed; /* records of methods without a line */
    uint32_t last_thread; /* of the record before, in the writer's threads */
    uint32_t free_piece;  /* the first of them; NO_PIECE: none is free */
    struct piece pieces[PIECE_COUNT];
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

static void begin_block(struct block *block)
{
    *block = (struct block){.first = NO_PIECE, .last = NO_PIECE};
}

/* All pieces are free at first. Blocks of all threads share them, so memory does not grow with the
 * number of threads. */
static enum tv_code make_state(struct tv_writer *writer, struct tv_error *err)
{
    struct packets_state *state;
    TV_TRY(tv_arena_take(&writer->trace.arena, sizeof(*state), &state, err));
    writer->state = state;
    state->undescribed = 0;
    state->last_thread = 0;
    state->free_piece = 0;
    for (uint32_t i = 0; i < PIECE_COUNT; i++)
        state->pieces[i].next = i + 1 < PIECE_COUNT ? i + 1 : NO_PIECE;
    state->block_count = writer->thread_count;
    TV_TRY(tv_arena_take(&writer->trace.arena, (state->block_count + 1) * sizeof(*state->blocks),
                         &state->blocks, err));
    for (size_t i = 0; i < state->block_count; i++)
        begin_block(&state->blocks[i]);
    return TV_OK;
}

static enum tv_code begin(struct tv_writer *writer, uint64_t counter, struct tv_error *err)
{
    TV_TRY(make_state(writer, err));
    struct packets_state *state = writer->state;
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

/* Writes the block of a thread, and begins another whose sums start at zero. */
static void put_block(struct tv_writer *writer, size_t thread_ix)
{
    struct packets_state *state = writer->state;
    struct block *block = &state->blocks[thread_ix];
    if (!block->count)
        return;
    uint8_t *to = tv_out_reserve(&writer->out, TV_PACKET_BLOCK_HEAD);
    tv_out_filled(&writer->out, tv_encode_packet_block(to, writer->threads[thread_ix].new_id,
                                                       (uint16_t)block->count, block->len));
    for (uint32_t piece = block->first; piece != NO_PIECE; piece = state->pieces[piece].next)
        tv_out_bytes(&writer->out, state->pieces[piece].bytes, state->pieces[piece].len);
    state->pieces[block->last].next = state->free_piece;
    state->free_piece = block->first;
    begin_block(block);
}

static void put_blocks(struct tv_writer *writer)
{
    const struct packets_state *state = writer->state;
    for (size_t i = 0; i < state->block_count; i++)
        put_block(writer, i);
}

/* Appends an empty piece to the block of a thread. */
static void add_piece(struct tv_writer *writer, size_t thread_ix)
{
    struct packets_state *state = writer->state;
    if (state->free_piece == NO_PIECE)
        put_blocks(writer);
    struct block *block = &state->blocks[thread_ix];
    uint32_t added = state->free_piece;
    state->free_piece = state->pieces[added].next;
    state->pieces[added].next = NO_PIECE;
    state->pieces[added].len = 0;
    if (block->last == NO_PIECE)
        block->first = added;
    else
        state->pieces[block->last].next = added;
    block->last = added;
}

/* Room for the next record of a thread, whose block is *to_block; a block has records of one
 * thread. */
static uint8_t *begin_record(struct tv_writer *writer, const struct tv_write_record *record,
                             struct block **to_block)
{
    struct packets_state *state = writer->state;
    struct block *block = &state->blocks[record->thread_ix];
    if (!writer->is_by_thread && record->thread_ix != state->last_thread)
        put_block(writer, state->last_thread);
    state->last_thread = record->thread_ix;
    if (block->count == BLOCK_RECORDS_MOST)
        put_block(writer, record->thread_ix);
    if (block->last == NO_PIECE || PIECE_LEN - state->pieces[block->last].len < RECORD_LEN_MOST)
        add_piece(writer, record->thread_ix);
    block->count++;
    *to_block = block;
    const struct piece *piece = &state->pieces[block->last];
    return state->pieces[block->last].bytes + piece->len;
}

static void end_record(struct packets_state *state, struct block *block, size_t len)
{
    state->pieces[block->last].len += (uint32_t)len;
    block->len += (uint32_t)len;
}

/* Appends a record of layout D as differences from the record before. */
static enum tv_code put_words(struct tv_writer *writer, const struct tv_write_record *record,
                              struct tv_error *err)
{
    (void)err;
    struct packets_state *state = writer->state;
    struct block *block;
    uint8_t *to = begin_record(writer, record, &block);
    size_t len = 0;
    uint64_t word = record->method_id | (uint64_t)record->action;
    uint64_t wall = record->time[TV_CLOCK_WALL];
    uint64_t cpu = record->time[TV_CLOCK_CPU];
    state->undescribed += record->method_ix == TV_MAP_NONE;
    len += tv_encode_sleb(to + len, word - block->word);
    if (writer->has_clock[TV_CLOCK_WALL])
        len += tv_store_uleb(to + len, wall - block->wall);
    if (writer->has_clock[TV_CLOCK_CPU])
        len += tv_store_uleb(to + len, cpu - block->cpu);
    block->word = word;
    block->wall = wall;
    block->cpu = cpu;
    end_record(state, block, len);
    return TV_OK;
}

/* Appends a record of layout E, where only enters name their method. CPU time never falls here, so
 * readers that take its differences as signed and readers that take them as unsigned agree. */
static enum tv_code put_ticks(struct tv_writer *writer, const struct tv_write_record *record,
                              struct tv_error *err)
{
    (void)err;
    struct packets_state *state = writer->state;
    struct block *block;
    uint8_t *to = begin_record(writer, record, &block);
    size_t len = 0;
    bool has_wall = writer->has_clock[TV_CLOCK_WALL];
    uint64_t first = record->time[has_wall ? TV_CLOCK_WALL : TV_CLOCK_CPU];
    uint64_t wall = first << 2 | (uint64_t)record->action;
    uint64_t cpu = record->time[TV_CLOCK_CPU];
    len += tv_encode_sleb(to + len, wall - block->wall);
    if (state->version == TV_WIRE_PACKETS_TWO_TIMES)
        len += tv_encode_sleb(to + len, cpu - block->cpu);
    if (record->action == TV_ACTION_ENTER) {
        len += tv_encode_sleb(to + len, record->method_id - block->word);
        block->word = record->method_id;
    }
    block->wall = wall;
    block->cpu = cpu;
    end_record(state, block, len);
    return TV_OK;
}

/* The length stands before the summary, so the summary is written twice: first to nowhere, to
 * measure it. */
static enum tv_code end(struct tv_writer *writer, struct tv_error *err)
{
    const struct packets_state *state = writer->state;
    put_blocks(writer);
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
