/* struct tv_store_files: what each implementation promises, asked of each in the list below. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file/digest.h"
#include "store/concatenation.h"
#include "store/folder_files.h"
#include "store/store.h"
#ifdef TV_HAS_S3
#include "store/s3_files.h"
#endif

#define CACHE_MOST ((uint64_t)256 << 20)

struct implementation {
    const char *name;
    enum tv_code (*open)(struct tv_store_files *files, const char *dir,
                         const struct tv_alloc *alloc, struct tv_error *err);
};

#ifdef TV_HAS_S3
/* The folder of the server that this program has started (tests/support/swift.py), and its address;
 * "": none. */
static char server[128], endpoint[128];

/* A folder of a test is a prefix in the bucket, and has the cache. */
static enum tv_code open_s3(struct tv_store_files *files, const char *dir,
                            const struct tv_alloc *alloc, struct tv_error *err)
{
    char place[512];
    struct tv_error reason;
    (void)snprintf(place, sizeof(place), "s3://traces/%s?endpoint=%s", strrchr(dir, '/') + 1,
                   endpoint);
    const struct tv_s3_files_opts opts = {.place = place, .cache = dir, .cache_most = CACHE_MOST};
    enum tv_code code = tv_s3_files_open(files, &opts, alloc, &reason);
    if (code != TV_OK)
        print_error("%s\n", reason.text);
    if (err)
        *err = reason;
    return code;
}

static bool start_s3(void)
{
    FILE *started = popen("python3 tests/support/swift.py start", "r");
    assert_non_null(started);
    if (fscanf(started, "%127s %127s", server, endpoint) != 2)
        server[0] = '\0';
    assert_int_equal(pclose(started), 0);
    (void)setenv("AWS_ACCESS_KEY_ID", "test:tester", 1);
    (void)setenv("AWS_SECRET_ACCESS_KEY", "testing", 1);
    return server[0];
}

static void stop_s3(void)
{
    char command[256];
    (void)snprintf(command, sizeof(command), "python3 tests/support/swift.py stop '%s'", server);
    (void)!system(command);
}
#endif

static const struct implementation implementations[] = {
    {"folder", tv_folder_files_open},
#ifdef TV_HAS_S3
    {"s3", open_s3},
#endif
};

struct fixture {
    const struct implementation *implementation;
    char dir[64];
    struct tv_store_files files;
};

static int begin(void **state)
{
    struct fixture *fix = calloc(1, sizeof(*fix));
    assert_non_null(fix);
    fix->implementation = *state ? *state : &implementations[0];
    (void)snprintf(fix->dir, sizeof(fix->dir), "/tmp/traceview-test-XXXXXX");
    assert_non_null(mkdtemp(fix->dir));
    assert_int_equal(fix->implementation->open(&fix->files, fix->dir, tv_alloc_libc(), NULL),
                     TV_OK);
    *state = fix;
    return 0;
}

static int end(void **state)
{
    struct fixture *fix = *state;
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", fix->dir);
    fix->files.close(fix->files.ctx);
    free(fix);
    return system(command);
}

static struct tv_hash name_of(const void *bytes, size_t len)
{
    struct tv_digest digest;
    struct tv_hash name;
    tv_digest_begin(&digest, TV_DIGEST_SHA256);
    tv_digest_add(&digest, bytes, len);
    tv_digest_end(&digest, name.hex, NULL);
    return name;
}

static int draft_of(const struct fixture *fix, const void *bytes, size_t len)
{
    int fd = -1;
    assert_int_equal(fix->files.draft(fix->files.ctx, &fd, NULL), TV_OK);
    assert_int_equal(write(fd, bytes, len), len);
    return fd;
}

static struct tv_hash keep(const struct fixture *fix, const void *bytes, size_t len)
{
    struct tv_hash name = name_of(bytes, len);
    int fd = draft_of(fix, bytes, len);
    assert_int_equal(fix->files.keep(fix->files.ctx, fd, &name, NULL), TV_OK);
    (void)close(fd);
    return name;
}

static size_t count_of(const struct fixture *fix)
{
    struct tv_hash names[64];
    size_t count;
    assert_int_equal(fix->files.list(fix->files.ctx, NULL, names, 64, &count, NULL), TV_OK);
    return count;
}

static void what_is_kept_can_be_read(void **state)
{
    const struct fixture *fix = *state;
    struct tv_hash name = keep(fix, "hello, store", 12);
    char bytes[32] = "";
    size_t len;
    uint64_t file_len = 0;
    int fd;
    assert_int_equal(fix->files.read(fix->files.ctx, &name, 0, bytes, 32, &len, NULL), TV_OK);
    assert_int_equal(len, 12);
    assert_memory_equal(bytes, "hello, store", 12);
    assert_int_equal(fix->files.open(fix->files.ctx, &name, &fd, &file_len, NULL), TV_OK);
    assert_int_equal(file_len, 12);
    assert_int_equal(read(fd, bytes, 32), 12);
    assert_int_equal(write(fd, "x", 1), -1);
    (void)close(fd);
}

static void ranges_are_read(void **state)
{
    static const struct {
        uint64_t offset;
        size_t cap, len;
        const char *bytes;
    } ranges[] = {{0, 3, 3, "abc"}, {2, 4, 4, "cdef"},          {8, 9, 2, "ij"}, {10, 4, 0, ""},
                  {11, 4, 0, ""},   {UINT64_MAX - 1, 4, 0, ""}, {4, 0, 0, ""}};
    const struct fixture *fix = *state;
    struct tv_hash name = keep(fix, "abcdefghij", 10);
    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
        char bytes[16];
        size_t len = 99;
        assert_int_equal(fix->files.read(fix->files.ctx, &name, ranges[i].offset, bytes,
                                         ranges[i].cap, &len, NULL),
                         TV_OK);
        assert_int_equal(len, ranges[i].len);
        assert_memory_equal(bytes, ranges[i].bytes, len);
    }
}

static void same_bytes_are_kept_once(void **state)
{
    const struct fixture *fix = *state;
    struct tv_hash first = keep(fix, "same", 4);
    struct tv_hash second = keep(fix, "same", 4);
    assert_string_equal(first.hex, second.hex);
    assert_int_equal(count_of(fix), 1);
}

/* Other bytes for each number. They come again after a prime number of them, which no block that is
 * read or sent is a multiple of. */
static void fill(uint8_t *bytes, size_t len, unsigned number)
{
    const size_t period = 65537;
    for (size_t i = 0; i < len && i < period; i++)
        bytes[i] = (uint8_t)((i + number) * 2654435761u >> 13);
    for (size_t at = period; at < len; at += period)
        memcpy(bytes + at, bytes, len - at < period ? len - at : period);
}

static void empty_and_long_files_are_kept(void **state)
{
    const struct fixture *fix = *state;
    size_t long_len = (size_t)3 << 20;
    uint8_t *bytes = malloc(long_len);
    uint8_t *back = malloc(long_len);
    size_t len;
    assert_non_null(bytes);
    assert_non_null(back);
    fill(bytes, long_len, 0);
    struct tv_hash none = keep(fix, "", 0);
    struct tv_hash name = keep(fix, bytes, long_len);
    assert_int_equal(fix->files.read(fix->files.ctx, &name, 0, back, long_len, &len, NULL), TV_OK);
    assert_int_equal(len, long_len);
    assert_memory_equal(back, bytes, long_len);
    assert_int_equal(fix->files.read(fix->files.ctx, &none, 0, back, 1, &len, NULL), TV_OK);
    assert_int_equal(len, 0);
    free(bytes);
    free(back);
}

/* A file of its own bytes for each number. */
static struct tv_file_part keep_part(const struct fixture *fix, unsigned number, size_t len,
                                     struct tv_digest *whole)
{
    uint8_t *bytes = malloc(len);
    assert_non_null(bytes);
    fill(bytes, len, number);
    struct tv_file_part part = {keep(fix, bytes, len), len};
    tv_digest_add(whole, bytes, len);
    free(bytes);
    return part;
}

static void assert_joins(const struct fixture *fix, const size_t *lens, size_t count)
{
    struct tv_file_part parts[16];
    struct tv_digest whole;
    struct tv_hash name, found;
    uint64_t bytes;
    const struct tv_store store = {.alloc = tv_alloc_libc(), .files = fix->files};
    tv_digest_begin(&whole, TV_DIGEST_SHA256);
    for (size_t i = 0; i < count; i++)
        parts[i] = keep_part(fix, (unsigned)i, lens[i], &whole);
    tv_digest_end(&whole, name.hex, NULL);
    for (unsigned again = 0; again < 2; again++) {
        assert_int_equal(fix->files.join(fix->files.ctx, parts, count, &name, NULL), TV_OK);
        assert_int_equal(tv_store_hash_file(&store, &name, &found, &bytes, NULL), TV_OK);
        assert_string_equal(found.hex, name.hex);
        assert_int_equal(bytes, tv_concatenation_len(parts, count));
    }
}

#define ASSERT_JOINS(fix, ...)                                                                     \
    assert_joins((fix), (const size_t[]){__VA_ARGS__},                                             \
                 sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

/* Together they are longer than what a bucket sends at once in the last two, of which the bucket
 * takes the first as parts of its own, and the second not, for one that is too short. A folder
 * copies 8 MiB at once, which a quarter of the last one is longer than. */
static void files_are_joined_in_their_order(void **state)
{
    const struct fixture *fix = *state;
    const bool is_folder = fix->implementation->open == tv_folder_files_open;
    const size_t mib = (size_t)(is_folder ? 1 << 18 : 1 << 20);
    ASSERT_JOINS(fix, 5);
    ASSERT_JOINS(fix, 3, 70000, 1);
    ASSERT_JOINS(fix, 30 * mib, 30 * mib + 7, 5 * mib, 12345);
    ASSERT_JOINS(fix, 40 * mib, 3, 30 * mib);
}

static void files_that_are_not_as_told_are_not_joined(void **state)
{
    const struct fixture *fix = *state;
    struct tv_hash none = name_of("never", 5);
    struct tv_hash name = name_of("abcdef", 6);
    struct tv_error err;
    struct tv_file_part parts[2] = {{keep(fix, "abc", 3), 3}, {none, 3}};
    const size_t before = count_of(fix);
    assert_int_equal(fix->files.join(fix->files.ctx, parts, 2, &name, &err), TV_ERR_NOT_FOUND);
    parts[1] = (struct tv_file_part){keep(fix, "def", 3), 4};
    assert_int_equal(fix->files.join(fix->files.ctx, parts, 2, &name, &err), TV_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "check the store"));
    assert_int_equal(count_of(fix), before + 1);
    parts[1].len = 3;
    assert_int_equal(fix->files.join(fix->files.ctx, parts, 2, &name, &err), TV_OK);
    assert_int_equal(count_of(fix), before + 2);
}

static void what_is_removed_is_not_found(void **state)
{
    const struct fixture *fix = *state;
    struct tv_hash name = keep(fix, "gone soon", 9);
    char byte;
    size_t len;
    uint64_t file_len;
    int fd;
    int before;
    assert_int_equal(fix->files.open(fix->files.ctx, &name, &before, &file_len, NULL), TV_OK);
    assert_int_equal(fix->files.remove(fix->files.ctx, &name, NULL), TV_OK);
    assert_int_equal(fix->files.remove(fix->files.ctx, &name, NULL), TV_OK);
    assert_int_equal(fix->files.open(fix->files.ctx, &name, &fd, &file_len, NULL),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(fix->files.read(fix->files.ctx, &name, 0, &byte, 1, &len, NULL),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(read(before, &byte, 1), 1); /* who has it open keeps it */
    (void)close(before);
    assert_int_equal(count_of(fix), 0);
}

/* A gc was faster than the row: whoever has the draft still keeps it once more. */
static void draft_is_kept_again_after_removal(void **state)
{
    const struct fixture *fix = *state;
    struct tv_hash name = name_of("twice", 5);
    char bytes[8];
    size_t len;
    int fd = draft_of(fix, "twice", 5);
    assert_int_equal(fix->files.keep(fix->files.ctx, fd, &name, NULL), TV_OK);
    assert_int_equal(fix->files.keep(fix->files.ctx, fd, &name, NULL), TV_OK);
    assert_int_equal(fix->files.remove(fix->files.ctx, &name, NULL), TV_OK);
    assert_int_equal(fix->files.keep(fix->files.ctx, fd, &name, NULL), TV_OK);
    (void)close(fd);
    assert_int_equal(fix->files.read(fix->files.ctx, &name, 0, bytes, 8, &len, NULL), TV_OK);
    assert_int_equal(len, 5);
    assert_memory_equal(bytes, "twice", 5);
    assert_int_equal(count_of(fix), 1);
}

static void draft_that_nobody_kept_leaves_nothing(void **state)
{
    const struct fixture *fix = *state;
    char command[128];
    (void)close(draft_of(fix, "never", 5));
    assert_int_equal(count_of(fix), 0);
    (void)snprintf(command, sizeof(command), "test -z \"$(find '%s' -type f)\"", fix->dir);
    assert_int_equal(system(command), 0);
}

static void names_are_listed_in_order_page_by_page(void **state)
{
    const struct fixture *fix = *state;
    struct tv_hash names[7];
    struct tv_hash last = {""};
    size_t count = 7;
    size_t seen = 0;
    for (unsigned i = 0; i < 20; i++) {
        char bytes[16];
        (void)snprintf(bytes, sizeof(bytes), "file %u", i);
        (void)keep(fix, bytes, strlen(bytes));
    }
    while (count == 7) {
        assert_int_equal(
            fix->files.list(fix->files.ctx, last.hex[0] ? &last : NULL, names, 7, &count, NULL),
            TV_OK);
        for (size_t i = 0; i < count; i++, seen++) {
            assert_true(strcmp(last.hex, names[i].hex) < 0);
            last = names[i];
        }
    }
    assert_int_equal(seen, 20);
}

static void names_that_are_none_are_refused(void **state)
{
    static const char *const names[] = {
        "", "00", "../../../../../../../../../../../../../../../../../../../etc/passwd0",
        "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde/"};
    const struct fixture *fix = *state;
    int fd = draft_of(fix, "x", 1);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct tv_hash name;
        int opened;
        uint64_t len;
        (void)snprintf(name.hex, sizeof(name.hex), "%s", names[i]);
        assert_int_equal(fix->files.keep(fix->files.ctx, fd, &name, NULL), TV_ERR_NOT_FOUND);
        assert_int_equal(fix->files.remove(fix->files.ctx, &name, NULL), TV_ERR_NOT_FOUND);
        assert_int_equal(fix->files.open(fix->files.ctx, &name, &opened, &len, NULL),
                         TV_ERR_NOT_FOUND);
    }
    (void)close(fd);
}

static void two_stores_of_one_place_see_the_same(void **state)
{
    const struct fixture *fix = *state;
    struct tv_store_files other;
    char bytes[8];
    size_t len;
    assert_int_equal(fix->implementation->open(&other, fix->dir, tv_alloc_libc(), NULL), TV_OK);
    struct tv_hash name = keep(fix, "shared", 6);
    assert_int_equal(other.read(other.ctx, &name, 0, bytes, 8, &len, NULL), TV_OK);
    assert_int_equal(len, 6);
    assert_int_equal(other.remove(other.ctx, &name, NULL), TV_OK);
    assert_int_equal(fix->files.read(fix->files.ctx, &name, 0, bytes, 8, &len, NULL),
                     TV_ERR_NOT_FOUND);
    other.close(other.ctx);
}

#define THREADS 4u
#define ROUNDS 60u

/* Keeps, reads and removes a few names that all threads have in common: whoever reads finds all
 * bytes or none. */
static void *work(void *ctx)
{
    const struct fixture *fix = ctx;
    const unsigned rounds = fix->implementation->open == tv_folder_files_open ? ROUNDS : ROUNDS / 6;
    for (unsigned i = 0; i < rounds; i++) {
        char bytes[4096];
        char back[sizeof(bytes) + 1];
        size_t len;
        memset(bytes, 'a' + (int)(i % 3), sizeof(bytes));
        struct tv_hash name = keep(fix, bytes, sizeof(bytes));
        enum tv_code code =
            fix->files.read(fix->files.ctx, &name, 0, back, sizeof(back), &len, NULL);
        if (code == TV_OK && (len != sizeof(bytes) || memcmp(back, bytes, len) != 0))
            return NULL;
        if (code != TV_OK && code != TV_ERR_NOT_FOUND)
            return NULL;
        if (i % 5 == 0 && fix->files.remove(fix->files.ctx, &name, NULL) != TV_OK)
            return NULL;
    }
    return ctx;
}

static void threads_share_names(void **state)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, *state), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
}

/* A file system that refuses links is told from one that has no room: a limit of the longest file
 * stands for the full disk. */
static void no_room_is_told(void **state)
{
    const struct fixture *fix = *state;
    if (fix->implementation->open != tv_folder_files_open)
        return;
    struct rlimit old;
    struct tv_hash name = name_of("0123456789", 10);
    int fd;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = {.rlim_cur = 4, .rlim_max = old.rlim_max};
    fd = draft_of(fix, "0123456789", 10);
    assert_int_equal(fix->files.keep(fix->files.ctx, fd, &name, NULL), TV_OK);
    assert_int_equal(fix->files.remove(fix->files.ctx, &name, NULL), TV_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0); /* from now on the draft is copied */
    enum tv_code code = fix->files.keep(fix->files.ctx, fd, &name, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(code, TV_ERR_LIMIT);
    (void)close(fd);
    assert_int_equal(count_of(fix), 0);
}

static void whose_they_are_lies_beside_them(void **state)
{
    static const char *const lines[] = {"postgres 7714015697942093209 16548", "sqlite 1 2", "x"};
    const struct fixture *fix = *state;
    char owner[TV_STORE_OWNER_CAP];
    assert_int_equal(fix->files.read_owner(fix->files.ctx, owner, NULL), TV_ERR_NOT_FOUND);
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        assert_int_equal(fix->files.write_owner(fix->files.ctx, lines[i], NULL), TV_OK);
        assert_int_equal(fix->files.read_owner(fix->files.ctx, owner, NULL), TV_OK);
        assert_string_equal(owner, lines[i]);
    }
    assert_int_equal(count_of(fix), 0); /* it is no file of the store */
}

#define TEST(function)                                                                             \
    {                                                                                              \
#function, function, begin, end, NULL                                                      \
    }

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof(implementations) / sizeof(*implementations); i++) {
        struct CMUnitTest tests[] = {
            TEST(what_is_kept_can_be_read),
            TEST(ranges_are_read),
            TEST(same_bytes_are_kept_once),
            TEST(empty_and_long_files_are_kept),
            TEST(files_are_joined_in_their_order),
            TEST(files_that_are_not_as_told_are_not_joined),
            TEST(what_is_removed_is_not_found),
            TEST(draft_is_kept_again_after_removal),
            TEST(draft_that_nobody_kept_leaves_nothing),
            TEST(names_are_listed_in_order_page_by_page),
            TEST(names_that_are_none_are_refused),
            TEST(two_stores_of_one_place_see_the_same),
            TEST(threads_share_names),
            TEST(no_room_is_told),
            TEST(whose_they_are_lies_beside_them),
        };
        struct implementation implementation = implementations[i];
        for (size_t t = 0; t < sizeof(tests) / sizeof(*tests); t++)
            tests[t].initial_state = &implementation;
#ifdef TV_HAS_S3
        if (implementation.open == open_s3 && !start_s3()) {
            print_message("[  SKIPPED ] files in S3: Swift is not installed (scripts/install "
                          "check)\n");
            continue;
        }
#endif
        failed += _cmocka_run_group_tests(implementation.name, tests,
                                          sizeof(tests) / sizeof(*tests), NULL, NULL);
    }
#ifdef TV_HAS_S3
    if (server[0])
        stop_s3();
#endif
    return failed;
}
