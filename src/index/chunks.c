/*
 * An index from fixed records on all cores: chunks are scanned at once, joined in order, filled at
 * once, joined in order (chunk_scan.h, fill.h). Nothing depends on the size of a chunk, nor on
 * which is done when.
 *
 * Calls that began before the trace are known after the first join. From then on they are what they
 * are in the finished index: calls that their thread opens at its first record, outermost first. So
 * the second pass knows no special case.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "index/block.h"
#include "index/build.h"
#include "index/chunk_nodes.h"
#include "index/chunk_scan.h"
#include "index/fill.h"
#include "index/folds.h"
#include "index/longs.h"
#include "index/tree.h"

/*
 * Each chunk grows trees of its own, most of which those before it have already: so chunks are as
 * large as they may be, and the last ones small, that all cores end at about the same time. The
 * largest takes a third of a second.
 */
#define SMALLEST_CHUNK ((uint64_t)1 << 18)
#define LARGEST_CHUNK ((uint64_t)1 << 24)
/* Marks of records of a chunk have 32 bits (chunk_levels.h). */
#define COUNTED_RECORDS ((uint64_t)1 << 30)
/* Shares of the work, in percent; what is left is done once all calls are in their places. */
#define SCAN_SHARE 25u
#define FILL_SHARE 70u
/* Open calls that chunks may find open together, per record and at least, before the other way is
 * the better. */
#define OPEN_PER_RECORD 4u
#define OPEN_FLOOR 1000000u

/* An exit without an enter. */
struct adopter {
    uint64_t off;
    uint32_t key;
};

/* What joining needs of a thread beyond tv_build_thread. Keys of open calls are in build->stack. */
struct joined {
    uint64_t *counts; /* calls by level, at [origin + level] */
    size_t cap;
    size_t origin;
    size_t top; /* levels from 0 up that were reached */
    uint64_t wraps[TV_CLOCK_COUNT];
    struct adopter *adopters; /* in order */
    size_t adopter_cap;
    uint32_t *adopter_keys; /* outermost first */
    uint64_t *adopter_offsets;
};

struct chunks {
    struct tv_builder builder;
    struct tv_trace *trace;
    const struct tv_build_opts *opts;
    const struct tv_pool *pool; /* opts' */
    struct tv_index *index;
    struct tv_layout layout;
    struct tv_chunk_scan *scans;
    struct tv_fill *fills;
    size_t chunk_count;
    struct joined *joined; /* beside builder.threads */
    size_t joined_cap;
    _Atomic uint64_t work_done; /* records times percent */
    atomic_bool is_telling;     /* somebody tells progress */
    atomic_bool is_cancelled;
    atomic_bool *is_filled; /* of each chunk */
    atomic_bool is_joining; /* somebody is joining filled chunks */
    atomic_bool is_over; /* a chunk turned out odd, or to have changed: no other need be filled */
    size_t join_next;    /* the first that is not joined; theirs */
    enum tv_code join_code; /* theirs, too */
    struct tv_error join_error;
    struct tv_fixed_place place; /* of the record that was asked for last */
    uint64_t open_total;         /* calls that chunks found open at their beginning */
    bool is_odd;
};

static uint64_t offset_of(struct chunks *c, uint64_t record)
{
    return tv_fixed_offset(c->trace, record, &c->place);
}

/* The id of a thread of a chunk. */
static uint32_t id_of(const struct chunks *c, const struct tv_chunk_thread *scan)
{
    return tv_fixed_thread(c->trace, scan->id);
}

/* Tells that some records have had one pass more, which has a share of the work; one task at a time
 * does so, and others go on. */
static void tell(struct chunks *c, uint64_t records, unsigned share)
{
    atomic_fetch_add(&c->work_done, records * share);
    if (!c->opts->progress || atomic_exchange(&c->is_telling, true))
        return;
    uint64_t percent = atomic_load(&c->work_done) / c->trace->fixed.count;
    if (!c->opts->progress(c->opts->progress_ctx, c->trace->len / 100 * percent, c->trace->len))
        atomic_store(&c->is_cancelled, true);
    atomic_store(&c->is_telling, false);
}

static enum tv_code check_cancelled(const struct chunks *c, struct tv_error *err)
{
    if (atomic_load(&c->is_cancelled))
        return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    return TV_OK;
}

static void scan_task(void *arg, size_t chunk)
{
    struct chunks *c = arg;
    if (atomic_load(&c->is_cancelled))
        return;
    tv_chunk_scan(&c->scans[chunk], c->trace);
    tell(c, c->scans[chunk].record_count, SCAN_SHARE);
}

/* Room for levels from `low` (0 or less) up to below `high`. */
static enum tv_code reach_levels(struct chunks *c, struct joined *joined, uint64_t down,
                                 uint64_t high, struct tv_error *err)
{
    if (down <= joined->origin && high <= joined->cap - joined->origin)
        return TV_OK;
    uint64_t *counts;
    size_t below = joined->origin;
    size_t above = joined->cap - joined->origin;
    size_t new_below = down <= below ? below : (size_t)down + below;
    size_t new_above = high <= above ? above : (size_t)high + above;
    TV_TRY(tv_alloc_new(c->builder.alloc, &counts, new_below + new_above, sizeof(*counts), err));
    if (joined->cap)
        memcpy(counts + (new_below - below), joined->counts, joined->cap * sizeof(*counts));
    tv_alloc_free(c->builder.alloc, joined->counts, joined->cap, sizeof(*counts));
    joined->counts = counts;
    joined->origin = new_below;
    joined->cap = new_below + new_above;
    return TV_OK;
}

/* A thread's first record in the file. */
static enum tv_code begin_thread(struct chunks *c, size_t chunk, size_t i, struct tv_error *err)
{
    const struct tv_chunk_thread *scan = &c->scans[chunk].threads[i];
    struct tv_builder *b = &c->builder;
    struct tv_build_thread *thread;
    TV_TRY(tv_alloc_grow(b->alloc, &c->joined, &c->joined_cap, b->thread_count + 1,
                         sizeof(*c->joined), err));
    c->joined[b->thread_count] = (struct joined){.counts = NULL};
    TV_TRY(tv_builder_add_thread(b, id_of(c, scan), &thread, err));
    tv_nodes_release(&thread->nodes); /* its first chunk brings them */
    thread->first_offset = offset_of(c, scan->first_record);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        thread->clock[clock].first =
            (int64_t)((uint64_t)scan->high_first[clock] << 32 | scan->raw_first[clock]);
        thread->clock[clock].raw = scan->raw_first[clock];
    }
    thread->before_ix = b->last_ix;
    if (scan->before != TV_NONE) {
        thread->before_ix =
            tv_map_get(&b->thread_of_id, id_of(c, &c->scans[chunk].threads[scan->before]));
        const struct tv_fill_thread *before = &c->fills[chunk].threads[scan->before];
        thread->before_wall = (int64_t)((before->wraps[TV_CLOCK_WALL] + scan->before_wraps) << 32 |
                                        scan->before_wall);
    } else if (b->last_ix != TV_NONE) {
        thread->before_wall = b->threads[b->last_ix]->clock[TV_CLOCK_WALL].high;
    }
    return TV_OK;
}

static void note_wrap(struct chunks *c, struct tv_build_thread *thread, uint64_t record)
{
    if (c->trace->clock_bits != 32) /* its low half alone */
        return;
    if (!thread->has_wrapped)
        tv_findings_add(&c->builder.findings, TV_FINDING_CLOCK_WRAPPED, 1, offset_of(c, record));
    thread->has_wrapped = true;
}

/* Sets the clocks on from one chunk to the next; false when one falls in between. */
static bool join_clocks(struct chunks *c, struct tv_build_thread *thread, struct joined *joined,
                        const struct tv_chunk_thread *scan, struct tv_fill_thread *fill)
{
    unsigned axis = c->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint32_t last = (uint32_t)thread->clock[clock].raw;
        uint64_t step = scan->raw_first[clock] - last;
        if (c->trace->clock_bits == 64) {
            uint64_t high = scan->high_first[clock];
            step = (high << 32 | scan->raw_first[clock]) - (uint64_t)thread->clock[clock].high;
            joined->wraps[clock] = high;
            if (thread->records && step >> 63)
                return false;
        } else if (step > TV_LARGEST_STEP) {
            return false;
        } else if (scan->raw_first[clock] < last) {
            joined->wraps[clock]++;
            note_wrap(c, thread, scan->first_record);
        }
        if (clock == axis && thread->records)
            tv_builder_count_gap(step, c->builder.small_gap, &c->builder.gaps_zero,
                                 &c->builder.gaps_small);
        fill->wraps[clock] = joined->wraps[clock];
        joined->wraps[clock] += scan->wraps[clock];
        thread->clock[clock].raw = scan->raw_last[clock];
        thread->clock[clock].high = (int64_t)(joined->wraps[clock] << 32 | scan->raw_last[clock]);
    }
    if (scan->wraps[0] || scan->wraps[1])
        note_wrap(c, thread, scan->wrap_record);
    return true;
}

static enum tv_code push_open(struct chunks *c, struct tv_build_thread *thread,
                              const struct tv_chunk_thread *scan, struct tv_error *err)
{
    if (!scan->depth)
        return TV_OK;
    if (!thread->depth)
        thread->root_enter_offset = offset_of(c, scan->root_record);
    TV_TRY(tv_alloc_grow(c->builder.alloc, &thread->stack, &thread->stack_cap,
                         thread->depth + scan->depth, sizeof(*thread->stack), err));
    for (size_t i = 0; i < scan->depth; i++)
        thread->stack[thread->depth++] = (struct tv_open_call){.key = scan->opened[i]};
    return TV_OK;
}

/* Exits of earlier calls must be of the methods on top; with nothing open they adopt. */
static enum tv_code pop_exits(struct chunks *c, struct tv_build_thread *thread,
                              struct joined *joined, const struct tv_chunk_thread *scan,
                              struct tv_error *err)
{
    for (size_t i = 0; i < scan->exit_count; i++) {
        if (thread->depth) {
            c->is_odd |= thread->stack[--thread->depth].key != scan->exits[i].key;
            continue;
        }
        TV_TRY(tv_alloc_grow(c->builder.alloc, &joined->adopters, &joined->adopter_cap,
                             thread->adopter_count + 1, sizeof(*joined->adopters), err));
        struct adopter adopter = {.key = scan->exits[i].key,
                                  .off = offset_of(c, scan->exits[i].record)};
        joined->adopters[thread->adopter_count++] = adopter;
        tv_findings_add(&c->builder.findings, TV_FINDING_EXIT_WITHOUT_ENTER, 1, adopter.off);
    }
    return TV_OK;
}

/* Adds the chunk's counts to the thread's, whose levels until then are where the chunk's go on. */
static enum tv_code join_levels(struct chunks *c, const struct tv_build_thread *thread,
                                struct joined *joined, const struct tv_chunk_thread *scan,
                                struct tv_fill_thread *fill, struct tv_error *err)
{
    int64_t base = (int64_t)thread->depth - (int64_t)thread->adopter_count;
    int64_t low = base - (int64_t)scan->exit_count - 1;
    int64_t high = base + (int64_t)scan->level_count;
    TV_TRY(
        reach_levels(c, joined, low < 0 ? (uint64_t)-low : 0, high > 0 ? (uint64_t)high : 0, err));
    size_t count = scan->exit_count + 1 + scan->level_count;
    TV_TRY(tv_alloc_new(c->builder.alloc, &fill->levels, count + 1, sizeof(*fill->levels), err));
    fill->level_count = count;
    TV_TRY(tv_alloc_new(c->builder.alloc, &fill->firsts, count, sizeof(*fill->firsts), err));
    const uint32_t *calls = scan->calls + (scan->origin - scan->exit_count - 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t *total = joined->counts + ((int64_t)joined->origin + low + (int64_t)i);
        fill->levels[i].next = *total;
        fill->levels[i].end = *total + calls[i];
        *total += calls[i];
    }
    if (high > (int64_t)joined->top)
        joined->top = (size_t)high;
    return TV_OK;
}

static enum tv_code join_scanned_thread(struct chunks *c, size_t chunk, size_t i,
                                        struct tv_error *err)
{
    struct tv_builder *b = &c->builder;
    struct tv_chunk_thread *scan = &c->scans[chunk].threads[i];
    struct tv_fill_thread *fill = &c->fills[chunk].threads[i];
    uint32_t thread_ix = tv_map_get(&b->thread_of_id, id_of(c, scan));
    if (thread_ix == TV_MAP_NONE) {
        thread_ix = (uint32_t)b->thread_count;
        TV_TRY(begin_thread(c, chunk, i, err));
    }
    struct tv_build_thread *thread = b->threads[thread_ix];
    struct joined *joined = &c->joined[thread_ix];
    unsigned axis = c->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    *fill = (struct tv_fill_thread){.build = thread,
                                    .scan = scan,
                                    .record = thread->records,
                                    .record_end = thread->records + scan->records};
    if (thread->records)
        fill->segment_start = (uint64_t)(thread->clock[axis].high - thread->clock[axis].first);
    if (!join_clocks(c, thread, joined, scan, fill)) {
        c->is_odd = true;
        return TV_OK;
    }
    c->open_total += thread->depth;
    TV_TRY(tv_alloc_new(b->alloc, &fill->path, thread->depth, sizeof(*fill->path), err));
    for (size_t k = 0; k < thread->depth; k++)
        fill->path[k] = thread->stack[k].key;
    fill->depth = thread->depth;
    fill->path_cap = thread->depth;
    fill->adopters =
        thread->adopter_count; /* so many were adopted before; prepare_fill turns it round */
    TV_TRY(join_levels(c, thread, joined, scan, fill, err));
    TV_TRY(pop_exits(c, thread, joined, scan, err));
    TV_TRY(push_open(c, thread, scan, err));
    thread->records += scan->records;
    tv_chunk_thread_forget(scan, c->builder.alloc);
    return TV_OK;
}

static enum tv_code join_scan(struct chunks *c, size_t chunk, struct tv_error *err)
{
    struct tv_chunk_scan *scan = &c->scans[chunk];
    struct tv_fill *fill = &c->fills[chunk];
    fill->scan = scan;
    TV_TRY(tv_alloc_new(c->builder.alloc, &fill->threads, scan->thread_count,
                        sizeof(*fill->threads), err));
    fill->thread_cap = scan->thread_count;
    for (size_t i = 0; i < scan->thread_count && !c->is_odd; i++)
        TV_TRY(join_scanned_thread(c, chunk, i, err));
    if (c->is_odd)
        return TV_OK;
    c->builder.last_ix =
        tv_map_get(&c->builder.thread_of_id, id_of(c, &scan->threads[scan->last_thread]));
    c->builder.has_unwind |= scan->has_unwind;
    c->builder.gaps_zero += scan->gaps_zero;
    c->builder.gaps_small += scan->gaps_small;
    uint64_t most = OPEN_FLOOR + c->trace->fixed.count * OPEN_PER_RECORD;
    c->is_odd = c->open_total > most;
    return TV_OK;
}

static enum tv_code join_scans(struct chunks *c, struct tv_error *err)
{
    for (size_t chunk = 0; chunk < c->chunk_count; chunk++) {
        if (c->scans[chunk].code != TV_OK) {
            if (err)
                *err = c->scans[chunk].error;
            return c->scans[chunk].code;
        }
        c->is_odd |= c->scans[chunk].is_odd;
    }
    for (size_t chunk = 0; chunk < c->chunk_count && !c->is_odd; chunk++)
        TV_TRY(join_scan(c, chunk, err));
    return TV_OK;
}

/* What tv_layout_make asks of a thread. */
static enum tv_code settle_thread(struct chunks *c, size_t i, struct tv_error *err)
{
    struct tv_builder *b = &c->builder;
    struct tv_build_thread *thread = b->threads[i];
    struct joined *joined = &c->joined[i];
    size_t adopters = thread->adopter_count;
    size_t rows = adopters + joined->top;
    TV_TRY(tv_alloc_new(b->alloc, &thread->row_room, rows, sizeof(*thread->row_room), err));
    thread->rows = thread->row_room;
    thread->row_cap = rows;
    thread->row_count = rows;
    for (size_t row = 0; row < rows; row++) {
        thread->rows[row].count =
            joined->counts[joined->origin + row - adopters] + (row < adopters);
        thread->calls += thread->rows[row].count;
    }
    uint64_t span = 0;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        span |= (uint64_t)(thread->clock[clock].high - thread->clock[clock].first);
    thread->is_wide = span > UINT32_MAX;
    thread->fold_count = (thread->records + TV_FOLD_LEN - 1) / TV_FOLD_LEN;
    if (thread->records % TV_FOLD_LEN == 0 && thread->depth)
        thread->fold_count++;
    TV_TRY(tv_alloc_new(b->alloc, &joined->adopter_keys, adopters, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(b->alloc, &joined->adopter_offsets, adopters + 1, sizeof(uint64_t), err));
    for (size_t k = 0; k < adopters; k++) {
        const struct adopter *adopter = &joined->adopters[adopters - 1 - k];
        joined->adopter_keys[k] = adopter->key;
        joined->adopter_offsets[k] = adopter->off;
    }
    return TV_OK;
}

/* Puts the calls that began before the trace under the open ones. */
static enum tv_code prepare_path(struct chunks *c, struct tv_fill_thread *fill,
                                 const struct joined *joined, struct tv_error *err)
{
    size_t adopters = fill->build->adopter_count - fill->adopters;
    TV_TRY(tv_alloc_grow(c->builder.alloc, &fill->path, &fill->path_cap, fill->depth + adopters,
                         sizeof(*fill->path), err));
    if (fill->depth && adopters)
        memmove(fill->path + adopters, fill->path, fill->depth * sizeof(*fill->path));
    if (adopters)
        memcpy(fill->path, joined->adopter_keys, adopters * sizeof(*fill->path));
    fill->depth += adopters;
    fill->adopters = adopters;
    fill->adopter_offsets = fill->record ? NULL : joined->adopter_offsets;
    return TV_OK;
}

/* Makes levels ordinals within the thread. */
static void prepare_levels(const struct chunks *c, struct tv_fill_thread *fill)
{
    const struct tv_build_thread *build = fill->build;
    const struct tv_index_thread *out = build->out;
    size_t origin = fill->scan->exit_count + 1;
    for (size_t i = 0; i < fill->level_count; i++) {
        size_t row = fill->depth + i - origin;
        if (row >= build->row_count) /* below the root, or never reached */
            continue;
        uint64_t first = c->layout.rows[out->row_first + row].call_first - out->call_first;
        fill->levels[i].next += first + (row < build->adopter_count);
        fill->levels[i].end += first + (row < build->adopter_count);
        fill->firsts[i] = fill->levels[i].next;
    }
}

static enum tv_code prepare_fills(struct chunks *c, struct tv_error *err)
{
    for (size_t chunk = 0; chunk < c->chunk_count; chunk++) {
        for (size_t i = 0; i < c->fills[chunk].scan->thread_count; i++) {
            struct tv_fill_thread *fill = &c->fills[chunk].threads[i];
            uint32_t thread_ix = tv_map_get(&c->builder.thread_of_id, id_of(c, fill->scan));
            TV_TRY(prepare_path(c, fill, &c->joined[thread_ix], err));
            prepare_levels(c, fill);
        }
    }
    return TV_OK;
}

/* Afterwards final_node names the thread's nodes, and the chunk's own tree is gone: the first chunk
 * brings its whole tree. */
static enum tv_code join_nodes(struct chunks *c, struct tv_fill_thread *fill, struct tv_error *err)
{
    if (!fill->build->nodes.alloc) {
        fill->build->nodes = fill->nodes;
        fill->nodes = (struct tv_nodes){.alloc = NULL};
        return TV_OK;
    }
    TV_TRY(tv_alloc_new(c->builder.alloc, &fill->final_node, fill->nodes.count,
                        sizeof(*fill->final_node), err));
    fill->final_cap = fill->nodes.count;
    TV_TRY(tv_nodes_graft(&fill->build->nodes, &fill->nodes, fill->final_node, err));
    tv_nodes_release(&fill->nodes);
    return TV_OK;
}

/* Sets the duration of a call whose start stands in the columns, and adds it to the sums of its
 * node (NULL where none are kept). row, call: within the thread. */
static void close_call(struct chunks *c, const struct tv_index_thread *out, uint64_t row,
                       uint64_t call, const uint64_t end[TV_CLOCK_COUNT], struct tv_node_sums *sums)
{
    char *times = tv_block_section(c->index, TV_SECTION_TIMES);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!c->trace->has_clock[clock])
            continue;
        char *starts = times + out->time_off[2 * (size_t)clock];
        char *durations = times + out->time_off[(size_t)2 * clock + 1];
        uint64_t start = 0;
        if (out->is_wide) {
            memcpy(&start, starts + call * 8, 8);
        } else {
            uint32_t narrow;
            memcpy(&narrow, starts + call * 4, 4);
            start = narrow;
        }
        uint64_t duration = end[clock] - start;
        uint32_t narrow = (uint32_t)duration;
        if (sums)
            sums->inclusive[clock] += narrow;
        if (out->duration_len == 2)
            tv_longs_store(durations, call, duration);
        else if (out->duration_len == 4)
            memcpy(durations + call * 4, &narrow, 4);
        else
            memcpy(durations + call * 8, &duration, 8);
        if (out->duration_len == 2 && duration >= TV_LONG_DURATION &&
            !tv_longs_add(&c->layout, out->row_first + row, clock, out->call_first + call,
                          duration))
            atomic_store(&c->is_over, true);
    }
}

/* Calls that are open at the end, the last of their rows. */
static enum tv_code close_open(struct chunks *c, struct tv_build_thread *thread,
                               struct tv_error *err)
{
    const struct tv_index_thread *out = thread->out;
    struct tv_nodes *nodes = &thread->nodes;
    if (!thread->depth)
        return TV_OK;
    const uint64_t end[TV_CLOCK_COUNT] = {
        tv_layout_open_end(&c->layout, &c->builder, thread, TV_CLOCK_WALL),
        tv_layout_open_end(&c->layout, &c->builder, thread, TV_CLOCK_CPU)};
    uint64_t call = 0;
    uint32_t node = TV_FIRST_NODE;
    const size_t filled = nodes->count;
    for (size_t i = 0; i < thread->depth; i++) {
        const struct tv_index_row *row = &c->layout.rows[out->row_first + i];
        call = row->call_first + row->call_count - 1;
        TV_TRY(tv_nodes_child(nodes, node, thread->stack[i].key, TV_NO_OFFSET, &node, err));
        if (nodes->count > filled) { /* the scan saw another call open here */
            atomic_store(&c->is_over, true);
            return TV_OK;
        }
        close_call(c, out, i, call - out->call_first, end, nodes->sums ? &nodes->sums[node] : NULL);
    }
    unsigned axis = c->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    struct tv_index_fold *folds = tv_block_section(c->index, TV_SECTION_FOLDS);
    struct tv_index_fold last = {
        .longest_start = out->last[axis],
        .longest_len = out->base[axis] + end[axis] - out->last[axis],
        .longest_call = call,
        .longest_depth = (uint32_t)thread->depth - 1,
    };
    tv_fold_join(&folds[out->fold_first + out->fold_count - 1], &last);
    return TV_OK;
}

/* The chunk's long calls, behind those of chunks before; those of a row closed in their order. */
static void add_longs(struct chunks *c, const struct tv_fill_thread *thread)
{
    const struct tv_index_thread *out = thread->build->out;
    for (size_t i = 0; i < thread->long_count; i++) {
        const struct tv_long_close *close = &thread->longs[i];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            if (close->duration[clock] >= TV_LONG_DURATION &&
                !tv_longs_add(&c->layout, out->row_first + close->row, clock,
                              out->call_first + close->call, close->duration[clock]))
                atomic_store(&c->is_over, true);
        }
    }
}

static enum tv_code join_fill(struct chunks *c, size_t chunk, struct tv_error *err)
{
    struct tv_fill *fill = &c->fills[chunk];
    struct tv_index_fold *folds = tv_block_section(c->index, TV_SECTION_FOLDS);
    if (fill->code != TV_OK && err)
        *err = fill->error;
    if (fill->code != TV_OK)
        return fill->code;
    for (size_t i = 0; i < fill->scan->thread_count; i++) {
        struct tv_fill_thread *thread = &fill->threads[i];
        const struct tv_index_thread *out = thread->build->out;
        struct tv_node_sums *sums = thread->nodes.sums;
        for (size_t k = 0; k < thread->late_count; k++) {
            const struct tv_late_close *late = &thread->late[k];
            close_call(c, out, late->row, late->call, late->end,
                       sums ? &sums[thread->path[late->row]] : NULL);
        }
        TV_TRY(join_nodes(c, thread, err));
        add_longs(c, thread);
        uint64_t record = thread->record - thread->scan->records;
        if (record)
            tv_fold_join(&folds[out->fold_first + record / TV_FOLD_LEN], &thread->head);
    }
    return TV_OK;
}

/* Joins what is filled, in the order of chunks. Only one task at a time does so; one that is turned
 * away has its chunk seen to by the other, which looks once more when it has ended. */
static void join_filled(struct chunks *c)
{
    size_t next;
    do {
        if (atomic_exchange(&c->is_joining, true))
            return;
        while (c->join_code == TV_OK && c->join_next < c->chunk_count &&
               atomic_load(&c->is_filled[c->join_next]) && !atomic_load(&c->is_over)) {
            c->join_code = join_fill(c, c->join_next, &c->join_error);
            c->join_next++;
        }
        bool is_over = c->join_code != TV_OK || atomic_load(&c->is_over);
        next = is_over ? c->chunk_count : c->join_next;
        atomic_store(&c->is_joining, false);
    } while (next < c->chunk_count && atomic_load(&c->is_filled[next]));
}

/* Joining is for one at a time, so it is done while others still fill. */
static void fill_task(void *arg, size_t chunk)
{
    struct chunks *c = arg;
    if (atomic_load(&c->is_cancelled))
        return;
    if (!atomic_load(&c->is_over))
        tv_fill_chunk(&c->fills[chunk], c->trace, &c->layout, c->index);
    if (c->fills[chunk].is_odd)
        atomic_store(&c->is_over, true);
    else if (c->fills[chunk].code == TV_OK && !atomic_load(&c->is_over))
        tv_chunk_sum(&c->fills[chunk], &c->layout, c->index);
    atomic_store(&c->is_filled[chunk], true);
    join_filled(c);
    tell(c, c->scans[chunk].record_count, FILL_SHARE);
}

static enum tv_code end_fills(struct chunks *c, struct tv_error *err)
{
    c->is_odd |= atomic_load(&c->is_over);
    if (c->join_code != TV_OK && err)
        *err = c->join_error;
    if (c->join_code != TV_OK)
        return c->join_code;
    for (size_t i = 0; i < c->builder.thread_count && !c->is_odd; i++)
        TV_TRY(close_open(c, c->builder.threads[i], err));
    c->is_odd |= atomic_load(&c->is_over);
    return TV_OK;
}

static void raise_folds(struct chunks *c, size_t thread_ix)
{
    const struct tv_index_thread *out = c->builder.threads[thread_ix]->out;
    struct tv_index_fold *folds = tv_block_section(c->index, TV_SECTION_FOLDS);
    tv_folds_raise(folds + out->fold_first, out->fold_count);
}

/* What a chunk still has to do when all are joined; behind the chunks, what a thread has to. */
static void end_task(void *arg, size_t task_ix)
{
    struct chunks *c = arg;
    size_t chunk = task_ix;
    if (task_ix >= c->chunk_count) {
        raise_folds(c, task_ix - c->chunk_count);
        return;
    }
    tv_chunk_renumber(&c->fills[chunk], &c->layout, c->index);
    tv_fill_release(&c->fills[chunk]);
    tv_chunk_scan_release(&c->scans[chunk]);
}

/* Makes the columns, and tells each chunk where in them its calls go. */
static enum tv_code place(struct chunks *c, struct tv_error *err)
{
    for (size_t i = 0; i < c->builder.thread_count; i++)
        TV_TRY(settle_thread(c, i, err));
    TV_TRY(tv_layout_make(&c->layout, &c->builder, err));
    TV_TRY(tv_layout_new_columns(&c->layout, c->index, err));
    return prepare_fills(c, err);
}

static enum tv_code build(struct chunks *c, struct tv_error *err)
{
    c->pool->run(c->pool->ctx, scan_task, c, c->chunk_count);
    TV_TRY(check_cancelled(c, err));
    TV_TRY(join_scans(c, err));
    if (c->is_odd)
        return TV_OK;
    TV_TRY(place(c, err));
    c->pool->run(c->pool->ctx, fill_task, c, c->chunk_count);
    TV_TRY(check_cancelled(c, err));
    TV_TRY(end_fills(c, err));
    if (c->is_odd)
        return TV_OK;
    c->trace->format->take_fixed(c->trace);
    TV_TRY(tv_tree_number(&c->layout, &c->builder, err));
    c->pool->run(c->pool->ctx, end_task, c, c->chunk_count + c->builder.thread_count);
    return tv_tables_write(&c->layout, &c->builder, c->pool, c->index, err);
}

/* Records of the next chunk, of those that are left. */
static uint64_t chunk_len(const struct chunks *c, uint64_t left)
{
    uint64_t len = c->opts->chunk_records;
    if (!len) {
        uint64_t threads = c->pool->thread_count;
        len = threads > 1 ? left / threads * 4 / 5 : LARGEST_CHUNK;
        len = len < SMALLEST_CHUNK ? SMALLEST_CHUNK : len;
        len = len > LARGEST_CHUNK ? LARGEST_CHUNK : len;
    }
    len = len < COUNTED_RECORDS ? len : COUNTED_RECORDS;
    return len < left ? len : left;
}

static enum tv_code begin(struct chunks *c, struct tv_error *err)
{
    const struct tv_alloc *alloc = c->builder.alloc;
    uint64_t records = c->trace->fixed.count;
    size_t count = 0;
    for (uint64_t first = 0; first < records; first += chunk_len(c, records - first))
        count++;
    TV_TRY(tv_alloc_new(alloc, &c->scans, count, sizeof(*c->scans), err));
    enum tv_code code = tv_alloc_new(alloc, &c->fills, count, sizeof(*c->fills), err);
    if (code != TV_OK) {
        tv_alloc_free(alloc, c->scans, count, sizeof(*c->scans));
        c->scans = NULL;
        return code;
    }
    c->chunk_count = count;
    uint64_t first = 0;
    for (size_t i = 0; i < c->chunk_count; i++) {
        uint64_t len = chunk_len(c, records - first);
        c->scans[i] = (struct tv_chunk_scan){.alloc = alloc,
                                             .first_record = first,
                                             .small_gap = c->builder.small_gap,
                                             .record_count = len};
        c->fills[i] = (struct tv_fill){.alloc = alloc};
        first += len;
    }
    return tv_alloc_new(alloc, &c->is_filled, count, sizeof(*c->is_filled), err);
}

static void end(struct chunks *c)
{
    const struct tv_alloc *alloc = c->builder.alloc;
    for (size_t i = 0; i < c->chunk_count; i++) {
        tv_fill_release(&c->fills[i]);
        tv_chunk_scan_release(&c->scans[i]);
    }
    tv_alloc_free(alloc, c->is_filled, c->chunk_count, sizeof(*c->is_filled));
    tv_alloc_free(alloc, c->fills, c->chunk_count, sizeof(*c->fills));
    tv_alloc_free(alloc, c->scans, c->chunk_count, sizeof(*c->scans));
    for (size_t i = 0; i < c->builder.thread_count; i++) {
        struct joined *joined = &c->joined[i];
        size_t adopters = c->builder.threads[i]->adopter_count;
        tv_alloc_free(alloc, joined->counts, joined->cap, sizeof(*joined->counts));
        tv_alloc_free(alloc, joined->adopters, joined->adopter_cap, sizeof(*joined->adopters));
        tv_alloc_free(alloc, joined->adopter_keys, adopters, sizeof(uint32_t));
        tv_alloc_free(alloc, joined->adopter_offsets, adopters + 1, sizeof(uint64_t));
    }
    tv_alloc_free(alloc, c->joined, c->joined_cap, sizeof(*c->joined));
    tv_layout_release(&c->layout);
    tv_builder_release(&c->builder);
}

enum tv_code tv_chunks_build(struct tv_index *index, struct tv_trace *trace,
                             const struct tv_build_opts *opts, bool *is_odd, struct tv_error *err)
{
    struct chunks c = {.trace = trace, .opts = opts, .pool = opts->pool, .index = index};
    tv_builder_init(&c.builder, trace);
    enum tv_code code = begin(&c, err);
    if (code == TV_OK)
        code = build(&c, err);
    if (code != TV_OK || c.is_odd)
        tv_index_release(index);
    *is_odd = c.is_odd;
    end(&c);
    return code;
}
