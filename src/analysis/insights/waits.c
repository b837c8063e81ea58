/*
 * Waits of the main thread, and what others did meanwhile; see analysis/insights/search.h.
 *
 * A long call of the main thread counts when most of its own time was no CPU time. Waiting for the
 * next message is no wait in this sense: the thread has nothing to do. Of a program that has no
 * loop of messages neither is it to wait for other threads through most of the trace. For the
 * longest wait of each method the CPU time of all other threads during it is summed up: the busiest
 * of them is told, with the method in which it was busy.
 *
 * What the thread did after its last record nothing tells: that is no wait, and an insight of its
 * own. Where all threads hang, no record says how long; the header says when the recording ended.
 */
#include "analysis/health.h"
#include "analysis/insights/search.h"
#include "analysis/selection/names.h"
#include "base/error.h"

/* A main thread without a loop of messages that waits for a larger part of the trace than this has
 * nothing to do. */
#define IDLE_PERCENT 90u
/* All threads hung, or had nothing to do, if a recording ends SILENCE_NS after its latest record; a
 * SILENCE_PART-th of that is enough if it is also a SILENCE_PART-th of the run. Stopping a
 * recording takes less. */
#define SILENCE_NS TV_NS_PER_S
#define SILENCE_PART 10u
/* Another thread "did" something during a wait when it was busy for this part of it. */
#define BUSY_PART 4u

/* Where the loop of the main thread waits for its next message: it has nothing to do. */
bool tv_insight_is_idle(const struct tv_index *index, uint32_t method)
{
    return tv_str_equal(tv_method_name(index, method), TV_STR("nativePollOnce"));
}

/* Whether the main thread is that of an app of Android, which has a loop of messages. */
static bool is_of_app(const struct tv_index *index)
{
    const struct tv_str vm = tv_index_text(index, index->info->vm_off, index->info->vm_len);
    return tv_str_equal(vm, TV_STR("art")) || tv_str_equal(vm, TV_STR("dalvik"));
}

/* Whether a call waits for the next message. Up to Android 2.2 the loop called Object.wait. */
static bool waits_for_message(const struct tv_index *index, struct tv_call_ref call)
{
    const uint32_t method = tv_call_method(index, call);
    const uint32_t parent = index->node_parent[index->call_node[call.call]];
    if (tv_insight_is_idle(index, method))
        return true;
    if (parent == TV_NONE || !tv_insight_is_waiter(index, method))
        return false;
    const uint32_t caller = index->node_method[parent];
    return tv_str_equal(tv_method_name(index, caller), TV_STR("next")) &&
           tv_str_ends_with(tv_method_class(index, caller), TV_STR("MessageQueue"));
}

/* Whether the main thread has nothing to do in a call in which it waits, or may, for that time of
 * a run. An app waits for messages then; other programs wait for their threads, and where they do
 * so by a call of their own it is told: nobody knows what that waits for. */
static bool is_idle(const struct tv_insight_search *search, struct tv_call_ref call, uint64_t time,
                    uint64_t run)
{
    const struct tv_index *index = search->index;
    return waits_for_message(index, call) ||
           (time / IDLE_PERCENT >= run / 100 && !is_of_app(index) &&
            tv_insight_is_waiter(index, tv_call_method(index, call)));
}

/* Finds the group of a method, or begins it: per_method has 1 + its slot. */
static enum tv_code find_slot(struct tv_insight_search *search, uint32_t method, uint32_t *slot)
{
    uint64_t *told = &search->per_method[method];
    if (!*told) {
        TV_TRY(tv_insight_add_group(search, &(struct tv_insight_group){.method = method}));
        *told = search->group_count;
    }
    *slot = (uint32_t)*told - 1;
    return TV_OK;
}

/* Whether a long call may have waited long enough, by the exclusive time of its method and its
 * node, which bounds that of the call: to have that of a call costs its callees. */
static bool may_wait(const struct tv_insight_search *search, const struct tv_insight_mark *mark)
{
    const struct tv_index *index = search->index;
    const uint32_t node = index->call_node[mark->ref.call];
    return mark->ref.thread_ix == search->insights->main_thread &&
           index->methods[mark->slot].exclusive[TV_CLOCK_WALL] >= search->least &&
           tv_index_node_exclusive(index, TV_CLOCK_WALL, node) >= search->each;
}

/* Keeps a mark for each long call in which the main thread waited. */
static enum tv_code keep_waits(struct tv_insight_search *search)
{
    const struct tv_index *index = search->index;
    search->marks.count = 0;
    tv_insight_forget_methods(search);
    for (size_t i = 0; i < search->long_calls.count; i++) {
        struct tv_insight_mark mark = search->long_calls.of[i];
        uint64_t exclusive[TV_CLOCK_COUNT];
        if (!may_wait(search, &mark))
            continue;
        (void)tv_call_exclusive_recorded(index, mark.ref, exclusive);
        uint64_t wall = exclusive[TV_CLOCK_WALL];
        uint64_t wait = wall > exclusive[TV_CLOCK_CPU] ? wall - exclusive[TV_CLOCK_CPU] : 0;
        if (wait < search->each || wait < wall / 2 ||
            is_idle(search, mark.ref, wait, search->axis_len))
            continue;
        TV_TRY(find_slot(search, mark.slot, &mark.slot));
        mark.at_stake = wait;
        mark.is_own = true;
        tv_insight_keep_mark(search, &search->marks, &mark);
    }
    return search->code;
}

/* The thread that used most of the processor meanwhile, and the method in which it did. */
static enum tv_code find_meanwhile(struct tv_insight_search *search, struct tv_insight *insight)
{
    const struct tv_index *index = search->index;
    const struct tv_selection meanwhile = {
        .has_range = true, .from_ns = insight->from_ns, .to_ns = insight->to_ns};
    struct tv_sums sums;
    tv_sums_init(&sums, search->alloc);
    TV_TRY(tv_sums_compute(&sums, index, &meanwhile, search->pool, search->err));
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
        tv_insight_forget_methods(search);
        insight->other_thread = busiest;
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            uint64_t *sum = &search->per_method[sums.method[node]];
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

enum tv_code tv_insight_waits(struct tv_insight_search *search)
{
    const struct tv_index *index = search->index;
    search->group_count = 0;
    if (search->insights->main_thread == TV_NONE || !search->has_wait)
        return TV_OK;
    TV_TRY(keep_waits(search));
    tv_insight_add_up(search);
    TV_TRY(tv_insight_rank(search));
    const size_t count = tv_insight_told(search);
    for (size_t i = 0, told = 0; i < count && told < TV_INSIGHTS_OF_KIND_MOST; i++) {
        const struct tv_insight_group *group = &search->groups[i];
        if (group->method == search->writing)
            continue; /* the recorder waited for its disk, and would not without a recording */
        struct tv_insight insight = tv_insight_blank(TV_INSIGHT_WAIT);
        insight.method = group->method;
        const struct tv_index_method *method = &index->methods[group->method];
        insight.calls = group->calls;
        insight.of_calls = method->calls + method->recursive_calls;
        insight.at_stake_ns = group->at_stake * index->info->unit_ns;
        tv_insight_take_call(search, &search->marks.of[group->longest], &insight);
        TV_TRY(find_meanwhile(search, &insight));
        tv_insight_add(search->insights, &insight);
        told++;
    }
    return TV_OK;
}

/* How long the recording went on after its latest record, by the header. 0: it did not, or what
 * came last may be lost, or the records may be later: a thread without a record for a whole turn of
 * a clock of 32 bits cannot be told from one whose records went on at once. */
static uint64_t silence_at_end(const struct tv_insight_search *search)
{
    const struct tv_index_info *info = search->index->info;
    const uint64_t run = info->elapsed_ns / info->unit_ns;
    const uint64_t least = SILENCE_NS / info->unit_ns;
    enum tv_severity worst = TV_SEVERITY_NOTE;
    if (!info->has_elapsed || !info->has_clock[TV_CLOCK_WALL] || !info->has_common_axis ||
        run <= search->axis_len ||
        (tv_health_worst(search->index, &worst) && worst == TV_SEVERITY_DATA_LOST))
        return 0;
    const uint64_t silence = run - search->axis_len;
    if (info->unit_ns == TV_NS_PER_US && silence > UINT32_MAX)
        return 0;
    return silence >= least || (silence >= least / SILENCE_PART && silence >= run / SILENCE_PART)
               ? silence
               : 0;
}

/* Of samples only the silence is told: before it each look found the thread where it was. A thread
 * that stops the recording does so, whatever that takes. */
void tv_insight_open_call(struct tv_insight_search *search)
{
    const struct tv_index *index = search->index;
    const uint32_t thread_ix = search->insights->main_thread;
    if (thread_ix == TV_NONE || !index->threads[thread_ix].open_depth ||
        search->insights->is_wrong[TV_CLOCK_WALL])
        return;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const uint32_t depth = thread->open_depth - 1;
    const struct tv_index_row *row = &index->rows[thread->row_first + depth];
    const struct tv_call_ref open = tv_call_at(index, thread_ix, depth, row->call_count - 1);
    const uint64_t silence = silence_at_end(search);
    const uint64_t unrecorded = index->info->is_sampled ? 0 : tv_call_unrecorded(index, open);
    struct tv_insight insight = tv_insight_blank(TV_INSIGHT_OPEN);
    insight.method = tv_call_method(index, open);
    if (unrecorded + silence < search->least ||
        is_idle(search, open, unrecorded + silence, search->axis_len + silence) ||
        tv_str_equal(tv_method_name(index, insight.method), TV_STR("stopMethodTracing")))
        return;
    insight.call = open;
    insight.at_stake_ns = (unrecorded + silence) * index->info->unit_ns;
    insight.to_ns = search->axis_len * index->info->unit_ns;
    insight.from_ns = insight.to_ns - unrecorded * index->info->unit_ns;
    tv_insight_add(search->insights, &insight);
}
