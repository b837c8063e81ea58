/*
 * Methods of the program; see jvm/methods.h.
 *
 * A method's number is looked up by its jmethodID without a lock (record/numbers.h). At its first
 * call it is described by asking JVMTI for class, name, signature, file and line; a method that the
 * options do not want gets TV_JVM_UNWANTED as its number, so that this is found out only once.
 * A line of a method is described as a method of its own, "name:17".
 */
#include "jvm/methods.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "jvm/agent.h"
#include "jvm/names.h"
#include "record/numbers.h"

static struct tv_key_numbers numbers; /* by jmethodID, which a process never uses for two methods */
static struct tv_key_numbers line_numbers; /* by jmethodID, and the instruction above it */

#define CLASSES_USUAL 60000 /* less than any virtual machine allows */
/* Addresses have 48 bits at most, and a method's instructions are counted by 16. */
#define BYTECODE_SHIFT 48u

/* The line of an instruction: that of the last entry at or before it, else of the first one. The
 * table of lines need not be in order. 0: not known. */
static int line_of(jmethodID method, jlocation bytecode)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetLineNumberTable(tv_jvm.jvmti, method, &count, &lines) !=
        JVMTI_ERROR_NONE)
        return 0;
    const jvmtiLineNumberEntry *found = count ? &lines[0] : NULL;
    for (jint i = 1; i < count; i++) {
        const jlocation start = lines[i].start_location;
        const bool is_later = start > found->start_location;
        if (found->start_location > bytecode ? !is_later : is_later && start <= bytecode)
            found = &lines[i];
    }
    int line = found ? found->line_number : 0;
    tv_jvm_free(lines);
    return line;
}

/* The number of a method, or of a line of it, unless that is 0. */
static uint32_t number_in_class(jclass class, const char *class_name, size_t class_len,
                                jmethodID method, int line)
{
    char with_line[TV_JVM_NAME_CAP];
    char *name = NULL, *signature = NULL, *file = NULL;
    uint32_t number = 0;
    (void)(*tv_jvm.jvmti)->GetSourceFileName(tv_jvm.jvmti, class, &file);
    if ((*tv_jvm.jvmti)->GetMethodName(tv_jvm.jvmti, method, &name, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        if (line)
            (void)snprintf(with_line, sizeof(with_line), "%s:%d", name, line);
        number = tv_jvm_names_number(class_name, class_len, line ? with_line : name, signature,
                                     file, line ? line : line_of(method, 0));
    }
    tv_jvm_free(name);
    tv_jvm_free(signature);
    tv_jvm_free(file);
    return number;
}

/* Methods of hidden classes and of classes that the options leave out are unwanted. */
static uint32_t describe(JNIEnv *jni, jmethodID method, int line)
{
    jclass class = NULL;
    jobject loader = NULL;
    char *descriptor = NULL;
    size_t len;
    uint32_t number = TV_JVM_UNWANTED;
    if ((*tv_jvm.jvmti)->GetMethodDeclaringClass(tv_jvm.jvmti, method, &class) != JVMTI_ERROR_NONE)
        return number;
    (void)(*tv_jvm.jvmti)->GetClassLoader(tv_jvm.jvmti, class, &loader);
    (void)(*tv_jvm.jvmti)->GetClassSignature(tv_jvm.jvmti, class, &descriptor, NULL);
    const char *name = descriptor ? tv_jvm_names_in_descriptor(descriptor, &len) : NULL;
    if (name && !tv_jvm_names_are_hidden(name, len) &&
        tv_jvm_options_want(&tv_jvm.options, name, len, loader == NULL))
        number = number_in_class(class, name, len, method, line);
    tv_jvm_free(descriptor);
    (*jni)->DeleteLocalRef(jni, loader);
    (*jni)->DeleteLocalRef(jni, class);
    return number;
}

static bool is_hidden(JNIEnv *jni, jclass one)
{
    char *descriptor = NULL;
    jobject loader = NULL;
    size_t len;
    if ((*tv_jvm.jvmti)->GetClassSignature(tv_jvm.jvmti, one, &descriptor, NULL) !=
        JVMTI_ERROR_NONE)
        return false;
    const char *name = tv_jvm_names_in_descriptor(descriptor, &len);
    bool is_hidden =
        name && tv_jvm_names_are_hidden(name, len) && !tv_jvm_names_are_of_lambda(name, len) &&
        (*tv_jvm.jvmti)->GetClassLoader(tv_jvm.jvmti, one, &loader) == JVMTI_ERROR_NONE && loader &&
        tv_jvm_options_want(&tv_jvm.options, name, len, false);
    if (jni)
        (*jni)->DeleteLocalRef(jni, loader);
    tv_jvm_free(descriptor);
    return is_hidden;
}

bool tv_jvm_methods_have_hidden(JNIEnv *jni)
{
    jclass *classes = NULL;
    jint count = 0;
    bool has = false;
    /* Without it -Xcheck:jni warns; where there is no memory for it, there is none to throw. */
    if (jni && (*jni)->EnsureLocalCapacity(jni, CLASSES_USUAL) != JNI_OK)
        (void)tv_jvm_clear(jni);
    if ((*tv_jvm.jvmti)->GetLoadedClasses(tv_jvm.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return false;
    for (jint i = 0; i < count; i++) {
        has = has || is_hidden(jni, classes[i]);
        if (jni)
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    tv_jvm_free(classes);
    return has;
}

uint32_t tv_jvm_number(JNIEnv *jni, jmethodID method)
{
    uint32_t number = tv_numbers_find(&numbers, (uintptr_t)method);
    if (TV_LIKELY(number != 0))
        return number;
    number = describe(jni, method, 0);
    if (number)
        tv_numbers_keep(&numbers, (uintptr_t)method, number);
    return number;
}

uint32_t tv_jvm_line_number(JNIEnv *jni, jmethodID method, jlocation bytecode)
{
    if (bytecode < 0 || bytecode > UINT16_MAX)
        return 0;
    const uintptr_t key = (uintptr_t)method | (uintptr_t)bytecode << BYTECODE_SHIFT;
    uint32_t number = tv_numbers_find(&line_numbers, key);
    if (number)
        return number;
    const int line = line_of(method, bytecode);
    number = line > 0 ? describe(jni, method, line) : TV_JVM_UNWANTED;
    if (number)
        tv_numbers_keep(&line_numbers, key, number);
    return number;
}

void tv_jvm_methods_forget(void)
{
    tv_numbers_forget(&numbers);
    tv_numbers_forget(&line_numbers);
}
