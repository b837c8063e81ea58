/*
 * The serial builder: takes records one after the other, by all rules of docs/numbers.md, "Calls".
 *
 * tv_builder_feed turns records into calls, in rows of pages; tv_builder_finish ends the calls that
 * are open, and makes the block. docs/index.md, "The serial builder".
 */
#ifndef TV_INDEX_BUILD_RECORDS_RECORDS_H
#define TV_INDEX_BUILD_RECORDS_RECORDS_H

#include "base/memory/pool.h"
#include "index/build/builder.h"

/* Closes the open call at `depth`, the last one of its row: writes its durations. end: units since
 * the thread's first record, by clock. */
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

/* Takes the records of the next batch, in the order of the file. */
enum tv_code tv_builder_feed(struct tv_builder *builder, const struct tv_batch *batch,
                             struct tv_error *err) TV_MUST_CHECK;
/*
 * Makes the index when all records are taken. Releases the builder's rows, segment groups and trees
 * as soon as their contents stand in the block, so that nothing is held twice.
 */
enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool,
                               struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;

#endif
