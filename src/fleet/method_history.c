/*
 * A method's history; see fleet/method_history.h. Of each trace one look at the database gives the
 * rows of the method, which are few; groups are made of what was read.
 */
#include "fleet/method_history.h"

#include "base/memory/sort.h"
#include "base/numbers/median.h"
#include "compare/comparison.h"

/* An id that no method has: they are positive. */
#define NO_METHOD (-1)

/* A trace with the method's numbers in it, on all kinds of threads together. */
struct seen {
    const struct tv_fleet_trace *trace;
    struct tv_method_row numbers;
    uint64_t slowest_ns, slowest_at_ns;
};

struct history {
    struct tv_method_history *out;
    struct tv_arena *arena;
    struct seen *of;
    size_t count;
    double *values; /* room for two numbers of each trace */
};

static enum tv_code take_row(void *ctx, const struct tv_fleet_read_row *read, struct tv_error *err)
{
    const struct history *history = ctx;
    struct seen *seen = &history->of[read->run];
    (void)err;
    tv_numbers_add(&seen->numbers.numbers, &read->row.numbers.numbers);
    seen->numbers.recursive_calls += read->row.numbers.recursive_calls;
    if (read->row.slowest_ns > seen->slowest_ns) {
        seen->slowest_ns = read->row.slowest_ns;
        seen->slowest_at_ns = read->row.slowest_at_ns;
    }
    return TV_OK;
}

static enum tv_code read_traces(struct history *history, const struct tv_method_history_opts *opts,
                                struct tv_fleet_reader *reader, int64_t method,
                                struct tv_error *err)
{
    struct tv_run_clocks clocks = {.processor = ""};
    const struct tv_fleet_run **runs;
    TV_TRY(tv_arena_take(history->arena, opts->count * sizeof(*runs), &runs, err));
    for (size_t i = 0; i < opts->count && history->count < TV_FLEET_METHOD_TRACES; i++) {
        const struct tv_fleet_trace *trace = &opts->traces[i];
        if (!trace->run || !tv_str_equal(trace->app, opts->app))
            continue;
        runs[history->count] = trace->run;
        history->of[history->count++] = (struct seen){.trace = trace};
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            clocks.lacks[clock] = clocks.lacks[clock] || trace->run->clocks.lacks[clock];
        clocks.has_idle_cpu = clocks.has_idle_cpu || trace->run->clocks.has_idle_cpu;
    }
    history->out->traces = history->count;
    history->out->clock = tv_run_clocks_default(&clocks);
    const struct tv_fleet_wanted wanted = {.runs = runs,
                                           .count = history->count,
                                           .method = method,
                                           .one_clock = true,
                                           .clock = history->out->clock};
    return tv_fleet_read_rows(reader, &wanted, take_row, history, err);
}

static uint64_t calls_of(const struct seen *seen)
{
    return seen->numbers.numbers.calls + seen->numbers.recursive_calls;
}

/* Whether the trace may call the method although it has no row of the method: a trace has a most of
 * rows, and the others are cut. */
static bool is_unknown(const struct seen *seen)
{
    return seen->trace->run->cut_calls && !calls_of(seen);
}

/* Whether the method may have taken more time than is told: the trace has not all of what ran, its
 * wall times are less than they were; or of CPU time, the method was open at the end, or a clock
 * went backwards. */
static bool is_least(const struct history *history, const struct seen *seen)
{
    const struct tv_numbers *numbers = &seen->numbers.numbers;
    const struct tv_fleet_run *run = seen->trace->run;
    if (!calls_of(seen))
        return false;
    if (history->out->clock != TV_CLOCK_CPU)
        return run->odd_wall.len || tv_run_is_less(run->no_counts);
    return run->fell_back || tv_run_is_less(run->no_counts) ||
           tv_unrecorded_is_told(numbers->unrecorded_ns[0], numbers->inclusive_ns[TV_CLOCK_CPU]);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The median of one number of each trace of a group in which it is known. */
static uint64_t median_of(const struct history *history, const uint32_t *members, size_t count,
                          uint64_t (*number)(const struct history *, const struct seen *))
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_unknown(&history->of[members[i]]))
            history->values[known++] = (double)number(history, &history->of[members[i]]);
    }
    return (uint64_t)tv_median(history->values, history->values + history->count, known);
}

static uint64_t all_calls(const struct history *history, const struct seen *seen)
{
    (void)history;
    return calls_of(seen);
}

static uint64_t inclusive(const struct history *history, const struct seen *seen)
{
    return seen->numbers.numbers.inclusive_ns[history->out->clock];
}

static uint64_t exclusive(const struct history *history, const struct seen *seen)
{
    return seen->numbers.numbers.exclusive_ns[history->out->clock];
}

static void add_to_range(struct tv_method_group *group, uint64_t inclusive_ns)
{
    group->least_ns =
        group->having && group->least_ns < inclusive_ns ? group->least_ns : inclusive_ns;
    group->most_ns = group->most_ns > inclusive_ns ? group->most_ns : inclusive_ns;
    group->having++;
}

static void choose_traces(const struct history *history, const uint32_t *members, size_t count,
                          struct tv_method_group *group)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct seen *seen = &history->of[members[i]];
        if (!calls_of(seen))
            continue;
        const uint64_t far = distance(inclusive(history, seen), group->inclusive_ns);
        if (!group->typical || far < least) {
            least = far;
            group->typical = seen->trace;
            group->typical_ns = seen->slowest_ns;
            group->typical_at_ns = seen->slowest_at_ns;
        }
        if (!group->slowest || seen->slowest_ns > group->slowest_ns) {
            group->slowest = seen->trace;
            group->slowest_ns = seen->slowest_ns;
            group->slowest_at_ns = seen->slowest_at_ns;
        }
    }
}

static struct tv_method_group look_at(const struct history *history, struct tv_str name,
                                      const uint32_t *members, size_t count)
{
    struct tv_method_group group = {.name = name, .traces = count};
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        const struct seen *seen = &history->of[members[i]];
        const uint64_t calls = calls_of(seen);
        group.unknown += is_unknown(seen);
        group.at_least += is_least(history, seen);
        group.no_counts += seen->trace->run->no_counts.len > 0;
        if (is_unknown(seen))
            continue;
        group.least_calls = is_first || calls < group.least_calls ? calls : group.least_calls;
        is_first = false;
        group.most_calls = calls > group.most_calls ? calls : group.most_calls;
        if (calls)
            add_to_range(&group, inclusive(history, seen));
    }
    group.median_calls = median_of(history, members, count, all_calls);
    group.inclusive_ns = median_of(history, members, count, inclusive);
    group.exclusive_ns = median_of(history, members, count, exclusive);
    choose_traces(history, members, count, &group);
    return group;
}

/* --- groups --- */

/* The place of each trace among those that were read; traces stand in the same order in both. */
static uint32_t place_of(const struct history *history, const struct tv_fleet_trace *trace)
{
    size_t low = 0;
    size_t high = history->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (history->of[middle].trace < trace)
            low = middle + 1;
        else
            high = middle;
    }
    return low < history->count && history->of[low].trace == trace ? (uint32_t)low : UINT32_MAX;
}

static enum tv_code group_builds(const struct history *history,
                                 const struct tv_fleet_builds *builds, uint32_t *members,
                                 struct tv_error *err)
{
    struct tv_method_history *out = history->out;
    if (!builds->count)
        return TV_OK;
    TV_TRY(tv_arena_take(history->arena, builds->count * sizeof(*out->builds), &out->builds, err));
    for (size_t i = 0; i < builds->count; i++) {
        const struct tv_fleet_build *build = &builds->of[i];
        size_t count = 0;
        for (size_t t = 0; t < build->count; t++) {
            const uint32_t place = place_of(history, build->traces[t]);
            if (place != UINT32_MAX)
                members[count++] = place;
        }
        if (count)
            out->builds[out->build_count++] = look_at(history, build->name, members, count);
    }
    return TV_OK;
}

static int compare_devices(const void *ctx, uint32_t a, uint32_t b)
{
    const struct seen *of = ctx;
    const int order = tv_str_compare(of[a].trace->device, of[b].trace->device);
    return order ? order : (a > b) - (a < b);
}

static enum tv_code group_devices(const struct history *history, uint32_t *members,
                                  struct tv_error *err)
{
    struct tv_method_history *out = history->out;
    size_t first = 0;
    for (uint32_t i = 0; i < history->count; i++)
        members[i] = i;
    TV_TRY(
        tv_sort(history->arena->alloc, members, history->count, compare_devices, history->of, err));
    TV_TRY(
        tv_arena_take(history->arena, history->count * sizeof(*out->devices), &out->devices, err));
    while (first < history->count) {
        const struct tv_str name = history->of[members[first]].trace->device;
        size_t end = first;
        while (end < history->count && tv_str_equal(history->of[members[end]].trace->device, name))
            end++;
        out->devices[out->device_count++] = look_at(history, name, members + first, end - first);
        first = end;
    }
    return TV_OK;
}

/* A method that no run has is looked for all the same: the answer, and the time that it takes, are
 * those about a method that only traces have which do not count for whoever asks. */
static enum tv_code find_method(struct tv_fleet_reader *reader, const struct tv_fleet_method *names,
                                int64_t *method, struct tv_error *err)
{
    const enum tv_code code = tv_fleet_find_method(reader, names, method, err);
    if (code != TV_ERR_NOT_FOUND)
        return code;
    *method = NO_METHOD;
    return TV_OK;
}

/* Leaves traces out in whose builds the name is another method's than in the newest trace that
 * calls it. */
static void leave_out_others(struct history *history)
{
    const struct tv_run_build *build = NULL;
    size_t kept = 0;
    for (size_t i = 0; !build && i < history->count; i++) {
        if (calls_of(&history->of[i]))
            build = &history->of[i].trace->run->build;
    }
    for (size_t i = 0; i < history->count; i++) {
        if (!build || !tv_run_builds_are_apart(build, &history->of[i].trace->run->build))
            history->of[kept++] = history->of[i];
    }
    history->out->other_builds = history->count - kept;
    history->out->traces = history->count = kept;
}

static enum tv_code make(struct history *history, const struct tv_method_history_opts *opts,
                         struct tv_fleet_reader *reader, struct tv_error *err)
{
    struct tv_fleet_builds builds;
    uint32_t *members;
    int64_t method;
    TV_TRY(find_method(reader, opts->names, &method, err));
    TV_TRY(tv_arena_take(history->arena, opts->count * sizeof(*history->of), &history->of, err));
    TV_TRY(tv_arena_take(history->arena, 2 * opts->count * sizeof(double), &history->values, err));
    TV_TRY(tv_arena_take(history->arena, opts->count * sizeof(*members), &members, err));
    TV_TRY(read_traces(history, opts, reader, method, err));
    leave_out_others(history);
    TV_TRY(
        tv_fleet_builds_find(&builds, opts->traces, opts->count, opts->app, history->arena, err));
    TV_TRY(group_builds(history, &builds, members, err));
    return history->count ? group_devices(history, members, err) : TV_OK;
}

static bool is_called(const struct history *history)
{
    bool is_called = false;
    for (size_t i = 0; i < history->count; i++) {
        is_called = is_called || calls_of(&history->of[i]);
        history->out->unknown += is_unknown(&history->of[i]);
        history->out->at_least += is_least(history, &history->of[i]);
        history->out->no_counts += history->of[i].trace->run->no_counts.len > 0;
    }
    return is_called;
}

enum tv_code tv_method_history_make(struct tv_method_history *history,
                                    const struct tv_method_history_opts *opts,
                                    struct tv_fleet_reader *reader, struct tv_arena *arena,
                                    struct tv_error *err)
{
    struct history making = {.out = history, .arena = arena};
    *history = (struct tv_method_history){.traces = 0};
    if (opts->count)
        TV_TRY(make(&making, opts, reader, err));
    if (is_called(&making))
        return TV_OK;
    if (history->unknown)
        return tv_fail(
            err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
            "no trace of this app that counts has a row of this method; %zu of them have "
            "more methods than rows are kept of, and may call it",
            history->unknown);
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "no trace of this app that counts calls this method");
}
