/* cli/sandboxed_load: a child's index is that of this process, and a child that lies is not
 * believed. The test starts its own program anew as the child. */
#include "cli/file/sandboxed_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cli/file/load.h"
#include "index/saved/saved.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "os/process/pool.h"
#include "os/sandbox/sandboxed_child.h"
#include "site/jobs/index_child.h"

#define PACKED "tests/data/recipes.trace.zst"
#define PLAIN "tests/data/made/v3-dual.trace"
#define FORGED "forged: "

/* A child that a file took over does what the file says. */
static void be_child(int word_count, char **words)
{
    char first[64] = "";
    (void)!pread(STDIN_FILENO, first, sizeof(first) - 1, 0);
    if (strncmp(first, FORGED, strlen(FORGED)) != 0)
        tv_index_child_run(word_count, words);
    const char *what = first + strlen(FORGED);
    if (strcmp(what, "crash") == 0)
        __builtin_trap();
    if (strcmp(what, "text") == 0)
        (void)ftruncate(STDOUT_FILENO, (off_t)2 * TV_SAVED_HEAD_LEN);
    if (strcmp(what, "wait") == 0)
        (void)sleep(60);
    if (strcmp(what, "reason") == 0)
        (void)!write(STDERR_FILENO, "no!\x1b[2J\n", 8);
    _exit(strcmp(what, "reason") == 0 ? TV_CHILD_STATUS_REFUSED : TV_CHILD_STATUS_DONE);
}

static char folder[] = "/tmp/traceview-sandboxed-XXXXXX";
static struct tv_cli cli;
static struct tv_starter starter;

static const char *file_with(const char *text)
{
    static char path[sizeof(folder) + 16];
    (void)snprintf(path, sizeof(path), "%s/app.trace", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

struct told {
    unsigned times, most; /* more calls cancel */
};

static bool count(void *ctx, bool is_reading, uint64_t done, uint64_t of)
{
    struct told *told = ctx;
    (void)is_reading;
    assert_true(done <= of);
    return ++told->times <= told->most;
}

static enum tv_code load(const char *path, unsigned most, struct tv_index *index,
                         struct tv_error *err)
{
    struct told told = {.most = most};
    const struct tv_sandboxed_load by_child = {
        .cli = &cli, .starter = &starter, .tell = count, .ctx = &told};
    tv_index_init(index);
    *err = (struct tv_error){.code = TV_OK};
    return tv_sandboxed_load(&by_child, path, index, err);
}

static void an_index_is_that_of_this_process(void **state)
{
    static const char *const paths[] = {PACKED, PLAIN};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        struct tv_index here, there;
        struct tv_opened opened;
        struct tv_error err;
        tv_index_init(&here);
        tv_opened_init(&opened, cli.alloc);
        assert_int_equal(tv_opened_open(&opened, paths[i], NULL, &err), TV_OK);
        const struct tv_build_opts opts = {.pool = cli.pool};
        assert_int_equal(tv_index_build(&here, &opened.trace, &opts, &err), TV_OK);
        assert_int_equal(load(paths[i], UINT32_MAX, &there, &err), TV_OK);
        assert_int_equal(here.block_len, there.block_len);
        assert_memory_equal(here.block, there.block, here.block_len);
        tv_index_release(&there);
        tv_index_release(&here);
        tv_opened_release(&opened);
    }
}

static void a_child_that_lies_is_not_believed(void **state)
{
    static const char *const lies[][2] = {{FORGED "nothing", "reading it gave no index"},
                                          {FORGED "text", "an index that cannot be"},
                                          {FORGED "crash", "crashed"},
                                          {FORGED "reason", "no!\\x1b[2J"},
                                          {"nonsense", "not a method trace"}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(lies); i++) {
        struct tv_index index;
        struct tv_error err;
        assert_int_not_equal(load(file_with(lies[i][0]), UINT32_MAX, &index, &err), TV_OK);
        if (!strstr(err.text, lies[i][1]))
            fail_msg("\"%s\" instead of \"%s\"", err.text, lies[i][1]);
        assert_null(index.block);
    }
}

static void a_load_can_be_cancelled(void **state)
{
    struct tv_index index;
    struct tv_error err;
    (void)state;
    assert_int_equal(load(file_with(FORGED "wait"), 2, &index, &err), TV_ERR_CANCELLED);
}

static void files_of_others_are_known(void **state)
{
    (void)state;
    assert_true(tv_is_of_others(PACKED));
    const char *path = file_with("text");
    assert_false(tv_is_of_others(path));
    if (setxattr(path, "user.xdg.origin.url", "x", 1, 0) == 0) /* not every file system can */
        assert_true(tv_is_of_others(path));
    assert_false(tv_is_of_others("/nowhere/at/all"));
    assert_int_equal(unlink(path), 0);
    char downloads[sizeof(folder) + 16], downloaded[sizeof(downloads) + 16];
    (void)snprintf(downloads, sizeof(downloads), "%s/Downloads", folder);
    (void)snprintf(downloaded, sizeof(downloaded), "%s/app.trace", downloads);
    assert_int_equal(setenv("HOME", folder, 1), 0);
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(mkdir(downloads, 0700), 0);
    assert_false(tv_is_of_others(file_with("text")));
    assert_int_equal(rename(file_with("text"), downloaded), 0);
    assert_true(tv_is_of_others(downloaded));
    assert_int_equal(unlink(downloaded), 0);
    assert_int_equal(rmdir(downloads), 0);
}

static void what_is_no_single_file_is_not_for_a_child(void **state)
{
    char side[sizeof(folder) + 24];
    (void)state;
    assert_false(tv_sandboxed_load_can("-"));
    assert_false(tv_sandboxed_load_can(folder));
    const char *path = file_with("SLOW");
    assert_true(tv_sandboxed_load_can(path));
    (void)snprintf(side, sizeof(side), "%s.sec", path);
    assert_int_equal(link(path, side), 0);
    assert_false(tv_sandboxed_load_can(path));
    assert_int_equal(unlink(side), 0);
}

static int begin(void **state)
{
    (void)state;
    cli = (struct tv_cli){.alloc = tv_os_alloc(), .pool = tv_pool_serial()};
    return mkdtemp(folder) && tv_starter_start(&starter, NULL) == TV_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    tv_starter_stop(&starter);
    (void)unlink(file_with(""));
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    if (tv_index_child_is_asked(argc, argv))
        be_child(argc, argv);
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_is_that_of_this_process),
        cmocka_unit_test(a_child_that_lies_is_not_believed),
        cmocka_unit_test(a_load_can_be_cancelled),
        cmocka_unit_test(files_of_others_are_known),
        cmocka_unit_test(what_is_no_single_file_is_not_for_a_child),
    };
    return cmocka_run_group_tests_name("cli/sandboxed_load", tests, begin, end);
}
