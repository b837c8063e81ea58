/* Methods of the program: their numbers in the recorder. */
#ifndef TV_JVM_METHODS_H
#define TV_JVM_METHODS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* The number of a method, the same in every way of recording; TV_JVM_UNWANTED for what is not to be
 * recorded, 0 without memory. Fast for a method that was asked for before. */
#define TV_JVM_UNWANTED UINT32_MAX
uint32_t tv_jvm_number(JNIEnv *jni, jmethodID method);
/* Whether a hidden class is loaded that is none of a lambda or of the virtual machine, and that the
 * options would have recorded. `jni` may be NULL where the virtual machine ends, and what refers to
 * the classes with it. */
bool tv_jvm_methods_have_hidden(JNIEnv *jni);

/* The number of the line that an instruction of the method is of, as of a method of its own, whose
 * name ends with ":" and the line. As above; TV_JVM_UNWANTED also where the line is not known, 0
 * where there is no such instruction, as in native code. */
uint32_t tv_jvm_line_number(JNIEnv *jni, jmethodID method, jlocation bytecode);

/* Forgets which methods are wanted: the next recording may want others. */
void tv_jvm_methods_forget(void);

#endif
