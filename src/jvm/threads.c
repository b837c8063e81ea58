/*
 * Threads; see jvm/threads.h.
 *
 * Threads get their names from Java. Virtual threads are carried by threads of the kernel: HotSpot
 * tells when one is mounted and unmounted by extension events, which are found by name, and the
 * record goes to the carried thread meanwhile (record/carried/carried.h). This source is compiled
 * with headers that may be older than Java 21, so the capability, the event and the class that
 * belong to virtual threads are found by number and name at run time; where one is missing, virtual
 * threads count as their carriers.
 */
#include "jvm/threads.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "jvm/agent.h"
#include "jvm/names.h"
#include "jvm/stacks.h"
#include "jvm/virtual_stacks.h"
#include "record/calls.h"
#include "record/carried/carried.h"

/* VirtualThreadEnd, an event of Java 21: older JVMTI headers do not have its number. */
#define VIRTUAL_THREAD_END 88
#define FUNCTIONS (VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL + 1)
#define CAPABILITY_WORDS (sizeof(jvmtiCapabilities) / sizeof(uint32_t))

static bool can_carry;       /* this virtual machine has the capability of virtual threads */
static jclass virtual_class; /* NULL: not looked for yet */
static jclass carrier_class; /* NULL: not looked for yet, or there is none */
static jfieldID id_field;

static void *ticket_as_data(uint64_t ticket)
{
    return (void *)(uintptr_t)ticket; /* NOLINT(performance-no-int-to-ptr) */
}

/*
 * Names.
 */

static bool is_virtual(JNIEnv *jni, jthread thread)
{
    return can_carry && virtual_class && (*jni)->IsInstanceOf(jni, thread, virtual_class);
}

bool tv_jvm_threads_is_carrier(JNIEnv *jni, jthread thread)
{
    return carrier_class && (*jni)->IsInstanceOf(jni, thread, carrier_class);
}

bool tv_jvm_threads_name_of(JNIEnv *jni, jthread thread, char name[TV_JVM_THREAD_NAME_CAP])
{
    jvmtiThreadInfo info;
    *name = '\0';
    if ((*tv_jvm.jvmti)->GetThreadInfo(tv_jvm.jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return false;
    if (info.name && *info.name)
        (void)snprintf(name, TV_JVM_THREAD_NAME_CAP, "%.*s",
                       (int)tv_jvm_names_thread_len(info.name), info.name);
    else if (is_virtual(jni, thread) && id_field)
        (void)snprintf(name, TV_JVM_THREAD_NAME_CAP, "VirtualThread #%lld",
                       (long long)(*jni)->GetLongField(jni, thread, id_field));
    tv_jvm_free(info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    return true;
}

/* Names the thread as Java does; the kernel cuts names to 15 characters. */
static void name_thread(JNIEnv *jni, jthread thread)
{
    char name[TV_JVM_THREAD_NAME_CAP];
    (void)tv_jvm_threads_name_of(jni, thread, name);
    tv_recorder_name_thread(name);
}

void tv_jvm_threads_begin(void)
{
    JNIEnv *jni;
    jthread thread = NULL;
    if ((*tv_jvm.vm)->GetEnv(tv_jvm.vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK ||
        (*tv_jvm.jvmti)->GetCurrentThread(tv_jvm.jvmti, &thread) != JVMTI_ERROR_NONE || !thread)
        return;
    /* The thread carries a virtual thread since before the recording began, so no event told of it.
     */
    if (is_virtual(jni, thread))
        tv_carried_adopt();
    name_thread(jni, thread);
    (*jni)->DeleteLocalRef(jni, thread);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    (void)jni;
    (void)thread;
    tv_jvm_stacks_thread_begins();
}

/* The thread may have got its name after its first call, so it is named once more. */
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    if (tv_jvm.options.interval_us)
        tv_jvm_stacks_thread_ends(jni, thread);
    else if (tv_calls_are_on() && tv_calls.depth)
        name_thread(jni, thread);
}

/* Virtual threads. The ticket by which the recorder knows a carried thread
 * (record/carried/carried.h) is kept in the thread's storage of JVMTI. */

/* The ticket of the thread that this one carries, as JVMTI keeps it. */
static _Thread_local uint64_t known_ticket __attribute__((tls_model("initial-exec")));

static void mount(jthread thread)
{
    void *ticket = NULL;
    if (tv_carried_is_one())
        return;
    (void)(*tv_jvm.jvmti)->GetThreadLocalStorage(tv_jvm.jvmti, thread, &ticket);
    known_ticket = (uintptr_t)ticket;
    tv_carried_mount(known_ticket);
}

/* A virtual thread has ended; should it be unmounted already, it is mounted again to be ended. */
static void JNICALL on_virtual_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    if (tv_jvm_virtual_is_on()) {
        tv_jvm_virtual_ended(jni, thread);
        return;
    }
    mount(thread); /* it may be unmounted already */
    tv_carried_end();
}

/* What the events of carrying tell; as extensions of JVMTI they take any arguments. */
struct carrying_event {
    JNIEnv *jni;
    jthread thread;
};

static struct carrying_event read_event(va_list arguments)
{
    JNIEnv *jni = va_arg(arguments, JNIEnv *);
    return (struct carrying_event){jni, va_arg(arguments, jthread)};
}

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
    va_list arguments;
    va_start(arguments, jvmti);
    mount(read_event(arguments).thread);
    va_end(arguments);
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
    va_list arguments;
    va_start(arguments, jvmti);
    const jthread thread = read_event(arguments).thread;
    va_end(arguments);
    uint64_t ticket = tv_carried_unmount();
    if (ticket && ticket != known_ticket)
        (void)(*jvmti)->SetThreadLocalStorage(jvmti, thread, ticket_as_data(ticket));
}

/* The events of carrying, where stacks are sampled (virtual_stacks.c) instead of recording calls.
 */
static void JNICALL on_seen_mount(jvmtiEnv *jvmti, ...)
{
    va_list arguments;
    va_start(arguments, jvmti);
    const struct carrying_event event = read_event(arguments);
    va_end(arguments);
    tv_jvm_virtual_mounted(event.jni, event.thread);
}

static void JNICALL on_seen_unmount(jvmtiEnv *jvmti, ...)
{
    va_list arguments;
    va_start(arguments, jvmti);
    const struct carrying_event event = read_event(arguments);
    va_end(arguments);
    tv_jvm_virtual_unmounted(event.jni, event.thread);
}

/*
 * What the virtual machine has.
 */

/* The bit of can_support_virtual_threads: it is the capability behind the last one that older
 * headers name. */
static uint32_t virtual_bit(size_t *word)
{
    const jvmtiCapabilities before = {.can_generate_sampled_object_alloc_events = 1};
    uint32_t words[CAPABILITY_WORDS];
    memcpy(words, &before, sizeof(words));
    for (*word = 0; !words[*word]; ++*word)
        continue;
    return words[*word] << 1;
}

/* Asks for the capability of virtual threads by its bit. */
void tv_jvm_threads_want(const jvmtiCapabilities *there, jvmtiCapabilities *wanted)
{
    uint32_t words[CAPABILITY_WORDS];
    size_t word;
    uint32_t bit = virtual_bit(&word);
    memcpy(words, there, sizeof(words));
    can_carry = words[word] & bit;
    if (!can_carry)
        return;
    memcpy(words, wanted, sizeof(words));
    words[word] |= bit;
    memcpy(wanted, words, sizeof(words));
}

/* Registers all callbacks, and those that older headers do not name, by writing behind the known
 * struct as a newer header would lay it out. */
void tv_jvm_threads_set(const jvmtiEventCallbacks *callbacks)
{
    void (*functions[FUNCTIONS])(void) = {NULL};
    jvmtiEventCallbacks known = *callbacks;
    known.ThreadStart = on_thread_start;
    known.ThreadEnd = on_thread_end;
    memcpy(functions, &known, sizeof(known));
    functions[VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL] = (void (*)(void))on_virtual_end;
    size_t len = can_carry ? sizeof(functions) : sizeof(known);
    (void)(*tv_jvm.jvmti)->SetEventCallbacks(tv_jvm.jvmti, (const void *)functions, (jint)len);
}

static void free_extension(const jvmtiExtensionEventInfo *event)
{
    for (jint i = 0; i < event->param_count; i++)
        tv_jvm_free(event->params[i].name);
    tv_jvm_free(event->params);
    tv_jvm_free(event->short_description);
    tv_jvm_free(event->id);
}

/* The numbers of the events of HotSpot's own that tell of carrying; 0: it has none. */
static struct {
    jint mount, unmount;
} carrying;

static void find_carrying(void)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetExtensionEvents(tv_jvm.jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
            carrying.mount = events[i].extension_event_index;
        else if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
            carrying.unmount = events[i].extension_event_index;
        free_extension(&events[i]);
    }
    tv_jvm_free(events);
}

static void find_class(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/BaseVirtualThread");
    jclass above = class ? (*jni)->FindClass(jni, "java/lang/Thread") : NULL;
    if (above) {
        id_field = (*jni)->GetFieldID(jni, above, "tid", "J");
        virtual_class = (*jni)->NewGlobalRef(jni, class);
    }
    (void)tv_jvm_clear(jni);
    jclass carrier = (*jni)->FindClass(jni, "jdk/internal/misc/CarrierThread");
    if (carrier)
        carrier_class = (*jni)->NewGlobalRef(jni, carrier);
    (void)tv_jvm_clear(jni);
    (*jni)->DeleteLocalRef(jni, carrier);
    (*jni)->DeleteLocalRef(jni, above);
    (*jni)->DeleteLocalRef(jni, class);
}

/* Turns the events of threads on or off. The class and the extension events of virtual threads are
 * looked for the first time that there is a JNI environment to do it with. */
void tv_jvm_threads_turn(JNIEnv *jni, jvmtiEventMode mode)
{
    jvmtiEnv *jvmti = tv_jvm.jvmti;
    bool is_on = mode == JVMTI_ENABLE, is_seen = tv_jvm.options.interval_us != 0;
    (void)tv_jvm_turn(mode, JVMTI_EVENT_THREAD_END);
    if (is_seen)
        (void)tv_jvm_turn(mode, JVMTI_EVENT_THREAD_START);
    if (can_carry && jni && !virtual_class) {
        find_carrying();
        if (carrying.mount && carrying.unmount)
            find_class(jni);
    }
    if (!virtual_class)
        return;
    jvmtiExtensionEvent mounts = is_seen ? on_seen_mount : on_mount;
    jvmtiExtensionEvent unmounts = is_seen ? on_seen_unmount : on_unmount;
    (void)(*jvmti)->SetExtensionEventCallback(jvmti, carrying.mount, is_on ? mounts : NULL);
    (void)(*jvmti)->SetExtensionEventCallback(jvmti, carrying.unmount, is_on ? unmounts : NULL);
    (void)tv_jvm_turn(mode, (jvmtiEvent)carrying.mount);
    (void)tv_jvm_turn(mode, (jvmtiEvent)carrying.unmount);
    (void)tv_jvm_turn(mode, (jvmtiEvent)VIRTUAL_THREAD_END);
}
