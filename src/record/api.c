/*
 * The C API: include/traceview/record.h.
 *
 * Tracing is started and stopped by the recorder (recorder.c), and each enter and exit is one
 * record. A method is described to the recorder at its first call; after that its number stands in
 * the program's own struct tv_method, so that later calls cost no lookup. What is on and what is
 * off is one int, tv_method_tracing_is_on, which the macros of the header test before they call
 * into this file.
 */
#include <traceview/record.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "record/recorder.h"

#define DEFAULT_BASE "dmtrace"
#define EXTENSION ".trace"
#define KNOWN_FLAGS                                                                                \
    (TV_TRACE_WALL_CLOCK | TV_TRACE_THREAD_CPU_CLOCK | TV_TRACE_PACKETS | TV_TRACE_STREAMING)

const char *tv_trace_status_text(enum tv_trace_status status)
{
    switch (status) {
    case TV_TRACE_OK:
        return "no error";
    case TV_TRACE_IN_PROGRESS:
        return "Trace already in progress, ignoring this request";
    case TV_TRACE_NOT_STARTED:
        return "Trace stop requested, but no trace currently running";
    case TV_TRACE_BAD_FLAGS:
        return "Unknown flags for tracing";
    case TV_TRACE_BAD_INTERVAL:
        return "The sampling interval must be positive";
    case TV_TRACE_CANNOT_OPEN:
        return "Unable to open trace file";
    case TV_TRACE_CANNOT_WRITE:
        return "Trace data write failed";
    case TV_TRACE_NO_MEMORY:
        return "No memory for the trace buffer";
    }
    return "unknown status";
}

bool tv_recorder_path(char path[PATH_MAX], const char *base)
{
    if (!base || !*base)
        base = DEFAULT_BASE;
    size_t len = strlen(base);
    size_t end = strlen(EXTENSION);
    bool has_extension = len >= end && strcmp(base + len - end, EXTENSION) == 0;
    if (len + (has_extension ? 0 : end) >= PATH_MAX)
        return false;
    memcpy(path, base, len + 1);
    if (!has_extension)
        memcpy(path + len, EXTENSION, end + 1);
    return true;
}

/* Starts with these options, into the file of this name. */
static enum tv_trace_status start(const char *base, struct tv_recorder_options options)
{
    char path[PATH_MAX];
    if (!tv_recorder_path(path, base)) {
        errno = ENAMETOOLONG;
        return TV_TRACE_CANNOT_OPEN;
    }
    options.path = path;
    return tv_recorder_start(&options);
}

enum tv_trace_status tv_start_method_tracing(const char *base, size_t buffer_size, unsigned flags)
{
    if (flags & ~KNOWN_FLAGS)
        return TV_TRACE_BAD_FLAGS;
    return start(base, (struct tv_recorder_options){
                           .buffer_len = buffer_size,
                           .format = flags & TV_TRACE_PACKETS ? TV_RECORD_PACKETS : TV_RECORD_TEXT,
                           .is_streaming = (flags & TV_TRACE_STREAMING) != 0,
                           .has_wall = (flags & TV_TRACE_WALL_CLOCK) != 0,
                           .has_cpu = (flags & TV_TRACE_THREAD_CPU_CLOCK) != 0});
}

enum tv_trace_status tv_start_method_tracing_sampling(const char *base, size_t buffer_size,
                                                      unsigned interval_us)
{
    if (!interval_us)
        return TV_TRACE_BAD_INTERVAL;
    return start(
        base, (struct tv_recorder_options){.buffer_len = buffer_size, .interval_us = interval_us});
}

enum tv_trace_status tv_stop_method_tracing(void)
{
    return tv_recorder_stop(NULL);
}

int tv_method_tracing_active(void)
{
    return __atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED);
}

void tv_name_thread(const char *name)
{
    tv_recorder_name_thread(name);
}

/* The method's number, described at its first call. No lock: threads that come here at the same
 * time each ask the recorder, which gives the same text the same number. 0: no memory. */
static uint32_t number_of(struct tv_method *method)
{
    uint32_t number = __atomic_load_n(&method->number, __ATOMIC_RELAXED);
    if (number)
        return number;
    number = tv_recorder_method(&(struct tv_method_text){.class_name = method->class_name,
                                                         .name = method->name,
                                                         .signature = method->signature,
                                                         .file = method->file,
                                                         .line = method->line});
    __atomic_store_n(&method->number, number, __ATOMIC_RELAXED);
    return number;
}

unsigned tv_method_enter_traced(struct tv_method *method)
{
    uint32_t number = number_of(method);
    if (number)
        tv_recorder_put(tv_recorder_word(number, TV_RECORDER_ENTER));
    return number;
}

void tv_method_exit_traced(unsigned call)
{
    tv_recorder_put(tv_recorder_word(call, TV_RECORDER_EXIT));
}

void tv_method_unwind_traced(unsigned call)
{
    tv_recorder_put(tv_recorder_word(call, TV_RECORDER_UNWIND));
}
