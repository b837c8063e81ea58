/*
 * What all formats share: the scope that is exported, names, progress, and the bound of the output;
 * see export/export.h.
 *
 * An export computes the sums of its scope first. They say which nodes are shown, and give the
 * length of names that will be written, so an export that would be too long is refused before its
 * first byte. Then the format writes, through a sink that stops at the bound.
 */
#include "export/export.h"

#include "analysis/profile/profile.h"
#include "analysis/selection/names.h"
#include "analysis/selection/thread_order.h"
#include "base/bounded_sink.h"
#include "base/error.h"
#include "base/memory/sort.h"
#include "export/changed_names.h"
#include "export/export_context.h"
#include "export/name_bytes.h"

/* Calls between two tellings. */
#define TELL_EVERY 65536u

#define TV_EXPORT_TEXT(kind, severity, unit, text) text,
static const char *const change_texts[] = {TV_EXPORT_CHANGES(TV_EXPORT_TEXT)};
#undef TV_EXPORT_TEXT
#define TV_EXPORT_SEVERITY(kind, severity, unit, text) TV_SEVERITY_##severity,
static const enum tv_severity change_severities[] = {TV_EXPORT_CHANGES(TV_EXPORT_SEVERITY)};
#undef TV_EXPORT_SEVERITY
#define TV_EXPORT_UNIT(kind, severity, unit, text) TV_EXPORT_UNIT_##unit,
static const enum tv_export_unit change_units[] = {TV_EXPORT_CHANGES(TV_EXPORT_UNIT)};
#undef TV_EXPORT_UNIT

const char *tv_export_change_text(enum tv_export_change change)
{
    return change_texts[change];
}

enum tv_severity tv_export_change_severity(enum tv_export_change change)
{
    return change_severities[change];
}

enum tv_export_unit tv_export_change_unit(enum tv_export_change change)
{
    return change_units[change];
}

const struct tv_export *tv_export_of_name(struct tv_str name)
{
    for (size_t i = 0; tv_exports[i]; i++) {
        if (tv_str_equal(name, tv_str_from(tv_exports[i]->name)))
            return tv_exports[i];
    }
    return NULL;
}

/* The name without the ending of a packed file. */
static struct tv_str without_packing(struct tv_str file)
{
    static const struct tv_str packed[] = {{".gz", 3}, {".zst", 4}};
    for (size_t i = 0; i < TV_COUNT_OF(packed); i++) {
        if (tv_str_ends_with(file, packed[i]))
            return (struct tv_str){file.at, file.len - packed[i].len};
    }
    return file;
}

/* The longest ending wins, since one format's ending may end with another's (".packets.trace" and
 * ".trace"). Packing at the end (.gz) says nothing of the format. */
const struct tv_export *tv_export_of_file(struct tv_str file)
{
    const struct tv_export *best = NULL;
    size_t best_len = 0;
    file = without_packing(file);
    for (size_t i = 0; tv_exports[i]; i++) {
        struct tv_str suffix = without_packing(tv_str_from(tv_exports[i]->suffix));
        if (suffix.len <= best_len || !tv_str_ends_with(file, suffix))
            continue;
        best = tv_exports[i];
        best_len = suffix.len;
    }
    return best;
}

/* A failure of the output is looked for as often as progress is told, so a full disk ends a long
 * export early. */
enum tv_code tv_export_context_tell(struct tv_export_context *context, uint64_t calls,
                                    struct tv_error *err)
{
    const struct tv_export_opts *opts = context->opts;
    uint64_t before = context->calls_told / TELL_EVERY;
    context->calls_told += calls;
    if (context->calls_told / TELL_EVERY == before)
        return TV_OK;
    if (context->out.error.code != TV_OK) {
        *err = context->out.error;
        return err->code;
    }
    if (opts->tell && !opts->tell(opts->ctx, context->calls_told, context->index->call_count))
        return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
    return TV_OK;
}

enum tv_code tv_export_context_check_nodes(const struct tv_export_context *context,
                                           struct tv_error *err)
{
    const struct tv_sums *sums = &context->stacks.sums;
    if (!sums->index_node)
        return TV_OK;
    /* They ascend, so the same ones stand beside each other. */
    for (uint32_t node = 1; node < sums->node_count; node++) {
        if (sums->index_node[node] == sums->index_node[node - 1])
            return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                           "calls of these durations are in each other with others between them, "
                           "and this format has each stack once: choose folded, callgrind or "
                           "pprof, or no durations");
    }
    return TV_OK;
}

/* Marks the nodes of the index that the sums show. Returns calls of callers of matches that have
 * more time than these, and are shown. */
static uint64_t mark_nodes(struct tv_export_context *context)
{
    const struct tv_sums *sums = &context->stacks.sums;
    uint64_t partly = 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            const enum tv_sums_match match = tv_sums_match_of(sums, node);
            uint8_t *marks = &context->marks[tv_sums_index_node(sums, node)];
            *marks |= tv_sums_is_touched(sums, node) ? TV_MARK_SHOWN : 0;
            *marks |= match == TV_SUMS_MATCHED ? TV_MARK_MATCHED : 0;
            partly += match == TV_SUMS_PARTLY ? tv_sums_calls(sums, node) : 0;
        }
    }
    return partly;
}

/* The levels that are written: those that are asked for, and that the format can have. */
static uint32_t levels_of(const struct tv_export *format, const struct tv_export_opts *opts)
{
    bool is_cut = format->levels_most && (!opts->levels || opts->levels > format->levels_most);
    return is_cut ? format->levels_most : opts->levels;
}

/* Whether a stack with the thread's innermost open call is written. */
static bool has_open_stack(const struct tv_stacks *stacks, const struct tv_index *index,
                           const struct tv_index_thread *thread)
{
    bool has = !stacks->filter.matches;
    for (uint32_t depth = 0; !has && depth < thread->open_depth; depth++)
        has = stacks->filter.matches[index->node_method[tv_open_node(index, thread, depth)]];
    return has;
}

/* Whoever asks for waits learns how much of them may be none. */
static void tell_unrecorded(struct tv_export_context *context)
{
    const struct tv_scope *scope = &context->opts->scope;
    const struct tv_index *index = context->index;
    const uint32_t count = tv_selection_thread_count(&scope->selection, index);
    const int64_t total_ns = tv_measure_of(context->stacks.sums.total_ns, scope->measure);
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; scope->measure == TV_MEASURE_WAIT && i < count; i++) {
        const uint32_t thread_ix = tv_selection_thread(&scope->selection, i);
        if (has_open_stack(&context->stacks, index, &index->threads[thread_ix]))
            sum_ns += tv_thread_unrecorded_ns(index, thread_ix, &scope->selection);
    }
    if (tv_unrecorded_is_told(sum_ns, total_ns > 0 ? (uint64_t)total_ns : 0))
        context->result->changes[TV_EXPORT_WAITS_UNRECORDED] = sum_ns;
}

/* Patterns were answered on the whole stacks by then; packages are hidden and levels cut in one
 * step, so that a cut counts only calls that are shown. What a format cuts by itself is told to the
 * user; what the user asked for is not. */
static enum tv_code choose_stacks(struct tv_export_context *context, const struct tv_export *format,
                                  struct tv_error *err)
{
    const struct tv_export_opts *opts = context->opts;
    const uint32_t levels = levels_of(format, opts);
    struct tv_stacks *stacks = &context->stacks;
    TV_TRY(tv_stacks_compute(stacks, context->index, &opts->scope, context->pool, err));
    if (stacks->filter.hidden || levels)
        TV_TRY(tv_sums_hide(&stacks->sums, stacks->filter.hidden, levels, err));
    int64_t hidden_ns = tv_measure_of(stacks->sums.hidden_ns, opts->scope.measure);
    context->result->changes[TV_EXPORT_TIME_HIDDEN] = hidden_ns > 0 ? (uint64_t)hidden_ns : 0;
    tell_unrecorded(context);
    if (levels != opts->levels)
        context->result->changes[TV_EXPORT_LEVELS_CUT] = stacks->sums.deep_calls;
    if (!stacks->filter.matches && !stacks->filter.hidden && !levels && !opts->scope.selection.set)
        return TV_OK;
    TV_TRY(tv_alloc_new(context->alloc, &context->marks, context->index->node_count, 1, err));
    const uint64_t partly = mark_nodes(context);
    if (format->nests_calls)
        context->result->changes[TV_EXPORT_CALLERS_WHOLE] = partly;
    return TV_OK;
}

static int compare_positions(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_export_context *context = ctx;
    const struct tv_selection *selection = &context->opts->scope.selection;
    return tv_thread_order(context->index, tv_selection_thread(selection, a),
                           tv_selection_thread(selection, b));
}

static bool has_shown_call(const struct tv_sums *sums, uint32_t position)
{
    const struct tv_node_range nodes = tv_sums_nodes(sums, position);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        if (tv_sums_is_touched(sums, node))
            return true;
    }
    return false;
}

/* Threads are ordered by the whole trace, so that a part has them as the whole does. */
static enum tv_code order_threads(struct tv_export_context *context, struct tv_error *err)
{
    const uint32_t count = tv_export_context_thread_count(context);
    TV_TRY(tv_alloc_new(context->alloc, &context->has_calls, count, 1, err));
    for (uint32_t i = 0; i < count; i++)
        context->has_calls[i] = has_shown_call(&context->stacks.sums, i);
    TV_TRY(tv_alloc_new(context->alloc, &context->order, count, sizeof(*context->order), err));
    for (uint32_t i = 0; i < count; i++)
        context->order[i] = i;
    return tv_sort(context->alloc, context->order, count, compare_positions, context, err);
}

/* The names must be made before their length can be checked, and both come before the format writes
 * anything. */
enum tv_code tv_export_run(const struct tv_export *format, const struct tv_index *index,
                           const struct tv_export_opts *opts, const struct tv_alloc *alloc,
                           const struct tv_pool *pool, struct tv_sink sink,
                           struct tv_export_result *result, struct tv_error *err)
{
    struct tv_export_context context = {
        .alloc = alloc, .pool = pool, .index = index, .opts = opts, .result = result};
    const uint64_t most = tv_bounded_sink_of(&index->made_of);
    struct tv_bounded_sink bound;
    *result = (struct tv_export_result){{0}};
    result->changes[TV_EXPORT_NAMES_OF_SOURCE] = tv_renamed_methods(index);
    tv_bounded_sink_init(&bound, sink, most);
    tv_stacks_init(&context.stacks, alloc);
    tv_export_names_init(&context.names, alloc);
    tv_out_init(&context.out, bound.sink);
    enum tv_code code = choose_stacks(&context, format, err);
    if (code == TV_OK)
        code = order_threads(&context, err);
    if (code == TV_OK)
        code = tv_export_names_make(&context.names, index, opts->file, opts->redact, err);
    if (code == TV_OK)
        code = tv_export_count_changed_names(&context, format, err);
    if (code == TV_OK)
        code = tv_bounded_sink_check(most, tv_export_name_bytes(&context, format), err);
    if (code == TV_OK)
        code = format->write(&context, err);
    if (code == TV_OK)
        code = tv_out_finish(&context.out, err);
    tv_alloc_release(alloc, &context.order, tv_export_context_thread_count(&context),
                     sizeof(*context.order));
    tv_alloc_release(alloc, &context.has_calls, tv_export_context_thread_count(&context), 1);
    tv_alloc_release(alloc, &context.marks, index->node_count, 1);
    tv_export_names_release(&context.names);
    tv_stacks_release(&context.stacks);
    return code;
}
