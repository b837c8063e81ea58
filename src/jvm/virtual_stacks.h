/*
 * Looks at the stacks of virtual threads (Java 21). JVMTI lists no virtual threads, so the virtual
 * machine tells when a thread of the kernel takes one and leaves it (threads.h). Those that ran
 * since the last look are looked at; the stack of one that waits stays as it was seen.
 *
 * One that was carried before the recording began, and has not waited since, is not seen.
 */
#ifndef TV_JVM_VIRTUAL_STACKS_H
#define TV_JVM_VIRTUAL_STACKS_H

#include <jvmti.h>
#include <stdbool.h>

/* From here on, until the end, virtual threads are noted. */
void tv_jvm_virtual_begin(void);
/* By the thread that looks at stacks. Returns how many it looked at. */
unsigned tv_jvm_virtual_look(JNIEnv *jni);
/* When nobody looks any more. Without `jni` Java code cannot run any more. */
void tv_jvm_virtual_end(JNIEnv *jni);

bool tv_jvm_virtual_is_on(void);

/* The calling thread takes a virtual thread, or leaves it; or it ends. */
void tv_jvm_virtual_mounted(JNIEnv *jni, jthread thread);
void tv_jvm_virtual_unmounted(JNIEnv *jni, jthread thread);
void tv_jvm_virtual_ended(JNIEnv *jni, jthread thread);

#endif
