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
#include "compare/distributions.h"

/* What mappings say was inlined, of runs from `first_run` of all on. */
struct inlined {
    const bool *of; /* as of tv_trend_find */
    size_t run_count, first_run;
};

/* A part of the runs, which is tested as if there were no others. */
struct part {
    struct tv_join join; /* lent rows, or own ones */
    struct inlined inlined;
    size_t first; /* run */
};

/* A method's best step of time so far in a part, while its points are tested one after the other.
 */
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

/* The narrowest range of calls of the runs [since, end) without one in ten of them. */
static struct tv_change_side steady_range(const struct tv_join *join, uint32_t method, size_t since,
                                          size_t end)
{
    uint64_t calls[TV_TREND_RUNS_MOST];
    const size_t count = end - since;
    const size_t kept = count - count / TV_TREND_FLAKY_ONE_IN;
    for (size_t i = 0; i < count; i++) {
        const uint64_t next = tv_join_calls(join, method, since + i);
        size_t at = i;
        for (; at && calls[at - 1] > next; at--)
            calls[at] = calls[at - 1];
        calls[at] = next;
    }
    size_t first = 0;
    for (size_t i = 1; i + kept <= count; i++) {
        if (calls[i + kept - 1] - calls[i] < calls[first + kept - 1] - calls[first])
            first = i;
    }
    return (struct tv_change_side){.least_calls = calls[first],
                                   .most_calls = calls[first + kept - 1]};
}

/* Whether the number of calls steps at `run` although flaky runs before it have any number of
 * calls: the range without those must be apart from that of several runs behind, since a single one
 * of these could be flaky again. *since and *behind are the two ranges. */
static bool is_flaky_step(const struct tv_join *join, uint32_t method, size_t since_run, size_t run,
                          struct tv_change_side *since, struct tv_change_side *behind)
{
    if (run - since_run < TV_TREND_FLAKY_ONE_IN || run + TV_TREND_FLAKY_BEHIND > join->run_count)
        return false;
    const struct tv_change_side steady = steady_range(join, method, since_run, run);
    struct tv_change_side next = side_of(tv_join_calls(join, method, run));
    for (size_t i = 1; i < TV_TREND_FLAKY_BEHIND; i++)
        next = widened(next, tv_join_calls(join, method, run + i));
    if (!is_apart(&steady, &next))
        return false;
    *since = steady;
    *behind = next;
    return true;
}

static bool is_inlined_in(const struct inlined *inlined, size_t method, size_t run, size_t end)
{
    bool is = false;
    for (; inlined->of && !is && run < end; run++)
        is = inlined->of[method * inlined->run_count + inlined->first_run + run];
    return is;
}

/* Whether the calls of a method differ between the runs [since, run) and [run, end) since it was
 * inlined where they are fewer. */
static bool is_inlined_step(const struct inlined *inlined, size_t method,
                            const struct tv_change_side *before,
                            const struct tv_change_side *behind, const size_t runs[3])
{
    return behind->most_calls < before->least_calls
               ? is_inlined_in(inlined, method, runs[1], runs[2])
               : is_inlined_in(inlined, method, runs[0], runs[1]);
}

/* A single run before a step says nothing of how much calls vary, so the two behind it must be
 * equal then. Goes along the runs with the range of all since the last step. A run that stands
 * apart alone widens it: a count that once was another one may be so again. */
static enum tv_code find_call_steps(struct tv_trend *trend, const struct tv_join *join,
                                    const struct inlined *inlined, uint32_t method,
                                    struct tv_error *err)
{
    struct tv_change_side since = side_of(tv_join_calls(join, method, 0));
    size_t since_run = 0;
    for (size_t run = 1; run < join->run_count; run++) {
        uint64_t calls = tv_join_calls(join, method, run);
        struct tv_change_side behind = side_of(calls);
        if (run + 1 == join->run_count) {
            const size_t runs[] = {since_run, run, run + 1};
            trend->pending_count += is_apart(&since, &behind) &&
                                    !is_inlined_step(inlined, method, &since, &behind, runs);
            break;
        }
        behind = widened(behind, tv_join_calls(join, method, run + 1));
        bool is_known =
            run - since_run >= TV_TREND_SIDE_LEAST || behind.least_calls == behind.most_calls;
        struct tv_change_side before = since;
        if ((!is_known || !is_apart(&since, &behind)) &&
            !is_flaky_step(join, method, since_run, run, &before, &behind)) {
            since = widened(since, calls);
            continue;
        }
        const size_t runs[] = {since_run, run, run + TV_TREND_SIDE_LEAST};
        const struct tv_step step = {.method = method,
                                     .run = run,
                                     .sides = {before, behind},
                                     .is_inlined =
                                         is_inlined_step(inlined, method, &before, &behind, runs)};
        TV_TRY(add_step(trend, &step, err));
        trend->inlined_count += step.is_inlined;
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

/* Whether a method was inlined where a part has fewer calls of it, so that its times differ by
 * that.
 */
static bool is_inlined_change(const struct part *part, const struct tv_change *change,
                              size_t method, const struct tv_changes_opts *at)
{
    const struct tv_change_side *sides = change->sides;
    const size_t runs[] = {0, at->run_counts[TV_SIDE_OLD], part->join.run_count};
    return is_apart(&sides[TV_SIDE_OLD], &sides[TV_SIDE_NEW]) &&
           is_inlined_step(&part->inlined, method, &sides[TV_SIDE_OLD], &sides[TV_SIDE_NEW], runs);
}

/* Keeps of each method that is not tested, since a run has no time of it, the point with the widest
 * gap. */
static void keep_apart(struct best *best, const struct tv_changes *changes, const struct part *part,
                       const struct tv_changes_opts *at)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        const uint64_t gap_ns = change->is_apart && !is_inlined_change(part, change, i, at)
                                    ? gap_of(&part->join, at, i)
                                    : 0;
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

/* Keeps of each method the step that is surest; of two that are as sure, the earlier one. `tests`
 * are the points of all parts. */
static void keep_best(struct best *best, const struct tv_changes *changes, const struct part *part,
                      const struct tv_changes_opts *at, size_t tests)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        if (change->tested == SIZE_MAX || is_inlined_change(part, change, i, at))
            continue;
        const struct tv_significance_row *row = &changes->significance.rows[change->tested];
        double p = row->p_adjusted * (double)tests;
        best[i].is_tested = true;
        if (row->verdict != TV_VERDICT_CHANGED || (best[i].is_there && p >= best[i].step.p))
            continue;
        best[i].is_there = true;
        best[i].step = (struct tv_step){.method = (uint32_t)i,
                                        .run = part->first + at->run_counts[TV_SIDE_OLD],
                                        .is_time = true,
                                        .sides = {change->sides[0], change->sides[1]},
                                        .change = row->change,
                                        .p = p};
    }
}

/* How sure it is that the shifts of runs before a point and behind it differ: a t test of both, on
 * the logarithms, with one variance. */
static double p_of_shifts(const double *shifts, const size_t counts[TV_SIDE_COUNT])
{
    double means[TV_SIDE_COUNT] = {0};
    double squares = 0;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        const double *of = shifts + (side == TV_SIDE_NEW ? counts[TV_SIDE_OLD] : 0);
        for (size_t i = 0; i < counts[side]; i++)
            means[side] += of[i] / (double)counts[side];
        for (size_t i = 0; i < counts[side]; i++)
            squares += (of[i] - means[side]) * (of[i] - means[side]);
    }
    const double df = (double)(counts[TV_SIDE_OLD] + counts[TV_SIDE_NEW]) - 2;
    const double variance =
        squares / df * (1 / (double)counts[TV_SIDE_OLD] + 1 / (double)counts[TV_SIDE_NEW]);
    const double by = fabs(means[TV_SIDE_NEW] - means[TV_SIDE_OLD]);
    const struct tv_student student = tv_student_of(df);
    if (by <= 0)
        return 1;
    return variance > 0 ? 2 * tv_student_above(&student, by / sqrt(variance)) : 0;
}

/* Keeps the step of the median method that is surest: that is the machine, or a change of
 * everything, and in no step of a method. */
static void keep_machine(struct tv_trend *trend, const struct tv_changes *changes,
                         const struct tv_changes_opts *at, size_t points)
{
    const struct tv_significance *tested = &changes->significance;
    if (!tv_significance_is_normalised(tested))
        return;
    trend->is_normalised = true;
    const double p = p_of_shifts(tested->run_shifts, at->run_counts) * (double)points;
    if (p > at->test.level || (trend->has_machine_step && p >= trend->machine_p) ||
        fabs(tested->machine) < log(at->test.least_ratio))
        return;
    trend->has_machine_step = true;
    trend->machine = tested->machine;
    trend->machine_p = p;
    trend->machine_run = at->run_counts[TV_SIDE_OLD];
}

static size_t points_of(size_t runs)
{
    return runs - 2 * TV_TREND_SIDE_LEAST + 1;
}

/* Tests every point of a part that leaves enough runs on both sides. The runs before a point are
 * the old side of the same join, so nothing is read again. */
static enum tv_code test_points(struct tv_trend *trend, const struct part *part,
                                const struct tv_changes_opts *opts, size_t tests, struct best *best,
                                struct tv_error *err)
{
    const struct tv_join *join = &part->join;
    const size_t points = points_of(join->run_count);
    enum tv_code code = TV_OK;
    for (size_t i = 0; code == TV_OK && i < points; i++) {
        struct tv_changes_opts at = *opts;
        struct tv_changes changes;
        at.run_counts[TV_SIDE_OLD] = TV_TREND_SIDE_LEAST + i;
        at.run_counts[TV_SIDE_NEW] = join->run_count - at.run_counts[TV_SIDE_OLD];
        tv_changes_init(&changes, trend->alloc);
        code = tv_changes_make(&changes, join, &at, err);
        if (code == TV_OK)
            keep_best(best, &changes, part, &at, tests);
        if (code == TV_OK && join->run_count == trend->runs) {
            keep_apart(best, &changes, part, &at);
            keep_machine(trend, &changes, &at, points);
        }
        tv_changes_release(&changes);
    }
    return code;
}

/* Whether a method has a step of time near this one among those from `first` on. */
static bool is_near(const struct tv_trend *trend, size_t first, const struct tv_step *step)
{
    for (size_t i = first; i < trend->count; i++) {
        const struct tv_step *of = &trend->of[i];
        const size_t apart = of->run > step->run ? of->run - step->run : step->run - of->run;
        if (of->method == step->method && apart < TV_TREND_NEAR)
            return true;
    }
    return false;
}

/* Adds what the points of all parts have found of a method, the surest first. */
static enum tv_code add_time_steps(struct tv_trend *trend, const struct best *best, size_t parts,
                                   size_t methods, size_t method, double level,
                                   struct tv_error *err)
{
    const size_t first = trend->count;
    bool is_taken[TV_TREND_PARTS] = {false};
    for (;;) {
        size_t surest = parts;
        for (size_t part = 0; part < parts; part++) {
            const struct best *of = &best[part * methods + method];
            if (of->is_there && of->step.p <= level && !is_taken[part] &&
                (surest == parts || of->step.p < best[surest * methods + method].step.p))
                surest = part;
        }
        if (surest == parts)
            return TV_OK;
        is_taken[surest] = true;
        const struct tv_step *step = &best[surest * methods + method].step;
        if (!is_near(trend, first, step))
            TV_TRY(add_step(trend, step, err));
    }
}

/* Makes a part of some runs, with rows of its own. */
static enum tv_code make_part(struct part *part, const struct tv_alloc *alloc,
                              const struct tv_join *join, size_t first, size_t count,
                              struct tv_error *err)
{
    part->first = part->inlined.first_run = first;
    part->join = *join;
    part->join.run_count = count;
    part->join.numbers = NULL;
    part->join.callees = NULL;
    if (join->cut_calls)
        part->join.cut_calls = join->cut_calls + first;
    if (join->callees)
        TV_TRY(tv_alloc_new(alloc, &part->join.callees, join->count * count,
                            sizeof(*part->join.callees), err));
    TV_TRY(tv_alloc_new(alloc, &part->join.numbers, join->count * count,
                        sizeof(*part->join.numbers), err));
    for (size_t method = 0; method < join->count; method++) {
        for (size_t run = 0; run < count; run++) {
            part->join.numbers[method * count + run] = *tv_join_row(join, method, first + run);
            if (join->callees)
                part->join.callees[method * count + run] =
                    join->callees[method * join->run_count + first + run];
        }
    }
    return TV_OK;
}

static enum tv_code test_part(struct tv_trend *trend, const struct tv_join *join,
                              const struct inlined *inlined, size_t first, size_t count,
                              const struct tv_changes_opts *opts, size_t tests, struct best *best,
                              struct tv_error *err)
{
    struct part part = {.join = *join, .inlined = *inlined};
    if (count == join->run_count)
        return test_points(trend, &part, opts, tests, best, err);
    const struct tv_alloc *alloc = trend->alloc;
    enum tv_code code = make_part(&part, alloc, join, first, count, err);
    if (code == TV_OK)
        code = test_points(trend, &part, opts, tests, best, err);
    tv_alloc_release(alloc, &part.join.callees, join->count * count, sizeof(*part.join.callees));
    tv_alloc_release(alloc, &part.join.numbers, join->count * count, sizeof(*part.join.numbers));
    return code;
}

/* Every point of every part is one test of the method, and enough tests find a step by chance. So a
 * step is told only where the best point is still sure when it is corrected for that number of
 * tests. */
static enum tv_code find_time_steps(struct tv_trend *trend, const struct tv_join *join,
                                    const struct inlined *inlined,
                                    const struct tv_changes_opts *opts, struct tv_error *err)
{
    struct best *best;
    const size_t runs = join->run_count;
    const size_t parts = runs < TV_TREND_PARTS_FROM ? 1 : TV_TREND_PARTS;
    const size_t half = runs / 2;
    const size_t firsts[TV_TREND_PARTS] = {0, 0, runs / 4, runs - half};
    trend->runs = runs;
    if (runs < 2 * TV_TREND_SIDE_LEAST || tv_changes_lack_time(opts, TV_SIDE_OLD) ||
        tv_changes_lack_time(opts, TV_SIDE_NEW))
        return TV_OK;
    const size_t tests = points_of(runs) + (parts - 1) * (parts > 1 ? points_of(half) : 0);
    TV_TRY(tv_alloc_new(trend->alloc, &best, parts * join->count, sizeof(*best), err));
    enum tv_code code = TV_OK;
    for (size_t part = 0; code == TV_OK && part < parts; part++)
        code = test_part(trend, join, inlined, firsts[part], part ? half : runs, opts, tests,
                         &best[part * join->count], err);
    for (size_t i = 0; code == TV_OK && i < join->count; i++) {
        trend->tested_count += best[i].is_tested;
        code = add_time_steps(trend, best, parts, join->count, i, opts->test.level, err);
        if (code == TV_OK && best[i].gap_ns && !best[i].is_tested)
            code = add_step(trend, &best[i].apart, err);
        trend->apart_count += best[i].gap_ns && !best[i].is_tested;
    }
    tv_alloc_release(trend->alloc, &best, parts * join->count, sizeof(*best));
    return code;
}

static int compare_steps(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_step *of = ctx;
    if (of[a].is_inlined != of[b].is_inlined)
        return of[a].is_inlined ? 1 : -1;
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

size_t tv_trend_apart_end(const struct tv_trend *trend)
{
    return trend->count - trend->inlined_count;
}

size_t tv_trend_tested_end(const struct tv_trend *trend)
{
    return tv_trend_apart_end(trend) - trend->apart_count;
}

enum tv_code tv_trend_find(struct tv_trend *trend, const struct tv_join *join, const bool *inlined,
                           const struct tv_changes_opts *opts, struct tv_error *err)
{
    const struct inlined of = {inlined, join->run_count, 0};
    enum tv_code code = TV_OK;
    tv_trend_release(trend);
    if (opts->other_builds)
        return TV_OK;
    for (uint32_t i = 0; !opts->no_counts[TV_SIDE_NEW] && code == TV_OK && i < join->count; i++)
        code = find_call_steps(trend, join, &of, i, err);
    trend->call_count = trend->count - trend->inlined_count;
    if (code == TV_OK)
        code = find_time_steps(trend, join, &of, opts, err);
    if (code == TV_OK)
        code = sort_steps(trend, err);
    if (code != TV_OK)
        tv_trend_release(trend);
    return code;
}
