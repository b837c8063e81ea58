/*
 * Threads of the virtual machine itself: those that compile methods, and those that collect
 * garbage. Nothing tells what they do, so the kernel is asked for their CPU time every
 * TV_JVM_MACHINE_LOOK_MS. A thread that has taken some between two looks has a call, JVM.compiling
 * or JVM.collecting, for as long as each look finds more of it: its CPU time is exact, its begin
 * and end are those of looks.
 */
#ifndef TV_JVM_MACHINE_H
#define TV_JVM_MACHINE_H

#include <jni.h>

#define TV_JVM_MACHINE_LOOK_MS 10

/* Begins to look, where it can, at these threads and at pauses (safepoints.h). A recording is under
 * way. */
void tv_jvm_machine_begin(JNIEnv *jni);
/* Looks for the last time. Before the recording ends; also where nothing was begun. */
void tv_jvm_machine_end(JNIEnv *jni);

#endif
