/*
 * Walks over threads, merged by a heap; see export/trace/merged_walk.h.
 *
 * Each thread has a walk of its own and the event that comes next in it. The heap orders the
 * threads by the time of that event; of equal times the thread with the lower position comes first,
 * so the output does not depend on how the heap was built.
 */
#include "export/trace/merged_walk.h"

#include "base/error.h"

struct tv_merged_walk_thread {
    struct tv_call_walk walk;
    struct tv_call_event event; /* the next one */
    uint64_t time_ns;           /* of the event, on the axis clock */
};

void tv_merged_walk_init(struct tv_merged_walk *walk, const struct tv_alloc *alloc)
{
    *walk = (struct tv_merged_walk){.alloc = alloc};
}

void tv_merged_walk_release(struct tv_merged_walk *walk)
{
    for (uint32_t i = 0; walk->threads && i < walk->thread_count; i++)
        tv_call_walk_release(&walk->threads[i].walk);
    tv_alloc_release(walk->alloc, &walk->threads, walk->thread_count, sizeof(*walk->threads));
    tv_alloc_release(walk->alloc, &walk->heap, walk->thread_count, sizeof(*walk->heap));
    walk->thread_count = walk->heap_len = 0;
}

static void step(struct tv_merged_walk *walk, struct tv_merged_walk_thread *thread)
{
    tv_call_walk_next(&thread->walk, &thread->event);
    if (thread->event.kind != TV_CALL_END)
        thread->time_ns = thread->event.kind == TV_CALL_ENTER ? thread->event.start_ns[walk->axis]
                                                              : thread->event.end_ns[walk->axis];
}

static bool comes_before(const struct tv_merged_walk *walk, uint32_t a, uint32_t b)
{
    uint64_t time_a = walk->threads[a].time_ns, time_b = walk->threads[b].time_ns;
    return time_a != time_b ? time_a < time_b : a < b;
}

/* Moves the position at `at` down to its place below. */
static void sink(struct tv_merged_walk *walk, uint32_t at)
{
    const uint32_t position = walk->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= walk->heap_len)
            break;
        if (child + 1 < walk->heap_len &&
            comes_before(walk, walk->heap[child + 1], walk->heap[child]))
            child++;
        if (!comes_before(walk, walk->heap[child], position))
            break;
        walk->heap[at] = walk->heap[child];
        at = child;
    }
    walk->heap[at] = position;
}

/* All walks are made ready to be released before the first one begins, so a failure in the middle
 * can release them all. */
enum tv_code tv_merged_walk_begin(struct tv_merged_walk *walk,
                                  const struct tv_export_context *context, struct tv_error *err)
{
    uint32_t count = tv_export_context_thread_count(context);
    tv_merged_walk_release(walk);
    walk->axis = tv_index_axis(context->index);
    walk->thread_count = count;
    TV_TRY(tv_alloc_new(walk->alloc, &walk->threads, count, sizeof(*walk->threads), err));
    TV_TRY(tv_alloc_new(walk->alloc, &walk->heap, count, sizeof(*walk->heap), err));
    for (uint32_t i = 0; i < count; i++)
        tv_call_walk_init(&walk->threads[i].walk, walk->alloc);
    for (uint32_t i = 0; i < count; i++) {
        struct tv_merged_walk_thread *thread = &walk->threads[i];
        uint32_t thread_ix = tv_export_context_thread(context, i);
        if (thread_ix == TV_NONE)
            continue;
        TV_TRY(tv_call_walk_begin(&thread->walk, context, thread_ix, err));
        step(walk, thread);
        if (thread->event.kind != TV_CALL_END)
            walk->heap[walk->heap_len++] = i;
    }
    for (uint32_t i = walk->heap_len / 2; i-- > 0;)
        sink(walk, i);
    return TV_OK;
}

/* The heap has one place for each thread that has events left, the earliest on top. The thread that
 * gave the event takes its next one and sinks to its new place. */
void tv_merged_walk_next(struct tv_merged_walk *walk, struct tv_call_event *event,
                         uint32_t *position)
{
    event->kind = TV_CALL_END;
    if (!walk->heap_len)
        return;
    *position = walk->heap[0];
    struct tv_merged_walk_thread *thread = &walk->threads[*position];
    *event = thread->event;
    step(walk, thread);
    if (thread->event.kind == TV_CALL_END)
        walk->heap[0] = walk->heap[--walk->heap_len];
    if (walk->heap_len)
        sink(walk, 0);
}
