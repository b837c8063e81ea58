/*
 * The agent in a virtual machine: by -agentpath, attached later, or loaded by class
 * traceview.Debug.
 *
 * Whichever way the library comes in, become_agent makes it an agent once: it takes the
 * capabilities that the options need, registers what each way of recording wants to be called for,
 * and waits. Recording begins when the virtual machine is live (VMInit, or at once when it is
 * attached) and ends at its death at the latest; control.c does both, under tv_jvm_lock. An agent
 * must not end the program that it records, so a failure is said on standard error and the program
 * runs on.
 */
#include "jvm/agent.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jvm/allocations.h"
#include "jvm/async_stacks.h"
#include "jvm/control.h"
#include "jvm/events.h"
#include "jvm/rewrite.h"
#include "jvm/rewriter.h"
#include "jvm/threads.h"
#include "jvm/waits.h"
#include "record/output.h"
#include "record/recorder.h"

#define SAY_CAP 1024u

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

struct tv_jvm tv_jvm;

void tv_jvm_say(const char *format, ...)
{
    char text[SAY_CAP];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "traceview: %s\n", text);
}

void tv_jvm_free(void *memory)
{
    if (memory)
        (void)(*tv_jvm.jvmti)->Deallocate(tv_jvm.jvmti, memory);
}

/* The library may have been loaded so that dlsym() of the whole program does not see its names. */
void *tv_jvm_symbol(const char *name)
{
    Dl_info library;
    void *found = NULL, *address;
    memcpy(&address, &(*tv_jvm.vm)->GetEnv, sizeof(address));
    if (!dladdr(address, &library))
        return NULL;
    void *of_machine = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (of_machine) {
        found = dlsym(of_machine, name);
        dlclose(of_machine);
    }
    return found;
}

bool tv_jvm_clear(JNIEnv *jni)
{
    bool is_pending = (*jni)->ExceptionCheck(jni);
    if (is_pending)
        (*jni)->ExceptionClear(jni);
    return is_pending;
}

/*
 * The virtual machine's life.
 */

/* Whether `traceview record` waits for what this virtual machine records: its options may have been
 * given to each, also to those that begin when it has ended. */
static bool is_awaited(void)
{
    return tv_output_is_awaited(tv_jvm.options.awaited);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    char why[TV_JVM_WHY_CAP] = "";
    (void)jvmti;
    (void)thread;
    pthread_mutex_lock(&tv_jvm_lock);
    tv_jvm.is_live = true;
    if (tv_jvm.options.command == TV_JVM_START && is_awaited())
        (void)tv_jvm_start(jni, why);
    /* Who ends the recording cannot be asked before by a virtual machine that begins. */
    if (tv_jvm_is_recording() && !is_awaited())
        (void)tv_jvm_stop(jni, why);
    tv_jvm_say_why(why);
    pthread_mutex_unlock(&tv_jvm_lock);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    char why[TV_JVM_WHY_CAP] = "";
    (void)jvmti;
    (void)jni;
    pthread_mutex_lock(&tv_jvm_lock);
    tv_jvm.is_live = false;
    if (tv_jvm_is_recording())
        (void)tv_jvm_stop(NULL, why);
    tv_jvm_say_why(why);
    pthread_mutex_unlock(&tv_jvm_lock);
}

/* Takes what this virtual machine has of what may be wanted. Events of method entry and exit slow a
 * program down even where nobody is told of them, so they are taken only when nothing else can
 * record. */
static void take_capabilities(void)
{
    jvmtiEnv *jvmti = tv_jvm.jvmti;
    jvmtiCapabilities there = {.can_tag_objects = 0}, wanted = {.can_tag_objects = 0};
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &there) != JVMTI_ERROR_NONE)
        return;
    wanted.can_get_source_file_name = there.can_get_source_file_name;
    wanted.can_get_line_numbers = there.can_get_line_numbers;
    wanted.can_get_thread_cpu_time = there.can_get_thread_cpu_time;
    wanted.can_generate_garbage_collection_events = there.can_generate_garbage_collection_events;
    tv_jvm_threads_want(&there, &wanted);
    tv_jvm_async_want(&there, &wanted);
    wanted.can_retransform_classes = there.can_retransform_classes;
    wanted.can_generate_all_class_hook_events = there.can_generate_all_class_hook_events;
    tv_jvm.can_rewrite = there.can_retransform_classes;
    tv_jvm.can_tell_gc = there.can_generate_garbage_collection_events;
    /* Having these capabilities slows a program down, whether they are used or not. */
    if (tv_jvm.options.mode == TV_JVM_EVENTS ||
        (tv_jvm.options.mode == TV_JVM_BEST &&
         !(tv_jvm.can_rewrite && tv_jvm_rewriter_has_jar()))) {
        wanted.can_generate_method_entry_events = there.can_generate_method_entry_events;
        wanted.can_generate_method_exit_events = there.can_generate_method_exit_events;
    }
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
        tv_jvm.can_rewrite = tv_jvm.can_tell_gc = false;
    else
        tv_jvm.can_tell_calls = wanted.can_generate_method_entry_events;
}

bool tv_jvm_turn(jvmtiEventMode mode, jvmtiEvent event)
{
    return (*tv_jvm.jvmti)->SetEventNotificationMode(tv_jvm.jvmti, mode, event, NULL) ==
           JVMTI_ERROR_NONE;
}

/* Makes this library an agent of the virtual machine, once. */
static bool become_agent(JavaVM *vm)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init, .VMDeath = on_vm_death};
    if (tv_jvm.jvmti)
        return true;
    tv_jvm.vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&tv_jvm.jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        tv_jvm.jvmti = NULL;
        return false;
    }
    take_capabilities();
    tv_jvm_async_set(&callbacks);
    tv_jvm_events_set(&callbacks);
    tv_jvm_rewrite_set(&callbacks);
    tv_jvm_allocations_set(&callbacks);
    tv_jvm_waits_set(&callbacks);
    tv_jvm_threads_set(&callbacks);
    (void)tv_jvm_turn(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT);
    (void)tv_jvm_turn(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH);
    return true;
}

/* Returns JNI_OK even for options that are wrong: another result would end the program. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    if (tv_jvm.jvmti)
        tv_jvm_say("agent: it is named twice: what the second time asks for is ignored: %s",
                   text ? text : "");
    else if (tv_jvm_obey(NULL, text) == TV_JVM_REPLY_DONE && !become_agent(vm))
        tv_jvm_say("this virtual machine has no JVMTI: the program runs without being recorded");
    return JNI_OK;
}

/* The virtual machine is live already, so the command is obeyed at once; its result goes to whoever
 * attached. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    JNIEnv *jni;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK || !become_agent(vm))
        return TV_JVM_REPLY_NO_JVMTI;
    tv_jvm.is_live = true;
    return (jint)tv_jvm_obey(jni, text);
}

/* The end of the virtual machine. A recording that VMDeath has not ended is ended here. */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    (void)tv_recorder_stop(NULL);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    if (become_agent(vm))
        tv_jvm.is_live = true;
    return JNI_VERSION_1_6;
}
