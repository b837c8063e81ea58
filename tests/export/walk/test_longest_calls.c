/* The longest calls: against sorting all of them. */
#include "export/walk/longest_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/world.h"

#define CALLS 5000u

static int longer_first(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? 1 : left > right ? -1 : 0;
}

static void test_against_sorting(void **state)
{
    (void)state;
    static struct tv_longest_calls longest;
    static uint64_t lens[CALLS];
    uint32_t dice = 7;
    for (uint32_t count = 0; count <= CALLS; count = count * 3 + 1) {
        longest = (struct tv_longest_calls){.axis = TV_CLOCK_WALL};
        for (uint32_t i = 0; i < count; i++) {
            struct tv_call_event call = {.kind = TV_CALL_EXIT, .call = i};
            lens[i] = world_dice(&dice, 900);
            call.start_ns[TV_CLOCK_WALL] = world_dice(&dice, 100000);
            call.end_ns[TV_CLOCK_WALL] = call.start_ns[TV_CLOCK_WALL] + lens[i];
            tv_longest_calls_take(&longest, &call);
        }
        tv_longest_calls_sort(&longest);
        assert_int_equal(longest.count, count < TV_LONGEST_CALLS ? count : TV_LONGEST_CALLS);
        uint64_t sum = 0;
        for (size_t i = 0; i < longest.count; i++) {
            const struct tv_call_event *call = &longest.calls[i];
            sum += call->end_ns[TV_CLOCK_WALL] - call->start_ns[TV_CLOCK_WALL];
            assert_true(!i || call[-1].start_ns[TV_CLOCK_WALL] <= call->start_ns[TV_CLOCK_WALL]);
        }
        qsort(lens, count, sizeof(*lens), longer_first);
        for (size_t i = 0; i < longest.count; i++)
            sum -= lens[i];
        assert_int_equal(sum, 0);
    }
}

/* A caller stands before what it called at the same moment. */
static void test_callers_first(void **state)
{
    (void)state;
    static struct tv_longest_calls longest = {.axis = TV_CLOCK_CPU};
    for (uint32_t level = 3; level--;)
        tv_longest_calls_take(&longest,
                              &(struct tv_call_event){.kind = TV_CALL_EXIT, .level = level});
    tv_longest_calls_sort(&longest);
    for (uint32_t level = 0; level < 3; level++)
        assert_int_equal(longest.calls[level].level, level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sorting),
        cmocka_unit_test(test_callers_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
