/*
 * Threads: their names, and virtual threads (Java 21), which the recorder knows as carried ones
 * (record/carried/carried.h).
 *
 * The virtual machine tells when a thread of the kernel takes a virtual one and leaves it, by
 * events that are HotSpot's own. All is looked up when it runs, since this is built with headers
 * that know nothing of virtual threads, too.
 */
#ifndef TV_JVM_THREADS_H
#define TV_JVM_THREADS_H

#include <jvmti.h>
#include <stdbool.h>

/* Adds to `wanted` what virtual threads need and `there` has. */
void tv_jvm_threads_want(const jvmtiCapabilities *there, jvmtiCapabilities *wanted);
/* Gives the virtual machine all functions of events: these, and those of threads. */
void tv_jvm_threads_set(const jvmtiEventCallbacks *callbacks);
/* Turns the events of threads on or off: of those that record calls, or of virtual threads whose
 * stacks are looked at. Without `jni` Java code cannot run any more. */
void tv_jvm_threads_turn(JNIEnv *jni, jvmtiEventMode mode);

/* The thread's name, or its number in Java where it has none; without what is added to it while it
 * runs a coroutine. False: it has ended. */
#define TV_JVM_THREAD_NAME_CAP 64u
bool tv_jvm_threads_name_of(JNIEnv *jni, jthread thread, char name[TV_JVM_THREAD_NAME_CAP]);

/* Whether the thread carries virtual ones, and does nothing else. */
bool tv_jvm_threads_is_carrier(JNIEnv *jni, jthread thread);

/* Is called before the calling thread's first call of a recording. */
void tv_jvm_threads_begin(void);

#endif
