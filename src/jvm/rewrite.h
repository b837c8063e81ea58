/*
 * Recording by rewriting: methods of loaded and loading classes get calls into the recorder at
 * their begin and ends (rewriter.h). Compiled code stays compiled.
 */
#ifndef TV_JVM_REWRITE_H
#define TV_JVM_REWRITE_H

#include <jvmti.h>
#include <stdbool.h>

#include "jvm/options.h"

/* Names the event's function. */
void tv_jvm_rewrite_set(jvmtiEventCallbacks *callbacks);
/* Rewrites the classes that are loaded, and from here on those that will be. */
bool tv_jvm_rewrite_begin(JNIEnv *jni, char why[TV_JVM_WHY_CAP]);
/* Classes, and methods of others, of this recording that could not be rewritten. */
uint32_t tv_jvm_rewrite_failed(void);
/* Gives the classes back what they had. */
void tv_jvm_rewrite_end(JNIEnv *jni);

#endif
