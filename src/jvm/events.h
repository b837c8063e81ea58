/* Recording by events: the virtual machine tells of each begin and end of a method. */
#ifndef TV_JVM_EVENTS_H
#define TV_JVM_EVENTS_H

#include <jvmti.h>
#include <stdbool.h>

/* Names the events' functions. */
void tv_jvm_events_set(jvmtiEventCallbacks *callbacks);
/* Turns the events of methods on or off. */
bool tv_jvm_events_turn(jvmtiEventMode mode);
/* Turns them on, and measures what an enter and an exit cost beside their records. */
bool tv_jvm_events_begin(JNIEnv *jni);
/* Turns the events of pauses of the garbage collector on or off; pauses are calls of the thread
 * that collects. */
void tv_jvm_events_turn_gc(jvmtiEventMode mode);

#endif
