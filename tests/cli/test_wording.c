/* cli/wording: how much of a long name is shown, and a failure that a part of a text had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_name_is_cut_and_the_rest_counted),
        cmocka_unit_test(a_text_has_the_failure_of_its_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
