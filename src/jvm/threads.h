/*
 * Threads: their names, and virtual threads (Java 21), which the recorder knows as carried ones
 * (record/carried.h).
 *
 * The virtual machine tells when a thread of the kernel takes a virtual one and leaves it, by
 * events that are HotSpot's own. All is looked up when it runs, since this is built with headers
 * that know nothing of virtual threads, too.
 */
#ifndef TV_JVM_THREADS_H
#define TV_JVM_THREADS_H

#include <jvmti.h>

/* Adds to `wanted` what virtual threads need and `there` has. */
void tv_jvm_threads_want(const jvmtiCapabilities *there, jvmtiCapabilities *wanted);
/* Gives the virtual machine all functions of events: these, and those of threads. */
void tv_jvm_threads_set(const jvmtiEventCallbacks *callbacks);
/* Turns the events of threads on or off. Without `jni` Java code cannot run any more. */
void tv_jvm_threads_turn(JNIEnv *jni, jvmtiEventMode mode);

/* Before the calling thread's first call of a recording. */
void tv_jvm_threads_begin(void);

#endif
