/*
 * The recording under way; see record/session.h.
 *
 * The few variables that the recorder's parts share. tv_method_tracing_is_on is what programs test;
 * tv_hot.session is what the hot path tests; tv_current and the list of threads are under the lock
 * of cold.h, and tv_self is each thread's own. A recording that overflows or fails is halted here;
 * its file is finished by whoever stops it later.
 */
#include "record/session.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <traceview/record.h>

int tv_method_tracing_is_on;

_Thread_local struct tv_thread tv_self __attribute__((tls_model("initial-exec")));
struct tv_hot tv_hot = {.session = TV_NO_SESSION};
_Atomic uint32_t tv_recorder_session_now = TV_NO_SESSION;
struct tv_recording tv_current;
struct tv_thread *tv_threads;

static void say(const char *text)
{
    /* A message that cannot be written is dropped. */
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

void tv_session_halt(void)
{
    __atomic_store_n(&tv_method_tracing_is_on, 0, __ATOMIC_RELAXED);
    atomic_store_explicit(&tv_recorder_session_now, TV_NO_SESSION, memory_order_relaxed);
    atomic_store_explicit(&tv_hot.session, TV_NO_SESSION, memory_order_seq_cst);
}

static void write_reason(char *text, size_t cap, enum tv_recording_stop why)
{
    switch (why) {
    case TV_RECORDING_NOT_STOPPED:
        text[0] = '\0';
        break;
    case TV_RECORDING_BUFFER_FULL:
        (void)snprintf(text, cap,
                       "traceview: the trace buffer (%zu bytes) is full: tracing stopped\n",
                       tv_current.pool.len);
        break;
    case TV_RECORDING_AT_LIMIT:
        (void)snprintf(text, cap,
                       "traceview: %s: it has %llu bytes, and may have %llu: tracing stopped\n",
                       tv_current.output.path, (unsigned long long)tv_current.output.written,
                       (unsigned long long)tv_current.file_most);
        break;
    case TV_RECORDING_LEFT:
        (void)snprintf(text, cap, "traceview: %s: traceview record was killed: tracing stopped\n",
                       tv_current.output.path);
        break;
    }
}

void tv_session_stop_early(enum tv_recording_stop why)
{
    char text[PATH_MAX + 128];
    if (tv_current.stop)
        return;
    tv_current.stop = why;
    tv_session_halt();
    write_reason(text, sizeof(text), why);
    say(text);
}

void tv_session_fail(void)
{
    char text[PATH_MAX + 128];
    tv_session_halt();
    if (tv_current.is_failure_told)
        return;
    tv_current.is_failure_told = true;
    (void)snprintf(text, sizeof(text), "traceview: %s: %s: tracing stopped\n",
                   tv_current.output.path, strerror(tv_current.output.error));
    say(text);
}

bool tv_session_is_own(void)
{
    return getpid() == tv_current.pid;
}
