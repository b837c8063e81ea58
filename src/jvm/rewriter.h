/*
 * The rewriter of classes: traceview.jvm.Rewriter with ASM, in traceview-jvm.jar, which lies beside
 * this library, and the functions that rewritten methods call.
 */
#ifndef TV_JVM_REWRITER_H
#define TV_JVM_REWRITER_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "jvm/options.h"

#define TV_JVM_OBJECTS_MOST 64 /* local references of a step */

/* Whether the jar is there. */
bool tv_jvm_rewriter_has_jar(void);
/* Loads the rewriter, once. False: `why` tells in one line why it cannot be. */
bool tv_jvm_rewriter_prepare(JNIEnv *jni, char why[TV_JVM_WHY_CAP]);
/* The rewritten class, in memory of JVMTI; NULL where it stays as it is. An exception of Java may
 * be left. */
unsigned char *tv_jvm_rewriter_rewrite(JNIEnv *jni, const unsigned char *bytes, jint len,
                                       jint *new_len);
/* Begins to count, from 0, the methods that are not rewritten; returns the counter of trivial ones,
 * which grows while the recording lasts. */
const _Atomic uint32_t *tv_jvm_rewriter_begin_counts(void);
/* The methods since then that would be too large. */
uint32_t tv_jvm_rewriter_left_out(void);
/* Whether a loader is that of the rewriter, whose classes stay as they are. */
bool tv_jvm_rewriter_is_own(JNIEnv *jni, jobject loader);

#endif
