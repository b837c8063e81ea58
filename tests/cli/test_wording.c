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

/* What "%.3f" rounds up to 1000 is told in the next unit. */
static void a_time_has_the_unit_that_fits(void **state)
{
    static const struct {
        uint64_t time_ns;
        const char *text;
    } cases[] = {
        {999, "999 ns"},         {1000, "1.000 us"},        {999999, "999.999 us"},
        {1000000, "1.000 ms"},   {999999499, "999.999 ms"}, {999999500, "1.000 s"},
        {1000000000, "1.000 s"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_text text;
        tv_text_init(&text, tv_alloc_libc());
        tv_text_add_time(&text, cases[i].time_ns);
        const struct tv_str shown = tv_text_view(&text);
        assert_int_equal(shown.len, strlen(cases[i].text));
        assert_memory_equal(shown.at, cases[i].text, shown.len);
        tv_text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_name_is_cut_and_the_rest_counted),
        cmocka_unit_test(a_text_has_the_failure_of_its_part),
        cmocka_unit_test(a_time_has_the_unit_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
