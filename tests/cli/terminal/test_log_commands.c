/* cli/terminal/log_commands: no text begins a command of a runner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "cli/terminal/log_commands.h"
#include "cli/terminal/terminal.h"

static void commands_are_escaped_and_nothing_else(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", ""},
        {"std::sort()\n  12  a::b\n", "std::sort()\n  12  a::b\n"},
        {"# a\n## b\n## [c](d)\n##", "# a\n## b\n## [c](d)\n##"},
        {"::error::x", "\\x3a:error::x"},
        {"a\n \t::error::x\n::y", "a\n \t\\x3a:error::x\n\\x3a:y"},
        {"\xc2\xa0::error::x", "\xc2\xa0\\x3a:error::x"},
        {"\r::x", "\r\\x3a:x"},
        {"a ##[set-output name=b;]c", "a \\x23#[set-output name=b;]c"},
        {"##vso[task.setvariable]", "\\x23#vso[task.setvariable]"},
        {"##TeamCity[x", "\\x23#TeamCity[x"},
        {"###[x", "#\\x23#[x"},
        {"{\"method\":\"##[x]\"}\n", "{\"method\":\"\\u0023#[x]\"}\n"},
        {"<testcase name=\"##[x]\"/>\n::x", "<testcase name=\"&#35;#[x]\"/>\n&#58;:x"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_text out;
        tv_text_init(&out, tv_alloc_libc());
        tv_log_add(&out, tv_str_from(cases[i].text));
        if (!tv_str_equal(tv_text_view(&out), tv_str_from(cases[i].expected)))
            fail_msg("case %zu: %.*s", i, (int)out.buffer.len, (const char *)out.buffer.bytes);
        tv_text_release(&out);
    }
}

static void a_log_is_known_by_the_environment(void **state)
{
    static const char *const names[] = {"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        assert_int_equal(unsetenv(names[i]), 0);
    assert_false(tv_terminal_is_job_log());
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        assert_int_equal(setenv(names[i], "", 1), 0);
        assert_false(tv_terminal_is_job_log());
        assert_int_equal(setenv(names[i], "true", 1), 0);
        assert_true(tv_terminal_is_job_log());
        assert_int_equal(unsetenv(names[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_escaped_and_nothing_else),
        cmocka_unit_test(a_log_is_known_by_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
