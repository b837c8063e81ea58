/* Recording by looks at the stacks; see jvm/stacks.h. */
#include "jvm/stacks.h"

#include <errno.h>
#include <semaphore.h>
#include <stdint.h>
#include <time.h>

#include "jvm/agent.h"
#include "jvm/methods.h"
#include "jvm/threads.h"
#include "jvm/virtual_stacks.h"
#include "record/recorder.h"
#include "record/sampling.h"

#define NANOSECONDS_PER_SECOND 1000000000L
#define NANOSECONDS_PER_MICROSECOND 1000

static bool is_looking;
static sem_t end_wanted, ended;

/* The row of a thread, which JVMTI keeps for it; NULL for a thread that has ended, or has done
 * nothing that is to be seen. */
static struct tv_watched *row_of(JNIEnv *jni, jthread thread, bool is_wanted)
{
    void *row = NULL;
    jvmtiThreadInfo info;
    jvmtiEnv *jvmti = tv_jvm.jvmti;
    if ((*jvmti)->GetThreadLocalStorage(jvmti, thread, &row) != JVMTI_ERROR_NONE || row ||
        !is_wanted || (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return row;
    row = tv_recorder_watch(info.name ? info.name : "");
    (void)(*jvmti)->SetThreadLocalStorage(jvmti, thread, row);
    tv_jvm_free(info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    return row;
}

/* Rows of a recording before this one are gone. */
static void forget_rows(JNIEnv *jni)
{
    jthread *threads = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetAllThreads(tv_jvm.jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        (void)(*tv_jvm.jvmti)->SetThreadLocalStorage(tv_jvm.jvmti, threads[i], NULL);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    tv_jvm_free(threads);
}

void tv_jvm_stacks_view(JNIEnv *jni, const jvmtiStackInfo *stack, struct tv_stack_view *view)
{
    view->depth = 0;
    for (jint i = stack->frame_count; i-- > 0;) {
        uint32_t number = tv_jvm_number(jni, stack->frame_buffer[i].method);
        if (number && number != TV_JVM_UNWANTED && view->depth < TV_STACK_SEEN)
            view->methods[view->depth++] = number;
    }
}

/* Notes what is on a thread's stack. */
static void look_at(JNIEnv *jni, const jvmtiStackInfo *stack)
{
    static struct tv_stack_view view; /* of the thread that looks */
    jlong cpu_ns = 0;
    /* Its time is that of those it carries, whose calls some machines show on its stack, too. */
    if (tv_jvm_threads_is_carrier(jni, stack->thread))
        return;
    tv_jvm_stacks_view(jni, stack, &view);
    struct tv_watched *row = row_of(jni, stack->thread, view.depth != 0);
    if (!row)
        return;
    (void)(*tv_jvm.jvmti)->GetThreadCpuTime(tv_jvm.jvmti, stack->thread, &cpu_ns);
    tv_recorder_saw(row, &view, (uint64_t)cpu_ns, 0);
}

static void look(JNIEnv *jni)
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetAllStackTraces(tv_jvm.jvmti, TV_STACK_SEEN, &stacks, &count) !=
        JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        look_at(jni, &stacks[i]);
        (*jni)->DeleteLocalRef(jni, stacks[i].thread);
    }
    tv_jvm_free(stacks);
}

static void JNICALL look_again_and_again(jvmtiEnv *jvmti, JNIEnv *jni, void *unused)
{
    long interval_ns = (long)tv_jvm.options.interval_us * NANOSECONDS_PER_MICROSECOND;
    struct timespec next;
    (void)jvmti;
    (void)unused;
    clock_gettime(CLOCK_REALTIME, &next);
    do {
        look(jni);
        tv_jvm_virtual_look(jni);
        long ns = next.tv_nsec + interval_ns;
        next.tv_sec += ns / NANOSECONDS_PER_SECOND;
        next.tv_nsec = ns % NANOSECONDS_PER_SECOND;
    } while (sem_timedwait(&end_wanted, &next) != 0);
    sem_post(&ended);
}

/* A thread that Java knows as a daemon: the program does not wait for its end. */
static jthread new_thread(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID make =
        class ? (*jni)->GetMethodID(jni, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*jni)->NewStringUTF(jni, "traceview");
    jthread thread = make && name ? (*jni)->NewObject(jni, class, make, name) : NULL;
    return tv_jvm_clear(jni) ? NULL : thread;
}

static void end_virtual(JNIEnv *jni)
{
    tv_jvm_threads_turn(jni, JVMTI_DISABLE);
    tv_jvm_virtual_end(jni);
}

bool tv_jvm_stacks_begin(JNIEnv *jni)
{
    jthread thread = new_thread(jni);
    forget_rows(jni);
    tv_jvm_virtual_begin();
    tv_jvm_threads_turn(jni, JVMTI_ENABLE);
    sem_init(&end_wanted, 0, 0);
    sem_init(&ended, 0, 0);
    is_looking =
        thread && (*tv_jvm.jvmti)
                          ->RunAgentThread(tv_jvm.jvmti, thread, look_again_and_again, NULL,
                                           JVMTI_THREAD_NORM_PRIORITY) == JVMTI_ERROR_NONE;
    (*jni)->DeleteLocalRef(jni, thread);
    if (!is_looking)
        end_virtual(jni);
    return is_looking;
}

void tv_jvm_stacks_end(JNIEnv *jni)
{
    if (!is_looking)
        return;
    is_looking = false;
    sem_post(&end_wanted);
    while (sem_wait(&ended) != 0 && errno == EINTR)
        continue;
    end_virtual(jni);
}
