/* What looks tell of times: CPU time is shared out among those that found the thread running. */
#include "record/booking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WORK = 4, WAIT = 8 };

/* What the stacks had, by their words: a record ends the one before. */
static struct {
    uint64_t wall[16], cpu[16];
    uint64_t last_wall, last_cpu, records;
    uint32_t open;
} got;

static void take(void *ctx, uint64_t wall, uint64_t cpu, uint32_t word)
{
    (void)ctx;
    assert_true(wall >= got.last_wall && cpu >= got.last_cpu);
    if (!got.records) {
        got.last_wall = wall;
        got.last_cpu = cpu;
    }
    got.wall[got.open] += wall - got.last_wall;
    got.cpu[got.open] += cpu - got.last_cpu;
    got.last_wall = wall;
    got.last_cpu = cpu;
    got.open = word;
    got.records++;
}

static const struct tv_booking_sink sink = {take, NULL};
static struct tv_booking booking;

static int begin(void **state)
{
    (void)state;
    booking = (struct tv_booking){.wall = 0};
    memset(&got, 0, sizeof(got));
    return 0;
}

static void look(uint64_t wall, uint64_t cpu, uint32_t word, bool is_running)
{
    static uint32_t before;
    const struct tv_look found = {.from = wall, .to = wall, .cpu = cpu, .is_running = is_running};
    const bool is_first = !booking.wall;
    const uint64_t begin_wall = tv_booking_begin(&booking, &found);
    if (word != before || is_first)
        tv_booking_put(&booking, begin_wall, word, &sink);
    before = word;
    tv_booking_end_look(&booking, &found, &sink);
}

/* The first look's CPU time is where records begin. */
static void end(uint64_t wall, uint64_t cpu)
{
    booking.cpu = cpu;
    (void)tv_booking_share(&booking, &sink);
    take(NULL, wall, booking.shared, 0);
}

/* A thread works 2, of which no look finds the first half each second time, and waits 10: the CPU
 * time is none of the wait's, though looks at the wait are first to read it. */
static void a_wait_has_no_cpu_time(void **state)
{
    uint64_t wall = 1, cpu = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        if (i % 2)
            look(wall + 1, cpu + 1, WORK, true);
        cpu += 2;
        look(wall + 3, cpu, WAIT, false);
        look(wall + 10, cpu, WAIT, false);
        wall += 12;
    }
    end(wall, cpu);
    assert_int_equal(got.cpu[WAIT], 0);
    assert_int_equal(got.cpu[WORK], 198); /* since the first look */
}

/* Of two parts that take 1 and 9, a look in ten finds the first: it has as much of the time as any
 * other, though it comes soon after the look before. */
static void looks_have_equal_shares(void **state)
{
    uint64_t cpu = 0;
    (void)state;
    for (unsigned i = 0; i < 640; i++) {
        cpu += i % 10 ? 1000 : 100;
        look(i + 1, cpu, i % 10 ? WORK : WAIT, true);
    }
    end(641, cpu);
    assert_in_range(got.cpu[WAIT], cpu / 10 - cpu / 100, cpu / 10 + cpu / 100);
    assert_int_equal(got.cpu[WORK] + got.cpu[WAIT], cpu - 100); /* since the first look */
}

static void wall_time_is_halved_between_two_looks(void **state)
{
    (void)state;
    look(100, 0, WORK, true);
    look(200, 0, WAIT, false);
    look(300, 0, WAIT, false);
    end(400, 10);
    assert_int_equal(got.wall[WORK], 50);
    assert_int_equal(got.wall[WAIT], 250);
}

static void time_that_no_look_found_is_told(void **state)
{
    (void)state;
    look(100, 0, WAIT, false);
    look(200, 70, WAIT, false);
    assert_int_equal(tv_booking_share(&booking, &sink), 70);
    assert_int_equal(booking.shared, 0);
    look(300, 90, WORK, true); /* it has all of that */
    end(400, 90);
    assert_int_equal(got.cpu[WORK], 90);
}

static void looks_with_many_changes_are_shared_early(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 3 * TV_BOOKING_RECORDS; i++)
        look(i, i, i % 2 ? WORK : WAIT, i % 2);
    assert_true(got.records >= 2 * TV_BOOKING_RECORDS);
    end(3 * TV_BOOKING_RECORDS + 1, 3 * TV_BOOKING_RECORDS);
    assert_int_equal(got.cpu[WAIT], 0);
}

/* A look that is told of late goes behind those that were told of. */
static void no_record_goes_back(void **state)
{
    (void)state;
    look(100, 10, WORK, true);
    look(90, 8, WAIT, true);
    look(110, 12, WORK, true);
    end(120, 12);
    assert_int_equal(got.wall[WORK] + got.wall[WAIT], 20);
}

/* A first look that finds more than can be held back begins where the thread's time does. */
static void a_deep_first_look_has_one_time(void **state)
{
    const struct tv_look found = {.from = 10, .to = 10, .cpu = 5000};
    (void)state;
    const uint64_t wall = tv_booking_begin(&booking, &found);
    for (uint32_t i = 0; i < TV_BOOKING_RECORDS + 5; i++)
        tv_booking_put(&booking, wall, WORK, &sink);
    tv_booking_end_look(&booking, &found, &sink);
    end(20, 5000);
    assert_int_equal(got.cpu[WORK], 0);
    assert_int_equal(got.wall[WORK], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_wait_has_no_cpu_time, begin),
        cmocka_unit_test_setup(looks_have_equal_shares, begin),
        cmocka_unit_test_setup(wall_time_is_halved_between_two_looks, begin),
        cmocka_unit_test_setup(time_that_no_look_found_is_told, begin),
        cmocka_unit_test_setup(looks_with_many_changes_are_shared_early, begin),
        cmocka_unit_test_setup(no_record_goes_back, begin),
        cmocka_unit_test_setup(a_deep_first_look_has_one_time, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
