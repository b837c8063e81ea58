/*
 * The agent in a virtual machine: by -agentpath, attached later, or loaded by class
 * traceview.Debug.
 *
 * Starting and stopping are one at a time. What a recording has begun is ended in the other order:
 * first no more calls are recorded, then the file is written, then classes get back what they had.
 */
#include "jvm/agent.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "jvm/events.h"
#include "jvm/machine.h"
#include "jvm/names.h"
#include "jvm/reply.h"
#include "jvm/rewrite.h"
#include "jvm/stacks.h"
#include "jvm/threads.h"
#include "record/calls.h"
#include "record/numbers.h"

#define SAY_CAP 1024u

JNIEXPORT void JNICALL Java_traceview_Debug_start(JNIEnv *jni, jclass debug, jstring options,
                                                  jstring base, jint buffer_len, jint flags,
                                                  jint interval_us);
JNIEXPORT void JNICALL Java_traceview_Debug_stop(JNIEnv *jni, jclass debug);
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

struct tv_jvm tv_jvm;

static struct tv_numbers numbers; /* by jmethodID, which is never another's in a process */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of starting and stopping */
/* How the recording under way sees calls. */
static enum { NONE, BY_EVENTS, BY_REWRITING, BY_STACKS } way;

void tv_jvm_say(const char *format, ...)
{
    char text[SAY_CAP];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "traceview: %s\n", text);
}

void tv_jvm_free(void *memory)
{
    if (memory)
        (void)(*tv_jvm.jvmti)->Deallocate(tv_jvm.jvmti, memory);
}

bool tv_jvm_clear(JNIEnv *jni)
{
    bool is_pending = (*jni)->ExceptionCheck(jni);
    if (is_pending)
        (*jni)->ExceptionClear(jni);
    return is_pending;
}

/*
 * Methods.
 */

/* The line of the first instruction; 0 when that is not known. */
static int first_line(jmethodID method)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetLineNumberTable(tv_jvm.jvmti, method, &count, &lines) !=
        JVMTI_ERROR_NONE)
        return 0;
    const jvmtiLineNumberEntry *first = count ? &lines[0] : NULL;
    for (jint i = 1; i < count; i++)
        first = lines[i].start_location < first->start_location ? &lines[i] : first;
    int line = first ? first->line_number : 0;
    tv_jvm_free(lines);
    return line;
}

static uint32_t number_in_class(jclass class, const char *class_name, size_t class_len,
                                jmethodID method)
{
    char *name = NULL, *signature = NULL, *file = NULL;
    uint32_t number = 0;
    (void)(*tv_jvm.jvmti)->GetSourceFileName(tv_jvm.jvmti, class, &file);
    if ((*tv_jvm.jvmti)->GetMethodName(tv_jvm.jvmti, method, &name, &signature, NULL) ==
        JVMTI_ERROR_NONE)
        number =
            tv_jvm_names_number(class_name, class_len, name, signature, file, first_line(method));
    tv_jvm_free(name);
    tv_jvm_free(signature);
    tv_jvm_free(file);
    return number;
}

static uint32_t describe(JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    jobject loader = NULL;
    char *descriptor = NULL;
    size_t len;
    uint32_t number = TV_JVM_UNWANTED;
    if ((*tv_jvm.jvmti)->GetMethodDeclaringClass(tv_jvm.jvmti, method, &class) != JVMTI_ERROR_NONE)
        return number;
    (void)(*tv_jvm.jvmti)->GetClassLoader(tv_jvm.jvmti, class, &loader);
    (void)(*tv_jvm.jvmti)->GetClassSignature(tv_jvm.jvmti, class, &descriptor, NULL);
    const char *name = descriptor ? tv_jvm_names_in_descriptor(descriptor, &len) : NULL;
    if (name && !tv_jvm_names_are_hidden(name, len) &&
        tv_jvm_options_want(&tv_jvm.options, name, len, loader == NULL))
        number = number_in_class(class, name, len, method);
    tv_jvm_free(descriptor);
    (*jni)->DeleteLocalRef(jni, loader);
    (*jni)->DeleteLocalRef(jni, class);
    return number;
}

uint32_t tv_jvm_number(JNIEnv *jni, jmethodID method)
{
    uint32_t number = tv_numbers_find(&numbers, (uintptr_t)method);
    if (TV_LIKELY(number != 0))
        return number;
    number = describe(jni, method);
    if (number)
        tv_numbers_keep(&numbers, (uintptr_t)method, number);
    return number;
}

/*
 * Starting and stopping; under the lock.
 */

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

/* Makes the calls of methods seen. */
static bool begin_way(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    const struct tv_jvm_options *options = &tv_jvm.options;
    if (options->interval_us) {
        way = BY_STACKS;
        return true; /* the thread that looks begins when there is something to look for */
    }
    if (options->mode != TV_JVM_EVENTS && tv_jvm.can_rewrite && tv_jvm_rewrite_has_jar()) {
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
    else if (!tv_jvm_events_turn(JVMTI_ENABLE))
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

static enum tv_trace_status start_recorder(void)
{
    const struct tv_jvm_options *options = &tv_jvm.options;
    char path[PATH_MAX];
    if (options->is_exact && strlen(options->base) < sizeof(path)) {
        memcpy(path, options->base, strlen(options->base) + 1);
    } else if (!tv_recorder_path(path, options->base)) {
        errno = ENAMETOOLONG;
        return TV_TRACE_CANNOT_OPEN;
    }
    return tv_recorder_start(&(struct tv_recorder_options){
        .path = path,
        .buffer_len = options->buffer_len,
        .format = options->has_packets ? TV_RECORD_PACKETS : TV_RECORD_TEXT,
        .is_streaming = options->is_streaming,
        .has_wall = options->has_wall,
        .has_cpu = options->has_cpu,
        .interval_us = options->interval_us,
        .is_watched = options->interval_us != 0});
}

/* Starts as tv_jvm.options say. errno tells more where the file cannot be made. */
static enum tv_jvm_reply start(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    uint32_t depth = tv_jvm.options.depth;
    tv_numbers_forget(&numbers); /* other methods may be wanted */
    tv_calls_prepare(depth && depth < TV_CALLS_MOST ? depth : TV_CALLS_MOST, tv_jvm_threads_begin);
    if (!begin_way(jni, why)) {
        end_way(jni);
        return TV_JVM_REPLY_NO_WAY;
    }
    if (!tv_jvm.options.interval_us && tv_jvm.can_tell_gc)
        tv_jvm_events_turn_gc(JVMTI_ENABLE);
    if (!tv_jvm.options.interval_us)
        tv_jvm_threads_turn(jni, JVMTI_ENABLE);
    enum tv_trace_status status = start_recorder();
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
        tv_jvm_machine_begin();
    }
    return reply_to(status);
}

/* Without `jni` Java code cannot run any more. */
static enum tv_jvm_reply stop(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    if (way == BY_STACKS)
        tv_jvm_stacks_end();
    tv_jvm_machine_end();
    enum tv_trace_status status = tv_recorder_stop(NULL);
    if (status != TV_TRACE_OK)
        (void)snprintf(why, TV_JVM_WHY_CAP, "%s", tv_trace_status_text(status));
    if (status != TV_TRACE_NOT_STARTED) {
        tv_jvm_events_turn_gc(JVMTI_DISABLE);
        tv_jvm_threads_turn(jni, JVMTI_DISABLE);
        end_way(jni);
    }
    return reply_to(status);
}

/* Starts as tv_jvm.options say, unless that is done. */
static enum tv_jvm_reply start_once(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    if (way == NONE)
        return start(jni, why);
    (void)snprintf(why, TV_JVM_WHY_CAP, "%s", tv_trace_status_text(TV_TRACE_IN_PROGRESS));
    return TV_JVM_REPLY_IN_PROGRESS;
}

static void say_why(const char *why)
{
    const char *base = tv_jvm.options.base;
    if (*why)
        tv_jvm_say("%s%s%s", base ? base : "", base ? ": " : "", why);
}

/* Starts or stops, as options say. */
static enum tv_jvm_reply obey(JNIEnv *jni, const char *text)
{
    static struct tv_jvm_options options; /* under the lock */
    char why[TV_JVM_WHY_CAP] = "";
    enum tv_jvm_reply reply = TV_JVM_REPLY_DONE;
    pthread_mutex_lock(&lock);
    if (!tv_jvm_options_parse(text, &options, why)) {
        tv_jvm_say("agent: %s: the program runs without being recorded", why);
        *why = '\0';
        reply = TV_JVM_REPLY_BAD_OPTION;
    } else if (options.command == TV_JVM_STOP) {
        reply = stop(jni, why);
    } else if (way == NONE) {
        (void)tv_jvm_options_parse(text, &tv_jvm.options, why);
    }
    if (reply == TV_JVM_REPLY_DONE && options.command == TV_JVM_START && tv_jvm.is_live)
        reply = start_once(jni, why);
    say_why(why);
    pthread_mutex_unlock(&lock);
    return reply;
}

/*
 * The virtual machine's life.
 */

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    char why[TV_JVM_WHY_CAP] = "";
    (void)jvmti;
    (void)thread;
    pthread_mutex_lock(&lock);
    tv_jvm.is_live = true;
    if (tv_jvm.options.command == TV_JVM_START)
        (void)start_once(jni, why);
    say_why(why);
    pthread_mutex_unlock(&lock);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    char why[TV_JVM_WHY_CAP] = "";
    (void)jvmti;
    (void)jni;
    pthread_mutex_lock(&lock);
    tv_jvm.is_live = false;
    if (way != NONE)
        (void)stop(NULL, why);
    say_why(why);
    pthread_mutex_unlock(&lock);
}

static void take_capabilities(void)
{
    jvmtiEnv *jvmti = tv_jvm.jvmti;
    jvmtiCapabilities there = {.can_tag_objects = 0}, wanted = {.can_tag_objects = 0};
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &there) != JVMTI_ERROR_NONE)
        return;
    wanted.can_get_source_file_name = there.can_get_source_file_name;
    wanted.can_get_line_numbers = there.can_get_line_numbers;
    wanted.can_get_thread_cpu_time = there.can_get_thread_cpu_time;
    wanted.can_generate_garbage_collection_events = there.can_generate_garbage_collection_events;
    tv_jvm_threads_want(&there, &wanted);
    wanted.can_retransform_classes = there.can_retransform_classes;
    wanted.can_generate_all_class_hook_events = there.can_generate_all_class_hook_events;
    tv_jvm.can_rewrite = there.can_retransform_classes;
    tv_jvm.can_tell_gc = there.can_generate_garbage_collection_events;
    /* Those slow a program down by being there. */
    if (tv_jvm.options.mode == TV_JVM_EVENTS ||
        (tv_jvm.options.mode == TV_JVM_BEST && !(tv_jvm.can_rewrite && tv_jvm_rewrite_has_jar()))) {
        wanted.can_generate_method_entry_events = there.can_generate_method_entry_events;
        wanted.can_generate_method_exit_events = there.can_generate_method_exit_events;
    }
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
        tv_jvm.can_rewrite = tv_jvm.can_tell_gc = false;
    else
        tv_jvm.can_tell_calls = wanted.can_generate_method_entry_events;
}

static void enable(jvmtiEvent event)
{
    (void)(*tv_jvm.jvmti)->SetEventNotificationMode(tv_jvm.jvmti, JVMTI_ENABLE, event, NULL);
}

/* Makes this library an agent of the virtual machine, once. */
static bool become_agent(JavaVM *vm)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init, .VMDeath = on_vm_death};
    if (tv_jvm.jvmti)
        return true;
    tv_jvm.vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&tv_jvm.jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        tv_jvm.jvmti = NULL;
        return false;
    }
    take_capabilities();
    tv_jvm_events_set(&callbacks);
    tv_jvm_rewrite_set(&callbacks);
    tv_jvm_threads_set(&callbacks);
    enable(JVMTI_EVENT_VM_INIT);
    enable(JVMTI_EVENT_VM_DEATH);
    return true;
}

/* An agent that fails here would end the program. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    if (tv_jvm.jvmti)
        tv_jvm_say("agent: it is named twice: what the second time asks for is ignored: %s",
                   text ? text : "");
    else if (obey(NULL, text) == TV_JVM_REPLY_DONE && !become_agent(vm))
        tv_jvm_say("this virtual machine has no JVMTI: the program runs without being recorded");
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    JNIEnv *jni;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK || !become_agent(vm))
        return TV_JVM_REPLY_NO_JVMTI;
    tv_jvm.is_live = true;
    return (jint)obey(jni, text);
}

/* The end of the virtual machine, should its death not have been told. */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    (void)tv_recorder_stop(NULL);
}

/*
 * Class traceview.Debug.
 */

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    if (become_agent(vm))
        tv_jvm.is_live = true;
    return JNI_VERSION_1_6;
}

static void throw_failure(JNIEnv *jni, const char *why)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/RuntimeException");
    if (class)
        (void)(*jni)->ThrowNew(jni, class, why);
}

/* What goes on in spite of a failure is told, as in Android; what does not is thrown. */
static void tell(JNIEnv *jni, enum tv_jvm_reply reply, const char *why)
{
    if (reply == TV_JVM_REPLY_IN_PROGRESS || reply == TV_JVM_REPLY_NOT_STARTED)
        tv_jvm_say("%s", why);
    else if (reply != TV_JVM_REPLY_DONE)
        throw_failure(jni, why);
}

/* Copies a string, or cuts it; "" for null. */
static void copy_text(JNIEnv *jni, jstring string, char *to, size_t cap)
{
    const char *text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
    (void)snprintf(to, cap, "%s", text ? text : "");
    if (text)
        (*jni)->ReleaseStringUTFChars(jni, string, text);
}

/* With the options that the agent was loaded with, or else those of the program's property. */
static enum tv_jvm_reply start_by_program(JNIEnv *jni, jstring options, jstring base,
                                          const struct tv_jvm_options *wanted,
                                          char why[TV_JVM_WHY_CAP])
{
    static char text[TV_JVM_OPTIONS_CAP], name[PATH_MAX]; /* under the lock */
    copy_text(jni, options, text, sizeof(text));
    copy_text(jni, base, name, sizeof(name));
    if (!tv_jvm.jvmti)
        return TV_JVM_REPLY_NO_JVMTI;
    if (way == NONE && *text && !tv_jvm_options_parse(text, &tv_jvm.options, why))
        return TV_JVM_REPLY_BAD_OPTION;
    if (way == NONE) {
        tv_jvm.options.base = *name ? name : NULL;
        tv_jvm.options.is_exact = false;
        tv_jvm.options.is_streaming = wanted->is_streaming;
        tv_jvm.options.has_packets = wanted->has_packets;
        tv_jvm.options.has_wall = wanted->has_wall;
        tv_jvm.options.has_cpu = wanted->has_cpu;
        tv_jvm.options.buffer_len = wanted->buffer_len;
        tv_jvm.options.interval_us = wanted->interval_us;
    }
    return start_once(jni, why);
}

JNIEXPORT void JNICALL Java_traceview_Debug_start(JNIEnv *jni, jclass debug, jstring options,
                                                  jstring base, jint buffer_len, jint flags,
                                                  jint interval_us)
{
    char why[TV_JVM_WHY_CAP] = "this virtual machine has no JVMTI";
    uint32_t bits = (uint32_t)flags;
    bool has_wall = bits & TV_TRACE_WALL_CLOCK;
    bool has_cpu = bits & TV_TRACE_THREAD_CPU_CLOCK;
    const struct tv_jvm_options wanted = {.buffer_len = buffer_len > 0 ? (size_t)buffer_len : 0,
                                          .is_streaming = bits & TV_TRACE_STREAMING,
                                          .has_packets = bits & TV_TRACE_PACKETS,
                                          .has_wall = has_wall && !has_cpu,
                                          .has_cpu = has_cpu && !has_wall,
                                          .interval_us = (uint32_t)interval_us};
    (void)debug;
    pthread_mutex_lock(&lock);
    enum tv_jvm_reply reply = start_by_program(jni, options, base, &wanted, why);
    pthread_mutex_unlock(&lock);
    tell(jni, reply, why);
}

JNIEXPORT void JNICALL Java_traceview_Debug_stop(JNIEnv *jni, jclass debug)
{
    char why[TV_JVM_WHY_CAP] = "";
    (void)debug;
    pthread_mutex_lock(&lock);
    enum tv_jvm_reply reply = stop(jni, why);
    pthread_mutex_unlock(&lock);
    tell(jni, reply, why);
}
