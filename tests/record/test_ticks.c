/* The clock of a recorder, and the name of the processor that it is of. */
#include "record/processor.h"
#include "record/ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/compiler.h"

static void ticks_follow_the_monotonic_clock(void **state)
{
    (void)state;
    struct tv_ticks_rate rate = tv_ticks_measure();
    uint64_t ticks = tv_ticks_now(rate.is_counter);
    uint64_t before = tv_ticks_monotonic_ns();
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    uint64_t elapsed = tv_ticks_monotonic_ns() - before;
    uint64_t told = tv_ticks_to_ns(rate, tv_ticks_now(rate.is_counter) - ticks);
    if (!rate.is_counter)
        printf("skipped: the time-stamp counter: a kernel that does not trust it\n");
    /* Two readings of two clocks each lie apart when the thread is switched out between them. */
    assert_in_range(told, elapsed - elapsed / 1000, elapsed + elapsed / 10);
}

static void the_processor_has_one_plain_name(void **state)
{
    (void)state;
    char name[TV_PROCESSOR_CAP];
    char again[TV_PROCESSOR_CAP];
    tv_processor_name(name);
    tv_processor_name(again);
    assert_string_equal(name, again);
    for (const char *at = name; *at; at++)
        assert_true(*at >= ' ' && *at < 0x7f);
    assert_true(name[0] != ' ');
    if (!name[0])
        printf("skipped: the name of the processor: a machine that does not tell it\n");
}

/* Lists as kernels write them, of processors that tell no name by themselves. */
static void the_list_of_the_kernel_names_a_processor(void **state)
{
    static const struct {
        const char *list;
        const char *name;
    } known[] = {
        {"processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
         "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd05\nCPU revision\t: 0\n\n"
         "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
         "processor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n",
         "41:d05 41:d0b"},
        {"processor : 0\nmodel name : ARMv7 Processor rev 4 (v7l)\nCPU implementer : 0x41\n"
         "CPU part : 0xd03\n",
         "41:d03"},
        {"processor\t: 0\ncpu\t\t: POWER9 (architected),  altivec\nclock\t: 1MHz\n",
         "POWER9 (architected), altivec"},
        {"processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc"},
        {"cpu MHz : 5\nCPU part : 0xd05\n", ""},
        {"CPU implementer : 0x41\nCPU part :", "41:"},
        {"", ""},
    };
    char name[TV_PROCESSOR_CAP];
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(known); i++) {
        tv_processor_of_list(name, known[i].list);
        assert_string_equal(name, known[i].name);
    }
}

/* As many kinds as have room, and no name that is longer. */
static void a_list_without_end_has_a_name_that_ends(void **state)
{
    char list[8192] = "";
    char name[TV_PROCESSOR_CAP];
    size_t len = 0;
    (void)state;
    for (unsigned i = 0; i < 99; i++)
        len += (size_t)snprintf(list + len, sizeof(list) - len,
                                "CPU implementer : 0x%x\nCPU part : 0x%x0000\n", i % 7, i);
    tv_processor_of_list(name, list);
    assert_in_range(strlen(name), 40, TV_PROCESSOR_CAP - 1);
    assert_int_equal(strncmp(name, "0:00000 1:10000 2:20000 ", 23), 0);
    memset(list, 'x', sizeof(list) - 1);
    memcpy(list, "cpu : ", 6);
    tv_processor_of_list(name, list);
    assert_int_equal(strlen(name), TV_PROCESSOR_CAP - 1);
}

static void nanoseconds_and_ticks_turn_into_each_other(void **state)
{
    (void)state;
    struct tv_ticks_rate rate = {.ns_per_tick = UINT64_C(3) << 31, /* 1.5 */
                                 .ticks_per_ns = (UINT64_C(2) << 32) / 3};
    assert_int_equal(tv_ticks_to_ns(rate, 1000), 1500);
    assert_int_equal(tv_ticks_to_ns(rate, UINT64_C(1) << 60), (UINT64_C(3) << 59));
    assert_in_range(tv_ticks_from_ns(rate, 1500), 999, 1000);
}

static void the_rate_is_measured_once(void **state)
{
    (void)state;
    struct tv_ticks_rate first = tv_ticks_measure();
    uint64_t before = tv_ticks_monotonic_ns();
    struct tv_ticks_rate again = tv_ticks_measure();
    assert_int_equal(first.ns_per_tick, again.ns_per_tick);
    assert_int_equal(first.ticks_per_ns, again.ticks_per_ns);
    assert_true(tv_ticks_monotonic_ns() - before < 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_follow_the_monotonic_clock),
        cmocka_unit_test(the_processor_has_one_plain_name),
        cmocka_unit_test(the_list_of_the_kernel_names_a_processor),
        cmocka_unit_test(a_list_without_end_has_a_name_that_ends),
        cmocka_unit_test(nanoseconds_and_ticks_turn_into_each_other),
        cmocka_unit_test(the_rate_is_measured_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
