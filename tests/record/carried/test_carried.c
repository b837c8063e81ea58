/* Threads that others carry: each has its row, its open calls and its CPU time, whoever carries it.
 * The carriers are threads of this program, which take turns. */
#include "record/carried/carried.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/wire.h"
#include "record/calls.h"
#include "record/recorder.h"

#define ROWS_MOST 70000u

static char path[] = "/tmp/traceview-carried-XXXXXX";
static uint32_t outer, inner;
static const char *next_name; /* of the thread that records for the first time; NULL: none */

static void name_thread(void)
{
    if (next_name)
        tv_recorder_name_thread(next_name);
}

static void start(bool is_streaming, size_t buffer_len)
{
    const struct tv_recorder_options options = {
        .path = path, .buffer_len = buffer_len, .is_streaming = is_streaming};
    assert_int_equal(tv_recorder_start(&options), TV_TRACE_OK);
    outer = tv_recorder_method(&(struct tv_method_text){.class_name = "C", .name = "outer"});
    inner = tv_recorder_method(&(struct tv_method_text){.class_name = "C", .name = "inner"});
    tv_calls_prepare(TV_CALLS_MOST, name_thread);
}

static void enter(uint32_t number)
{
    if (tv_calls_are_on())
        tv_calls_enter(number);
}

static void leave(uint32_t number)
{
    if (tv_calls_are_on())
        tv_calls_leave(number, TV_RECORDER_EXIT);
}

/* What a version 3 file has of its rows. */
static struct {
    unsigned rows;
    char names[ROWS_MOST][24];
    char actions[ROWS_MOST][16]; /* "+" for an enter, "-" for an exit, "u" for an unwind */
    uint32_t cpu_us[ROWS_MOST], last_wall[ROWS_MOST];
    bool falls;
} file;

static void read_threads(FILE *from)
{
    char line[1024] = "";
    bool is_threads = false;
    while (strcmp(line, "*end\n") != 0) {
        unsigned id;
        char name[24];
        assert_non_null(fgets(line, sizeof(line), from));
        if (line[0] == '*')
            is_threads = strcmp(line, "*threads\n") == 0;
        else if (is_threads && sscanf(line, "%u\t%23[^\n]", &id, name) == 2 && id < ROWS_MOST) {
            (void)snprintf(file.names[id], sizeof(file.names[id]), "%s", name);
            file.rows++;
        }
    }
}

static void stop_and_read(void)
{
    uint8_t bytes[TV_WIRE_HEADER];
    assert_int_equal(tv_recorder_stop(NULL), TV_TRACE_OK);
    memset(&file, 0, sizeof(file));
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    read_threads(from);
    assert_int_equal(fread(bytes, TV_WIRE_HEADER, 1, from), 1);
    while (fread(bytes, TV_WIRE_TWO_TIMES_RECORD, 1, from) == 1) {
        unsigned id = tv_load_le16(bytes);
        uint32_t action = tv_load_le32(bytes + 2) & TV_WIRE_ACTION_MASK;
        size_t len = strlen(file.actions[id]);
        if (len + 1 < sizeof(file.actions[id]))
            file.actions[id][len] = "+-u"[action];
        file.falls |= tv_load_le32(bytes + 6) < file.cpu_us[id] ||
                      tv_load_le32(bytes + 10) < file.last_wall[id];
        file.cpu_us[id] = tv_load_le32(bytes + 6);
        file.last_wall[id] = tv_load_le32(bytes + 10);
    }
    fclose(from);
    assert_false(file.falls);
}

static unsigned row_called(const char *name)
{
    for (unsigned id = 1; id < ROWS_MOST; id++) {
        if (strcmp(file.names[id], name) == 0)
            return id;
    }
    fail_msg("there is no row %s", name);
    return 0;
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void burn(uint64_t ns)
{
    uint64_t end = cpu_ns() + ns;
    while (cpu_ns() < end)
        continue;
}

static uint64_t moving; /* ticket of the thread that the second carrier goes on with */

/* Ends a call that another carrier has begun, and begins one that it has itself. */
static void *carry_on(void *unused)
{
    (void)unused;
    next_name = "second carrier";
    enter(inner);
    tv_carried_mount(moving);
    burn(30000000);
    leave(inner);
    leave(outer);
    next_name = "wrong"; /* it has a name */
    enter(outer);
    leave(outer);
    tv_carried_end();
    assert_false(tv_carried_is_one());
    leave(inner);
    return NULL;
}

static void a_thread_keeps_its_row_when_another_carries_it(void **state)
{
    (void)state;
    pthread_t second;
    start(false, 0);
    next_name = "first carrier";
    enter(outer);
    tv_carried_mount(0);
    tv_carried_mount(0); /* told twice */
    assert_true(tv_carried_is_one());
    next_name = "moves";
    enter(outer);
    enter(inner);
    burn(30000000);
    moving = tv_carried_unmount();
    assert_int_not_equal(moving, 0);
    assert_int_equal(tv_carried_unmount(), 0);
    burn(100000000); /* the first carrier's */
    assert_int_equal(pthread_create(&second, NULL, carry_on, NULL), 0);
    pthread_join(second, NULL);
    tv_carried_mount(0);
    assert_int_equal(tv_carried_unmount(), 0); /* has recorded nothing */
    leave(outer);
    stop_and_read();
    assert_int_equal(file.rows, 3);
    assert_string_equal(file.actions[row_called("first carrier")], "+-");
    assert_string_equal(file.actions[row_called("second carrier")], "+-");
    assert_string_equal(file.actions[row_called("moves")], "++--+-");
    /* What either carrier took for it, and nothing of what they took beside. */
    assert_in_range(file.cpu_us[row_called("moves")], 59900, 130000);
    assert_in_range(file.cpu_us[row_called("first carrier")], 99900, 155000);
    assert_in_range(file.cpu_us[row_called("second carrier")], 0, 29900);
}

static void a_thread_without_a_name_has_not_its_carriers(void **state)
{
    (void)state;
    start(false, 0);
    next_name = "carrier";
    enter(outer);
    leave(outer);
    next_name = NULL;
    tv_carried_mount(0);
    enter(inner);
    tv_carried_end();
    stop_and_read();
    assert_int_equal(file.rows, 2);
    assert_string_equal(file.actions[row_called("carrier")], "+-");
    for (unsigned id = 1; id < ROWS_MOST; id++) {
        if (strcmp(file.actions[id], "+u") == 0)
            assert_string_not_equal(file.names[id], "carrier");
    }
}

/* Open calls that no memory is left for are forgotten, and those of the time before with them. */
static void calls_that_cannot_be_kept_are_none(void **state)
{
    (void)state;
    struct rlimit before;
    start(false, 0);
    next_name = "carrier";
    enter(inner);
    tv_carried_mount(0);
    next_name = "deep";
    enter(outer);
    tv_carried_mount(tv_carried_unmount());
    for (unsigned i = 0; i < TV_CALLS_MOST; i++)
        enter(0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){.rlim_max = before.rlim_max}), 0);
    uint64_t ticket = tv_carried_unmount();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    tv_carried_mount(ticket);
    leave(outer);
    tv_carried_end();
    leave(inner);
    stop_and_read();
    assert_string_equal(file.actions[row_called("deep")], "+");
    assert_string_equal(file.actions[row_called("carrier")], "+-");
}

static void calls_are_closed_at_the_end(void **state)
{
    (void)state;
    start(false, 0);
    next_name = "carrier";
    tv_carried_mount(0);
    next_name = "left";
    enter(outer);
    enter(inner);
    tv_carried_end();
    stop_and_read();
    assert_string_equal(file.actions[row_called("left")], "++uu");
}

static void a_thread_is_known_after_the_start_too(void **state)
{
    (void)state;
    tv_carried_mount(0); /* nothing is recorded yet */
    start(false, 0);
    assert_false(tv_carried_is_one());
    next_name = "late";
    assert_true(tv_calls_are_on());
    tv_carried_adopt();
    tv_recorder_name_thread("late");
    enter(outer);
    uint64_t ticket = tv_carried_unmount();
    next_name = "its carrier";
    enter(inner);
    leave(inner);
    tv_carried_mount(ticket);
    leave(outer);
    (void)tv_carried_unmount();
    stop_and_read();
    assert_string_equal(file.actions[row_called("late")], "+-");
    assert_string_equal(file.actions[row_called("its carrier")], "+-");
    start(false, 0);
    tv_carried_mount(ticket); /* of the recording before */
    next_name = "anew";
    enter(outer);
    leave(outer);
    tv_carried_end();
    stop_and_read();
    assert_int_equal(file.rows, 1);
    assert_string_equal(file.actions[row_called("anew")], "+-");
}

static void many_threads_share_rows(void **state)
{
    (void)state;
    char name[24];
    start(false, (size_t)16 * 1024 * 1024);
    for (unsigned i = 0; i < 100000; i++) {
        (void)snprintf(name, sizeof(name), "thread %u", i);
        next_name = name;
        tv_carried_mount(0);
        enter(outer);
        leave(outer);
        tv_carried_end();
    }
    stop_and_read();
    assert_int_equal(file.rows, TV_OWN_CARRIED_ROWS + 1);
    (void)row_called("thread 999");
    assert_int_equal(row_called("virtual threads 1"), TV_OWN_CARRIED_ROWS + 1);
}

/* As many as there are, each with an open call, need little more of the buffer than their records.
 */
static void many_threads_that_wait_need_no_blocks(void **state)
{
    (void)state;
    static uint64_t tickets[20000];
    struct tv_recorder_result result;
    start(false, (size_t)2 * 1024 * 1024);
    next_name = "waits";
    for (unsigned i = 0; i < 20000; i++) {
        tv_carried_mount(0);
        enter(outer);
        tickets[i] = tv_carried_unmount();
        assert_int_not_equal(tickets[i], 0);
    }
    for (unsigned i = 0; i < 20000; i++) {
        tv_carried_mount(tickets[i]);
        leave(outer);
        tv_carried_end();
    }
    assert_int_equal(tv_recorder_stop(&result), TV_TRACE_OK);
    assert_int_equal(result.records, 40000);
    assert_int_equal(result.threads, 20000);
    assert_int_equal(result.lost, 0);
}

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_keeps_its_row_when_another_carries_it),
        cmocka_unit_test(a_thread_without_a_name_has_not_its_carriers),
        cmocka_unit_test(calls_that_cannot_be_kept_are_none),
        cmocka_unit_test(calls_are_closed_at_the_end),
        cmocka_unit_test(a_thread_is_known_after_the_start_too),
        cmocka_unit_test(many_threads_share_rows),
        cmocka_unit_test(many_threads_that_wait_need_no_blocks),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
