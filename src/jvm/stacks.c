/*
 * Recording by looks at the stacks; see jvm/stacks.h.
 *
 * A thread of the agent takes stacks by JVMTI at each interval, at safepoints. For threads that
 * wait that is the truth. A running thread is brought to the next safepoint first, which says
 * little of where it ran: so running threads note their own stacks by timer (async_stacks.c), which
 * accounts for CPU time, and JVMTI's stacks for wall time only. Where AsyncGetCallTrace is missing,
 * safepoints have to do for both.
 *
 * A safepoint costs more than all else. So most looks ask for the stacks of those threads alone
 * that may wait anew: a thread that has used no CPU time since it was seen waiting has the same
 * stack, and one that runs has the stack that it noted last. Threads that begin and end are met by
 * looks at all of them, which come when the number of the kernel's threads changes, and now and
 * then. A thread that ends tells itself what it has used of a processor.
 *
 * Being woken costs more than such a look. So while threads run, no thread waits anew, and none
 * begins or ends, the looks come further and further apart: the stacks that running threads note
 * themselves wait in the ring meanwhile.
 *
 * All state here belongs to the thread that looks; tv_jvm_stacks_end waits for that thread's end
 * before it releases anything.
 */
#include "jvm/stacks.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "jvm/agent.h"
#include "jvm/async_stacks.h"
#include "jvm/methods.h"
#include "jvm/thread_ends.h"
#include "jvm/threads.h"
#include "jvm/virtual_stacks.h"
#include "record/cpu_timer.h"
#include "record/memory.h"
#include "record/recorder.h"
#include "record/sampling.h"

/* A thread with a timer notes its stack at one of the kernel's ticks, of which there are 100 a
 * second or more; it may fail to follow some. */
#define UNTIMED_LOOKS 50u
#define TICK_MOST_NS (10 * TV_NS_PER_MS)

/* After LOOKS_AT_SOME looks at some threads, or after AT_SOME_NS, one look is at all threads: a
 * thread of the kernel may have become one of Java, or may have got its first call. */
#define LOOKS_AT_SOME 32u
#define AT_SOME_NS (50 * TV_NS_PER_MS)
/* A new thread has no stack at first, and then none of wanted classes. So looks are at all threads
 * for AT_ALL_NS after a thread began, and for AT_ALL_FIRST_NS after the program began. */
#define AT_ALL_NS (50 * TV_NS_PER_MS)
#define AT_ALL_FIRST_NS TV_NS_PER_S
/* A look by an unknown thread causes a look at all threads, but only after this many looks at some.
 */
#define LOOKS_UNKNOWN 4u
/* A thread that this many looks at all threads did not find has ended, though it did not report its
 * end. */
#define ABSENCES_MOST 100u
/* Where more threads than these may wait anew, all are looked at. */
#define SOME_MOST 256u

/* Looks come no further apart than APART_MOST_NS. They begin to, once for CALM_NS no look has found
 * a thread that waited anew, so that waits that come more often are looked at each interval. */
#define APART_MOST_NS (8 * TV_NS_PER_MS)
#define CALM_NS (100 * TV_NS_PER_MS)

static bool is_looking;
static bool is_async; /* running threads look at themselves */
static sem_t is_called, has_ended;
static atomic_bool is_end_wanted;
static atomic_bool is_apart; /* looks are further apart than the interval */

/* A thread of Java. JVMTI's stack of a running thread counts for wall time alone, and only until
 * the thread has noted a stack itself since it last waited. */

struct java_thread {
    struct java_thread *next;
    struct tv_watched *row;
    const void *key;
    jthread handle; /* a global reference */
    uint64_t met;   /* when it was seen first, as tv_recorder_ticks() */
    uint64_t cpu_ns;
    uint64_t own_cpu_ns; /* when it noted its own stack last, or was met */
    bool is_there;       /* in the look under way */
    bool is_seen;        /* its stack was looked at */
    unsigned absences;   /* looks at all in a row that it was not in */
    bool has_looks;      /* it has noted its own stack */
    bool is_resting;     /* `view` is the stack with which it waits since `cpu_ns` */
    bool has_own_look;   /* it noted its own stack since it last waited: `view` is that stack */
    bool has_late_look; /* a stack at a safepoint is held back in `view`, until it is known what the
                           thread did */
    uint64_t from, to;  /* first and last time of the stack that is held back */
    struct tv_stack_view view;
};

static unsigned looks_at_all; /* that are to follow */
static unsigned at_some;      /* looks since the last at all */
static struct tv_memory memory;
static struct java_thread *java_threads, *free_threads;
static struct tv_jvm_ended told_ends[TV_JVM_ENDED_MOST]; /* since the look before */
static bool has_ends;                        /* since it was looked which threads the kernel has */
static uint64_t last_all_ns, last_all_ticks; /* when the last look at all began */
static uint64_t missed_ns; /* CPU time of threads that ended before they were known */
static unsigned missed_count;
static uint64_t ran_ns;    /* when a thread was last known to run, */
static uint64_t waited_ns; /* and when one may have waited anew, or begun, as now_ns() */
static uint64_t apart_ns;  /* from this look to the next */
static struct tv_recorder_looks looked;

/* A thread that ended gives its struct to the next one, since memory is not given back singly. */
static struct java_thread *new_thread_of(JNIEnv *jni, jthread thread)
{
    char name[TV_JVM_THREAD_NAME_CAP];
    struct java_thread *made = free_threads;
    if (!tv_jvm_threads_name_of(jni, thread, name))
        return NULL;
    if (made)
        free_threads = made->next;
    else
        made = tv_memory_take(&memory, sizeof(*made));
    struct tv_watched *row = made ? tv_recorder_watch(name) : NULL;
    if (!made)
        return NULL;
    *made = (struct java_thread){.row = row,
                                 .next = java_threads,
                                 .handle = (*jni)->NewGlobalRef(jni, thread),
                                 .met = tv_recorder_ticks()};
    java_threads = made;
    made->key = tv_jvm_async_key(jni, thread);
    return made;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TV_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Makes the looks of the next `ns`, at least, look at all threads. */
static void look_at_all_for(uint64_t ns)
{
    const unsigned looks = (unsigned)(ns / (tv_jvm.options.interval_us * TV_NS_PER_US)) + 1;
    if (looks_at_all < looks)
        looks_at_all = looks;
}

/* What is known of a thread. A thread of which nothing is known is made known when `is_wanted`.
 * NULL: the thread has ended, or has done nothing that is to be seen. JVMTI could keep a pointer
 * for each thread (thread-local storage), but HotSpot 17 crashes when asked for that of a thread
 * that ends just then. */
static struct java_thread *known(JNIEnv *jni, jthread thread, bool is_wanted)
{
    const void *key = tv_jvm_async_key(jni, thread);
    if (is_async && !key)
        return NULL;
    for (struct java_thread *at = java_threads; at; at = at->next) {
        if (at->key == key && (*jni)->IsSameObject(jni, at->handle, thread))
            return at;
    }
    return is_wanted ? new_thread_of(jni, thread) : NULL;
}

static bool put_number(uint32_t number, struct tv_stack_view *view)
{
    if (!number || number == TV_JVM_UNWANTED || view->depth == TV_STACK_SEEN)
        return false;
    view->methods[view->depth++] = number;
    return true;
}

/* Puts the methods of a stack, innermost first, and then, where lines are wanted, the line that the
 * innermost of those methods that are wanted is in. */
static void put_stack(JNIEnv *jni, const jvmtiFrameInfo *frames, size_t count,
                      struct tv_stack_view *view)
{
    const jvmtiFrameInfo *last = NULL;
    view->depth = 0;
    for (size_t i = count; i-- > 0;) {
        if (frames[i].method && put_number(tv_jvm_number(jni, frames[i].method), view))
            last = &frames[i];
    }
    if (tv_jvm.options.has_lines && last)
        (void)put_number(tv_jvm_line_number(jni, last->method, last->location), view);
}

void tv_jvm_stacks_view(JNIEnv *jni, const jvmtiStackInfo *stack, struct tv_stack_view *view)
{
    put_stack(jni, stack->frame_buffer, (size_t)stack->frame_count, view);
}

static void tell(const struct java_thread *thread, const struct tv_stack_view *view, uint64_t from,
                 uint64_t to, bool is_running)
{
    if (thread->row)
        tv_recorder_looked(thread->row, view,
                           &(struct tv_recorder_look){.from_ticks = from,
                                                      .to_ticks = to,
                                                      .cpu_ns = thread->cpu_ns,
                                                      .is_running = is_running});
}

/* A stack that is held back is all that is known of what a thread did, and is told before what
 * follows. */
static void tell_late_look(struct java_thread *thread)
{
    if (thread->has_late_look)
        tell(thread, &thread->view, thread->from, thread->to, false);
    thread->has_late_look = false;
}

/* The thread at this place of the list has ended by `end`, in ticks, and so have its calls. It is
 * forgotten, since a new thread may get its key. Where it ended before a tick of its timer, what
 * was seen of it running last is all that its time can be of. */
static void forget(JNIEnv *jni, struct java_thread **at, uint64_t end)
{
    struct java_thread *thread = *at;
    if (is_async && !thread->has_looks && thread->view.depth) {
        const bool is_late = thread->has_late_look;
        tell(thread, &thread->view, is_late ? thread->from : end, end, is_late);
        thread->has_late_look = false;
    }
    tell_late_look(thread);
    if (thread->row)
        tv_recorder_unwatch(thread->row, thread->cpu_ns);
    (*jni)->DeleteGlobalRef(jni, thread->handle);
    *at = thread->next;
    thread->next = free_threads;
    free_threads = thread;
}

/* Threads that the look under way did not meet have ended. What they used is told by themselves
 * (take_end), a while after they are met no more; only where that has no room it is not. */
static void forget_ended(JNIEnv *jni)
{
    for (struct java_thread **at = &java_threads; *at;) {
        (*at)->absences = (*at)->is_there ? 0 : (*at)->absences + 1;
        if (!(*at)->absences || (is_async && (*at)->absences < ABSENCES_MOST))
            at = &(*at)->next;
        else
            forget(jni, at, tv_recorder_ticks());
    }
}

/* The place in the list of the thread that had the key at `ticks`; it holds NULL where none is
 * known. A new thread often gets the key of one that has just ended, and stands before it in the
 * list: what was noted before the new thread was met, and its CPU time, belong to the old one. */
static struct java_thread **place_of(const void *key, uint64_t ticks)
{
    struct java_thread **at = &java_threads;
    while (*at && ((*at)->key != key || ticks < (*at)->met))
        at = &(*at)->next;
    return at;
}

/* Carriers of virtual threads are known to none, and their time is that of what they carry. A
 * thread of the kernel may be several of Java, one after the other, as that is in which main()
 * runs. */
void tv_jvm_stacks_thread_ends(JNIEnv *jni, jthread thread)
{
    static _Thread_local uint64_t before_ns __attribute__((tls_model("initial-exec")));
    const uint64_t cpu_ns = tv_cpu_timer_own_ns();
    if (!tv_jvm_threads_is_carrier(jni, thread))
        tv_jvm_ended_note(&(struct tv_jvm_ended){.key = jni,
                                                 .cpu_ns = cpu_ns,
                                                 .own_ns = cpu_ns - before_ns,
                                                 .ticks = tv_recorder_ticks()});
    before_ns = cpu_ns;
}

/* A thread that has told its end, after all its own looks. Its last stack has what it used since.
 */
static void take_end(JNIEnv *jni, const struct tv_jvm_ended *ended)
{
    struct java_thread **at = place_of(ended->key, ended->ticks);
    if (!*at || !(*at)->is_seen) {
        missed_ns += ended->own_ns;
        missed_count++;
    }
    if (!*at)
        return;
    if ((*at)->cpu_ns < ended->cpu_ns)
        (*at)->cpu_ns = ended->cpu_ns;
    forget(jni, at, ended->ticks > (*at)->to ? ended->ticks : (*at)->to);
}

/* The stacks that threads noted themselves are older than the look under way, so they are taken
 * first. One of a thread that is not known is lost, and the thread is met by the next look. */
static void take_own_look(void *jni, const struct tv_jvm_async_look *look)
{
    struct java_thread *thread = *place_of(look->key, look->ticks);
    if (!thread && look->depth && !looks_at_all && at_some >= LOOKS_UNKNOWN)
        looks_at_all = 1; /* seldom, since carriers of virtual threads are never known */
    if (thread && look->cpu_ns > thread->own_cpu_ns)
        thread->own_cpu_ns = look->cpu_ns;
    if (!thread || !look->depth)
        return;
    thread->is_resting = false;
    thread->has_looks = true;
    ran_ns = now_ns();
    const bool is_held = thread->has_late_look || (thread->is_seen && !thread->view.depth);
    const uint64_t from = is_held && thread->from < look->ticks ? thread->from : look->ticks;
    put_stack(jni, look->frames, look->depth, &thread->view);
    thread->cpu_ns = look->cpu_ns > thread->cpu_ns ? look->cpu_ns : thread->cpu_ns;
    thread->has_late_look = false;
    thread->has_own_look = true;
    looked.stacks++;
    looked.running++;
    tell(thread, &thread->view, from, look->ticks, true);
}

/* What threads have told since the look before. Whose end is told has told its looks before. */
static void take_told(JNIEnv *jni)
{
    const size_t count = tv_jvm_ended_take(told_ends);
    has_ends |= count > 0;
    tv_jvm_async_take(take_own_look, jni);
    for (size_t i = 0; is_async && i < count; i++)
        take_end(jni, &told_ends[i]);
}

/* Whether a thread waits or is in native code: then its stack does not change, and JVMTI's is
 * right. */
static bool is_standing(jint state)
{
    return !(state & JVMTI_THREAD_STATE_RUNNABLE) || (state & JVMTI_THREAD_STATE_IN_NATIVE);
}

static void keep_view(struct java_thread *thread, const struct tv_stack_view *view)
{
    thread->view.depth = view->depth;
    memcpy(thread->view.methods, view->methods, view->depth * sizeof(view->methods[0]));
}

/* A thread waits. Where it did so at the look before, and has not run since, its stack stays until
 * it does. What it used before the first look at it is that stack's, too: no other is known. */
static void tell_wait(struct java_thread *thread, const struct tv_stack_view *view, uint64_t now,
                      bool has_run)
{
    const uint64_t from = thread->view.depth ? now : thread->from;
    tell_late_look(thread);
    thread->has_own_look = false;
    thread->is_resting = !has_run;
    keep_view(thread, view);
    tell(thread, view, from, now, false);
}

/* A thread runs. The stack that it noted last goes on; until it has noted one, JVMTI's is held
 * back. */
static void tell_run(struct java_thread *thread, const struct tv_stack_view *view, uint64_t now)
{
    thread->is_resting = false;
    if (thread->has_own_look) {
        tell(thread, &thread->view, now, now, false);
        return;
    }
    if (thread->view.depth && !view->depth)
        tell_late_look(thread); /* it has left its methods, and may end so */
    if (!thread->has_late_look && thread->view.depth)
        thread->from = now; /* else it is when the thread began */
    thread->to = now;
    thread->has_late_look = true;
    keep_view(thread, view);
}

/* Whether a thread has used too much CPU time without noting a stack to have a timer: the system
 * had no timer left when the thread began. */
static bool is_untimed(const struct java_thread *thread)
{
    const uint64_t each_ns = tv_jvm.options.interval_us * TV_NS_PER_US;
    return thread->cpu_ns - thread->own_cpu_ns >
           UNTIMED_LOOKS * (each_ns > TICK_MOST_NS ? each_ns : TICK_MOST_NS);
}

/* Warns the user once: the stacks of threads without a timer are less exact. */
static void tell_untimed(void)
{
    static bool is_told; /* by the thread that looks */
    if (!is_told)
        tv_jvm_say("some threads have no timer on their CPU time: their stacks are those of "
                   "safepoints, and loops without any count as their callers'");
    is_told = true;
}

/* Begins a thread at the first look at it. At the last look at all threads it was in none of its
 * methods, so these have at most the time since then. They began as long before now as the thread
 * has used CPU time. */
static void tell_begin(struct java_thread *thread, uint64_t now)
{
    static const struct tv_stack_view none = {.depth = 0};
    thread->is_seen = true;
    if (thread->has_looks)
        return;
    const uint64_t cpu_ns = thread->cpu_ns, passed_ns = now_ns() - last_all_ns + 1;
    const uint64_t own_ns = cpu_ns < passed_ns ? cpu_ns : passed_ns;
    const double share = (double)own_ns / (double)passed_ns;
    thread->own_cpu_ns = cpu_ns;
    thread->from = now - (uint64_t)((double)(now - last_all_ticks) * share);
    thread->cpu_ns = cpu_ns - own_ns;
    tell(thread, &none, thread->from, thread->from, false);
    thread->cpu_ns = cpu_ns;
}

/* Notes what is on a thread's stack, on the clocks that the thread has run by since the look
 * before. */
static void look_at(JNIEnv *jni, const jvmtiStackInfo *stack, uint64_t now)
{
    static struct tv_stack_view view; /* of the thread that looks */
    jlong cpu_ns = 0;
    struct java_thread *thread = known(jni, stack->thread, false);
    if (!thread)
        return;
    tv_jvm_stacks_view(jni, stack, &view);
    (void)(*tv_jvm.jvmti)->GetThreadCpuTime(tv_jvm.jvmti, stack->thread, &cpu_ns);
    const bool has_run = (uint64_t)cpu_ns > thread->cpu_ns;
    if (has_run)
        thread->cpu_ns = (uint64_t)cpu_ns;
    if (!thread->is_seen)
        tell_begin(thread, now);
    const bool is_looked_at = is_async && is_untimed(thread);
    if (is_looked_at) {
        tell_untimed();
        thread->is_resting = thread->has_own_look = false;
    }
    const bool is_running = (!is_async || is_looked_at) && has_run;
    looked.stacks++;
    looked.running += is_running;
    if (!is_async || is_looked_at)
        tell(thread, &view, now, now, is_running);
    else if (is_standing(stack->state))
        tell_wait(thread, &view, now, has_run);
    else
        tell_run(thread, &view, now);
}

/* Marks a thread as living, and makes it known once it has a stack. Carriers of virtual threads are
 * left out: their time is that of the threads that they carry, and some virtual machines show the
 * calls of those on the carrier's stack, too. Returns whether it is new. */
static bool meet(JNIEnv *jni, const jvmtiStackInfo *stack)
{
    static struct tv_stack_view view; /* of the thread that looks */
    bool is_new = false;
    if (tv_jvm_threads_is_carrier(jni, stack->thread))
        return false;
    struct java_thread *thread = known(jni, stack->thread, false);
    if (!thread) {
        tv_jvm_stacks_view(jni, stack, &view);
        thread = view.depth ? known(jni, stack->thread, true) : NULL;
        is_new = thread != NULL;
    }
    if (thread)
        thread->is_there = true;
    return is_new;
}

/* Looks at stacks, and gives back the references to their threads but for those that were `given`:
 * HotSpot tells the stack of a thread with the very reference by which it was asked. Of one thread
 * that is about to end it tells none, and calls that no error. */
static void look_at_stacks(JNIEnv *jni, const jvmtiStackInfo *stacks, jint count,
                           const jthread *given, uint64_t now)
{
    if (!stacks)
        return;
    for (jint i = 0; i < count; i++) {
        look_at(jni, &stacks[i], now);
        if (!given || stacks[i].thread != given[i])
            (*jni)->DeleteLocalRef(jni, stacks[i].thread);
    }
}

static void look_at_all(JNIEnv *jni)
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    bool has_new = false;
    const uint64_t begin_ns = now_ns(), begin_ticks = tv_recorder_ticks();
    if ((*tv_jvm.jvmti)->GetAllStackTraces(tv_jvm.jvmti, TV_STACK_SEEN, &stacks, &count) !=
        JVMTI_ERROR_NONE)
        return;
    const uint64_t now = tv_recorder_ticks();
    for (struct java_thread *thread = java_threads; thread; thread = thread->next)
        thread->is_there = false;
    for (jint i = 0; i < count; i++)
        has_new |= meet(jni, &stacks[i]);
    if (tv_jvm_async_time_threads(has_new))
        look_at_all_for(AT_ALL_NS); /* what began meanwhile may be missing here */
    take_told(jni);
    forget_ended(jni);
    look_at_stacks(jni, stacks, count, NULL, now);
    tv_jvm_free(stacks);
    last_all_ns = begin_ns;
    last_all_ticks = begin_ticks;
}

/* Tells of a thread what is known without its stack. False: it is not; then the stack is wanted,
 * or, of a thread that ends, a look at all. */
static bool tell_without_stack(struct java_thread *thread, uint64_t now)
{
    jvmtiEnv *jvmti = tv_jvm.jvmti;
    jlong cpu_ns = 0;
    jint state = 0;
    if (!thread->handle || /* there was no memory for it */
        (*jvmti)->GetThreadCpuTime(jvmti, thread->handle, &cpu_ns) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetThreadState(jvmti, thread->handle, &state) != JVMTI_ERROR_NONE ||
        !(state & JVMTI_THREAD_STATE_ALIVE)) {
        look_at_all_for(AT_ALL_NS);
        return true;
    }
    const bool has_run = (uint64_t)cpu_ns > thread->cpu_ns;
    if (!(thread->is_resting && !has_run) &&
        (!thread->has_own_look || is_standing(state) || is_untimed(thread)))
        return false;
    if (has_run)
        thread->cpu_ns = (uint64_t)cpu_ns;
    tell(thread, &thread->view, now, now, false);
    return true;
}

/* The stacks of those threads alone that may wait anew. */
static void look_at_some(JNIEnv *jni)
{
    static jthread wanted[SOME_MOST]; /* of the thread that looks */
    jvmtiStackInfo *stacks = NULL;
    jint count = 0;
    take_told(jni);
    for (struct java_thread *thread = java_threads; thread && !looks_at_all;
         thread = thread->next) {
        if (tell_without_stack(thread, tv_recorder_ticks()))
            continue;
        if (count == SOME_MOST)
            looks_at_all = 1;
        else
            wanted[count++] = thread->handle;
    }
    if (looks_at_all || count)
        waited_ns = now_ns();
    if (looks_at_all || !count ||
        (*tv_jvm.jvmti)
                ->GetThreadListStackTraces(tv_jvm.jvmti, count, wanted, TV_STACK_SEEN, &stacks) !=
            JVMTI_ERROR_NONE)
        return;
    look_at_stacks(jni, stacks, count, wanted, tv_recorder_ticks());
    tv_jvm_free(stacks);
}

/* One look. */
static void look(JNIEnv *jni)
{
    if (is_async && tv_jvm_async_time_threads(has_ends))
        look_at_all_for(AT_ALL_NS);
    has_ends = false;
    if (looks_at_all)
        waited_ns = now_ns();
    if (is_async && !looks_at_all && at_some < LOOKS_AT_SOME &&
        now_ns() - last_all_ns < AT_SOME_NS) {
        at_some++;
        look_at_some(jni);
        if (!looks_at_all)
            return;
    }
    at_some = 0;
    looks_at_all -= looks_at_all > 0;
    look_at_all(jni);
}

static void tell_missed(void)
{
    if (missed_ns >= TV_NS_PER_MS)
        tv_jvm_say(
            "%.1f ms of CPU time are missing: %u thread%s ended before a look found a method "
            "that is recorded",
            (double)missed_ns / 1e6, missed_count, missed_count == 1 ? "" : "s");
}

static void forget_handles(JNIEnv *jni)
{
    for (struct java_thread *thread = java_threads; thread; thread = thread->next)
        (*jni)->DeleteGlobalRef(jni, thread->handle);
}

/* The kernel's tick, at which it looks at timers on CPU time, where it is above the interval; else
 * 0. The coarse clock goes on with each tick. */
static uint64_t tick_above_us(uint64_t interval_ns)
{
    struct timespec tick;
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0)
        return 0;
    const uint64_t ns = tv_timespec_ns(tick.tv_sec, tick.tv_nsec);
    return ns > interval_ns ? ns / TV_NS_PER_US : 0;
}

/* Chooses how far the next look is from this one, which is no further than the ring has room for.
 */
static void choose_distance(uint64_t interval_ns)
{
    const uint64_t now = now_ns(), room_ns = tv_jvm_async_room_ns();
    const uint64_t most_ns = room_ns < APART_MOST_NS ? room_ns : APART_MOST_NS;
    const bool is_calm =
        is_async && !has_ends && now - waited_ns >= CALM_NS && now - ran_ns < CALM_NS;
    if (!is_calm)
        apart_ns = interval_ns;
    else if (2 * apart_ns <= most_ns)
        apart_ns *= 2;
    if (apart_ns > interval_ns && looked.apart_us < apart_ns / TV_NS_PER_US)
        looked.apart_us = apart_ns / TV_NS_PER_US;
    atomic_store(&is_apart, apart_ns > interval_ns);
}

/* Waits until the next look, at `next`, or at once where a thread has begun. False: there is to be
 * none. */
static bool wait_for_look(struct timespec *next)
{
    while (sem_clockwait(&is_called, CLOCK_MONOTONIC, next) == 0) {
        if (atomic_load(&is_end_wanted))
            return false;
        waited_ns = now_ns();
        clock_gettime(CLOCK_MONOTONIC, next);
    }
    return true;
}

void tv_jvm_stacks_thread_begins(void)
{
    if (atomic_exchange(&is_apart, false))
        sem_post(&is_called);
}

/* The thread that looks, until is_end_wanted; then it looks once more and posts has_ended. */
static void JNICALL look_again_and_again(jvmtiEnv *jvmti, JNIEnv *jni, void *unused)
{
    uint64_t interval_ns = tv_jvm.options.interval_us * TV_NS_PER_US;
    struct timespec next;
    (void)jvmti;
    (void)unused;
    (void)tv_jvm_ended_take(told_ends); /* of an earlier recording */
    missed_ns = missed_count = 0;
    has_ends = false;
    looked = (struct tv_recorder_looks){.stacks = 0};
    last_all_ns = waited_ns = now_ns();
    last_all_ticks = tv_recorder_ticks();
    apart_ns = interval_ns;
    ran_ns = 0;
    const char *why = tv_jvm_async_begin(jni, interval_ns);
    is_async = !why;
    if (why)
        tv_jvm_say("%s: stacks are those of safepoints, and loops without any count as their "
                   "callers'",
                   why);
    clock_gettime(CLOCK_MONOTONIC, &next);
    look_at_all_for(AT_ALL_FIRST_NS);
    do {
        look(jni);
        const unsigned virtual_count = tv_jvm_virtual_look(jni);
        looked.stacks += virtual_count;
        if (virtual_count)
            waited_ns = now_ns();
        choose_distance(interval_ns);
        uint64_t ns = (uint64_t)next.tv_nsec + apart_ns;
        next.tv_sec += (time_t)(ns / TV_NS_PER_S);
        next.tv_nsec = (long)(ns % TV_NS_PER_S);
    } while (wait_for_look(&next));
    look_at_all(jni);
    tv_jvm_async_end();
    tell_missed();
    looked.tick_us = is_async ? tick_above_us(interval_ns) : 0;
    tv_recorder_tell_looks(&looked);
    forget_handles(jni);
    sem_post(&has_ended);
}

/* A thread that Java knows about, as JVMTI's RunAgentThread needs it; that starts it as a daemon,
 * so the program does not wait for its end. */
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
    tv_jvm_virtual_begin();
    tv_jvm_threads_turn(jni, JVMTI_ENABLE);
    atomic_store(&is_end_wanted, false);
    atomic_store(&is_apart, false);
    sem_init(&is_called, 0, 0);
    sem_init(&has_ended, 0, 0);
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
    atomic_store(&is_end_wanted, true);
    sem_post(&is_called);
    while (sem_wait(&has_ended) != 0 && errno == EINTR)
        continue;
    java_threads = free_threads = NULL;
    tv_memory_release(&memory);
    end_virtual(jni);
}
