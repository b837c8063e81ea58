/* What is worth a look; see analysis/insights/insights.h. */
#include "analysis/insights/insights.h"

#include "analysis/calls/percentiles.h"
#include "analysis/health.h"
#include "analysis/profile/overhead.h"
#include "analysis/profile/profile.h"
#include "analysis/selection/names.h"
#include "analysis/selection/range.h"
#include "analysis/selection/sums.h"
#include "base/error.h"
#include "base/sort.h"
#include "index/mipmap.h"

/* A call is spent "mostly" in a callee that has half of its time. */
#define MOSTLY_PART 2u
/* A slow call inside another explains it when it has this much of what the other took too long. */
#define EXPLAINS_PERCENT 80u
/* Whoever waits for more of the trace than this has nothing to do. */
#define IDLE_PERCENT 90u
/* Another thread "did" something during a wait when it was busy for this part of it. */
#define BUSY_PART 4u

const char *tv_insight_kind_name(enum tv_insight_kind kind)
{
    static const char *const names[TV_INSIGHT_KINDS] = {
        [TV_INSIGHT_OVERFLOW] = "overflow", [TV_INSIGHT_SLOW] = "slow",
        [TV_INSIGHT_WAIT] = "wait",         [TV_INSIGHT_OFTEN] = "often",
        [TV_INSIGHT_OVERHEAD] = "overhead",
    };
    return names[kind];
}

/* A call that is slow, or waits, and by how much. */
struct mark {
    struct tv_call_ref ref;
    uint32_t slot; /* its method's */
    bool is_explained;
    uint64_t start; /* units, axis clock */
    uint64_t end;
    uint64_t at_stake; /* units */
};

struct marks {
    struct mark *of;
    size_t count;
    size_t cap;
};

/* What the marks of one method add up to. */
struct group {
    uint32_t method;
    uint64_t calls;
    uint64_t at_stake;
    uint64_t limit;  /* SLOW: units from which a call of the method is slow */
    uint64_t median; /* SLOW: units */
    size_t longest;  /* the mark with the most at stake */
};

/* The search, with what all of its parts need. */
struct finding_insights {
    struct tv_insights *insights;
    const struct tv_index *index;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    enum tv_clock axis;
    uint64_t axis_len; /* units */
    uint64_t least;    /* units */
    struct tv_profile profile;
    struct tv_sums sums;
    struct marks long_calls; /* that take the least or longer; their slots are methods */
    struct marks marks;      /* of these, those that are told; their slots are groups */
    struct group *groups;    /* one per slot */
    size_t group_count;
    size_t group_cap;
    uint64_t *per_method; /* scratch: one per method */
    struct tv_error *err;
    enum tv_code code; /* the first failure of a scan */
};

uint32_t tv_main_thread(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    uint32_t named = TV_NONE;
    uint32_t numbered = TV_NONE;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        if (tv_str_equal(tv_index_text(index, thread->name_off, thread->name_len),
                         TV_STR("main"))) {
            if (named != TV_NONE)
                return TV_NONE;
            named = i;
        }
        if (info->has_pid && thread->id == info->pid)
            numbered = i;
    }
    return named != TV_NONE ? named : numbered;
}

/* Inserts by what is at stake; an overflow stands first. The least of a full list falls out. */
static void add(struct tv_insights *insights, const struct tv_insight *insight)
{
    size_t at = insights->count;
    while (at && insights->of[at - 1].kind != TV_INSIGHT_OVERFLOW &&
           insights->of[at - 1].at_stake_ns < insight->at_stake_ns)
        at--;
    if (at == TV_INSIGHTS_MOST)
        return;
    if (insights->count < TV_INSIGHTS_MOST)
        insights->count++;
    for (size_t i = insights->count - 1; i > at; i--)
        insights->of[i] = insights->of[i - 1];
    insights->of[at] = *insight;
}

static struct tv_insight blank(enum tv_insight_kind kind)
{
    return (struct tv_insight){.kind = kind,
                               .call = TV_NO_CALL,
                               .method = TV_NONE,
                               .other_thread = TV_NONE,
                               .other_method = TV_NONE};
}

static void take_call(const struct finding_insights *finding, const struct mark *mark,
                      struct tv_insight *insight)
{
    uint32_t unit_ns = finding->index->info->unit_ns;
    insight->call = mark->ref;
    insight->from_ns = mark->start * unit_ns;
    insight->to_ns = mark->end * unit_ns;
}

static void keep_mark(struct finding_insights *finding, struct marks *marks,
                      const struct mark *mark)
{
    if (finding->code == TV_OK)
        finding->code = tv_alloc_grow(finding->alloc, &marks->of, &marks->cap, marks->count + 1,
                                      sizeof(*marks->of), finding->err);
    if (finding->code == TV_OK)
        marks->of[marks->count++] = *mark;
}

/* Adds the marks that are not explained up to a group for each slot. Marks stand by thread and
 * start; a mark inside the one before of the same method adds a call, and no time. */
static void add_up(struct finding_insights *finding)
{
    struct marks *marks = &finding->marks;
    for (size_t i = 0; i < finding->group_count; i++)
        finding->groups[i].calls = finding->groups[i].at_stake = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->of[i];
        struct group *group = &finding->groups[mark->slot];
        if (mark->is_explained)
            continue;
        const struct mark *longest = &marks->of[group->longest];
        bool is_inside = group->calls && longest->ref.thread_ix == mark->ref.thread_ix &&
                         mark->start >= longest->start && mark->end <= longest->end;
        if (!group->calls || mark->at_stake > longest->at_stake)
            group->longest = i;
        group->calls++;
        group->at_stake += is_inside ? 0 : mark->at_stake;
    }
}

static int by_stake(const void *ctx, uint32_t a, uint32_t b)
{
    const struct group *of = ctx;
    if (of[a].at_stake != of[b].at_stake)
        return of[a].at_stake > of[b].at_stake ? -1 : 1;
    return 0;
}

/* Puts the groups with the most at stake first; marks do not know their slots afterwards. Any
 * number of groups may be passed over, so they are not searched for the next one each time. */
static enum tv_code rank_groups(struct finding_insights *finding)
{
    return tv_sort_rows(finding->alloc, finding->groups, finding->group_count,
                        sizeof(*finding->groups), by_stake, finding->groups, finding->err);
}

/* How many groups, from the first on, have as much at stake as is told. */
static size_t count_told_groups(const struct finding_insights *finding)
{
    size_t count = 0;
    while (count < finding->group_count && finding->groups[count].at_stake >= finding->least)
        count++;
    return count;
}

/* --- slow calls --- */

/* Methods that do nothing but wait: that one of their calls took long says nothing about them. */
static bool is_waiter(const struct tv_index *index, uint32_t method)
{
    static const struct {
        const char *class_name; /* its end */
        const char *name;
    } waiters[] = {{"MessageQueue", "nativePollOnce"},
                   {"java.lang.Object", "wait"},
                   {"java.lang.Thread", "sleep"},
                   {"java.lang.Thread", "join"},
                   {"Unsafe", "park"},
                   {"LockSupport", "park"},
                   {"LockSupport", "parkNanos"},
                   {"", "epoll_wait"},
                   {"", "poll"},
                   {"", "nanosleep"}};
    struct tv_str class_name = tv_method_class(index, method);
    struct tv_str name = tv_method_name(index, method);
    for (size_t i = 0; i < TV_COUNT_OF(waiters); i++) {
        if (tv_str_equal(name, tv_str_from(waiters[i].name)) &&
            tv_str_ends_with(class_name, tv_str_from(waiters[i].class_name)))
            return true;
    }
    return false;
}

/* Whether a call waited rather than worked. The waits of the main thread are told one by one, and
 * whoever waits in its call is not slow; another thread that waits has nothing to do. */
static bool has_waited(const struct finding_insights *finding, const struct mark *mark)
{
    const struct tv_index *index = finding->index;
    const struct tv_index_thread *thread = &index->threads[mark->ref.thread_ix];
    if (mark->ref.thread_ix == finding->insights->main_thread) {
        uint64_t exclusive[TV_CLOCK_COUNT];
        tv_call_exclusive(index, mark->ref, exclusive);
        return tv_call_is_waiting(index, mark->ref) &&
               exclusive[finding->axis] >= (mark->end - mark->start) / 2;
    }
    if (!tv_index_has_wait(index))
        return false;
    uint64_t cpu = tv_index_duration(index, thread, TV_CLOCK_CPU, mark->ref.call);
    return cpu < (mark->end - mark->start) / 2;
}

static enum tv_code add_group(struct finding_insights *finding, const struct group *group)
{
    TV_TRY(tv_alloc_grow(finding->alloc, &finding->groups, &finding->group_cap,
                         finding->group_count + 1, sizeof(*finding->groups), finding->err));
    finding->groups[finding->group_count++] = *group;
    return TV_OK;
}

/* A row whose long calls are looked at. */
struct seeing {
    struct finding_insights *finding;
    uint32_t thread_ix;
    uint32_t depth;
};

static void see_call(void *ctx, uint64_t call, uint64_t len)
{
    const struct seeing *seeing = ctx;
    struct finding_insights *finding = seeing->finding;
    const struct tv_index *index = finding->index;
    const struct tv_call_ref ref = {seeing->thread_ix, seeing->depth, call};
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint64_t start = tv_index_start(index, thread, finding->axis, call);
    const struct mark mark = {
        .ref = ref, .slot = tv_call_method(index, ref), .start = start, .end = start + len};
    keep_mark(finding, &finding->long_calls, &mark);
}

static enum tv_code mark_long_calls(struct finding_insights *finding)
{
    const struct tv_index *index = finding->index;
    struct seeing seeing = {.finding = finding};
    for (; seeing.thread_ix < index->thread_count; seeing.thread_ix++) {
        const struct tv_index_thread *thread = &index->threads[seeing.thread_ix];
        for (seeing.depth = 0; seeing.depth < thread->max_depth; seeing.depth++) {
            const struct tv_mipmap mipmap =
                tv_mipmap_of(index, seeing.thread_ix, thread->row_first + seeing.depth);
            tv_mipmap_each_from(&mipmap, finding->least, see_call, &seeing);
        }
    }
    return finding->code;
}

/* The methods of long calls that may be far from their median: per_method has 1 + their places in
 * `methods`, and 0 for the others. */
static size_t list_suspects(struct finding_insights *finding, uint32_t *methods)
{
    const struct tv_index *index = finding->index;
    size_t count = 0;
    for (uint32_t i = 0; i < index->method_count; i++)
        finding->per_method[i] = 0;
    for (size_t i = 0; i < finding->long_calls.count; i++) {
        uint32_t method = finding->long_calls.of[i].slot;
        const struct tv_index_method *row = &index->methods[method];
        if (finding->per_method[method] ||
            row->calls + row->recursive_calls < TV_INSIGHT_SLOW_CALLS || is_waiter(index, method))
            continue;
        methods[count++] = method;
        finding->per_method[method] = count;
    }
    return count;
}

/* Makes a group for each of the methods, with what is slow for its calls. */
static enum tv_code make_groups(struct finding_insights *finding, const uint32_t *methods,
                                size_t count)
{
    uint64_t unit_ns = finding->index->info->unit_ns;
    struct tv_method_percentiles *percentiles = NULL;
    TV_TRY(tv_alloc_new(finding->alloc, &percentiles, count, sizeof(*percentiles), finding->err));
    const struct tv_percentiles_question question = {
        .profile = &finding->profile, .sums = &finding->sums, .methods = methods, .count = count};
    enum tv_code code = tv_percentiles_compute(&question, finding->pool, percentiles, finding->err);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        uint64_t median = percentiles[i].of[finding->axis].p50_ns / unit_ns;
        uint64_t limit = median + finding->least;
        if (limit < median * TV_INSIGHT_SLOW_TIMES)
            limit = median * TV_INSIGHT_SLOW_TIMES;
        code = add_group(finding,
                         &(struct group){.method = methods[i], .median = median, .limit = limit});
    }
    tv_alloc_release(finding->alloc, &percentiles, count, sizeof(*percentiles));
    return code;
}

/* Takes the slow ones of the long calls. */
static enum tv_code keep_slow_calls(struct finding_insights *finding)
{
    finding->marks.count = 0;
    for (size_t i = 0; i < finding->long_calls.count; i++) {
        struct mark mark = finding->long_calls.of[i];
        if (!finding->per_method[mark.slot])
            continue;
        mark.slot = (uint32_t)finding->per_method[mark.slot] - 1;
        const struct group *group = &finding->groups[mark.slot];
        if (mark.end - mark.start < group->limit || has_waited(finding, &mark))
            continue;
        mark.at_stake = mark.end - mark.start - group->median;
        keep_mark(finding, &finding->marks, &mark);
    }
    return finding->code;
}

static int by_place(const void *ctx, uint32_t a, uint32_t b)
{
    const struct mark *of = ctx;
    if (of[a].ref.thread_ix != of[b].ref.thread_ix)
        return of[a].ref.thread_ix < of[b].ref.thread_ix ? -1 : 1;
    if (of[a].start != of[b].start)
        return of[a].start < of[b].start ? -1 : 1;
    return of[a].ref.depth < of[b].ref.depth ? -1 : 1;
}

/* A slow call that is slow because of one it made is explained by that one. Marks stand by thread,
 * start and depth, so what is inside a mark follows it. */
static void explain(struct marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        struct mark *outer = &marks->of[i];
        for (size_t k = i + 1; k < marks->count && !outer->is_explained; k++) {
            const struct mark *inner = &marks->of[k];
            if (inner->ref.thread_ix != outer->ref.thread_ix || inner->start >= outer->end)
                break;
            outer->is_explained = inner->ref.depth > outer->ref.depth &&
                                  inner->at_stake / EXPLAINS_PERCENT >= outer->at_stake / 100;
        }
    }
}

/* Follows the longest callee while it has most of the call; the last that is another method is
 * told. False: the call was spent in waiting. */
static bool find_inside(const struct finding_insights *finding, struct tv_insight *insight)
{
    const struct tv_index *index = finding->index;
    const struct tv_index_thread *thread = &index->threads[insight->call.thread_ix];
    uint64_t whole = tv_index_duration(index, thread, finding->axis, insight->call.call);
    struct tv_call_ref at = insight->call;
    for (;;) {
        struct tv_call_ref longest = TV_NO_CALL;
        uint64_t most = 0;
        for (struct tv_call_ref callee = tv_call_first_callee(index, at); tv_call_is(callee);
             callee = tv_call_sibling(index, callee, TV_FORWARD)) {
            uint64_t duration = tv_index_duration(index, thread, finding->axis, callee.call);
            if (duration > most) {
                most = duration;
                longest = callee;
            }
        }
        if (!tv_call_is(longest) || most < whole / MOSTLY_PART)
            return true;
        at = longest;
        uint32_t method = tv_call_method(index, at);
        if (is_waiter(index, method))
            return false;
        if (method == insight->method)
            continue;
        insight->other_method = method;
        insight->other_amount = most * index->info->unit_ns;
    }
}

static enum tv_code find_slow_calls(struct finding_insights *finding, uint32_t *methods)
{
    TV_TRY(make_groups(finding, methods, list_suspects(finding, methods)));
    TV_TRY(keep_slow_calls(finding));
    TV_TRY(tv_sort_rows(finding->alloc, finding->marks.of, finding->marks.count,
                        sizeof(*finding->marks.of), by_place, finding->marks.of, finding->err));
    explain(&finding->marks);
    add_up(finding);
    TV_TRY(rank_groups(finding));
    const size_t count = count_told_groups(finding);
    unsigned told = 0;
    for (size_t i = 0; i < count && told < TV_INSIGHTS_OF_KIND_MOST; i++) {
        const struct group *group = &finding->groups[i];
        const struct tv_index_method *method = &finding->index->methods[group->method];
        struct tv_insight insight = blank(TV_INSIGHT_SLOW);
        insight.method = group->method;
        insight.calls = group->calls;
        insight.of_calls = method->calls + method->recursive_calls;
        insight.at_stake_ns = group->at_stake * finding->index->info->unit_ns;
        insight.median_ns = group->median * finding->index->info->unit_ns;
        take_call(finding, &finding->marks.of[group->longest], &insight);
        if (!find_inside(finding, &insight))
            continue;
        add(finding->insights, &insight);
        told++;
    }
    return TV_OK;
}

/* --- waits of the main thread --- */

/* Where the loop of the main thread waits for its next message: it has nothing to do. */
static bool is_idle(const struct tv_index *index, uint32_t method)
{
    return tv_str_equal(tv_method_name(index, method), TV_STR("nativePollOnce"));
}

/* Finds the group of a method, or begins it: per_method has 1 + its slot. */
static enum tv_code find_slot(struct finding_insights *finding, uint32_t method, uint32_t *slot)
{
    uint64_t *told = &finding->per_method[method];
    if (!*told) {
        TV_TRY(add_group(finding, &(struct group){.method = method}));
        *told = finding->group_count;
    }
    *slot = (uint32_t)*told - 1;
    return TV_OK;
}

/* Takes those of the long calls in which the main thread waited. */
static enum tv_code keep_waits(struct finding_insights *finding)
{
    const struct tv_index *index = finding->index;
    finding->marks.count = 0;
    for (uint32_t i = 0; i < index->method_count; i++)
        finding->per_method[i] = 0;
    for (size_t i = 0; i < finding->long_calls.count; i++) {
        struct mark mark = finding->long_calls.of[i];
        uint64_t exclusive[TV_CLOCK_COUNT];
        if (mark.ref.thread_ix != finding->insights->main_thread)
            continue;
        tv_call_exclusive(index, mark.ref, exclusive);
        uint64_t wall = exclusive[TV_CLOCK_WALL];
        uint64_t wait = wall > exclusive[TV_CLOCK_CPU] ? wall - exclusive[TV_CLOCK_CPU] : 0;
        if (wait < finding->least || wait < wall / 2 ||
            wait / IDLE_PERCENT >= finding->axis_len / 100 || is_idle(index, mark.slot))
            continue;
        TV_TRY(find_slot(finding, mark.slot, &mark.slot));
        mark.at_stake = wait;
        keep_mark(finding, &finding->marks, &mark);
    }
    return finding->code;
}

/* The thread that used most of the processor meanwhile, and the method in which it did. */
static enum tv_code find_meanwhile(struct finding_insights *finding, struct tv_insight *insight)
{
    const struct tv_index *index = finding->index;
    const struct tv_selection meanwhile = {
        .has_range = true, .from_ns = insight->from_ns, .to_ns = insight->to_ns};
    struct tv_sums sums;
    tv_sums_init(&sums, finding->alloc);
    TV_TRY(tv_sums_compute(&sums, index, &meanwhile, finding->pool, finding->err));
    uint64_t most = (insight->to_ns - insight->from_ns) / BUSY_PART;
    uint32_t busiest = TV_NONE;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        uint64_t busy = 0;
        struct tv_node_range nodes = tv_sums_nodes(&sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            busy += tv_sums_exclusive(&sums, TV_CLOCK_CPU, node);
        if (i != insight->call.thread_ix && busy > most) {
            most = busy;
            busiest = i;
        }
    }
    if (busiest != TV_NONE) {
        struct tv_node_range nodes = tv_sums_nodes(&sums, busiest);
        for (uint32_t i = 0; i < index->method_count; i++)
            finding->per_method[i] = 0;
        insight->other_thread = busiest;
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            uint64_t *sum = &finding->per_method[sums.method[node]];
            *sum += tv_sums_exclusive(&sums, TV_CLOCK_CPU, node);
            if (*sum > insight->other_amount) {
                insight->other_amount = *sum;
                insight->other_method = sums.method[node];
            }
        }
    }
    tv_sums_release(&sums);
    return TV_OK;
}

static enum tv_code find_waits(struct finding_insights *finding)
{
    const struct tv_index *index = finding->index;
    finding->group_count = 0;
    if (finding->insights->main_thread == TV_NONE || !tv_index_has_wait(index))
        return TV_OK;
    TV_TRY(keep_waits(finding));
    add_up(finding);
    TV_TRY(rank_groups(finding));
    const size_t count = count_told_groups(finding);
    for (size_t i = 0; i < count && i < TV_INSIGHTS_OF_KIND_MOST; i++) {
        const struct group *group = &finding->groups[i];
        struct tv_insight insight = blank(TV_INSIGHT_WAIT);
        insight.method = group->method;
        insight.calls = group->calls;
        insight.at_stake_ns = group->at_stake * index->info->unit_ns;
        take_call(finding, &finding->marks.of[group->longest], &insight);
        TV_TRY(find_meanwhile(finding, &insight));
        add(finding->insights, &insight);
    }
    return TV_OK;
}

/* --- methods that are called often, and overhead --- */

/* Who made the most of the method's calls. */
static void find_caller(struct finding_insights *finding, struct tv_insight *insight)
{
    const struct tv_index *index = finding->index;
    for (uint32_t i = 0; i < index->method_count; i++)
        finding->per_method[i] = 0;
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (index->node_method[node] != insight->method || index->node_parent[node] == TV_NONE)
            continue;
        uint32_t caller = index->node_method[index->node_parent[node]];
        finding->per_method[caller] += tv_index_node_calls(index, node);
        if (finding->per_method[caller] > insight->other_amount) {
            insight->other_amount = finding->per_method[caller];
            insight->other_method = caller;
        }
    }
}

/* At stake is the time that the method itself took, and what recording its calls cost their
 * callers. */
static void find_frequent(struct finding_insights *finding, const struct tv_record_cost *cost)
{
    const struct tv_index *index = finding->index;
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_method_row *row = &finding->profile.rows[i];
        uint64_t calls = row->numbers.calls + row->recursive_calls;
        struct tv_insight insight = blank(TV_INSIGHT_OFTEN);
        insight.at_stake_ns =
            row->numbers.exclusive_ns[finding->axis] +
            tv_overhead_of(cost, calls, finding->profile.total_ns[finding->axis]).ns;
        if (calls < TV_INSIGHT_OFTEN_CALLS ||
            calls / TV_INSIGHT_OFTEN_PERCENT < index->info->calls / 100 ||
            insight.at_stake_ns < finding->insights->least_ns)
            continue;
        insight.method = i;
        insight.calls = calls;
        insight.of_calls = index->info->calls;
        find_caller(finding, &insight);
        add(finding->insights, &insight);
    }
}

static void find_overhead(struct finding_insights *finding, const struct tv_record_cost *cost)
{
    struct tv_insight insight = blank(TV_INSIGHT_OVERHEAD);
    insight.other_amount = finding->profile.total_ns[finding->axis];
    insight.at_stake_ns =
        tv_overhead_of(cost, tv_overhead_records_of_all(finding->index), insight.other_amount).ns;
    if (insight.at_stake_ns / TV_INSIGHT_OVERHEAD_PERCENT >= insight.other_amount / 100 &&
        insight.at_stake_ns >= finding->insights->least_ns)
        add(finding->insights, &insight);
}

static void find_overflow(struct finding_insights *finding)
{
    struct tv_overflow overflow;
    struct tv_insight insight = blank(TV_INSIGHT_OVERFLOW);
    if (!tv_health_overflow(finding->index, &overflow))
        return;
    insight.at_stake_ns = overflow.missing_ns;
    insight.other_amount = overflow.run_ns;
    add(finding->insights, &insight);
}

/* --- the search --- */

static enum tv_code find(struct finding_insights *finding, uint32_t *methods)
{
    const struct tv_selection all = {.threads = NULL};
    struct tv_record_cost cost;
    TV_TRY(tv_sums_compute(&finding->sums, finding->index, &all, finding->pool, finding->err));
    TV_TRY(tv_profile_of_sums(&finding->profile, &finding->sums, finding->err));
    TV_TRY(tv_record_cost_of(finding->index, finding->alloc, &cost, finding->err));
    find_overflow(finding);
    TV_TRY(mark_long_calls(finding));
    TV_TRY(find_slow_calls(finding, methods));
    TV_TRY(find_waits(finding));
    find_frequent(finding, &cost);
    find_overhead(finding, &cost);
    return TV_OK;
}

/* Sampled calls begin and end with samples, so their lengths and numbers say little. */
static bool has_times(const struct tv_index *index)
{
    return index->info->calls && !index->info->is_sampled && tv_axis_len_ns(index);
}

enum tv_code tv_insights_find(struct tv_insights *insights, const struct tv_index *index,
                              const struct tv_alloc *alloc, const struct tv_pool *pool,
                              struct tv_error *err)
{
    struct finding_insights finding = {.insights = insights,
                                       .index = index,
                                       .alloc = alloc,
                                       .pool = pool,
                                       .axis = tv_index_axis(index),
                                       .axis_len = index->info->axis_len,
                                       .err = err};
    uint32_t *methods = NULL;
    *insights = (struct tv_insights){.main_thread = tv_main_thread(index)};
    insights->least_ns = tv_axis_len_ns(index) / 100 * TV_INSIGHT_LEAST_PERCENT;
    if (insights->least_ns < TV_INSIGHT_LEAST_NS)
        insights->least_ns = TV_INSIGHT_LEAST_NS;
    if (insights->least_ns > TV_INSIGHT_FRAME_NS)
        insights->least_ns = TV_INSIGHT_FRAME_NS;
    finding.least = insights->least_ns / index->info->unit_ns;
    tv_sums_init(&finding.sums, alloc);
    tv_profile_init(&finding.profile, alloc);
    if (!has_times(index)) {
        find_overflow(&finding);
        return TV_OK;
    }
    enum tv_code code = tv_alloc_new(alloc, &methods, index->method_count, sizeof(*methods), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &finding.per_method, index->method_count,
                            sizeof(*finding.per_method), err);
    if (code == TV_OK)
        code = find(&finding, methods);
    tv_alloc_release(alloc, &finding.per_method, index->method_count, sizeof(uint64_t));
    tv_alloc_release(alloc, &methods, index->method_count, sizeof(*methods));
    tv_alloc_release(alloc, &finding.groups, finding.group_cap, sizeof(*finding.groups));
    tv_alloc_release(alloc, &finding.marks.of, finding.marks.cap, sizeof(struct mark));
    tv_alloc_release(alloc, &finding.long_calls.of, finding.long_calls.cap, sizeof(struct mark));
    tv_profile_release(&finding.profile);
    tv_sums_release(&finding.sums);
    return code;
}
