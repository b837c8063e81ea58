/*
 * The rows of parts, path and waits; see analysis/question/detail_question.h.
 *
 * Lists of children lead from the subject along the path: at each step the callees of all current
 * nodes are added up by method, and the heaviest method is the next step. The parts are the methods
 * with the most time directly below the subject.
 */
#include "analysis/question/detail_making.h"
#include "base/error.h"

/* The path ends with a callee that has less than this much of the subject. */
#define PATH_PERCENT 10u
/* A step of the path only passes its time on when it has less than this much of the subject itself,
 * and the next step has at least this much of it. */
#define OWN_PERCENT 2u
#define PASSED_ON_PERCENT 90u
/* A method whose own code has less than this much of the subject's wait is not told: calls are
 * shorter than the ticks of a clock, and many of them look like a wait. */
#define WAIT_PERCENT 1u

enum tv_code tv_detail_add_node(struct tv_detail_making *making, struct tv_detail_nodes *set,
                                uint32_t node)
{
    TV_TRY(tv_alloc_grow(making->alloc, &set->nodes, &set->cap, set->count + 1, sizeof(*set->nodes),
                         making->err));
    set->nodes[set->count++] = node;
    return TV_OK;
}

/* --- parts and path --- */

/* Adds to the numbers of a method. */
static enum tv_code collect(struct tv_detail_making *making, uint32_t method_ix,
                            const struct tv_numbers *numbers)
{
    uint32_t *place = &making->place_in_callees[method_ix];
    if (!*place) {
        TV_TRY(tv_alloc_grow(making->alloc, &making->callees, &making->callee_cap,
                             making->callee_count + 1, sizeof(*making->callees), making->err));
        making->callees[making->callee_count++] = (struct tv_detail_callee){.method_ix = method_ix};
        *place = (uint32_t)making->callee_count;
    }
    tv_numbers_add(&making->callees[*place - 1].numbers, numbers);
    return TV_OK;
}

static void forget_callees(struct tv_detail_making *making)
{
    for (size_t i = 0; i < making->callee_count; i++)
        making->place_in_callees[making->callees[i].method_ix] = 0;
    making->callee_count = 0;
}

/* Collects the methods that the nodes of the set called. */
static enum tv_code collect_callees(struct tv_detail_making *making,
                                    const struct tv_detail_nodes *set)
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

/* Whether callee a comes before b: it has more time, or equal time and a better rank. */
static bool is_before(const struct tv_detail_making *making, const struct tv_detail_callee *a,
                      uint64_t a_ns, const struct tv_detail_row *b, uint64_t b_ns)
{
    const struct tv_index_method *methods = making->index->methods;
    if (a_ns != b_ns)
        return a_ns > b_ns;
    return methods[a->method_ix].rank < methods[b->method_ix].rank;
}

typedef uint64_t (*value_of)(const struct tv_detail_making *making,
                             const struct tv_numbers *numbers);

/* Takes the `most` callees with the largest values, in order; those without any are left out. */
static void take_largest(const struct tv_detail_making *making, struct tv_detail_rows *rows,
                         size_t most, value_of value)
{
    for (size_t i = 0; i < making->callee_count; i++) {
        const struct tv_detail_callee *callee = &making->callees[i];
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
static void mark_parts(struct tv_detail_making *making)
{
    const struct tv_detail_rows *parts = &making->detail->parts;
    for (size_t i = 0; i < making->callee_count; i++)
        making->place_in_callees[making->callees[i].method_ix] = 0;
    for (size_t i = 0; i < parts->count; i++)
        making->place_in_callees[parts->of[i].method_ix] = (uint32_t)i + 1;
    for (size_t i = 0; i < making->at.count; i++) {
        for (uint32_t child = making->first_child[making->at.nodes[i]]; child != TV_NONE;
             child = making->next_sibling[child])
            making->marks[child].part =
                (uint8_t)making->place_in_callees[making->sums.method[child]];
    }
}

enum tv_code tv_detail_find_parts(struct tv_detail_making *making)
{
    struct tv_detail *detail = making->detail;
    TV_TRY(collect_callees(making, &making->at));
    take_largest(making, &detail->parts, TV_DETAIL_PARTS, tv_detail_time);
    detail->more_parts = making->callee_count - detail->parts.count;
    mark_parts(making);
    return TV_OK;
}

/* The callee with the most time of those that were collected; NULL: it has too little. */
static const struct tv_detail_callee *heaviest(const struct tv_detail_making *making)
{
    struct tv_detail_rows rows = {.count = 0};
    uint64_t whole_ns = tv_detail_time(making, &making->detail->numbers);
    take_largest(making, &rows, 1, tv_detail_time);
    if (!rows.count || tv_detail_time(making, &rows.of[0].numbers) < whole_ns / 100 * PATH_PERCENT)
        return NULL;
    for (size_t i = 0; i < making->callee_count; i++) {
        if (making->callees[i].method_ix == rows.of[0].method_ix)
            return &making->callees[i];
    }
    return NULL;
}

/* Moves on to the nodes of the method below those of the step. */
static enum tv_code step_down(struct tv_detail_making *making, uint32_t method_ix)
{
    making->next.count = 0;
    for (size_t i = 0; i < making->at.count; i++) {
        for (uint32_t child = making->first_child[making->at.nodes[i]]; child != TV_NONE;
             child = making->next_sibling[child]) {
            if (making->sums.method[child] == method_ix)
                TV_TRY(tv_detail_add_node(making, &making->next, child));
        }
    }
    struct tv_detail_nodes was = making->at;
    making->at = making->next;
    making->next = was;
    return TV_OK;
}

/* Whether a step does no more than to pass its time on to the next one. */
static bool only_passes_on(const struct tv_detail_making *making,
                           const struct tv_detail_callee *step, const struct tv_detail_callee *next)
{
    struct tv_numbers own = {.calls = 0};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        own.inclusive_ns[clock] = own.exclusive_ns[clock] = step->numbers.exclusive_ns[clock];
    uint64_t whole_ns = tv_detail_time(making, &making->detail->numbers);
    uint64_t step_ns = tv_detail_time(making, &step->numbers);
    return next && tv_detail_time(making, &own) < whole_ns / 100 * OWN_PERCENT &&
           tv_detail_time(making, &next->numbers) >= step_ns / 100 * PASSED_ON_PERCENT;
}

/* A step that only passes its time on gets no row of its own; the next row tells how many such
 * steps there were. The nodes of a row are marked with its place for detail_longest.c. */
enum tv_code tv_detail_find_path(struct tv_detail_making *making)
{
    struct tv_detail_rows *path = &making->detail->path;
    const struct tv_detail_callee *found = heaviest(making);
    uint32_t passed_on = 0;
    while (found && path->count < TV_DETAIL_PATH) {
        const struct tv_detail_callee step = *found;
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
            making->marks[making->at.nodes[i]].step = (uint8_t)path->count;
    }
    return TV_OK;
}

/* --- waits --- */

static uint64_t whole_wait(const struct tv_detail_making *making)
{
    return tv_wait_of(&making->detail->numbers).inclusive_ns;
}

/* The wait of own code, at most that of the subject. */
static uint64_t any_wait(const struct tv_detail_making *making, const struct tv_numbers *numbers)
{
    uint64_t whole_ns = whole_wait(making);
    uint64_t wait_ns = tv_wait_of(numbers).exclusive_ns;
    return wait_ns < whole_ns ? wait_ns : whole_ns;
}

/* The wait of own code, or 0 where it is too small for a row. */
static uint64_t own_wait(const struct tv_detail_making *making, const struct tv_numbers *numbers)
{
    uint64_t wait_ns = any_wait(making, numbers);
    return wait_ns < whole_wait(making) / 100 * WAIT_PERCENT ? 0 : wait_ns;
}

/* Collects the methods of all nodes of the subject, each node with its own code alone. */
static enum tv_code collect_own_code(struct tv_detail_making *making)
{
    const struct tv_sums *sums = &making->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            struct tv_numbers numbers = {.calls = 0};
            if (making->place_of[node] == TV_DETAIL_OUTSIDE || !tv_sums_is_touched(sums, node))
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
static bool is_about_all(const struct tv_detail_making *making)
{
    const struct tv_selection *selection = &making->sums.selection;
    return making->question->subject == TV_DETAIL_SCOPE && !selection->has_range &&
           !selection->threads && !selection->set && !making->filter.hidden;
}

/* Collects the own code of all methods where the question is about all calls of the trace: then the
 * sums of methods in the index have it, and no node need be looked at. */
static enum tv_code collect_all_code(struct tv_detail_making *making)
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

static bool has_row(const struct tv_detail_rows *rows, uint32_t method_ix)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->of[i].method_ix == method_ix)
            return true;
    }
    return false;
}

static void add_to_rest(struct tv_detail_rest *rest, uint64_t ns)
{
    rest->methods += ns > 0;
    rest->ns += ns;
}

/* Adds up what has no row, so that nobody need guess what it was. */
static void sum_up_rest(struct tv_detail_making *making)
{
    struct tv_detail *detail = making->detail;
    struct tv_numbers hidden = {.calls = 0};
    for (size_t i = 0; i < making->callee_count; i++) {
        const struct tv_numbers *numbers = &making->callees[i].numbers;
        if (has_row(&detail->waits, making->callees[i].method_ix))
            continue;
        add_to_rest(own_wait(making, numbers) ? &detail->more_waits : &detail->small_waits,
                    any_wait(making, numbers));
    }
    if (making->question->subject != TV_DETAIL_SCOPE)
        return;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        hidden.inclusive_ns[clock] = hidden.exclusive_ns[clock] = making->sums.hidden_ns[clock];
    detail->hidden_wait_ns = any_wait(making, &hidden);
}

/* Finds the methods whose own code waited. */
enum tv_code tv_detail_find_waits(struct tv_detail_making *making)
{
    if (!tv_index_has_wait(making->index))
        return TV_OK;
    forget_callees(making);
    TV_TRY(is_about_all(making) ? collect_all_code(making) : collect_own_code(making));
    struct tv_detail_rows *waits = &making->detail->waits;
    take_largest(making, waits, TV_DETAIL_WAITS, own_wait);
    for (size_t i = 0; i < waits->count; i++)
        waits->of[i].wait_ns = own_wait(making, &waits->of[i].numbers);
    sum_up_rest(making);
    return TV_OK;
}
