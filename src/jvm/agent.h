/*
 * The agent: what its parts share. A recording sees calls in one of three ways: events.h,
 * rewrite.h, stacks.h. All of it uses JVMTI and JNI alone.
 */
#ifndef TV_JVM_AGENT_H
#define TV_JVM_AGENT_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "jvm/options.h"

struct tv_jvm {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    struct tv_jvm_options options;
    bool is_live;        /* Java code can run */
    bool can_tell_calls; /* events of methods */
    bool can_rewrite;    /* classes */
    bool can_tell_gc;    /* events of garbage collections */
};

extern struct tv_jvm tv_jvm;

/* One line on standard error. */
void tv_jvm_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory that JVMTI gave; NULL is none. */
void tv_jvm_free(void *memory);

/* Turns an event of the virtual machine on or off; false: it has none. */
bool tv_jvm_turn(jvmtiEventMode mode, jvmtiEvent event);

/* A function of the virtual machine's own library, by its name; NULL: it has none. */
void *tv_jvm_symbol(const char *name);

/* Clears a pending exception. Returns whether there was one. */
bool tv_jvm_clear(JNIEnv *jni);

#endif
