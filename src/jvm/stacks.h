/*
 * Recording by looking at the stacks of all threads at an interval, as Android's sampling does
 * (docs/formats/recording.md, "Instrumentation and sampling"). A thread of the agent looks.
 */
#ifndef TV_JVM_STACKS_H
#define TV_JVM_STACKS_H

#include <jvmti.h>
#include <stdbool.h>

/* Begins to look, once a recording with an interval is under way. */
bool tv_jvm_stacks_begin(JNIEnv *jni);
/* Returns when nobody looks any more; before the recording is stopped. */
void tv_jvm_stacks_end(void);

#endif
