/*
 * The calls of all threads as enters and exits in the order of time: the walks of
 * export/walk/call_walk.h, merged. Of events at one moment those of the earlier thread come first,
 * each thread's in their own order.
 */
#ifndef TV_EXPORT_TRACE_MERGED_WALK_H
#define TV_EXPORT_TRACE_MERGED_WALK_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "export/export_context.h"
#include "export/walk/call_walk.h"

struct tv_merged_walk_thread;

struct tv_merged_walk {
    const struct tv_alloc *alloc;
    enum tv_clock axis;
    struct tv_merged_walk_thread *threads; /* one per position among the threads of the export */
    uint32_t thread_count;
    uint32_t *heap; /* positions of threads with events left, the one with the next event first */
    uint32_t heap_len;
};

void tv_merged_walk_init(struct tv_merged_walk *walk, const struct tv_alloc *alloc);
void tv_merged_walk_release(struct tv_merged_walk *walk);
enum tv_code tv_merged_walk_begin(struct tv_merged_walk *walk,
                                  const struct tv_export_context *context,
                                  struct tv_error *err) TV_MUST_CHECK;
/* The next event, and the position of its thread. */
void tv_merged_walk_next(struct tv_merged_walk *walk, struct tv_call_event *event,
                         uint32_t *position);

#endif
