/* cli/cached: which saved index is used, and what the full check finds beyond that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/selection/names.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"

#define TRACE "tests/data/made/v3-dual.trace"
#define FITTING "app.Main -> com.example.app.C0$Inner:\n    void run() -> get2\n"

static char home[64];
static struct tv_cli cli;

static int make_home(void **state)
{
    (void)state;
    (void)snprintf(home, sizeof(home), "/tmp/traceview-test-XXXXXX");
    (void)unsetenv("TRACEVIEW_CACHE_SIZE");
    cli = (struct tv_cli){.alloc = tv_alloc_libc(),
                          .pool = tv_pool_serial(),
                          .out = stdout,
                          .err = stderr,
                          .uses_cache = true};
    return mkdtemp(home) && setenv("XDG_CACHE_HOME", home, 1) == 0 ? 0 : -1;
}

static int remove_home(void **state)
{
    char command[100];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", home);
    return system(command);
}

/* Saves the index of the trace and gives its path. */
static void save(char path[TV_PATH_CAP])
{
    bool was_saved;
    struct tv_index_cache cached;
    struct tv_index index;
    tv_index_init(&index);
    assert_int_equal(tv_load(&cli, TRACE, &cached, &index, &was_saved, NULL), TV_OK);
    assert_int_equal(tv_index_cache_save(&cached, TRACE, &index, TV_SAVE_ASKED, NULL, NULL), TV_OK);
    assert_int_equal(tv_index_cache_path(&cached, path, NULL), TV_OK);
    tv_index_release(&index);
}

static bool is_used(void)
{
    struct tv_index_cache cached;
    struct tv_index index;
    tv_index_init(&index);
    bool is_found = tv_index_cache_find(&cached, &cli, TRACE, &index);
    tv_index_release(&index);
    return is_found;
}

enum forgery { FORGE_NUMBER, FORGE_IDENTITY };

/* Changes the file, and its checksums with it. */
static void forge(const char *path, enum forgery forgery)
{
    struct stat status;
    struct tv_index index;
    struct tv_saved_head head;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    size_t len = (size_t)status.st_size;
    uint8_t *bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(bytes != MAP_FAILED);
    uint8_t *block = bytes + TV_SAVED_HEAD_LEN;
    memcpy(&head, bytes, sizeof(head));
    assert_int_equal(tv_block_view(&index, block, len - TV_SAVED_HEAD_LEN, NULL), TV_OK);
    if (forgery == FORGE_NUMBER)
        block[(const uint8_t *)&index.methods[0].calls - index.block] ^= 1;
    else
        head.source.identity[0] ^= 1;
    assert_int_equal(
        tv_saved_seal(&index, &head.source, tv_alloc_libc(), tv_pool_serial(), bytes, NULL), TV_OK);
    assert_int_equal(munmap(bytes, len), 0);
    assert_int_equal(close(fd), 0);
}

static void what_was_saved_is_used_and_passes(void **state)
{
    struct tv_index_cache cached;
    char path[TV_PATH_CAP];
    (void)state;
    assert_false(is_used());
    assert_int_equal(tv_index_cache_check(&cached, &cli, TRACE, NULL), TV_ERR_NOT_FOUND);
    save(path);
    assert_true(is_used());
    assert_int_equal(tv_index_cache_check(&cached, &cli, TRACE, NULL), TV_OK);
    cli.uses_cache = false;
    assert_false(is_used());
}

static void what_others_may_write_is_not_used(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    save(path);
    assert_int_equal(chmod(path, 0660), 0);
    assert_false(is_used());
    save(path);
    assert_true(is_used());
    *strrchr(path, '/') = '\0';
    assert_int_equal(chmod(path, 0770), 0);
    assert_false(is_used());
    assert_int_equal(chmod(path, 0700), 0);
    assert_true(is_used());
}

static void what_is_damaged_is_not_used_and_removed(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    save(path);
    assert_int_equal(truncate(path, 6000), 0);
    assert_false(is_used());
    assert_int_equal(access(path, F_OK), -1);
}

/* Only this user can forge a file here, so it is used; the full check tells. */
static void the_check_finds_what_true_checksums_hide(void **state)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_index_cache cached;
    char path[TV_PATH_CAP];
    (void)state;
    save(path);
    forge(path, FORGE_NUMBER);
    assert_true(is_used());
    assert_int_equal(tv_index_cache_check(&cached, &cli, TRACE, &err), TV_ERR_FORMAT);
    assert_non_null(strstr(err.text, "times of methods do not fit together"));
    assert_int_equal(access(path, F_OK), -1);
}

/* The identity is of the program, too (tests/acceptance/saved.py has two programs). A file under
 * the right name with another identity in its head is what a renamed one of another build is. */
static void what_another_build_made_is_not_used(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    save(path);
    forge(path, FORGE_IDENTITY);
    assert_false(is_used());
    assert_int_equal(access(path, F_OK), -1);
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, remove_home)

/* Of a folder of mappings an index is found whichever of them it was made with, as long as the
 * folder has the same files. */
static void an_index_by_mappings_is_found_with_the_same_folder(void **state)
{
    static const char *const names[] = {"fits", "other"};
    const struct tv_str texts[] = {TV_STR(FITTING), TV_STR("app.A -> z.z:\n    void a() -> b\n")};
    char path[TV_PATH_CAP];
    char plain[TV_PATH_CAP];
    (void)state;
    save(plain);
    for (size_t first = 0; first < 2; first++) {
        cli.mapping = (struct tv_cli_mapping){.name = "folder",
                                              .is_folder = true,
                                              .texts = texts + first,
                                              .names = names + first,
                                              .count = 2 - first,
                                              .sum = 7 + first};
        assert_false(is_used());
        save(path);
        assert_string_not_equal(path, plain);
        assert_true(is_used());
        struct tv_index_cache cached;
        struct tv_index index;
        tv_index_init(&index);
        assert_true(tv_index_cache_find(&cached, &cli, TRACE, &index));
        assert_int_equal(cached.way, first ? 0 : 3); /* no mapping, or the first one */
        bool is_renamed = false;
        for (uint32_t i = 0; i < index.method_count; i++)
            is_renamed = is_renamed || tv_str_equal(tv_method_class(&index, i), TV_STR("app.Main"));
        assert_int_equal(is_renamed, !first);
        tv_index_release(&index);
        cli.mapping.sum = 9;
        assert_false(is_used());
    }
    cli.mapping = (struct tv_cli_mapping){.name = NULL};
    assert_true(is_used());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOME(what_was_saved_is_used_and_passes),
        IN_HOME(what_others_may_write_is_not_used),
        IN_HOME(what_is_damaged_is_not_used_and_removed),
        IN_HOME(the_check_finds_what_true_checksums_hide),
        IN_HOME(what_another_build_made_is_not_used),
        IN_HOME(an_index_by_mappings_is_found_with_the_same_folder),
    };
    return cmocka_run_group_tests_name("cli/cached", tests, NULL, NULL);
}
