/* Helpers from their words to their answer. The program that is run again is this test, which then
 * plays a helper. */
#include "server/helper_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Longer than what is read at a time. */
#define LONG 20000
#define PAUSE_NS 50000000

/* The helper's side: one stream is closed before anything comes on the other. */
static int play(const char *part)
{
    if (strcmp(part, "answers") == 0) {
        (void)close(STDERR_FILENO);
        (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        (void)printf("{\"long\":\"%0*d\"}\n", LONG, 0);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    (void)close(STDOUT_FILENO);
    (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    (void)fprintf(stderr, "traceview: the device is gone\nand more\n");
    return 1;
}

static enum tv_code ask(const char *part, struct tv_buffer *answer, struct tv_error *err)
{
    struct tv_helper_thread_words words = {.count = 0};
    tv_helper_thread_add(&words, "%s", part);
    tv_buffer_init(answer, tv_alloc_libc());
    return tv_helper_thread_run(&words, answer, err);
}

static void an_answer_is_read_to_its_end(void **state)
{
    struct tv_buffer answer;
    (void)state;
    assert_int_equal(ask("answers", &answer, NULL), TV_OK);
    assert_int_equal(answer.len, strlen("{\"long\":\"\"}\n") + LONG);
    tv_buffer_release(&answer);
}

static void a_failure_is_the_first_line_of_its_messages(void **state)
{
    struct tv_buffer answer;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(ask("fails", &answer, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "the device is gone");
    tv_buffer_release(&answer);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_read_to_its_end),
        cmocka_unit_test(a_failure_is_the_first_line_of_its_messages),
    };
    if (count > 1)
        return play(words[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
