/*
 * Writes a part of a trace, and reads it back; see export/single_file/single_file_part.h.
 *
 * The part is written by the exporter of packets and built into an index like any file. So numbers
 * that the page shows without a script are those that its engine will find in the same bytes.
 */
#include "export/single_file/single_file_part.h"

#include "export/formats.h"
#include "format/trace.h"
#include "index/build/build.h"

void tv_single_file_part_init(struct tv_single_file_part *part, const struct tv_alloc *alloc)
{
    *part = (struct tv_single_file_part){.result = {.changes = {0}}};
    tv_buffer_init(&part->bytes, alloc);
    tv_index_init(&part->index);
}

void tv_single_file_part_release(struct tv_single_file_part *part)
{
    tv_index_release(&part->index);
    tv_buffer_release(&part->bytes);
}

enum tv_code tv_single_file_part_cut(struct tv_single_file_part *part, const struct tv_index *index,
                                     const struct tv_export_opts *opts, const struct tv_pool *pool,
                                     struct tv_error *err)
{
    return tv_export_run(&tv_export_packets, index, opts, part->bytes.alloc, pool,
                         tv_buffer_sink(&part->bytes), &part->result, err);
}

/* The part that was just written is read again as any trace is. The numbers in the page are then
 * those of what is inside it, and not of the trace that it was cut from. */
enum tv_code tv_single_file_part_read_back(struct tv_single_file_part *part,
                                           const struct tv_pool *pool, struct tv_error *err)
{
    const struct tv_read_opts read_opts = {.is_part = false};
    const struct tv_build_opts build_opts = {.pool = pool};
    struct tv_trace trace;
    tv_trace_init(&trace, part->bytes.alloc);
    enum tv_code code = tv_trace_open(&trace, part->bytes.bytes, part->bytes.len, &read_opts, err);
    if (code == TV_OK)
        code = tv_index_build(&part->index, &trace, &build_opts, err);
    tv_trace_release(&trace);
    return code;
}
