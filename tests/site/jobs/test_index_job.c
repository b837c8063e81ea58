/* site/index_job: the index that a child makes is the one that any build makes, for every trace in
 * the project; and whatever a child does that was taken over by its trace, no index comes of it.
 * The test program is its own child: a file that begins with FORGE makes it one of `forgers`. */
#include "site/jobs/index_job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/index.h"
#include "os/file/file.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "os/sandbox/sandboxed_child.h"
#include "site/jobs/index_child.h"
#include "support/trace_builder.h"

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define FORGE "FORGE "

/* --- in the child --- */

static void write_out(const void *bytes, size_t len)
{
    if (write(STDOUT_FILENO, bytes, len) != (ssize_t)len)
        _exit(9);
}

/* Writes the index of a small trace, after `change` was done to its block. */
static void write_index(const char *source_hash, void (*change)(struct tv_index *index))
{
    const struct tv_saved_source source = tv_index_job_source(source_hash, "");
    uint8_t head[TV_SAVED_HEAD_LEN];
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 20);
    leave(&t, MAIN, BAR, 25);
    leave(&t, MAIN, FOO, 30);
    tv_trace_init(&trace, tv_os_alloc());
    tv_index_init(&index);
    if (tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL) != TV_OK ||
        tv_index_build(&index, &trace, &(struct tv_build_opts){.pool = NULL}, NULL) != TV_OK)
        _exit(9);
    if (change)
        change(&index);
    if (tv_saved_seal(&index, &source, tv_os_alloc(), tv_pool_serial(), head, NULL) != TV_OK)
        _exit(9);
    write_out(head, sizeof(head));
    write_out(index.block, index.block_len);
    _exit(TV_CHILD_STATUS_DONE);
}

static void write_nothing(void)
{
    _exit(TV_CHILD_STATUS_DONE);
}

static void write_text(void)
{
    static const char text[8192] = "this is an index, believe me";
    write_out(text, sizeof(text));
    _exit(TV_CHILD_STATUS_DONE);
}

static void write_other(void)
{
    write_index("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", NULL);
}

static void lead_out_of_the_block(struct tv_index *index)
{
    uint32_t *nodes;
    memcpy(&nodes, &index->call_node, sizeof(nodes));
    nodes[0] = 0x7fffffff;
}

static void write_with_bad_node(void)
{
    write_index(HASH, lead_out_of_the_block);
}

static void claim_more_calls(struct tv_index *index)
{
    struct tv_index_row *rows;
    memcpy(&rows, &index->rows, sizeof(rows));
    rows[0].call_count = UINT64_MAX / 2;
}

static void write_with_bad_count(void)
{
    write_index(HASH, claim_more_calls);
}

static void say_refused(void)
{
    static const char text[] = "no!\x1b[2J\n";
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(9);
    _exit(TV_CHILD_STATUS_REFUSED);
}

static void say_unable(void)
{
    _exit(TV_CHILD_STATUS_UNABLE);
}

static void crash(void)
{
    __builtin_trap();
}

static const struct forger {
    const char *name;
    void (*run)(void);
    enum tv_index_job_end end;
    const char *reason;
} forgers[] = {
    {"nothing", write_nothing, TV_INDEX_JOB_FAILED, "an index that cannot be: there is none"},
    {"text", write_text, TV_INDEX_JOB_FAILED, "an index that cannot be"},
    {"other", write_other, TV_INDEX_JOB_FAILED, "an index that cannot be"},
    {"node", write_with_bad_node, TV_INDEX_JOB_FAILED, "an index that cannot be"},
    {"count", write_with_bad_count, TV_INDEX_JOB_FAILED, "an index that cannot be"},
    {"refused", say_refused, TV_INDEX_JOB_REFUSED, "no!\\x1b[2J"},
    {"unable", say_unable, TV_INDEX_JOB_UNABLE, "without a reason"},
    {"crash", crash, TV_INDEX_JOB_FAILED, "crashed"},
};

static void be_child(int word_count, char **words)
{
    char first[32] = "";
    if (pread(STDIN_FILENO, first, sizeof(first) - 1, 0) > 0 &&
        strncmp(first, FORGE, strlen(FORGE)) == 0) {
        for (size_t i = 0; i < TV_COUNT_OF(forgers); i++) {
            if (strcmp(first + strlen(FORGE), forgers[i].name) == 0)
                forgers[i].run();
        }
        _exit(9);
    }
    tv_index_child_run(word_count, words);
}

/* --- in the test --- */

static const struct tv_index_job usual = {
    .memory = (uint64_t)1 << 30, .index_most = (uint64_t)1 << 30, .seconds = 60, .thread_count = 2};

static struct tv_index_job job_as_usual(void)
{
    struct tv_index_job job = usual;
    job.alloc = tv_os_alloc();
    job.pool = tv_pool_serial();
    return job;
}

static int empty_file(void)
{
    char name[] = "/tmp/traceview-site-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(unlink(name), 0);
    return fd;
}

static void expect_same_bytes(const char *name, const struct tv_index *index, int draft)
{
    struct tv_mapping made;
    struct stat status;
    assert_int_equal(fstat(draft, &status), 0);
    if ((size_t)status.st_size != TV_SAVED_HEAD_LEN + index->block_len)
        fail_msg("%s: the index has %lld bytes, not %zu", name, (long long)status.st_size,
                 TV_SAVED_HEAD_LEN + index->block_len);
    assert_int_equal(tv_mapping_open(&made, draft, (size_t)status.st_size, NULL), TV_OK);
    if (memcmp(made.bytes + TV_SAVED_HEAD_LEN, index->block, index->block_len) != 0)
        fail_msg("%s: the index differs from one that is built here", name);
    tv_mapping_release(&made);
}

/* Builds the index here. False: the file is refused here, too, or cannot be saved. */
static bool build_here(const char *path, struct tv_index *index, struct tv_file *file)
{
    struct tv_trace trace;
    tv_trace_init(&trace, tv_os_alloc());
    tv_index_init(index);
    tv_file_init(file, tv_os_alloc());
    bool is_open = tv_file_open_alone(file, path, NULL, NULL) == TV_OK;
    /* An index says what its file was packed to. */
    const struct tv_read_opts opts = {.packed_len = file->packed_len};
    bool is_built =
        is_open && tv_trace_open(&trace, file->bytes, file->len, &opts, NULL) == TV_OK &&
        tv_index_build(index, &trace, &(struct tv_build_opts){.pool = NULL}, NULL) == TV_OK &&
        tv_saved_can_hold(index);
    tv_trace_release(&trace);
    return is_built;
}

static enum tv_index_job_end run_job(const struct tv_index_job *job, int raw, int draft,
                                     struct tv_error *err)
{
    const struct tv_index_job_files files = {.raw_hash = HASH, .raw = raw, .mappings = ""};
    struct tv_index_job_made made;
    return tv_index_job_run(job, &files, draft, &made, err);
}

static bool check_file(const char *path)
{
    struct tv_index index;
    struct tv_file file;
    struct tv_error err = {.code = TV_OK};
    const struct tv_index_job job = job_as_usual();
    bool is_built = build_here(path, &index, &file);
    int raw = open(path, O_RDONLY | O_CLOEXEC);
    int draft = empty_file();
    assert_true(raw >= 0);
    enum tv_index_job_end end = run_job(&job, raw, draft, &err);
    if (end != (is_built ? TV_INDEX_JOB_DONE : TV_INDEX_JOB_REFUSED))
        fail_msg("%s: the job ended with %d, \"%s\"", path, (int)end, err.text);
    if (is_built)
        expect_same_bytes(path, &index, draft);
    else
        assert_true(err.text[0]);
    (void)close(raw);
    (void)close(draft);
    tv_index_release(&index);
    tv_file_release(&file);
    return is_built;
}

/* Traces in a folder, those in folders below it not. Returns how many gave an index. */
static unsigned check_folder(const char *folder)
{
    struct dirent *entry;
    unsigned built = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[1024];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        struct stat status;
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
            !strstr(entry->d_name, ".json") && !strstr(entry->d_name, ".java"))
            built += check_file(path);
    }
    (void)closedir(dir);
    return built;
}

static void a_child_makes_the_index_that_any_build_makes(void **state)
{
    (void)state;
    assert_true(check_folder("tests/data") >= 3);
    assert_true(check_folder("tests/data/made") >= 50);
}

/* Files that fuzzers found: each is read or refused, with a reason. */
static void odd_files_are_read_or_refused(void **state)
{
    (void)state;
    (void)check_folder("fuzz/seeds/packets");
}

static void check_forger(const struct forger *forger)
{
    char text[32];
    struct tv_error err = {.code = TV_OK};
    const struct tv_index_job job = job_as_usual();
    int raw = empty_file();
    int draft = empty_file();
    int len = snprintf(text, sizeof(text), "%s%s", FORGE, forger->name);
    assert_int_equal(write(raw, text, (size_t)len), len);
    enum tv_index_job_end end = run_job(&job, raw, draft, &err);
    if (end != forger->end || !strstr(err.text, forger->reason))
        fail_msg("%s: the job ended with %d, \"%s\"", forger->name, (int)end, err.text);
    (void)close(raw);
    (void)close(draft);
}

static void no_index_comes_of_a_forger(void **state)
{
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(forgers); i++)
        check_forger(&forgers[i]);
}

static bool never(void *ctx)
{
    (void)ctx;
    return false;
}

static void a_job_stops_when_told(void **state)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_index_job job = job_as_usual();
    int draft = empty_file();
    int raw = open("tests/data/recipes.trace.zst", O_RDONLY | O_CLOEXEC);
    (void)state;
    assert_true(raw >= 0);
    job.goes_on = never;
    assert_int_equal(run_job(&job, raw, draft, &err), TV_INDEX_JOB_STOPPED);
    (void)close(raw);
    (void)close(draft);
}

static void an_index_bears_half_of_the_hash(void **state)
{
    (void)state;
    struct tv_saved_source source = tv_index_job_source(HASH, "");
    assert_true(source.identity[0] == 0x0011223344556677);
    assert_true(source.identity[1] == 0x8899aabbccddeeff);
    assert_true(source.names == 0);
    assert_true(tv_index_job_source(HASH, HASH).names != 0);
}

static int file_with(const char *text)
{
    int fd = empty_file();
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

#define NAMES_A "app.A -> com.example.recipes.RecipeApp:\n    void x() -> x\n"
#define NAMES_B                                                                                    \
    "org.Stove -> com.example.recipes.RecipeApp$Looper:\n    void heat() -> loop\n"                \
    "    void fry() -> post\n    void serve() -> dispatchMessage\n"
#define OTHER_HASH "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

/* Of two mappings the one that fits gives the names, and the job says which and how well. */
static void a_job_takes_the_mapping_that_fits(void **state)
{
    struct tv_error err = {.code = TV_OK};
    const struct tv_index_job job = job_as_usual();
    struct tv_index_job_files files = {.raw_hash = HASH,
                                       .mappings = HASH " " OTHER_HASH,
                                       .mapping_fds = {file_with(NAMES_A), file_with(NAMES_B)},
                                       .mapping_count = 2};
    struct tv_index_job_made made;
    struct tv_names_told told;
    int draft = empty_file();
    (void)state;
    files.raw = open("tests/data/recipes.trace.zst", O_RDONLY | O_CLOEXEC);
    if (tv_index_job_run(&job, &files, draft, &made, &err) != TV_INDEX_JOB_DONE)
        fail_msg("%s", err.text);
    assert_true(tv_names_told_read(made.names, &told));
    assert_int_equal(told.by, TV_CHOICE_BY_NAMES);
    assert_string_equal(told.file.hex, OTHER_HASH);
    if (told.known != 2 || told.asked < 2 || told.renamed < 2)
        fail_msg("%s", made.names);
    assert_string_equal(made.map_id, "");
    /* The same list without any of its files is an index of the file's names. */
    files.mapping_count = 0;
    assert_int_equal(ftruncate(draft, 0), 0);
    assert_int_equal(lseek(draft, 0, SEEK_SET), 0);
    assert_int_equal(tv_index_job_run(&job, &files, draft, &made, &err), TV_INDEX_JOB_DONE);
    assert_true(tv_names_told_read(made.names, &told));
    assert_true(told.is_failed);
    for (size_t i = 0; i < 2; i++)
        (void)close(files.mapping_fds[i]);
    (void)close(files.raw);
    (void)close(draft);
}

static void what_is_said_of_names_is_checked(void **state)
{
    static const char *const odd[] = {"", "id", "id x", "id - 1 2", "id - 1 x 3", "else - 1 2 3"};
    struct tv_names_told told;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(odd); i++)
        assert_false(tv_names_told_read(odd[i], &told));
    assert_true(tv_names_told_read("tie - 4 5 6", &told));
    assert_int_equal(told.by, TV_CHOICE_TIE);
    assert_string_equal(told.file.hex, "");
    assert_true(told.renamed == 4 && told.asked == 5 && told.known == 6);
}

int main(int argc, char **argv)
{
    if (tv_index_child_is_asked(argc, argv))
        be_child(argc, argv);
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_makes_the_index_that_any_build_makes),
        cmocka_unit_test(odd_files_are_read_or_refused),
        cmocka_unit_test(no_index_comes_of_a_forger),
        cmocka_unit_test(a_job_takes_the_mapping_that_fits),
        cmocka_unit_test(what_is_said_of_names_is_checked),
        cmocka_unit_test(a_job_stops_when_told),
        cmocka_unit_test(an_index_bears_half_of_the_hash),
    };
    return cmocka_run_group_tests_name("site/index_job", tests, NULL, NULL);
}
