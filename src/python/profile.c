/*
 * Records Python programs: libtraceview-python.so, which the package beside it loads into the
 * interpreter by ctypes (package/traceview/__init__.py).
 *
 * The interpreter calls `on_event` at the begin and the end of each call, on the thread itself and
 * under the interpreter's lock, by the old hook of profilers in C (PyEval_SetProfile; from 3.12 on
 * the interpreter serves it from sys.monitoring). A function is known by its code object, which is
 * kept from then on, so that no other object gets its address. A function in C is known by its
 * address and by the type whose method it is.
 *
 * There is only one hook, and another profiler may take it. Until the hook is free again, the calls
 * of the thread are not recorded, which is counted as one lost record.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "python/python_api.h"
#include "record/calls.h"
#include "record/hooks.h"
#include "record/numbers.h"
#include "record/output.h"
#include "record/recorder.h"

#define NAME_CAP 2048u
#define UNWANTED UINT32_MAX /* the number of the functions of the package itself */
#define FRAMES_MOST 4096u   /* the most frames that are recorded when a thread begins */

#define SHOWN __attribute__((visibility("default")))

static struct tv_key_numbers numbers; /* of code objects, and of functions in C */
static bool has_c_calls;
static bool is_waiting;   /* for the program's own module: frames before it are the interpreter's */
static bool is_measuring; /* the cost of an event beside its record is being measured */

/* The package calls these, and holds the lock of the interpreter. */
SHOWN int tv_python_is_awaited(void);
SHOWN int tv_python_start(const char *path, const char *program, uint64_t buffer_len,
                          uint64_t file_most, uint64_t depth, uint64_t slow_ns,
                          const char *slow_name, unsigned flags);
SHOWN int tv_python_stop(void);
SHOWN void tv_python_measure(int is_begin, unsigned ns);
SHOWN void tv_python_begin_thread(const char *name, PyObject *frame);
SHOWN void tv_python_know(PyObject *set_profile, PyObject *begin);
SHOWN PyObject *tv_python_set_profile(PyObject *function);
SHOWN PyObject *tv_python_run(PyObject *code, PyObject *globals);
SHOWN const char *tv_python_status_text(int status);

enum { FLAG_WALL = 1, FLAG_RING = 2, FLAG_C_CALLS = 4, FLAG_WAITS = 8 };

/*
 * Names.
 */

/* An attribute that is text; it lasts as long as *held, which is the caller's. */
static const char *text_of(PyObject *object, const char *attribute, PyObject **held)
{
    *held = object ? PyObject_GetAttrString(object, attribute) : NULL;
    return *held ? PyUnicode_AsUTF8(*held) : NULL;
}

static void drop(PyObject *object)
{
    if (object)
        Py_DecRef(object);
}

/* Splits a qualified name, "Shop.sell" or "main.<locals>.inner", at its last point: the class is
 * the name of the module and what stands before the point. */
static uint32_t number_of_name(const char *module, const char *name, const char *file, long line)
{
    char class_name[NAME_CAP];
    const char *point = strrchr(name, '.');
    const int scope_len = point ? (int)(point - name) : 0;
    (void)snprintf(class_name, sizeof(class_name), "%s%s%.*s", module,
                   *module && scope_len ? "." : "", scope_len, name);
    return tv_recorder_method(
        &(struct tv_method_text){.class_name = *class_name ? class_name : "?",
                                 .name = point ? point + 1 : name,
                                 .signature = "()",
                                 .file = file,
                                 .line = line > 0 && line <= INT32_MAX ? (int)line : 0});
}

/* The number of the function of a frame. Before 3.11, code has no qualified name: then methods
 * cannot be told from functions. */
static uint32_t describe_code(PyObject *code, PyObject *frame)
{
    PyObject *name_object, *file_object, *error[3];
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *globals = PyObject_GetAttrString(frame, "f_globals");
    PyObject *module_name = globals ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *module = module_name ? PyUnicode_AsUTF8(module_name) : NULL;
    const char *name = text_of(code, "co_qualname", &name_object);
    if (!name) {
        drop(name_object);
        name = text_of(code, "co_name", &name_object);
    }
    const char *file = text_of(code, "co_filename", &file_object);
    PyObject *line = PyObject_GetAttrString(code, "co_firstlineno");
    const uint32_t number = module && strcmp(module, "traceview") == 0
                                ? UNWANTED
                                : number_of_name(module ? module : "", name ? name : "?", file,
                                                 line ? PyLong_AsLong(line) : 0);
    drop(line);
    drop(file_object);
    drop(name_object);
    drop(globals);
    PyErr_Restore(error[0], error[1], error[2]);
    return number;
}

static uint32_t number_of_code(PyObject *code, PyObject *frame)
{
    uint32_t number = tv_numbers_find(&numbers, (uintptr_t)code);
    if (TV_LIKELY(number != 0))
        return number;
    number = describe_code(code, frame);
    if (number) {
        Py_IncRef(code);
        tv_numbers_keep(&numbers, (uintptr_t)code, number);
    }
    return number;
}

/* The number of a function in C. Functions of modules have the module's name, methods only that of
 * their type. */
static uint32_t describe_function(PyObject *function)
{
    PyObject *name_object, *module_object, *error[3];
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    const char *name = text_of(function, "__qualname__", &name_object);
    const char *module = text_of(function, "__module__", &module_object);
    const uint32_t number = number_of_name(module ? module : "", name ? name : "?", NULL, 0);
    drop(module_object);
    drop(name_object);
    PyErr_Restore(error[0], error[1], error[2]);
    return number;
}

/* The type whose method the function is, or the type that it was called on, as int in
 * int.from_bytes; a new reference. NULL: it is no method. */
static PyObject *owner_of(PyObject *function)
{
    PyObject *self = PyCFunction_GetSelf(function);
    PyObject *type = self ? PyObject_Type(self) : NULL;
    if (!type || !PyType_IsSubtype(type, &PyType_Type))
        return type;
    Py_DecRef(type);
    Py_IncRef(self);
    return self;
}

static uint32_t number_of_function(PyObject *function)
{
    PyObject *owner = owner_of(function);
    void (*called)(void) = PyCFunction_GetFunction(function);
    const uintptr_t key =
        (uintptr_t)called + (uintptr_t)owner * (uintptr_t)UINT64_C(0x9e3779b97f4a7c15);
    uint32_t number = tv_numbers_find(&numbers, key);
    if (TV_UNLIKELY(number == 0) && called) {
        number = describe_function(function);
        if (number && owner)
            Py_IncRef(owner);
        if (number)
            tv_numbers_keep(&numbers, key, number);
    }
    drop(owner);
    return number;
}

/*
 * Events.
 */

/* Whether the code is the program's own module, which everything begins with. */
static bool is_main(PyObject *frame)
{
    PyObject *error[3];
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *globals = PyObject_GetAttrString(frame, "f_globals");
    PyObject *name = globals ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    const bool is_it = text && strcmp(text, "__main__") == 0;
    drop(globals);
    PyErr_Restore(error[0], error[1], error[2]);
    return is_it;
}

static uint32_t number_of_frame(PyObject *frame)
{
    PyObject *code = PyFrame_GetCode(frame);
    const uint32_t number = number_of_code(code, frame);
    Py_DecRef(code);
    return number;
}

static bool is_recorded(PyObject *frame, int event)
{
    if (TV_LIKELY(tv_calls_are_on() && !is_waiting))
        return true;
    if (!is_waiting || event != TV_PY_CALL || !is_main(frame))
        return is_measuring;
    is_waiting = false;
    return tv_calls_are_on();
}

static void record(int event, uint32_t number, PyObject *argument)
{
    if (!number || number == UNWANTED || is_measuring)
        return;
    if (event == TV_PY_CALL || event == TV_PY_C_CALL)
        tv_calls_enter(number);
    else if (tv_calls.depth)
        tv_calls_leave(number, event == TV_PY_C_EXCEPTION || (event == TV_PY_RETURN && !argument)
                                   ? TV_RECORDER_UNWIND
                                   : TV_RECORDER_EXIT);
}

static int on_event(PyObject *self, PyObject *frame, int event, PyObject *argument)
{
    (void)self;
    if (!is_recorded(frame, event))
        return 0;
    if (event == TV_PY_CALL || event == TV_PY_RETURN)
        record(event, number_of_frame(frame), argument);
    else if (has_c_calls && event >= TV_PY_C_CALL && event <= TV_PY_C_RETURN)
        record(event, number_of_function(argument), argument);
    return 0;
}

/*
 * The hook.
 */

static _Thread_local bool is_setting;   /* this library changes the hook */
static _Thread_local uint32_t taken_in; /* the recording in which another took the thread's hook */
static PyObject *set_profile_before;    /* sys.setprofile() as it was */
static PyObject *begin_function;        /* the function by which new threads begin to be recorded */

static void set_hook(Py_tracefunc hook)
{
    is_setting = true;
    PyEval_SetProfile(hook, NULL);
    is_setting = false;
}

static bool is_taken(void)
{
    return taken_in && taken_in == tv_recorder_session();
}

static bool is_main_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

/* Called before another profiler takes the hook of the calling thread. Open calls whose end may be
 * seen when the hook is free again stay open. Others end here; so does the call that takes the
 * hook, if it is a function in C. */
static void lose_hook(bool may_come_back)
{
    static const char said[] = "traceview: another profiler took the interpreter's hook: what the "
                               "thread calls meanwhile is not recorded\n";
    static bool is_said;
    PyObject *frame = PyEval_GetFrame();
    if (is_taken() || !tv_calls_are_on())
        return;
    taken_in = tv_recorder_session();
    tv_recorder_lose();
    if (!may_come_back)
        tv_calls_unwind(0);
    else if (frame && !is_waiting)
        (void)tv_calls_unwind_above(number_of_frame(frame));
    if (!is_said && write(STDERR_FILENO, said, sizeof(said) - 1) > 0)
        is_said = true;
}

/* How many of the thread's open calls are still those of its frames; frames[0] is the innermost
 * one. *left becomes the number of frames that have no open call. Between calls of frames there are
 * calls of functions in C. */
static uint32_t calls_that_stay(PyObject *const *frames, size_t *left)
{
    const uint32_t depth = tv_calls.depth < TV_CALLS_MOST ? tv_calls.depth : TV_CALLS_MOST;
    size_t first = *left;
    uint32_t stay = 0;
    /* Frames from before the program's own module are not recorded. */
    while (depth && first && number_of_frame(frames[first - 1]) != tv_calls.numbers[0])
        first--;
    if (first)
        *left = first;
    for (uint32_t i = 0; i < depth && *left; i++) {
        if (number_of_frame(frames[*left - 1]) == tv_calls.numbers[i]) {
            stay = i + 1;
            --*left;
        }
    }
    return stay;
}

/* Makes the thread's open calls those of the frame and of its callers; calls that were not recorded
 * begin here. */
static void open_calls_of(PyObject *frame)
{
    PyObject *frames[FRAMES_MOST];
    size_t count = 0;
    Py_IncRef(frame);
    while (frame && count < FRAMES_MOST) {
        frames[count++] = frame;
        frame = PyFrame_GetBack(frame);
    }
    drop(frame);
    size_t left = count;
    if (tv_calls_are_on())
        tv_calls_unwind(calls_that_stay(frames, &left));
    while (count) {
        const uint32_t number = number_of_frame(frames[--count]);
        if (count < left && tv_calls_are_on())
            record(TV_PY_CALL, number, NULL);
        Py_DecRef(frames[count]);
    }
}

/* The hook is free: the thread is recorded again. */
static void take_hook_back(void)
{
    PyObject *frame = PyEval_GetFrame();
    const bool was_taken = is_taken();
    taken_in = 0;
    set_hook(on_event);
    if (was_taken && frame && !is_waiting)
        open_calls_of(frame);
}

/* Whether sys.getprofile() returns a hook; it does not return ours. */
static bool tells_hook(void)
{
    PyObject *function = PySys_GetObject("getprofile");
    PyObject *hook = function ? PyObject_CallObject(function, NULL) : NULL;
    const bool tells = hook && hook != &_Py_NoneStruct;
    if (!hook)
        PyErr_Clear();
    drop(hook);
    return tells;
}

/* Called on the main thread after somebody has changed its hook. A hook that sys.getprofile()
 * returned and does not return any more has been given back. A profiler that it never returns, as
 * those in C may be, keeps the hook. */
static int look_at_hook(void *unused)
{
    static bool was_told;
    (void)unused;
    const bool is_told = tells_hook();
    if (was_told && !is_told && is_taken())
        take_hook_back();
    was_told = is_told;
    return 0;
}

static int on_audit(const char *event, PyObject *arguments, void *unused)
{
    (void)arguments;
    (void)unused;
    if (event[0] != 's' || strcmp(event, "sys.setprofile") != 0 || is_setting || !tv_calls_are_on())
        return 0;
    const bool is_main = is_main_thread();
    lose_hook(is_main);
    if (is_main)
        (void)Py_AddPendingCall(look_at_hook, NULL);
    return 0;
}

/* Stands in place of sys.setprofile(): a profiler that gives the hook back gives it to the
 * recorder. This is no function of the interpreter, since the new hook would be told of its end. */
PyObject *tv_python_set_profile(PyObject *function)
{
    if (function == &_Py_NoneStruct && tv_calls_are_on()) {
        take_hook_back();
        Py_IncRef(function);
        return function;
    }
    if (function != begin_function)
        lose_hook(true);
    is_setting = true;
    PyObject *result = PyObject_CallFunctionObjArgs(set_profile_before, function, (PyObject *)NULL);
    is_setting = false;
    return result;
}

/* Takes sys.setprofile() as it was, and the function that the package gives it in new threads.
 * Called once. */
void tv_python_know(PyObject *set_profile, PyObject *begin)
{
    Py_IncRef(set_profile);
    Py_IncRef(begin);
    set_profile_before = set_profile;
    begin_function = begin;
    if (PySys_AddAuditHook(on_audit, NULL) != 0)
        PyErr_Clear();
}

/*
 * Functions that the package calls.
 */

static void begin_calls(void)
{
}

/* Signals that end a program without its ends; the first two are also taken from a handler of the
 * program, which then follows. */
static const int ending_signals[] = {SIGTERM, SIGHUP,  SIGQUIT, SIGILL,   SIGTRAP, SIGABRT,
                                     SIGBUS,  SIGFPE,  SIGUSR1, SIGSEGV,  SIGUSR2, SIGALRM,
                                     SIGXCPU, SIGPROF, SIGSYS,  SIGVTALRM};
#define TAKEN_SIGNALS 2u
static struct sigaction handlers_before[TV_COUNT_OF(ending_signals)];

/* The signal by which `traceview record` ends a recording. */
static struct sigaction stop_before;

static void follow(const struct sigaction *before, int number)
{
    if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
}

static void stop_on_request(int number)
{
    (void)tv_recorder_stop(NULL);
    follow(&stop_before, number);
}

/* Writes the trace; then the signal does what it would have done. */
static void stop_on_signal(int number)
{
    size_t i = 0;
    while (i + 1 < TV_COUNT_OF(ending_signals) && ending_signals[i] != number)
        i++;
    (void)tv_recorder_stop(NULL);
    if (handlers_before[i].sa_handler == SIG_DFL) {
        signal(number, SIG_DFL);
        raise(number);
    }
    follow(&handlers_before[i], number);
}

/* A handler that takes more than the number, and the program's own, stay. */
static void handle_signal(int number, void (*handler)(int), bool is_taken, struct sigaction *before)
{
    const struct sigaction ours = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) ||
        now.sa_handler == handler || (now.sa_handler != SIG_DFL && !is_taken))
        return;
    *before = now;
    (void)sigaction(number, &ours, NULL);
}

static void handle_signals(void)
{
    struct sigaction now;
    for (size_t i = 0; i < TV_COUNT_OF(ending_signals); i++) {
        const bool is_ignored = sigaction(ending_signals[i], NULL, &now) == 0 &&
                                !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
        handle_signal(ending_signals[i], stop_on_signal, i < TAKEN_SIGNALS && !is_ignored,
                      &handlers_before[i]);
    }
    handle_signal(TV_HOOKS_STOP_SIGNAL, stop_on_request, true, &stop_before);
}

/* Whether `traceview record` waits for what is recorded, where it asked for that. */
int tv_python_is_awaited(void)
{
    return tv_output_is_awaited(getenv(TV_HOOKS_WHILE));
}

int tv_python_start(const char *path, const char *program, uint64_t buffer_len, uint64_t file_most,
                    uint64_t depth, uint64_t slow_ns, const char *slow_name, unsigned flags)
{
    char named[NAME_CAP];
    const bool is_ring = flags & FLAG_RING;
    has_c_calls = flags & FLAG_C_CALLS;
    is_waiting = flags & FLAG_WAITS;
    (void)snprintf(named, sizeof(named), "program=%s", program);
    tv_calls_prepare(depth && depth < TV_CALLS_MOST ? (uint32_t)depth : TV_CALLS_MOST, begin_calls);
    const enum tv_trace_status status =
        tv_recorder_start(&(struct tv_recorder_options){.path = path,
                                                        .program = *program ? named : NULL,
                                                        .buffer_len = (size_t)buffer_len,
                                                        .is_streaming = !is_ring,
                                                        .is_ring = is_ring,
                                                        .slow_ns = slow_ns,
                                                        .slow_name = *slow_name ? slow_name : NULL,
                                                        .file_most = file_most,
                                                        .awaited = getenv(TV_HOOKS_WHILE),
                                                        .has_wall = flags & FLAG_WALL});
    if (status == TV_TRACE_OK) {
        handle_signals();
        taken_in = 0;
        set_hook(on_event);
        if (!tv_python_is_awaited()) /* the signal may have come before it was handled */
            (void)tv_recorder_stop(NULL);
    }
    return (int)status;
}

int tv_python_stop(void)
{
    if (!is_taken())
        set_hook(NULL);
    const enum tv_trace_status status = tv_recorder_stop(NULL);
    /* A signal may have ended it. */
    return (int)(status == TV_TRACE_NOT_STARTED ? TV_TRACE_OK : status);
}

/* The package calls a function many times without events and with them, before it starts. */
void tv_python_measure(int is_begin, unsigned ns)
{
    is_measuring = is_begin != 0;
    set_hook(is_begin ? on_event : NULL);
    if (!is_begin)
        tv_recorder_add_call_cost(ns);
}

/* The calls that are open in the frame begin here. */
void tv_python_begin_thread(const char *name, PyObject *frame)
{
    set_hook(on_event);
    if (name && *name)
        tv_recorder_name_thread(name);
    open_calls_of(frame);
}

PyObject *tv_python_run(PyObject *code, PyObject *globals)
{
    return PyEval_EvalCode(code, globals, globals);
}

const char *tv_python_status_text(int status)
{
    return tv_trace_status_text((enum tv_trace_status)status);
}
