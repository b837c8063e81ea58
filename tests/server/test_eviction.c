/* server/eviction: which trace is closed when too many are open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "server/eviction.h"

#define ROOM (TV_EVICTION_TRACES + 4u)

/* Makes `count` small traces, the first looked at last, each before it earlier. */
static void init(struct tv_eviction_trace traces[ROOM], size_t count)
{
    for (size_t i = 0; i < count; i++)
        traces[i] =
            (struct tv_eviction_trace){.bytes = 1, .looked_turn = count - i, .can_close = true};
}

static void within_the_bounds_nothing_is_closed(void **state)
{
    struct tv_eviction_trace traces[ROOM];
    (void)state;
    assert_int_equal(tv_eviction_choose(NULL, 0), 0);
    init(traces, TV_EVICTION_TRACES);
    assert_int_equal(tv_eviction_choose(traces, TV_EVICTION_TRACES), TV_EVICTION_TRACES);
    traces[3].bytes = TV_EVICTION_BYTES - (TV_EVICTION_TRACES - 1);
    assert_int_equal(tv_eviction_choose(traces, TV_EVICTION_TRACES), TV_EVICTION_TRACES);
}

static void one_more_closes_the_one_that_was_looked_at_longest_ago(void **state)
{
    struct tv_eviction_trace traces[ROOM];
    size_t count = TV_EVICTION_TRACES + 1;
    (void)state;
    init(traces, count);
    assert_int_equal(tv_eviction_choose(traces, count), count - 1);
    traces[2].looked_turn = 0;
    assert_int_equal(tv_eviction_choose(traces, count), 2);
    traces[2].can_close = false;
    assert_int_equal(tv_eviction_choose(traces, count), count - 1);
}

static void one_byte_more_closes_one_too(void **state)
{
    struct tv_eviction_trace traces[ROOM];
    (void)state;
    init(traces, 2);
    traces[0].bytes = TV_EVICTION_BYTES;
    assert_int_equal(tv_eviction_choose(traces, 2), 1);
    traces[1].bytes = 0;
    assert_int_equal(tv_eviction_choose(traces, 2), 2);
}

static void the_one_that_was_looked_at_last_stays(void **state)
{
    struct tv_eviction_trace traces[ROOM];
    size_t count = TV_EVICTION_TRACES + 1;
    (void)state;
    init(traces, 1);
    traces[0].bytes = TV_EVICTION_BYTES + 1;
    assert_int_equal(tv_eviction_choose(traces, 1), 1);
    init(traces, count);
    for (size_t i = 1; i < count; i++)
        traces[i].can_close = false;
    assert_int_equal(tv_eviction_choose(traces, count), count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_the_bounds_nothing_is_closed),
        cmocka_unit_test(one_more_closes_the_one_that_was_looked_at_longest_ago),
        cmocka_unit_test(one_byte_more_closes_one_too),
        cmocka_unit_test(the_one_that_was_looked_at_last_stays),
    };
    return cmocka_run_group_tests_name("server/eviction", tests, NULL, NULL);
}
