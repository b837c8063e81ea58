/* The recorder through its C API: what it keeps, and when. What readers make of its files is tested
 * by tests/record/recorded.py. */
#include <traceview/record.h>

#include <errno.h>
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
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/wire.h"
#include "record/content.h"

#define THREADS 4
#define CALLS 50000u
#define DESCRIPTORS 1024

static struct tv_method method = TV_METHOD("work");
static struct tv_method inner = TV_METHOD("inner");
static struct tv_method in_handler = TV_METHOD("in_handler");

static void call_once(void)
{
    unsigned call = tv_method_enter(&method);
    tv_method_exit(call);
}

static void *call_often(void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < CALLS / 2; i++) {
        unsigned call = tv_method_enter(&method);
        call_once();
        tv_method_exit(call);
    }
    return NULL;
}

static void requests_out_of_turn_are_errors(void **state)
{
    (void)state;
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_NOT_STARTED);
    assert_int_equal(tv_start_method_tracing(in_folder("a"), 0, 1), TV_TRACE_BAD_FLAGS);
    assert_int_equal(tv_method_tracing_active(), 0);
    assert_int_equal(tv_start_method_tracing(in_folder("a"), 0, 0), TV_TRACE_OK);
    assert_int_equal(tv_method_tracing_active(), 1);
    assert_int_equal(tv_start_method_tracing(in_folder("b"), 0, 0), TV_TRACE_IN_PROGRESS);
    call_once();
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    assert_int_equal(tv_method_tracing_active(), 0);
    assert_int_equal(access(in_folder("b.trace"), F_OK), -1);
    assert_int_equal(read_file("a.trace").records, 2);
    assert_string_equal(tv_trace_status_text(TV_TRACE_IN_PROGRESS),
                        "Trace already in progress, ignoring this request");
}

static void a_file_that_cannot_be_made_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(tv_start_method_tracing("/nowhere/a", 0, 0), TV_TRACE_CANNOT_OPEN);
    assert_int_equal(errno, ENOENT);
    static char name[8192];
    memset(name, 'x', sizeof(name) - 1);
    assert_int_equal(tv_start_method_tracing(name, 0, 0), TV_TRACE_CANNOT_OPEN);
    assert_int_equal(errno, ENAMETOOLONG);
    assert_int_equal(tv_start_method_tracing(in_folder("a.trace"), 0, 0), TV_TRACE_OK);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    assert_int_equal(read_file("a.trace").records, 0);
}

static void the_default_name_is_dmtrace(void **state)
{
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(in_folder("")), 0);
    assert_int_equal(tv_start_method_tracing(NULL, 0, 0), TV_TRACE_OK);
    assert_int_equal(chdir(before), 0);
    call_once();
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    assert_int_equal(read_file("dmtrace.trace").records, 2);
}

static void every_call_of_every_thread_is_kept(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    assert_int_equal(tv_start_method_tracing(in_folder("threads"), 64u << 20, 0), TV_TRACE_OK);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call_often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    struct content content = read_file("threads.trace");
    assert_int_equal(content.enters, THREADS * CALLS);
    assert_int_equal(content.exits, THREADS * CALLS);
    assert_int_equal(content.falls, 0);
    assert_int_equal(content.most_thread, THREADS);
    assert_non_null(strstr(content.text, "data-file-overflow=false\nclock=dual\n"));
    assert_non_null(strstr(content.text, "record-call-overhead-nsec="));
    assert_non_null(strstr(content.text, "record-leaf-overhead-nsec="));
    assert_non_null(strstr(content.text, "record-calling-overhead-nsec="));
}

static void a_full_buffer_stops_tracing_and_the_file_says_so(void **state)
{
    (void)state;
    int outputs[2];
    char said[4096] = "";
    int standard_error = dup(STDERR_FILENO);
    assert_int_equal(pipe(outputs), 0);
    dup2(outputs[1], STDERR_FILENO);
    assert_int_equal(tv_start_method_tracing(in_folder("full"), 65536, 0), TV_TRACE_OK);
    (void)call_often(NULL);
    assert_int_equal(tv_method_tracing_active(), 0);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    close(outputs[1]);
    assert_true(read(outputs[0], said, sizeof(said) - 1) > 0);
    close(outputs[0]);
    assert_string_equal(said,
                        "traceview: the trace buffer (65536 bytes) is full: tracing stopped\n");
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    struct content content = read_file("full.trace");
    assert_in_range(content.records, 65536 / 16 * 9 / 10, 65536 / 16);
    assert_non_null(strstr(content.text, "data-file-overflow=true\n"));
    /* What was open then may have ended long ago. */
    assert_null(strstr(content.text, "last-seen-nsec"));
}

static void *call_once_in_a_thread(void *ctx)
{
    (void)ctx;
    call_once();
    return NULL;
}

static void thousands_of_short_threads_fit(void **state)
{
    (void)state;
    enum { SHORT_THREADS = 3000 };
    assert_int_equal(tv_start_method_tracing(in_folder("short"), 256 * 1024, 0), TV_TRACE_OK);
    for (int i = 0; i < SHORT_THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, call_once_in_a_thread, NULL), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    struct content content = read_file("short.trace");
    assert_int_equal(content.records, 2 * SHORT_THREADS);
    assert_int_equal(content.most_thread, SHORT_THREADS);
}

/* Starts and stops while threads record without a pause. */
static _Atomic int is_over;

static void *call_until_over(void *ctx)
{
    uint64_t calls = 0;
    (void)ctx;
    while (!is_over) {
        call_once();
        calls++;
    }
    return calls ? &is_over : NULL;
}

static void starting_and_stopping_under_load_loses_nothing(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    is_over = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call_until_over, NULL), 0);
    for (int i = 0; i < 20; i++) {
        unsigned flags = i % 2 ? TV_TRACE_STREAMING : 0;
        assert_int_equal(tv_start_method_tracing(in_folder("load"), 4u << 20, flags), TV_TRACE_OK);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
        if (flags)
            continue;
        /* A thread may have been between an enter and its exit, at either end. */
        struct content content = read_file("load.trace");
        uint64_t difference = content.enters > content.exits ? content.enters - content.exits
                                                             : content.exits - content.enters;
        assert_true(difference <= THREADS);
        assert_int_equal(content.falls, 0);
    }
    is_over = 1;
    for (int i = 0; i < THREADS; i++) {
        void *has_called;
        pthread_join(thread[i], &has_called);
        assert_non_null(has_called);
    }
}

/* Calls that handlers made. */
static volatile sig_atomic_t handled;

static void call_in_handler(int number)
{
    (void)number;
    unsigned call = tv_method_enter(&in_handler);
    unsigned second = tv_method_enter(&inner);
    tv_method_exit(second);
    tv_method_exit(call);
    handled++;
}

/* A timer interrupts the thread some thousand times, often within the recorder itself. */
static void signal_handlers_may_record(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = call_in_handler};
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    unsigned flags[] = {0, TV_TRACE_STREAMING};
    for (int i = 0; i < 2; i++) {
        handled = 0;
        assert_int_equal(tv_start_method_tracing(in_folder("signals"), 64u << 20, flags[i]),
                         TV_TRACE_OK);
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
        uint64_t calls = 0;
        for (; handled < 300; calls += CALLS)
            (void)call_often(NULL);
        setitimer(ITIMER_REAL, &never, NULL);
        assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
        if (flags[i])
            continue;
        struct content content = read_file("signals.trace");
        assert_int_equal(content.enters, calls + 2 * (uint64_t)handled);
        assert_int_equal(content.exits, calls + 2 * (uint64_t)handled);
        assert_int_equal(content.falls, 0);
    }
    signal(SIGALRM, SIG_DFL);
}

static void stop_in_handler(int number)
{
    (void)number;
    if (tv_stop_method_tracing() == TV_TRACE_OK)
        handled = 1;
}

static void a_signal_handler_may_stop(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = stop_in_handler};
    struct itimerval soon = {{0, 0}, {0, 3000}};
    for (int i = 0; i < 10; i++) {
        handled = 0;
        assert_int_equal(tv_start_method_tracing(in_folder("stopped"), 64u << 20, 0), TV_TRACE_OK);
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &soon, NULL);
        while (!handled)
            call_once();
        struct content content = read_file("stopped.trace");
        assert_true(content.enters - content.exits <= 1);
    }
    signal(SIGALRM, SIG_DFL);
}

static void a_thread_is_named_and_main_is_main(void **state)
{
    (void)state;
    assert_int_equal(tv_start_method_tracing(in_folder("names"), 0, 0), TV_TRACE_OK);
    call_once();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call_once_in_a_thread, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    struct content content = read_file("names.trace");
    assert_non_null(strstr(content.text, "*threads\n1\tmain\n2\ttest-record\n"));
    tv_name_thread("a\tname");
    assert_int_equal(tv_start_method_tracing(in_folder("names"), 0, 0), TV_TRACE_OK);
    call_once();
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    content = read_file("names.trace");
    assert_non_null(strstr(content.text, "*threads\n1\ta name\n"));
    tv_name_thread("");
}

/* Whether a descriptor of this process is a file of the folder. */
static bool has_open(const char *name)
{
    struct stat wanted, status;
    if (stat(in_folder(name), &wanted) != 0)
        return false;
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        if (fstat(descriptor, &status) == 0 && status.st_dev == wanted.st_dev &&
            status.st_ino == wanted.st_ino)
            return true;
    }
    return false;
}

static void a_child_leaves_the_file_alone_and_may_record_its_own(void **state)
{
    (void)state;
    assert_int_equal(tv_start_method_tracing(in_folder("parent"), 0, TV_TRACE_STREAMING),
                     TV_TRACE_OK);
    assert_true(has_open("parent.trace"));
    call_once();
    pid_t child = fork();
    if (child == 0) {
        int is_off = !tv_method_tracing_active() && !has_open("parent.trace");
        (void)call_often(NULL);
        int is_fine = is_off && tv_stop_method_tracing() == TV_TRACE_NOT_STARTED &&
                      tv_start_method_tracing(in_folder("child"), 8u << 20, 0) == TV_TRACE_OK;
        (void)call_often(NULL);
        is_fine &= tv_stop_method_tracing() == TV_TRACE_OK;
        _exit(!is_fine);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(read_file("child.trace").records, 2 * CALLS);
    struct stat before, after;
    assert_int_equal(stat(in_folder("parent.trace"), &before), 0);
    assert_int_equal(before.st_size, TV_WIRE_HEADER);
    call_once();
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    assert_int_equal(stat(in_folder("parent.trace"), &after), 0);
    assert_true(after.st_size > TV_WIRE_HEADER + (off_t)(4 * TV_WIRE_TWO_TIMES_RECORD));
}

static void a_closed_or_taken_descriptor_does_no_harm(void **state)
{
    (void)state;
    assert_int_equal(tv_start_method_tracing(in_folder("closed"), 0, 0), TV_TRACE_OK);
    call_once();
    int other[600];
    int count = 0;
    for (int i = 3; i < DESCRIPTORS; i++)
        close(i);
    while (count < 600 && (other[count] = dup(STDERR_FILENO)) >= 0)
        count++;
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    for (int i = 0; i < count; i++)
        close(other[i]);
    assert_int_equal(read_file("closed.trace").records, 2);
}

/* The limit on file sizes stands for a full disk; its signal must not end the program. */
static void a_full_disk_is_told_and_what_is_whole_stays(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    /* The hard limit stays: only root may raise it again. */
    const struct rlimit small = {1u << 20, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(tv_start_method_tracing(in_folder("disk"), 64u << 20, 0), TV_TRACE_OK);
    (void)call_often(NULL);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_CANNOT_WRITE);
    assert_int_equal(errno, EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    struct content content = read_file("disk.trace");
    assert_in_range(content.records, (1u << 20) / 14 * 8 / 10, (1u << 20) / 14);
}

/* Works for `ns` of its CPU time. */
static void work_for(uint64_t ns)
{
    struct timespec now, begin;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((uint64_t)(now.tv_sec - begin.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec <
           ns + (uint64_t)begin.tv_nsec);
}

/* Text, text by looks, and packets; a stream is that of `traceview record`. */
static void a_call_that_is_open_at_the_end_has_its_time(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        unsigned long long wall = 0, cpu = 0;
        const enum tv_trace_status status =
            kind ? tv_start_method_tracing_sampling(in_folder("open"), 0, 1000)
                 : tv_start_method_tracing(in_folder("open"), 0, 0);
        assert_int_equal(status, TV_TRACE_OK);
        call_once();
        unsigned call = tv_method_enter(&method);
        work_for(60000000);
        assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
        tv_method_exit(call);
        const struct content content = read_file("open.trace");
        const char *told = strstr(content.text, "\nlast-seen-nsec=1:");
        assert_non_null(told);
        assert_int_equal(sscanf(told, "\nlast-seen-nsec=1:%llu:%llu\n", &wall, &cpu), 2);
        assert_true(wall >= cpu && wall < 60000000000u);
        assert_in_range(cpu, 40000000, 60000000 + 20000000);
    }
}

static void unwinding_is_marked(void **state)
{
    (void)state;
    assert_int_equal(tv_start_method_tracing(in_folder("unwound"), 0, 0), TV_TRACE_OK);
    unsigned call = tv_method_enter(&method);
    tv_method_unwind(call);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    assert_int_equal(read_file("unwound.trace").unwinds, 1);
}

static void *work_and_end(void *ctx)
{
    unsigned call = tv_method_enter(&method);
    work_for(60000000);
    tv_method_exit(call);
    return ctx;
}

static void a_sampled_thread_that_ends_has_ended_its_calls(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(tv_start_method_tracing_sampling(in_folder("ended"), 0, 1000), TV_TRACE_OK);
    assert_int_equal(pthread_create(&thread, NULL, work_and_end, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(tv_stop_method_tracing(), TV_TRACE_OK);
    const struct content content = read_file("ended.trace");
    assert_in_range(content.enters, 1, 10);
    assert_int_equal(content.exits, content.enters);
    assert_in_range(content.last_cpu_us, 20000, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_out_of_turn_are_errors),
        cmocka_unit_test(a_file_that_cannot_be_made_is_an_error),
        cmocka_unit_test(the_default_name_is_dmtrace),
        cmocka_unit_test(every_call_of_every_thread_is_kept),
        cmocka_unit_test(a_full_buffer_stops_tracing_and_the_file_says_so),
        cmocka_unit_test(thousands_of_short_threads_fit),
        cmocka_unit_test(starting_and_stopping_under_load_loses_nothing),
        cmocka_unit_test(signal_handlers_may_record),
        cmocka_unit_test(a_signal_handler_may_stop),
        cmocka_unit_test(a_thread_is_named_and_main_is_main),
        cmocka_unit_test(a_child_leaves_the_file_alone_and_may_record_its_own),
        cmocka_unit_test(a_closed_or_taken_descriptor_does_no_harm),
        cmocka_unit_test(a_full_disk_is_told_and_what_is_whole_stays),
        cmocka_unit_test(unwinding_is_marked),
        cmocka_unit_test(a_call_that_is_open_at_the_end_has_its_time),
        cmocka_unit_test(a_sampled_thread_that_ends_has_ended_its_calls),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
