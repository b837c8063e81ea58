/*
 * call: everything about one call, and steps from it to its neighbours.
 *
 * A call is found in one of three ways: by its place (thread, depth and ordinal in that row), by a
 * moment at which it is the innermost open call, or as the n-th call of its method. `step` then
 * moves from the call that was found to a neighbour, and the answer is that neighbour's. Where
 * packages are hidden, neighbours in the tree are those that the timeline shows.
 */
#include "analysis/calls/call.h"
#include "analysis/calls/calls.h"
#include "analysis/selection/range.h"
#include "api/lean_query.h"
#include "api/query.h"
#include "api/route.h"
#include "api/routes/write_call.h"
#include "base/error.h"

/* A stack may be a million deep: the answer has the innermost calls, and how many it leaves out. */
#define STACK_LIMIT 1000u

/* Where a step leads, in the order of step_names. */
enum step {
    STEP_PARENT,
    STEP_CHILD,
    STEP_NEXT_SIBLING,
    STEP_PREV_SIBLING,
    STEP_NEXT,
    STEP_PREV,
    STEP_NEXT_IN_THREAD,
    STEP_PREV_IN_THREAD,
    STEP_NONE
};

static const char *const step_names[] = {"parent", "child", "next-sibling",   "prev-sibling",
                                         "next",   "prev",  "next-in-thread", "prev-in-thread"};

/* A moment between two calls has no call, and is refused rather than moved to the nearest: the page
 * asks for what is under the pointer. */
static enum tv_code find_by_time(struct tv_request *request, struct tv_call_ref *ref,
                                 struct tv_error *err)
{
    uint32_t thread_ix;
    uint64_t at_ns = 0;
    TV_TRY(tv_params_u64(&request->params, "at", 0, INT64_MAX, &at_ns, err));
    TV_TRY(tv_query_thread(&request->params, request->index, &thread_ix, err));
    *ref = tv_call_innermost(request->index, thread_ix, at_ns / request->index->info->unit_ns);
    if (!tv_call_is(*ref))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no call is open there then");
    return TV_OK;
}

/* Ordinals of a method's calls count all threads, by start. */
static enum tv_code find_by_ordinal(struct tv_request *request, struct tv_call_ref *ref,
                                    struct tv_error *err)
{
    uint32_t method_ix;
    uint64_t ordinal = 0;
    TV_TRY(tv_query_method(&request->params, "method", request->index, &method_ix, err));
    TV_TRY(tv_params_u64(&request->params, "ordinal", 0, INT64_MAX, &ordinal, err));
    struct tv_method_calls list;
    tv_method_calls_init(&list, request->alloc);
    enum tv_code code =
        tv_method_calls_find(&list, request->index, method_ix, request->api->pool, err);
    if (code == TV_OK)
        code = tv_call_by_ordinal(&list, ordinal, ref, err);
    tv_method_calls_release(&list);
    return code;
}

/* A neighbour in the tree of calls; TV_NO_CALL where there is none, and for other steps. */
static struct tv_call_ref tree_neighbour(const struct tv_index *index, struct tv_call_ref from,
                                         enum step step)
{
    switch (step) {
    case STEP_PARENT:
        return tv_call_caller(index, from);
    case STEP_CHILD:
        return tv_call_first_callee(index, from);
    case STEP_NEXT_SIBLING:
        return tv_call_sibling(index, from, TV_FORWARD);
    case STEP_PREV_SIBLING:
        return tv_call_sibling(index, from, TV_BACKWARD);
    case STEP_NEXT:
    case STEP_PREV:
    case STEP_NEXT_IN_THREAD:
    case STEP_PREV_IN_THREAD:
    case STEP_NONE:
        break;
    }
    return TV_NO_CALL;
}

/* The shown call next above a hidden one. */
static struct tv_call_ref shown_caller(const struct tv_lean *lean, struct tv_call_ref ref)
{
    while (tv_call_is(ref) && lean->levels[lean->whole->call_node[ref.call]] == TV_NONE)
        ref = tv_call_caller(lean->whole, ref);
    return ref;
}

/* The neighbour of a call among the calls that are shown. From a hidden call, every step leads to
 * its nearest shown caller. */
static struct tv_call_ref shown_neighbour(const struct tv_lean *lean, struct tv_call_ref from,
                                          enum step step)
{
    struct tv_call_ref place = tv_lean_find(lean, from);
    if (!tv_call_is(place))
        return shown_caller(lean, from);
    place = tree_neighbour(&lean->index, place, step);
    return tv_call_is(place) ? tv_lean_origin(lean, place) : place;
}

/* Moves from the call to its neighbour. Where there is none, the call is not found. */
static enum tv_code take_step(struct tv_request *request, const struct tv_lean *lean,
                              struct tv_call_ref *ref, struct tv_error *err)
{
    const struct tv_index *index = request->index;
    struct tv_call_ref from = *ref;
    unsigned choice = STEP_NONE;
    TV_TRY(tv_params_choice(&request->params, "step", step_names, TV_COUNT_OF(step_names), &choice,
                            err));
    switch ((enum step)choice) {
    case STEP_PARENT:
    case STEP_CHILD:
    case STEP_NEXT_SIBLING:
    case STEP_PREV_SIBLING:
        *ref = lean ? shown_neighbour(lean, from, (enum step)choice)
                    : tree_neighbour(index, from, (enum step)choice);
        break;
    case STEP_NEXT:
        TV_TRY(tv_call_of_method(index, request->alloc, from, TV_FORWARD, ref, err));
        break;
    case STEP_PREV:
        TV_TRY(tv_call_of_method(index, request->alloc, from, TV_BACKWARD, ref, err));
        break;
    case STEP_NEXT_IN_THREAD:
        *ref = tv_call_in_thread(index, from, TV_FORWARD);
        break;
    case STEP_PREV_IN_THREAD:
        *ref = tv_call_in_thread(index, from, TV_BACKWARD);
        break;
    case STEP_NONE:
        break;
    }
    if (!tv_call_is(*ref))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no call that way");
    return TV_OK;
}

/* Finds the call in the way whose parameters are there, and takes the step from it. */
static enum tv_code find_call(struct tv_request *request, const struct tv_lean *lean,
                              struct tv_call_ref *ref, struct tv_error *err)
{
    struct tv_str text;
    if (tv_params_find(&request->params, "at", &text))
        TV_TRY(find_by_time(request, ref, err));
    else if (tv_params_find(&request->params, "method", &text))
        TV_TRY(find_by_ordinal(request, ref, err));
    else
        TV_TRY(tv_query_call(&request->params, request->index, ref, err));
    return take_step(request, lean, ref, err);
}

/* Writes the place of the caller, or null for a root call. */
static void write_parent(struct tv_answer_writer *writer, struct tv_call_ref ref)
{
    struct tv_json *json = &writer->json;
    const struct tv_index *index = writer->index;
    struct tv_call_ref parent = tv_call_caller(index, ref);
    tv_json_key(json, "parent");
    if (!tv_call_is(parent)) {
        tv_json_null(json);
        return;
    }
    tv_json_open_object(json);
    tv_json_key_u64(json, "depth", parent.depth);
    tv_json_key_u64(json, "call", tv_call_ordinal_in_row(index, parent));
    tv_json_key_u64(json, "rank", index->methods[tv_call_method(index, parent)].rank);
    tv_json_close_object(json);
}

/* Writes the ranks of the stack's methods, from the root to the call. Nodes lead upwards, so ranks
 * are filled in from the end. */
static enum tv_code write_stack(struct tv_answer_writer *writer, struct tv_arena *arena,
                                struct tv_call_ref ref, struct tv_error *err)
{
    const struct tv_index *index = writer->index;
    uint32_t count = ref.depth + 1 < STACK_LIMIT ? ref.depth + 1 : STACK_LIMIT;
    uint32_t *ranks;
    TV_TRY(tv_arena_take(arena, count * sizeof(*ranks), &ranks, err));
    uint32_t node = index->call_node[ref.call];
    for (uint32_t i = count; i-- > 0; node = index->node_parent[node])
        ranks[i] = index->methods[index->node_method[node]].rank;
    tv_json_key(&writer->json, "stack");
    tv_json_open_array(&writer->json);
    for (uint32_t i = 0; i < count; i++)
        tv_json_u64(&writer->json, ranks[i]);
    tv_json_close_array(&writer->json);
    tv_json_key_u64(&writer->json, "stack_left_out", ref.depth + 1 - count);
    return TV_OK;
}

/* The clock of the median: that of the axis unless another is asked for. */
static enum tv_code take_clock(const struct tv_request *request, enum tv_clock *clock,
                               struct tv_error *err)
{
    static const char *const names[] = {"wall", "cpu"};
    *clock = tv_index_axis(request->index);
    unsigned choice = *clock == TV_CLOCK_CPU;
    TV_TRY(tv_params_choice(&request->params, "clock", names, TV_COUNT_OF(names), &choice, err));
    if (choice == (*clock == TV_CLOCK_CPU))
        return TV_OK;
    *clock = choice ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    return tv_measure_check(request->index, choice ? TV_MEASURE_CPU : TV_MEASURE_WALL, err);
}

/* Finds which call of its method the call is, and the method's median. */
static enum tv_code rank_call(struct tv_request *request, struct tv_call_ref ref,
                              enum tv_clock clock, struct tv_call_rank *rank, struct tv_error *err)
{
    struct tv_method_calls list;
    tv_method_calls_init(&list, request->alloc);
    enum tv_code code = tv_method_calls_find(
        &list, request->index, tv_call_method(request->index, ref), request->api->pool, err);
    if (code == TV_OK)
        code = tv_call_rank_of(&list, ref, clock, rank, err);
    tv_method_calls_release(&list);
    return code;
}

/* Writes the level that the call stands on, null for a hidden one. */
static void write_level(struct tv_answer_writer *writer, const struct tv_lean *lean,
                        struct tv_call_ref ref)
{
    uint32_t level = lean->levels[lean->whole->call_node[ref.call]];
    tv_json_key(&writer->json, "level");
    if (level == TV_NONE)
        tv_json_null(&writer->json);
    else
        tv_json_u64(&writer->json, level);
}

/* The ordinal, the number of calls and the median are those of the method over the whole trace, so
 * the page can say how unusual the call is. */
static enum tv_code answer(struct tv_request *request, const struct tv_lean *lean,
                           struct tv_error *err)
{
    struct tv_call_ref ref = TV_NO_CALL;
    struct tv_call_rank rank;
    struct tv_answer_writer writer;
    enum tv_clock clock;
    TV_TRY(take_clock(request, &clock, err));
    TV_TRY(find_call(request, lean, &ref, err));
    TV_TRY(rank_call(request, ref, clock, &rank, err));
    tv_writer_init(&writer, request->api, &request->response->body);
    tv_json_open_object(&writer.json);
    tv_write_basis(&writer, clock == TV_CLOCK_CPU ? TV_MEASURE_CPU : TV_MEASURE_WALL);
    tv_write_call(&writer, ref, lean);
    if (lean)
        write_level(&writer, lean, ref);
    tv_write_method(&writer, tv_call_method(request->index, ref));
    tv_json_key_u64(&writer.json, "ordinal", rank.ordinal);
    tv_json_key_u64(&writer.json, "of", rank.of);
    tv_json_key_u64(&writer.json, "median_ns", rank.median_ns);
    write_parent(&writer, ref);
    enum tv_code code = write_stack(&writer, request->arena, ref, err);
    tv_json_close_object(&writer.json);
    enum tv_code finished = tv_writer_finish(&writer, err);
    return code != TV_OK ? code : finished;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_lean_query_run(request, answer, err);
}

static const char *const params[] = {"thread",  "depth", "call",  "at",          "method",
                                     "ordinal", "step",  "clock", TV_HIDE_PARAM, NULL};

const struct tv_route tv_route_call = {"call", TV_TYPE_JSON, params, run};
