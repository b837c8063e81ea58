/*
 * What is worth a look; see analysis/insights/insights.h.
 *
 * All calls that are long enough to count are found first, by the mipmaps of the rows. The kinds of
 * insights then take what they need from this one list (slow_calls.c, waits.c); overflow, overhead
 * and very frequent methods come from the profile and the header. Each kind adds what it finds to
 * one list, which is ordered by the time at stake and bounded.
 */
#include "analysis/insights/insights.h"

#include "analysis/health.h"
#include "analysis/insights/search.h"
#include "analysis/profile/overhead.h"
#include "analysis/selection/range.h"
#include "base/error.h"
#include "index/mipmap.h"

const char *tv_insight_kind_name(enum tv_insight_kind kind)
{
    static const char *const names[TV_INSIGHT_KINDS] = {
        [TV_INSIGHT_OVERFLOW] = "overflow", [TV_INSIGHT_SLOW] = "slow",
        [TV_INSIGHT_WAIT] = "wait",         [TV_INSIGHT_OPEN] = "open",
        [TV_INSIGHT_OFTEN] = "often",       [TV_INSIGHT_OVERHEAD] = "overhead",
        [TV_INSIGHT_FRAMES] = "frames",     [TV_INSIGHT_OWN] = "own",
        [TV_INSIGHT_PACKAGE] = "package",   [TV_INSIGHT_SPENT] = "spent",
    };
    return names[kind];
}

/* Threads called "main" count before one with the number of the process, and those with records
 * before others. Of several that has it which has that number. */
uint32_t tv_main_thread(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    uint32_t named = TV_NONE;
    uint32_t numbered = TV_NONE;
    uint32_t both = TV_NONE;
    bool is_one = false;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        const bool is_named =
            tv_str_equal(tv_index_text(index, thread->name_off, thread->name_len), TV_STR("main"));
        const bool is_numbered = info->has_pid && thread->id == info->pid;
        if (is_numbered)
            numbered = i;
        if (!is_named)
            continue;
        if (is_numbered)
            both = i;
        const bool had_records = named != TV_NONE && index->threads[named].records;
        if (named == TV_NONE || (thread->records && !had_records)) {
            named = i;
            is_one = true;
        } else if (!thread->records == !had_records) {
            is_one = false;
        }
    }
    if (named == TV_NONE)
        return numbered;
    return is_one ? named : both;
}

/* A row whose long calls are searched. */
struct seeing {
    struct tv_insight_search *search;
    uint32_t thread_ix;
    uint32_t depth;
    uint64_t wanted; /* MAY_...: of the thread */
};

/* What a method may be told for, in per_method. */
#define MAY_BE_SLOW 1u
#define MAY_WAIT 2u

/* Only calls of methods that may be told are kept: what is at stake is a part of a method's time.
 */
static void see_call(void *ctx, uint64_t call, uint64_t len)
{
    const struct seeing *seeing = ctx;
    struct tv_insight_search *search = seeing->search;
    const struct tv_index *index = search->index;
    const uint32_t slot = index->node_method[index->call_node[call]];
    if (!(search->per_method[slot] & seeing->wanted))
        return;
    const struct tv_index_thread *thread = &index->threads[seeing->thread_ix];
    const uint64_t start = tv_index_start(index, thread, search->clock, call);
    const struct tv_insight_mark mark = {.ref = {seeing->thread_ix, seeing->depth, call},
                                         .slot = slot,
                                         .start = start,
                                         .end = start + len};
    tv_insight_keep_mark(search, &search->long_calls, &mark);
}

/* Sets per_method to what a method may be told for: it has time enough, and of its own for a wait.
 */
static void mark_methods(struct tv_insight_search *search)
{
    const struct tv_index *index = search->index;
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        search->per_method[i] = (method->calls + method->recursive_calls >= TV_INSIGHT_SLOW_CALLS &&
                                         method->inclusive[search->clock] >= search->least
                                     ? MAY_BE_SLOW
                                     : 0) |
                                (method->exclusive[search->clock] >= search->least ? MAY_WAIT : 0);
    }
}

/* Rows are searched by the axis; where that clock is wrong, each of their calls is looked at. */
static void see_row(struct seeing *seeing)
{
    struct tv_insight_search *search = seeing->search;
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[seeing->thread_ix];
    const uint32_t row_ix = thread->row_first + seeing->depth;
    const struct tv_index_row *row = &index->rows[row_ix];
    if (search->clock == tv_index_axis(index)) {
        const struct tv_mipmap mipmap = tv_mipmap_of(index, seeing->thread_ix, row_ix);
        tv_mipmap_each_from(&mipmap, search->each, see_call, seeing);
        return;
    }
    for (uint64_t call = row->call_first; call < row->call_first + row->call_count; call++) {
        const uint64_t len = tv_index_duration(index, thread, search->clock, call);
        if (len >= search->each)
            see_call(seeing, call, len);
    }
}

static enum tv_code mark_long_calls(struct tv_insight_search *search)
{
    const struct tv_index *index = search->index;
    struct seeing seeing = {.search = search};
    mark_methods(search);
    for (; seeing.thread_ix < index->thread_count; seeing.thread_ix++) {
        const struct tv_index_thread *thread = &index->threads[seeing.thread_ix];
        const bool is_main = seeing.thread_ix == search->insights->main_thread;
        seeing.wanted = is_main ? MAY_BE_SLOW | MAY_WAIT : MAY_BE_SLOW;
        for (seeing.depth = 0; seeing.depth < thread->max_depth; seeing.depth++)
            see_row(&seeing);
    }
    return search->code;
}

/* Who made the most of the method's calls. */
static void find_caller(struct tv_insight_search *search, struct tv_insight *insight)
{
    const struct tv_index *index = search->index;
    tv_insight_forget_methods(search);
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (index->node_method[node] != insight->method || index->node_parent[node] == TV_NONE)
            continue;
        uint32_t caller = index->node_method[index->node_parent[node]];
        search->per_method[caller] += tv_index_node_calls(index, node);
        if (search->per_method[caller] > insight->other_amount) {
            insight->other_amount = search->per_method[caller];
            insight->other_method = caller;
        }
    }
}

/* At stake is the time that the method itself took, and what recording its calls cost their
 * callers. */
static void find_frequent(struct tv_insight_search *search, const struct tv_record_cost *cost)
{
    const struct tv_index *index = search->index;
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_method_row *row = &search->profile.rows[i];
        uint64_t calls = row->numbers.calls + row->recursive_calls;
        struct tv_insight insight = tv_insight_blank(TV_INSIGHT_OFTEN);
        insight.at_stake_ns = row->numbers.exclusive_ns[search->clock] +
                              tv_overhead_of(cost, (struct tv_recorded_calls){.made = calls},
                                             search->profile.total_ns[search->clock])
                                  .ns;
        if (calls < TV_INSIGHT_OFTEN_CALLS ||
            calls / TV_INSIGHT_OFTEN_PERCENT < index->info->calls / 100 ||
            insight.at_stake_ns < search->insights->least_ns)
            continue;
        insight.method = i;
        insight.calls = calls;
        insight.of_calls = index->info->calls;
        find_caller(search, &insight);
        tv_insight_add(search->insights, &insight);
    }
}

/* What recording itself cost is told where it is a tenth of the trace's time or more: all other
 * times have then to be read with that in mind. */
static void find_overhead(struct tv_insight_search *search, const struct tv_record_cost *cost)
{
    struct tv_insight insight = tv_insight_blank(TV_INSIGHT_OVERHEAD);
    insight.other_amount = search->profile.total_ns[search->clock];
    insight.at_stake_ns = tv_overhead_of_all(cost, search->index, search->clock).ns;
    if (insight.at_stake_ns / TV_INSIGHT_OVERHEAD_PERCENT >= insight.other_amount / 100 &&
        insight.at_stake_ns >= search->insights->least_ns)
        tv_insight_add(search->insights, &insight);
}

static void find_overflow(struct tv_insight_search *search)
{
    struct tv_overflow overflow;
    struct tv_insight insight = tv_insight_blank(TV_INSIGHT_OVERFLOW);
    if (search->insights->is_wrong[TV_CLOCK_WALL] || !tv_health_overflow(search->index, &overflow))
        return;
    insight.at_stake_ns = overflow.missing_ns;
    insight.other_amount = overflow.run_ns;
    tv_insight_add(search->insights, &insight);
}

static enum tv_code find(struct tv_insight_search *search, uint32_t *methods)
{
    const struct tv_selection all = {.threads = NULL};
    struct tv_record_cost cost;
    TV_TRY(tv_sums_compute(&search->sums, search->index, &all, search->pool, search->err));
    TV_TRY(tv_profile_of_sums(&search->profile, &search->sums, search->err));
    TV_TRY(tv_record_cost_of(search->index, search->alloc, &cost, search->err));
    find_overflow(search);
    TV_TRY(mark_long_calls(search));
    TV_TRY(tv_insight_slow_calls(search, methods));
    TV_TRY(tv_insight_waits(search));
    tv_insight_open_call(search);
    find_frequent(search, &cost);
    find_overhead(search, &cost);
    return TV_OK;
}

/* Sampled calls begin and end with samples, so their lengths and numbers say little. */
static enum tv_code find_in_samples(struct tv_insight_search *search)
{
    find_overflow(search);
    tv_insight_open_call(search);
    return tv_insight_samples(search);
}

/* How long the trace is on the clock of its insights. */
static uint64_t len_ns(const struct tv_insights *insights, const struct tv_index *index)
{
    uint64_t len = 0;
    if (insights->clock == tv_index_axis(index))
        return tv_axis_len_ns(index);
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const uint64_t last = index->threads[i].last[insights->clock];
        len = last > len ? last : len;
    }
    return len * index->info->unit_ns;
}

/* CPU time of samples is booked to what ran before, so it does not stand in for wall time. */
static void choose_clock(struct tv_insights *insights, const struct tv_index *index)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        insights->is_wrong[clock] =
            tv_health_doubts(index, (enum tv_clock)clock, &insights->why[clock]);
    insights->clock = tv_index_axis(index);
    if (insights->is_wrong[TV_CLOCK_WALL] && !insights->is_wrong[TV_CLOCK_CPU] &&
        tv_index_has_wait(index) && !index->info->is_sampled)
        insights->clock = TV_CLOCK_CPU;
}

/* `least_ns` is a share of the trace, within bounds that keep short traces from telling noise and
 * long ones from hiding a lost frame. */
enum tv_code tv_insights_find(struct tv_insights *insights, const struct tv_index *index,
                              const struct tv_alloc *alloc, const struct tv_pool *pool,
                              struct tv_error *err)
{
    struct tv_insight_search search = {.insights = insights,
                                       .index = index,
                                       .alloc = alloc,
                                       .pool = pool,
                                       .axis_len = index->info->axis_len,
                                       .writing = tv_writing_method(index),
                                       .err = err};
    uint32_t *methods = NULL;
    *insights = (struct tv_insights){.main_thread = tv_main_thread(index)};
    choose_clock(insights, index);
    search.clock = insights->clock;
    search.has_wait = tv_index_has_wait(index) && !insights->is_wrong[TV_CLOCK_WALL] &&
                      !insights->is_wrong[TV_CLOCK_CPU];
    const uint64_t len = len_ns(insights, index);
    insights->least_ns = len / 100 * TV_INSIGHT_LEAST_PERCENT;
    if (insights->least_ns < TV_INSIGHT_LEAST_NS)
        insights->least_ns = TV_INSIGHT_LEAST_NS;
    if (insights->least_ns > TV_INSIGHT_FRAME_NS)
        insights->least_ns = TV_INSIGHT_FRAME_NS;
    insights->each_ns = len / TV_INSIGHT_EACH_PARTS;
    if (insights->each_ns < TV_INSIGHT_EACH_NS)
        insights->each_ns = TV_INSIGHT_EACH_NS;
    if (insights->each_ns > insights->least_ns)
        insights->each_ns = insights->least_ns;
    search.least = insights->least_ns / index->info->unit_ns;
    search.each = insights->each_ns / index->info->unit_ns;
    tv_sums_init(&search.sums, alloc);
    tv_profile_init(&search.profile, alloc);
    if (!index->info->calls || !len || insights->is_wrong[insights->clock]) {
        insights->least_ns = insights->each_ns = 0;
        find_overflow(&search);
        tv_insight_open_call(&search);
        return TV_OK;
    }
    enum tv_code code = tv_alloc_new(alloc, &methods, index->method_count, sizeof(*methods), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &search.per_method, index->method_count,
                            sizeof(*search.per_method), err);
    if (code == TV_OK)
        code = index->info->is_sampled ? find_in_samples(&search) : find(&search, methods);
    tv_alloc_release(alloc, &search.per_method, index->method_count, sizeof(uint64_t));
    tv_alloc_release(alloc, &methods, index->method_count, sizeof(*methods));
    tv_alloc_release(alloc, &search.groups, search.group_cap, sizeof(*search.groups));
    tv_alloc_release(alloc, &search.marks.of, search.marks.cap, sizeof(struct tv_insight_mark));
    tv_alloc_release(alloc, &search.long_calls.of, search.long_calls.cap,
                     sizeof(struct tv_insight_mark));
    tv_profile_release(&search.profile);
    tv_sums_release(&search.sums);
    return code;
}
