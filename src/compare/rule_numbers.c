/*
 * Taking the numbers of a run; see compare/rule_numbers.h.
 *
 * Rules ask about few different things (`rules->about`): the totals of all threads, which the
 * comparison has anyway and which stand first, and totals, p50, p95 or longest calls of threads by
 * name. Each of these has a join of its own, so that a rule finds the same methods in all of them.
 * What is dear is made once for each thread pattern: one profile gives its totals, and one scan of
 * its calls gives all percentiles.
 */
#include "compare/rule_numbers.h"

#include "analysis/calls/percentiles.h"
#include "analysis/insights/insights.h"
#include "analysis/profile/profile.h"

void tv_rule_numbers_init(struct tv_rule_numbers *numbers, const struct tv_alloc *alloc)
{
    *numbers = (struct tv_rule_numbers){.alloc = alloc};
    for (size_t i = 0; i < TV_COUNT_OF(numbers->joins); i++)
        tv_join_init(&numbers->joins[i], alloc);
}

void tv_rule_numbers_release(struct tv_rule_numbers *numbers)
{
    for (size_t i = 0; i < TV_COUNT_OF(numbers->joins); i++)
        tv_join_release(&numbers->joins[i]);
    tv_rule_numbers_init(numbers, numbers->alloc);
}

void tv_rule_numbers_begin(struct tv_rule_numbers *numbers, const struct tv_rules *rules,
                           size_t run_count)
{
    tv_rule_numbers_release(numbers);
    numbers->rules = rules;
    for (size_t i = 0; i < rules->about_count; i++)
        tv_join_begin(&numbers->joins[i], run_count);
}

uint32_t tv_rule_threads(const struct tv_index *index, struct tv_str pattern, uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        marks[i] = tv_str_glob(tv_index_thread_name(index, i), pattern);
        count += marks[i];
    }
    uint32_t main_thread = tv_main_thread(index);
    if (!count && main_thread != TV_NONE && tv_str_equal(pattern, TV_STR("main"))) {
        marks[main_thread] = 1;
        count = 1;
    }
    return count;
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

/* The percentiles of all methods with calls, a clock's in the inclusive time of its row. */
struct percentile_rows {
    uint32_t *methods;
    struct tv_method_percentiles *of;
    struct tv_method_row *rows; /* one for each method of the index */
    size_t count;
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

/* A percentile stands in the place of a row's inclusive time, since a join knows rows alone.
 * Methods without calls keep the zeros of their rows. */
static void fill_rows(const struct percentile_rows *to, enum tv_rule_number number)
{
    for (size_t i = 0; i < to->count; i++) {
        struct tv_method_row *row = &to->rows[to->methods[i]];
        row->numbers.calls = to->of[i].calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            row->numbers.inclusive_ns[clock] =
                to->of[i].calls ? percentile_of(&to->of[i].of[clock], number) : 0;
    }
}

/* Adds to the joins of a thread's percentiles. */
static enum tv_code add_percentiles(const struct added_run *added, struct tv_str thread,
                                    const struct percentile_rows *rows, struct tv_error *err)
{
    struct tv_rule_numbers *numbers = added->numbers;
    for (size_t i = 1; i < numbers->rules->about_count; i++) {
        const struct tv_rule_about *about = &numbers->rules->about[i];
        if (about->number == TV_NUMBER_TOTAL || !tv_str_equal(about->thread, thread))
            continue;
        fill_rows(rows, about->number);
        TV_TRY(tv_join_add(&numbers->joins[i], added->run, added->index, rows->rows, err));
    }
    return TV_OK;
}

/* Computes the percentiles of all methods that a profile has, and adds them to the joins that are
 * about this thread. */
static enum tv_code make_percentiles(const struct added_run *added, const struct tv_sums *sums,
                                     const struct tv_profile *profile, struct tv_str thread,
                                     struct tv_error *err)
{
    const struct tv_alloc *alloc = added->numbers->alloc;
    uint32_t room = profile->row_count;
    struct percentile_rows rows = {.count = 0};
    enum tv_code code = tv_alloc_new(alloc, &rows.methods, room, sizeof(*rows.methods), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &rows.of, room, sizeof(*rows.of), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &rows.rows, room, sizeof(*rows.rows), err);
    for (uint32_t method = 0; code == TV_OK && method < room; method++) {
        if (tv_profile_has(profile, method))
            rows.methods[rows.count++] = method;
    }
    if (code == TV_OK)
        code = tv_percentiles_compute(
            &(struct tv_percentiles_question){
                .profile = profile, .sums = sums, .methods = rows.methods, .count = rows.count},
            added->pool, rows.of, err);
    if (code == TV_OK)
        code = add_percentiles(added, thread, &rows, err);
    tv_alloc_release(alloc, &rows.rows, room, sizeof(*rows.rows));
    tv_alloc_release(alloc, &rows.of, room, sizeof(*rows.of));
    tv_alloc_release(alloc, &rows.methods, room, sizeof(*rows.methods));
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
    struct tv_sums sums;
    struct tv_profile profile;
    tv_sums_init(&sums, numbers->alloc);
    tv_profile_init(&profile, numbers->alloc);
    enum tv_code code = tv_sums_compute(&sums, added->index, selection, added->pool, err);
    if (code == TV_OK)
        code = tv_profile_of_sums(&profile, &sums, err);
    for (size_t i = first; code == TV_OK && i < rules->about_count; i++) {
        if (i && rules->about[i].number == TV_NUMBER_TOTAL &&
            tv_str_equal(rules->about[i].thread, thread))
            code = tv_join_add(&numbers->joins[i], added->run, added->index, profile.rows, err);
    }
    if (code == TV_OK && wants_percentiles(rules, thread))
        code = make_percentiles(added, &sums, &profile, thread, err);
    tv_profile_release(&profile);
    tv_sums_release(&sums);
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

/* Adds all numbers that are of the threads of the one at `first`. */
static enum tv_code add_threads(const struct added_run *added, size_t first, struct tv_error *err)
{
    struct tv_rule_numbers *numbers = added->numbers;
    const struct tv_rules *rules = numbers->rules;
    struct tv_str thread = rules->about[first].thread;
    struct tv_selection selection = {.has_range = false};
    if (thread.len) {
        if (!tv_rule_threads(added->index, thread, added->marks))
            return TV_OK;
        for (uint32_t i = 0; i < added->index->thread_count; i++) {
            if (added->marks[i])
                added->threads[selection.thread_count++] = i;
        }
        selection.threads = added->threads;
    }
    for (size_t i = first; i < rules->about_count; i++)
        numbers->runs_with[i] += tv_str_equal(rules->about[i].thread, thread);
    return add_selection(added, first, &selection, err);
}

enum tv_code tv_rule_numbers_add(struct tv_rule_numbers *numbers, size_t run,
                                 const struct tv_index *index, const struct tv_pool *pool,
                                 struct tv_error *err)
{
    const struct tv_rules *rules = numbers->rules;
    const uint32_t count = index->thread_count;
    struct added_run added = {.numbers = numbers, .index = index, .pool = pool, .run = run};
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
    return TV_OK;
}
