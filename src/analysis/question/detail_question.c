/*
 * Where time went; see analysis/question/detail_question.h.
 *
 * All of it is made of the sums of nodes. For a call they are those of its own stretch, so what
 * lies below its node there is what it made. A pass from parents to children tells which nodes are
 * below the subject, lists of children lead along the path, and one scan of the calls of the
 * methods that have a row finds the longest ones.
 */
#include "analysis/question/detail_question.h"

#include "analysis/calls/method_scan.h"
#include "base/error.h"
#include "base/search.h"

/* The path ends with a callee that has less than this much of the subject. */
#define PATH_PERCENT 10u
/* A step of the path only passes its time on when it has less than this much of the subject itself,
 * and the next step has at least this much of it. */
#define OWN_PERCENT 2u
#define PASSED_ON_PERCENT 90u
/* A method whose own code has less than this much of the subject's wait is not told: calls are
 * shorter than the ticks of a clock, and many of them look like a wait. */
#define WAIT_PERCENT 1u

enum place { PLACE_OUTSIDE, PLACE_BELOW, PLACE_SUBJECT };

/* What a node of the index has to do with the rows of the answer: 1 + the row, or 0. */
struct node_mark {
    uint8_t is_below; /* or the subject */
    uint8_t part;
    uint8_t step;
};

/* The nodes of a method among the children of some nodes. */
struct callee {
    uint32_t method_ix;
    struct tv_numbers numbers;
};

struct node_set {
    uint32_t *nodes;
    size_t count;
    size_t cap;
};

struct making {
    struct tv_detail *detail;
    const struct tv_index *index;
    const struct tv_detail_question *question;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_error *err;
    struct tv_method_filter filter;
    struct tv_sums sums;
    uint8_t *place_of;       /* enum place, one per node of the sums */
    uint32_t *first_child;   /* one per node of the sums, then that of the scope: the roots */
    uint32_t *next_sibling;  /* one per node of the sums */
    struct node_mark *marks; /* one per node of the index */
    struct callee *callees;  /* what collect_callees found */
    size_t callee_count;
    size_t callee_cap;
    uint32_t *place_in_callees; /* one per method: 1 + its place, or 0 */
    struct node_set at;         /* the nodes of the step of the path */
    struct node_set next;
};

/* The time of numbers on the clock that is asked for. */
static uint64_t time_of(const struct making *making, const struct tv_numbers *numbers)
{
    return tv_inclusive_on(numbers, making->question->scope.measure);
}

static uint32_t index_node(const struct tv_sums *sums, uint32_t node)
{
    return sums->index_node ? sums->index_node[node] : node;
}

/* The node that stands for the whole scope, as the parent of the roots. */
static uint32_t scope_node(const struct making *making)
{
    return making->sums.node_count;
}

static enum tv_code add_node(struct making *making, struct node_set *set, uint32_t node)
{
    TV_TRY(tv_alloc_grow(making->alloc, &set->nodes, &set->cap, set->count + 1, sizeof(*set->nodes),
                         making->err));
    set->nodes[set->count++] = node;
    return TV_OK;
}

/* --- the sums --- */

/* A call is looked at where it is, on its own thread, with its own times as edges. */
static enum tv_code compute_sums(struct making *making)
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
    making->sums.selection.edges = NULL; /* they end with this function */
    if (making->filter.hidden && question->subject == TV_DETAIL_METHOD)
        making->filter.hidden[question->method_ix] = 0;
    if (making->filter.hidden && question->subject == TV_DETAIL_CALL)
        making->filter.hidden[tv_call_method(index, question->call)] = 0;
    if (!making->filter.hidden)
        return TV_OK;
    return tv_sums_hide(&making->sums, making->filter.hidden, 0, making->err);
}

/* --- the nodes of the subject --- */

static bool is_subject(const struct making *making, uint32_t node)
{
    switch (making->question->subject) {
    case TV_DETAIL_SCOPE:
        break;
    case TV_DETAIL_METHOD:
        return making->sums.method[node] == making->question->method_ix;
    case TV_DETAIL_CALL:
        return index_node(&making->sums, node) ==
               making->index->call_node[making->question->call.call];
    }
    return false;
}

/* Adds what a node has to the subject's own numbers. */
static enum tv_code add_to_subject(struct making *making, uint32_t node)
{
    struct tv_detail *detail = making->detail;
    struct tv_numbers numbers = tv_sums_numbers(&making->sums, node);
    if (making->question->subject == TV_DETAIL_CALL)
        numbers.calls = 1; /* calls of no length at its edges are calls of the node, too */
    bool is_outermost = making->place_of[node] == PLACE_SUBJECT;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && is_outermost; clock++)
        detail->self_ns[clock] += numbers.exclusive_ns[clock];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT && !is_outermost; clock++)
        numbers.inclusive_ns[clock] = 0;
    tv_numbers_add(&detail->numbers, &numbers);
    return is_outermost ? add_node(making, &making->at, node) : TV_OK;
}

/* Tells of a node, whose parent stands before it, what it is to the subject. */
static enum tv_code place_node(struct making *making, uint32_t node)
{
    bool is_scope = making->question->subject == TV_DETAIL_SCOPE;
    uint32_t parent = making->sums.parent[node];
    bool is_below = is_scope || (parent != TV_NONE && making->place_of[parent] != PLACE_OUTSIDE);
    bool is = is_subject(making, node);
    making->place_of[node] = is_below ? PLACE_BELOW : is ? PLACE_SUBJECT : PLACE_OUTSIDE;
    making->marks[index_node(&making->sums, node)].is_below = is_below || is;
    if (is_scope)
        making->detail->numbers.calls += tv_sums_calls(&making->sums, node);
    /* A call's node may lie below itself only by recursion, and then those are other calls. */
    if (is && (!is_below || making->question->subject == TV_DETAIL_METHOD))
        return add_to_subject(making, node);
    return TV_OK;
}

/* Links a thread's nodes from parents to children, backwards, so that siblings come in order. */
static void link_children(struct making *making, struct tv_node_range nodes)
{
    for (uint32_t node = nodes.end; node-- > nodes.first;) {
        uint32_t parent = making->sums.parent[node];
        uint32_t under = parent == TV_NONE ? scope_node(making) : parent;
        making->next_sibling[node] = making->first_child[under];
        making->first_child[under] = node;
    }
}

static enum tv_code place_nodes(struct making *making)
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
    return add_node(making, &making->at, scope_node(making));
}

/* --- parts and path --- */

/* Adds to the numbers of a method. */
static enum tv_code collect(struct making *making, uint32_t method_ix,
                            const struct tv_numbers *numbers)
{
    uint32_t *place = &making->place_in_callees[method_ix];
    if (!*place) {
        TV_TRY(tv_alloc_grow(making->alloc, &making->callees, &making->callee_cap,
                             making->callee_count + 1, sizeof(*making->callees), making->err));
        making->callees[making->callee_count++] = (struct callee){.method_ix = method_ix};
        *place = (uint32_t)making->callee_count;
    }
    tv_numbers_add(&making->callees[*place - 1].numbers, numbers);
    return TV_OK;
}

static void forget_callees(struct making *making)
{
    for (size_t i = 0; i < making->callee_count; i++)
        making->place_in_callees[making->callees[i].method_ix] = 0;
    making->callee_count = 0;
}

/* Collects the methods that the nodes of the set called. */
static enum tv_code collect_callees(struct making *making, const struct node_set *set)
{
    forget_callees(making);
    for (size_t i = 0; i < set->count; i++) {
        for (uint32_t child = making->first_child[set->nodes[i]]; child != TV_NONE;
             child = making->next_sibling[child]) {
            struct tv_numbers numbers = tv_sums_numbers(&making->sums, child);
            if (tv_sums_is_touched(&making->sums, child))
                TV_TRY(collect(making, making->sums.method[child], &numbers));
        }
    }
    return TV_OK;
}

/* Whether callee a comes before b: it has more time, or as much and a better rank. */
static bool is_before(const struct making *making, const struct callee *a, uint64_t a_ns,
                      const struct tv_detail_row *b, uint64_t b_ns)
{
    const struct tv_index_method *methods = making->index->methods;
    if (a_ns != b_ns)
        return a_ns > b_ns;
    return methods[a->method_ix].rank < methods[b->method_ix].rank;
}

typedef uint64_t (*value_of)(const struct making *making, const struct tv_numbers *numbers);

/* Takes the `most` callees with the largest values, in order; those without any are left out. */
static void take_largest(const struct making *making, struct tv_detail_rows *rows, size_t most,
                         value_of value)
{
    for (size_t i = 0; i < making->callee_count; i++) {
        const struct callee *callee = &making->callees[i];
        uint64_t ns = value(making, &callee->numbers);
        size_t at = rows->count;
        while (at && is_before(making, callee, ns, &rows->of[at - 1],
                               value(making, &rows->of[at - 1].numbers)))
            at--;
        if (!ns || at == most)
            continue;
        if (rows->count < most)
            rows->count++;
        for (size_t k = rows->count - 1; k > at; k--)
            rows->of[k] = rows->of[k - 1];
        rows->of[at] = (struct tv_detail_row){
            .method_ix = callee->method_ix, .numbers = callee->numbers, .longest = TV_NO_CALL};
    }
}

/* Marks the children of the subject that have a row. */
static void mark_parts(struct making *making)
{
    const struct tv_detail_rows *parts = &making->detail->parts;
    for (size_t i = 0; i < making->callee_count; i++)
        making->place_in_callees[making->callees[i].method_ix] = 0;
    for (size_t i = 0; i < parts->count; i++)
        making->place_in_callees[parts->of[i].method_ix] = (uint32_t)i + 1;
    for (size_t i = 0; i < making->at.count; i++) {
        for (uint32_t child = making->first_child[making->at.nodes[i]]; child != TV_NONE;
             child = making->next_sibling[child])
            making->marks[index_node(&making->sums, child)].part =
                (uint8_t)making->place_in_callees[making->sums.method[child]];
    }
}

static enum tv_code find_parts(struct making *making)
{
    struct tv_detail *detail = making->detail;
    TV_TRY(collect_callees(making, &making->at));
    take_largest(making, &detail->parts, TV_DETAIL_PARTS, time_of);
    detail->more_parts = making->callee_count - detail->parts.count;
    mark_parts(making);
    return TV_OK;
}

/* The callee with the most time of those that were collected; NULL: it has too little. */
static const struct callee *heaviest(const struct making *making)
{
    struct tv_detail_rows rows = {.count = 0};
    uint64_t whole_ns = time_of(making, &making->detail->numbers);
    take_largest(making, &rows, 1, time_of);
    if (!rows.count || time_of(making, &rows.of[0].numbers) < whole_ns / 100 * PATH_PERCENT)
        return NULL;
    for (size_t i = 0; i < making->callee_count; i++) {
        if (making->callees[i].method_ix == rows.of[0].method_ix)
            return &making->callees[i];
    }
    return NULL;
}

/* Moves on to the nodes of the method below those of the step. */
static enum tv_code step_down(struct making *making, uint32_t method_ix)
{
    making->next.count = 0;
    for (size_t i = 0; i < making->at.count; i++) {
        for (uint32_t child = making->first_child[making->at.nodes[i]]; child != TV_NONE;
             child = making->next_sibling[child]) {
            if (making->sums.method[child] == method_ix)
                TV_TRY(add_node(making, &making->next, child));
        }
    }
    struct node_set was = making->at;
    making->at = making->next;
    making->next = was;
    return TV_OK;
}

/* Whether a step does no more than to pass its time on to the next one. */
static bool only_passes_on(const struct making *making, const struct callee *step,
                           const struct callee *next)
{
    struct tv_numbers own = {.calls = 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        own.inclusive_ns[clock] = own.exclusive_ns[clock] = step->numbers.exclusive_ns[clock];
    uint64_t whole_ns = time_of(making, &making->detail->numbers);
    uint64_t step_ns = time_of(making, &step->numbers);
    return next && time_of(making, &own) < whole_ns / 100 * OWN_PERCENT &&
           time_of(making, &next->numbers) >= step_ns / 100 * PASSED_ON_PERCENT;
}

static enum tv_code find_path(struct making *making)
{
    struct tv_detail_rows *path = &making->detail->path;
    const struct callee *found = heaviest(making);
    uint32_t passed_on = 0;
    while (found && path->count < TV_DETAIL_PATH) {
        const struct callee step = *found;
        TV_TRY(step_down(making, step.method_ix));
        TV_TRY(collect_callees(making, &making->at));
        found = heaviest(making);
        if (only_passes_on(making, &step, found)) {
            passed_on++;
            continue;
        }
        path->of[path->count++] = (struct tv_detail_row){.method_ix = step.method_ix,
                                                         .numbers = step.numbers,
                                                         .longest = TV_NO_CALL,
                                                         .passed_on = passed_on};
        passed_on = 0;
        for (size_t i = 0; i < making->at.count; i++)
            making->marks[index_node(&making->sums, making->at.nodes[i])].step =
                (uint8_t)path->count;
    }
    return TV_OK;
}

/* --- waits --- */

/* The wait of a method's own code, 0 where it is not told. */
static uint64_t own_wait(const struct making *making, const struct tv_numbers *numbers)
{
    uint64_t whole_ns = tv_wait_of(&making->detail->numbers).inclusive_ns;
    uint64_t wait_ns = tv_wait_of(numbers).exclusive_ns;
    if (wait_ns < whole_ns / 100 * WAIT_PERCENT)
        return 0;
    return wait_ns < whole_ns ? wait_ns : whole_ns;
}

/* Collects the methods of all nodes of the subject, each node with its own code alone. */
static enum tv_code collect_own_code(struct making *making)
{
    const struct tv_sums *sums = &making->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            struct tv_numbers numbers = {.calls = 0};
            if (making->place_of[node] == PLACE_OUTSIDE || !tv_sums_is_touched(sums, node))
                continue;
            numbers.calls = tv_sums_calls(sums, node);
            for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
                numbers.inclusive_ns[clock] = numbers.exclusive_ns[clock] =
                    tv_sums_exclusive(sums, clock, node);
            TV_TRY(collect(making, making->sums.method[node], &numbers));
        }
    }
    return TV_OK;
}

/* Whether the question is about all calls of the trace, whose sums stand at the methods. */
static bool is_about_all(const struct making *making)
{
    const struct tv_selection *selection = &making->sums.selection;
    return making->question->subject == TV_DETAIL_SCOPE && !selection->has_range &&
           !selection->threads && !making->filter.hidden;
}

/* The same where the question is about all calls. */
static enum tv_code collect_all_code(struct making *making)
{
    const struct tv_index *index = making->index;
    for (uint32_t rank = 0; rank < index->info->ranked_count; rank++) {
        const uint32_t method_ix = index->method_of_rank[rank];
        const struct tv_index_method *method = &index->methods[method_ix];
        struct tv_numbers numbers = {.calls = method->calls + method->recursive_calls};
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            numbers.inclusive_ns[clock] = numbers.exclusive_ns[clock] =
                method->exclusive[clock] * index->info->unit_ns;
        TV_TRY(collect(making, method_ix, &numbers));
    }
    return TV_OK;
}

/* Finds the methods whose own code waited. */
static enum tv_code find_waits(struct making *making)
{
    if (!tv_index_has_wait(making->index))
        return TV_OK;
    forget_callees(making);
    TV_TRY(is_about_all(making) ? collect_all_code(making) : collect_own_code(making));
    struct tv_detail_rows *waits = &making->detail->waits;
    take_largest(making, waits, TV_DETAIL_WAITS, own_wait);
    for (size_t i = 0; i < waits->count; i++)
        waits->of[i].wait_ns = own_wait(making, &waits->of[i].numbers);
    return TV_OK;
}

/* --- the longest calls --- */

/* The wait of one call's own code. */
static uint64_t call_wait(const struct tv_index *index, struct tv_call_ref ref)
{
    uint64_t exclusive[TV_CLOCK_COUNT];
    struct tv_numbers numbers = {.calls = 1};
    tv_call_exclusive(index, ref, exclusive);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        numbers.inclusive_ns[clock] = numbers.exclusive_ns[clock] =
            exclusive[clock] * index->info->unit_ns;
    return tv_wait_of(&numbers).exclusive_ns;
}

static void keep_longest(struct tv_detail_row *row, struct tv_call_ref ref, uint64_t ns)
{
    if (ns <= row->longest_ns)
        return;
    row->longest = ref;
    row->longest_ns = ns;
}

struct seeing {
    struct making *making;
    const uint8_t *wait_of_slot; /* per slot of the scan: 1 + the row of the waits, or 0 */
};

static void see_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    const struct seeing *seeing = ctx;
    const struct tv_index *index = seeing->making->index;
    struct tv_detail *detail = seeing->making->detail;
    const struct node_mark *mark = &seeing->making->marks[index->call_node[call]];
    const uint8_t wait = mark->is_below ? seeing->wait_of_slot[slot] : 0;
    if (!mark->part && !mark->step && !wait)
        return;
    const uint32_t depth = row->row_ix - row->thread->row_first;
    const struct tv_call_ref ref = {row->thread_ix, depth, call};
    struct tv_numbers numbers = {.calls = 1};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            numbers.inclusive_ns[clock] =
                tv_index_duration(index, row->thread, (enum tv_clock)clock, call) *
                index->info->unit_ns;
    }
    uint64_t ns = time_of(seeing->making, &numbers);
    if (mark->part)
        keep_longest(&detail->parts.of[mark->part - 1], ref, ns);
    if (mark->step)
        keep_longest(&detail->path.of[mark->step - 1], ref, ns);
    if (wait && tv_wait_of(&numbers).inclusive_ns > detail->waits.of[wait - 1].longest_ns)
        keep_longest(&detail->waits.of[wait - 1], ref, call_wait(index, ref));
}

/* The methods of the rows, each once. */
struct wanted {
    uint32_t methods[TV_DETAIL_PARTS + TV_DETAIL_PATH + TV_DETAIL_WAITS];
    uint8_t wait_of_slot[TV_DETAIL_PARTS + TV_DETAIL_PATH + TV_DETAIL_WAITS];
    size_t count;
};

static size_t want(struct wanted *wanted, uint32_t method_ix)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->methods[i] == method_ix)
            return i;
    }
    wanted->methods[wanted->count] = method_ix;
    wanted->wait_of_slot[wanted->count] = 0;
    return wanted->count++;
}

static enum tv_code find_longest(struct making *making)
{
    const struct tv_detail *detail = making->detail;
    struct tv_selection selection = making->sums.selection;
    struct tv_thread_range edges;
    struct tv_method_scan scan;
    struct wanted wanted = {.count = 0};
    for (size_t i = 0; i < detail->parts.count; i++)
        (void)want(&wanted, detail->parts.of[i].method_ix);
    for (size_t i = 0; i < detail->path.count; i++)
        (void)want(&wanted, detail->path.of[i].method_ix);
    for (size_t i = 0; i < detail->waits.count; i++)
        wanted.wait_of_slot[want(&wanted, detail->waits.of[i].method_ix)] = (uint8_t)(i + 1);
    if (making->question->subject == TV_DETAIL_CALL) {
        edges = tv_call_range(making->index, making->question->call.thread_ix,
                              making->question->call.call);
        selection.edges = &edges;
    }
    struct seeing seeing = {making, wanted.wait_of_slot};
    tv_method_scan_init(&scan, making->alloc);
    TV_TRY(tv_method_scan_prepare(&scan, making->index, wanted.methods, wanted.count, making->err));
    tv_method_scan_run(&scan, &selection, see_call, &seeing);
    tv_method_scan_release(&scan);
    return TV_OK;
}

/* --- the answer --- */

static enum tv_code allocate(struct making *making)
{
    size_t nodes = making->sums.node_count + (size_t)1;
    TV_TRY(tv_alloc_new(making->alloc, &making->place_of, nodes, 1, making->err));
    TV_TRY(tv_alloc_new(making->alloc, &making->first_child, nodes, sizeof(uint32_t), making->err));
    TV_TRY(
        tv_alloc_new(making->alloc, &making->next_sibling, nodes, sizeof(uint32_t), making->err));
    TV_TRY(tv_alloc_new(making->alloc, &making->marks, making->index->node_count,
                        sizeof(*making->marks), making->err));
    return tv_alloc_new(making->alloc, &making->place_in_callees, making->index->method_count,
                        sizeof(uint32_t), making->err);
}

static void release(struct making *making)
{
    const struct tv_alloc *alloc = making->alloc;
    size_t nodes = making->sums.node_count + (size_t)1;
    tv_alloc_release(alloc, &making->next.nodes, making->next.cap, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->at.nodes, making->at.cap, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->place_in_callees, making->index->method_count,
                     sizeof(uint32_t));
    tv_alloc_release(alloc, &making->callees, making->callee_cap, sizeof(*making->callees));
    tv_alloc_release(alloc, &making->marks, making->index->node_count, sizeof(*making->marks));
    tv_alloc_release(alloc, &making->next_sibling, nodes, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->first_child, nodes, sizeof(uint32_t));
    tv_alloc_release(alloc, &making->place_of, nodes, 1);
    tv_sums_release(&making->sums);
    tv_method_filter_release(&making->filter);
}

/* A call without time on the axis has no stretch to look into. */
static bool is_moment(const struct making *making)
{
    const struct tv_detail_question *question = making->question;
    const struct tv_index *index = making->index;
    if (question->subject != TV_DETAIL_CALL)
        return false;
    const struct tv_index_thread *thread = &index->threads[question->call.thread_ix];
    return !index->info->has_clock[tv_index_axis(index)] ||
           !tv_index_duration(index, thread, tv_index_axis(index), question->call.call);
}

static void tell_moment(struct making *making)
{
    const struct tv_call_ref ref = making->question->call;
    const struct tv_index *index = making->index;
    struct tv_detail *detail = making->detail;
    detail->numbers.calls = 1;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (index->info->has_clock[clock])
            detail->numbers.inclusive_ns[clock] = detail->numbers.exclusive_ns[clock] =
                detail->self_ns[clock] = detail->total_ns[clock] =
                    tv_index_duration(index, &index->threads[ref.thread_ix], (enum tv_clock)clock,
                                      ref.call) *
                    index->info->unit_ns;
    }
}

static enum tv_code make(struct making *making)
{
    if (is_moment(making)) {
        tell_moment(making);
        return TV_OK;
    }
    TV_TRY(compute_sums(making));
    TV_TRY(allocate(making));
    TV_TRY(place_nodes(making));
    TV_TRY(find_parts(making));
    TV_TRY(find_path(making));
    TV_TRY(find_waits(making));
    return find_longest(making);
}

enum tv_code tv_detail_compute(struct tv_detail *detail, const struct tv_index *index,
                               const struct tv_detail_question *question,
                               const struct tv_alloc *alloc, const struct tv_pool *pool,
                               struct tv_error *err)
{
    struct making making = {.detail = detail,
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
