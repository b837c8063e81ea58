/*
 * The end of the way through match.c: open calls are closed, and rows copied into columns.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/build.h"
#include "index/folds.h"
#include "index/tree.h"

/* The fold being filled becomes the last one; calls that are still open will add a segment to it.
 */
static enum tv_code end_folds(const struct tv_builder *b, struct tv_build_thread *thread,
                              struct tv_error *err)
{
    if (!thread->fold.segments && !thread->depth)
        return TV_OK;
    if (!thread->fold_cap) { /* most threads of a file that names very many have one */
        TV_TRY(tv_alloc_new(b->alloc, &thread->folds, 1, sizeof(*thread->folds), err));
        thread->fold_cap = 1;
    }
    TV_TRY(tv_alloc_grow(b->alloc, &thread->folds, &thread->fold_cap, thread->fold_count + 1,
                         sizeof(*thread->folds), err));
    thread->folds[thread->fold_count++] = thread->fold;
    return TV_OK;
}

/* Adds the time from the last record to the end as a segment of the call on top. */
static void end_last_segment(struct tv_build_thread *thread, uint64_t axis_end)
{
    struct tv_build_fold *fold = &thread->folds[thread->fold_count - 1];
    uint64_t len = axis_end - thread->segment_start;
    if (fold->longest_depth != TV_NONE && len <= fold->longest_len)
        return;
    fold->longest_len = len;
    fold->longest_start = thread->segment_start;
    fold->longest_depth = (uint32_t)thread->depth - 1;
    fold->longest_epoch = (uint32_t)thread->adopter_count;
    fold->longest_ordinal = thread->rows[thread->depth - 1].count - 1;
}

static void close_thread(const struct tv_layout *layout, const struct tv_builder *b,
                         struct tv_build_thread *thread)
{
    enum tv_clock axis = b->trace->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    if (!thread->depth)
        return;
    const uint64_t end[TV_CLOCK_COUNT] = {tv_layout_open_end(layout, b, thread, TV_CLOCK_WALL),
                                          tv_layout_open_end(layout, b, thread, TV_CLOCK_CPU)};
    for (size_t i = 0; i < thread->depth; i++)
        tv_build_close(thread, i, end);
    end_last_segment(thread, end[axis] + (uint64_t)thread->clock[axis].first);
}

static void write_folds(const struct tv_layout *layout, const struct tv_builder *b,
                        struct tv_index *index)
{
    struct tv_index_fold *folds = tv_block_section(index, TV_SECTION_FOLDS);
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct tv_build_thread *thread = b->threads[i];
        const struct tv_index_row *rows =
            layout->rows ? layout->rows + thread->out->row_first : NULL; /* without any call */
        uint64_t multiple = b->trace->has_clock[TV_CLOCK_WALL] ? thread->wall_multiple : 0;
        tv_folds_write(thread, rows, multiple, folds + thread->out->fold_first);
    }
}

static enum tv_code finish(struct tv_layout *layout, struct tv_builder *builder,
                           const struct tv_pool *pool, struct tv_index *index, struct tv_error *err)
{
    for (size_t i = 0; i < builder->thread_count; i++)
        TV_TRY(end_folds(builder, builder->threads[i], err));
    TV_TRY(tv_layout_make(layout, builder, err));
    for (size_t i = 0; i < builder->thread_count; i++)
        close_thread(layout, builder, builder->threads[i]);
    for (size_t i = 0; i < builder->thread_count; i++)
        tv_nodes_finish(&builder->threads[i]->nodes);
    TV_TRY(tv_tree_number(layout, builder, err));
    TV_TRY(tv_layout_new_columns(layout, builder, index, err));
    tv_rows_copy(layout, builder, pool, index);
    write_folds(layout, builder, index);
    for (size_t i = 0; i < builder->thread_count; i++)
        tv_build_thread_drop_rows(builder->threads[i], builder->alloc);
    return tv_tables_write(layout, builder, pool, index, err);
}

enum tv_code tv_builder_finish(struct tv_builder *builder, const struct tv_pool *pool,
                               struct tv_index *index, struct tv_error *err)
{
    struct tv_layout layout = {.alloc = NULL};
    enum tv_code code = finish(&layout, builder, pool, index, err);
    if (code != TV_OK)
        tv_index_release(index);
    tv_layout_release(&layout);
    return code;
}
