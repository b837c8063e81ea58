/* Methods of the program: their numbers in the recorder. */
#ifndef TV_JVM_METHODS_H
#define TV_JVM_METHODS_H

#include <jni.h>
#include <stdint.h>

/* The number of a method, the same in every way of recording; TV_JVM_UNWANTED for what is not to be
 * recorded, 0 without memory. Fast for a method that was asked for before. */
#define TV_JVM_UNWANTED UINT32_MAX
uint32_t tv_jvm_number(JNIEnv *jni, jmethodID method);

/* Forgets which methods are wanted: the next recording may want others. */
void tv_jvm_methods_forget(void);

#endif
