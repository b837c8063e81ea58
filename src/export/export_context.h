/*
 * What a format gets: the index, what of it is shown, the names, and where to write.
 *
 * Formats of single calls walk over each thread (export/walk/call_walk.h). Formats of stacks read
 * `sums`, which are those of the scope: after match, hide and levels, with `parent` leading to the
 * nearest caller that is shown. Nodes that are not touched (tv_sums_is_touched) are not shown.
 */
#ifndef TV_EXPORT_EXPORT_CONTEXT_H
#define TV_EXPORT_EXPORT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/question/scope.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "base/text/out.h"
#include "base/units.h"
#include "export/export.h"
#include "export/names.h"
#include "index/index.h"

/* The most levels of formats that write out each node's whole stack, as a line or a list: with the
 * depth of the trace as their only limit, their files would grow with its square. */
#define TV_EXPORT_STACK_LEVELS 1024u

struct tv_export_context {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* NULL: one thread */
    const struct tv_index *index;
    const struct tv_export_opts *opts;
    struct tv_stacks stacks;      /* of the scope; stacks.sums is what formats of stacks read */
    uint8_t *is_shown;            /* one per node of the index: its calls are shown. NULL: all */
    struct tv_export_names names; /* no format takes a name from anywhere else */
    struct tv_out out;            /* to write to: the first failure sticks */
    struct tv_export_result *result;
    uint64_t calls_told; /* calls that were walked over so far */
};

/* Counts calls that a format is done with, and tells the caller now and then. TV_ERR_CANCELLED: the
 * caller wants no more. Also fails when the sink did, so that nothing is made in vain. */
enum tv_code tv_export_context_tell(struct tv_export_context *context, uint64_t calls,
                                    struct tv_error *err) TV_MUST_CHECK;

/* Threads that are written: those of the scope that have calls. thread_ix is found by position,
 * TV_NONE for a thread without calls. */
TV_INLINE uint32_t tv_export_context_thread(const struct tv_export_context *context,
                                            uint32_t position)
{
    uint32_t thread_ix = tv_selection_thread(&context->opts->scope.selection, position);
    return context->index->threads[thread_ix].calls ? thread_ix : TV_NONE;
}

TV_INLINE uint32_t tv_export_context_thread_count(const struct tv_export_context *context)
{
    return tv_selection_thread_count(&context->opts->scope.selection, context->index);
}

/* When the zero of the trace was, nanoseconds since 1970; 0 where nothing may tell. A trace's
 * start time is a date or counts from the device's boot, and the file does not say which. */
TV_INLINE uint64_t tv_export_context_date_ns(const struct tv_export_context *context)
{
    const uint64_t longest_running_ns = 20 * 365 * 86400 * TV_NS_PER_S;
    uint64_t start_ns = context->index->info->start_time_ns;
    return start_ns > longest_running_ns && !context->names.is_redacted ? start_ns : 0;
}

#endif
