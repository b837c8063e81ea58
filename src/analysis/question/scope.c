/*
 * Scopes, pages of rows and the stacks of a scope; see analysis/question/scope.h.
 *
 * The reasons given here are read by people at a terminal and in the viewer, so they speak of
 * `from` and `to`, which are the names of the options and of the parameters.
 */
#include "analysis/question/scope.h"

#include <stdio.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/method_calls.h"
#include "base/error.h"
#include "base/numbers/shown_number.h"

void tv_scope_init(struct tv_scope *scope, const struct tv_index *index)
{
    bool is_cpu = tv_index_default_clock(index) == TV_CLOCK_CPU;
    *scope = (struct tv_scope){.selection = {.to_ns = tv_axis_len_ns(index)},
                               .measure = is_cpu ? TV_MEASURE_CPU : TV_MEASURE_WALL};
}

/* "1.500 ms" */
static const char *in_ms(char room[TV_SHOWN_MOST], uint64_t ns)
{
    char digits[TV_SHOWN_MOST];
    const struct tv_str ms = tv_shown_ms(digits, ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
    (void)snprintf(room, TV_SHOWN_MOST, "%.*s ms", (int)ms.len, ms.at);
    return room;
}

enum tv_code tv_scope_take_range(struct tv_scope *scope, const struct tv_index *index,
                                 uint64_t from_ns, uint64_t to_ns, struct tv_error *err)
{
    /* The whole axis is no range, so that the index's own sums answer at once. */
    const uint64_t end_ns = tv_axis_len_ns(index);
    bool has_range = from_ns > 0 || to_ns < end_ns;
    to_ns = to_ns < end_ns ? to_ns : end_ns;
    if (has_range && !index->info->has_clock[tv_index_axis(index)])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this trace has no times to take a range of");
    if (has_range && from_ns >= end_ns) {
        char from[TV_SHOWN_MOST], end[TV_SHOWN_MOST];
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "from (%s) is not before the end of the trace (%s)", in_ms(from, from_ns),
                       in_ms(end, end_ns));
    }
    if (has_range && from_ns >= to_ns)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "from (%llu) must be below to (%llu)",
                       (unsigned long long)from_ns, (unsigned long long)to_ns);
    scope->selection.has_range = has_range;
    scope->selection.from_ns = from_ns;
    scope->selection.to_ns = to_ns;
    return TV_OK;
}

enum tv_code tv_scope_take_threads(struct tv_scope *scope, const struct tv_index *index,
                                   const uint8_t *is_chosen, struct tv_arena *arena,
                                   struct tv_error *err)
{
    uint32_t *threads;
    uint32_t count = 0;
    TV_TRY(
        tv_arena_take(arena, (index->thread_count + (size_t)1) * sizeof(*threads), &threads, err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (is_chosen[i])
            threads[count++] = i;
    }
    scope->selection.threads = threads;
    scope->selection.thread_count = count;
    return TV_OK;
}

enum tv_code tv_scope_take_step(struct tv_scope *scope, const struct tv_index *index,
                                const struct tv_call_step *step, struct tv_str past,
                                const struct tv_call_limits *limits, struct tv_arena *arena,
                                struct tv_error *err)
{
    struct tv_call_set *set;
    struct tv_method_filter filter;
    const struct tv_method_filter_opts hiding = {.hidden = past};
    if (tv_call_limits_are(limits))
        TV_TRY(tv_measure_check(index, limits->measure, err));
    TV_TRY(tv_arena_take(arena, sizeof(*set), &set, err));
    tv_method_filter_init(&filter, arena->alloc);
    enum tv_code code = tv_method_filter_make(&filter, index, &hiding, err);
    if (code == TV_OK) {
        struct tv_call_step shown = *step;
        shown.hidden = filter.hidden;
        code = tv_call_set_step(set, index, scope->selection.set, &shown, limits, arena, err);
    }
    tv_method_filter_release(&filter);
    if (code == TV_OK)
        scope->selection.set = set;
    return code;
}

/* The methods that a filter matches. */
static enum tv_code list_matching(const struct tv_method_filter *filter,
                                  const struct tv_index *index, struct tv_arena *arena,
                                  struct tv_call_step *step, struct tv_error *err)
{
    uint32_t *methods;
    TV_TRY(
        tv_arena_take(arena, (index->method_count + (size_t)1) * sizeof(*methods), &methods, err));
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (!filter->matches || filter->matches[i])
            methods[step->len++] = i;
    }
    step->of = methods;
    return TV_OK;
}

enum tv_code tv_scope_take_matching(struct tv_scope *scope, const struct tv_index *index,
                                    const struct tv_str *patterns, size_t pattern_count,
                                    const struct tv_call_limits *limits, struct tv_arena *arena,
                                    struct tv_error *err)
{
    struct tv_call_step step = {.kind = TV_STEP_METHODS};
    struct tv_method_filter filter;
    const struct tv_method_filter_opts matching = {.patterns = patterns,
                                                   .pattern_count = pattern_count};
    tv_method_filter_init(&filter, arena->alloc);
    enum tv_code code = tv_method_filter_make(&filter, index, &matching, err);
    if (code == TV_OK)
        code = list_matching(&filter, index, arena, &step, err);
    tv_method_filter_release(&filter);
    return code == TV_OK ? tv_scope_take_step(scope, index, &step, (struct tv_str){NULL, 0}, limits,
                                              arena, err)
                         : code;
}

/* Whether a call belongs to the set of the scope, and where that is one call, lies in it. */
static bool has_call(const struct tv_scope *scope, const struct tv_index *index,
                     struct tv_call_ref ref)
{
    const struct tv_selection *selection = &scope->selection;
    if (!tv_call_set_has(selection->set, index->call_node[ref.call], ref.call))
        return false;
    if (!selection->set || !selection->edges)
        return true;
    if (ref.thread_ix != selection->threads[0])
        return false;
    struct tv_slice slice =
        tv_slice_of(index, ref.thread_ix, index->threads[ref.thread_ix].row_first + ref.depth,
                    selection->edges);
    return ref.call >= slice.first && ref.call < slice.end;
}

/* The range of the call is one of its own thread, whose clocks are known there. */
enum tv_code tv_scope_take_call(struct tv_scope *scope, const struct tv_index *index,
                                struct tv_call_ref ref, struct tv_arena *arena,
                                struct tv_error *err)
{
    struct of_call {
        struct tv_call_set set;
        struct tv_thread_range edges;
        uint32_t thread_ix;
    } * of;
    const enum tv_clock axis = tv_index_axis(index);
    if (!index->info->has_clock[axis])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this trace has no times to look into a call by");
    if (!has_call(scope, index, ref))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "this call is none of the calls that were chosen before it");
    TV_TRY(tv_arena_take(arena, sizeof(*of), &of, err));
    TV_TRY(tv_call_set_of_node(&of->set, index, index->call_node[ref.call], arena, err));
    of->edges = tv_call_range(index, ref.thread_ix, ref.call);
    of->thread_ix = ref.thread_ix;
    scope->selection = (struct tv_selection){.has_range = true,
                                             .from_ns = of->edges.from_ns[axis],
                                             .to_ns = of->edges.to_ns[axis],
                                             .threads = &of->thread_ix,
                                             .thread_count = 1,
                                             .edges = &of->edges,
                                             .set = &of->set};
    return TV_OK;
}

enum tv_code tv_scope_find_nth_call(const struct tv_index *index, uint32_t method_ix,
                                    uint64_t ordinal, const struct tv_alloc *alloc,
                                    struct tv_call_ref *ref, struct tv_error *err)
{
    struct tv_method_calls list;
    tv_method_calls_init(&list, alloc);
    enum tv_code code = tv_method_calls_find(&list, index, method_ix, NULL, err);
    if (code == TV_OK && ordinal >= list.count)
        code = tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the method has %zu calls, not %llu",
                       list.count, (unsigned long long)ordinal + 1);
    if (code == TV_OK)
        code = tv_call_by_ordinal(&list, ordinal, ref, err);
    tv_method_calls_release(&list);
    return code;
}

enum tv_code tv_scope_take_nth_call(struct tv_scope *scope, const struct tv_index *index,
                                    uint32_t method_ix, uint64_t ordinal, struct tv_arena *arena,
                                    struct tv_error *err)
{
    struct tv_call_ref ref;
    TV_TRY(tv_scope_find_nth_call(index, method_ix, ordinal, arena->alloc, &ref, err));
    return tv_scope_take_call(scope, index, ref, arena, err);
}

enum tv_code tv_measure_check(const struct tv_index *index, enum tv_measure measure,
                              struct tv_error *err)
{
    const uint32_t *has = index->info->has_clock;
    bool needs_wall = measure != TV_MEASURE_CPU;
    bool needs_cpu = measure != TV_MEASURE_WALL;
    if (!has[TV_CLOCK_WALL] && !has[TV_CLOCK_CPU])
        return TV_OK;
    if ((needs_wall && !has[TV_CLOCK_WALL]) || (needs_cpu && !has[TV_CLOCK_CPU]))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "this trace has no %s clock",
                       has[TV_CLOCK_WALL] ? "CPU" : "wall");
    if (measure == TV_MEASURE_WAIT && !tv_index_has_wait(index))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the CPU clock of this trace never moves, so nothing tells what waited");
    return TV_OK;
}

enum tv_code tv_scope_take_measure(struct tv_scope *scope, const struct tv_index *index,
                                   enum tv_measure measure, struct tv_error *err)
{
    TV_TRY(tv_measure_check(index, measure, err));
    scope->measure = measure;
    return TV_OK;
}

struct tv_table_rows tv_table_slice_rows(const struct tv_table_slice *slice, size_t count)
{
    struct tv_table_rows rows;
    rows.first = slice->offset < count ? (size_t)slice->offset : count;
    rows.len = count - rows.first;
    if (slice->count && slice->count < rows.len)
        rows.len = (size_t)slice->count;
    return rows;
}

void tv_stacks_init(struct tv_stacks *stacks, const struct tv_alloc *alloc)
{
    tv_method_filter_init(&stacks->filter, alloc);
    tv_sums_init(&stacks->sums, alloc);
}

void tv_stacks_release(struct tv_stacks *stacks)
{
    tv_sums_release(&stacks->sums);
    tv_method_filter_release(&stacks->filter);
}

/* The filter comes first: a wrong regular expression is then refused before any sums are made. */
enum tv_code tv_stacks_compute(struct tv_stacks *stacks, const struct tv_index *index,
                               const struct tv_scope *scope, const struct tv_pool *pool,
                               struct tv_error *err)
{
    TV_TRY(tv_method_filter_make(&stacks->filter, index, &scope->methods, err));
    return tv_sums_compute_matching(&stacks->sums, index, &scope->selection, stacks->filter.matches,
                                    pool, err);
}
