/*
 * The threads of an index that is being built: made at their first record, released in parts.
 *
 * A file may name very many threads, so a thread starts with as little memory as can be, and each
 * part of it is released as soon as its contents stand in the block.
 */
#include "index/build/builder.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"

/* Nearly no gap of a sampled trace is shorter (docs/numbers.md, "Sampled traces"). */
#define SAMPLING_GAP_NS 100000u

void tv_build_thread_drop_groups(struct tv_build_thread *thread, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &thread->groups, thread->group_cap, sizeof(*thread->groups));
    thread->groups = thread->group = NULL;
    thread->group_cap = 0;
}

void tv_build_thread_drop_rows(struct tv_build_thread *thread, const struct tv_alloc *alloc)
{
    for (size_t i = 0; i < thread->row_count; i++)
        tv_row_release(&thread->rows[i], alloc);
    tv_alloc_release(alloc, &thread->row_room, thread->row_cap, sizeof(*thread->row_room));
    tv_alloc_release(alloc, &thread->stack, thread->stack_cap, sizeof(*thread->stack));
    thread->row_room = thread->rows = NULL;
    thread->row_count = thread->row_cap = 0;
    thread->stack = NULL;
    thread->stack_cap = 0;
}

void tv_build_thread_drop_nodes(struct tv_build_thread *thread, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &thread->final_node, thread->nodes.count, sizeof(*thread->final_node));
    thread->final_node = NULL;
    tv_nodes_release(&thread->nodes);
}

/* Works on a thread in any state, so also when adding the thread failed half-way. */
static void release_thread(struct tv_build_thread *thread, const struct tv_alloc *alloc)
{
    tv_build_thread_drop_groups(thread, alloc);
    tv_build_thread_drop_rows(thread, alloc);
    tv_build_thread_drop_nodes(thread, alloc);
    tv_alloc_release(alloc, &thread->adopting_nodes, thread->adopting_node_cap,
                     sizeof(*thread->adopting_nodes));
    if (thread->open_counts)
        tv_map_release(thread->open_counts);
    tv_alloc_release(alloc, &thread->open_counts, 1, sizeof(*thread->open_counts));
    tv_alloc_release(alloc, &thread, 1, sizeof(*thread));
}

void tv_builder_init(struct tv_builder *builder, struct tv_trace *trace)
{
    *builder = (struct tv_builder){.alloc = trace->alloc, .trace = trace, .last_ix = TV_NONE};
    builder->unknown_offset = TV_NO_OFFSET;
    builder->latest = INT64_MAX;
    /* The record loop compares ids without asking first whether there is a thread. */
    builder->no_thread.id = UINT64_MAX;
    builder->last = &builder->no_thread;
    builder->small_gap = SAMPLING_GAP_NS / trace->unit_ns;
    tv_map_init(&builder->thread_of_id, trace->alloc);
    tv_map_init(&builder->nodeless_keys, trace->alloc);
    tv_findings_init(&builder->findings);
}

/* Threads are released whatever the build has got to. */
void tv_builder_release(struct tv_builder *builder)
{
    for (size_t i = 0; i < builder->thread_count; i++)
        release_thread(builder->threads[i], builder->alloc);
    tv_alloc_release(builder->alloc, &builder->threads, builder->thread_cap,
                     sizeof(*builder->threads));
    tv_map_release(&builder->thread_of_id);
    tv_map_release(&builder->nodeless_keys);
    *builder = (struct tv_builder){.alloc = builder->alloc};
}

/* The thread is counted only when every part of it exists, so releasing the builder never meets a
 * half-made one. */
enum tv_code tv_builder_add_thread(struct tv_builder *b, uint32_t id, struct tv_build_thread **out,
                                   struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(b->alloc, &b->threads, &b->thread_cap, b->thread_count + 1,
                         sizeof(struct tv_build_thread *), err));
    struct tv_build_thread *thread;
    TV_TRY(tv_alloc_new(b->alloc, &thread, 1, sizeof(*thread), err));
    thread->id = id;
    thread->root = TV_FIRST_NODE;
    enum tv_code code = tv_nodes_init(&thread->nodes, b->alloc, err);
    if (code == TV_OK)
        code = tv_map_put(&b->thread_of_id, id, (uint32_t)b->thread_count, err);
    if (code != TV_OK) {
        release_thread(thread, b->alloc);
        return code;
    }
    b->threads[b->thread_count++] = thread;
    *out = thread;
    return TV_OK;
}

int64_t tv_builder_latest(const struct tv_builder *b)
{
    int64_t threads = b->thread_count ? (int64_t)b->thread_count : 1;
    return INT64_MAX / b->trace->unit_ns / threads;
}

bool tv_builder_is_too_far(const struct tv_builder *b)
{
    const int64_t latest = tv_builder_latest(b);
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct tv_thread_clock *clock = b->threads[i]->clock;
        if (clock[TV_CLOCK_WALL].high > latest || clock[TV_CLOCK_CPU].high > latest)
            return true;
    }
    return false;
}

void tv_builder_report_far(struct tv_builder *b, struct tv_build_thread *thread, uint64_t offset)
{
    if (!thread->is_too_far)
        tv_findings_add(&b->findings, TV_FINDING_CLOCK_TOO_FAR, 1, offset);
    thread->is_too_far = true;
}
