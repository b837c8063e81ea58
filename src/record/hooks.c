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
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/cold.h"
#include "record/memory.h"
#include "record/recorder.h"

#define CALLS_MOST (1u << 20) /* open calls of a thread; deeper ones are not recorded */
#define FUNCTIONS_LEAST 4096u
#define ADDRESS_CAP 24u

TV_HOOKS_SHOWN void __cyg_profile_func_enter(void *function, void *place);
TV_HOOKS_SHOWN void __cyg_profile_func_exit(void *function, void *place);

/* The open calls of a thread: numbers of methods, outermost first. */
struct calls {
    uint32_t depth;
    uint32_t session; /* that they are of */
    uint32_t *numbers;
};

static _Thread_local struct calls calls __attribute__((tls_model("initial-exec")));
static uint32_t depth_most = CALLS_MOST;

/*
 * Functions by address. Read without a lock: a slot's address is stored last, and a table that was
 * too small stays as it is while threads may still read it.
 */

struct function {
    _Atomic uintptr_t address; /* 0: free */
    uint32_t number;
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
        if (there == address)
            return table->of[at].number;
        if (!there)
            return 0;
    }
}

static void insert_function(struct functions *table, uintptr_t address, uint32_t number)
{
    size_t at = slot_of(address, table->cap);
    while (atomic_load_explicit(&table->of[at].address, memory_order_relaxed))
        at = (at + 1) & (table->cap - 1);
    table->of[at].number = number;
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

/* The loader's lock is taken before the recorder's here, as it is by a library that records while
 * it is being loaded. */
static TV_NOINLINE uint32_t describe_function(void *function)
{
    char address[ADDRESS_CAP];
    Dl_info found = {.dli_fname = NULL};
    struct link_map *map = NULL;
    struct tv_cold cold;
    bool is_found = dladdr1(function, &found, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    put_address(address, (uintptr_t)function - (is_found ? (uintptr_t)map->l_addr : 0));
    uint32_t number = tv_recorder_method(
        &(struct tv_method_text){.class_name = is_found ? found.dli_fname : "", .name = address});
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

static uint32_t number_of(void *function)
{
    struct functions *table = atomic_load_explicit(&functions, memory_order_acquire);
    uint32_t number = find_function(table, (uintptr_t)function);
    return number ? number : describe_function(function);
}

/*
 * Enter and exit.
 */

/* Whether the thread's calls are those of the recording under way. */
static TV_NOINLINE bool begin_calls(void)
{
    if (!calls.numbers)
        calls.numbers = tv_pages_take(CALLS_MOST * sizeof(*calls.numbers));
    calls.depth = 0;
    calls.session = tv_recorder_session();
    return calls.numbers != NULL;
}

static bool is_recording(void)
{
    return __atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED) &&
           (calls.session == tv_recorder_session() || begin_calls());
}

void __cyg_profile_func_enter(void *function, void *place)
{
    (void)place;
    if (!is_recording())
        return;
    uint32_t depth = calls.depth++;
    if (depth >= depth_most)
        return;
    uint32_t number = number_of(function);
    calls.numbers[depth] = number;
    if (number)
        tv_recorder_put(tv_recorder_word(number, TV_RECORDER_ENTER));
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

void __cyg_profile_func_exit(void *function, void *place)
{
    (void)place;
    if (!is_recording() || !calls.depth)
        return;
    if (calls.depth > depth_most) {
        calls.depth--;
        return;
    }
    uint32_t number = number_of(function);
    uint32_t at = calls.depth;
    while (at && calls.numbers[at - 1] != number)
        at--;
    if (!at)
        return; /* it was entered before recording began */
    unwind_to(at);
    calls.depth--;
    if (number)
        tv_recorder_put(tv_recorder_word(number, TV_RECORDER_EXIT));
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

static void handle(int number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

static void handle_signals(void)
{
    static const int deadly[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGABRT,
                                 SIGSEGV, SIGBUS,  SIGFPE, SIGILL,  SIGPIPE};
    for (size_t i = 0; i < TV_COUNT_OF(deadly); i++)
        handle(deadly[i], stop_and_die);
    handle(TV_HOOKS_STOP_SIGNAL, stop_on_request);
}

static uint64_t number_in(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Only the process that `traceview record` started records; those that it starts have its
 * environment, but not its number. */
__attribute__((constructor)) static void record_by_environment(void)
{
    const char *path = getenv(TV_HOOKS_FILE);
    if (!path || number_in(TV_HOOKS_PROCESS, 0) != (uint64_t)getpid())
        return;
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
    if (status == TV_TRACE_OK)
        handle_signals();
    else
        (void)fprintf(stderr, "traceview: %s: %s: the program runs without being recorded\n", path,
                      tv_trace_status_text(status));
}

/* _exit() runs no destructors. The child of a vfork() has its parent's memory, but not its
 * recording. */
__attribute__((noreturn)) static void exit_at_once(const char *name, int status)
{
    void (*next)(int);
    if (number_in(TV_HOOKS_PROCESS, 0) == (uint64_t)getpid())
        (void)tv_recorder_stop(NULL);
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(&next, &found, sizeof(next));
    next(status);
    __builtin_unreachable();
}

TV_HOOKS_SHOWN void _exit(int status)
{
    exit_at_once("_exit", status);
}

TV_HOOKS_SHOWN void _Exit(int status)
{
    exit_at_once("_Exit", status);
}
