/* Threads of runs, matched by role and name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/made.h"
#include "compare/thread_join.h"
#include "support/failing_alloc.h"

/* A run whose threads have these names; thread i has calls[i] calls of 10 us. */
static void make(struct made *made, const char *threads, const unsigned *calls, unsigned count)
{
    *made = (struct made){.t = {.record_len = 0}};
    tv_trace_init(&made->trace, tv_alloc_libc());
    tv_index_init(&made->index);
    build_text(&made->t, (struct build_opts){.version = 3, .clock = "dual", .threads = threads});
    for (unsigned thread = 0; thread < count; thread++) {
        for (unsigned i = 0; i < calls[thread]; i++) {
            enter(&made->t, thread + 1, FOO, 10 * i);
            leave(&made->t, thread + 1, FOO, 10 * i + 10);
        }
    }
    made_end(made);
}

static enum tv_code add(struct tv_thread_join *threads, enum tv_side side, const struct made *made)
{
    struct tv_sums sums;
    tv_sums_init(&sums, threads->alloc);
    enum tv_code code = tv_sums_compute(&sums, &made->index,
                                        &(struct tv_selection){.has_range = false}, NULL, NULL);
    if (code == TV_OK)
        code = tv_thread_join_add(threads, side, &sums, NULL);
    tv_sums_release(&sums);
    return code;
}

static const struct tv_matched_thread *find(const struct tv_thread_join *threads, const char *name)
{
    size_t place = 0;
    while (place < threads->count && !tv_str_equal(threads->of[place].name, tv_str_from(name)))
        place++;
    assert_true(place < threads->count);
    return &threads->of[place];
}

static enum tv_code join_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_thread_join threads;
    const struct made *runs = ctx;
    tv_thread_join_init(&threads, alloc);
    enum tv_code code = add(&threads, TV_SIDE_OLD, &runs[0]);
    if (code == TV_OK)
        code = add(&threads, TV_SIDE_NEW, &runs[1]);
    if (code == TV_OK)
        code = tv_thread_join_finish(&threads, TV_CLOCK_WALL, NULL);
    tv_thread_join_release(&threads);
    return code;
}

/* A site's answer that nobody waits for ends between two threads. */
static void what_nobody_wants_ends(void **state)
{
    (void)state;
    static const atomic_bool is_unwanted = true;
    struct made run;
    struct tv_sums sums;
    struct tv_thread_join threads;
    struct tv_error err = {.code = TV_OK};
    make(&run, "1\tmain\n2\tother\n", (const unsigned[]){1, 1}, 2);
    tv_thread_join_init(&threads, tv_alloc_libc());
    tv_sums_init(&sums, tv_alloc_libc());
    assert_int_equal(
        tv_sums_compute(&sums, &run.index, &(struct tv_selection){.has_range = false}, NULL, NULL),
        TV_OK);
    sums.is_unwanted = &is_unwanted;
    assert_int_equal(tv_thread_join_add(&threads, TV_SIDE_OLD, &sums, &err), TV_ERR_CANCELLED);
    assert_int_equal(threads.count, 0);
    tv_sums_release(&sums);
    tv_thread_join_release(&threads);
    made_release(&run);
}

/* Pools have other numbers in each run. */
static void numbers_of_pools_are_no_part_of_a_name(void **state)
{
    (void)state;
    struct made runs[2];
    struct tv_thread_join threads;
    make(&runs[0], "1\tmain\n2\tpool-1-thread-12\n3\tpool-1-thread-2\n4\tgone\n",
         (const unsigned[]){3, 2, 1, 1}, 4);
    make(&runs[1], "1\tmain\n2\tpool-7-thread-1\n3\tfresh\n", (const unsigned[]){3, 9, 1}, 3);
    tv_thread_join_init(&threads, tv_alloc_libc());
    assert_int_equal(add(&threads, TV_SIDE_OLD, &runs[0]), TV_OK);
    assert_int_equal(add(&threads, TV_SIDE_NEW, &runs[1]), TV_OK);
    assert_int_equal(tv_thread_join_finish(&threads, TV_CLOCK_WALL, NULL), TV_OK);
    assert_int_equal(threads.count, 4);
    assert_int_equal(threads.common_count, 2);
    assert_int_equal(threads.only_count[TV_SIDE_OLD], 1);
    assert_int_equal(threads.only_count[TV_SIDE_NEW], 1);
    assert_int_equal(threads.changed_count, 3);
    const struct tv_matched_thread *pool = find(&threads, "pool-*-thread-*");
    assert_ptr_equal(&threads.of[threads.changed[0]], pool); /* 90 us */
    assert_int_equal(pool->sides[TV_SIDE_OLD].most.threads, 2);
    assert_int_equal(pool->sides[TV_SIDE_OLD].most.calls, 3);
    assert_int_equal(pool->sides[TV_SIDE_NEW].least.threads, 1);
    assert_int_equal(pool->sides[TV_SIDE_NEW].least.calls, 9);
    assert_int_equal(tv_thread_time(&threads, threads.changed[0], TV_SIDE_NEW, TV_CLOCK_CPU),
                     90000);
    assert_int_equal(find(&threads, "main")->sides[TV_SIDE_NEW].most.calls, 3);
    tv_thread_join_release(&threads);
    assert_true(failing_alloc_each(join_with, runs) > 0);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

/* A run without the thread has 0 calls of it, and what varies that much decides nothing. */
static void runs_of_a_side_have_a_range(void **state)
{
    (void)state;
    struct made runs[3];
    struct tv_thread_join threads;
    make(&runs[0], "1\tmain\n", (const unsigned[]){2}, 1);
    make(&runs[1], "1\tmain\n2\tlate\n", (const unsigned[]){2, 5}, 2);
    make(&runs[2], "1\tmain\n2\tlate\n", (const unsigned[]){2, 5}, 2);
    tv_thread_join_init(&threads, tv_alloc_libc());
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(add(&threads, i < 2 ? TV_SIDE_OLD : TV_SIDE_NEW, &runs[i]), TV_OK);
    assert_int_equal(tv_thread_join_finish(&threads, TV_CLOCK_WALL, NULL), TV_OK);
    assert_int_equal(find(&threads, "late")->sides[TV_SIDE_OLD].least.calls, 0);
    assert_int_equal(find(&threads, "late")->sides[TV_SIDE_OLD].most.calls, 5);
    assert_int_equal(threads.changed_count, 0);
    tv_thread_join_release(&threads);
    for (unsigned i = 0; i < 3; i++)
        made_release(&runs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_wants_ends),
        cmocka_unit_test(numbers_of_pools_are_no_part_of_a_name),
        cmocka_unit_test(runs_of_a_side_have_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
