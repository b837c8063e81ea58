/*
 * An index from fixed records on all cores: chunks are scanned at once, joined in order, filled at
 * once, joined in order (chunk_scan.h, fill.h). Nothing depends on the size of a chunk, nor on
 * which is done when.
 *
 * Calls that began before the trace are known after the first join. From then on they are what they
 * are in the finished index: calls that their thread opens at its first record, outermost first. So
 * the second pass knows no special case.
 */
#include "index/build/chunks/chunks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/block.h"
#include "index/build/chunks/chunk_builder.h"
#include "index/build/chunks/chunk_nodes.h"
#include "index/build/context_tree.h"
#include "index/build/long_durations.h"
#include "index/build/tables.h"
#include "index/segment_groups.h"

/*
 * Each chunk grows trees of its own, most of which those before it have already: so chunks are as
 * large as they may be, and the last ones small, that all cores end at about the same time. The
 * largest takes a third of a second.
 */
#define SMALLEST_CHUNK ((uint64_t)1 << 18)
#define LARGEST_CHUNK ((uint64_t)1 << 24)
/* Marks of records of a chunk have 32 bits (chunk_levels.h). */
#define COUNTED_RECORDS ((uint64_t)1 << 30)
/* Shares of the work, in percent; what is left is done once all calls are in their places. */
#define SCAN_SHARE 25u
#define WRITE_SHARE 70u

/* Tells that some records have had one pass more, which has a share of the work; one task at a time
 * does so, and others go on. */
static void tell(struct tv_chunk_builder *c, uint64_t records, unsigned share)
{
    atomic_fetch_add(&c->work_done, records * share);
    if (!c->opts->progress || atomic_exchange(&c->is_telling, true))
        return;
    uint64_t percent = atomic_load(&c->work_done) / c->trace->fixed.count;
    if (!c->opts->progress(c->opts->progress_ctx, c->trace->len / 100 * percent, c->trace->len))
        atomic_store(&c->is_cancelled, true);
    atomic_store(&c->is_telling, false);
}

static enum tv_code check_cancelled(const struct tv_chunk_builder *c, struct tv_error *err)
{
    if (atomic_load(&c->is_cancelled))
        return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    return TV_OK;
}

static void scan_task(void *arg, size_t chunk)
{
    struct tv_chunk_builder *c = arg;
    if (atomic_load(&c->is_cancelled))
        return;
    tv_chunk_scan(&c->scans[chunk], c->trace);
    tell(c, c->scans[chunk].record_count, SCAN_SHARE);
}

/* Joining is for one at a time, so it is done while others still fill. */
static void write_task(void *arg, size_t chunk)
{
    struct tv_chunk_builder *c = arg;
    if (atomic_load(&c->is_cancelled))
        return;
    if (!atomic_load(&c->is_over))
        tv_chunk_write(&c->writers[chunk], c->trace, &c->layout, c->index);
    if (c->writers[chunk].needs_serial)
        atomic_store(&c->is_over, true);
    else if (c->writers[chunk].code == TV_OK && !atomic_load(&c->is_over))
        tv_chunk_sum(&c->writers[chunk], &c->layout, c->index);
    atomic_store(&c->is_written[chunk], true);
    tv_chunks_merge(c);
    tell(c, c->scans[chunk].record_count, WRITE_SHARE);
}

static enum tv_code end_writing(struct tv_chunk_builder *c, struct tv_error *err)
{
    c->needs_serial |= atomic_load(&c->is_over);
    if (c->join_code != TV_OK && err)
        *err = c->join_error;
    if (c->join_code != TV_OK)
        return c->join_code;
    for (size_t i = 0; i < c->builder.thread_count && !c->needs_serial; i++) {
        TV_TRY(tv_chunks_close_open(c, c->builder.threads[i], err));
        tv_nodes_finish(&c->builder.threads[i]->nodes);
    }
    c->needs_serial |= atomic_load(&c->is_over);
    return TV_OK;
}

static void raise_groups(struct tv_chunk_builder *c, size_t thread_ix)
{
    const struct tv_index_thread *out = c->builder.threads[thread_ix]->out;
    struct tv_index_segment_group *groups = tv_block_section(c->index, TV_SECTION_SEGMENT_GROUPS);
    tv_segment_groups_raise(groups + out->group_first, out->group_count);
}

/* What a chunk still has to do when all are joined; behind the chunks, what a thread has to. */
static void end_task(void *arg, size_t task_ix)
{
    struct tv_chunk_builder *c = arg;
    size_t chunk = task_ix;
    if (task_ix >= c->chunk_count) {
        raise_groups(c, task_ix - c->chunk_count);
        return;
    }
    tv_chunk_renumber(&c->writers[chunk], &c->layout, c->index);
    tv_chunk_writer_release(&c->writers[chunk]);
    tv_chunk_scan_release(&c->scans[chunk]);
}

static enum tv_code build(struct tv_chunk_builder *c, struct tv_error *err)
{
    c->pool->run(c->pool->ctx, scan_task, c, c->chunk_count);
    TV_TRY(check_cancelled(c, err));
    TV_TRY(tv_chunks_join_scans(c, err));
    if (c->needs_serial)
        return TV_OK;
    TV_TRY(tv_chunks_place(c, err));
    c->pool->run(c->pool->ctx, write_task, c, c->chunk_count);
    TV_TRY(check_cancelled(c, err));
    TV_TRY(end_writing(c, err));
    if (c->needs_serial)
        return TV_OK;
    c->trace->format->take_fixed(c->trace);
    TV_TRY(tv_context_tree_number(&c->layout, &c->builder, err));
    c->pool->run(c->pool->ctx, end_task, c, c->chunk_count + c->builder.thread_count);
    return tv_tables_write(&c->layout, &c->builder, c->pool, c->index, err);
}

/* Records of the next chunk, of those that are left. */
static uint64_t chunk_len(const struct tv_chunk_builder *c, uint64_t left)
{
    uint64_t len = c->opts->chunk_records;
    if (!len) {
        uint64_t threads = c->pool->thread_count;
        len = threads > 1 ? left / threads * 4 / 5 : LARGEST_CHUNK;
        len = len < SMALLEST_CHUNK ? SMALLEST_CHUNK : len;
        len = len > LARGEST_CHUNK ? LARGEST_CHUNK : len;
    }
    len = len < COUNTED_RECORDS ? len : COUNTED_RECORDS;
    return len < left ? len : left;
}

static enum tv_code begin(struct tv_chunk_builder *c, struct tv_error *err)
{
    const struct tv_alloc *alloc = c->builder.alloc;
    uint64_t records = c->trace->fixed.count;
    size_t count = 0;
    for (uint64_t first = 0; first < records; first += chunk_len(c, records - first))
        count++;
    TV_TRY(tv_alloc_new(alloc, &c->scans, count, sizeof(*c->scans), err));
    enum tv_code code = tv_alloc_new(alloc, &c->writers, count, sizeof(*c->writers), err);
    if (code != TV_OK) {
        tv_alloc_free(alloc, c->scans, count, sizeof(*c->scans));
        c->scans = NULL;
        return code;
    }
    c->chunk_count = count;
    uint64_t first = 0;
    for (size_t i = 0; i < c->chunk_count; i++) {
        uint64_t len = chunk_len(c, records - first);
        c->scans[i] = (struct tv_chunk_scan){.alloc = alloc,
                                             .first_record = first,
                                             .small_gap = c->builder.small_gap,
                                             .record_count = len};
        c->writers[i] = (struct tv_chunk_writer){.alloc = alloc};
        first += len;
    }
    return tv_alloc_new(alloc, &c->is_written, count, sizeof(*c->is_written), err);
}

static void end(struct tv_chunk_builder *c)
{
    const struct tv_alloc *alloc = c->builder.alloc;
    for (size_t i = 0; i < c->chunk_count; i++) {
        tv_chunk_writer_release(&c->writers[i]);
        tv_chunk_scan_release(&c->scans[i]);
    }
    tv_alloc_free(alloc, c->is_written, c->chunk_count, sizeof(*c->is_written));
    tv_alloc_free(alloc, c->writers, c->chunk_count, sizeof(*c->writers));
    tv_alloc_free(alloc, c->scans, c->chunk_count, sizeof(*c->scans));
    for (size_t i = 0; i < c->builder.thread_count; i++) {
        struct tv_joined_thread *joined = &c->joined[i];
        tv_alloc_free(alloc, joined->counts, joined->cap, sizeof(*joined->counts));
        tv_alloc_free(alloc, joined->adopting_exits, joined->adopting_exit_cap,
                      sizeof(*joined->adopting_exits));
    }
    tv_alloc_free(alloc, c->joined, c->joined_cap, sizeof(*c->joined));
    tv_layout_release(&c->layout);
    tv_builder_release(&c->builder);
}

enum tv_code tv_chunks_build(struct tv_index *index, struct tv_trace *trace,
                             const struct tv_build_opts *opts, bool *needs_serial,
                             struct tv_error *err)
{
    struct tv_chunk_builder c = {.trace = trace, .opts = opts, .pool = opts->pool, .index = index};
    tv_builder_init(&c.builder, trace);
    enum tv_code code = begin(&c, err);
    if (code == TV_OK)
        code = build(&c, err);
    if (code != TV_OK || c.needs_serial)
        tv_index_release(index);
    *needs_serial = c.needs_serial;
    end(&c);
    return code;
}
