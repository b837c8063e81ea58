/* A line that was cleared is not cleared again, since another text may stand there; and what a
 * narrow terminal shows of it. */
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

static void check_fit(size_t width, const char *expected)
{
    const struct tv_terminal terminal = {.has_drawing = false};
    struct tv_text text;
    tv_text_init(&text, tv_alloc_libc());
    tv_status_line_fit(&text, &terminal, TV_STR("com.example.app"),
                       TV_STR("12.3 s, 4.1 MB; any key ends it"), width);
    const struct tv_str view = tv_text_view(&text);
    if (!tv_str_equal(view, tv_str_from(expected)))
        fail_msg("at %zu: %.*s", width, (int)view.len, view.at);
    tv_text_release(&text);
}

/* The numbers change, and the name is known. */
static void the_name_is_cut_first(void **state)
{
    (void)state;
    check_fit(79, "traceview: com.example.app  12.3 s, 4.1 MB; any key ends it");
    check_fit(59, "traceview: com.example.app  12.3 s, 4.1 MB; any key ends it");
    check_fit(54, "traceview: ..mple.app  12.3 s, 4.1 MB; any key ends it");
    check_fit(39, "12.3 s, 4.1 MB; any key ends it");
    check_fit(19, "12.3 s, 4.1 MB; a..");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_is_cleared_once),
                                       cmocka_unit_test(the_name_is_cut_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
