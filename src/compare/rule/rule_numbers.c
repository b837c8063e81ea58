/*
 * Taking the numbers of a run; see compare/rule/rule_numbers.h.
 *
 * Rules ask about few different things (`rules->about`): the totals of all threads, which the
 * comparison has anyway and which stand first, and totals, p50, p95 or longest calls of threads by
 * name. Each of these has a join of its own, so that a rule finds the same methods in all of them.
 * What is dear is made once for each thread pattern: one profile gives its totals, and one scan of
 * its calls gives all percentiles.
 */
#include "compare/rule/rule_numbers.h"

#include "analysis/calls/percentiles.h"
#include "analysis/insights/insights.h"
#include "analysis/profile/profile.h"
#include "compare/comparison.h"

void tv_rule_numbers_init(struct tv_rule_numbers *numbers, const struct tv_alloc *alloc)
{
    *numbers = (struct tv_rule_numbers){.alloc = alloc};
    for (size_t i = 0; i < TV_COUNT_OF(numbers->joins); i++)
        tv_join_init(&numbers->joins[i], alloc);
    tv_join_init(&numbers->left_out, alloc);
    tv_join_init(&numbers->inlined, alloc);
}

void tv_rule_numbers_release(struct tv_rule_numbers *numbers)
{
    tv_alloc_release(numbers->alloc, &numbers->missing_calls, numbers->left_out.run_count,
                     sizeof(*numbers->missing_calls));
    for (size_t i = 0; i < TV_COUNT_OF(numbers->joins); i++)
        tv_join_release(&numbers->joins[i]);
    tv_join_release(&numbers->left_out);
    tv_join_release(&numbers->inlined);
    tv_rule_numbers_init(numbers, numbers->alloc);
}

void tv_rule_numbers_begin(struct tv_rule_numbers *numbers, const struct tv_rules *rules,
                           size_t run_count)
{
    tv_rule_numbers_release(numbers);
    numbers->rules = rules;
    for (size_t i = 0; i < rules->about_count; i++)
        tv_join_begin(&numbers->joins[i], run_count);
    tv_join_begin(&numbers->left_out, run_count);
    tv_join_begin(&numbers->inlined, run_count);
}

/* A run while its numbers are added. */
struct added_run {
    struct tv_rule_numbers *numbers;
    const struct tv_index *index;
    const struct tv_pool *pool;
    size_t run;
    uint8_t *marks;    /* a byte for each thread */
    uint32_t *threads; /* the ordinals of those that are marked */
};

/* The percentiles of all methods with calls, and what of these calls is not recorded. Methods that
 * are one to a join have those of all their calls, which stand with the first of them. */
struct percentile_rows {
    struct tv_profile calls; /* rows of calls alone: the first method's has those of its others */
    uint32_t *places;        /* by method, of its row in the join at hand */
    uint32_t *first_of;      /* by method: the first of those that are one with it */
    uint32_t *methods;       /* the first ones */
    struct tv_method_percentiles *of;
    uint32_t count;
};

static uint64_t percentile_of(const struct tv_percentiles *of, enum tv_rule_number number)
{
    switch (number) {
    case TV_NUMBER_P50:
        return of->p50_ns;
    case TV_NUMBER_P95:
        return of->p95_ns;
    case TV_NUMBER_MAX:
        return of->max_ns;
    case TV_NUMBER_TOTAL:
        break;
    }
    return 0;
}

/* Adds the methods with their calls to a join, and then percentiles in the place of inclusive
 * times, since a join knows rows alone. */
static enum tv_code add_rows(const struct added_run *added, size_t about,
                             const struct percentile_rows *rows, struct tv_error *err)
{
    struct tv_join *join = &added->numbers->joins[about];
    const enum tv_rule_number number = added->numbers->rules->about[about].number;
    TV_TRY(tv_join_add_placed(join, added->run, added->index, rows->calls.rows, rows->places, err));
    for (uint32_t i = 0; i < rows->count; i++) {
        const uint32_t place = rows->places[rows->methods[i]];
        struct tv_method_row *row = &join->numbers[place * join->run_count + added->run];
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            row->numbers.inclusive_ns[clock] = percentile_of(&rows->of[i].of[clock], number);
    }
    return TV_OK;
}

/* Adds to the joins of a thread's percentiles. */
static enum tv_code add_percentiles(const struct added_run *added, struct tv_str thread,
                                    const struct percentile_rows *rows, struct tv_error *err)
{
    const struct tv_rules *rules = added->numbers->rules;
    for (size_t i = 1; i < rules->about_count; i++) {
        if (rules->about[i].number != TV_NUMBER_TOTAL &&
            tv_str_equal(rules->about[i].thread, thread))
            TV_TRY(add_rows(added, i, rows, err));
    }
    return TV_OK;
}

/* Finds the methods that are one to a join, and gives the first of each its others' calls. */
static enum tv_code find_first(const struct added_run *added, const struct tv_profile *profile,
                               struct percentile_rows *rows, struct tv_error *err)
{
    const struct tv_alloc *alloc = added->numbers->alloc;
    struct tv_join join;
    uint32_t *first_at = NULL; /* by place */
    for (uint32_t i = 0; i < profile->row_count; i++) {
        struct tv_numbers *of = &rows->calls.rows[i].numbers;
        of->calls = profile->rows[i].numbers.calls + profile->rows[i].recursive_calls;
        of->unrecorded_ns[0] = profile->rows[i].numbers.unrecorded_ns[0];
        of->open_calls = profile->rows[i].numbers.open_calls;
        of->adopting_calls = profile->rows[i].numbers.adopting_calls;
    }
    tv_join_init(&join, alloc);
    tv_join_begin(&join, 1);
    enum tv_code code =
        tv_join_add_placed(&join, 0, added->index, rows->calls.rows, rows->places, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &first_at, join.count, sizeof(*first_at), err);
    for (size_t i = 0; code == TV_OK && i < join.count; i++)
        first_at[i] = TV_NONE;
    for (uint32_t i = 0; code == TV_OK && i < profile->row_count; i++) {
        rows->first_of[i] = i;
        if (rows->places[i] == TV_NONE)
            continue;
        uint32_t *first = &first_at[rows->places[i]];
        if (*first == TV_NONE) {
            *first = i;
            rows->methods[rows->count++] = i;
            continue;
        }
        rows->first_of[i] = *first;
        tv_numbers_add(&rows->calls.rows[*first].numbers, &rows->calls.rows[i].numbers);
        rows->calls.rows[i].numbers = (struct tv_numbers){.calls = 0};
    }
    tv_alloc_release(alloc, &first_at, join.count, sizeof(*first_at));
    tv_join_release(&join);
    return code;
}

static enum tv_code take_room(const struct tv_alloc *alloc, uint32_t count,
                              struct percentile_rows *rows, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, &rows->calls.rows, count, sizeof(*rows->calls.rows), err));
    TV_TRY(tv_alloc_new(alloc, &rows->places, count, sizeof(*rows->places), err));
    TV_TRY(tv_alloc_new(alloc, &rows->first_of, count, sizeof(*rows->first_of), err));
    TV_TRY(tv_alloc_new(alloc, &rows->methods, count, sizeof(*rows->methods), err));
    return tv_alloc_new(alloc, &rows->of, count, sizeof(*rows->of), err);
}

/* Computes the percentiles of all methods that a profile has, and adds them to the joins that are
 * about this thread. */
static enum tv_code make_percentiles(const struct added_run *added, const struct tv_sums *sums,
                                     const struct tv_profile *profile, struct tv_str thread,
                                     struct tv_error *err)
{
    const struct tv_alloc *alloc = added->numbers->alloc;
    const uint32_t room = profile->row_count;
    struct percentile_rows rows = {
        .calls = {.alloc = alloc, .index = added->index, .row_count = room}};
    enum tv_code code = take_room(alloc, room, &rows, err);
    if (code == TV_OK)
        code = find_first(added, profile, &rows, err);
    if (code == TV_OK)
        code = tv_percentiles_compute(&(struct tv_percentiles_question){.profile = &rows.calls,
                                                                        .sums = sums,
                                                                        .methods = rows.methods,
                                                                        .count = rows.count,
                                                                        .first_of = rows.first_of},
                                      added->pool, rows.of, err);
    if (code == TV_OK)
        code = add_percentiles(added, thread, &rows, err);
    tv_alloc_release(alloc, &rows.of, room, sizeof(*rows.of));
    tv_alloc_release(alloc, &rows.methods, room, sizeof(*rows.methods));
    tv_alloc_release(alloc, &rows.first_of, room, sizeof(*rows.first_of));
    tv_alloc_release(alloc, &rows.places, room, sizeof(*rows.places));
    tv_alloc_release(alloc, &rows.calls.rows, room, sizeof(*rows.calls.rows));
    return code;
}

/* Whether the rules are about percentiles of a thread. */
static bool wants_percentiles(const struct tv_rules *rules, struct tv_str thread)
{
    for (size_t i = 1; i < rules->about_count; i++) {
        if (rules->about[i].number != TV_NUMBER_TOTAL &&
            tv_str_equal(rules->about[i].thread, thread))
            return true;
    }
    return false;
}

/* Makes the sums of the chosen threads, and of them all that the rules ask: totals for each place
 * of `about` from `first` on that is of this thread, and percentiles. Place 0 is skipped: it is the
 * join that the comparison made. */
static enum tv_code add_selection(const struct added_run *added, size_t first,
                                  const struct tv_selection *selection, struct tv_error *err)
{
    struct tv_rule_numbers *numbers = added->numbers;
    const struct tv_rules *rules = numbers->rules;
    struct tv_str thread = rules->about[first].thread;
    struct tv_run_numbers of;
    tv_run_numbers_init(&of, numbers->alloc);
    enum tv_code code = tv_sums_compute(&of.sums, added->index, selection, added->pool, err);
    if (code == TV_OK)
        code = tv_profile_of_sums(&of.profile, &of.sums, err);
    for (size_t i = first; code == TV_OK && i < rules->about_count; i++) {
        if (i && rules->about[i].number == TV_NUMBER_TOTAL &&
            tv_str_equal(rules->about[i].thread, thread))
            code = tv_join_add_run(&numbers->joins[i], added->run, &of, NULL, err);
    }
    if (code == TV_OK && wants_percentiles(rules, thread))
        code = make_percentiles(added, &of.sums, &of.profile, thread, err);
    tv_run_numbers_release(&of);
    return code;
}

/* Whether an earlier number is of the same threads, with which this one was made. */
static bool is_done(const struct tv_rules *rules, size_t place)
{
    for (size_t i = 0; i < place; i++) {
        if (tv_str_equal(rules->about[i].thread, rules->about[place].thread))
            return true;
    }
    return false;
}

/* Whether what the chosen threads did may be that of threads which are not listed. */
static bool may_be_unlisted(const struct tv_index *index, const struct tv_selection *selection)
{
    for (uint32_t i = 0; i < selection->thread_count; i++) {
        if (index->threads[selection->threads[i]].records)
            return false;
    }
    return selection->thread_count && index->info->findings.of[TV_FINDING_UNKNOWN_THREAD].count;
}

/* Adds all numbers that are of the threads of the one at `first`. */
static enum tv_code add_threads(const struct added_run *added, size_t first, struct tv_error *err)
{
    struct tv_rule_numbers *numbers = added->numbers;
    const struct tv_rules *rules = numbers->rules;
    struct tv_str thread = rules->about[first].thread;
    struct tv_selection selection = {.has_range = false};
    if (thread.len) {
        if (!tv_run_threads(added->index, thread, added->marks))
            return TV_OK;
        for (uint32_t i = 0; i < added->index->thread_count; i++) {
            if (added->marks[i])
                added->threads[selection.thread_count++] = i;
        }
        selection.threads = added->threads;
    }
    const bool is_unlisted = may_be_unlisted(added->index, &selection);
    for (size_t i = first; i < rules->about_count; i++) {
        if (!tv_str_equal(rules->about[i].thread, thread))
            continue;
        numbers->last_with[i] = added->run + 1;
        if (is_unlisted)
            numbers->last_unlisted[i] = added->run + 1;
        if (!numbers->first_with[i])
            numbers->first_with[i] = added->run + 1;
    }
    return add_selection(added, first, &selection, err);
}

/* Whether classes were left out of which nothing tells what they are called. */
static bool has_any_of(struct tv_str classes)
{
    return tv_str_has_word(classes, TV_STR("chosen")) ||
           tv_str_has_word(classes, TV_STR("failed")) || tv_str_has_word(classes, TV_STR("hidden"));
}

/* Notes which methods were left out of a run: a recorder of ours describes those that ran, and no
 * others, so one without calls had some. */
static enum tv_code note_left_out(const struct added_run *added, struct tv_error *err)
{
    const struct tv_alloc *alloc = added->numbers->alloc;
    const struct tv_index *index = added->index;
    const struct tv_str classes = tv_index_property_of(index, TV_STR("classes-left-out"));
    struct tv_method_row *rows;
    if (tv_run_number_of(index, TV_STR("methods-skipped")) || has_any_of(classes))
        added->numbers->left_out_any = added->run + 1;
    if (tv_str_has_word(classes, TV_STR("boot")))
        added->numbers->left_out_boot = added->run + 1;
    if (tv_run_number_of(index, TV_STR("calls-left-out")) <=
        tv_run_number_of(index, TV_STR("short-calls-left-out")))
        return TV_OK;
    TV_TRY(tv_alloc_new(alloc, &rows, index->method_count, sizeof(*rows), err));
    for (uint32_t i = 0; i < index->method_count; i++)
        rows[i].numbers.calls = !index->methods[i].calls && !index->methods[i].recursive_calls;
    const enum tv_code code = tv_join_add(&added->numbers->left_out, added->run, index, rows, err);
    tv_alloc_release(alloc, &rows, index->method_count, sizeof(*rows));
    return code;
}

static enum tv_code note_missing(const struct added_run *added, struct tv_error *err)
{
    struct tv_rule_numbers *numbers = added->numbers;
    const struct tv_findings *findings = &added->index->info->findings;
    const uint64_t missing = findings->of[TV_FINDING_EXIT_NOT_ON_STACK].count +
                             findings->of[TV_FINDING_RESERVED_ACTION].count;
    if (missing && !numbers->missing_calls)
        TV_TRY(tv_alloc_new(numbers->alloc, &numbers->missing_calls, numbers->left_out.run_count,
                            sizeof(*numbers->missing_calls), err));
    if (missing)
        numbers->missing_calls[added->run] = missing;
    return TV_OK;
}

enum tv_code tv_rule_numbers_add(struct tv_rule_numbers *numbers, size_t run,
                                 const struct tv_index *index, const struct tv_pool *pool,
                                 struct tv_error *err)
{
    const struct tv_rules *rules = numbers->rules;
    const uint32_t count = index->thread_count;
    struct added_run added = {.numbers = numbers, .index = index, .pool = pool, .run = run};
    TV_TRY(note_left_out(&added, err));
    TV_TRY(note_missing(&added, err));
    TV_TRY(tv_join_add_inlined(&numbers->inlined, run, index, NULL, err));
    if (rules->about_count < 2)
        return TV_OK;
    TV_TRY(tv_alloc_new(numbers->alloc, &added.threads, count, sizeof(*added.threads), err));
    enum tv_code code =
        tv_alloc_new(numbers->alloc, &added.marks, count, sizeof(*added.marks), err);
    for (size_t i = 0; code == TV_OK && i < rules->about_count; i++) {
        if (!is_done(rules, i) && (i || wants_percentiles(rules, rules->about[i].thread)))
            code = add_threads(&added, i, err);
    }
    tv_alloc_release(numbers->alloc, &added.marks, count, sizeof(*added.marks));
    tv_alloc_release(numbers->alloc, &added.threads, count, sizeof(*added.threads));
    return code;
}

enum tv_code tv_rule_numbers_finish(struct tv_rule_numbers *numbers, struct tv_error *err)
{
    for (size_t i = 1; i < numbers->rules->about_count; i++)
        TV_TRY(tv_join_finish(&numbers->joins[i], err));
    TV_TRY(tv_join_finish(&numbers->left_out, err));
    return tv_join_finish(&numbers->inlined, err);
}
