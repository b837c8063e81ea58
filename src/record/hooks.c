/*
 * Programs as they are: built with -finstrument-functions, they call two hooks at the begin and the
 * end of every function. libtraceview-instrument.so has the hooks beside the recorder, and is
 * preloaded by `traceview record`, which tells by the environment where to record to. Linked to a
 * program, it records when that starts tracing by the C API.
 *
 * A function is described once, when it is first entered: the file that it is in, and where. Names
 * are looked up after the run, by who reads the trace.
 *
 * A thread notes its open calls on a stack of its own, since not every function that is left calls
 * its hook: longjmp() passes over them, and exceptions do where functions have no cleanup. Such
 * calls are closed, as unwound, when a function below them ends, or when the jump is seen
 * (jumps.c).
 */
#include "record/hooks.h"

#include <dlfcn.h>
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
#include <time.h>
#include <unistd.h>

#include "record/cold.h"
#include "record/memory.h"
#include "record/recorder.h"

#define CALLS_MOST (1u << 20) /* open calls of a thread; deeper ones are not recorded */
#define CALLS_LEN (CALLS_MOST * sizeof(uint32_t))
#define SIGNAL_STACK_LEN ((size_t)64 * 1024) /* behind them, for a thread whose stack is full */
#define FUNCTIONS_LEAST 4096u
#define ADDRESS_CAP 24u
#define MEASURE_ROUNDS 7u
#define MEASURE_CALLS 1000u

TV_HOOKS_SHOWN void __cyg_profile_func_enter(void *function, void *place);
TV_HOOKS_SHOWN void __cyg_profile_func_exit(void *function, void *place);

/* The open calls of a thread: numbers of methods, outermost first. */
struct calls {
    uint32_t depth;
    uint32_t session; /* that they are of */
    uint32_t *numbers;
};

static _Thread_local struct calls calls __attribute__((tls_model("initial-exec")));
static uint32_t depth_most = CALLS_MOST; /* deeper calls are noted, but not recorded */
static char program[PATH_MAX];           /* its file */
static pthread_key_t end_key;            /* of threads with open calls */
static bool has_key;
static bool handles_signals;

/*
 * Functions by address. Read without a lock: a slot's address is stored last, and a table that was
 * too small stays as it is while threads may still read it. When a library is unloaded, the slots
 * are freed, since the next one may come to its addresses: an address that is still there behind
 * the number says that the number is its own.
 */

struct function {
    _Atomic uintptr_t address; /* 0: free */
    _Atomic uint32_t number;
};

struct functions {
    size_t count, cap;
    struct function of[];
};

static struct functions *_Atomic functions;

static size_t slot_of(uintptr_t address, size_t cap)
{
    return (size_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);
}

static uint32_t find_function(struct functions *table, uintptr_t address)
{
    if (!table)
        return 0;
    for (size_t at = slot_of(address, table->cap);; at = (at + 1) & (table->cap - 1)) {
        uintptr_t there = atomic_load_explicit(&table->of[at].address, memory_order_acquire);
        if (!there)
            return 0;
        if (there != address)
            continue;
        uint32_t number = atomic_load_explicit(&table->of[at].number, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        there = atomic_load_explicit(&table->of[at].address, memory_order_relaxed);
        return there == address ? number : 0;
    }
}

static void insert_function(struct functions *table, uintptr_t address, uint32_t number)
{
    size_t at = slot_of(address, table->cap);
    while (atomic_load_explicit(&table->of[at].address, memory_order_relaxed))
        at = (at + 1) & (table->cap - 1);
    atomic_store_explicit(&table->of[at].number, number, memory_order_relaxed);
    atomic_store_explicit(&table->of[at].address, address, memory_order_release);
    table->count++;
}

/* A table that has room for one more; NULL when there is no memory. */
static struct functions *roomy_table(struct functions *table)
{
    if (table && table->count < table->cap / 2)
        return table;
    size_t cap = table ? table->cap * 2 : FUNCTIONS_LEAST;
    struct functions *grown = tv_pages_take(sizeof(*grown) + cap * sizeof(struct function));
    if (!grown)
        return NULL;
    grown->cap = cap;
    for (size_t i = 0; table && i < table->cap; i++) {
        if (table->of[i].address)
            insert_function(grown, table->of[i].address, table->of[i].number);
    }
    return grown;
}

static void put_address(char text[ADDRESS_CAP], uintptr_t address)
{
    (void)snprintf(text, ADDRESS_CAP, "0x%llx", (unsigned long long)address);
}

/* The file that an address is in, and where that was loaded; false when there is none. Under a lock
 * of the loader dladdr1() would wait for a library that is being loaded, and that may wait for the
 * thread, so the C library's lookup without a lock (glibc 2.35) is the first choice. */
static bool find_file(void *address, const char **path, uintptr_t *base)
{
    const struct link_map *map = NULL;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    struct dl_find_object there;
    if (_dl_find_object(address, &there) == 0)
        map = there.dlfo_link_map;
#else
    Dl_info there;
    void *found = NULL;
    if (dladdr1(address, &there, &found, RTLD_DL_LINKMAP) != 0)
        map = found;
#endif
    if (!map)
        return false;
    *path = map->l_name && *map->l_name ? map->l_name : program;
    *base = map->l_addr;
    return true;
}

static TV_NOINLINE uint32_t describe_function(void *function)
{
    char address[ADDRESS_CAP];
    const char *path = "";
    uintptr_t base = 0;
    struct tv_cold cold;
    (void)find_file(function, &path, &base);
    put_address(address, (uintptr_t)function - base);
    uint32_t number =
        tv_recorder_method(&(struct tv_method_text){.class_name = path, .name = address});
    tv_cold_enter(&cold);
    struct functions *table = atomic_load(&functions);
    if (number && !find_function(table, (uintptr_t)function)) {
        table = roomy_table(table);
        if (table)
            insert_function(table, (uintptr_t)function, number);
        if (table)
            atomic_store_explicit(&functions, table, memory_order_release);
    }
    tv_cold_leave(&cold);
    return number;
}

static void forget_functions(void)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    struct functions *table = atomic_load(&functions);
    for (size_t i = 0; table && table->count && i < table->cap; i++)
        atomic_store_explicit(&table->of[i].address, 0, memory_order_relaxed);
    if (table)
        table->count = 0;
    atomic_thread_fence(memory_order_release);
    tv_cold_leave(&cold);
}

TV_HOOKS_SHOWN int dlclose(void *handle)
{
    int (*next)(void *);
    void *found = dlsym(RTLD_NEXT, "dlclose");
    memcpy(&next, &found, sizeof(next));
    int status = next(handle);
    forget_functions();
    return status;
}

static uint32_t number_of(void *function)
{
    struct functions *table = atomic_load_explicit(&functions, memory_order_acquire);
    uint32_t number = find_function(table, (uintptr_t)function);
    return number ? number : describe_function(function);
}

/*
 * Enter and exit.
 */

/* A program that fills its stack is to be told of that on another. */
static void take_signal_stack(uint32_t *numbers)
{
    stack_t there;
    stack_t own = {.ss_sp = (char *)numbers + CALLS_LEN, .ss_size = SIGNAL_STACK_LEN};
    if (handles_signals && sigaltstack(NULL, &there) == 0 && there.ss_flags & SS_DISABLE)
        sigaltstack(&own, NULL);
}

static void give_signal_stack(const uint32_t *numbers)
{
    stack_t there;
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &there) == 0 && there.ss_sp == (const char *)numbers + CALLS_LEN)
        sigaltstack(&none, NULL);
}

/* At the end of a thread. */
static void end_calls(void *numbers)
{
    give_signal_stack(numbers);
    calls = (struct calls){.numbers = NULL};
    tv_pages_release(numbers, CALLS_LEN + SIGNAL_STACK_LEN);
}

static void say_once_that_memory_lacks(void)
{
    static const char text[] = "traceview: no memory for the calls of a thread: not recorded\n";
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_said) && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        return;
}

/* Makes the thread's calls those of the recording under way. */
static TV_NOINLINE bool begin_calls(void)
{
    bool is_new = !calls.numbers;
    calls.depth = 0;
    calls.session = tv_recorder_session();
    if (is_new)
        calls.numbers = tv_pages_take(CALLS_LEN + SIGNAL_STACK_LEN);
    if (!calls.numbers) {
        say_once_that_memory_lacks();
        return false;
    }
    if (is_new && has_key)
        (void)pthread_setspecific(end_key, calls.numbers);
    if (is_new)
        take_signal_stack(calls.numbers);
    return true;
}

static bool is_recording(void)
{
    if (!__atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED))
        return false;
    return calls.session == tv_recorder_session() ? calls.numbers != NULL : begin_calls();
}

/* Notes a call, and returns what to record of it; 0: nothing. */
TV_INLINE uint32_t note_enter(void *function)
{
    uint32_t depth = calls.depth++;
    if (depth >= CALLS_MOST)
        return 0;
    uint32_t number = number_of(function);
    calls.numbers[depth] = number;
    return number && depth < depth_most ? tv_recorder_word(number, TV_RECORDER_ENTER) : 0;
}

void __cyg_profile_func_enter(void *function, void *place)
{
    (void)place;
    uint32_t word = is_recording() ? note_enter(function) : 0;
    if (word)
        tv_recorder_put(word);
}

/* Closes the calls above a depth, which nobody will leave any more. */
static void unwind_to(uint32_t depth)
{
    while (calls.depth > depth) {
        calls.depth--;
        if (calls.depth < depth_most && calls.numbers[calls.depth])
            tv_recorder_put(tv_recorder_word(calls.numbers[calls.depth], TV_RECORDER_UNWIND));
    }
}

/* Closes a call, and those above it; returns what to record of it; 0: nothing. */
TV_INLINE uint32_t note_exit(void *function)
{
    if (!calls.depth)
        return 0;
    if (calls.depth > CALLS_MOST) {
        calls.depth--;
        return 0;
    }
    uint32_t number = number_of(function);
    uint32_t at = calls.depth;
    while (at && calls.numbers[at - 1] != number)
        at--;
    if (!at)
        return 0; /* it was entered before recording began */
    unwind_to(at);
    calls.depth--;
    return number && calls.depth < depth_most ? tv_recorder_word(number, TV_RECORDER_EXIT) : 0;
}

void __cyg_profile_func_exit(void *function, void *place)
{
    (void)place;
    uint32_t word = is_recording() ? note_exit(function) : 0;
    if (word)
        tv_recorder_put(word);
}

uint32_t tv_hooks_depth(void)
{
    return is_recording() ? calls.depth : 0;
}

void tv_hooks_unwind(uint32_t depth)
{
    if (is_recording())
        unwind_to(depth);
}

/*
 * What the hooks cost beside the record that they put.
 */

static TV_NOINLINE uint32_t enter_for_measure(void *function)
{
    return note_enter(function);
}

static TV_NOINLINE uint32_t exit_for_measure(void *function)
{
    return note_exit(function);
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of an enter and an exit, in the fastest of some rounds, with the functions' table and
 * the calling thread's stack as they will be; both are left empty. Nothing is recorded yet. */
static uint32_t measure_hooks(void)
{
    uint32_t numbers[1];
    uint64_t least_ns = UINT64_MAX;
    void *function = &least_ns; /* any address */
    struct functions *table = roomy_table(NULL);
    if (!table)
        return 0;
    insert_function(table, (uintptr_t)function, 1);
    atomic_store(&functions, table);
    calls = (struct calls){.numbers = numbers};
    for (unsigned round = 0; round < MEASURE_ROUNDS; round++) {
        uint32_t words = 0;
        uint64_t begin = monotonic_ns();
        for (unsigned i = 0; i < MEASURE_CALLS; i++) {
            words |= enter_for_measure(function);
            words |= exit_for_measure(function);
        }
        uint64_t took_ns = monotonic_ns() - begin;
        if (words && took_ns < least_ns)
            least_ns = took_ns;
    }
    calls = (struct calls){.numbers = NULL};
    forget_functions();
    return (uint32_t)(least_ns / MEASURE_CALLS);
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

/* A signal that would end the program: the trace is written first. */
static void stop_and_die(int number)
{
    (void)tv_recorder_stop(NULL);
    if (number == SIGINT && !stops_program)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

static bool ends_programs(int number)
{
    static const int harmless[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
                                   SIGCONT, SIGCHLD, SIGURG,  SIGWINCH};
    for (size_t i = 0; i < TV_COUNT_OF(harmless); i++) {
        if (number == harmless[i])
            return false;
    }
    return true;
}

/* Every signal that would end the program, but SIGKILL, which nobody can handle. `traceview record`
 * has the program ignore the one that stops recording, should there be no recorder. */
static void handle_signals(void)
{
    struct sigaction old;
    struct sigaction die = {.sa_handler = stop_and_die, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction stop = {.sa_handler = stop_on_request, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&die.sa_mask);
    sigemptyset(&stop.sa_mask);
    handles_signals = true;
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (ends_programs(number) && sigaction(number, NULL, &old) == 0 &&
            old.sa_handler == SIG_DFL)
            sigaction(number, &die, NULL);
    }
    sigaction(TV_HOOKS_STOP_SIGNAL, &stop, NULL);
}

static uint64_t number_in(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Whether the program that this one was before an exec() has recorded calls: they stay. */
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

/* Only the process that `traceview record` started records; those that it starts have its
 * environment, but not its number. */
__attribute__((constructor)) static void record_by_environment(void)
{
    const char *path = getenv(TV_HOOKS_FILE);
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    has_key = pthread_key_create(&end_key, end_calls) == 0;
    tv_recorder_add_call_cost(measure_hooks());
    if (!path || number_in(TV_HOOKS_PROCESS, 0) != (uint64_t)getpid())
        return;
    if (has_recorded(path)) {
        signal(TV_HOOKS_STOP_SIGNAL, SIG_IGN);
        return;
    }
    recorded_process = getpid();
    const char *clock = getenv(TV_HOOKS_CLOCK);
    const char *then = getenv(TV_HOOKS_THEN);
    uint64_t depth = number_in(TV_HOOKS_DEPTH, CALLS_MOST);
    depth_most = depth < CALLS_MOST ? (uint32_t)depth : CALLS_MOST;
    stops_program = !then || strcmp(then, "keep") != 0;
    enum tv_trace_status status = tv_recorder_start(
        &(struct tv_recorder_options){.path = path,
                                      .buffer_len = (size_t)number_in(TV_HOOKS_BUFFER, 0),
                                      .is_streaming = true,
                                      .has_wall = clock && strcmp(clock, "wall") == 0});
    if (status == TV_TRACE_OK) {
        handle_signals();
        (void)at_quick_exit(stop_in_recorded_process);
    } else {
        (void)fprintf(stderr, "traceview: %s: %s: the program runs without being recorded\n", path,
                      tv_trace_status_text(status));
    }
}

/* _exit() runs no destructors. The child of a vfork() has its parent's memory, but not its
 * recording. The system call needs no lock of the loader, which may never come free in a child. */
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
