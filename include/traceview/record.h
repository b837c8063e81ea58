/*
 * Method tracing for C and C++ programs: what Android's class Debug does for apps. Link with
 * -ltraceview-record, mark the scopes that matter, start and stop; docs/record.md has a tutorial.
 *
 * Every function may be called from any thread, also from signal handlers, and at any time. While
 * nothing is traced, a scope costs a load and a branch. Each thread records into memory of its own:
 * no lock, no allocation and, on Linux with glibc 2.35 or later on x86-64, no system call.
 *
 * The file is written when tracing stops, or the program ends by exit() or by leaving main(). A
 * program that ends by _exit(), abort() or a signal loses what is in memory: all of a buffered
 * trace, the last records of each thread of a streamed one. The child of a fork() does not trace
 * until it starts to, and leaves its parent's file alone. Compiles as C99 and C++11 with gcc and
 * clang. For C++ there are scopes that end by themselves in traceview/record.hpp.
 */
#ifndef TRACEVIEW_RECORD_H
#define TRACEVIEW_RECORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Flags of tv_start_method_tracing(), to be added up. Without a clock both are recorded. One clock
 * makes a file of version 2, both one of version 3; packets have versions 4 and 5. */
#define TV_TRACE_WALL_CLOCK 0x010u       /* time as it passes */
#define TV_TRACE_THREAD_CPU_CLOCK 0x100u /* time that the thread was running */
#define TV_TRACE_PACKETS 0x002u          /* Android's output version 2: smaller, in nanoseconds */
#define TV_TRACE_STREAMING 0x10000u      /* write the file while tracing: any length */

#define TV_TRACE_DEFAULT_BUFFER_SIZE (8u * 1024 * 1024)

enum tv_trace_status {
    TV_TRACE_OK,
    TV_TRACE_IN_PROGRESS,  /* a trace is being recorded, started or stopped: it goes on */
    TV_TRACE_NOT_STARTED,  /* no trace is being recorded */
    TV_TRACE_BAD_FLAGS,    /* a flag that is none of the above */
    TV_TRACE_BAD_INTERVAL, /* an interval of 0 */
    TV_TRACE_CANNOT_OPEN,  /* the file cannot be made; errno says why */
    TV_TRACE_CANNOT_WRITE, /* not all could be written; errno says why */
    TV_TRACE_NO_MEMORY
};

/* A status as a sentence in English, as Android says it where it does. */
const char *tv_trace_status_text(enum tv_trace_status status);

/*
 * Starts tracing all threads into the file `base`; ".trace" is appended when it is missing, and
 * NULL and "" mean "dmtrace". The file is made at once, and replaces what was there.
 *
 * buffer_size is memory for records in bytes, 16 for each; 0 means TV_TRACE_DEFAULT_BUFFER_SIZE,
 * and values below 64 KiB mean 64 KiB. When it is full, tracing stops, one line on standard error
 * says so, and the file has data-file-overflow=true. With TV_TRACE_STREAMING full parts of the
 * buffer go into the file instead, by the thread that filled them.
 *
 * Takes some milliseconds: the clocks are measured, and the cost of a call, which the file tells.
 */
enum tv_trace_status tv_start_method_tracing(const char *base, size_t buffer_size, unsigned flags);

/*
 * Starts tracing by samples: a thread of the library looks at the open calls of all threads every
 * interval_us microseconds, and records what has changed. Parameters are those of
 * tv_start_method_tracing. Cheaper for calls, which then only note that they are open; a call
 * between two looks is not seen, and two in a row look like one. Both clocks. The file has the
 * interval as a property, sampling-interval-usec.
 */
enum tv_trace_status tv_start_method_tracing_sampling(const char *base, size_t buffer_size,
                                                      unsigned interval_us);

/* Stops tracing and writes the file. Calls that are under way stay open in the trace. When
 * tracing stopped by itself, the file is written nevertheless. */
enum tv_trace_status tv_stop_method_tracing(void);

/* 1 while calls are recorded, else 0: also when the buffer is full. */
int tv_method_tracing_active(void);

/* Names the calling thread in this trace and later ones; at most 63 bytes, UTF-8, copied. Else it
 * has the name that pthread_setname_np() gave it, and the first thread is called "main". */
void tv_name_thread(const char *name);

/*
 * A method: what has calls. The texts are borrowed until the first call, then copied. Without a
 * class_name, the name's part before its last "." or "::" is one, else the source file without its
 * extension. Other members may be NULL, and line 0. A method must be static, zero in `number`, and
 * may be used by several threads.
 */
struct tv_method {
    const char *name;
    const char *class_name;
    const char *signature; /* like "(int)"; "()" when there is none */
    const char *file;
    int line;
    unsigned number; /* the library's */
};

/* The current place, with a name. */
#define TV_METHOD(name)                                                                            \
    {                                                                                              \
        (name), NULL, NULL, __FILE__, __LINE__, 0                                                  \
    }

/* What the inline functions below use. */
extern int tv_method_tracing_is_on;
unsigned tv_method_enter_traced(struct tv_method *method);
void tv_method_exit_traced(unsigned call);
void tv_method_unwind_traced(unsigned call);

#pragma GCC visibility pop

/* The functions here are no calls of a program that is compiled with -finstrument-functions. */
#define TV_TRACE_UNSEEN_ __attribute__((no_instrument_function))

/* Begins a call of the method, and returns what ends it: 0 when nothing is traced. Calls of a
 * thread must end in the reverse order in which they began. */
TV_TRACE_UNSEEN_ static inline unsigned tv_method_enter(struct tv_method *method)
{
    return __atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED)
               ? tv_method_enter_traced(method)
               : 0;
}

/* Ends a call that returns. */
TV_TRACE_UNSEEN_ static inline void tv_method_exit(unsigned call)
{
    if (call)
        tv_method_exit_traced(call);
}

/* Ends a call that an exception leaves. */
TV_TRACE_UNSEEN_ static inline void tv_method_unwind(unsigned call)
{
    if (call)
        tv_method_unwind_traced(call);
}

#ifdef __cplusplus
}
#else

TV_TRACE_UNSEEN_ static inline void tv_scope_end(const unsigned *call)
{
    tv_method_exit(*call);
}

#define TV_TRACE_JOIN_(a, b) a##b
#define TV_TRACE_JOIN(a, b) TV_TRACE_JOIN_(a, b)

/* A call from here to the end of the block, however that is left, but by longjmp(). The name must
 * be a string literal. A declaration: it cannot be the only statement behind an if. */
#define TV_TRACE_SCOPE(name) TV_TRACE_SCOPE_(name, __COUNTER__)
#define TV_TRACE_SCOPE_(name, number)                                                              \
    static struct tv_method TV_TRACE_JOIN(tv_method_at_, number) = TV_METHOD("" name);             \
    unsigned TV_TRACE_JOIN(tv_call_at_, number) __attribute__((cleanup(tv_scope_end), unused)) =   \
        tv_method_enter(&TV_TRACE_JOIN(tv_method_at_, number))

#endif

#endif
