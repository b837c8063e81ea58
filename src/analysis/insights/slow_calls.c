/*
 * Calls that took much longer than others of their method; see analysis/insights/search.h.
 *
 * A call is slow when it is longer than its method's median by a factor and by an amount. Calls
 * that waited are counted apart, since waits are insights of their own. A slow call that is slow
 * because of another slow call inside it is explained by that one, and adds nothing to what is at
 * stake.
 */
#include "analysis/calls/percentiles.h"
#include "analysis/insights/search.h"
#include "analysis/selection/names.h"
#include "base/error.h"
#include "base/memory/sort.h"

/* A call is spent "mostly" in a callee that has half of its time. */
#define MOSTLY_PART 2u
/* A slow call inside another one explains it when it has at least this share of the outer call's
 * excess over its median. */
#define EXPLAINS_PERCENT 80u

struct waiter {
    const char *class_name; /* its end */
    const char *name;
};

static bool is_of(const struct tv_index *index, uint32_t method, const struct waiter *waiters,
                  size_t count)
{
    struct tv_str class_name = tv_method_class(index, method);
    struct tv_str name = tv_method_name(index, method);
    for (size_t i = 0; i < count; i++) {
        if (tv_str_equal(name, tv_str_from(waiters[i].name)) &&
            tv_str_ends_with(class_name, tv_str_from(waiters[i].class_name)))
            return true;
    }
    return false;
}

bool tv_insight_is_waiter(const struct tv_index *index, uint32_t method)
{
    static const struct waiter waiters[] = {{"MessageQueue", "nativePollOnce"},
                                            {"java.lang.Object", "wait"},
                                            {"java.lang.Thread", "sleep"},
                                            {"java.lang.Thread", "join"},
                                            {"Unsafe", "park"},
                                            {"LockSupport", "park"},
                                            {"LockSupport", "parkNanos"},
                                            {"", "epoll_wait"},
                                            {"", "poll"},
                                            {"", "nanosleep"}};
    return is_of(index, method, waiters, TV_COUNT_OF(waiters));
}

bool tv_insight_waits_outside(const struct tv_index *index, uint32_t method)
{
    static const struct waiter others[] = {{"android.os.BinderProxy", "transactNative"},
                                           {"android.os.BinderProxy", "transact"},
                                           {"java.lang.Runtime", "nativeGc"},
                                           {"java.lang.Runtime", "gc"},
                                           {"SQLiteConnection", "nativeExecute"},
                                           {"SQLiteConnection", "nativePrepareStatement"},
                                           {"SQLiteConnection", "nativeExecuteForCursorWindow"},
                                           {"SQLiteConnection", "nativeExecuteForChangedRowCount"},
                                           {"libcore.io.Linux", "fsync"},
                                           {"android.graphics.HardwareRenderer", "nFence"}};
    return tv_insight_is_waiter(index, method) || is_of(index, method, others, TV_COUNT_OF(others));
}

/* Whether a call waited rather than worked. The waits of the main thread are told one by one, and
 * whoever waits in its call is not slow; another thread that waits has nothing to do. */
static bool has_waited(const struct tv_insight_search *search, const struct tv_insight_mark *mark)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[mark->ref.thread_ix];
    if (mark->ref.thread_ix == search->insights->main_thread) {
        uint64_t exclusive[TV_CLOCK_COUNT];
        tv_call_exclusive(index, mark->ref, exclusive);
        return search->has_wait && tv_call_is_waiting(index, mark->ref) &&
               exclusive[search->clock] >= (mark->end - mark->start) / 2;
    }
    if (!search->has_wait)
        return false;
    uint64_t cpu = tv_index_duration(index, thread, TV_CLOCK_CPU, mark->ref.call);
    return cpu < (mark->end - mark->start - tv_call_unrecorded(index, mark->ref)) / 2;
}

/* Whether nothing tells what another thread did in most of the call: it may have waited, as most
 * threads do that are in a call when a trace ends. */
static bool is_unrecorded(const struct tv_insight_search *search,
                          const struct tv_insight_mark *mark)
{
    return mark->ref.thread_ix != search->insights->main_thread && search->clock == TV_CLOCK_WALL &&
           tv_index_has_wait(search->index) &&
           tv_call_unrecorded(search->index, mark->ref) > (mark->end - mark->start) / 2;
}

static bool is_writing(const struct tv_insight_search *search, uint32_t method)
{
    return method != TV_NONE && method == search->writing;
}

/* The methods that may have slow calls with enough at stake, which is less than all of these take:
 * per_method has 1 + their places in `methods`, and 0 for the others. */
static size_t list_suspects(struct tv_insight_search *search, uint32_t *methods)
{
    const struct tv_index *index = search->index;
    size_t count = 0;
    tv_insight_forget_methods(search);
    for (size_t i = 0; i < search->long_calls.count; i++) {
        const struct tv_insight_mark *mark = &search->long_calls.of[i];
        search->per_method[mark->slot] += mark->end - mark->start;
    }
    for (uint32_t method = 0; method < index->method_count; method++) {
        const struct tv_index_method *row = &index->methods[method];
        const bool is_suspect = search->per_method[method] >= search->least &&
                                row->calls + row->recursive_calls >= TV_INSIGHT_SLOW_CALLS &&
                                !tv_insight_is_waiter(index, method);
        if (is_suspect)
            methods[count++] = method;
        search->per_method[method] = is_suspect ? count : 0;
    }
    return count;
}

/* Makes a group for each of the methods, with what is slow for its calls. */
static enum tv_code make_groups(struct tv_insight_search *search, const uint32_t *methods,
                                size_t count)
{
    uint64_t unit_ns = search->index->info->unit_ns;
    struct tv_method_percentiles *percentiles = NULL;
    TV_TRY(tv_alloc_new(search->alloc, &percentiles, count, sizeof(*percentiles), search->err));
    const struct tv_percentiles_question question = {
        .profile = &search->profile, .sums = &search->sums, .methods = methods, .count = count};
    enum tv_code code = tv_percentiles_compute(&question, search->pool, percentiles, search->err);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        uint64_t median = percentiles[i].of[search->clock].p50_ns / unit_ns;
        uint64_t limit = median + search->each;
        if (limit < median * TV_INSIGHT_SLOW_TIMES)
            limit = median * TV_INSIGHT_SLOW_TIMES;
        code = tv_insight_add_group(
            search,
            &(struct tv_insight_group){.method = methods[i], .median = median, .limit = limit});
    }
    tv_alloc_release(search->alloc, &percentiles, count, sizeof(*percentiles));
    return code;
}

/* Takes the slow ones of the long calls. */
static enum tv_code keep_slow_calls(struct tv_insight_search *search)
{
    search->marks.count = 0;
    for (size_t i = 0; i < search->long_calls.count; i++) {
        struct tv_insight_mark mark = search->long_calls.of[i];
        if (!search->per_method[mark.slot])
            continue;
        mark.slot = (uint32_t)search->per_method[mark.slot] - 1;
        struct tv_insight_group *group = &search->groups[mark.slot];
        if (mark.end - mark.start < group->limit)
            continue;
        if (is_unrecorded(search, &mark))
            continue;
        if (has_waited(search, &mark)) {
            group->waited_calls++;
            continue;
        }
        mark.at_stake = mark.end - mark.start - group->median;
        tv_insight_keep_mark(search, &search->marks, &mark);
    }
    return search->code;
}

static int by_place(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_insight_mark *of = ctx;
    if (of[a].ref.thread_ix != of[b].ref.thread_ix)
        return of[a].ref.thread_ix < of[b].ref.thread_ix ? -1 : 1;
    if (of[a].start != of[b].start)
        return of[a].start < of[b].start ? -1 : 1;
    return of[a].ref.depth < of[b].ref.depth ? -1 : 1;
}

/* A slow call that is slow because of one it made is explained by that one. Marks stand by thread,
 * start and depth, so what is inside a mark follows it. */
static void explain(struct tv_insight_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        struct tv_insight_mark *outer = &marks->of[i];
        for (size_t k = i + 1; k < marks->count && !outer->is_explained; k++) {
            const struct tv_insight_mark *inner = &marks->of[k];
            if (inner->ref.thread_ix != outer->ref.thread_ix || inner->start >= outer->end)
                break;
            outer->is_explained = inner->ref.depth > outer->ref.depth &&
                                  inner->at_stake / EXPLAINS_PERCENT >= outer->at_stake / 100;
        }
    }
}

/* Follows the longest callee while it has most of the call; the last that is another method is
 * told. False: the call was spent in waiting, and what waited is told. */
static bool find_inside(const struct tv_insight_search *search, struct tv_insight *insight)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[insight->call.thread_ix];
    uint64_t whole = tv_index_duration(index, thread, search->clock, insight->call.call);
    struct tv_call_ref at = insight->call;
    for (;;) {
        struct tv_call_ref longest = TV_NO_CALL;
        uint64_t most = 0;
        for (struct tv_call_ref callee = tv_call_first_callee(index, at); tv_call_is(callee);
             callee = tv_call_sibling(index, callee, TV_FORWARD)) {
            uint64_t duration = tv_index_duration(index, thread, search->clock, callee.call);
            if (duration > most) {
                most = duration;
                longest = callee;
            }
        }
        if (!tv_call_is(longest) || most < whole / MOSTLY_PART)
            return true;
        at = longest;
        uint32_t method = tv_call_method(index, at);
        if (method == insight->method)
            continue;
        insight->other_method = method;
        insight->other_amount = most * index->info->unit_ns;
        if (tv_insight_is_waiter(index, method))
            return false;
    }
}

/* What is told is the longest of the method's slow calls: another insight may be about what made it
 * slow, but whoever lists the calls finds it first. One that the recorder's writing made slow is
 * not told. */
static void tell_longest(const struct tv_insight_search *search,
                         const struct tv_insight_group *group, struct tv_insight *insight)
{
    struct tv_insight longest = *insight;
    if (group->longest == group->longest_news)
        return;
    longest.other_method = TV_NONE;
    longest.other_amount = 0;
    tv_insight_take_call(search, &search->marks.of[group->longest], &longest);
    (void)find_inside(search, &longest);
    if (!is_writing(search, longest.other_method))
        *insight = longest;
}

/* The median needs the percentiles of methods with long calls only. Marks are sorted by place,
 * since `explain` expects calls inside a call to follow it. */
enum tv_code tv_insight_slow_calls(struct tv_insight_search *search, uint32_t *methods)
{
    TV_TRY(make_groups(search, methods, list_suspects(search, methods)));
    TV_TRY(keep_slow_calls(search));
    TV_TRY(tv_sort_rows(search->alloc, search->marks.of, search->marks.count,
                        sizeof(*search->marks.of), by_place, search->marks.of, search->err));
    explain(&search->marks);
    tv_insight_add_up(search);
    TV_TRY(tv_insight_rank(search));
    const size_t count = tv_insight_told(search);
    unsigned told = 0;
    for (size_t i = 0; i < count && told < TV_INSIGHTS_OF_KIND_MOST; i++) {
        const struct tv_insight_group *group = &search->groups[i];
        const struct tv_index_method *method = &search->index->methods[group->method];
        struct tv_insight insight = tv_insight_blank(TV_INSIGHT_SLOW);
        insight.method = group->method;
        insight.calls = group->calls;
        insight.waited_calls = group->waited_calls;
        insight.of_calls = method->calls + method->recursive_calls;
        insight.at_stake_ns = group->at_stake * search->index->info->unit_ns;
        insight.median_ns = group->median * search->index->info->unit_ns;
        tv_insight_take_call(search, &search->marks.of[group->longest_news], &insight);
        if (!find_inside(search, &insight) || is_writing(search, group->method) ||
            is_writing(search, insight.other_method))
            continue; /* what waited is told; the recorder's writing is not the program's doing */
        tell_longest(search, group, &insight);
        tv_insight_add(search->insights, &insight);
        told++;
    }
    return TV_OK;
}
