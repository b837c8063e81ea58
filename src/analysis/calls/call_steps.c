/*
 * Steps from one set of calls to a smaller one; see analysis/calls/call_steps.h. Nodes are marked
 * first, then single calls are looked at where limits ask for that, and at last runs of calls are
 * found below them.
 */
#include "analysis/calls/call_steps.h"

#include <string.h>

#include "analysis/calls/call.h"
#include "analysis/calls/call_runs.h"
#include "base/error.h"

/* What the visits of the calls of marked nodes share. */
struct looking {
    const struct tv_index *index;
    const struct tv_call_set *before;
    const struct tv_call_limits *limits;
    const uint8_t *marks;
    const uint64_t *is_marked; /* a bit per node: it has a mark */
    const uint32_t *top_depth; /* of nodes with TV_STEP_SOME */
    uint64_t *own;             /* a bit per call */
};

/* Whether the call lasted as long as the limits say. */
static bool is_within_limits(const struct looking *looking, const struct tv_index_thread *thread,
                             uint64_t call)
{
    const struct tv_index *index = looking->index;
    uint64_t times[TV_CLOCK_COUNT] = {0, 0};
    if (!tv_call_limits_are(looking->limits))
        return true;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            times[clock] = tv_index_duration(index, thread, (enum tv_clock)clock, call);
    }
    int64_t time = tv_measure_of(times, looking->limits->measure);
    uint64_t ns = time > 0 ? (uint64_t)time * index->info->unit_ns : 0;
    return ns >= looking->limits->least_ns &&
           (!looking->limits->below_ns || ns < looking->limits->below_ns);
}

/* Whether the path of a call begins with an outermost call of the set before. */
static bool begins_outermost(const struct looking *looking, struct tv_call_ref ref)
{
    const struct tv_call_set *before = looking->before;
    const uint32_t top = looking->top_depth[looking->index->call_node[ref.call]];
    while (tv_call_is(ref) && ref.depth > top)
        ref = tv_call_caller_among(looking->index, ref, TV_CALLERS_OF_MOMENT);
    if (!tv_call_is(ref) || !tv_call_bit(before->own, ref.call))
        return false;
    ref = tv_call_caller_among(looking->index, ref, TV_CALLERS_OF_MOMENT);
    return !tv_call_is(ref) || !tv_call_bit(before->within, ref.call);
}

/* Whether a call of a marked node is taken. */
static bool is_taken(const struct looking *looking, struct tv_call_ref ref, uint32_t node)
{
    const struct tv_call_set *before = looking->before;
    const struct tv_index_thread *thread = &looking->index->threads[ref.thread_ix];
    return tv_call_set_has(before, node, ref.call) && is_within_limits(looking, thread, ref.call) &&
           (looking->marks[node] == TV_STEP_ALL || begins_outermost(looking, ref));
}

/* Sets the bits of the calls of one row that are taken, and marks their nodes in `places`. */
static void look_at_row(const struct looking *looking, uint32_t thread_ix, uint32_t depth,
                        uint8_t *places)
{
    const struct tv_index *index = looking->index;
    const struct tv_index_row *row = &index->rows[index->threads[thread_ix].row_first + depth];
    for (uint64_t call = row->call_first; call < row->call_first + row->call_count; call++) {
        uint32_t node = index->call_node[call];
        if (!tv_call_bit(looking->is_marked, node) ||
            !is_taken(looking, (struct tv_call_ref){thread_ix, depth, call}, node))
            continue;
        looking->own[call / 64] |= UINT64_C(1) << call % 64;
        places[node] = TV_STEP_ALL;
    }
}

/* Looks at the rows that have marked nodes. */
static void look_at_calls(const struct looking *looking, uint8_t *is_row, uint8_t *places)
{
    const struct tv_index *index = looking->index;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        memset(is_row, 0, thread->max_depth);
        for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
             node++)
            is_row[index->node_depth[node]] |= looking->marks[node] != TV_STEP_NONE;
        for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
            if (is_row[depth])
                look_at_row(looking, i, depth, places);
        }
    }
}

static uint32_t deepest_of(const struct tv_index *index)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < index->thread_count; i++)
        deepest = index->threads[i].max_depth > deepest ? index->threads[i].max_depth : deepest;
    return deepest;
}

static enum tv_code take_bits(uint64_t count, struct tv_arena *arena, uint64_t **bits,
                              struct tv_error *err)
{
    size_t len = (size_t)(count / 64 + 1) * sizeof(**bits);
    TV_TRY(tv_arena_take(arena, len, bits, err));
    memset(*bits, 0, len);
    return TV_OK;
}

/* Finds what the calls of the set made. */
static enum tv_code find_runs(struct tv_call_set *set, const struct tv_index *index,
                              const uint64_t *own, struct tv_arena *arena, struct tv_error *err)
{
    struct tv_call_run_list list;
    struct tv_call_run *runs;
    uint64_t *within;
    TV_TRY(take_bits(index->call_count, arena, &within, err));
    tv_call_run_list_init(&list, arena->alloc);
    enum tv_code code = tv_call_runs_find(&list, index, own, within, err);
    if (code == TV_OK)
        code = tv_arena_take(arena, (list.count + 1) * sizeof(*runs), &runs, err);
    if (code == TV_OK) {
        if (list.count)
            memcpy(runs, list.of, list.count * sizeof(*runs));
        set->own = own;
        set->within = within;
        set->runs = runs;
        set->run_count = list.count;
    }
    tv_call_run_list_release(&list);
    return code;
}

/* The bits of a million nodes stay in a cache while all calls ask for that of their node. */
static enum tv_code note_marked(struct looking *looking, struct tv_arena *arena,
                                struct tv_error *err)
{
    uint64_t *is_marked;
    TV_TRY(take_bits(looking->index->node_count, arena, &is_marked, err));
    for (uint32_t node = 0; node < looking->index->node_count; node++)
        is_marked[node / 64] |= (uint64_t)(looking->marks[node] != TV_STEP_NONE) << node % 64;
    looking->is_marked = is_marked;
    return TV_OK;
}

/* A set whose calls are told one by one. */
static enum tv_code make_of_calls(struct tv_call_set *set, struct looking *looking,
                                  struct tv_arena *arena, struct tv_error *err)
{
    const struct tv_index *index = looking->index;
    uint8_t *places;
    uint8_t *is_row;
    TV_TRY(take_bits(index->call_count, arena, &looking->own, err));
    TV_TRY(note_marked(looking, arena, err));
    TV_TRY(tv_arena_take(arena, deepest_of(index) + (size_t)1, &is_row, err));
    TV_TRY(tv_arena_take(arena, index->node_count + (size_t)1, &places, err));
    memset(places, TV_STEP_NONE, index->node_count + (size_t)1);
    look_at_calls(looking, is_row, places);
    TV_TRY(tv_call_set_of_marks(set, index, looking->marks, places, arena, err));
    return find_runs(set, index, looking->own, arena, err);
}

/* Rows without times cannot tell which call made which. */
static enum tv_code check_limits(const struct tv_index *index, const struct tv_call_limits *limits,
                                 struct tv_error *err)
{
    if (!tv_call_limits_are(limits))
        return TV_OK;
    if (!index->info->has_clock[tv_index_axis(index)])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this trace has no times that calls could have lasted");
    if (limits->below_ns && limits->below_ns <= limits->least_ns)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "no call lasts %llu ns or longer and less than %llu ns",
                       (unsigned long long)limits->least_ns, (unsigned long long)limits->below_ns);
    return TV_OK;
}

enum tv_code tv_call_set_step(struct tv_call_set *set, const struct tv_index *index,
                              const struct tv_call_set *before, const struct tv_call_step *step,
                              const struct tv_call_limits *limits, struct tv_arena *arena,
                              struct tv_error *err)
{
    const size_t nodes = index->node_count + (size_t)1;
    uint8_t *marks;
    uint32_t *top_depth = NULL;
    bool has_calls = before && before->own;
    TV_TRY(check_limits(index, limits, err));
    TV_TRY(tv_arena_take(arena, nodes, &marks, err));
    if (has_calls)
        TV_TRY(tv_arena_take(arena, nodes * sizeof(*top_depth), &top_depth, err));
    TV_TRY(tv_call_step_mark(marks, top_depth, index, step, before, arena, err));
    if (!has_calls && !tv_call_limits_are(limits))
        return tv_call_set_of_marks(set, index, marks, marks, arena, err);
    struct looking looking = {
        .index = index, .before = before, .limits = limits, .marks = marks, .top_depth = top_depth};
    return make_of_calls(set, &looking, arena, err);
}

/* Calls [first, end) that are of the set. */
static uint64_t count_calls(const struct tv_index *index, const struct tv_call_set *set,
                            uint64_t first, uint64_t end)
{
    uint64_t count = 0;
    if (set->own) {
        for (uint64_t call = tv_call_bit_next(set->own, first, end); call < end;
             call = tv_call_bit_next(set->own, call + 1, end))
            count++;
        return count;
    }
    for (uint64_t call = first; call < end; call++)
        count += set->place[index->call_node[call]] == TV_CALL_OF_SET;
    return count;
}

/* Which rows of a thread have nodes of the set is known before any call is looked at. */
static uint64_t count_thread(const struct tv_index *index, const struct tv_selection *selection,
                             uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_thread_range range = tv_thread_range_of(index, thread_ix, selection);
    uint32_t depth_end = 0;
    uint64_t count = 0;
    for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
         node++) {
        if (selection->set->place[node] != TV_CALL_OF_SET)
            continue;
        depth_end = depth_end > index->node_depth[node] ? depth_end : index->node_depth[node] + 1;
        count += tv_index_node_calls(index, node);
    }
    if (!selection->has_range && !selection->set->own)
        return count;
    count = 0;
    for (uint32_t depth = 0; depth < depth_end; depth++) {
        struct tv_slice slice = tv_slice_of(index, thread_ix, thread->row_first + depth, &range);
        count += count_calls(index, selection->set, tv_slice_overlap_first(&slice), slice.end);
    }
    return count;
}

uint64_t tv_call_set_count(const struct tv_index *index, const struct tv_selection *selection)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < tv_selection_thread_count(selection, index); i++)
        count += count_thread(index, selection, tv_selection_thread(selection, i));
    return count;
}
