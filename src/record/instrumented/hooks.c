/*
 * Programs as they are: built with -finstrument-functions, they call two hooks at the begin and the
 * end of every function. libtraceview-instrument.so has the hooks beside the recorder, and is
 * preloaded by `traceview record`, which tells by the environment where to record to. Linked to a
 * program, it records when that starts tracing by the C API.
 *
 * A function is described once, when it is first entered: the file that it is in, and where. Names
 * are looked up after the run, by who reads the trace.
 *
 * Not every function that is left calls its hook: longjmp() passes over them, and exceptions do
 * where functions have no cleanup. Such calls are closed when a function below them ends (calls.h),
 * or when the jump is seen (jumps.c).
 */
#include "record/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/calls.h"
#include "record/instrumented/code_file.h"
#include "record/memory.h"
#include "record/next_function.h"
#include "record/numbers.h"
#include "record/output.h"
#include "record/recorder.h"
#include "record/slow.h"
#include "record/ticks.h"

#define SIGNAL_STACK_LEN ((size_t)64 * 1024) /* for a thread whose stack is full */
#define ADDRESS_CAP 24u
#define MEASURE_ROUNDS 7u
#define MEASURE_CALLS 1000u

TV_HOOKS_SHOWN void __cyg_profile_func_enter(void *function, void *place);
TV_HOOKS_SHOWN void __cyg_profile_func_exit(void *function, void *place);

static struct tv_key_numbers functions; /* by address */
static _Atomic uint32_t unloading;      /* calls of dlclose() that are under way */
static char program[PATH_MAX];          /* its file */
static _Thread_local void *signal_stack __attribute__((tls_model("initial-exec")));
static pthread_key_t end_key; /* of threads with a signal stack */
static bool has_key;
static bool handles_signals;
static _Atomic bool waits_to_handle; /* signals, until the first call of a recording */
static bool tells_files;             /* which file a function is of, in place of its signature */
static void stop_and_die(int number);

static void put_address(char text[ADDRESS_CAP], uintptr_t address)
{
    (void)snprintf(text, ADDRESS_CAP, "0x%llx", (unsigned long long)address);
}

/* The file that an address is in, where it begins in memory, and what its addresses are moved by;
 * false when there is none.
 * dladdr1() takes a lock of the loader: it would wait for a library that is being loaded in another
 * thread, and that thread may wait for this one. So the C library's lookup without a lock (glibc
 * 2.35) is the first choice. */
static bool find_file(void *address, const char **path, uintptr_t *base, const void **begin)
{
    const struct link_map *map = NULL;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    struct dl_find_object there;
    if (_dl_find_object(address, &there) == 0) {
        map = there.dlfo_link_map;
        *begin = there.dlfo_map_start;
    }
#else
    Dl_info there;
    void *found = NULL;
    if (dladdr1(address, &there, &found, RTLD_DL_LINKMAP) != 0) {
        map = found;
        *begin = there.dli_fbase;
    }
#endif
    if (!map)
        return false;
    *path = map->l_name && *map->l_name ? map->l_name : program;
    *base = map->l_addr;
    return true;
}

/* The name of a function where the loader knows it: one of a library, or of a program that is
 * linked with -rdynamic. */
static void meet_name(uint32_t number, void *function)
{
    Dl_info there;
    if (dladdr(function, &there) && there.dli_sname && there.dli_saddr == function)
        tv_slow_meet_name(number, there.dli_sname);
}

static TV_NOINLINE uint32_t describe_function(void *function)
{
    char address[ADDRESS_CAP], file[TV_CODE_FILE_CAP] = "";
    const char *path = "";
    const void *begin = NULL;
    uintptr_t base = 0;
    if (find_file(function, &path, &base, &begin) && tells_files)
        tv_code_file_name(file, begin, base, path == program ? "/proc/self/exe" : path);
    put_address(address, (uintptr_t)function - base);
    uint32_t number = tv_recorder_method(
        &(struct tv_method_text){.class_name = path, .name = address, .signature = file});
    if (number && tv_slow_has_name())
        meet_name(number, function);
    if (number && !atomic_load(&unloading))
        tv_numbers_keep(&functions, (uintptr_t)function, number);
    return number;
}

/* In a program that is linked statically nothing can stand before the C library's. */
#ifndef TV_HOOKS_STATIC

static tv_next_function next_fork; /* _Fork(), which a signal handler may call: no time to look */

/* The next library may come to the addresses of one that is unloaded, in another thread even before
 * dlclose() comes back. So no number is believed meanwhile. */
TV_HOOKS_SHOWN int dlclose(void *handle)
{
    int (*next)(void *);
    tv_find_next("dlclose", NULL, &next);
    atomic_fetch_add(&unloading, 1);
    int status = next(handle);
    tv_numbers_forget(&functions);
    atomic_fetch_sub(&unloading, 1);
    return status;
}

#endif

TV_INLINE uint32_t number_of(void *function)
{
    uint32_t number = 0;
    if (TV_LIKELY(!atomic_load_explicit(&unloading, memory_order_relaxed)))
        number = tv_numbers_find(&functions, (uintptr_t)function);
    return number ? number : describe_function(function);
}

/*
 * Enter and exit.
 */

/* Before a thread's first call: gives it a stack for signal handlers, unless it has one: a program
 * that overflows its stack gets SIGSEGV, and the handler that writes the trace needs another stack
 * to run on. The thread's own is released when the thread ends. */
static void take_signal_stack(void)
{
    stack_t there;
    if (atomic_load_explicit(&waits_to_handle, memory_order_relaxed) &&
        atomic_exchange(&waits_to_handle, false)) {
        handles_signals = true;
        for (int number = 1; number <= SIGRTMAX; number++)
            tv_hooks_handle_end(number, stop_and_die);
    }
    if (!handles_signals || signal_stack || sigaltstack(NULL, &there) != 0 ||
        !(there.ss_flags & SS_DISABLE))
        return;
    signal_stack = tv_mapping_cache_take(SIGNAL_STACK_LEN);
    if (!signal_stack)
        return;
    stack_t own = {.ss_sp = signal_stack, .ss_size = SIGNAL_STACK_LEN};
    sigaltstack(&own, NULL);
    if (has_key)
        (void)pthread_setspecific(end_key, signal_stack);
}

/* At the end of a thread. */
static void give_signal_stack(void *pages)
{
    stack_t there;
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &there) == 0 && there.ss_sp == pages)
        sigaltstack(&none, NULL);
    signal_stack = NULL;
    tv_mapping_cache_release(pages, SIGNAL_STACK_LEN);
}

TV_INLINE void enter(void *function, bool puts)
{
    tv_calls_begin_call(TV_LIKELY(tv_calls.depth < TV_CALLS_MOST) ? number_of(function) : 0, puts);
}

static _Atomic bool waits_for_call; /* a further process, which is recorded from a first call on */
static TV_NOINLINE void begin_late(void);

void __cyg_profile_func_enter(void *function, void *place)
{
    (void)place;
    if (TV_LIKELY(tv_calls_are_on())) {
        enter(function, true);
    } else if (TV_UNLIKELY(atomic_load_explicit(&waits_for_call, memory_order_relaxed))) {
        begin_late();
        if (tv_calls_are_on())
            enter(function, true);
    }
}

/* Closes a call, and the calls above it that never told their end. */
TV_INLINE void leave(void *function, bool puts)
{
    if (tv_calls.depth || tv_calls.changes[0].change)
        tv_calls_end_call(TV_LIKELY(tv_calls.depth <= TV_CALLS_MOST) ? number_of(function) : 0,
                          TV_RECORDER_EXIT, puts);
}

void __cyg_profile_func_exit(void *function, void *place)
{
    (void)place;
    if (tv_calls_are_on())
        leave(function, true);
}

/*
 * What the hooks cost beside the record that they put.
 */

static TV_NOINLINE void enter_for_measure(void *function)
{
    enter(function, false);
}

static TV_NOINLINE void exit_for_measure(void *function)
{
    leave(function, false);
}

/* Nanoseconds that an enter and an exit take in the hooks, beside the record: the fastest of some
 * rounds, with the table of functions and the thread's stack of calls as a recording would have
 * them. Both are left empty; nothing is recorded. */
static uint32_t measure_hooks(void)
{
    uint32_t numbers[1];
    uint64_t least_ns = UINT64_MAX;
    void *function = &least_ns; /* any address */
    tv_numbers_keep(&functions, (uintptr_t)function, 1);
    if (!tv_numbers_find(&functions, (uintptr_t)function))
        return 0;
    tv_calls = (struct tv_calls){.numbers = numbers};
    for (unsigned round = 0; round < MEASURE_ROUNDS; round++) {
        uint64_t begin = tv_ticks_monotonic_ns();
        for (unsigned i = 0; i < MEASURE_CALLS; i++) {
            enter_for_measure(function);
            exit_for_measure(function);
        }
        uint64_t took_ns = tv_ticks_monotonic_ns() - begin;
        if (took_ns < least_ns)
            least_ns = took_ns;
    }
    tv_calls = (struct tv_calls){.numbers = NULL};
    tv_numbers_forget(&functions);
    return least_ns == UINT64_MAX ? 0 : (uint32_t)(least_ns / MEASURE_CALLS);
}

/*
 * Under `traceview record`.
 */

static bool stops_program; /* a signal that ends recording ends the program */

static void stop_on_request(int number)
{
    (void)number;
    (void)tv_recorder_stop(NULL);
}

/* The handler of signals that would end the program: writes the trace, then lets the signal end the
 * program. SIGINT ends only the recording when `traceview record` said that the program is to go
 * on. */
static void stop_and_die(int number)
{
    (void)tv_recorder_stop(NULL);
    if (number == SIGINT && !stops_program)
        return;
    tv_hooks_end_by(number);
}

/* The signal that stops recording is handled from the start: `traceview record` sends it to who
 * handles it; and so is Ctrl-C, where that is for the recording alone. Others are not before the
 * first call: a program that has none, as Python, finds at its start what it would find without a
 * recorder, and handles what it wants to.
 */
static void handle_signals(void)
{
    tv_hooks_handle_stop(stop_on_request);
    if (!stops_program)
        tv_hooks_handle_end(SIGINT, stop_and_die);
    atomic_store(&waits_to_handle, true);
}

static uint64_t number_in(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Whether the program that this process ran before an exec() has recorded calls into the file: then
 * they stay, and the new program is not recorded. */
static bool has_recorded(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > TV_WIRE_HEADER;
}

static pid_t recorded_process; /* 0: none, or another has been */

static void stop_in_recorded_process(void)
{
    if (recorded_process == getpid())
        (void)tv_recorder_stop(NULL);
}

bool tv_hooks_end_before_exec(void)
{
    return recorded_process == getpid() && tv_recorder_has_records() &&
           tv_recorder_stop(NULL) == TV_TRACE_OK;
}

/* Says why nothing is recorded, and leaves an empty file: it tells `traceview record` that the
 * library was there. */
static void tell_failure(const char *path, enum tv_trace_status status)
{
    (void)fprintf(stderr, "traceview: %s: %s: %s: the program runs without being recorded\n", path,
                  tv_trace_status_text(status), strerror(errno));
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (file >= 0)
        close(file);
}

/* Records this process into a file, as the environment says. */
static void record_into(const char *path)
{
    char named[PATH_MAX + sizeof("program=")];
    const char *slash = strrchr(program, '/');
    const char *clock = getenv(TV_HOOKS_CLOCK);
    const char *then = getenv(TV_HOOKS_THEN);
    const bool is_ring = getenv(TV_HOOKS_RING) != NULL;
    recorded_process = getpid();
    tells_files = true;
    stops_program = !then || strcmp(then, "keep") != 0;
    (void)snprintf(named, sizeof(named), "program=%s", slash ? slash + 1 : program);
    enum tv_trace_status status = tv_recorder_start(
        &(struct tv_recorder_options){.path = path,
                                      .program = getenv(TV_HOOKS_PARTS) ? named : NULL,
                                      .buffer_len = (size_t)number_in(TV_HOOKS_BUFFER, 0),
                                      .is_streaming = !is_ring,
                                      .is_ring = is_ring,
                                      .slow_ns = number_in(TV_HOOKS_SLOW, 0),
                                      .slow_name = getenv(TV_HOOKS_SLOW_NAME),
                                      .file_most = number_in(TV_HOOKS_MOST, 0),
                                      .awaited = getenv(TV_HOOKS_WHILE),
                                      .has_wall = clock && strcmp(clock, "wall") == 0});
    if (status == TV_TRACE_OK) {
        handle_signals();
        (void)at_quick_exit(stop_in_recorded_process);
        /* The signal may have come before it was handled. */
        if (!tv_output_is_awaited(getenv(TV_HOOKS_WHILE)))
            (void)tv_recorder_stop(NULL);
    } else {
        tell_failure(path, status);
    }
}

static void begin_late(void)
{
    char path[PATH_MAX];
    const char *parts = getenv(TV_HOOKS_PARTS);
    if (!atomic_exchange(&waits_for_call, false) || !parts ||
        !tv_output_is_awaited(getenv(TV_HOOKS_WHILE)))
        return;
    errno = tv_output_make_own(path, parts);
    if (errno)
        tell_failure(path, TV_TRACE_CANNOT_OPEN);
    else
        record_into(path);
}

/* In the child of a fork, whose parent's recording is not its own. A child that goes on to be
 * another program without a call leaves no file. */
static void wait_in_child(void)
{
    recorded_process = 0;
    atomic_store(&waits_for_call, true);
}

/* Runs when the library is loaded. The process that `traceview record` started records. Programs
 * that it starts inherit its environment, but the process number in there is not theirs: they
 * record into files of their own where that was asked for, else not at all. */
__attribute__((constructor)) static void record_by_environment(void)
{
    const char *path = getenv(TV_HOOKS_FILE);
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
#ifndef TV_HOOKS_STATIC
    pid_t (*fork_alone)(void);
    tv_find_next("_Fork", &next_fork, &fork_alone);
#endif
    has_key = pthread_key_create(&end_key, give_signal_stack) == 0;
    tv_recorder_add_call_cost(measure_hooks());
    uint64_t depth = number_in(TV_HOOKS_DEPTH, TV_CALLS_MOST);
    tv_calls_prepare(depth < TV_CALLS_MOST ? (uint32_t)depth : TV_CALLS_MOST, take_signal_stack);
    const bool has_parts = getenv(TV_HOOKS_PARTS) != NULL;
    const bool is_first = number_in(TV_HOOKS_PROCESS, 0) == (uint64_t)getpid();
    if (!path || (!is_first && !has_parts))
        return;
    if (!is_first || has_recorded(path)) {
        if (has_parts)
            (void)pthread_atfork(NULL, NULL, wait_in_child);
        atomic_store(&waits_for_call, has_parts);
        return;
    }
    record_into(path);
    if (has_parts)
        (void)pthread_atfork(NULL, NULL, wait_in_child);
}

/* _exit() runs no destructors, so the recording is ended here, if it is this process's: the child
 * of a vfork() shares its parent's memory, and must not end the parent's recording. The program is
 * ended by system call, since the C library's function would have to be looked up under a lock of
 * the loader, which a child may never get. */
__attribute__((noreturn)) static void exit_at_once(int status)
{
    stop_in_recorded_process();
    for (;;)
        syscall(SYS_exit_group, status);
}

TV_HOOKS_SHOWN void _exit(int status)
{
    exit_at_once(status);
}

TV_HOOKS_SHOWN void _Exit(int status)
{
    exit_at_once(status);
}

#ifndef TV_HOOKS_STATIC

/* fork() without its handlers, which are ours, too. */
TV_HOOKS_SHOWN pid_t _Fork(void)
{
    pid_t (*next)(void);
    tv_find_next("_Fork", &next_fork, &next);
    if (!next) {
        errno = ENOSYS; /* glibc before 2.34 */
        return -1;
    }
    tv_recorder_before_fork();
    const pid_t child = next();
    tv_recorder_after_fork(child);
    if (child == 0)
        wait_in_child();
    return child;
}

/* daemon() ends the calling process inside the C library, where no hook sees it, and returns in a
 * child. So the recording ends before. */
TV_HOOKS_SHOWN int daemon(int keeps_folder, int keeps_files)
{
    int (*next)(int, int);
    tv_find_next("daemon", NULL, &next);
    stop_in_recorded_process();
    return next(keeps_folder, keeps_files);
}

#endif
