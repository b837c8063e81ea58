/*
 * Waits and their reasons; see jvm/waits.h.
 *
 * JVMTI tells when a thread begins and ends to wait for a monitor, and for Object.wait. Parking has
 * no event: LockSupport is rewritten so that it tells (rewriter.c). Who has a monitor is asked when
 * the wait begins, which brings the virtual machine to a safepoint; the owner of a lock of
 * java.util.concurrent is a field of it. A wait's end is known by what is open, and not by a note
 * of its begin, since the thread may be carried by another one then.
 */
#include "jvm/waits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "jvm/agent.h"
#include "jvm/names.h"
#include "jvm/threads.h"
#include "record/calls.h"
#include "record/numbers.h"

#define OWNERS_MOST 1000u /* that are named; each is a method of its own in the trace */
#define NAME_CAP (TV_JVM_THREAD_NAME_CAP + 32u)

/* Numbers of the methods of class JVM. */
static uint32_t monitor_number, wait_number, park_number;
static jclass class_class, lock_class; /* NULL: not looked for yet */
static jfieldID owner_field;
static struct tv_key_numbers owners; /* that are named, by a hash of the name */
static _Atomic uint32_t owner_count;

/* Whether the trace has room for an owner of this name. */
static bool may_name(const char *name)
{
    uintptr_t key = 14695981039346656037u; /* FNV-1a */
    for (const char *at = name; *at; at++)
        key = (key ^ (unsigned char)*at) * 1099511628211u;
    if (tv_numbers_find(&owners, key | 1))
        return true;
    if (atomic_fetch_add(&owner_count, 1) >= OWNERS_MOST)
        return false;
    tv_numbers_keep(&owners, key | 1, 1);
    return true;
}

/* "held by NAME"; without an owner, `otherwise`. */
static void describe_owner(JNIEnv *jni, jthread owner, const char *otherwise, char to[NAME_CAP])
{
    char name[TV_JVM_THREAD_NAME_CAP] = "";
    if (owner)
        (void)tv_jvm_threads_name_of(jni, owner, name);
    if (!owner)
        (void)snprintf(to, NAME_CAP, "%s", otherwise);
    else if (may_name(name))
        (void)snprintf(to, NAME_CAP, "held by %s", *name ? name : "a thread without a name");
    else
        (void)snprintf(to, NAME_CAP, "held by one of many threads");
}

/* The number of the call that names what is waited for; 0 without memory. For a class that is
 * itself the lock, as that of a static method, the class is named. */
static uint32_t number_of(JNIEnv *jni, jobject object, const char *name)
{
    char *descriptor = NULL, text[NAME_CAP + 16];
    size_t len;
    uint32_t number = 0;
    const bool is_class = class_class && (*jni)->IsInstanceOf(jni, object, class_class);
    jclass class = is_class ? object : (*jni)->GetObjectClass(jni, object);
    (void)(*tv_jvm.jvmti)->GetClassSignature(tv_jvm.jvmti, class, &descriptor, NULL);
    const char *class_name = descriptor ? tv_jvm_names_in_descriptor(descriptor, &len) : NULL;
    if (descriptor && !class_name) { /* an array is a lock, too */
        class_name = "array";
        len = strlen(class_name);
    }
    (void)snprintf(text, sizeof(text), "%s%s", is_class ? "class " : "", name);
    if (class_name)
        number = tv_jvm_names_number(class_name, len, text, "()V", NULL, 0);
    tv_jvm_free(descriptor);
    return number;
}

/* Opens the calls of a wait. Without an object it has only the outer one. */
static void begin(JNIEnv *jni, uint32_t outer, jobject object, const char *name)
{
    const uint32_t inner = object ? number_of(jni, object, name) : 0;
    tv_calls_enter(outer);
    if (inner)
        tv_calls_enter(inner);
}

/* Closes them, where they are open: a recording may have begun meanwhile. */
static void end(uint32_t outer)
{
    const uint32_t depth = tv_calls.depth;
    if (!depth || depth > TV_CALLS_MOST)
        return;
    if (depth > 1 && tv_calls.numbers[depth - 1] != outer && tv_calls.numbers[depth - 2] == outer)
        tv_calls_leave(tv_calls.numbers[depth - 1], TV_RECORDER_EXIT);
    if (tv_calls.depth && tv_calls.numbers[tv_calls.depth - 1] == outer)
        tv_calls_leave(outer, TV_RECORDER_EXIT);
}

static void JNICALL on_contended(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
    jvmtiMonitorUsage usage = {.owner = NULL};
    char name[NAME_CAP];
    (void)thread;
    if (!tv_calls_are_on() || !monitor_number)
        return;
    if ((*jvmti)->GetObjectMonitorUsage(jvmti, object, &usage) != JVMTI_ERROR_NONE)
        usage = (jvmtiMonitorUsage){.owner = NULL};
    describe_owner(jni, usage.owner, "free again", name);
    tv_jvm_free(usage.waiters);
    tv_jvm_free(usage.notify_waiters);
    begin(jni, monitor_number, object, name);
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)object;
    if (tv_calls_are_on())
        end(monitor_number);
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                            jlong timeout)
{
    (void)jvmti;
    (void)thread;
    (void)timeout;
    if (tv_calls_are_on() && wait_number)
        begin(jni, wait_number, object, "wait");
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                              jboolean is_timeout)
{
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)object;
    (void)is_timeout;
    if (tv_calls_are_on())
        end(wait_number);
}

void tv_jvm_waits_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->MonitorContendedEnter = on_contended;
    callbacks->MonitorContendedEntered = on_entered;
    callbacks->MonitorWait = on_wait;
    callbacks->MonitorWaited = on_waited;
}

void tv_jvm_waits_park(JNIEnv *jni, jobject blocker)
{
    char name[NAME_CAP];
    jobject owner = NULL;
    if (!tv_calls_are_on() || !park_number)
        return;
    if (blocker && lock_class && (*jni)->IsInstanceOf(jni, blocker, lock_class))
        owner = (*jni)->GetObjectField(jni, blocker, owner_field);
    describe_owner(jni, owner, "park", name);
    begin(jni, park_number, blocker, name);
}

void tv_jvm_waits_unpark(void)
{
    if (tv_calls_are_on())
        end(park_number);
}

static jclass find_class(JNIEnv *jni, const char *name)
{
    jclass class = (*jni)->FindClass(jni, name);
    jclass kept = class ? (*jni)->NewGlobalRef(jni, class) : NULL;
    (*jni)->DeleteLocalRef(jni, class);
    (void)tv_jvm_clear(jni);
    return kept;
}

/* Looks up what the functions above need, once. Where the field of owners has another name, no lock
 * has a known one. */
static void prepare(JNIEnv *jni)
{
    static const char signature[] = "()V";
    monitor_number = tv_recorder_method(&(struct tv_method_text){
        .class_name = "JVM", .name = "waitForMonitor", .signature = signature});
    wait_number = tv_recorder_method(
        &(struct tv_method_text){.class_name = "JVM", .name = "wait", .signature = signature});
    park_number = tv_recorder_method(
        &(struct tv_method_text){.class_name = "JVM", .name = "park", .signature = signature});
    if (class_class)
        return;
    class_class = find_class(jni, "java/lang/Class");
    jclass lock = find_class(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
    owner_field =
        lock ? (*jni)->GetFieldID(jni, lock, "exclusiveOwnerThread", "Ljava/lang/Thread;") : NULL;
    (void)tv_jvm_clear(jni);
    if (owner_field)
        lock_class = lock;
    const jvmtiCapabilities wanted = {.can_generate_monitor_events = 1, .can_get_monitor_info = 1};
    (void)(*tv_jvm.jvmti)->AddCapabilities(tv_jvm.jvmti, &wanted);
}

void tv_jvm_waits_turn(JNIEnv *jni, jvmtiEventMode mode)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                        JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};
    if (mode == JVMTI_ENABLE)
        prepare(jni);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        (void)tv_jvm_turn(mode, events[i]);
}
