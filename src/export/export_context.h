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
#include "analysis/question/scope_wording.h"
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

/* Marks of nodes. Without a match (--match) all that is shown is matched. A caller of matches that
 * is none itself, nor below one, is written whole, but its own time is not of the part. */
#define TV_MARK_SHOWN 1u   /* its calls are shown */
#define TV_MARK_MATCHED 2u /* it is at or below a match */

struct tv_export_context {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* NULL: one thread */
    const struct tv_index *index;
    const struct tv_export_opts *opts;
    struct tv_stacks stacks;      /* of the scope; stacks.sums is what formats of stacks read */
    uint8_t *marks;               /* one per node of the index; NULL: all have all marks */
    uint32_t *order;              /* positions of the selected threads, the busiest first */
    uint8_t *has_calls;           /* one per position: a call of the thread is shown */
    struct tv_export_names names; /* no format takes a name from anywhere else */
    struct tv_out out;            /* to write to: the first failure sticks */
    struct tv_export_result *result;
    uint64_t calls_told; /* calls that were walked over so far */
};

/* Counts calls that a format is done with, and tells the caller now and then. TV_ERR_CANCELLED: the
 * caller wants no more. Also fails when the sink did, so that nothing is made in vain. */
enum tv_code tv_export_context_tell(struct tv_export_context *context, uint64_t calls,
                                    struct tv_error *err) TV_MUST_CHECK;

/* Refuses a part in which a node of the index stands twice: below another call of the part, and as
 * the outermost one, as calls of a recursive method do where the part is one of durations. For
 * formats that name stacks by nodes, each once. */
enum tv_code tv_export_context_check_nodes(const struct tv_export_context *context,
                                           struct tv_error *err);

/* Threads that are written: those of the scope that have calls. thread_ix is found by its position
 * in the selection, TV_NONE for a thread without calls. */
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

/* The position in the selection of the thread that formats write as the i-th: they have threads in
 * the order of `traceview info`, the busiest first, since most readers show the first one. */
TV_INLINE uint32_t tv_export_context_position(const struct tv_export_context *context, uint32_t i)
{
    return context->order[i];
}

/* The i-th thread that is written; TV_NONE for one of which the part has no calls: readers would
 * list it, and some open it first. */
TV_INLINE uint32_t tv_export_context_ordered(const struct tv_export_context *context, uint32_t i)
{
    const uint32_t position = tv_export_context_position(context, i);
    return context->has_calls[position] ? tv_export_context_thread(context, position) : TV_NONE;
}

/* What of the trace is written, for words about it. */
TV_INLINE struct tv_scope_part tv_export_part(const struct tv_export_opts *opts)
{
    return (struct tv_scope_part){
        .scope = opts->scope, .levels = opts->levels, .is_redacted = opts->redact != NULL};
}

/* What the start time of a trace counts from. */
enum tv_start_clock {
    TV_START_UNKNOWN,   /* the trace does not say when it began, or may not */
    TV_START_MONOTONIC, /* the device's boot, without the time that it slept */
    TV_START_DATE       /* 1970 */
};

/* A trace's start time is a date (Dalvik, `traceview record`) or counts from the device's boot
 * (ART), and the file does not say which: no device runs for twenty years. A time that no signed
 * number of nanoseconds holds is none. */
TV_INLINE enum tv_start_clock tv_export_context_start_clock(const struct tv_export_context *context)
{
    const uint64_t longest_running_ns = 20 * 365 * 86400 * TV_NS_PER_S;
    const uint64_t start_ns = context->index->info->start_time_ns;
    if (!start_ns || start_ns > INT64_MAX / 2 || context->names.is_redacted)
        return TV_START_UNKNOWN;
    return start_ns > longest_running_ns ? TV_START_DATE : TV_START_MONOTONIC;
}

/* When the zero of the trace was, nanoseconds since 1970; 0 where nothing may tell. */
TV_INLINE uint64_t tv_export_context_date_ns(const struct tv_export_context *context)
{
    return tv_export_context_start_clock(context) == TV_START_DATE
               ? context->index->info->start_time_ns
               : 0;
}

#endif
