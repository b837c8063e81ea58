/* cli/live_line: a line that was cleared is not cleared again, since another text may stand there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terminal/status_line.h"

static void a_line_is_cleared_once(void **state)
{
    (void)state;
    char *written = NULL;
    size_t len = 0;
    FILE *err = open_memstream(&written, &len);
    assert_non_null(err);
    const struct tv_cli cli = {.alloc = tv_alloc_libc(), .err = err};
    struct tv_status_line line = {.cli = &cli, .is_shown = true};
    tv_status_line_clear(&line);
    (void)fputs("half a line of the program", err);
    tv_status_line_clear(&line);
    (void)fclose(err);
    assert_string_equal(written, "\r\033[Khalf a line of the program");
    (free)(written); /* of open_memstream */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_is_cleared_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
