/*
 * Chooses the builder of an index, and bounds the memory that building takes.
 *
 * The chunked builder is tried first where the format has fixed records. It leaves a trace that
 * needs the serial builder as it found it, so the serial builder can start from the first record.
 *
 * Where damaged times are too large to be added up over all threads, which only all records can
 * tell, the trace is opened and read once more, and such times are lowered. So no sum over the
 * threads of an index overflows, and nobody who adds up times has to ask.
 */
#include "index/build/build.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/limit.h"
#include "index/build/builder.h"
#include "index/build/chunks/chunks.h"
#include "index/build/records/records.h"
#include "index/memory.h"

/* Batches from one call of progress to the next. */
#define PROGRESS_BATCHES 64u

/* Gives all records of the trace to the serial builder, batch by batch. */
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

/* Builds an index with times of no more than *latest, or, where times turn out too large to be
 * added up, builds none and lowers *latest to what they may be. */
static enum tv_code build_until(int64_t *latest, struct tv_index *index, struct tv_trace *trace,
                                const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_batch *batch; /* too large for the stack */
    struct tv_builder builder;
    TV_TRY(tv_alloc_new(trace->alloc, &batch, 1, sizeof(*batch), err));
    tv_builder_init(&builder, trace);
    builder.latest = *latest;
    enum tv_code code = feed_all(&builder, batch, opts, err);
    if (code == TV_OK && tv_builder_is_too_far(&builder))
        *latest = tv_builder_latest(&builder);
    else if (code == TV_OK)
        code = tv_builder_finish(&builder, opts->pool, index, err);
    tv_builder_release(&builder);
    tv_alloc_release(trace->alloc, &batch, 1, sizeof(*batch));
    return code;
}

static enum tv_code build_serially(struct tv_index *index, struct tv_trace *trace,
                                   const struct tv_build_opts *opts, struct tv_error *err)
{
    int64_t latest = INT64_MAX;
    struct tv_trace again;
    TV_TRY(build_until(&latest, index, trace, opts, err));
    if (latest == INT64_MAX)
        return TV_OK;
    tv_trace_init(&again, trace->alloc);
    TV_TRY(tv_trace_open(&again, trace->bytes, trace->len, &trace->opts, err));
    enum tv_code code = build_until(&latest, index, &again, opts, err);
    tv_trace_release(&again);
    return code;
}

static enum tv_code build(struct tv_index *index, struct tv_trace *trace,
                          const struct tv_build_opts *opts, struct tv_error *err)
{
    if (trace->fixed.count && opts->way == TV_BUILD_BEST) {
        bool needs_serial;
        enum tv_code code = tv_chunks_build(index, trace, opts, &needs_serial, err);
        if (code != TV_OK || !needs_serial)
            return code;
    }
    return build_serially(index, trace, opts, err);
}

/* Tells of work that ended at the limit: that of any file, or a lower one that the user may lift.
 */
static enum tv_code tell_limit(const struct tv_limit *limit, enum tv_code code,
                               const struct tv_made_of *of, struct tv_error *err)
{
    char text[160] = "its index would take more than 64 times the file, as no trace of a program "
                     "does: record it again";
    if (tv_memory_is_liftable(of))
        (void)snprintf(text, sizeof(text),
                       "its index would take more than %zu MiB, which few traces of this size "
                       "need: give --unpack-all if you trust it",
                       tv_memory_of_index(of) >> 20);
    return tv_limit_tell(limit, code, text, err);
}

enum tv_code tv_index_build(struct tv_index *index, struct tv_trace *trace,
                            const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_build_opts given = opts ? *opts : (struct tv_build_opts){.pool = NULL};
    if (!given.pool)
        given.pool = tv_pool_serial();
    tv_index_init(index);
    struct tv_limit limit;
    const struct tv_made_of of = tv_trace_made_of(trace);
    tv_limit_init(&limit, trace->alloc, tv_memory_of_index(&of));
    /* No file of a recorder comes near the limit. A file that is damaged, or made to, can open a
     * call one deeper with every byte, and a row takes far more. All steps of building take their
     * allocator from the trace. The index outlives the limit, so afterwards its allocator is the
     * one behind the limit. */
    trace->alloc = &limit.alloc;
    enum tv_code code = build(index, trace, &given, err);
    trace->alloc = limit.of;
    if (index->alloc)
        index->alloc = limit.of;
    if (code == TV_OK)
        index->made_of = of;
    return tell_limit(&limit, code, &of, err);
}
