/*
 * Insights of a sampled trace; see analysis/insights/search.h.
 *
 * Samples tell shares: how much of the time that the main thread was busy was spent where. So the
 * insights are: late frames, the app's own code, the packages with the most time, and the methods
 * that the thread waited in. Each share has a margin, two standard errors of a share at the number
 * of samples that the busy time had: by the interval that the recorder tells, else by the usual
 * distance of the thread's records, which is no shorter.
 *
 * Of samples of Android, times are wall time: CPU time is booked to what ran before
 * (analysis/calls/stayed.h), and nothing but its loop's wait for messages tells that the thread was
 * idle. Our own recorders know the CPU time of each stack, so there busy is CPU time, and the rest
 * of a method's own time it waited.
 */
#include "analysis/calls/sampling_interval.h"
#include "analysis/calls/stayed.h"
#include "analysis/insights/search.h"
#include "analysis/lanes/lanes.h"
#include "analysis/profile/groups.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/names.h"
#include "analysis/selection/platform.h"
#include "base/error.h"

/* More frames than a recording of minutes has; if there are more, only the longest are counted. */
#define FRAMES_MOST 100000u
/* A package is told from this share of the busy time on. */
#define PACKAGE_PERCENT 5u
#define PACKAGES_MOST 3u

/* The main thread's time. */
struct main_time {
    struct tv_insight_search *search;
    struct tv_sums sums; /* of the main thread */
    struct tv_profile profile;
    struct tv_method_filter platform; /* hidden: methods of the platform */
    enum tv_clock busy_clock;
    uint64_t idle_ns; /* where its loop waits for messages */
    uint64_t busy_ns;
    uint64_t interval_ns; /* 0: the trace does not tell it */
};

static uint64_t own_ns(const struct main_time *time, uint32_t method)
{
    return time->profile.rows[method].numbers.exclusive_ns[time->busy_clock];
}

/* How long a method waited. Where the trace has CPU times: wall time less CPU time, if that is at
 * least half of the wall time, else 0, since a smaller difference may come from a busy machine.
 * Without CPU times: all of the wall time. */
static uint64_t waited_ns(const struct main_time *time, const uint64_t ns[TV_CLOCK_COUNT])
{
    if (time->busy_clock == TV_CLOCK_WALL)
        return ns[TV_CLOCK_WALL];
    return ns[TV_CLOCK_WALL] / 2 >= ns[TV_CLOCK_CPU] ? ns[TV_CLOCK_WALL] - ns[TV_CLOCK_CPU] : 0;
}

/* --- the margin of a share --- */

/* By halving the distance to x / root: the folders that are pure have no library of functions. */
static double square_root(double x)
{
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 64; i++)
        root = (root + x / root) / 2;
    return root;
}

/* Two standard errors of part / whole, as time: 2 * whole * sqrt(p * (1 - p) / n), n = whole /
 * interval.
 */
static uint64_t margin_of(const struct main_time *time, uint64_t part_ns, uint64_t whole_ns)
{
    double rest_ns = (double)(whole_ns > part_ns ? whole_ns - part_ns : 0);
    if (!whole_ns)
        return 0;
    return (uint64_t)(2 * square_root((double)part_ns * (rest_ns / (double)whole_ns) *
                                      (double)time->interval_ns));
}

/* --- the insights --- */

/* Runs of frames beyond the budget, by the longest of them: neighbouring frames without a sample
 * between them count as one. */
static enum tv_code tell_frames(struct main_time *time)
{
    struct tv_insight_search *search = time->search;
    struct tv_insight insight = tv_insight_blank(TV_INSIGHT_FRAMES);
    struct tv_lanes lanes;
    tv_lanes_init(&lanes, search->alloc);
    enum tv_code code = tv_lanes_find(&lanes, search->index, FRAMES_MOST, search->err);
    const struct tv_lane_items *frames = &lanes.lanes[TV_LANE_FRAME];
    uint64_t worst_ns = TV_INSIGHT_FRAME_NS;
    for (size_t i = 0; code == TV_OK && i < frames->count; i++) {
        const struct tv_lane_item *frame = &frames->of[i];
        if (frame->len_ns <= TV_INSIGHT_FRAME_NS)
            continue;
        insight.calls++;
        insight.at_stake_ns += frame->len_ns - TV_INSIGHT_FRAME_NS;
        if (frame->len_ns <= worst_ns)
            continue;
        worst_ns = frame->len_ns;
        insight.call = frame->call;
        insight.method = frame->method;
        insight.from_ns = frame->start_ns;
        insight.to_ns = frame->start_ns + frame->len_ns;
        insight.took_ns = frame->len_ns;
    }
    insight.of_calls = frames->count + frames->left_out;
    if (code == TV_OK && insight.at_stake_ns >= search->insights->least_ns)
        tv_insight_add(search->insights, &insight);
    tv_lanes_release(&lanes);
    return code;
}

static void tell_part(const struct main_time *time, struct tv_insight *insight, uint64_t whole_ns)
{
    insight->margin_ns = margin_of(time, insight->at_stake_ns, whole_ns);
    if (insight->at_stake_ns >= time->search->insights->least_ns)
        tv_insight_add(time->search->insights, insight);
}

/* Tells how much time the methods outside of the platform took, and which of them took the most. */
static void tell_own(const struct main_time *time)
{
    struct tv_insight insight = tv_insight_blank(TV_INSIGHT_OWN);
    uint64_t most_ns = 0;
    for (uint32_t i = 0; i < time->profile.row_count; i++) {
        if (time->platform.hidden && time->platform.hidden[i])
            continue;
        insight.at_stake_ns += own_ns(time, i);
        if (own_ns(time, i) <= most_ns)
            continue;
        most_ns = own_ns(time, i);
        insight.method = i;
    }
    insight.other_amount = time->busy_ns;
    tell_part(time, &insight, time->busy_ns);
}

/* Names of groups have points where those of classes may have slashes. */
static bool is_same_package(struct tv_str package, struct tv_str group)
{
    bool is_same = package.len == group.len;
    for (size_t i = 0; is_same && i < group.len; i++)
        is_same = (package.at[i] == '/' ? '.' : package.at[i]) == group.at[i];
    return is_same;
}

static bool is_in(const struct main_time *time, uint32_t method, struct tv_str group)
{
    struct tv_str class_name = tv_method_class(time->search->index, method);
    return is_same_package(tv_class_package(class_name, TV_INSIGHT_PACKAGE_PARTS), group);
}

/* How much of a package is the wait for messages. */
static uint64_t idle_of_package(const struct main_time *time, struct tv_str group)
{
    uint64_t idle_ns = 0;
    for (uint32_t i = 0; i < time->profile.row_count; i++) {
        if (tv_insight_is_idle(time->search->index, i) && is_in(time, i, group))
            idle_ns += own_ns(time, i);
    }
    return idle_ns;
}

/* The method of a package that took most, the wait for messages aside. */
static uint32_t most_of_package(const struct main_time *time, struct tv_str group)
{
    const struct tv_index *index = time->search->index;
    uint32_t most = TV_NONE;
    for (uint32_t i = 0; i < time->profile.row_count; i++) {
        if (own_ns(time, i) && !tv_insight_is_idle(index, i) && is_in(time, i, group) &&
            (most == TV_NONE || own_ns(time, i) > own_ns(time, most)))
            most = i;
    }
    return most;
}

/* Whether a package with this time is told of. */
static bool is_told_of(const struct main_time *time, uint64_t time_ns)
{
    return time_ns / PACKAGE_PERCENT >= time->busy_ns / 100;
}

/* The packages with the most exclusive time. The loop's wait for messages is subtracted from the
 * package that it belongs to. Finding it takes a walk over all methods, so packages that are too
 * small even with it are left out first. */
static enum tv_code tell_packages(const struct main_time *time)
{
    const struct tv_insight_search *search = time->search;
    const struct tv_groups_opts opts = {.kind = TV_GROUP_PACKAGE,
                                        .parts = TV_INSIGHT_PACKAGE_PARTS};
    const struct tv_profile_sort sort = {
        .key = TV_SORT_EXCLUSIVE,
        .measure = time->busy_clock == TV_CLOCK_WALL ? TV_MEASURE_WALL : TV_MEASURE_CPU,
        .order = TV_DESCENDING};
    struct tv_groups groups;
    tv_groups_init(&groups, search->alloc);
    enum tv_code code = tv_groups_compute(&groups, &time->sums, &time->profile, &opts, search->err);
    if (code == TV_OK)
        code = tv_groups_order(&groups, &sort, search->err);
    unsigned told = 0;
    for (size_t i = 0; code == TV_OK && i < groups.count && told < PACKAGES_MOST; i++) {
        struct tv_insight insight = tv_insight_blank(TV_INSIGHT_PACKAGE);
        insight.at_stake_ns = groups.rows[i].numbers.exclusive_ns[time->busy_clock];
        if (!is_told_of(time, insight.at_stake_ns))
            break;
        insight.at_stake_ns -= idle_of_package(time, groups.rows[i].name);
        if (!groups.rows[i].name.len || !is_told_of(time, insight.at_stake_ns))
            continue;
        insight.method = most_of_package(time, groups.rows[i].name);
        insight.other_amount = time->busy_ns;
        told++;
        if (insight.method != TV_NONE)
            tell_part(time, &insight, time->busy_ns);
    }
    tv_groups_release(&groups);
    return code;
}

/* The nearest caller of a node that is of no package of the platform. */
static uint32_t own_caller(const struct main_time *time, uint32_t node)
{
    const struct tv_sums *sums = &time->sums;
    for (node = sums->parent[node]; node != TV_NONE; node = sums->parent[node]) {
        if (!time->platform.hidden || !time->platform.hidden[sums->method[node]])
            return sums->method[node];
    }
    return TV_NONE;
}

/* Through which of one's own methods most of the time of a method was spent. */
static void find_own_caller(const struct main_time *time, struct tv_insight *insight)
{
    struct tv_insight_search *search = time->search;
    struct tv_node_range nodes = tv_sums_nodes(&time->sums, 0);
    tv_insight_forget_methods(search);
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        if (time->sums.method[node] != insight->method)
            continue;
        uint32_t caller = own_caller(time, node);
        if (caller == TV_NONE)
            continue;
        const uint64_t ns[] = {[TV_CLOCK_WALL] =
                                   tv_sums_exclusive(&time->sums, TV_CLOCK_WALL, node),
                               [TV_CLOCK_CPU] = tv_sums_exclusive(&time->sums, TV_CLOCK_CPU, node)};
        search->per_method[caller] += waited_ns(time, ns);
        if (search->per_method[caller] > insight->other_amount) {
            insight->other_amount = search->per_method[caller];
            insight->other_method = caller;
        }
    }
}

/* What the thread waited in: locks, sleeps, other processes, the collector of garbage, a database.
 */
static void tell_waits(const struct main_time *time)
{
    const struct tv_index *index = time->search->index;
    for (uint32_t i = 0; i < time->profile.row_count; i++) {
        struct tv_insight insight = tv_insight_blank(TV_INSIGHT_SPENT);
        const uint64_t ns = waited_ns(time, time->profile.rows[i].numbers.exclusive_ns);
        if (ns < time->search->insights->least_ns || tv_insight_is_idle(index, i) ||
            (time->busy_clock == TV_CLOCK_WALL && !tv_insight_waits_outside(index, i)))
            continue;
        insight.method = i;
        insight.at_stake_ns = ns;
        find_own_caller(time, &insight);
        tell_part(time, &insight,
                  time->busy_clock == TV_CLOCK_WALL ? time->busy_ns
                                                    : time->profile.total_ns[TV_CLOCK_WALL]);
    }
}

struct tv_str tv_insight_package(const struct tv_index *index, const struct tv_insight *insight)
{
    return tv_class_package(tv_method_class(index, insight->method), TV_INSIGHT_PACKAGE_PARTS);
}

/* --- all of it --- */

static enum tv_code measure(struct main_time *time)
{
    struct tv_insight_search *search = time->search;
    const struct tv_index *index = search->index;
    const struct tv_selection of_main = {.threads = &search->insights->main_thread,
                                         .thread_count = 1};
    const struct tv_method_filter_opts platform = {.hidden = TV_STR(TV_PLATFORM_PACKAGES)};
    const bool has_cpu = index->info->has_clock[TV_CLOCK_CPU] &&
                         !search->insights->is_wrong[TV_CLOCK_CPU] &&
                         !tv_sampled_cpu_is_of_before(index);
    time->busy_clock = has_cpu ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    TV_TRY(tv_method_filter_make(&time->platform, index, &platform, search->err));
    TV_TRY(tv_sums_compute(&time->sums, index, &of_main, search->pool, search->err));
    TV_TRY(tv_profile_of_sums(&time->profile, &time->sums, search->err));
    for (uint32_t i = 0; i < time->profile.row_count; i++)
        time->idle_ns += tv_insight_is_idle(index, i) ? own_ns(time, i) : 0;
    time->busy_ns = time->profile.total_ns[time->busy_clock] - time->idle_ns;
    return tv_sampling_interval(&time->interval_ns, search->alloc, index,
                                search->insights->main_thread, search->err);
}

static enum tv_code tell(struct main_time *time)
{
    TV_TRY(measure(time));
    TV_TRY(tell_frames(time));
    tell_own(time);
    tell_waits(time);
    return tell_packages(time);
}

enum tv_code tv_insight_samples(struct tv_insight_search *search)
{
    struct main_time time = {.search = search};
    if (search->insights->main_thread == TV_NONE ||
        !search->index->info->has_clock[TV_CLOCK_WALL] || search->insights->is_wrong[TV_CLOCK_WALL])
        return TV_OK;
    tv_sums_init(&time.sums, search->alloc);
    tv_profile_init(&time.profile, search->alloc);
    tv_method_filter_init(&time.platform, search->alloc);
    enum tv_code code = tell(&time);
    tv_method_filter_release(&time.platform);
    tv_profile_release(&time.profile);
    tv_sums_release(&time.sums);
    return code;
}
