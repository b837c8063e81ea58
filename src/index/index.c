/* Building an index, and looking things up in it; see index/index.h. */
#include "index/index.h"

#include "base/alloc.h"
#include "base/error.h"
#include "index/build.h"

/* Batches between two calls of progress. */
#define PROGRESS_BATCHES 64u

static enum tv_code feed_all(struct tv_builder *builder, struct tv_batch *batch,
                             const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_trace *trace = builder->trace;
    for (uint64_t i = 0;; i++) {
        TV_TRY(tv_trace_next(trace, batch, err));
        if (!batch->count)
            return TV_OK;
        TV_TRY(tv_builder_feed(builder, batch, err));
        if (opts->progress && i % PROGRESS_BATCHES == 0 &&
            !opts->progress(opts->progress_ctx, tv_batch_offset(batch, batch->count - 1),
                            trace->len))
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    }
}

static enum tv_code build_in_batches(struct tv_index *index, struct tv_trace *trace,
                                     const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_batch *batch;
    struct tv_builder builder;
    TV_TRY(tv_alloc_new(trace->alloc, &batch, 1, sizeof(*batch), err));
    tv_builder_init(&builder, trace);
    enum tv_code code = feed_all(&builder, batch, opts, err);
    if (code == TV_OK)
        code = tv_builder_finish(&builder, opts->pool, index, err);
    tv_builder_release(&builder);
    tv_alloc_free(trace->alloc, batch, 1, sizeof(*batch));
    return code;
}

enum tv_code tv_index_build(struct tv_index *index, struct tv_trace *trace,
                            const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_build_opts given = opts ? *opts : (struct tv_build_opts){.pool = NULL};
    if (!given.pool)
        given.pool = tv_pool_serial();
    tv_index_init(index);
    if (trace->fixed.count && given.way == TV_BUILD_BEST) {
        bool is_odd;
        enum tv_code code = tv_chunks_build(index, trace, &given, &is_odd, err);
        if (code != TV_OK || !is_odd)
            return code;
    }
    return build_in_batches(index, trace, &given, err);
}

/* Place of the first of the thread's long calls from `call` on. */
static uint64_t find_long(const struct tv_index *index, const struct tv_index_thread *thread,
                          enum tv_clock clock, uint64_t call)
{
    uint64_t low = thread->long_first[clock];
    uint64_t high = low + thread->long_count[clock];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (index->longs[middle].call < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t tv_index_long_duration(const struct tv_index *index, const struct tv_index_thread *thread,
                                enum tv_clock clock, uint64_t call)
{
    uint64_t place = find_long(index, thread, clock, call);
    bool is_listed = place < thread->long_first[clock] + thread->long_count[clock] &&
                     index->longs[place].call == call;
    return is_listed ? index->longs[place].duration : TV_LONG_DURATION;
}

struct tv_index_longs tv_index_longs_of(const struct tv_index *index,
                                        const struct tv_index_thread *thread, enum tv_clock clock,
                                        uint64_t first, uint64_t end)
{
    uint64_t from = find_long(index, thread, clock, first);
    uint64_t to = find_long(index, thread, clock, end);
    return (struct tv_index_longs){.at = index->longs + from, .count = to - from};
}

/* Parts that a stretch is cut into at once. Their borders are read together, so that one wait for
 * memory is for all of them. */
#define PARTS 8u

/* How many of the borders first + step, first + 2 step ... below `end` start before `time`. */
static uint64_t borders_before(const struct tv_index *index, const struct tv_index_thread *thread,
                               uint64_t first, uint64_t end, uint64_t step, uint64_t time)
{
    enum tv_clock axis = tv_index_axis(index);
    uint64_t before = 0;
    for (uint64_t i = 1; i <= PARTS; i++) {
        uint64_t at = first + i * step;
        before += at < end && tv_index_start(index, thread, axis, at) < time;
    }
    return before;
}

/* The first call of (low, high) that starts at or after `time`, or high; low starts before it. */
static uint64_t search_between(const struct tv_index *index, const struct tv_index_thread *thread,
                               uint64_t low, uint64_t high, uint64_t time)
{
    while (high - low > 1) {
        uint64_t step = (high - low + PARTS - 1) / PARTS;
        low += step * borders_before(index, thread, low, high, step, time);
        high = low + step < high ? low + step : high;
    }
    return high;
}

uint64_t tv_index_search_start(const struct tv_index *index, const struct tv_index_thread *thread,
                               uint64_t first, uint64_t end, uint64_t time)
{
    if (first >= end || tv_index_start(index, thread, tv_index_axis(index), first) >= time)
        return first;
    return search_between(index, thread, first, end, time);
}

uint64_t tv_index_skip_to(const struct tv_index *index, const struct tv_index_thread *thread,
                          uint64_t first, uint64_t end, uint64_t time, uint64_t hint)
{
    uint64_t low = first; /* starts before `time` */
    uint64_t step = hint / (PARTS / 2) + 1;
    uint64_t before = borders_before(index, thread, low, end, step, time);
    for (; before == PARTS; step *= PARTS) {
        low += PARTS * step;
        before = borders_before(index, thread, low, end, step * PARTS, time);
    }
    low += before * step;
    return search_between(index, thread, low, end - low > step ? low + step : end, time);
}

uint64_t tv_index_first_ending_after(const struct tv_index *index, uint32_t thread_ix,
                                     uint32_t row_ix, uint64_t time)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    uint64_t end = row->call_first + row->call_count;
    if (time == UINT64_MAX)
        return end;
    uint64_t call = tv_index_search_start(index, thread, row->call_first, end, time + 1);
    if (call == row->call_first)
        return call;
    /* A call has ended when the next one starts. */
    enum tv_clock axis = tv_index_axis(index);
    uint64_t last_end = tv_index_start(index, thread, axis, call - 1) +
                        tv_index_duration(index, thread, axis, call - 1);
    return last_end > time ? call - 1 : call;
}

uint64_t tv_index_first_starting_at(const struct tv_index *index, uint32_t thread_ix,
                                    uint32_t row_ix, uint64_t time)
{
    const struct tv_index_row *row = &index->rows[row_ix];
    return tv_index_search_start(index, &index->threads[thread_ix], row->call_first,
                                 row->call_first + row->call_count, time);
}

/* A call and its duration; with len 0 and call UINT64_MAX none yet. */
struct long_call {
    uint64_t call;
    uint64_t len;
};

static struct long_call long_call_of(const struct tv_index *index,
                                     const struct tv_index_thread *thread, uint64_t call)
{
    return (struct long_call){call, tv_index_duration(index, thread, tv_index_axis(index), call)};
}

/* Where the next level of a row begins, and how many entries this one has. */
struct level {
    const uint32_t *at; /* NULL: the calls themselves */
    uint64_t count;
};

static struct level level_above(const struct tv_index *index, const struct tv_index_row *row,
                                struct level level)
{
    struct level above = {.at =
                              level.at ? level.at + level.count : index->levels + row->level_first,
                          .count = (level.count + TV_LEVEL_FANOUT - 1) / TV_LEVEL_FANOUT};
    return above;
}

uint64_t tv_index_longest(const struct tv_index *index, uint32_t thread_ix, uint32_t row_ix,
                          uint64_t from, uint64_t to)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    uint64_t low = from - row->call_first;
    uint64_t high = to - row->call_first;
    struct long_call left = long_call_of(index, thread, from);
    struct long_call right = {UINT64_MAX, 0};
    struct level level = {.at = NULL, .count = row->call_count};
    while (low < high) {
        /* The ends that do not fill an entry of the level above are looked at one by one. */
        bool has_above = row->call_count > TV_LEVEL_FANOUT && level.count > TV_LEVEL_FANOUT;
        while (low < high && (low % TV_LEVEL_FANOUT || !has_above)) {
            uint64_t call = row->call_first + (level.at ? level.at[low] : low);
            struct long_call next = long_call_of(index, thread, call);
            left = next.len > left.len ? next : left;
            low++;
        }
        while (low < high && high % TV_LEVEL_FANOUT) {
            high--;
            uint64_t call = row->call_first + (level.at ? level.at[high] : high);
            struct long_call next = long_call_of(index, thread, call);
            right = next.len >= right.len ? next : right;
        }
        level = level_above(index, row, level);
        low /= TV_LEVEL_FANOUT;
        high /= TV_LEVEL_FANOUT;
    }
    return right.len > left.len ? right.call : left.call;
}

uint32_t tv_index_thread_of_id(const struct tv_index *index, uint32_t id)
{
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].id == id)
            return i;
    }
    return TV_NONE;
}

uint32_t tv_index_method_of_id(const struct tv_index *index, uint64_t id)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (index->methods[i].id == id)
            return i;
    }
    return TV_NONE;
}

struct tv_str tv_index_thread_name(const struct tv_index *index, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    return tv_index_text(index, thread->name_off, thread->name_len);
}
