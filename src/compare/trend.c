/*
 * Steps of calls and of times in a row of runs; see compare/trend.h.
 *
 * Calls are looked at method by method, from one run to the next, with the range of calls since the
 * last step. Times need the test of diff at every point, with the runs before it as the old side:
 * the points share the join, and only the counts of runs of both sides differ.
 */
#include "compare/trend.h"

#include <math.h>

#include "base/memory/sort.h"

/* A method's best step of time so far, while points are tested one after the other. */
struct best {
    struct tv_step step;
    bool is_there;
    bool is_tested;
    struct tv_step apart; /* where it is not tested */
    uint64_t gap_ns;      /* of that one; 0: there is none */
};

void tv_trend_init(struct tv_trend *trend, const struct tv_alloc *alloc)
{
    *trend = (struct tv_trend){.alloc = alloc};
}

void tv_trend_release(struct tv_trend *trend)
{
    tv_alloc_release(trend->alloc, &trend->of, trend->cap, sizeof(*trend->of));
    tv_trend_init(trend, trend->alloc);
}

static enum tv_code add_step(struct tv_trend *trend, const struct tv_step *step,
                             struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(trend->alloc, &trend->of, &trend->cap, trend->count + 1,
                         sizeof(*trend->of), err));
    trend->of[trend->count++] = *step;
    return TV_OK;
}

/* The calls of one run, as a side that more runs may widen. */
static struct tv_change_side side_of(uint64_t calls)
{
    return (struct tv_change_side){.least_calls = calls, .most_calls = calls};
}

static struct tv_change_side widened(struct tv_change_side side, uint64_t calls)
{
    side.least_calls = calls < side.least_calls ? calls : side.least_calls;
    side.most_calls = calls > side.most_calls ? calls : side.most_calls;
    return side;
}

static bool is_apart(const struct tv_change_side *before, const struct tv_change_side *behind)
{
    return tv_change_judge_calls(before, behind) == TV_VERDICT_CHANGED;
}

/* A single run before a step says nothing of how much calls vary, so the two behind it must be
 * equal then. Goes along the runs with the range of all since the last step. A run that stands
 * apart alone widens it: a count that once was another one may be so again. */
static enum tv_code find_call_steps(struct tv_trend *trend, const struct tv_join *join,
                                    uint32_t method, struct tv_error *err)
{
    struct tv_change_side since = side_of(tv_join_calls(join, method, 0));
    size_t since_run = 0;
    for (size_t run = 1; run < join->run_count; run++) {
        uint64_t calls = tv_join_calls(join, method, run);
        struct tv_change_side behind = side_of(calls);
        if (run + 1 == join->run_count) {
            trend->pending_count += is_apart(&since, &behind);
            break;
        }
        behind = widened(behind, tv_join_calls(join, method, run + 1));
        bool is_known =
            run - since_run >= TV_TREND_SIDE_LEAST || behind.least_calls == behind.most_calls;
        if (!is_known || !is_apart(&since, &behind)) {
            since = widened(since, calls);
            continue;
        }
        const struct tv_step step = {.method = method, .run = run, .sides = {since, behind}};
        TV_TRY(add_step(trend, &step, err));
        since = side_of(calls);
        since_run = run;
    }
    return TV_OK;
}

/* The gap between the times of both sides that are apart, where it is wider than either range; else
 * 0. */
static uint64_t gap_of(const struct tv_join *join, const struct tv_changes_opts *at, size_t method)
{
    uint64_t low[TV_SIDE_COUNT], high[TV_SIDE_COUNT];
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        low[side] = tv_change_time_at(join, at, method, (enum tv_side)side, 0);
        high[side] =
            tv_change_time_at(join, at, method, (enum tv_side)side, at->run_counts[side] - 1);
    }
    const enum tv_side below = high[TV_SIDE_OLD] < low[TV_SIDE_NEW] ? TV_SIDE_OLD : TV_SIDE_NEW;
    const enum tv_side above = below == TV_SIDE_OLD ? TV_SIDE_NEW : TV_SIDE_OLD;
    const uint64_t gap_ns = low[above] > high[below] ? low[above] - high[below] : 0;
    return gap_ns > high[TV_SIDE_OLD] - low[TV_SIDE_OLD] &&
                   gap_ns > high[TV_SIDE_NEW] - low[TV_SIDE_NEW]
               ? gap_ns
               : 0;
}

/* Keeps of each method that is not tested, since a run has no time of it, the point with the widest
 * gap. */
static void keep_apart(struct best *best, const struct tv_changes *changes,
                       const struct tv_join *join, const struct tv_changes_opts *at)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        const uint64_t gap_ns = change->is_apart ? gap_of(join, at, i) : 0;
        if (gap_ns <= best[i].gap_ns)
            continue;
        best[i].gap_ns = gap_ns;
        best[i].apart = (struct tv_step){.method = (uint32_t)i,
                                         .run = at->run_counts[TV_SIDE_OLD],
                                         .is_time = true,
                                         .is_apart = true,
                                         .sides = {change->sides[0], change->sides[1]}};
    }
}

/* Keeps of each method the step that is surest; of two that are as sure, the earlier one. */
static void keep_best(struct best *best, const struct tv_changes *changes, size_t run,
                      size_t points)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        if (change->tested == SIZE_MAX)
            continue;
        const struct tv_significance_row *row = &changes->significance.rows[change->tested];
        double p = row->p_adjusted * (double)points;
        best[i].is_tested = true;
        if (row->verdict != TV_VERDICT_CHANGED || (best[i].is_there && p >= best[i].step.p))
            continue;
        best[i].is_there = true;
        best[i].step = (struct tv_step){.method = (uint32_t)i,
                                        .run = run,
                                        .is_time = true,
                                        .sides = {change->sides[0], change->sides[1]},
                                        .change = row->change,
                                        .p = p};
    }
}

/* Keeps by how much the median method moved at most: that is the machine, or a change of
 * everything, and in no step. */
static void keep_machine(struct tv_trend *trend, const struct tv_changes *changes, size_t run)
{
    const struct tv_significance *tested = &changes->significance;
    if (!tv_significance_is_normalised(tested))
        return;
    if (!trend->is_normalised || fabs(tested->machine) > fabs(trend->machine)) {
        trend->machine = tested->machine;
        trend->machine_run = run;
    }
    trend->is_normalised = true;
}

/* Tests every point that leaves enough runs on both sides. The runs before a point are the old side
 * of the same join, so nothing is read again. */
static enum tv_code test_points(struct tv_trend *trend, const struct tv_join *join,
                                const struct tv_changes_opts *opts, struct best *best,
                                struct tv_error *err)
{
    size_t points = join->run_count - 2 * TV_TREND_SIDE_LEAST + 1;
    enum tv_code code = TV_OK;
    for (size_t i = 0; code == TV_OK && i < points; i++) {
        struct tv_changes_opts at = *opts;
        struct tv_changes changes;
        at.run_counts[TV_SIDE_OLD] = TV_TREND_SIDE_LEAST + i;
        at.run_counts[TV_SIDE_NEW] = join->run_count - at.run_counts[TV_SIDE_OLD];
        tv_changes_init(&changes, trend->alloc);
        code = tv_changes_make(&changes, join, &at, err);
        if (code == TV_OK) {
            keep_best(best, &changes, at.run_counts[TV_SIDE_OLD], points);
            keep_apart(best, &changes, join, &at);
            keep_machine(trend, &changes, at.run_counts[TV_SIDE_OLD]);
        }
        tv_changes_release(&changes);
    }
    return code;
}

/* A step is told where the best point of a method is still sure after all points were counted as
 * tests of it. */
static enum tv_code find_time_steps(struct tv_trend *trend, const struct tv_join *join,
                                    const struct tv_changes_opts *opts, struct tv_error *err)
{
    struct best *best;
    if (join->run_count < 2 * TV_TREND_SIDE_LEAST || tv_changes_lack_time(opts, TV_SIDE_OLD) ||
        tv_changes_lack_time(opts, TV_SIDE_NEW))
        return TV_OK;
    TV_TRY(tv_alloc_new(trend->alloc, &best, join->count, sizeof(*best), err));
    enum tv_code code = test_points(trend, join, opts, best, err);
    for (size_t i = 0; code == TV_OK && i < join->count; i++) {
        trend->tested_count += best[i].is_tested;
        if (best[i].is_there && best[i].step.p <= opts->test.level)
            code = add_step(trend, &best[i].step, err);
        else if (best[i].gap_ns && !best[i].is_tested)
            code = add_step(trend, &best[i].apart, err);
        trend->apart_count += best[i].gap_ns && !best[i].is_tested;
    }
    tv_alloc_release(trend->alloc, &best, join->count, sizeof(*best));
    return code;
}

static int compare_steps(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_step *of = ctx;
    if (of[a].is_time != of[b].is_time)
        return of[a].is_time ? 1 : -1;
    if (of[a].is_apart != of[b].is_apart)
        return of[a].is_apart ? 1 : -1;
    return (of[a].run > of[b].run) - (of[a].run < of[b].run);
}

/* The sort leaves steps of one run in the order of names, as they were found. */
static enum tv_code sort_steps(struct tv_trend *trend, struct tv_error *err)
{
    struct tv_step *sorted = NULL;
    uint32_t *order = NULL;
    enum tv_code code = tv_alloc_new(trend->alloc, &order, trend->count, sizeof(*order), err);
    if (code == TV_OK)
        code = tv_alloc_new(trend->alloc, &sorted, trend->count, sizeof(*sorted), err);
    for (size_t i = 0; code == TV_OK && i < trend->count; i++)
        order[i] = (uint32_t)i;
    if (code == TV_OK)
        code = tv_sort(trend->alloc, order, trend->count, compare_steps, trend->of, err);
    for (size_t i = 0; code == TV_OK && i < trend->count; i++)
        sorted[i] = trend->of[order[i]];
    for (size_t i = 0; code == TV_OK && i < trend->count; i++)
        trend->of[i] = sorted[i];
    tv_alloc_release(trend->alloc, &sorted, trend->count, sizeof(*sorted));
    tv_alloc_release(trend->alloc, &order, trend->count, sizeof(*order));
    return code;
}

enum tv_code tv_trend_find(struct tv_trend *trend, const struct tv_join *join,
                           const struct tv_changes_opts *opts, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    tv_trend_release(trend);
    for (uint32_t i = 0; !opts->no_counts[TV_SIDE_NEW] && code == TV_OK && i < join->count; i++)
        code = find_call_steps(trend, join, i, err);
    trend->call_count = trend->count;
    if (code == TV_OK)
        code = find_time_steps(trend, join, opts, err);
    if (code == TV_OK)
        code = sort_steps(trend, err);
    if (code != TV_OK)
        tv_trend_release(trend);
    return code;
}
