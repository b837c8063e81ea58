/* os/mapping: what readers of a mapped file meet, and are told, when another program cuts the file
 * short or writes it anew. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file/file.h"
#include "os/memory/fault.h"
#include "os/memory/mapping.h"
#include "os/process/pool.h"

#define LEN ((size_t)100000)
#define CUT ((off_t)50000) /* in the middle of a page */

/* A file of the letter a, and its mapping. */
struct world {
    char path[64];
    int fd;
    struct tv_mapping mapping;
};

static void begin(struct world *world)
{
    char bytes[1000];
    tv_fault_handle_signals(); /* cmocka sets handlers of its own before each test */
    (void)strcpy(world->path, "/tmp/traceview-test-XXXXXX");
    world->fd = mkstemp(world->path);
    assert_true(world->fd >= 0);
    memset(bytes, 'a', sizeof(bytes));
    for (size_t i = 0; i < LEN / sizeof(bytes); i++)
        assert_int_equal(write(world->fd, bytes, sizeof(bytes)), sizeof(bytes));
    assert_int_equal(tv_mapping_open(&world->mapping, world->fd, LEN, NULL), TV_OK);
}

static void end(struct world *world)
{
    tv_mapping_release(&world->mapping);
    assert_null(world->mapping.bytes);
    (void)close(world->fd);
    (void)unlink(world->path);
}

/* Reads as a program does that does not know what it will find. To ThreadSanitizer the zeros that
 * the handler maps are a write, and two threads that meet the same lost page a race; to both of
 * them the page is there only once it has its zeros. */
__attribute__((no_sanitize_thread)) static uint8_t byte_at(const struct world *world, size_t off)
{
    const volatile uint8_t *bytes = world->mapping.bytes;
    return bytes[off];
}

static void check_lost(const struct world *world, uint64_t off, const char *text)
{
    struct tv_error err = {.code = TV_OK};
    assert_int_equal(tv_mapping_check(world->mapping.bytes + 77, &err), TV_ERR_SYSTEM);
    assert_int_equal(err.offset, off);
    assert_non_null(strstr(err.text, text));
}

static void whole_file_is_fine(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    assert_int_equal(byte_at(&world, LEN - 1), 'a');
    assert_int_equal(tv_mapping_check(world.mapping.bytes, NULL), TV_OK);
    assert_int_equal(tv_mapping_check(&world, NULL), TV_OK); /* no mapping at all */
    end(&world);
}

static void missing_pages_read_as_zeros_and_are_told(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    assert_int_equal(ftruncate(world.fd, CUT), 0);
    assert_int_equal(byte_at(&world, 90000), 0);
    assert_int_equal(byte_at(&world, LEN - 1), 0);
    assert_int_equal(byte_at(&world, CUT - 1), 'a');
    check_lost(&world, 90000, "became shorter");
    assert_int_equal(byte_at(&world, 60000), 0); /* before the first hole: another one */
    check_lost(&world, 60000, "became shorter");
    /* Grown back: what was read were zeros all the same. */
    assert_int_equal(ftruncate(world.fd, (off_t)LEN * 2), 0);
    check_lost(&world, 60000, "became shorter");
    end(&world);
}

/* As where a disk or a server fails: a page is missing, and the file is as it was. */
static void page_of_a_whole_file_that_is_missing_is_told(void **state)
{
    struct world world;
    struct stat before;
    struct timespec times[2];
    (void)state;
    begin(&world);
    assert_int_equal(fstat(world.fd, &before), 0);
    assert_int_equal(ftruncate(world.fd, CUT), 0);
    assert_int_equal(byte_at(&world, 90000), 0);
    assert_int_equal(ftruncate(world.fd, LEN), 0);
    times[0] = before.st_atim;
    times[1] = before.st_mtim;
    assert_int_equal(futimens(world.fd, times), 0);
    check_lost(&world, 90000, "cannot be read any more: its disk or its server fails");
    end(&world);
}

/* The last page is whole in memory: no signal tells that its end is gone. */
static void missing_end_of_a_page_is_told(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    assert_int_equal(ftruncate(world.fd, (off_t)LEN - 10), 0);
    assert_int_equal(byte_at(&world, LEN - 1), 0);
    check_lost(&world, LEN - 10, "became shorter");
    end(&world);
}

static void file_written_anew_is_told_and_a_growing_one_is_fine(void **state)
{
    struct world world;
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    (void)state;
    begin(&world);
    assert_int_equal(pwrite(world.fd, "b", 1, (off_t)LEN), 1);
    assert_int_equal(tv_mapping_check(world.mapping.bytes, NULL), TV_OK);
    assert_int_equal(ftruncate(world.fd, (off_t)LEN), 0);
    assert_int_equal(futimens(world.fd, times), 0);
    check_lost(&world, TV_NO_OFFSET, "changed while it was read");
    end(&world);
}

static void read_last(void *arg, size_t task_ix)
{
    const struct world *world = arg;
    assert_int_equal(byte_at(world, LEN - 1 - task_ix), 0);
}

static void every_thread_reads_zeros(void **state)
{
    struct world world;
    struct tv_workers *workers;
    (void)state;
    assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), 4, NULL), TV_OK);
    const struct tv_pool *pool = tv_workers_pool(workers);
    for (unsigned round = 0; round < 50; round++) {
        begin(&world);
        assert_int_equal(truncate(world.path, 0), 0);
        pool->run(pool->ctx, read_last, &world, 1000);
        assert_int_equal(tv_mapping_check(world.mapping.bytes, NULL), TV_ERR_SYSTEM);
        end(&world);
    }
    tv_workers_free(workers);
}

/* --- readers that believe their bytes --- */

struct reading {
    struct world *world;
    const struct tv_pool *pool;
    bool came_to_end;
    bool saw_end_of_inner;
};

static void read_end(void *ctx)
{
    struct reading *reading = ctx;
    (void)byte_at(reading->world, LEN - 1);
    reading->came_to_end = true;
}

static void read_within(void *ctx)
{
    struct reading *reading = ctx;
    reading->saw_end_of_inner = tv_mapping_run(read_end, reading, NULL) != TV_OK;
}

static void reader_that_believes_is_stopped(void **state)
{
    struct world world;
    struct reading reading = {.world = &world};
    struct tv_error err = {.code = TV_OK};
    (void)state;
    begin(&world);
    tv_mapping_stop_readers(world.mapping.bytes);
    assert_int_equal(tv_mapping_run(read_end, &reading, &err), TV_OK);
    assert_true(reading.came_to_end);
    assert_int_equal(ftruncate(world.fd, CUT), 0);
    reading.came_to_end = false;
    /* Twice: the signal is not blocked afterwards. */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tv_mapping_run(read_end, &reading, &err), TV_ERR_SYSTEM);
        assert_non_null(strstr(err.text, "saved index"));
        assert_false(reading.came_to_end);
    }
    /* The innermost run takes it. */
    assert_int_equal(tv_mapping_run(read_within, &reading, &err), TV_OK);
    assert_true(reading.saw_end_of_inner);
    check_lost(&world, LEN - 1, "saved index");
    end(&world);
}

static void read_or_wait(void *arg, size_t task_ix)
{
    const struct reading *reading = arg;
    if (task_ix % 2)
        (void)byte_at(reading->world, LEN - 1);
    else
        (void)usleep(100);
}

static void run_on_pool(void *ctx)
{
    struct reading *reading = ctx;
    reading->pool->run(reading->pool->ctx, read_or_wait, reading, 1000);
    reading->came_to_end = true;
}

static void do_nothing(void *arg, size_t task_ix)
{
    atomic_uint *count = arg;
    (void)task_ix;
    atomic_fetch_add(count, 1);
}

static void caller_of_a_stopped_task_is_stopped(void **state)
{
    struct world world;
    struct tv_workers *workers;
    (void)state;
    assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), 4, NULL), TV_OK);
    struct reading reading = {.world = &world, .pool = tv_workers_pool(workers)};
    for (unsigned round = 0; round < 50; round++) {
        atomic_uint count = 0;
        begin(&world);
        tv_mapping_stop_readers(world.mapping.bytes);
        assert_int_equal(truncate(world.path, 0), 0);
        assert_int_equal(tv_mapping_run(run_on_pool, &reading, NULL), TV_ERR_SYSTEM);
        assert_false(reading.came_to_end);
        /* The pool works on. */
        reading.pool->run(reading.pool->ctx, do_nothing, &count, 100);
        assert_int_equal(count, 100);
        end(&world);
    }
    tv_workers_free(workers);
}

static atomic_bool is_circling;

/* What zeros may do to a reader of an index. */
static void circle(void *ctx)
{
    const struct reading *reading = ctx;
    atomic_store(&is_circling, true);
    while (byte_at(reading->world, CUT + 1) == 0)
        continue;
}

static void *run_circle(void *arg)
{
    return tv_mapping_run(circle, arg, NULL) == TV_OK ? NULL : arg;
}

static void check_stops_a_reader_in_a_circle(void **state)
{
    struct world world;
    struct reading reading = {.world = &world};
    pthread_t thread;
    void *stopped = NULL;
    (void)state;
    begin(&world);
    tv_mapping_stop_readers(world.mapping.bytes);
    assert_int_equal(ftruncate(world.fd, CUT), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_circle, &reading), 0);
    while (!atomic_load(&is_circling))
        (void)usleep(100);
    check_lost(&world, CUT, "saved index");
    assert_int_equal(pthread_join(thread, &stopped), 0);
    assert_ptr_equal(stopped, &reading);
    end(&world);
}

/* --- what ends the program --- */

/* The child's status, and what it wrote to stderr. */
static int run_child(void (*child)(struct world *world), char *text, size_t cap)
{
    struct world world;
    int ends[2];
    int status = 0;
    begin(&world);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        child(&world);
        _exit(99);
    }
    (void)close(ends[1]);
    ssize_t len = read(ends[0], text, cap - 1);
    text[len > 0 ? len : 0] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    end(&world);
    return status;
}

static void read_outside(struct world *world)
{
    tv_mapping_stop_readers(world->mapping.bytes);
    if (ftruncate(world->fd, 0) == 0)
        (void)byte_at(world, LEN - 1);
}

static void reader_outside_of_any_run_ends_the_program(void **state)
{
    char text[256];
    (void)state;
    int status = run_child(read_outside, text, sizeof(text));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_non_null(strstr(text, "became shorter"));
}

static void be_sent_the_signal(struct world *world)
{
    (void)world;
    (void)raise(SIGBUS);
}

static void other_faults_end_the_program_as_ever(void **state)
{
    char text[256];
    (void)state;
    int status = run_child(be_sent_the_signal, text, sizeof(text));
#ifndef __SANITIZE_ADDRESS__
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
#endif
    assert_int_not_equal(status, 0);
}

/* --- a table of few --- */

static void file_beyond_the_table_is_read_instead(void **state)
{
    enum { MOST = 640 };
    struct world world;
    struct tv_mapping more[MOST];
    struct tv_file file;
    (void)state;
    begin(&world);
    for (size_t i = 0; i + 1 < MOST; i++)
        assert_int_equal(tv_mapping_open(&more[i], world.fd, LEN, NULL), TV_OK);
    assert_int_equal(tv_mapping_open(&more[MOST - 1], world.fd, LEN, NULL), TV_ERR_LIMIT);
    assert_null(more[MOST - 1].bytes);
    tv_file_init(&file, tv_alloc_libc());
    assert_int_equal(tv_file_open(&file, world.path, NULL, NULL), TV_OK);
    assert_null(file.mapping.bytes);
    assert_int_equal(file.len, LEN);
    tv_file_release(&file);
    for (size_t i = 0; i + 1 < MOST; i++)
        tv_mapping_release(&more[i]);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_file_is_fine),
        cmocka_unit_test(missing_pages_read_as_zeros_and_are_told),
        cmocka_unit_test(page_of_a_whole_file_that_is_missing_is_told),
        cmocka_unit_test(missing_end_of_a_page_is_told),
        cmocka_unit_test(file_written_anew_is_told_and_a_growing_one_is_fine),
        cmocka_unit_test(every_thread_reads_zeros),
        cmocka_unit_test(reader_that_believes_is_stopped),
        cmocka_unit_test(caller_of_a_stopped_task_is_stopped),
        cmocka_unit_test(check_stops_a_reader_in_a_circle),
        cmocka_unit_test(reader_outside_of_any_run_ends_the_program),
        cmocka_unit_test(other_faults_end_the_program_as_ever),
        cmocka_unit_test(file_beyond_the_table_is_read_instead),
    };
    return cmocka_run_group_tests_name("os/mapping", tests, NULL, NULL);
}
