/* cli/wording: how much of a long name is shown, a failure that a part of a text had, and the unit
 * of a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "cli/wording.h"

static void a_long_name_is_cut_and_the_rest_counted(void **state)
{
    (void)state;
    char name[TV_NAME_SHOWN + 1234];
    static const char rest[] = " (+1,234 bytes)";
    struct tv_text text;
    memset(name, 'n', sizeof(name));
    tv_text_init(&text, tv_alloc_libc());
    tv_text_add_name(&text, (struct tv_str){name, sizeof(name)});
    struct tv_str shown = tv_text_view(&text);
    assert_int_equal(shown.len, TV_NAME_SHOWN + sizeof(rest) - 1);
    assert_memory_equal(shown.at, name, TV_NAME_SHOWN);
    assert_memory_equal(shown.at + TV_NAME_SHOWN, rest, sizeof(rest) - 1);
    tv_text_release(&text);
}

/* Else a table of which a part is missing would be printed as a whole one. */
static void a_text_has_the_failure_of_its_part(void **state)
{
    (void)state;
    struct tv_text text, part;
    tv_text_init(&text, tv_alloc_libc());
    tv_text_init(&part, tv_alloc_libc());
    part.code = TV_ERR_MEMORY;
    tv_text_take_code(&text, &part);
    assert_int_equal(text.code, TV_ERR_MEMORY);
    part.code = TV_OK;
    tv_text_take_code(&text, &part);
    assert_int_equal(text.code, TV_ERR_MEMORY);
    tv_text_release(&part);
    tv_text_release(&text);
}

struct told_time {
    uint64_t time_ns;
    const char *text;
};

static void assert_told(void (*add)(struct tv_text *text, uint64_t time_ns),
                        const struct told_time *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tv_text text;
        tv_text_init(&text, tv_alloc_libc());
        add(&text, cases[i].time_ns);
        const struct tv_str shown = tv_text_view(&text);
        assert_int_equal(shown.len, strlen(cases[i].text));
        assert_memory_equal(shown.at, cases[i].text, shown.len);
        tv_text_release(&text);
    }
}

/* What "%.3f" rounds up to 1000 is told in the next unit. */
static void a_time_has_the_unit_that_fits(void **state)
{
    static const struct told_time cases[] = {
        {999, "999 ns"},         {1000, "1 \u00b5s"},       {999999, "999.999 \u00b5s"},
        {1000000, "1.000 ms"},   {999999499, "999.999 ms"}, {999999500, "1.000 s"},
        {1000000000, "1.000 s"},
    };
    (void)state;
    assert_told(tv_text_add_time, cases, TV_COUNT_OF(cases));
}

/* As formatDuration does on the page (web/src/base/format.test.ts). */
static void a_duration_has_three_digits_in_the_unit_of_the_rounded_time(void **state)
{
    static const struct told_time cases[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 \u00b5s"},
        {9994, "9.99 \u00b5s"},
        {9995, "10.0 \u00b5s"},
        {99949, "99.9 \u00b5s"},
        {99950, "100 \u00b5s"},
        {999499, "999 \u00b5s"},
        {999500, "1.00 ms"},
        {25376000, "25.4 ms"},
        {999499999, "999 ms"},
        {999500000, "1.00 s"},
        {89949999999, "89.9 s"},
        {90000000000, "1 min 30 s"},
        {436000000000, "7 min 16 s"},
        {UINT64_MAX, "307445734 min 34 s"},
    };
    (void)state;
    assert_told(tv_text_add_duration, cases, TV_COUNT_OF(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_name_is_cut_and_the_rest_counted),
        cmocka_unit_test(a_text_has_the_failure_of_its_part),
        cmocka_unit_test(a_time_has_the_unit_that_fits),
        cmocka_unit_test(a_duration_has_three_digits_in_the_unit_of_the_rounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
