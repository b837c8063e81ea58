/*
 * Rows of methods, classes or packages; see analysis/question/top_question.h.
 *
 * The steps are: sums of the scope's nodes, the profile of all methods, the rows that the filter
 * lets through, their order, the slice of them that is wanted, and last the details that only rows
 * of the slice have. So details, which may cost a scan of all calls, are never computed for rows
 * that nobody sees.
 */
#include "analysis/question/top_question.h"

#include <string.h>

#include "base/error.h"

/* An answer while it is made. */
struct making {
    struct tv_top *top;
    const struct tv_top_question *question;
    const struct tv_pool *pool;
    struct tv_method_filter filter;
    struct tv_sums sums;
};

void tv_top_init(struct tv_top *top, const struct tv_alloc *alloc)
{
    *top = (struct tv_top){.alloc = alloc};
    tv_arena_init(&top->arena, alloc);
    tv_profile_init(&top->profile, alloc);
    tv_groups_init(&top->groups, alloc);
}

void tv_top_release(struct tv_top *top)
{
    tv_groups_release(&top->groups);
    tv_profile_release(&top->profile);
    tv_arena_release(&top->arena);
    tv_top_init(top, top->alloc);
}

/* Whether a row is below the cut: by exclusive time where rows are sorted by it, else by inclusive
 * time. */
static bool is_small(const struct making *making, const struct tv_numbers *numbers)
{
    const struct tv_top_question *question = making->question;
    enum tv_measure measure = question->scope.measure;
    double total = (double)tv_measure_of(making->top->profile.total_ns, measure);
    uint64_t value = question->sort.key == TV_SORT_EXCLUSIVE ? tv_exclusive_on(numbers, measure)
                                                             : tv_inclusive_on(numbers, measure);
    return question->cut > 0 && (double)value < question->cut * total;
}

/* Takes the methods that have calls or time in the scope, and that the filter shows. */
static enum tv_code choose_methods(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    uint32_t method_count = making->sums.index->method_count;
    TV_TRY(tv_arena_take(&top->arena, (method_count + (size_t)1) * sizeof(*top->methods),
                         &top->methods, err));
    for (uint32_t i = 0; i < method_count; i++) {
        if (!tv_profile_has(&top->profile, i) || !tv_method_filter_shows(&making->filter, i))
            continue;
        if (is_small(making, &top->profile.rows[i].numbers))
            top->small_count++;
        else
            top->methods[top->count++] = i;
    }
    return tv_profile_order(&top->profile, top->methods, top->count, &making->question->sort, err);
}

/* Takes the classes or packages of the methods that the filter shows. */
static enum tv_code choose_groups(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    const struct tv_groups_opts opts = {
        .kind = making->question->rows == TV_TOP_CLASSES ? TV_GROUP_CLASS : TV_GROUP_PACKAGE,
        .parts = making->question->package_parts,
        .filter = &making->filter};
    TV_TRY(tv_groups_compute(&top->groups, &making->sums, &top->profile, &opts, err));
    for (size_t i = 0; i < top->groups.count; i++) {
        if (is_small(making, &top->groups.rows[i].numbers))
            top->small_count++;
        else
            top->groups.rows[top->count++] = top->groups.rows[i];
    }
    top->groups.count = top->count;
    return tv_groups_order(&top->groups, &making->question->sort, err);
}

/* Adds what the methods of the rows that are asked for took together. */
static enum tv_code add_set(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    uint32_t method_count = making->sums.index->method_count;
    uint8_t *is_member;
    TV_TRY(tv_arena_take(&top->arena, method_count + (size_t)1, &is_member, err));
    for (uint32_t i = 0; i < method_count; i++)
        is_member[i] = !top->methods && tv_method_filter_shows(&making->filter, i);
    bool is_of_slice = making->question->set == TV_TOP_SET_OF_SLICE;
    size_t first = is_of_slice ? top->slice.first : 0;
    size_t len = is_of_slice ? top->slice.len : top->count;
    for (size_t i = 0; top->methods && i < len; i++)
        is_member[top->methods[first + i]] = 1;
    return tv_set_totals_compute(&top->set, &making->sums, is_member, top->alloc, err);
}

/* Adds the percentiles of the methods in the slice. */
static enum tv_code add_percentiles(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    const struct tv_percentiles_question asked = {.profile = &top->profile,
                                                  .sums = &making->sums,
                                                  .methods = top->methods + top->slice.first,
                                                  .count = top->slice.len};
    TV_TRY(tv_arena_take(&top->arena, (top->slice.len + 1) * sizeof(*top->percentiles),
                         &top->percentiles, err));
    return tv_percentiles_compute(&asked, making->pool, top->percentiles, err);
}

/* The clock whose exclusive time the overhead is a part of. */
static enum tv_clock clock_of_overhead(const struct making *making)
{
    switch (making->question->scope.measure) {
    case TV_MEASURE_WALL:
        return TV_CLOCK_WALL;
    case TV_MEASURE_CPU:
        return TV_CLOCK_CPU;
    case TV_MEASURE_WAIT:
        break;
    }
    return tv_index_axis(making->sums.index);
}

/* Adds the overhead of tracing where the file says what recording costs. */
static enum tv_code add_overhead(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    const struct tv_index *index = making->sums.index;
    enum tv_clock clock = clock_of_overhead(making);
    struct tv_recorded_calls *recorded;
    TV_TRY(tv_record_cost_of(index, top->alloc, &top->record_cost, err));
    if (!top->record_cost.is_known)
        return TV_OK;
    TV_TRY(tv_arena_take(&top->arena, (index->method_count + (size_t)1) * sizeof(*recorded),
                         &recorded, err));
    TV_TRY(tv_arena_take(&top->arena, (top->slice.len + 1) * sizeof(*top->overhead), &top->overhead,
                         err));
    tv_recorded_calls_add(&making->sums, recorded);
    for (size_t i = 0; i < top->slice.len; i++) {
        uint32_t method = top->methods[top->slice.first + i];
        const struct tv_method_row *row = &top->profile.rows[method];
        struct tv_top_overhead *overhead = &top->overhead[i];
        uint64_t time_ns = row->numbers.exclusive_ns[clock];
        overhead->part =
            tv_overhead_of_method(&top->record_cost, method, recorded[method], time_ns);
        overhead->is_most = tv_overhead_is_most(&overhead->part, time_ns);
    }
    return TV_OK;
}

bool tv_top_tells_stayed(const struct tv_index *index, const struct tv_scope *scope)
{
    return tv_sampled_cpu_is_of_before(index) && index->call_count <= TV_STAYED_CALLS_MOST &&
           !scope->selection.has_range && !scope->selection.set && !scope->methods.hidden.len;
}

static enum tv_code add_stayed(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    const struct tv_index *index = making->sums.index;
    const size_t len = (index->method_count + (size_t)1) * sizeof(*top->stayed_ns);
    if (!tv_top_tells_stayed(index, &making->question->scope))
        return TV_OK;
    TV_TRY(tv_arena_take(&top->arena, len, &top->stayed_ns, err));
    memset(top->stayed_ns, 0, len);
    TV_TRY(
        tv_stayed_add(index, &making->question->scope.selection, top->alloc, top->stayed_ns, err));
    for (uint32_t i = 0; i < index->method_count; i++)
        top->stayed_total_ns += top->stayed_ns[i];
    return TV_OK;
}

static enum tv_code add_allocated(struct making *making, struct tv_error *err)
{
    struct tv_top *top = making->top;
    const struct tv_index *index = making->sums.index;
    const size_t len = (index->method_count + (size_t)1) * sizeof(*top->allocated);
    if (!tv_allocated_is_told(index))
        return TV_OK;
    TV_TRY(tv_arena_take(&top->arena, len, &top->allocated, err));
    memset(top->allocated, 0, len);
    return tv_allocated_read(index, top->alloc, top->allocated, err);
}

/* The order matters: hiding changes the sums before the profile is made of them, and details come
 * last because they are made for the slice only. */
static enum tv_code make(struct making *making, const struct tv_index *index, struct tv_error *err)
{
    const struct tv_top_question *question = making->question;
    const struct tv_scope *scope = &question->scope;
    struct tv_top *top = making->top;
    TV_TRY(tv_method_filter_make(&making->filter, index, &scope->methods, err));
    TV_TRY(tv_sums_compute(&making->sums, index, &scope->selection, making->pool, err));
    if (making->filter.hidden)
        TV_TRY(tv_sums_hide(&making->sums, making->filter.hidden, 0, err));
    TV_TRY(tv_profile_of_sums(&top->profile, &making->sums, err));
    if (question->rows == TV_TOP_METHODS)
        TV_TRY(choose_methods(making, err));
    else
        TV_TRY(choose_groups(making, err));
    top->slice = tv_table_slice_rows(&question->slice, top->count);
    if (question->set != TV_TOP_NO_SET)
        TV_TRY(add_set(making, err));
    if (question->rows == TV_TOP_METHODS && question->has_overhead)
        TV_TRY(add_overhead(making, err));
    if (question->rows == TV_TOP_METHODS && question->has_percentiles)
        TV_TRY(add_percentiles(making, err));
    if (question->rows == TV_TOP_METHODS && question->has_stayed)
        TV_TRY(add_stayed(making, err));
    if (question->rows == TV_TOP_METHODS && question->has_allocated)
        TV_TRY(add_allocated(making, err));
    return TV_OK;
}

enum tv_code tv_top_compute(struct tv_top *top, const struct tv_index *index,
                            const struct tv_top_question *question, const struct tv_pool *pool,
                            struct tv_error *err)
{
    struct making making = {.top = top, .question = question, .pool = pool};
    tv_top_release(top);
    tv_method_filter_init(&making.filter, top->alloc);
    tv_sums_init(&making.sums, top->alloc);
    enum tv_code code = make(&making, index, err);
    tv_sums_release(&making.sums);
    tv_method_filter_release(&making.filter);
    return code;
}
