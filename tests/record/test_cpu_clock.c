/* CPU time of a thread without a system call for each reading, against the system call. */
#include "record/cpu_clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

/* What glibc registers; other C libraries have neither. */
extern const unsigned __rseq_size __attribute__((weak));

#define THREADS 4
#define ROUNDS 40
#define WORK_NS UINT64_C(500000)
#define SLEEP_NS 3000000
#define OFF_NS 100000u

static uint64_t system_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* What a thread saw. Readings that are compared lie apart when the thread, or the whole machine, is
 * switched out between them; that may be so for a few of them. */
struct seen {
    enum tv_cpu_source source;
    struct tv_ticks_rate rate;
    uint64_t comparisons, off; /* `off`: those that differ by more than OFF_NS */
    uint64_t falls;
    int sleeps_counted; /* that were taken for CPU time */
};

/* Whether the clock's time lies between two readings by system call. */
static void compare(struct seen *seen, struct tv_cpu_clock *clock, uint64_t begin_ns,
                    uint64_t *last)
{
    uint64_t before = system_ns() - begin_ns;
    uint64_t time = tv_cpu_read(clock, &seen->rate, tv_ticks_now(seen->rate.is_counter));
    uint64_t after = system_ns() - begin_ns;
    uint64_t ns = tv_ticks_to_ns(seen->rate, time);
    seen->comparisons++;
    seen->off += ns > after + OFF_NS || ns + OFF_NS < before;
    seen->falls += time < *last;
    *last = time;
}

static void *work_and_sleep(void *ctx)
{
    struct seen *seen = ctx;
    struct tv_cpu_clock clock;
    uint64_t last = 0;
    tv_cpu_begin(&clock, seen->source, seen->rate);
    uint64_t begin_ns = tv_ticks_to_ns(seen->rate, clock.begin);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t until = tv_ticks_monotonic_ns() + WORK_NS;
        while (tv_ticks_monotonic_ns() < until)
            compare(seen, &clock, begin_ns, &last);
        uint64_t before = last;
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        compare(seen, &clock, begin_ns, &last);
        seen->sleeps_counted += last > before + tv_ticks_from_ns(seen->rate, SLEEP_NS * 2 / 3);
    }
    return NULL;
}

static void expect_true_times(enum tv_cpu_source source)
{
    struct seen seen[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        seen[i] = (struct seen){.source = source, .rate = tv_ticks_measure()};
        assert_int_equal(pthread_create(&thread[i], NULL, work_and_sleep, &seen[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        printf("thread %d: of %llu readings %llu are off, %llu fall; %d sleeps of %d counted\n", i,
               (unsigned long long)seen[i].comparisons, (unsigned long long)seen[i].off,
               (unsigned long long)seen[i].falls, seen[i].sleeps_counted, ROUNDS);
        assert_true(seen[i].off <= seen[i].comparisons / 10);
        assert_true(seen[i].falls <= seen[i].comparisons / 10);
        assert_true(seen[i].sleeps_counted <= ROUNDS / 4);
    }
}

static void switches_are_noticed(void **state)
{
    (void)state;
    if (tv_cpu_best_source() != TV_CPU_SWITCHES) {
#if defined(__x86_64__)
        assert_true(&__rseq_size == NULL || __rseq_size == 0);
#endif
        printf("skipped: CPU time without system calls: the C library's rseq is not there\n");
        return;
    }
    expect_true_times(TV_CPU_SWITCHES);
}

static void the_system_call_is_the_way_back(void **state)
{
    (void)state;
    expect_true_times(TV_CPU_SYSTEM_CALL);
}

/* Programs and libraries of others use the field, too. */
static void a_field_that_another_took_is_read_anew(void **state)
{
    (void)state;
    struct tv_cpu_clock clock;
    struct tv_ticks_rate rate = tv_ticks_measure();
    if (tv_cpu_best_source() != TV_CPU_SWITCHES)
        return;
    tv_cpu_begin(&clock, TV_CPU_SWITCHES, rate);
    *clock.arm = 0;
    clock.offset = UINT64_C(1) << 40;
    uint64_t time = tv_cpu_read(&clock, &rate, tv_ticks_now(rate.is_counter));
    assert_true(tv_ticks_to_ns(rate, time) < UINT64_C(1000000000));
    assert_int_equal(*clock.arm, clock.armed);
}

static void a_clock_begins_at_zero_and_without_times_is_the_ticks(void **state)
{
    (void)state;
    struct tv_cpu_clock clock;
    struct tv_ticks_rate rate = tv_ticks_measure();
    enum tv_cpu_source sources[] = {tv_cpu_best_source(), TV_CPU_SYSTEM_CALL};
    for (size_t i = 0; i < 2; i++) {
        for (int again = 0; again < 3; again++) {
            tv_cpu_begin(&clock, sources[i], rate);
            uint64_t time = tv_cpu_read(&clock, &rate, tv_ticks_now(rate.is_counter));
            assert_true(tv_ticks_to_ns(rate, time) < 5000000);
        }
    }
    tv_cpu_begin(&clock, TV_CPU_NONE, rate);
    assert_int_equal(tv_cpu_read(&clock, &rate, 12345), 12345);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_begins_at_zero_and_without_times_is_the_ticks),
        cmocka_unit_test(switches_are_noticed),
        cmocka_unit_test(the_system_call_is_the_way_back),
        cmocka_unit_test(a_field_that_another_took_is_read_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
