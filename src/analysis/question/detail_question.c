/*
 * Where time went; see analysis/question/detail_question.h.
 *
 * The subject of the question is a scope, a method or one call, and its parts, its path and its
 * waits are all computed from sums of nodes. For one call the sums are taken over the time of that
 * call alone, so that everything below its node is what the call made. A pass from parents to
 * children marks the nodes at the subject and below it; detail_rows.c and detail_longest.c make the
 * rows of them.
 */
#include "analysis/question/detail_question.h"

#include "analysis/calls/call.h"
#include "analysis/question/detail_making.h"
#include "analysis/selection/call_set.h"
#include "base/error.h"

/* The node that stands for the whole scope, as the parent of the roots. */
static uint32_t scope_node(const struct tv_detail_making *making)
{
    return making->sums.node_count;
}
/* --- the sums --- */

/* The depth of each node's root in the trace. It has to be known before methods are hidden, since
 * a root may be hidden, too. */
static enum tv_code find_root_depths(struct tv_detail_making *making)
{
    const struct tv_sums *sums = &making->sums;
    if (!sums->selection.set || !sums->selection.set->runs)
        return TV_OK;
    TV_TRY(tv_alloc_new(making->alloc, &making->root_depth, sums->node_count + (size_t)1,
                        sizeof(uint32_t), making->err));
    for (uint32_t node = 0; node < sums->node_count; node++) {
        uint32_t parent = sums->parent[node];
        making->root_depth[node] = parent == TV_NONE
                                       ? sums->index->node_depth[tv_sums_index_node(sums, node)]
                                       : making->root_depth[parent];
    }
    return TV_OK;
}

/* For one call the sums are those of its own thread between its own beginning and end. */
static enum tv_code compute_sums(struct tv_detail_making *making)
{
    const struct tv_detail_question *question = making->question;
    const struct tv_index *index = making->index;
    struct tv_selection selection = question->scope.selection;
    struct tv_thread_range edges;
    if (question->subject == TV_DETAIL_CALL) {
        edges = tv_call_range(index, question->call.thread_ix, question->call.call);
        enum tv_clock axis = tv_index_axis(index);
        selection = (struct tv_selection){.has_range = true,
                                          .from_ns = edges.from_ns[axis],
                                          .to_ns = edges.to_ns[axis],
                                          .threads = &question->call.thread_ix,
                                          .thread_count = 1,
                                          .edges = &edges};
    }
    TV_TRY(tv_method_filter_make(&making->filter, index, &question->scope.methods, making->err));
    TV_TRY(tv_sums_compute(&making->sums, index, &selection, making->pool, making->err));
    if (question->subject == TV_DETAIL_CALL)
        making->sums.selection.edges = NULL; /* they end with this function */
    TV_TRY(find_root_depths(making));
    if (making->filter.hidden && question->subject == TV_DETAIL_METHOD)
        making->filter.hidden[question->method_ix] = 0;
    if (making->filter.hidden && question->subject == TV_DETAIL_CALL)
        making->filter.hidden[tv_call_method(index, question->call)] = 0;
    if (!making->filter.hidden)
        return TV_OK;
    return tv_sums_hide(&making->sums, making->filter.hidden, 0, making->err);
}

/* --- the nodes of the subject --- */

static bool is_subject(const struct tv_detail_making *making, uint32_t node)
{
    switch (making->question->subject) {
    case TV_DETAIL_SCOPE:
        break;
    case TV_DETAIL_METHOD:
        return making->sums.method[node] == making->question->method_ix;
    case TV_DETAIL_CALL:
        return tv_sums_index_node(&making->sums, node) ==
               making->index->call_node[making->question->call.call];
    }
    return false;
}

/* Adds the numbers of a node to those of the subject. */
static enum tv_code add_to_subject(struct tv_detail_making *making, uint32_t node)
{
    struct tv_detail *detail = making->detail;
    struct tv_numbers numbers = tv_sums_numbers(&making->sums, node);
    if (making->question->subject == TV_DETAIL_CALL)
        numbers.calls = 1; /* calls of no length at its edges are calls of the node, too */
    bool is_outermost = making->place_of[node] == TV_DETAIL_AT_SUBJECT;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && is_outermost; clock++)
        detail->self_ns[clock] += numbers.exclusive_ns[clock];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && !is_outermost; clock++)
        numbers.inclusive_ns[clock] = 0;
    tv_numbers_add(&detail->numbers, &numbers);
    return is_outermost ? tv_detail_add_node(making, &making->at, node) : TV_OK;
}

/* Sets where a node lies: at the subject, below it, or outside. The parent has a lower ordinal, so
 * its place is known. */
static enum tv_code place_node(struct tv_detail_making *making, uint32_t node)
{
    bool is_scope = making->question->subject == TV_DETAIL_SCOPE;
    uint32_t parent = making->sums.parent[node];
    bool is_below =
        is_scope || (parent != TV_NONE && making->place_of[parent] != TV_DETAIL_OUTSIDE);
    bool is = is_subject(making, node);
    making->place_of[node] = is_below ? TV_DETAIL_BELOW
                             : is     ? TV_DETAIL_AT_SUBJECT
                                      : TV_DETAIL_OUTSIDE;
    making->marks[node].is_below = is_below || is;
    if (is_scope)
        making->detail->numbers.calls += tv_sums_calls(&making->sums, node);
    /* A call's node may lie below itself only by recursion, and then those are other calls. */
    if (is && (!is_below || making->question->subject == TV_DETAIL_METHOD))
        return add_to_subject(making, node);
    return TV_OK;
}

/* Links a thread's nodes from parents to children. The last node is linked first, so that siblings
 * come in order. */
static void link_children(struct tv_detail_making *making, struct tv_node_range nodes)
{
    for (uint32_t node = nodes.end; node-- > nodes.first;) {
        uint32_t parent = making->sums.parent[node];
        uint32_t under = parent == TV_NONE ? scope_node(making) : parent;
        making->next_sibling[node] = making->first_child[under];
        making->first_child[under] = node;
    }
}

/* Nodes get their place and their list of children thread by thread. Where the subject is the whole
 * scope, there is no node for it, so its numbers are the totals and scope_node stands above all
 * roots. */
static enum tv_code place_nodes(struct tv_detail_making *making)
{
    const struct tv_sums *sums = &making->sums;
    struct tv_detail *detail = making->detail;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t node = 0; node <= sums->node_count; node++)
        making->first_child[node] = TV_NONE;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            TV_TRY(place_node(making, node));
        link_children(making, nodes);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        detail->total_ns[clock] = sums->total_ns[clock];
    if (making->question->subject != TV_DETAIL_SCOPE)
        return TV_OK;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        detail->numbers.inclusive_ns[clock] = detail->numbers.exclusive_ns[clock] =
            sums->total_ns[clock];
        detail->self_ns[clock] = sums->hidden_ns[clock];
    }
    return tv_detail_add_node(making, &making->at, scope_node(making));
}

/* --- what is not recorded --- */

/* Whether one of the thread's open calls is of the subject; all open calls have the unrecorded
 * stretch. */
static bool is_in_open_call(const struct tv_detail_making *making,
                            const struct tv_index_thread *thread)
{
    const struct tv_detail_question *question = making->question;
    const struct tv_index *index = making->index;
    bool is_in = question->subject != TV_DETAIL_METHOD;
    for (uint32_t depth = 0; !is_in && depth < thread->open_depth; depth++) {
        const uint32_t node = tv_open_node(index, thread, depth);
        is_in = index->node_method[node] == question->method_ix &&
                tv_call_set_lists(question->scope.selection.set, node);
    }
    return is_in;
}

static void add_unrecorded(struct tv_detail_making *making)
{
    const struct tv_index *index = making->index;
    const struct tv_selection *selection = &making->question->scope.selection;
    const uint32_t thread_count = tv_selection_thread_count(selection, index);
    if (making->question->subject == TV_DETAIL_CALL) {
        making->detail->unrecorded_ns =
            tv_call_unrecorded(index, making->question->call) * index->info->unit_ns;
        return;
    }
    for (uint32_t i = 0; i < thread_count; i++) {
        const uint32_t thread_ix = tv_selection_thread(selection, i);
        const uint64_t ns = tv_thread_unrecorded_ns(index, thread_ix, selection);
        if (ns && is_in_open_call(making, &index->threads[thread_ix]))
            making->detail->unrecorded_ns += ns;
    }
}

/* --- the answer --- */

static enum tv_code find_first_nodes(struct tv_detail_making *making)
{
    const struct tv_sums *sums = &making->sums;
    if (!sums->index_node)
        return TV_OK;
    TV_TRY(tv_alloc_new(making->alloc, &making->first_of, making->index->node_count,
                        sizeof(uint32_t), making->err));
    for (uint32_t node = 0; node < making->index->node_count; node++)
        making->first_of[node] = TV_NONE;
    for (uint32_t node = sums->node_count; node-- > 0;)
        making->first_of[sums->index_node[node]] = node;
    return TV_OK;
}

static enum tv_code allocate(struct tv_detail_making *making)
{
    size_t nodes = making->sums.node_count + (size_t)1;
    TV_TRY(tv_alloc_new(making->alloc, &making->place_of, nodes, 1, making->err));
    TV_TRY(tv_alloc_new(making->alloc, &making->first_child, nodes, sizeof(uint32_t), making->err));
    TV_TRY(
        tv_alloc_new(making->alloc, &making->next_sibling, nodes, sizeof(uint32_t), making->err));
    TV_TRY(tv_alloc_new(making->alloc, &making->marks, nodes, sizeof(*making->marks), making->err));
    TV_TRY(find_first_nodes(making));
    return tv_alloc_new(making->alloc, &making->place_in_callees, making->index->method_count,
                        sizeof(uint32_t), making->err);
}

static void release(struct tv_detail_making *making)
{
    const struct tv_alloc *alloc = making->alloc;
    size_t nodes = making->sums.node_count + (size_t)1;
    tv_alloc_release(alloc, &making->next.nodes, making->next.cap, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->at.nodes, making->at.cap, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->place_in_callees, making->index->method_count,
                     sizeof(uint32_t));
    tv_alloc_release(alloc, &making->callees, making->callee_cap, sizeof(*making->callees));
    tv_alloc_release(alloc, &making->root_depth, nodes, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->first_of, making->index->node_count, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->marks, nodes, sizeof(*making->marks));
    tv_alloc_release(alloc, &making->next_sibling, nodes, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->first_child, nodes, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->place_of, nodes, 1);
    tv_sums_release(&making->sums);
    tv_method_filter_release(&making->filter);
}

/* A call without time on the axis has no stretch to look into. */
static bool is_moment(const struct tv_detail_making *making)
{
    const struct tv_detail_question *question = making->question;
    const struct tv_index *index = making->index;
    if (question->subject != TV_DETAIL_CALL)
        return false;
    const struct tv_index_thread *thread = &index->threads[question->call.thread_ix];
    return !index->info->has_clock[tv_index_axis(index)] ||
           !tv_index_duration(index, thread, tv_index_axis(index), question->call.call);
}

static void tell_moment(struct tv_detail_making *making)
{
    const struct tv_call_ref ref = making->question->call;
    const struct tv_index *index = making->index;
    struct tv_detail *detail = making->detail;
    detail->numbers.calls = 1;
    tv_call_durations(index, ref, detail->total_ns);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        detail->numbers.inclusive_ns[clock] = detail->numbers.exclusive_ns[clock] =
            detail->self_ns[clock] = detail->total_ns[clock];
}

static enum tv_code make(struct tv_detail_making *making)
{
    add_unrecorded(making);
    if (is_moment(making)) {
        tell_moment(making);
        return TV_OK;
    }
    TV_TRY(compute_sums(making));
    TV_TRY(allocate(making));
    TV_TRY(place_nodes(making));
    TV_TRY(tv_detail_find_parts(making));
    TV_TRY(tv_detail_find_path(making));
    TV_TRY(tv_detail_find_waits(making));
    return tv_detail_find_longest(making);
}

enum tv_code tv_detail_compute(struct tv_detail *detail, const struct tv_index *index,
                               const struct tv_detail_question *question,
                               const struct tv_alloc *alloc, const struct tv_pool *pool,
                               struct tv_error *err)
{
    struct tv_detail_making making = {.detail = detail,
                                      .index = index,
                                      .question = question,
                                      .alloc = alloc,
                                      .pool = pool,
                                      .err = err};
    *detail = (struct tv_detail){.more_parts = 0};
    tv_method_filter_init(&making.filter, alloc);
    tv_sums_init(&making.sums, alloc);
    enum tv_code code = make(&making);
    release(&making);
    return code;
}
