/*
 * Stacks of Java threads where they run; see jvm/async_stacks.h.
 *
 * JVMTI gives stacks at safepoints only, where a running thread seldom is. HotSpot's
 * AsyncGetCallTrace, a function that it exports without a header, follows the stack of the calling
 * thread from a signal handler. So each thread of the process has a timer on its CPU time; the
 * handler notes the thread's own stack in a ring without locks (record/look_ring.h), and the thread
 * that looks takes the stacks out later. HotSpot finds only methods that have ids already, so ids
 * are made for all classes at the start, and for each class that is prepared afterwards. The list
 * of threads belongs to the thread that looks; callbacks of events touch nothing of it.
 */
#include "jvm/async_stacks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "jvm/agent.h"
#include "record/cpu_timer.h"
#include "record/look_ring.h"
#include "record/recorder.h"
#include "record/sampling.h"

#define TASKS "/proc/self/task"
#define THREADS_MOST 4096u

/* The structs that AsyncGetCallTrace fills, as HotSpot's forte.cpp declares them. */
struct call_frame {
    jint bytecode;
    jmethodID method;
};
struct call_trace {
    JNIEnv *jni;
    jint count; /* below 0: why there is none */
    struct call_frame *frames;
};
typedef void (*get_call_trace)(struct call_trace *trace, jint depth, void *context);

/* Results for which the caller of the interrupted code may have a stack that can be followed. */
enum { UNKNOWN_NOT_JAVA = -3, UNKNOWN_JAVA = -5, NOT_WALKABLE_JAVA = -6 };

static get_call_trace follow; /* NULL: not looked for, or not there */
static bool are_classes_told;
static struct tv_look_ring ring;

/* A thread of the kernel, whether Java knows it or not. */
static struct {
    pid_t id;
    bool is_there;
    struct tv_cpu_timer timer;
} threads[THREADS_MOST];
static unsigned thread_count;
static int tasks = -1; /* the folder of the kernel's threads */
static nlink_t task_links;
static uint64_t interval_ns;
static long processors;

/*
 * In the handler.
 */

#if defined(__x86_64__)

/* Reads a word of the stack. The address may be no memory at all, so the kernel reads it, and fails
 * instead of a fault. */
static bool read_word(uintptr_t at, uintptr_t *word)
{
    const struct iovec to = {word, sizeof(*word)};
    const struct iovec from = {(void *)at, sizeof(*word)}; /* NOLINT(performance-no-int-to-ptr) */
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*word);
}

/* Makes the context that of the interrupted code's caller. Code that has no frame, or has not made
 * it yet, has its return address on top of the stack; other code has it above the saved frame
 * pointer. */
static bool leave_frame(ucontext_t *context, bool by_frame_pointer)
{
    greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[by_frame_pointer ? REG_RBP : REG_RSP];
    uintptr_t caller_frame = (uintptr_t)registers[REG_RBP], caller;
    if (by_frame_pointer) {
        if (at < (uintptr_t)registers[REG_RSP] || !read_word(at, &caller_frame))
            return false;
        at += sizeof(uintptr_t);
    }
    if (!read_word(at, &caller))
        return false;
    registers[REG_RIP] = (greg_t)caller;
    registers[REG_RSP] = (greg_t)(at + sizeof(uintptr_t));
    registers[REG_RBP] = (greg_t)caller_frame;
    return true;
}

/* Stubs, such as those that copy arrays, are no frames to HotSpot, so a thread inside one has no
 * stack; the stack of the stub's caller is taken for it, by either way to find the caller. */
static void follow_from_caller(struct call_trace *trace, const ucontext_t *context)
{
    for (int way = 0; way < 2; way++) {
        ucontext_t copy = *context;
        if (!leave_frame(&copy, way == 1))
            continue;
        follow(trace, TV_STACK_SEEN, &copy);
        if (trace->count > 0)
            return;
    }
}

#else

static void follow_from_caller(struct call_trace *trace, const ucontext_t *context)
{
    (void)trace;
    (void)context;
}

#endif

/* The handler of the timer. A thread without a JNI environment is no thread of Java. A look without
 * frames is passed on too, and dropped by the thread that takes it. */
static void look_at_self(void *context)
{
    JNIEnv *jni = NULL;
    if ((*tv_jvm.vm)->GetEnv(tv_jvm.vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK)
        return;
    struct tv_own_look *look = tv_look_ring_begin(&ring);
    if (!look)
        return;
    look->ticks = tv_recorder_ticks();
    look->cpu_ns = tv_cpu_timer_own_ns();
    look->thread = (uintptr_t)jni;
    struct call_trace trace = {.jni = jni, .frames = (struct call_frame *)(void *)look->bytes};
    follow(&trace, TV_STACK_SEEN, context);
    if (trace.count == UNKNOWN_NOT_JAVA || trace.count == UNKNOWN_JAVA ||
        trace.count == NOT_WALKABLE_JAVA)
        follow_from_caller(&trace, context);
    look->count = trace.count > 0 ? (uint32_t)trace.count : 0;
    tv_look_ring_end(look);
}

/* Looks come out in the order in which they were begun; frames are innermost first. */
void tv_jvm_async_take(void (*tell)(void *ctx, const struct tv_jvm_async_look *look), void *ctx)
{
    static jvmtiFrameInfo told[TV_STACK_SEEN]; /* of the thread that takes */
    struct tv_own_look *own;
    while (ring.memory && (own = tv_look_ring_next(&ring)) != NULL) {
        const struct call_frame *frames = (const struct call_frame *)(const void *)own->bytes;
        for (uint32_t i = 0; i < own->count; i++)
            told[i] = (jvmtiFrameInfo){.method = frames[i].method, .location = frames[i].bytecode};
        tell(ctx, &(struct tv_jvm_async_look){.key = (const void *)own->thread, /* NOLINT */
                                              .ticks = own->ticks,
                                              .cpu_ns = own->cpu_ns,
                                              .depth = own->count,
                                              .frames = told});
        tv_look_ring_give(&ring, own);
    }
}

/*
 * Classes: HotSpot follows a stack in a handler with the ids alone that its methods have by then.
 */

/* Asking for a class's methods makes their ids, which is all that is wanted of it. */
static void make_ids(jclass class)
{
    jmethodID *methods = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetClassMethods(tv_jvm.jvmti, class, &count, &methods) == JVMTI_ERROR_NONE)
        tv_jvm_free(methods);
}

/* Does nothing, but must be there: HotSpot follows no stack in a handler unless somebody wants
 * events of classes that are loaded. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)class;
}

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)jvmti;
    (void)jni;
    (void)thread;
    make_ids(class);
}

/* Does nothing, but must be there: while somebody wants these events, HotSpot keeps for each
 * instruction of compiled code which method it is of, and not for safepoints alone. */
static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint len, const void *address,
                                jint count, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)jvmti;
    (void)method;
    (void)len;
    (void)address;
    (void)count;
    (void)map;
    (void)info;
}

void tv_jvm_async_want(const jvmtiCapabilities *there, jvmtiCapabilities *wanted)
{
    wanted->can_generate_compiled_method_load_events =
        there->can_generate_compiled_method_load_events;
}

void tv_jvm_async_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->CompiledMethodLoad = on_compiled;
    callbacks->ClassLoad = on_class_load;
    callbacks->ClassPrepare = on_class_prepare;
}

static bool turn_classes(jvmtiEventMode mode)
{
    (void)tv_jvm_turn(mode, JVMTI_EVENT_COMPILED_METHOD_LOAD);
    return tv_jvm_turn(mode, JVMTI_EVENT_CLASS_LOAD) &&
           tv_jvm_turn(mode, JVMTI_EVENT_CLASS_PREPARE);
}

static void make_ids_of_all(JNIEnv *jni)
{
    jclass *classes = NULL;
    jint count = 0;
    if ((*tv_jvm.jvmti)->GetLoadedClasses(tv_jvm.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        make_ids(classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    tv_jvm_free(classes);
}

/*
 * Threads.
 */

static void time_thread(pid_t id)
{
    for (unsigned i = 0; i < thread_count; i++) {
        if (threads[i].id == id) {
            threads[i].is_there = true;
            return;
        }
    }
    if (thread_count == THREADS_MOST)
        return;
    threads[thread_count].id = id;
    threads[thread_count].is_there = true;
    (void)tv_cpu_timer_start(&threads[thread_count++].timer, id, interval_ns);
}

static void forget_ended(void)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < thread_count; i++) {
        if (threads[i].is_there)
            threads[kept++] = threads[i];
        else
            tv_cpu_timer_stop(&threads[i].timer);
    }
    thread_count = kept;
}

/* Gives threads that are new a timer, and takes those of ended threads away. The number of links of
 * the folder of tasks changes with the number of threads, so most looks cost one fstat(). A thread
 * that came while another one went leaves the number as it was: where Java knows either, the caller
 * does. */
bool tv_jvm_async_time_threads(bool has_changed)
{
    struct stat status;
    struct dirent *entry;
    if (!ring.memory || fstat(tasks, &status) != 0 ||
        (status.st_nlink == task_links && !has_changed))
        return false;
    DIR *folder = opendir(TASKS);
    if (!folder)
        return false;
    task_links = status.st_nlink;
    for (unsigned i = 0; i < thread_count; i++)
        threads[i].is_there = false;
    while ((entry = readdir(folder)) != NULL) {
        pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
        if (id > 0)
            time_thread(id);
    }
    closedir(folder);
    forget_ended();
    return true;
}

/* With half of the ring to spare, for when the thread that takes them comes late. */
uint64_t tv_jvm_async_room_ns(void)
{
    return interval_ns * (TV_LOOK_RING_PLACES / 2) / (uint64_t)processors;
}

/* Finds how to tell which java.lang.Thread a JNI environment belongs to: class Thread keeps the
 * address of HotSpot's own thread (field eetop), and in that the JNI environment lies at the same
 * distance in all threads, so that the calling thread's distance holds for all. */
static jfieldID own_thread_field;
static intptr_t jni_place;

static bool find_place(JNIEnv *jni)
{
    jthread self = NULL;
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    own_thread_field = class ? (*jni)->GetFieldID(jni, class, "eetop", "J") : NULL;
    if (tv_jvm_clear(jni) || !own_thread_field ||
        (*tv_jvm.jvmti)->GetCurrentThread(tv_jvm.jvmti, &self) != JVMTI_ERROR_NONE || !self)
        return false;
    const jlong own = (*jni)->GetLongField(jni, self, own_thread_field);
    jni_place = (intptr_t)jni - (intptr_t)own;
    (*jni)->DeleteLocalRef(jni, self);
    (*jni)->DeleteLocalRef(jni, class);
    return own != 0;
}

const void *tv_jvm_async_key(JNIEnv *jni, jthread thread)
{
    const jlong own = ring.memory ? (*jni)->GetLongField(jni, thread, own_thread_field) : 0;
    return own ? (const void *)((intptr_t)own + jni_place) : NULL; /* NOLINT */
}

/*
 * Begin and end.
 */

/* Timers come from the same store as signals that wait (RLIMIT_SIGPENDING), which other programs of
 * this user may have used up; a container may forbid them. */
static bool has_timers(void)
{
    struct tv_cpu_timer timer;
    const bool is_there = tv_cpu_timer_start(&timer, gettid(), interval_ns);
    tv_cpu_timer_stop(&timer);
    return is_there;
}

const char *tv_jvm_async_begin(JNIEnv *jni, uint64_t interval)
{
    const char *why = NULL;
    void *found = tv_jvm_symbol("AsyncGetCallTrace");
    interval_ns = interval;
    processors = sysconf(_SC_NPROCESSORS_CONF);
    processors = processors > 0 ? processors : TV_LOOK_RING_PLACES;
    memcpy(&follow, &found, sizeof(follow));
    are_classes_told = follow && find_place(jni) && turn_classes(JVMTI_ENABLE);
    if (!are_classes_told)
        return "this virtual machine follows no stacks where threads run";
    make_ids_of_all(jni);
    task_links = 0;
    tasks = open(TASKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!tv_look_ring_init(&ring, TV_STACK_SEEN * sizeof(struct call_frame)))
        why = "there is no memory for stacks where threads run";
    else if (tasks < 0)
        why = "the list of the process's threads cannot be read";
    else if (!tv_cpu_timer_begin(look_at_self) || !has_timers())
        why = "the system gives no timers on the CPU time of threads";
    else
        (void)tv_jvm_async_time_threads(true);
    if (why)
        tv_jvm_async_end();
    return why;
}

void tv_jvm_async_end(void)
{
    for (unsigned i = 0; i < thread_count; i++)
        tv_cpu_timer_stop(&threads[i].timer);
    thread_count = 0;
    if (tasks >= 0)
        close(tasks);
    tasks = -1;
    tv_cpu_timer_end();
    tv_look_ring_release(&ring);
    if (are_classes_told)
        (void)turn_classes(JVMTI_DISABLE);
    are_classes_told = false;
}
