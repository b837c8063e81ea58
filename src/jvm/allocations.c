/*
 * Allocations by method; see jvm/allocations.h.
 *
 * An object of s bytes is sampled with a chance of 1 - e^(-s/i), i being the interval, so each that
 * is sampled stands for s divided by that chance: the sum has no bias for large or small ones.
 */
#include "jvm/allocations.h"

#include <pthread.h>
#include <stdint.h>

#include "jvm/agent.h"
#include "jvm/method_bytes.h"
#include "record/calls.h"

#define SQUARINGS 10u /* e^-x as (1 - x / 1024)^1024 */
#define LARGE 16u     /* from this many intervals on, an allocation is always sampled */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `bytes` */
static struct tv_method_bytes bytes;

static uint64_t stands_for(jlong size)
{
    const double share = (double)size / TV_JVM_ALLOCATIONS_INTERVAL;
    double rest = 1 - share / (double)(1u << SQUARINGS);
    if (size <= 0)
        return 0;
    if (share > LARGE)
        return (uint64_t)size;
    for (unsigned i = 0; i < SQUARINGS; i++)
        rest *= rest;
    return (uint64_t)((double)size / (1 - rest));
}

static void JNICALL on_allocation(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                                  jclass class, jlong size)
{
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)object;
    (void)class;
    if (!tv_calls_are_on() || !tv_calls.depth)
        return;
    const uint32_t depth = tv_calls.depth < TV_CALLS_MOST ? tv_calls.depth : TV_CALLS_MOST;
    pthread_mutex_lock(&lock);
    tv_method_bytes_add(&bytes, tv_calls.numbers, depth, stands_for(size));
    pthread_mutex_unlock(&lock);
}

void tv_jvm_allocations_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->SampledObjectAlloc = on_allocation;
}

static bool turn(jvmtiEventMode mode)
{
    return tv_jvm_turn(mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
}

bool tv_jvm_allocations_begin(void)
{
    const jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
    pthread_mutex_lock(&lock);
    tv_method_bytes_clear(&bytes);
    bytes.interval = TV_JVM_ALLOCATIONS_INTERVAL;
    pthread_mutex_unlock(&lock);
    return (*tv_jvm.jvmti)->AddCapabilities(tv_jvm.jvmti, &wanted) == JVMTI_ERROR_NONE &&
           (*tv_jvm.jvmti)->SetHeapSamplingInterval(tv_jvm.jvmti, TV_JVM_ALLOCATIONS_INTERVAL) ==
               JVMTI_ERROR_NONE &&
           turn(JVMTI_ENABLE);
}

/* What is under way is waited for, so that nothing is counted while the file is written. */
void tv_jvm_allocations_end(void)
{
    (void)turn(JVMTI_DISABLE);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

const struct tv_method_bytes *tv_jvm_allocations(void)
{
    return &bytes;
}
