/*
 * Class traceview.Debug: its native methods.
 *
 * The methods mirror android.os.Debug, down to what is thrown and what is only said. The program's
 * call decides file, buffer, clocks and interval; what else the agent was loaded with (packages,
 * depth, way) stays, or comes from the program's property when the agent was not loaded with
 * options.
 */
#include <jni.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <traceview/record.h>

#include "jvm/agent.h"
#include "jvm/control.h"
#include "jvm/options.h"
#include "jvm/reply.h"

JNIEXPORT void JNICALL Java_traceview_Debug_start(JNIEnv *jni, jclass debug, jstring options,
                                                  jstring base, jint buffer_len, jint flags,
                                                  jint interval_us);
JNIEXPORT void JNICALL Java_traceview_Debug_stop(JNIEnv *jni, jclass debug);

static void throw_failure(JNIEnv *jni, const char *why)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/RuntimeException");
    if (class)
        (void)(*jni)->ThrowNew(jni, class, why);
}

/* As in Android: starting twice and stopping what does not run are only said, and any other failure
 * is thrown. */
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

/* Starts with the options that the agent was loaded with, or else those of the program's property,
 * and with what the call itself says. Options of a recording under way are not touched:
 * tv_jvm_start then says that there is one. */
static enum tv_jvm_reply start_by_program(JNIEnv *jni, jstring options, jstring base,
                                          const struct tv_jvm_options *wanted,
                                          char why[TV_JVM_WHY_CAP])
{
    static char text[TV_JVM_OPTIONS_CAP], name[PATH_MAX]; /* under the lock */
    copy_text(jni, options, text, sizeof(text));
    copy_text(jni, base, name, sizeof(name));
    if (!tv_jvm.jvmti)
        return TV_JVM_REPLY_NO_JVMTI;
    if (!tv_jvm_is_recording() && *text && !tv_jvm_options_parse(text, &tv_jvm.options, why))
        return TV_JVM_REPLY_BAD_OPTION;
    if (!tv_jvm_is_recording()) {
        tv_jvm.options.base = *name ? name : NULL;
        tv_jvm.options.is_exact = false;
        tv_jvm.options.is_streaming = wanted->is_streaming;
        tv_jvm.options.has_packets = wanted->has_packets;
        tv_jvm.options.has_wall = wanted->has_wall;
        tv_jvm.options.has_cpu = wanted->has_cpu;
        tv_jvm.options.buffer_len = wanted->buffer_len;
        tv_jvm.options.interval_us = wanted->interval_us;
    }
    return tv_jvm_start(jni, why);
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
    pthread_mutex_lock(&tv_jvm_lock);
    enum tv_jvm_reply reply = start_by_program(jni, options, base, &wanted, why);
    pthread_mutex_unlock(&tv_jvm_lock);
    tell(jni, reply, why);
}

JNIEXPORT void JNICALL Java_traceview_Debug_stop(JNIEnv *jni, jclass debug)
{
    char why[TV_JVM_WHY_CAP] = "";
    (void)debug;
    pthread_mutex_lock(&tv_jvm_lock);
    enum tv_jvm_reply reply = tv_jvm_stop(jni, why);
    pthread_mutex_unlock(&tv_jvm_lock);
    tell(jni, reply, why);
}
