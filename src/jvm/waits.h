/*
 * What threads wait for, and who has it: a monitor, Object.wait, or what parks a thread. A wait is
 * a call of class JVM with a call in it that names the class of the object and, where it has one,
 * its owner. Only where the option `waits` asks for it.
 */
#ifndef TV_JVM_WAITS_H
#define TV_JVM_WAITS_H

#include <jvmti.h>
#include <stddef.h>

/* The class whose methods park threads, as class files spell it. */
#define TV_JVM_WAITS_PARKS "java/util/concurrent/locks/LockSupport"

/* Names the events' functions. */
void tv_jvm_waits_set(jvmtiEventCallbacks *callbacks);
/* Turns the events of monitors on or off. */
void tv_jvm_waits_turn(JNIEnv *jni, jvmtiEventMode mode);
/* The calling thread parks, for this object or NULL, and goes on: told by LockSupport. */
void tv_jvm_waits_park(JNIEnv *jni, jobject blocker);
void tv_jvm_waits_unpark(void);

#endif
