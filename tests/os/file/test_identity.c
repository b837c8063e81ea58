/* os/identity: what makes another file of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file/identity.h"

#define LARGE_LEN (10u << 20)

static char folder[] = "/tmp/traceview-test-XXXXXX";
static char path[64];
static char other[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/a.trace", folder);
    (void)snprintf(other, sizeof(other), "%s/b.trace", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static void keep_time(const char *name)
{
    const struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 5},
                                      {.tv_sec = 1000, .tv_nsec = 5}};
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

/* A file of that length, all 0 but for one byte at `at`. */
static void make_file(const char *name, off_t len, off_t at)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, len), 0);
    if (at >= 0)
        assert_int_equal(pwrite(fd, "x", 1, at), 1);
    (void)close(fd);
    keep_time(name);
}

static struct tv_identity identity_of(const char *name)
{
    struct tv_identity identity;
    struct tv_error err = {.code = TV_OK};
    tv_identity_init(&identity);
    if (tv_identity_add(&identity, name, &err) != TV_OK)
        fail_msg("%s: %s", name, err.text);
    return identity;
}

static bool is_same(struct tv_identity a, struct tv_identity b)
{
    return a.of[0] == b.of[0] && a.of[1] == b.of[1] && a.len == b.len;
}

static void renamed_or_copied_file_is_the_same(void **state)
{
    (void)state;
    make_file(path, LARGE_LEN, 77);
    struct tv_identity before = identity_of(path);
    assert_int_equal(before.len, LARGE_LEN);
    make_file(other, LARGE_LEN, 77);
    assert_true(is_same(identity_of(other), before));
    assert_int_equal(rename(path, other), 0);
    assert_true(is_same(identity_of(other), before));
}

static void time_length_and_ends_make_another(void **state)
{
    const struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 6},
                                      {.tv_sec = 1000, .tv_nsec = 6}};
    (void)state;
    make_file(path, LARGE_LEN, -1);
    struct tv_identity before = identity_of(path);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_false(is_same(identity_of(path), before));
    make_file(path, LARGE_LEN + 1, -1);
    assert_false(is_same(identity_of(path), before));
    make_file(path, LARGE_LEN, 0);
    assert_false(is_same(identity_of(path), before));
    make_file(path, LARGE_LEN, LARGE_LEN - 1);
    assert_false(is_same(identity_of(path), before));
    make_file(path, LARGE_LEN, -1);
    assert_true(is_same(identity_of(path), before));
}

static void every_byte_of_a_small_file_counts(void **state)
{
    (void)state;
    make_file(path, 9000, -1);
    struct tv_identity before = identity_of(path);
    for (off_t at = 0; at < 9000; at += 97) {
        make_file(path, 9000, at);
        assert_false(is_same(identity_of(path), before));
    }
}

/* A stretch of more than a 64th cannot be written anew without a sample in it. */
static void blocks_in_between_count(void **state)
{
    static char stretch[LARGE_LEN / 64];
    (void)state;
    memset(stretch, 'y', sizeof(stretch));
    make_file(path, LARGE_LEN, -1);
    struct tv_identity before = identity_of(path);
    for (off_t at = 0; at + (off_t)sizeof(stretch) <= LARGE_LEN; at += 100003) {
        make_file(path, LARGE_LEN, -1);
        int fd = open(path, O_WRONLY);
        assert_int_equal(pwrite(fd, stretch, sizeof(stretch), at), sizeof(stretch));
        (void)close(fd);
        keep_time(path);
        assert_false(is_same(identity_of(path), before));
    }
}

static void files_count_in_their_order_and_missing_ones_too(void **state)
{
    struct tv_identity a;
    struct tv_identity b;
    (void)state;
    make_file(path, 100, 1);
    make_file(other, 100, 2);
    tv_identity_init(&a);
    tv_identity_init(&b);
    assert_int_equal(tv_identity_add(&a, path, NULL), TV_OK);
    assert_int_equal(tv_identity_add(&a, other, NULL), TV_OK);
    assert_int_equal(tv_identity_add(&b, other, NULL), TV_OK);
    assert_int_equal(tv_identity_add(&b, path, NULL), TV_OK);
    assert_false(is_same(a, b));
    tv_identity_init(&b);
    assert_int_equal(tv_identity_add(&b, path, NULL), TV_OK);
    struct tv_identity alone = b;
    assert_int_equal(tv_identity_add(&b, "/nowhere/at/all", NULL), TV_ERR_NOT_FOUND);
    assert_false(is_same(alone, b));
}

static void what_is_not_a_file_has_none(void **state)
{
    struct tv_identity identity;
    (void)state;
    tv_identity_init(&identity);
    assert_int_equal(tv_identity_add(&identity, folder, NULL), TV_ERR_SYSTEM);
    assert_int_equal(tv_identity_add(&identity, "/dev/null", NULL), TV_ERR_SYSTEM);
    (void)unlink(other);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_int_equal(tv_identity_add(&identity, other, NULL), TV_ERR_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renamed_or_copied_file_is_the_same),
        cmocka_unit_test(time_length_and_ends_make_another),
        cmocka_unit_test(every_byte_of_a_small_file_counts),
        cmocka_unit_test(blocks_in_between_count),
        cmocka_unit_test(files_count_in_their_order_and_missing_ones_too),
        cmocka_unit_test(what_is_not_a_file_has_none),
    };
    return cmocka_run_group_tests_name("os/identity", tests, make_folder, remove_folder);
}
