/* os/cache: files that are there whole or not at all, within a bound, and nobody else's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/file/cache.h"
#include "os/file/cache_limit.h"
#include "os/file/unnamed_file.h"

#define A "0000000000000000000000000000000a.index"
#define B "0000000000000000000000000000000b.index"
#define C "0000000000000000000000000000000c.index"

static char home[64];
static char folder[96];

static int make_home(void **state)
{
    (void)state;
    (void)snprintf(home, sizeof(home), "/tmp/traceview-test-XXXXXX");
    (void)unsetenv("TRACEVIEW_CACHE_SIZE");
    return mkdtemp(home) && snprintf(folder, sizeof(folder), "%s/traceview", home) > 0 &&
                   setenv("XDG_CACHE_HOME", home, 1) == 0
               ? 0
               : -1;
}

static int remove_home(void **state)
{
    char command[200];
    (void)state;
    (void)snprintf(command, sizeof(command), "chmod -R u+rwx '%s'; rm -rf '%s'", home, home);
    return system(command);
}

static struct tv_cache open_cache(void)
{
    struct tv_cache cache;
    struct tv_error err = {.code = TV_OK};
    tv_cache_init(&cache, tv_alloc_libc());
    if (tv_cache_open(&cache, TV_CACHE_MAKE, &err) != TV_OK)
        fail_msg("%s", err.text);
    return cache;
}

static enum tv_code put(const struct tv_cache *cache, const char *name, size_t len)
{
    static char bytes[1 << 20];
    struct tv_str parts[2] = {{bytes, len / 3}, {bytes, len - len / 3}};
    memset(bytes, strlen(name) > 31 ? name[31] : '?', sizeof(bytes));
    assert_true(len <= sizeof(bytes));
    return tv_cache_write(cache, name, parts, 2, NULL, NULL);
}

static bool has(const char *name)
{
    char path[192];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* When it was used last, in seconds since 1970. */
static void use(const char *name, time_t when)
{
    char path[192];
    const struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static unsigned count_files(void)
{
    unsigned count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
        count += entry->d_type == DT_REG;
    (void)closedir(listing);
    return count;
}

static void name_tells_the_identity(void **state)
{
    char name[TV_CACHE_NAME_CAP];
    const struct tv_identity identity = {.of = {0x0123456789abcdef, 0xa}};
    (void)state;
    tv_cache_name(name, &identity);
    assert_string_equal(name, "0123456789abcdef000000000000000a.index");
}

static void what_was_written_is_mapped(void **state)
{
    struct tv_mapping mapping;
    struct stat status;
    (void)state;
    struct tv_cache cache = open_cache();
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_ERR_NOT_FOUND);
    assert_null(mapping.bytes);
    assert_false(tv_cache_has(&cache, A));
    assert_int_equal(put(&cache, A, 100000), TV_OK);
    assert_true(tv_cache_has(&cache, A));
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_OK);
    assert_int_equal(mapping.len, 100000);
    for (size_t i = 0; i < mapping.len; i++)
        assert_int_equal(mapping.bytes[i], 'a');
    tv_mapping_release(&mapping);
    assert_null(mapping.bytes);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(count_files(), 1);
    assert_true(tv_cache_forget(&cache, A));
    assert_int_equal(count_files(), 0);
    tv_cache_release(&cache);
}

static void what_cannot_be_removed_is_told(void **state)
{
    (void)state;
    struct tv_cache cache = open_cache();
    assert_true(tv_cache_forget(&cache, A)); /* it is not there */
    assert_int_equal(mkdirat(cache.folder, A, 0700), 0);
    assert_false(tv_cache_forget(&cache, A));
    assert_int_equal(unlinkat(cache.folder, A, AT_REMOVEDIR), 0);
    tv_cache_release(&cache);
}

static void mapping_outlives_its_file(void **state)
{
    struct tv_mapping mapping;
    (void)state;
    struct tv_cache cache = open_cache();
    assert_int_equal(put(&cache, A, 50000), TV_OK);
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_OK);
    assert_int_equal(put(&cache, A, 10), TV_OK); /* replaced by a shorter one */
    assert_true(tv_cache_forget(&cache, A));
    assert_int_equal(mapping.bytes[49999], 'a');
    tv_cache_release(&cache);
    /* A block behind the head goes with the mapping. */
    uint8_t *block;
    const uint8_t *behind = mapping.bytes + TV_MAPPING_HEAD_LEN;
    memcpy(&block, &behind, sizeof(block));
    const struct tv_alloc *alloc = tv_mapping_alloc();
    size_t block_len = mapping.len - TV_MAPPING_HEAD_LEN;
    assert_null(alloc->resize(alloc->ctx, block, block_len, block_len + 1));
    assert_int_equal(mapping.bytes[0], 'a');
    assert_null(alloc->resize(alloc->ctx, block, block_len, 0));
}

static void folder_that_is_missing_is_only_made_to_write(void **state)
{
    struct tv_cache cache;
    (void)state;
    tv_cache_init(&cache, tv_alloc_libc());
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_IF_THERE, NULL), TV_ERR_NOT_FOUND);
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_MAKE, NULL), TV_OK);
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_IF_THERE, NULL), TV_OK);
    tv_cache_release(&cache);
}

static void folder_of_others_is_not_used(void **state)
{
    static const mode_t modes[] = {0777, 0770, 0702};
    struct tv_cache cache;
    (void)state;
    tv_cache_init(&cache, tv_alloc_libc());
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < TV_COUNT_OF(modes); i++) {
        assert_int_equal(chmod(folder, modes[i]), 0);
        assert_int_equal(tv_cache_open(&cache, TV_CACHE_MAKE, NULL), TV_ERR_SYSTEM);
        assert_int_equal(cache.folder, -1);
    }
    assert_int_equal(chmod(folder, 0755), 0); /* others may look */
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_MAKE, NULL), TV_OK);
    tv_cache_release(&cache);
}

/* Somebody who is not this user. */
#define STRANGER 54321

static void folder_of_another_owner_is_not_used(void **state)
{
    struct tv_cache cache;
    (void)state;
    tv_cache_init(&cache, tv_alloc_libc());
    /* Root may give its folder away; to anyone else, root's is another's. */
    if (geteuid() == 0) {
        assert_int_equal(mkdir(folder, 0700), 0);
        assert_int_equal(chown(folder, STRANGER, STRANGER), 0);
    } else {
        assert_int_equal(symlink("/", folder), 0);
    }
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_IF_THERE, NULL), TV_ERR_SYSTEM);
    tv_cache_release(&cache);
}

static void folder_behind_a_link_is_looked_at(void **state)
{
    char elsewhere[192];
    struct tv_cache cache;
    (void)state;
    tv_cache_init(&cache, tv_alloc_libc());
    (void)snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", home);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, folder), 0);
    assert_int_equal(chmod(elsewhere, 0770), 0);
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_MAKE, NULL), TV_ERR_SYSTEM);
    assert_int_equal(chmod(elsewhere, 0700), 0);
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_MAKE, NULL), TV_OK);
    tv_cache_release(&cache);
}

static void file_that_others_may_write_is_not_mapped(void **state)
{
    static const mode_t modes[] = {0620, 0602, 0666};
    struct tv_mapping mapping;
    char path[192];
    (void)state;
    struct tv_cache cache = open_cache();
    (void)snprintf(path, sizeof(path), "%s/%s", folder, A);
    assert_int_equal(put(&cache, A, 5000), TV_OK);
    for (size_t i = 0; i < TV_COUNT_OF(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_ERR_FORMAT);
        assert_null(mapping.bytes);
    }
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_OK);
    tv_mapping_release(&mapping);
    tv_cache_release(&cache);
}

static void file_of_another_owner_is_not_mapped(void **state)
{
    struct tv_mapping mapping;
    char path[192];
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: needs root, who alone can give a file away\n");
        skip();
    }
    struct tv_cache cache = open_cache();
    (void)snprintf(path, sizeof(path), "%s/%s", folder, A);
    assert_int_equal(put(&cache, A, 5000), TV_OK);
    assert_int_equal(chown(path, STRANGER, STRANGER), 0);
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_ERR_FORMAT);
    assert_null(mapping.bytes);
    tv_cache_release(&cache);
}

static void entry_that_is_no_plain_file_is_not_mapped(void **state)
{
    struct tv_mapping mapping;
    char path[192];
    (void)state;
    struct tv_cache cache = open_cache();
    (void)snprintf(path, sizeof(path), "%s/%s", folder, A);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_ERR_SYSTEM);
    assert_int_equal(put(&cache, C, 5000), TV_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(C, path), 0); /* not even to a file that would do */
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_ERR_SYSTEM);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, B);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(tv_cache_map(&cache, B, &mapping, NULL), TV_ERR_FORMAT);
    assert_int_equal(put(&cache, C, 0), TV_OK);
    assert_int_equal(tv_cache_map(&cache, C, &mapping, NULL), TV_ERR_FORMAT);
    tv_cache_release(&cache);
}

static void least_recently_used_goes_first(void **state)
{
    struct tv_mapping mapping;
    (void)state;
    struct tv_cache cache = open_cache();
    (void)setenv("TRACEVIEW_CACHE_SIZE", "25000", 1);
    assert_int_equal(put(&cache, A, 10000), TV_OK);
    assert_int_equal(put(&cache, B, 10000), TV_OK);
    use(A, 1000);
    use(B, 2000);
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_OK); /* used now */
    tv_mapping_release(&mapping);
    assert_int_equal(put(&cache, C, 10000), TV_OK);
    assert_true(has(A) && !has(B) && has(C));
    /* Replacing takes no room of others. */
    assert_int_equal(put(&cache, C, 15000), TV_OK);
    assert_true(has(A) && has(C));
    assert_int_equal(put(&cache, B, 25000), TV_OK);
    assert_true(!has(A) && has(B) && !has(C));
    tv_cache_release(&cache);
}

static void what_does_not_fit_evicts_nobody(void **state)
{
    (void)state;
    struct tv_cache cache = open_cache();
    (void)setenv("TRACEVIEW_CACHE_SIZE", "20K", 1);
    assert_int_equal(put(&cache, A, 20000), TV_OK);
    assert_int_equal(put(&cache, B, 20481), TV_ERR_LIMIT);
    assert_true(has(A) && !has(B));
    tv_cache_release(&cache);
    (void)setenv("TRACEVIEW_CACHE_SIZE", "0", 1);
    assert_int_equal(tv_cache_open(&cache, TV_CACHE_MAKE, NULL), TV_ERR_NOT_FOUND);
    assert_true(has(A));
}

static void size_is_told_with_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t size;
    } cases[] = {{"0", 0},
                 {"5", 5},
                 {"3K", 3072},
                 {"2M", 2u << 20},
                 {"1G", 1u << 30},
                 {"3k", 3072},
                 {"2g", (uint64_t)2 << 30},
                 {"1.5G", (uint64_t)4 << 30},
                 {"2 G", (uint64_t)4 << 30},
                 {"1KB", (uint64_t)4 << 30},
                 {"7Q", (uint64_t)4 << 30},
                 {"1T", (uint64_t)1 << 40},
                 {"99999999999T", UINT64_MAX},
                 {"", (uint64_t)4 << 30},
                 {"much", (uint64_t)4 << 30}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        (void)setenv("TRACEVIEW_CACHE_SIZE", cases[i].text, 1);
        if (tv_cache_wish() != cases[i].size)
            fail_msg("%s: %llu", cases[i].text, (unsigned long long)tv_cache_wish());
    }
}

static bool want_no_more(void *ctx)
{
    int *left = ctx;
    return (*left)-- > 0;
}

static void cancelled_or_failed_write_leaves_nothing(void **state)
{
    static char bytes[9 << 20];
    const struct tv_str part = {bytes, sizeof(bytes)};
    (void)state;
    struct tv_cache cache = open_cache();
    assert_int_equal(put(&cache, A, 5), TV_OK);
    for (int pieces = 0; pieces < 3; pieces++) {
        int left = pieces;
        const struct tv_cache_watch watch = {want_no_more, &left};
        assert_int_equal(tv_cache_write(&cache, A, &part, 1, &watch, NULL), TV_ERR_CANCELLED);
        assert_int_equal(count_files(), 1);
    }
    struct tv_mapping mapping;
    assert_int_equal(tv_cache_map(&cache, A, &mapping, NULL), TV_OK);
    assert_int_equal(mapping.len, 5);
    tv_mapping_release(&mapping);
    /* A folder in the way cannot be replaced. */
    char path[192];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, B);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(put(&cache, B, 10), TV_ERR_SYSTEM);
    assert_int_equal(count_files(), 1);
    tv_cache_release(&cache);
}

static bool kill_oneself(void *ctx)
{
    int *left = ctx;
    return (*left)-- > 0 || raise(SIGKILL) != 0;
}

/* Where the file system has files without a name. */
static void killed_writer_leaves_nothing(void **state)
{
    static char bytes[9 << 20];
    const struct tv_str part = {bytes, sizeof(bytes)};
    int status;
    int left = 1;
    (void)state;
    struct tv_cache cache = open_cache();
    int fd = tv_unnamed_file_open_in(cache.folder);
    if (fd >= 0) {
        (void)close(fd);
        pid_t child = fork();
        assert_true(child >= 0);
        const struct tv_cache_watch watch = {kill_oneself, &left};
        if (!child)
            _exit(tv_cache_write(&cache, A, &part, 1, &watch, NULL) == TV_OK);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(count_files(), 0);
    }
    tv_cache_release(&cache);
}

static void drafts_that_were_left_behind_are_removed(void **state)
{
    char path[192];
    (void)state;
    struct tv_cache cache = open_cache();
    static const char *const drafts[] = {".draft-1-0", ".draft-2-0"};
    for (unsigned i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, drafts[i]);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0);
        (void)close(fd);
    }
    use(drafts[0], time(NULL) - TV_CACHE_DRAFT_LIFE_S - 10);
    assert_int_equal(put(&cache, A, 10), TV_OK);
    assert_false(has(drafts[0]));
    assert_true(has(drafts[1])); /* somebody may be at it */
    tv_cache_release(&cache);
}

static void files_of_others_stay(void **state)
{
    (void)state;
    struct tv_cache cache = open_cache();
    (void)setenv("TRACEVIEW_CACHE_SIZE", "100", 1);
    static const char *const others[] = {"notes.txt", "0000.index",
                                         "0000000000000000000000000000000A.index"};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(put(&cache, others[i], 100), TV_OK);
    assert_int_equal(put(&cache, A, 100), TV_OK);
    assert_true(has(others[0]) && has(others[1]) && has(others[2]) && has(A));
    tv_cache_release(&cache);
}

/* Each of several processes writes and maps the same few files over and over. */
static int hammer(unsigned seed)
{
    static const char *const names[] = {A, B, C};
    struct tv_cache cache = open_cache();
    for (unsigned i = 0; i < 300; i++) {
        const char *name = names[(seed * 7 + i * 5) % 3];
        struct tv_mapping mapping;
        if (put(&cache, name, 5000 + (seed + i) % 4 * 1000) != TV_OK)
            return 1;
        if (tv_cache_map(&cache, name, &mapping, NULL) != TV_OK)
            continue; /* another evicted it meanwhile */
        for (size_t j = 0; j < mapping.len; j++) {
            if (mapping.bytes[j] != (uint8_t)name[31])
                return 2;
        }
        if (mapping.len < 5000)
            return 3;
        tv_mapping_release(&mapping);
    }
    tv_cache_release(&cache);
    return 0;
}

static void processes_do_not_get_into_each_others_way(void **state)
{
    (void)state;
    (void)setenv("TRACEVIEW_CACHE_SIZE", "20000", 1);
    for (unsigned i = 0; i < 4; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            _exit(hammer(i));
    }
    for (unsigned i = 0; i < 4; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_true(count_files() <= 3);
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, remove_home)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_tells_the_identity),
        IN_HOME(what_was_written_is_mapped),
        IN_HOME(what_cannot_be_removed_is_told),
        IN_HOME(mapping_outlives_its_file),
        IN_HOME(folder_that_is_missing_is_only_made_to_write),
        IN_HOME(folder_of_others_is_not_used),
        IN_HOME(folder_of_another_owner_is_not_used),
        IN_HOME(folder_behind_a_link_is_looked_at),
        IN_HOME(file_that_others_may_write_is_not_mapped),
        IN_HOME(file_of_another_owner_is_not_mapped),
        IN_HOME(entry_that_is_no_plain_file_is_not_mapped),
        IN_HOME(least_recently_used_goes_first),
        IN_HOME(what_does_not_fit_evicts_nobody),
        IN_HOME(size_is_told_with_units),
        IN_HOME(cancelled_or_failed_write_leaves_nothing),
        IN_HOME(killed_writer_leaves_nothing),
        IN_HOME(drafts_that_were_left_behind_are_removed),
        IN_HOME(files_of_others_stay),
        IN_HOME(processes_do_not_get_into_each_others_way),
    };
    return cmocka_run_group_tests_name("os/cache", tests, NULL, NULL);
}
