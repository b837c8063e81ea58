/* Other programs: what they read and write, and how they may end. */
#include "os/process/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/clock.h"

/* An open file without a name. */
static int open_file(void)
{
    char path[] = "/tmp/traceview-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    (void)unlink(path);
    return file;
}

static enum tv_code run_shell(const char *command, struct tv_str input, int file,
                              struct tv_error *err)
{
    const char *const words[] = {"sh", "-c", command, NULL};
    return tv_program_run(words, input, file, 1, err);
}

static void input_and_output_are_those_that_are_given(void **state)
{
    static char input[1 << 18]; /* more than a pipe holds */
    static char output[sizeof(input) + 1];
    int file = open_file();
    (void)state;
    memset(input, 'x', sizeof(input));
    assert_int_equal(run_shell("cat", (struct tv_str){input, sizeof(input)}, file, NULL), TV_OK);
    assert_int_equal(pread(file, output, sizeof(output), 0), sizeof(input));
    assert_memory_equal(input, output, sizeof(input));
    (void)close(file);
}

static void each_end_has_its_code(void **state)
{
    const char *const nothing[] = {"traceview-no-such-program", NULL};
    struct tv_error err;
    int file = open_file();
    (void)state;
    assert_int_equal(tv_program_run(nothing, TV_STR(""), file, 1, &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "there is no program traceview-no-such-program");
    assert_int_equal(run_shell("exit 3", TV_STR(""), file, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "sh failed");
    assert_int_equal(run_shell("kill -9 $$", TV_STR(""), file, &err), TV_ERR_SYSTEM);
    (void)close(file);
}

static void a_program_that_takes_too_long_is_ended(void **state)
{
    struct tv_error err;
    int file = open_file();
    uint64_t begin_ns = tv_now_ns();
    (void)state;
    assert_int_equal(run_shell("exec sleep 30", TV_STR(""), file, &err), TV_ERR_LIMIT);
    assert_string_equal(err.text, "sh took longer than 1 seconds");
    assert_true(tv_now_ns() - begin_ns < UINT64_C(20000000000));
    (void)close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_and_output_are_those_that_are_given),
        cmocka_unit_test(each_end_has_its_code),
        cmocka_unit_test(a_program_that_takes_too_long_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
