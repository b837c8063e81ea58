/*
 * Giving the calls of chunks their places; see index/build/chunks/chunk_builder.h.
 *
 * Now all adopting calls are known. Depth d of a thread is row d + adopting_count, and the first
 * call of each of the rows 0 to adopting_count - 1 is an adopting call. So the counts of the join
 * become the counts of rows, from which the layout follows, and slots that counted from the first
 * call of their depth get the places of their calls in the thread.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/build/chunks/chunk_builder.h"

/* Sets what tv_layout_make needs of a thread: rows with their counts, is_wide, group_count. */
static enum tv_code count_thread(struct tv_chunk_builder *chunks, size_t i, struct tv_error *err)
{
    struct tv_builder *b = &chunks->builder;
    struct tv_build_thread *thread = b->threads[i];
    struct tv_joined_thread *joined = &chunks->joined[i];
    size_t adopting = thread->adopting_count;
    size_t rows = adopting + joined->depth_count;
    TV_TRY(tv_alloc_new(b->alloc, &thread->row_room, rows, sizeof(*thread->row_room), err));
    thread->rows = thread->row_room;
    thread->row_cap = rows;
    thread->row_count = rows;
    for (size_t row = 0; row < rows; row++) {
        thread->rows[row].count =
            joined->depth_calls[joined->origin + row - adopting] + (row < adopting);
        thread->calls += thread->rows[row].count;
    }
    uint64_t span = 0; /* with a bit above 32 where any clock's span has one */
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        span |= (uint64_t)(thread->clock[clock].high - thread->clock[clock].first);
    thread->is_wide = span > UINT32_MAX;
    /* Each record ends a segment; calls that are open at the end add one more. */
    thread->group_count =
        (size_t)((thread->records + TV_SEGMENT_GROUP_LEN - 1) / TV_SEGMENT_GROUP_LEN);
    if (thread->records % TV_SEGMENT_GROUP_LEN == 0 && thread->depth)
        thread->group_count++;
    return TV_OK;
}

/* Puts the adopting calls that are open when the chunk begins below the other open calls. */
static enum tv_code prepare_open_calls(struct tv_chunk_builder *chunks,
                                       struct tv_writer_thread *writer,
                                       const struct tv_joined_thread *joined, struct tv_error *err)
{
    const size_t all = writer->build->adopting_count;
    const size_t adopting = all - writer->adopted_before;
    TV_TRY(tv_alloc_grow(chunks->builder.alloc, &writer->open_keys, &writer->open_key_cap,
                         writer->open_count + adopting, sizeof(*writer->open_keys), err));
    if (writer->open_count && adopting)
        memmove(writer->open_keys + adopting, writer->open_keys,
                writer->open_count * sizeof(*writer->open_keys));
    for (size_t k = 0; k < adopting; k++)
        writer->open_keys[k] = joined->adopting_exits[all - 1 - k].key;
    writer->open_count += adopting;
    writer->adopting_open = adopting;
    writer->adopting_exits = writer->record ? NULL : joined->adopting_exits;
    return TV_OK;
}

/* Turns slots from counts of their depth into places in the thread. */
static void prepare_slots(const struct tv_chunk_builder *chunks, struct tv_writer_thread *writer)
{
    const struct tv_build_thread *build = writer->build;
    const struct tv_index_thread *out = build->out;
    size_t origin = writer->scan->exit_count + 1;
    for (size_t i = 0; i < writer->slot_count; i++) {
        size_t row = writer->open_count + i - origin;
        if (row >= build->row_count) /* the slot below row 0, or a depth without calls */
            continue;
        uint64_t first = chunks->layout.rows[out->row_first + row].call_first - out->call_first;
        writer->slots[i].next += first + (row < build->adopting_count);
        writer->slots[i].end += first + (row < build->adopting_count);
        writer->first_calls[i] = writer->slots[i].next;
    }
}

/* Prepares all threads of all chunks for writing. */
static enum tv_code prepare_writers(struct tv_chunk_builder *chunks, struct tv_error *err)
{
    for (size_t chunk = 0; chunk < chunks->chunk_count; chunk++) {
        for (size_t i = 0; i < chunks->writers[chunk].scan->thread_count; i++) {
            struct tv_writer_thread *writer = &chunks->writers[chunk].threads[i];
            uint32_t thread_ix = tv_map_get(&chunks->builder.thread_of_id,
                                            tv_chunks_thread_id(chunks, writer->scan));
            TV_TRY(prepare_open_calls(chunks, writer, &chunks->joined[thread_ix], err));
            prepare_slots(chunks, writer);
        }
    }
    return TV_OK;
}

enum tv_code tv_chunks_place(struct tv_chunk_builder *chunks, struct tv_error *err)
{
    for (size_t i = 0; i < chunks->builder.thread_count; i++)
        TV_TRY(count_thread(chunks, i, err));
    TV_TRY(tv_layout_make(&chunks->layout, &chunks->builder, chunks->index, err));
    TV_TRY(tv_layout_new_columns(&chunks->layout, chunks->index, err));
    return prepare_writers(chunks, err);
}
