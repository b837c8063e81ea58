/* Building an index, and looking things up in it; see index/index.h. */
#include "index/index.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/limit.h"
#include "index/build.h"
#include "index/levels.h"

/* Batches between two calls of progress. */
#define PROGRESS_BATCHES 64u
#define MEMORY_A_BYTE 64u
#define MEMORY_OF_ANY ((size_t)64 << 20)

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

static enum tv_code build(struct tv_index *index, struct tv_trace *trace,
                          const struct tv_build_opts *opts, struct tv_error *err)
{
    if (trace->fixed.count && opts->way == TV_BUILD_BEST) {
        bool is_odd;
        enum tv_code code = tv_chunks_build(index, trace, opts, &is_odd, err);
        if (code != TV_OK || !is_odd)
            return code;
    }
    return build_in_batches(index, trace, opts, err);
}

/* What any file may take (docs/performance.md). No recorder's file comes near: damaged ones, and
 * those made to, may say with each byte that a call is one deeper. */
static size_t most_memory(const struct tv_trace *trace)
{
    size_t most;
    bool fits =
        tv_size_mul(trace->len, MEMORY_A_BYTE, &most) && tv_size_add(most, MEMORY_OF_ANY, &most);
    return fits ? most : SIZE_MAX;
}

enum tv_code tv_index_build(struct tv_index *index, struct tv_trace *trace,
                            const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_build_opts given = opts ? *opts : (struct tv_build_opts){.pool = NULL};
    if (!given.pool)
        given.pool = tv_pool_serial();
    tv_index_init(index);
    struct tv_limit limit;
    tv_limit_init(&limit, trace->alloc, most_memory(trace));
    trace->alloc = &limit.alloc;
    enum tv_code code = build(index, trace, &given, err);
    trace->alloc = limit.of;
    if (index->alloc)
        index->alloc = limit.of;
    if (code != TV_ERR_MEMORY || !atomic_load(&limit.was_reached))
        return code;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "its index would take more than %u times the file, as no trace of a program "
                   "does: record it again",
                   MEMORY_A_BYTE);
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

uint64_t tv_index_first_starting_at(const struct tv_index *index, uint32_t thread_ix,
                                    uint32_t row_ix, uint64_t time)
{
    const struct tv_levels levels = tv_levels_of(index, thread_ix, row_ix);
    return tv_levels_search(&levels, time);
}

uint64_t tv_index_first_ending_after(const struct tv_index *index, uint32_t thread_ix,
                                     uint32_t row_ix, uint64_t time)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    uint64_t end = row->call_first + row->call_count;
    if (time == UINT64_MAX)
        return end;
    uint64_t call = tv_index_first_starting_at(index, thread_ix, row_ix, time + 1);
    if (call == row->call_first)
        return call;
    /* A call has ended when the next one starts. */
    enum tv_clock axis = tv_index_axis(index);
    uint64_t last_end = tv_index_start(index, thread, axis, call - 1) +
                        tv_index_duration(index, thread, axis, call - 1);
    return last_end > time ? call - 1 : call;
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
