/*
 * Starting and stopping; see jvm/control.h. What a recording has begun is ended in the other order:
 * first no more calls are recorded, then the file is written, then classes get back what they had.
 *
 * There are three ways to see calls: rewriting classes, which is preferred; events of JVMTI, where
 * rewriting cannot be done; and looks at the stacks, when an interval was asked for. `way` and
 * tv_jvm.options are under tv_jvm_lock, which everybody holds who starts, stops or asks.
 */
#include "jvm/control.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "jvm/agent.h"
#include "jvm/allocations.h"
#include "jvm/events.h"
#include "jvm/machine.h"
#include "jvm/methods.h"
#include "jvm/rewrite.h"
#include "jvm/rewriter.h"
#include "jvm/stacks.h"
#include "jvm/threads.h"
#include "jvm/waits.h"
#include "record/calls.h"
#include "record/output.h"
#include "record/recorder.h"

#define PROGRAM_CAP 256u
#define LEFT_OUT_CAP 40u /* "boot, chosen, failed, hidden" */

pthread_mutex_t tv_jvm_lock = PTHREAD_MUTEX_INITIALIZER;
/* How the recording under way sees calls. */
static enum { NONE, BY_EVENTS, BY_REWRITING, BY_STACKS } way;

static enum tv_jvm_reply reply_to(enum tv_trace_status status)
{
    switch (status) {
    case TV_TRACE_OK:
        return TV_JVM_REPLY_DONE;
    case TV_TRACE_IN_PROGRESS:
        return TV_JVM_REPLY_IN_PROGRESS;
    case TV_TRACE_NOT_STARTED:
        return TV_JVM_REPLY_NOT_STARTED;
    case TV_TRACE_CANNOT_OPEN:
        return TV_JVM_REPLY_CANNOT_OPEN;
    case TV_TRACE_CANNOT_WRITE:
        return TV_JVM_REPLY_CANNOT_WRITE;
    case TV_TRACE_NO_MEMORY:
        return TV_JVM_REPLY_NO_MEMORY;
    case TV_TRACE_BAD_FLAGS:
    case TV_TRACE_BAD_INTERVAL:
        return TV_JVM_REPLY_BAD_OPTION;
    }
    return TV_JVM_REPLY_BAD_OPTION;
}

/* Chooses the way by which calls are seen, and begins it. With an interval there is nothing to
 * begin here: the thread that looks starts when the recorder has. */
static bool begin_way(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    const struct tv_jvm_options *options = &tv_jvm.options;
    if (options->interval_us) {
        way = BY_STACKS;
        return true; /* the thread that looks begins when there is something to look for */
    }
    if (options->mode != TV_JVM_EVENTS && tv_jvm.can_rewrite && tv_jvm_rewriter_has_jar()) {
        way = BY_REWRITING;
        return tv_jvm_rewrite_begin(jni, why);
    }
    way = BY_EVENTS;
    if (options->mode == TV_JVM_REWRITE)
        (void)snprintf(why, TV_JVM_WHY_CAP, "%s",
                       tv_jvm.can_rewrite ? "traceview-jvm.jar is not beside the agent's library"
                                          : "this virtual machine does not let classes be changed");
    else if (!tv_jvm.can_tell_calls)
        (void)snprintf(why, TV_JVM_WHY_CAP,
                       "mode=events has to be told when the program starts, by -agentpath");
    else if (!tv_jvm_events_begin(jni))
        (void)snprintf(why, TV_JVM_WHY_CAP, "this virtual machine tells of no calls");
    else
        return true;
    return false;
}

static void end_way(JNIEnv *jni)
{
    if (way == BY_EVENTS)
        (void)tv_jvm_events_turn(JVMTI_DISABLE);
    else if (way == BY_REWRITING && jni)
        tv_jvm_rewrite_end(jni);
    way = NONE;
}

/* A property of the main class or the jar that the virtual machine runs, without its arguments. */
static const char *program_name(char name[PROGRAM_CAP])
{
    char *command = NULL;
    if ((*tv_jvm.jvmti)->GetSystemProperty(tv_jvm.jvmti, "sun.java.command", &command) !=
        JVMTI_ERROR_NONE)
        return NULL;
    const size_t len = strcspn(command, " ");
    const char *from = command;
    for (size_t i = 0; i < len; i++) {
        if (command[i] == '/')
            from = command + i + 1;
    }
    (void)snprintf(name, PROGRAM_CAP, "java-program=%.*s", (int)(command + len - from), from);
    tv_jvm_free(command);
    return name;
}

static void add_word(char text[LEFT_OUT_CAP], bool has, const char *word)
{
    const size_t len = strlen(text);
    if (has)
        (void)snprintf(text + len, LEFT_OUT_CAP - len, "%s%s", len ? ", " : "", word);
}

/* A property of which classes are not recorded; NULL: all are. `is_over` where it is known which
 * could not be. */
static const char *classes_left_out(JNIEnv *jni, bool is_over)
{
    static char texts[2][LEFT_OUT_CAP]; /* the recorder has the first until it gets the second */
    const struct tv_jvm_options *options = &tv_jvm.options;
    char *text = texts[is_over];
    text[0] = '\0';
    add_word(text, !options->has_boot, "boot");
    add_word(text, options->only.count || options->skip.count, "chosen");
    add_word(text, is_over && way == BY_REWRITING && tv_jvm_rewrite_failed(), "failed");
    add_word(text, is_over && way != BY_STACKS && tv_jvm_methods_have_hidden(jni), "hidden");
    return text[0] ? text : NULL;
}

/* The path is chosen in one of three ways: of its own for each process, exactly as given, or as the
 * recorder of other programs makes it from what was given. */
static enum tv_trace_status start_recorder(const _Atomic uint32_t *skipped)
{
    const struct tv_jvm_options *options = &tv_jvm.options;
    char path[PATH_MAX], program[PROGRAM_CAP];
    if (options->is_for_each) {
        errno = tv_output_make_own(path, options->base);
        if (errno)
            return TV_TRACE_CANNOT_OPEN;
    } else if (options->is_exact && strlen(options->base) < sizeof(path)) {
        memcpy(path, options->base, strlen(options->base) + 1);
    } else if (!tv_recorder_path(path, options->base)) {
        errno = ENAMETOOLONG;
        return TV_TRACE_CANNOT_OPEN;
    }
    return tv_recorder_start(&(struct tv_recorder_options){
        .path = path,
        .buffer_len = options->buffer_len,
        .format = options->has_packets ? TV_RECORD_PACKETS : TV_RECORD_TEXT,
        .is_streaming = options->is_streaming && !options->is_ring,
        .is_ring = options->is_ring,
        .bytes = options->has_allocations ? tv_jvm_allocations() : NULL,
        .slow_ns = options->slow_ns,
        .slow_name = options->slow_name,
        .file_most = options->file_most,
        .awaited = options->awaited,
        .has_wall = options->has_wall,
        .has_cpu = options->has_cpu,
        .interval_us = options->interval_us,
        .is_by_events = way == BY_EVENTS,
        .skipped = options->skips_trivial ? skipped : NULL,
        .classes_left_out = classes_left_out(NULL, false),
        .program = options->is_for_each ? program_name(program) : NULL,
        .is_watched = options->interval_us != 0});
}

bool tv_jvm_is_recording(void)
{
    return way != NONE;
}

/* Starts as tv_jvm.options say. On a failure everything that was begun is ended again, and `why`
 * says what failed, with the system's error where the file cannot be made. */
static enum tv_jvm_reply start(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    uint32_t depth = tv_jvm.options.depth;
    tv_jvm_methods_forget(); /* other methods may be wanted */
    tv_calls_prepare(depth && depth < TV_CALLS_MOST ? depth : TV_CALLS_MOST, tv_jvm_threads_begin);
    const _Atomic uint32_t *skipped = tv_jvm_rewriter_begin_counts();
    if (!begin_way(jni, why)) {
        end_way(jni);
        return TV_JVM_REPLY_NO_WAY;
    }
    if (!tv_jvm.options.interval_us && tv_jvm.can_tell_gc)
        tv_jvm_events_turn_gc(JVMTI_ENABLE);
    if (!tv_jvm.options.interval_us)
        tv_jvm_threads_turn(jni, JVMTI_ENABLE);
    if (tv_jvm.options.has_waits && !tv_jvm.options.interval_us)
        tv_jvm_waits_turn(jni, JVMTI_ENABLE);
    if (tv_jvm.options.has_allocations && !tv_jvm_allocations_begin())
        tv_jvm_say("this virtual machine does not sample its heap: allocations are not counted");
    enum tv_trace_status status = start_recorder(skipped);
    int error = errno;
    if (status == TV_TRACE_OK && way == BY_STACKS && !tv_jvm_stacks_begin(jni)) {
        (void)tv_recorder_stop(NULL);
        status = TV_TRACE_NO_MEMORY;
        error = EAGAIN;
    }
    if (status != TV_TRACE_OK) {
        (void)snprintf(why, TV_JVM_WHY_CAP, "%s: %s", tv_trace_status_text(status),
                       strerror(error));
        end_way(jni);
    } else if (tv_jvm.options.has_machine) {
        tv_jvm_machine_begin(jni);
    }
    return reply_to(status);
}

enum tv_jvm_reply tv_jvm_stop(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    if (way == BY_STACKS)
        tv_jvm_stacks_end(jni);
    tv_jvm_machine_end(jni);
    if (tv_jvm.options.has_allocations)
        tv_jvm_allocations_end();
    if (way != NONE)
        tv_recorder_leave_out(classes_left_out(jni, true));
    enum tv_trace_status status = tv_recorder_stop(NULL);
    if (status != TV_TRACE_OK)
        (void)snprintf(why, TV_JVM_WHY_CAP, "%s", tv_trace_status_text(status));
    if (status != TV_TRACE_NOT_STARTED) {
        tv_jvm_events_turn_gc(JVMTI_DISABLE);
        tv_jvm_threads_turn(jni, JVMTI_DISABLE);
        tv_jvm_waits_turn(jni, JVMTI_DISABLE);
        end_way(jni);
    }
    return reply_to(status);
}

enum tv_jvm_reply tv_jvm_start(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    if (way == NONE)
        return start(jni, why);
    (void)snprintf(why, TV_JVM_WHY_CAP, "%s", tv_trace_status_text(TV_TRACE_IN_PROGRESS));
    return TV_JVM_REPLY_IN_PROGRESS;
}

void tv_jvm_say_why(const char *why)
{
    const char *base = tv_jvm.options.base;
    if (*why)
        tv_jvm_say("%s%s%s", base ? base : "", base ? ": " : "", why);
}

/* Ends a recording that nobody waits for, since `traceview record` was killed, before another. */
static void end_if_left(JNIEnv *jni, const struct tv_jvm_options *next)
{
    char why[TV_JVM_WHY_CAP] = "";
    if (next->command == TV_JVM_START && way != NONE &&
        !tv_output_is_awaited(tv_jvm.options.awaited))
        (void)tv_jvm_stop(jni, why);
    tv_jvm_say_why(why);
}

/* Obeys a text of options. They are read into a copy first: while a recording is under way its
 * options must stay as they are. */
enum tv_jvm_reply tv_jvm_obey(JNIEnv *jni, const char *text)
{
    static struct tv_jvm_options options; /* under the lock */
    char why[TV_JVM_WHY_CAP] = "";
    enum tv_jvm_reply reply = TV_JVM_REPLY_DONE;
    pthread_mutex_lock(&tv_jvm_lock);
    if (!tv_jvm_options_parse(text, &options, why)) {
        tv_jvm_say("agent: %s: the program runs without being recorded", why);
        *why = '\0';
        reply = TV_JVM_REPLY_BAD_OPTION;
    } else if (options.command == TV_JVM_STOP) {
        reply = tv_jvm_stop(jni, why);
    } else {
        end_if_left(jni, &options);
        if (way == NONE)
            (void)tv_jvm_options_parse(text, &tv_jvm.options, why);
    }
    if (reply == TV_JVM_REPLY_DONE && options.command == TV_JVM_START && tv_jvm.is_live)
        reply = tv_jvm_start(jni, why);
    tv_jvm_say_why(why);
    pthread_mutex_unlock(&tv_jvm_lock);
    return reply;
}
