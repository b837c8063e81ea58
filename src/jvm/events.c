/*
 * Recording by events; see jvm/events.h.
 *
 * JVMTI calls back at the entry and the exit of each method, on the thread itself; each callback is
 * one enter or exit of the recorder (record/calls.h). Pauses of garbage collections are recorded as
 * calls of one method, JVM.garbageCollection, whose number is made beforehand. What an event costs
 * is measured on a small method before recording begins, without events and with them.
 */
#include "jvm/events.h"

#include <stdint.h>

#include "jvm/agent.h"
#include "jvm/methods.h"
#include "record/calls.h"
#include "record/cpu_timer.h"

#define MEASURE_CALLS 2000
#define MEASURE_ROUNDS 5u

static uint32_t gc_number;

static void JNICALL on_method_entry(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)jvmti;
    (void)thread;
    if (!tv_calls_are_on())
        return;
    uint32_t number = tv_jvm_number(jni, method);
    if (number != TV_JVM_UNWANTED)
        tv_calls_enter(number);
}

static void JNICALL on_method_exit(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                                   jboolean is_unwound, jvalue value)
{
    (void)jvmti;
    (void)thread;
    (void)value;
    if (!tv_calls_are_on() || !tv_calls.depth)
        return;
    uint32_t number = tv_jvm_number(jni, method);
    if (number != TV_JVM_UNWANTED)
        tv_calls_leave(number, is_unwound ? TV_RECORDER_UNWIND : TV_RECORDER_EXIT);
}

/* During a pause the virtual machine may not be asked anything, so the method's number was made
 * before. */
static void JNICALL on_gc_start(jvmtiEnv *jvmti)
{
    (void)jvmti;
    if (__atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED) && gc_number)
        tv_recorder_put(tv_recorder_word(gc_number, TV_RECORDER_ENTER));
}

static void JNICALL on_gc_finish(jvmtiEnv *jvmti)
{
    (void)jvmti;
    if (__atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED) && gc_number)
        tv_recorder_put(tv_recorder_word(gc_number, TV_RECORDER_EXIT));
}

void tv_jvm_events_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->MethodEntry = on_method_entry;
    callbacks->MethodExit = on_method_exit;
    callbacks->GarbageCollectionStart = on_gc_start;
    callbacks->GarbageCollectionFinish = on_gc_finish;
}

bool tv_jvm_events_turn(jvmtiEventMode mode)
{
    bool has_exits = tv_jvm_turn(mode, JVMTI_EVENT_METHOD_EXIT);
    return tv_jvm_turn(mode, JVMTI_EVENT_METHOD_ENTRY) && has_exits;
}

/* What MEASURE_CALLS calls of a small method take on the CPU clock: the least of some rounds. */
static uint64_t time_calls(JNIEnv *jni, jclass class, jmethodID method)
{
    uint64_t least_ns = UINT64_MAX;
    for (unsigned round = 0; round < MEASURE_ROUNDS; round++) {
        const uint64_t begin_ns = tv_cpu_timer_own_ns();
        for (jint i = 0; i < MEASURE_CALLS; i++)
            (void)(*jni)->CallStaticIntMethod(jni, class, method, i);
        const uint64_t ns = tv_cpu_timer_own_ns() - begin_ns;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return least_ns;
}

bool tv_jvm_events_begin(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Math");
    jmethodID method = class ? (*jni)->GetStaticMethodID(jni, class, "abs", "(I)I") : NULL;
    const uint64_t without_ns = method ? time_calls(jni, class, method) : 0;
    if (!tv_jvm_events_turn(JVMTI_ENABLE))
        return false;
    const uint64_t with_ns = method ? time_calls(jni, class, method) : 0;
    if (with_ns > without_ns)
        tv_recorder_add_call_cost((uint32_t)((with_ns - without_ns) / MEASURE_CALLS));
    (*jni)->DeleteLocalRef(jni, class);
    (void)tv_jvm_clear(jni);
    return true;
}

void tv_jvm_events_turn_gc(jvmtiEventMode mode)
{
    gc_number = tv_recorder_method(&(struct tv_method_text){
        .class_name = "JVM", .name = "garbageCollection", .signature = "()V"});
    (void)tv_jvm_turn(mode, JVMTI_EVENT_GARBAGE_COLLECTION_START);
    (void)tv_jvm_turn(mode, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
}
