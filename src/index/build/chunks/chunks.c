/*
 * The phases of the chunked builder, in their order: all chunks are scanned (chunk_scan.h), joined
 * and placed by one thread (chunk_builder.h), written (chunk_write.h) while earlier ones are
 * merged, and renumbered (chunk_nodes.h). Nothing in the index depends on the size of a chunk, or
 * on the order in which tasks end. docs/index.md, "The chunked builder".
 *
 * The adopting calls of a thread are known after the join. From then on they are calls that their
 * thread opens at its first record, as in the finished index, so the second reading has no special
 * case for them.
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
 * Records of a chunk. Each chunk grows trees of its own, most nodes of which earlier chunks have
 * too: so chunks are large, but become smaller towards the end of the trace, so that all cores end
 * at about the same time. The largest chunk takes a third of a second, which is how
 * long cancelling may take.
 */
#define SMALLEST_CHUNK ((uint64_t)1 << 18)
#define LARGEST_CHUNK ((uint64_t)1 << 24)
/* The most records of a chunk: marks of records have 32 bits (chunk_depths.h). */
#define COUNTED_RECORDS ((uint64_t)1 << 30)
/* Shares of the work for progress, in percent. The rest is for what follows when calls are in their
 * places. */
#define SCAN_SHARE 25u
#define WRITE_SHARE 70u

/* Reports that one more phase, with its share of the work, is done for some records. Only one task
 * at a time calls progress; others go on at once. */
static void report_progress(struct tv_chunk_builder *chunks, uint64_t records, unsigned share)
{
    atomic_fetch_add(&chunks->work_done, records * share);
    if (!chunks->opts->progress || atomic_exchange(&chunks->is_reporting, true))
        return;
    uint64_t percent = atomic_load(&chunks->work_done) / chunks->trace->fixed.count;
    if (!chunks->opts->progress(chunks->opts->progress_ctx, chunks->trace->len / 100 * percent,
                                chunks->trace->len))
        atomic_store(&chunks->is_cancelled, true);
    atomic_store(&chunks->is_reporting, false);
}

static enum tv_code check_cancelled(const struct tv_chunk_builder *chunks, struct tv_error *err)
{
    if (atomic_load(&chunks->is_cancelled))
        return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    return TV_OK;
}

/* Scans one chunk. */
static void scan_task(void *arg, size_t chunk)
{
    struct tv_chunk_builder *chunks = arg;
    if (atomic_load(&chunks->is_cancelled))
        return;
    tv_chunk_scan(&chunks->scans[chunk], chunks->trace);
    report_progress(chunks, chunks->scans[chunk].record_count, SCAN_SHARE);
}

/* Writes one chunk and adds it up, and merges the chunks that are ready: one task merges at a time,
 * while others write. */
static void write_task(void *arg, size_t chunk)
{
    struct tv_chunk_builder *chunks = arg;
    if (atomic_load(&chunks->is_cancelled))
        return;
    if (!atomic_load(&chunks->has_given_up))
        tv_chunk_write(&chunks->writers[chunk], chunks->trace, &chunks->layout, chunks->index);
    if (chunks->writers[chunk].needs_serial)
        atomic_store(&chunks->has_given_up, true);
    else if (chunks->writers[chunk].code == TV_OK && !atomic_load(&chunks->has_given_up))
        tv_chunk_sum(&chunks->writers[chunk], &chunks->layout, chunks->index);
    atomic_store(&chunks->is_written[chunk], true);
    tv_chunks_merge(chunks);
    report_progress(chunks, chunks->scans[chunk].record_count, WRITE_SHARE);
}

/* Ends the second reading: closes the calls that are open at the end, unless the builder has given
 * up. */
static enum tv_code finish_writing(struct tv_chunk_builder *chunks, struct tv_error *err)
{
    chunks->needs_serial |= atomic_load(&chunks->has_given_up);
    if (chunks->merge_code != TV_OK && err)
        *err = chunks->merge_error;
    if (chunks->merge_code != TV_OK)
        return chunks->merge_code;
    for (size_t i = 0; i < chunks->builder.thread_count && !chunks->needs_serial; i++) {
        TV_TRY(tv_chunks_close_open_calls(chunks, chunks->builder.threads[i], err));
        tv_nodes_finish(&chunks->builder.threads[i]->nodes);
    }
    chunks->needs_serial |= atomic_load(&chunks->has_given_up);
    return TV_OK;
}

/* Writes the levels above the segment groups of one thread. */
static void add_group_levels(struct tv_chunk_builder *chunks, size_t thread_ix)
{
    const struct tv_index_thread *out = chunks->builder.threads[thread_ix]->out;
    struct tv_index_segment_group *groups =
        tv_block_section(chunks->index, TV_SECTION_SEGMENT_GROUPS);
    tv_segment_groups_add_levels(groups + out->group_first, out->group_count);
}

/* Renumbers the calls of one chunk, and releases the chunk; behind the chunks, tasks are threads,
 * which get the levels above their segment groups. */
static void finish_task(void *arg, size_t task_ix)
{
    struct tv_chunk_builder *chunks = arg;
    size_t chunk = task_ix;
    if (task_ix >= chunks->chunk_count) {
        add_group_levels(chunks, task_ix - chunks->chunk_count);
        return;
    }
    tv_chunk_renumber(&chunks->writers[chunk], &chunks->layout, chunks->index);
    tv_chunk_writer_release(&chunks->writers[chunk]);
    tv_chunk_scan_release(&chunks->scans[chunk]);
}

/* Joining or writing may find that the trace needs the serial builder; nothing more is done then.
 */
static enum tv_code build(struct tv_chunk_builder *chunks, struct tv_error *err)
{
    chunks->pool->run(chunks->pool->ctx, scan_task, chunks, chunks->chunk_count);
    TV_TRY(check_cancelled(chunks, err));
    TV_TRY(tv_chunks_join_scans(chunks, err));
    if (chunks->needs_serial)
        return TV_OK;
    TV_TRY(tv_chunks_place(chunks, err));
    chunks->pool->run(chunks->pool->ctx, write_task, chunks, chunks->chunk_count);
    TV_TRY(check_cancelled(chunks, err));
    TV_TRY(finish_writing(chunks, err));
    if (chunks->needs_serial)
        return TV_OK;
    /* The reader never gave out records; its state and findings must be as if it had. */
    chunks->trace->format->skip_fixed(chunks->trace);
    TV_TRY(tv_context_tree_number(&chunks->layout, &chunks->builder, err));
    chunks->pool->run(chunks->pool->ctx, finish_task, chunks,
                      chunks->chunk_count + chunks->builder.thread_count);
    return tv_tables_write(&chunks->layout, &chunks->builder, chunks->pool, chunks->index, err);
}

/* Records of the next chunk, when `left` are left: a fair share for each core, less a fifth. */
static uint64_t chunk_len(const struct tv_chunk_builder *chunks, uint64_t left)
{
    uint64_t len = chunks->opts->chunk_records;
    if (!len) {
        uint64_t threads = chunks->pool->thread_count;
        len = threads > 1 ? left / threads * 4 / 5 : LARGEST_CHUNK;
        len = len < SMALLEST_CHUNK ? SMALLEST_CHUNK : len;
        len = len > LARGEST_CHUNK ? LARGEST_CHUNK : len;
    }
    len = len < COUNTED_RECORDS ? len : COUNTED_RECORDS;
    return len < left ? len : left;
}

/* Counts the chunks before it makes them, because their lengths shrink towards the end of the
 * trace. */
static enum tv_code make_chunks(struct tv_chunk_builder *chunks, struct tv_error *err)
{
    const struct tv_alloc *alloc = chunks->builder.alloc;
    uint64_t records = chunks->trace->fixed.count;
    size_t count = 0;
    for (uint64_t first = 0; first < records; first += chunk_len(chunks, records - first))
        count++;
    TV_TRY(tv_alloc_new(alloc, &chunks->scans, count, sizeof(*chunks->scans), err));
    enum tv_code code = tv_alloc_new(alloc, &chunks->writers, count, sizeof(*chunks->writers), err);
    if (code != TV_OK) {
        tv_alloc_release(alloc, &chunks->scans, count, sizeof(*chunks->scans));
        chunks->scans = NULL;
        return code;
    }
    chunks->chunk_count = count;
    uint64_t first = 0;
    for (size_t i = 0; i < chunks->chunk_count; i++) {
        uint64_t len = chunk_len(chunks, records - first);
        chunks->scans[i] = (struct tv_chunk_scan){.alloc = alloc,
                                                  .first_record = first,
                                                  .small_gap = chunks->builder.small_gap,
                                                  .record_count = len};
        chunks->writers[i] = (struct tv_chunk_writer){.alloc = alloc};
        first += len;
    }
    return tv_alloc_new(alloc, &chunks->is_written, count, sizeof(*chunks->is_written), err);
}

/* Chunks that have been renumbered are released already; to release one again does nothing. */
static void release(struct tv_chunk_builder *chunks)
{
    const struct tv_alloc *alloc = chunks->builder.alloc;
    for (size_t i = 0; i < chunks->chunk_count; i++) {
        tv_chunk_writer_release(&chunks->writers[i]);
        tv_chunk_scan_release(&chunks->scans[i]);
    }
    tv_alloc_release(alloc, &chunks->is_written, chunks->chunk_count, sizeof(*chunks->is_written));
    tv_alloc_release(alloc, &chunks->writers, chunks->chunk_count, sizeof(*chunks->writers));
    tv_alloc_release(alloc, &chunks->scans, chunks->chunk_count, sizeof(*chunks->scans));
    for (size_t i = 0; i < chunks->builder.thread_count; i++) {
        struct tv_joined_thread *joined = &chunks->joined[i];
        tv_alloc_release(alloc, &joined->depth_calls, joined->cap, sizeof(*joined->depth_calls));
        tv_alloc_release(alloc, &joined->adopting_exits, joined->adopting_exit_cap,
                         sizeof(*joined->adopting_exits));
    }
    tv_alloc_release(alloc, &chunks->joined, chunks->joined_cap, sizeof(*chunks->joined));
    tv_layout_release(&chunks->layout);
    tv_builder_release(&chunks->builder);
}

/* Until all calls are written the trace itself is not moved on, so the serial builder can still
 * take it from its first record. */
enum tv_code tv_chunks_build(struct tv_index *index, struct tv_trace *trace,
                             const struct tv_build_opts *opts, bool *needs_serial,
                             struct tv_error *err)
{
    struct tv_chunk_builder chunks = {
        .trace = trace, .opts = opts, .pool = opts->pool, .index = index};
    tv_builder_init(&chunks.builder, trace);
    enum tv_code code = make_chunks(&chunks, err);
    if (code == TV_OK)
        code = build(&chunks, err);
    if (code != TV_OK || chunks.needs_serial)
        tv_index_release(index);
    *needs_serial = chunks.needs_serial;
    release(&chunks);
    return code;
}
