/* Starting and stopping, one at a time. */
#ifndef TV_JVM_CONTROL_H
#define TV_JVM_CONTROL_H

#include <jni.h>
#include <pthread.h>
#include <stdbool.h>

#include "jvm/options.h"
#include "jvm/reply.h"

extern pthread_mutex_t tv_jvm_lock;

/* Starts or stops, as options say. */
enum tv_jvm_reply tv_jvm_obey(JNIEnv *jni, const char *text);

/*
 * Under the lock.
 */

bool tv_jvm_is_recording(void);
/* Starts as tv_jvm.options say, unless that is done. */
enum tv_jvm_reply tv_jvm_start(JNIEnv *jni, char why[TV_JVM_WHY_CAP]);
/* Without `jni` Java code cannot run any more. */
enum tv_jvm_reply tv_jvm_stop(JNIEnv *jni, char why[TV_JVM_WHY_CAP]);
/* One line on standard error, unless `why` is "". */
void tv_jvm_say_why(const char *why);

#endif
