/* Which calls are slow: by their time, their method, and whether another one has told it. */
#include "record/slow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "record/session.h"

static uint32_t method(const char *class_name, const char *name)
{
    const uint32_t number = tv_methods_number(
        &(struct tv_method_text){.class_name = class_name, .name = name, .signature = "()"});
    assert_true(number != 0);
    return number;
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

/* A call of the method that takes `ms`; returns whether it was slow. */
static bool is_slow(uint32_t number, uint32_t level, long ms)
{
    uint64_t ns;
    tv_slow_enter(level);
    wait_ms(ms);
    tv_slow_leave(level, number);
    return tv_slow_take(&ns) == number && ns >= (uint64_t)ms * 900000;
}

static int prepare(void **state)
{
    (void)state;
    tv_current.rate = tv_ticks_measure();
    return 0;
}

static int release(void **state)
{
    (void)state;
    tv_slow_end();
    tv_slow_release();
    return 0;
}

static void a_call_that_takes_longer_is_slow(void **state)
{
    (void)state;
    const uint32_t number = method("com.example.Server", "handle");
    tv_slow_prepare(200000000, NULL); /* longer than a busy machine keeps a thread waiting */
    assert_true(tv_slow_ticks != 0);
    assert_false(is_slow(number, 0, 0));
    assert_true(is_slow(number, 0, 250));
    assert_true(is_slow(number, TV_SLOW_DEPTH - 1, 250));
    assert_false(is_slow(number, TV_SLOW_DEPTH, 250));
    tv_slow_prepare(0, NULL);
    assert_true(tv_slow_ticks == 0);
}

/* Its callers began before that was told, and are as slow. */
static void a_slow_call_is_told_once(void **state)
{
    uint64_t ns;
    (void)state;
    const uint32_t outer = method("A", "outer"), inner = method("A", "inner");
    tv_slow_prepare(5000000, NULL);
    tv_slow_enter(0);
    assert_true(is_slow(inner, 1, 10));
    tv_slow_leave(0, outer);
    assert_int_equal(tv_slow_take(&ns), 0);
    assert_true(is_slow(outer, 0, 10));
}

/* A name is whole, or the end of one behind what parts names. */
static void methods_are_chosen_by_name(void **state)
{
    static const struct {
        const char *name;
        bool is_chosen;
    } names[] = {{"handle", true},
                 {"Server.handle", true},
                 {"com.example.Server.handle", true},
                 {"Other.handle", false},
                 {"andle", false},
                 {"example.Server", false},
                 {"x.com.example.Server.handle", false}};
    (void)state;
    const uint32_t number = method("com.example.Server", "handle");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        tv_slow_prepare(5000000, names[i].name);
        assert_true(tv_slow_has_name());
        assert_int_equal(tv_slow_count(), names[i].is_chosen);
        assert_int_equal(is_slow(number, 0, 10), names[i].is_chosen);
    }
    tv_slow_prepare(5000000, "later");
    const uint32_t later = method("A", "later"), by_name = method("/bin/app", "0x1234");
    tv_slow_meet(later, tv_methods_get(later));
    tv_slow_meet_name(by_name, "ns::later");
    assert_int_equal(tv_slow_count(), 2);
    assert_true(is_slow(later, 0, 10));
    assert_true(is_slow(by_name, 0, 10));
    assert_false(is_slow(number, 0, 10));
}

/* When the open calls are another thread's, nothing is known of their begins. */
static void what_was_open_is_forgotten(void **state)
{
    uint64_t ns;
    (void)state;
    const uint32_t number = method("A", "carried");
    tv_slow_prepare(5000000, NULL);
    tv_slow_enter(0);
    wait_ms(10);
    tv_slow_forget();
    tv_slow_leave(0, number);
    assert_int_equal(tv_slow_take(&ns), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_takes_longer_is_slow),
        cmocka_unit_test(a_slow_call_is_told_once),
        cmocka_unit_test(methods_are_chosen_by_name),
        cmocka_unit_test(what_was_open_is_forgotten),
    };
    return cmocka_run_group_tests(tests, prepare, release);
}
