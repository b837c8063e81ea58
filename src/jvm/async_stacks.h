/*
 * Stacks of Java threads that run, taken where they run: a timer on each thread's CPU time
 * interrupts it, and the virtual machine follows the stack in the signal handler
 * (AsyncGetCallTrace of HotSpot, which no header declares). A stack that JVMTI gives is one of a
 * safepoint, and compiled loops have few of those: their time would be that of their callers.
 *
 * A place where the virtual machine cannot follow a stack, as the first instructions of a method,
 * makes a look that tells of the time alone.
 */
#ifndef TV_JVM_ASYNC_STACKS_H
#define TV_JVM_ASYNC_STACKS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds to `wanted` the capabilities that these stacks need, as far as they are `there`. Called
 * before the agent's events are set. */
void tv_jvm_async_want(const jvmtiCapabilities *there, jvmtiCapabilities *wanted);
void tv_jvm_async_set(jvmtiEventCallbacks *callbacks);

/* Begins, once a recording with an interval is under way. NULL: it has; else why there are no such
 * stacks: the virtual machine has none, or the system no timers. */
const char *tv_jvm_async_begin(JNIEnv *jni, uint64_t interval_ns);
void tv_jvm_async_end(void);

/* Gives timers to threads that are new, where there is a new one in Java, or the number of threads
 * has changed, which is returned. */
bool tv_jvm_async_time_threads(bool has_changed);

/* For how long the looks that threads take of themselves have room until they are taken: a handler
 * runs on each processor once in an interval at most. */
uint64_t tv_jvm_async_room_ns(void);

/* What handlers know a thread by; NULL: it has ended, or is not known. */
const void *tv_jvm_async_key(JNIEnv *jni, jthread thread);

/* A look that a thread took of itself. */
struct tv_jvm_async_look {
    const void *key;
    uint64_t ticks; /* wall time, as tv_recorder_ticks() */
    uint64_t cpu_ns;
    size_t depth; /* 0: the stack could not be followed */
    /* Innermost first; some methods may be NULL. A location below 0 is none of an instruction. */
    const jvmtiFrameInfo *frames;
};

/* Tells of all looks that are there, in the order of time. By one thread. */
void tv_jvm_async_take(void (*tell)(void *ctx, const struct tv_jvm_async_look *look), void *ctx);

#endif
