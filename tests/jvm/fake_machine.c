/* A virtual machine for tests; see fake_machine.h. */
#include "fake_machine.h"

#include <stdlib.h>
#include <string.h>

#include "jvm/agent.h"

struct fake_machine fake_machine;

/* Handles are addresses here, and tell things apart alone. */
static char threads[FAKE_THREADS], a_class, a_method;

static jvmtiError JNICALL class_of(jvmtiEnv *env, jmethodID method, jclass *class)
{
    (void)env;
    (void)method;
    fake_machine.asked_for_methods++;
    *class = (jclass)(void *)&a_class;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL loader_of(jvmtiEnv *env, jclass class, jobject *loader)
{
    (void)env;
    *loader = (jobject) class; /* any: the system's own classes have none */
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *env, jclass class, char **text, char **generic)
{
    (void)env;
    (void)class;
    (void)generic;
    *text = strdup("Lapp/Work;");
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_name(jvmtiEnv *env, jmethodID method, char **name, char **text,
                                      char **generic)
{
    (void)env;
    (void)method;
    (void)generic;
    *name = strdup("run");
    *text = strdup("()V");
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL no_file(jvmtiEnv *env, jclass class, char **name)
{
    (void)env;
    (void)class;
    (void)name;
    return JVMTI_ERROR_ABSENT_INFORMATION;
}

static jvmtiError JNICALL no_lines(jvmtiEnv *env, jmethodID method, jint *count,
                                   jvmtiLineNumberEntry **lines)
{
    (void)env;
    (void)method;
    (void)count;
    (void)lines;
    return JVMTI_ERROR_ABSENT_INFORMATION;
}

static jvmtiError JNICALL release(jvmtiEnv *env, unsigned char *memory)
{
    (void)env;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL thread_info(jvmtiEnv *env, jthread thread, jvmtiThreadInfo *info)
{
    (void)env;
    (void)thread;
    memset(info, 0, sizeof(*info));
    info->name = strdup("worker");
    return JVMTI_ERROR_NONE;
}

static size_t number_of(jthread thread)
{
    return (size_t)((char *)thread - threads);
}

static jvmtiError JNICALL get_storage(jvmtiEnv *env, jthread thread, void **data)
{
    (void)env;
    *data = fake_machine.storage[number_of(thread)];
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_storage(jvmtiEnv *env, jthread thread, const void *data)
{
    (void)env;
    fake_machine.storage[number_of(thread)] = (void *)(uintptr_t)data;
    return JVMTI_ERROR_NONE;
}

/* One piece of memory for all, as JVMTI has it: the stacks, and the frames behind them. */
static jvmtiError JNICALL stacks_of(jvmtiEnv *env, jint count, const jthread *list, jint depth_most,
                                    jvmtiStackInfo **stacks)
{
    (void)env;
    (void)depth_most;
    const size_t frames = (size_t)fake_machine.frames;
    jvmtiStackInfo *made = calloc((size_t)count, sizeof(*made) + frames * sizeof(jvmtiFrameInfo));
    jvmtiFrameInfo *frame = (jvmtiFrameInfo *)(void *)(made + count);
    for (jint i = 0; i < count; i++) {
        made[i] = (jvmtiStackInfo){
            .thread = list[i], .frame_buffer = frame, .frame_count = fake_machine.frames};
        for (size_t f = 0; f < frames; f++)
            (frame++)->method = fake_machine_method();
    }
    *stacks = made;
    return JVMTI_ERROR_NONE;
}

static jobject JNICALL hold(JNIEnv *env, jobject object)
{
    (void)env;
    fake_machine.references++;
    return object;
}

static void JNICALL let_go(JNIEnv *env, jobject object)
{
    (void)env;
    (void)object;
    fake_machine.references--;
}

static jobject JNICALL same(JNIEnv *env, jobject object)
{
    (void)env;
    return object;
}

static void JNICALL nothing(JNIEnv *env, jobject object)
{
    (void)env;
    (void)object;
}

static jint JNICALL begin_frame(JNIEnv *env, jint capacity)
{
    (void)env;
    (void)capacity;
    return 0;
}

static const struct jvmtiInterface_1_ jvmti_functions = {
    .GetMethodDeclaringClass = class_of,
    .GetClassLoader = loader_of,
    .GetClassSignature = class_signature,
    .GetMethodName = method_name,
    .GetSourceFileName = no_file,
    .GetLineNumberTable = no_lines,
    .Deallocate = release,
    .GetThreadInfo = thread_info,
    .GetThreadLocalStorage = get_storage,
    .SetThreadLocalStorage = set_storage,
    .GetThreadListStackTraces = stacks_of,
};

static const struct JNINativeInterface_ jni_functions = {
    .NewGlobalRef = hold,
    .DeleteGlobalRef = let_go,
    .NewLocalRef = same,
    .DeleteLocalRef = nothing,
    .PushLocalFrame = begin_frame,
    .PopLocalFrame = same,
};

static jvmtiEnv jvmti = &jvmti_functions;
static JNIEnv jni = &jni_functions;

void fake_machine_begin(void)
{
    fake_machine = (struct fake_machine){.frames = 1};
    tv_jvm.jvmti = &jvmti;
}

JNIEnv *fake_machine_env(void)
{
    return &jni;
}

jthread fake_machine_thread(unsigned number)
{
    return (jthread)(void *)&threads[number];
}

jmethodID fake_machine_method(void)
{
    return (jmethodID)(void *)&a_method;
}
