/* The serial way to build an index: record after record, by all rules. */
#ifndef TV_INDEX_BUILD_RECORDS_RECORDS_H
#define TV_INDEX_BUILD_RECORDS_RECORDS_H

#include "base/pool.h"
#include "index/build/builder.h"

/* Fills in the durations of the open call at `depth`, which is the last of its row. end: units
 * since the thread's first record. */
TV_INLINE void tv_build_close(const struct tv_build_thread *thread, size_t depth,
                              const uint64_t end[TV_CLOCK_COUNT])
{
    char *tail = thread->rows[depth].tail;
    if (TV_LIKELY(!thread->is_wide)) {
        struct tv_narrow_call call;
        memcpy(&call, tail, sizeof(call));
        call.time[1] = (uint32_t)end[0] - call.time[0];
        call.time[3] = (uint32_t)end[1] - call.time[2];
        memcpy(tail, &call, sizeof(call));
        return;
    }
    struct tv_wide_call call;
    memcpy(&call, tail, sizeof(call));
    call.time[1] = end[0] - call.time[0];
    call.time[3] = end[1] - call.time[2];
    memcpy(tail, &call, sizeof(call));
}

/* Adds the records of a batch, in file order. */
enum tv_code tv_builder_feed(struct tv_builder *builder, const struct tv_batch *batch,
                             struct tv_error *err) TV_MUST_CHECK;
/*
 * Ends what tv_builder_feed began: the finished block. Empties the builder's rows on the way, so
 * that nothing is held twice.
 */
enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool,
                               struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;

#endif
