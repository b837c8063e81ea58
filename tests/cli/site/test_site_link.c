/* cli/site_link: what is said of a site's refusal, whatever its answer is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/site/site_link.h"

static void expect_told(const char *reason, const char *expected)
{
    char *written = NULL;
    size_t len = 0;
    FILE *err = open_memstream(&written, &len);
    assert_non_null(err);
    const struct tv_cli cli = {.alloc = tv_alloc_libc(), .err = err};
    const struct tv_error none = {.code = TV_OK};
    struct tv_web_answer answer = {.status = 400};
    (void)snprintf(answer.reason, sizeof(answer.reason), "%s", reason);
    assert_int_not_equal(tv_site_refused(&cli, "a.trace", &answer, &none), 0);
    (void)fclose(err);
    if (!strstr(written, expected))
        fail_msg("of %s: %s", reason, written);
    (free)(written); /* of open_memstream */
}

static void the_reason_of_a_refusal_is_told(void **state)
{
    (void)state;
    expect_told("{\"error\": \"no \\\"trace\\\"\"}", "refuses it (status 400): no \"trace\"\n");
    expect_told("{\"status\":400,\"error\":\"too long", "refuses it (status 400): too long\n");
}

static void an_answer_without_a_reason_is_of_another_program(void **state)
{
    static const char *const answers[] = {"",
                                          "<h1>no</h1>",
                                          "{\"error\"",
                                          "{\"error\":7}",
                                          "{\"error\":\"\"}",
                                          "{\"error\":\"",
                                          "{\"error\":\"\\"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(answers); i++)
        expect_told(answers[i], "answers with status 400: is it one of traceview?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reason_of_a_refusal_is_told),
        cmocka_unit_test(an_answer_without_a_reason_is_of_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
