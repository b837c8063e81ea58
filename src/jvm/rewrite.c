/*
 * Recording by rewriting: which classes are rewritten, and when; see jvm/rewrite.h.
 *
 * Classes that are loaded while recording is on pass on_class, which has them rewritten
 * (rewriter.c). Classes that are there already are retransformed at the start, which sends them
 * through on_class as well; at the end they are retransformed once more with is_on off, and so get
 * back the code that they had. A class that cannot be rewritten stays as it is and is counted.
 */
#include "jvm/rewrite.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "jvm/agent.h"
#include "jvm/names.h"
#include "jvm/rewriter.h"
#include "jvm/waits.h"

#define CLASSES_USUAL 60000 /* less than any virtual machine allows */

static _Atomic bool is_on;
static _Atomic uint32_t failed; /* classes that stay as they are */
static _Thread_local bool is_busy;

/*
 * Classes that are loaded.
 */

/* Whether the calls of a class are recorded, or the class tells what parks threads. */
static bool is_of_interest(const char *name, size_t len, bool is_boot)
{
    return tv_jvm_options_want(&tv_jvm.options, name, len, is_boot) ||
           (tv_jvm.options.has_waits && is_boot && len == strlen(TV_JVM_WAITS_PARKS) &&
            memcmp(name, TV_JVM_WAITS_PARKS, len) == 0);
}

/* The event that a class is being loaded, or retransformed. The rewriter is itself Java: classes
 * that it loads while it works on this thread come here again, and is_busy lets them pass
 * unchanged. */
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len, const unsigned char *bytes,
                             jint *new_len, unsigned char **new_bytes)
{
    (void)jvmti;
    (void)redefined;
    (void)domain;
    if (!atomic_load_explicit(&is_on, memory_order_acquire) || is_busy || !name ||
        !is_of_interest(name, strlen(name), loader == NULL) || tv_jvm_rewriter_is_own(jni, loader))
        return;
    is_busy = true;
    if ((*jni)->PushLocalFrame(jni, TV_JVM_OBJECTS_MOST) == 0) {
        *new_bytes = tv_jvm_rewriter_rewrite(jni, bytes, len, new_len);
        if (!*new_bytes && atomic_fetch_add(&failed, 1) == 0)
            tv_jvm_say("%s: the class cannot be rewritten: its methods are not recorded", name);
        (void)tv_jvm_clear(jni);
        (*jni)->PopLocalFrame(jni, NULL);
    } else {
        (void)tv_jvm_clear(jni);
    }
    is_busy = false;
}

void tv_jvm_rewrite_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->ClassFileLoadHook = on_class;
}

/*
 * Classes that are there.
 */

static bool is_wanted(JNIEnv *jni, jclass one)
{
    jboolean is_modifiable = JNI_FALSE;
    jobject loader = NULL;
    char *descriptor = NULL;
    size_t len;
    if ((*tv_jvm.jvmti)->IsModifiableClass(tv_jvm.jvmti, one, &is_modifiable) != JVMTI_ERROR_NONE ||
        !is_modifiable ||
        (*tv_jvm.jvmti)->GetClassSignature(tv_jvm.jvmti, one, &descriptor, NULL) !=
            JVMTI_ERROR_NONE)
        return false;
    const char *name = tv_jvm_names_in_descriptor(descriptor, &len);
    bool is_known = (*tv_jvm.jvmti)->GetClassLoader(tv_jvm.jvmti, one, &loader) == JVMTI_ERROR_NONE;
    bool is_wanted = name && is_known && is_of_interest(name, len, loader == NULL) &&
                     !tv_jvm_rewriter_is_own(jni, loader);
    (*jni)->DeleteLocalRef(jni, loader);
    tv_jvm_free(descriptor);
    return is_wanted;
}

/* Sends the wanted ones of the loaded classes through on_class again. When one class of a batch
 * cannot be retransformed, none of the batch is, so then each goes alone. */
static void renew_classes(JNIEnv *jni)
{
    jclass *classes = NULL;
    jint count = 0, wanted = 0;
    (void)(*jni)->EnsureLocalCapacity(jni, CLASSES_USUAL); /* else -Xcheck:jni warns */
    if ((*tv_jvm.jvmti)->GetLoadedClasses(tv_jvm.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (is_wanted(jni, classes[i]))
            classes[wanted++] = classes[i];
        else
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    if (wanted &&
        (*tv_jvm.jvmti)->RetransformClasses(tv_jvm.jvmti, wanted, classes) != JVMTI_ERROR_NONE) {
        for (jint i = 0; i < wanted; i++)
            (void)(*tv_jvm.jvmti)->RetransformClasses(tv_jvm.jvmti, 1, &classes[i]);
    }
    for (jint i = 0; i < wanted; i++)
        (*jni)->DeleteLocalRef(jni, classes[i]);
    tv_jvm_free(classes);
    (void)tv_jvm_clear(jni);
}

uint32_t tv_jvm_rewrite_failed(void)
{
    return atomic_load(&failed) + tv_jvm_rewriter_left_out();
}

static bool turn(jvmtiEventMode mode)
{
    return tv_jvm_turn(mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
}

/* is_on is set before events are enabled: a class that is loaded in between then is rewritten, too.
 */
bool tv_jvm_rewrite_begin(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    if (!tv_jvm_rewriter_prepare(jni, why))
        return false;
    atomic_store(&failed, 0);
    atomic_store_explicit(&is_on, true, memory_order_release);
    if (!turn(JVMTI_ENABLE)) {
        atomic_store(&is_on, false);
        (void)snprintf(why, TV_JVM_WHY_CAP, "this virtual machine does not let classes be changed");
        return false;
    }
    renew_classes(jni);
    return true;
}

void tv_jvm_rewrite_end(JNIEnv *jni)
{
    uint32_t count = atomic_load(&failed);
    if (count > 1)
        tv_jvm_say("%u classes in all could not be rewritten", (unsigned)count);
    count = tv_jvm_rewriter_left_out();
    if (count > 1)
        tv_jvm_say("%u methods in all would be too large", (unsigned)count);
    atomic_store(&is_on, false);
    renew_classes(jni);
    (void)turn(JVMTI_DISABLE);
}
