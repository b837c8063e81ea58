/*
 * Pauses of the whole program at safepoints: a row of their own, "Safepoints", with a call for
 * each, JVM.safepoint, whose callee is the virtual machine's operation; before it stands
 * JVM.reachingSafepoint, the time until the last thread had stopped.
 *
 * JVMTI has no event for them. HotSpot's log has, and a running program's log is turned on by the
 * command that `jcmd PID VM.log` gives. It is written into memory that a descriptor names, and read
 * by the thread that looks (machine.h).
 */
#ifndef TV_JVM_SAFEPOINTS_H
#define TV_JVM_SAFEPOINTS_H

#include <jni.h>

/* Turns the log on. A recording is under way; nobody looks yet. Where it cannot be turned on, one
 * line says so. */
void tv_jvm_safepoints_begin(JNIEnv *jni);
/* Records the pauses that have ended since the last look. One thread. */
void tv_jvm_safepoints_look(void);
/* Looks for the last time and turns the log off; without `jni` the virtual machine ends, and the
 * log with it. Nobody looks any more; also where nothing was begun. */
void tv_jvm_safepoints_end(JNIEnv *jni);

#endif
