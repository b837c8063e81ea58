/*
 * Recording by looking at the stacks of all threads at an interval, as Android's sampling does
 * (docs/formats/recording.md, "Instrumentation and sampling"). A thread of the agent looks.
 */
#ifndef TV_JVM_STACKS_H
#define TV_JVM_STACKS_H

#include <jvmti.h>
#include <stdbool.h>

#include "record/sampling.h"

/* Begins to look, once a recording with an interval is under way. */
bool tv_jvm_stacks_begin(JNIEnv *jni);
/* Returns when nobody looks any more; before the recording is stopped. Without `jni` Java code
 * cannot run any more. */
void tv_jvm_stacks_end(JNIEnv *jni);

/* A thread of Java begins. Any thread. */
void tv_jvm_stacks_thread_begins(void);
/* The calling thread, which is this one, is about to end. */
void tv_jvm_stacks_thread_ends(JNIEnv *jni, jthread thread);

/* What is on a thread's stack: the methods that are wanted, outermost first. */
void tv_jvm_stacks_view(JNIEnv *jni, const jvmtiStackInfo *stack, struct tv_stack_view *view);

#endif
