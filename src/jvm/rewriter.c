/*
 * The rewriter, and the class that rewritten methods call; see jvm/rewriter.h.
 *
 * A rewritten method calls a class in java.lang that is made at run time and defined by the boot
 * loader: every class sees it, whichever loader it has and whichever module it is in. ASM and the
 * rewriter have a loader of their own, so that the program may have another ASM. Everything is
 * prepared once per virtual machine, under tv_jvm_lock, and stays.
 */
#include "jvm/rewriter.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "jvm/agent.h"
#include "jvm/names.h"
#include "jvm/waits.h"
#include "record/calls.h"
#include "record/ticks.h"

#define JAR "traceview-jvm.jar"
#define INSIDE_JAR "traceview-jvm-inside.jar" /* without ASM: for the copy inside of JDKs */
#define INSIDE "jdk.internal.org.objectweb.asm"
#define INSIDE_FIRST 15 /* the oldest JDK whose copy is new enough, and the newest that has one */
#define INSIDE_LAST 23
#define REWRITER "traceview.jvm.Rewriter"
#define BINDING REWRITER "$Binding"
#define CALLS "java/lang/TraceviewCalls"
#define MEASURE_ROUNDS 20u
#define MEASURE_CALLS 5000

/* What preparing finds, and keeps for the life of the virtual machine. */
static jclass rewriter; /* NULL: not prepared */
static jmethodID rewrite;
static jobject own_loader;
static bool is_calls_defined;

/* The native methods of the class that rewritten methods call. They run on the program's threads.
 */

static void JNICALL enter(JNIEnv *jni, jclass calls, jint number)
{
    (void)jni;
    (void)calls;
    if (tv_calls_are_on())
        tv_calls_enter((uint32_t)number);
}

static void JNICALL leave(JNIEnv *jni, jclass calls, jint number)
{
    (void)jni;
    (void)calls;
    if (tv_calls_are_on())
        tv_calls_leave((uint32_t)number, TV_RECORDER_EXIT);
}

static void JNICALL unwind(JNIEnv *jni, jclass calls, jint number)
{
    (void)jni;
    (void)calls;
    if (tv_calls_are_on())
        tv_calls_leave((uint32_t)number, TV_RECORDER_UNWIND);
}

/* A method has caught an exception. The calls above it ended without calling `leave`, so they are
 * closed. */
static void JNICALL caught(JNIEnv *jni, jclass calls, jint number)
{
    (void)jni;
    (void)calls;
    if (tv_calls_are_on())
        (void)tv_calls_unwind_above((uint32_t)number);
}

/* A method of LockSupport begins, and ends. */
static void JNICALL park(JNIEnv *jni, jclass calls, jobject blocker)
{
    (void)calls;
    tv_jvm_waits_park(jni, blocker);
}

static void JNICALL unpark(JNIEnv *jni, jclass calls, jint number)
{
    (void)jni;
    (void)calls;
    (void)number;
    tv_jvm_waits_unpark();
}

/* The native method that the rewriter calls. */

static const char *text_of(JNIEnv *jni, jstring string)
{
    return string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
}

static void release_text(JNIEnv *jni, jstring string, const char *text)
{
    if (text)
        (*jni)->ReleaseStringUTFChars(jni, string, text);
}

/* The number of a method that is being rewritten, which its calls get as a constant. 0: no memory.
 */
static jint JNICALL number_of(JNIEnv *jni, jclass caller, jstring class_name, jstring name,
                              jstring signature, jstring file, jint line)
{
    (void)caller;
    const char *texts[] = {text_of(jni, class_name), text_of(jni, name), text_of(jni, signature),
                           text_of(jni, file)};
    uint32_t number = 0;
    if (texts[0] && texts[1] && texts[2])
        number =
            tv_jvm_names_number(texts[0], strlen(texts[0]), texts[1], texts[2], texts[3], line);
    release_text(jni, class_name, texts[0]);
    release_text(jni, name, texts[1]);
    release_text(jni, signature, texts[2]);
    release_text(jni, file, texts[3]);
    return (jint)number;
}

static _Atomic uint32_t skipped; /* methods of this recording; a class may be rewritten twice */

static void JNICALL skip(JNIEnv *jni, jclass caller)
{
    (void)jni;
    (void)caller;
    atomic_fetch_add(&skipped, 1);
}

static _Atomic uint32_t left_out; /* methods of this recording that would be too large */

static void JNICALL leave_out(JNIEnv *jni, jclass caller, jstring class_name, jstring name)
{
    (void)caller;
    const char *texts[] = {text_of(jni, class_name), text_of(jni, name)};
    if (atomic_fetch_add(&left_out, 1) == 0 && texts[0] && texts[1])
        tv_jvm_say("%s.%s: the method would be too large: it is not recorded", texts[0], texts[1]);
    release_text(jni, class_name, texts[0]);
    release_text(jni, name, texts[1]);
}

uint32_t tv_jvm_rewriter_left_out(void)
{
    return atomic_load(&left_out);
}

const _Atomic uint32_t *tv_jvm_rewriter_begin_counts(void)
{
    atomic_store(&left_out, 0);
    atomic_store(&skipped, 0);
    return &skipped;
}

/*
 * Preparing, once.
 */

/* The object that a call into Java returned; NULL where the call threw. */
static jobject given(JNIEnv *jni, jobject object)
{
    return (*jni)->ExceptionCheck(jni) ? NULL : object;
}

/* Whether this virtual machine has a copy of ASM inside. */
static bool has_inside(void)
{
    char *version = NULL;
    if ((*tv_jvm.jvmti)
            ->GetSystemProperty(tv_jvm.jvmti, "java.vm.specification.version", &version) !=
        JVMTI_ERROR_NONE)
        return false;
    const long number = strtol(version, NULL, 10);
    tv_jvm_free(version);
    return number >= INSIDE_FIRST && number <= INSIDE_LAST;
}

/* A jar stands beside this library's file, wherever that is. */
static bool find_beside(char path[PATH_MAX], const char *name)
{
    Dl_info there;
    if (!dladdr(&rewriter, &there) || !there.dli_fname || !realpath(there.dli_fname, path))
        return false;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= PATH_MAX)
        return false;
    memcpy(slash + 1, name, strlen(name) + 1);
    return access(path, R_OK) == 0;
}

/* Finds the jar with ASM inside, or else, where the virtual machine has a copy of ASM, the jar
 * without. */
static bool find_jar(char path[PATH_MAX])
{
    return find_beside(path, JAR) || (has_inside() && find_beside(path, INSIDE_JAR));
}

bool tv_jvm_rewriter_has_jar(void)
{
    char path[PATH_MAX];
    return find_jar(path);
}

/* new File(path).toURI().toURL() */
static jobject url_of(JNIEnv *jni, const char *path)
{
    jclass file_class = (*jni)->FindClass(jni, "java/io/File");
    jclass uri_class = (*jni)->FindClass(jni, "java/net/URI");
    if (!file_class || !uri_class)
        return NULL;
    jmethodID make = (*jni)->GetMethodID(jni, file_class, "<init>", "(Ljava/lang/String;)V");
    jmethodID to_uri = (*jni)->GetMethodID(jni, file_class, "toURI", "()Ljava/net/URI;");
    jmethodID to_url = (*jni)->GetMethodID(jni, uri_class, "toURL", "()Ljava/net/URL;");
    jstring text = (*jni)->NewStringUTF(jni, path);
    jobject file = text ? (*jni)->NewObject(jni, file_class, make, text) : NULL;
    jobject uri = file ? given(jni, (*jni)->CallObjectMethod(jni, file, to_uri)) : NULL;
    return uri ? given(jni, (*jni)->CallObjectMethod(jni, uri, to_url)) : NULL;
}

/* Class.forName(name, false, loader) */
static jclass load_class(JNIEnv *jni, jobject loader, const char *name)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID load = (*jni)->GetStaticMethodID(
        jni, class, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring text = load ? (*jni)->NewStringUTF(jni, name) : NULL;
    return text ? given(jni,
                        (*jni)->CallStaticObjectMethod(jni, class, load, text, JNI_FALSE, loader))
                : NULL;
}

/* new URLClassLoader(new URL[] {url}, null) */
static jobject new_loader(JNIEnv *jni, jobject url)
{
    jclass url_class = (*jni)->FindClass(jni, "java/net/URL");
    jclass class = (*jni)->FindClass(jni, "java/net/URLClassLoader");
    if (!url_class || !class)
        return NULL;
    jmethodID make =
        (*jni)->GetMethodID(jni, class, "<init>", "([Ljava/net/URL;Ljava/lang/ClassLoader;)V");
    jobjectArray urls = (*jni)->NewObjectArray(jni, 1, url_class, url);
    return urls && make ? (*jni)->NewObject(jni, class, make, urls, (jobject)NULL) : NULL;
}

/* The arrays of JNI's methods have names that are not const. */
#define NATIVE(name, signature, function)                                                          \
    {                                                                                              \
        (char *)(uintptr_t)(name), (char *)(uintptr_t)(signature), (void *)(uintptr_t)(function)   \
    }

/* Gives the class of calls its native methods. Called from Java, by bind. */
static void JNICALL bind_calls(JNIEnv *jni, jobject self)
{
    static const char signature[] = "(I)V";
    const JNINativeMethod natives[] = {
        NATIVE("enter", signature, enter),   NATIVE("leave", signature, leave),
        NATIVE("unwind", signature, unwind), NATIVE("caught", signature, caught),
        NATIVE("unpark", signature, unpark), NATIVE("park", "(Ljava/lang/Object;)V", park)};
    (void)self;
    jclass calls = (*jni)->FindClass(jni, CALLS);
    is_calls_defined =
        calls && (*jni)->RegisterNatives(jni, calls, natives, (jint)TV_COUNT_OF(natives)) == 0;
}

/* Does new Thread(new Binding(), "traceview").run(), by a name of its own, since unnamed threads of
 * the program are counted. Virtual machines warn when native methods are given to a
 * class of java.lang, unless a class of the boot loader does it: so Thread.run, which is one, makes
 * the call. The thread is not made by a class of the rewriter, since a security manager may forbid
 * that to all classes except the boot loader's. */
static void bind(JNIEnv *jni, jclass binding)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID begin = (*jni)->GetMethodID(jni, binding, "<init>", "()V");
    jmethodID make = class ? (*jni)->GetMethodID(jni, class, "<init>",
                                                 "(Ljava/lang/Runnable;Ljava/lang/String;)V")
                           : NULL;
    jstring name = (*jni)->NewStringUTF(jni, "traceview");
    jmethodID run = class ? (*jni)->GetMethodID(jni, class, "run", "()V") : NULL;
    jobject runnable = begin ? (*jni)->NewObject(jni, binding, begin) : NULL;
    jobject thread = runnable && make && run && name
                         ? (*jni)->NewObject(jni, class, make, runnable, name)
                         : NULL;
    if (thread)
        (*jni)->CallVoidMethod(jni, thread, run);
    is_calls_defined = is_calls_defined && !(*jni)->ExceptionCheck(jni);
}

/* Defines the class of calls, whose bytes the rewriter makes, and binds its native methods. */
static bool define_calls(JNIEnv *jni, jclass made)
{
    const JNINativeMethod natives[] = {NATIVE("run", "()V", bind_calls)};
    jmethodID method = (*jni)->GetStaticMethodID(jni, made, "calls", "()[B");
    jbyteArray array =
        method ? given(jni, (*jni)->CallStaticObjectMethod(jni, made, method)) : NULL;
    jbyte *bytes = array ? (*jni)->GetByteArrayElements(jni, array, NULL) : NULL;
    if (!bytes)
        return false;
    jclass calls = (*jni)->DefineClass(jni, CALLS, NULL, bytes, (*jni)->GetArrayLength(jni, array));
    (*jni)->ReleaseByteArrayElements(jni, array, bytes, JNI_ABORT);
    jclass binding = calls ? load_class(jni, own_loader, BINDING) : NULL;
    if (!binding || (*jni)->RegisterNatives(jni, binding, natives, 1) != 0)
        return false;
    bind(jni, binding);
    return is_calls_defined;
}

/* Measures what a call from Java into this library costs before the record is written. It is
 * measured while nothing is recorded, and the fastest of some rounds counts. */
static void measure_way(JNIEnv *jni)
{
    jclass calls = (*jni)->FindClass(jni, CALLS);
    jmethodID measure = calls ? (*jni)->GetStaticMethodID(jni, calls, "measure", "(I)V") : NULL;
    uint64_t least_ns = UINT64_MAX;
    for (unsigned round = 0; round < MEASURE_ROUNDS && measure; round++) {
        const uint64_t begin_ns = tv_ticks_monotonic_ns();
        (*jni)->CallStaticVoidMethod(jni, calls, measure, (jint)MEASURE_CALLS);
        const uint64_t ns = tv_ticks_monotonic_ns() - begin_ns;
        if ((*jni)->ExceptionCheck(jni))
            return;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    if (measure)
        tv_recorder_add_call_cost((uint32_t)(least_ns / MEASURE_CALLS));
}

/* Lets the rewriter use the copy of ASM, which java.base keeps for itself. */
static void open_inside(JNIEnv *jni)
{
    static const char module[] = "()Ljava/lang/Module;";
    jclass loader_class = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jclass class_class = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID unnamed =
        loader_class ? (*jni)->GetMethodID(jni, loader_class, "getUnnamedModule", module) : NULL;
    jmethodID own = class_class ? (*jni)->GetMethodID(jni, class_class, "getModule", module) : NULL;
    jobject to = unnamed ? given(jni, (*jni)->CallObjectMethod(jni, own_loader, unnamed)) : NULL;
    jobject base = own ? given(jni, (*jni)->CallObjectMethod(jni, class_class, own)) : NULL;
    if (to && base) {
        (void)(*tv_jvm.jvmti)->AddModuleExports(tv_jvm.jvmti, base, INSIDE, to);
        (void)(*tv_jvm.jvmti)->AddModuleExports(tv_jvm.jvmti, base, INSIDE ".commons", to);
    }
    (void)tv_jvm_clear(jni);
}

static bool prepare_rewriter(JNIEnv *jni, const char *jar)
{
    const JNINativeMethod natives[] = {
        NATIVE("number",
               "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;I)I",
               number_of),
        NATIVE("skip", "()V", skip),
        NATIVE("leaveOut", "(Ljava/lang/String;Ljava/lang/String;)V", leave_out)};
    jobject url = url_of(jni, jar);
    jobject loader = url ? new_loader(jni, url) : NULL;
    own_loader = (*jni)->NewGlobalRef(jni, loader);
    if (own_loader && strstr(jar, INSIDE_JAR))
        open_inside(jni);
    jclass made = own_loader ? load_class(jni, own_loader, REWRITER) : NULL;
    if (!made || (*jni)->RegisterNatives(jni, made, natives, (jint)TV_COUNT_OF(natives)) != 0)
        return false;
    if (!is_calls_defined && !define_calls(jni, made))
        return false;
    rewrite = (*jni)->GetStaticMethodID(jni, made, "rewrite", "([BZZ)[B");
    if (!rewrite)
        return false;
    measure_way(jni);
    rewriter = (*jni)->NewGlobalRef(jni, made);
    return rewriter != NULL;
}

/* Says why the jar cannot be loaded: the first line of what was thrown. */
static void say_thrown(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (void)tv_jvm_clear(jni);
    jclass class = thrown ? (*jni)->GetObjectClass(jni, thrown) : NULL;
    jmethodID to_text =
        class ? (*jni)->GetMethodID(jni, class, "toString", "()Ljava/lang/String;") : NULL;
    jstring string = to_text ? (*jni)->CallObjectMethod(jni, thrown, to_text) : NULL;
    (void)tv_jvm_clear(jni);
    const char *text = text_of(jni, string);
    int len = text ? (int)strcspn(text, "\n") : 0;
    (void)snprintf(why, TV_JVM_WHY_CAP, JAR " cannot be loaded%s%.*s", len ? ": " : "", len,
                   text ? text : "");
    release_text(jni, string, text);
}

/* All local references go with one frame. After a failure nothing is kept, so that the next
 * recording can try again; only the class of calls stays, which can be defined once. */
bool tv_jvm_rewriter_prepare(JNIEnv *jni, char why[TV_JVM_WHY_CAP])
{
    char jar[PATH_MAX];
    if (rewriter)
        return true;
    if (!find_jar(jar)) {
        (void)snprintf(why, TV_JVM_WHY_CAP, JAR " is not beside the agent's library");
        return false;
    }
    bool is_done = (*jni)->PushLocalFrame(jni, TV_JVM_OBJECTS_MOST) == 0;
    if (is_done) {
        is_done = prepare_rewriter(jni, jar);
        if (!is_done) {
            say_thrown(jni, why);
            (*jni)->DeleteGlobalRef(jni, own_loader);
            own_loader = NULL;
        }
        (void)tv_jvm_clear(jni);
        (*jni)->PopLocalFrame(jni, NULL);
    } else {
        (void)tv_jvm_clear(jni);
        (void)snprintf(why, TV_JVM_WHY_CAP, JAR " cannot be loaded: no memory");
    }
    return is_done;
}

/* The new bytes are in memory that JVMTI allocated, as the event demands. NULL: the class stays as
 * it is. */
unsigned char *tv_jvm_rewriter_rewrite(JNIEnv *jni, const unsigned char *bytes, jint len,
                                       jint *new_len)
{
    unsigned char *copy = NULL;
    jbyteArray array = (*jni)->NewByteArray(jni, len);
    if (!array)
        return NULL;
    (*jni)->SetByteArrayRegion(jni, array, 0, len, (const jbyte *)bytes);
    jbyteArray made = (*jni)->CallStaticObjectMethod(jni, rewriter, rewrite, array,
                                                     (jint)tv_jvm.options.skips_trivial,
                                                     (jint)tv_jvm.options.has_waits);
    if ((*jni)->ExceptionCheck(jni) || !made)
        return NULL;
    *new_len = (*jni)->GetArrayLength(jni, made);
    if ((*tv_jvm.jvmti)->Allocate(tv_jvm.jvmti, *new_len, &copy) == JVMTI_ERROR_NONE)
        (*jni)->GetByteArrayRegion(jni, made, 0, *new_len, (jbyte *)copy);
    return copy;
}

bool tv_jvm_rewriter_is_own(JNIEnv *jni, jobject loader)
{
    return loader && (*jni)->IsSameObject(jni, loader, own_loader);
}
