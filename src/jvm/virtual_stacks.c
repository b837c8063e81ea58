/*
 * Looks at the stacks of virtual threads; see jvm/virtual_stacks.h.
 *
 * There may be a million virtual threads, and most of them wait. So only those that were mounted or
 * left since the last look stand in a queue, and a look takes at most LOOKS_MOST of them from its
 * front; those that are still mounted go to its end. A thread's CPU time is that of its carrier
 * while it is mounted. Slots, tickets and the queue are shared with the threads that mount, under
 * `all.lock`; a row belongs to the thread that looks alone, which takes the recorder's lock only
 * when `all.lock` is open.
 */
#include "jvm/virtual_stacks.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "base/units.h"
#include "jvm/agent.h"
#include "jvm/stacks.h"
#include "jvm/threads.h"
#include "record/carried/tickets.h"
#include "record/recorder.h"
#include "record/sampling.h"

#define LOOKS_MOST 256u /* at once: a look stops the program for as long as it takes */
#define ROWS_MOST 4096u /* of virtual threads that have not ended: each takes 8 KiB */

/* A virtual thread that has run since the recording began. */
struct virtual
{
    jobject thread;         /* a global reference while the thread is in the queue */
    struct tv_watched *row; /* NULL: none yet; of the thread that looks alone */
    clockid_t carrier;      /* the CPU time of the thread that carries it */
    uint64_t mounted_ns;    /* the carrier's CPU time up to which cpu_ns counts */
    uint64_t cpu_ns;        /* CPU time of the virtual thread until then */
    bool is_mounted, is_queued, has_ended;
    uint32_t next; /* in the queue; 0: none */
};

/* JVMTI keeps a thread's ticket for it. Without a session in the tickets, nothing is noted. */
static struct {
    pthread_mutex_t lock;
    uint32_t first, last; /* of the queue, by slots; 0: none */
    uint32_t rows;
    struct tv_tickets tickets;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .tickets = {.entry_len = sizeof(struct virtual)}};

/* A copy of what a look needs to know of a thread, for use after the lock was opened. */
struct looked_at {
    uint32_t slot;
    uint64_t cpu_ns;
    bool is_mounted, has_ended;
};

static struct virtual *at(uint32_t slot)
{
    return tv_tickets_at(&all.tickets, slot);
}

static uint64_t cpu_ns_of(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return 0;
    return tv_timespec_ns(time.tv_sec, time.tv_nsec);
}

/*
 * Slots; under the lock.
 */

static uint32_t slot_of(jthread thread)
{
    void *ticket = NULL;
    (void)(*tv_jvm.jvmti)->GetThreadLocalStorage(tv_jvm.jvmti, thread, &ticket);
    return tv_tickets_slot(&all.tickets, (uintptr_t)ticket);
}

static void set_ticket(jthread thread, uint32_t slot)
{
    uint64_t ticket = tv_tickets_of(&all.tickets, slot);
    (void)(*tv_jvm.jvmti)
        ->SetThreadLocalStorage(tv_jvm.jvmti, thread,
                                (void *)(uintptr_t)ticket); /* NOLINT(performance-no-int-to-ptr) */
}

static uint32_t new_slot(jthread thread)
{
    uint32_t slot = tv_tickets_take(&all.tickets);
    if (slot) {
        *at(slot) = (struct virtual){.thread = NULL};
        set_ticket(thread, slot);
    }
    return slot;
}

/* Puts a thread at the end of the queue. */
static void push(uint32_t slot)
{
    if (all.last)
        at(all.last)->next = slot;
    else
        all.first = slot;
    all.last = slot;
    at(slot)->next = 0;
}

static uint32_t pop(void)
{
    uint32_t slot = all.first;
    all.first = at(slot)->next;
    if (!all.first)
        all.last = 0;
    return slot;
}

static void queue(JNIEnv *jni, jthread thread, uint32_t slot)
{
    struct virtual *one = at(slot);
    if (one->is_queued)
        return;
    one->thread = (*jni)->NewGlobalRef(jni, thread);
    one->is_queued = one->thread != NULL;
    if (one->is_queued)
        push(slot);
}

/* The carrier's CPU time since it took the thread becomes the thread's. */
static void count_cpu(struct virtual *one, uint64_t now_ns)
{
    if (one->is_mounted && now_ns > one->mounted_ns)
        one->cpu_ns += now_ns - one->mounted_ns;
    one->mounted_ns = now_ns;
}

/*
 * What the virtual machine tells.
 */

void tv_jvm_virtual_mounted(JNIEnv *jni, jthread thread)
{
    pthread_mutex_lock(&all.lock);
    uint32_t slot = all.tickets.session ? slot_of(thread) : 0;
    if (all.tickets.session && !slot)
        slot = new_slot(thread);
    if (slot && pthread_getcpuclockid(pthread_self(), &at(slot)->carrier) == 0) {
        at(slot)->mounted_ns = cpu_ns_of(CLOCK_THREAD_CPUTIME_ID);
        at(slot)->is_mounted = true;
        queue(jni, thread, slot);
    }
    pthread_mutex_unlock(&all.lock);
}

/* A thread is unmounted: it waits, or it has ended. It goes to the queue once more, so that a look
 * sees what it waits in. */
static void leave(JNIEnv *jni, jthread thread, bool has_ended)
{
    pthread_mutex_lock(&all.lock);
    uint32_t slot = all.tickets.session ? slot_of(thread) : 0;
    if (slot) {
        struct virtual *one = at(slot);
        count_cpu(one, cpu_ns_of(CLOCK_THREAD_CPUTIME_ID));
        one->is_mounted = false;
        one->has_ended = has_ended;
        queue(jni, thread, slot);
        /* An unmount follows the end, when the slot may already be another thread's. */
        if (has_ended)
            set_ticket(thread, 0);
    }
    pthread_mutex_unlock(&all.lock);
}

void tv_jvm_virtual_unmounted(JNIEnv *jni, jthread thread)
{
    leave(jni, thread, false);
}

void tv_jvm_virtual_ended(JNIEnv *jni, jthread thread)
{
    leave(jni, thread, true);
}

/*
 * Looks.
 */

/* Takes the first thread of the queue, with its CPU time until now. A thread that is still mounted
 * goes to the end of the queue, and keeps its global reference. */
static struct looked_at take_first(JNIEnv *jni, jthread *thread)
{
    uint32_t slot = pop();
    struct virtual *one = at(slot);
    if (one->is_mounted)
        count_cpu(one, cpu_ns_of(one->carrier));
    *thread = (*jni)->NewLocalRef(jni, one->thread);
    if (one->is_mounted) {
        push(slot);
    } else {
        (*jni)->DeleteGlobalRef(jni, one->thread);
        one->thread = NULL;
        one->is_queued = false;
    }
    return (struct looked_at){slot, one->cpu_ns, one->is_mounted, one->has_ended};
}

/* Takes at most LOOKS_MOST threads, and no thread twice: those that are put back come behind
 * `until`. */
static unsigned take_queue(JNIEnv *jni, struct looked_at *looks, jthread *threads)
{
    pthread_mutex_lock(&all.lock);
    unsigned count = 0;
    uint32_t until = all.last;
    for (bool is_done = !until; !is_done && count < LOOKS_MOST; count++) {
        looks[count] = take_first(jni, &threads[count]);
        is_done = looks[count].slot == until;
    }
    pthread_mutex_unlock(&all.lock);
    return count;
}

/* A thread has ended: its calls are closed, and its slot goes to another thread. */
static void forget(const struct looked_at *look)
{
    struct virtual *one = at(look->slot);
    if (one->row) {
        tv_recorder_unwatch(one->row, look->cpu_ns);
        all.rows--;
    }
    pthread_mutex_lock(&all.lock);
    one->row = NULL;
    tv_tickets_give(&all.tickets, look->slot);
    pthread_mutex_unlock(&all.lock);
}

static struct tv_watched *new_row(JNIEnv *jni, jthread thread)
{
    char name[TV_JVM_THREAD_NAME_CAP];
    if (all.rows == ROWS_MOST)
        return NULL;
    (void)tv_jvm_threads_name_of(jni, thread, name);
    struct tv_watched *row = tv_recorder_watch_carried(name);
    all.rows += row != NULL;
    return row;
}

static void note(JNIEnv *jni, const struct looked_at *look, const jvmtiStackInfo *stack)
{
    static struct tv_stack_view view; /* of the thread that looks */
    struct virtual *one = at(look->slot);
    tv_jvm_stacks_view(jni, stack, &view);
    if (!one->row && view.depth)
        one->row = new_row(jni, stack->thread);
    if (!one->row)
        return;
    const uint64_t now = tv_recorder_ticks();
    tv_recorder_looked(one->row, &view,
                       &(struct tv_recorder_look){.from_ticks = now,
                                                  .to_ticks = now,
                                                  .cpu_ns = look->cpu_ns,
                                                  .is_running = look->is_mounted});
    if (!look->is_mounted)
        tv_recorder_rest(one->row);
}

/* Forgets the threads that have ended, and moves the others together. Returns how many those are.
 */
static unsigned without_ended(JNIEnv *jni, struct looked_at *looks, jthread *threads,
                              unsigned count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        if (looks[i].has_ended) {
            forget(&looks[i]);
            (*jni)->DeleteLocalRef(jni, threads[i]);
        } else {
            looks[kept] = looks[i];
            threads[kept++] = threads[i];
        }
    }
    return kept;
}

/* One look: JVMTI takes the stacks of all chosen threads in one stop of the program. */
unsigned tv_jvm_virtual_look(JNIEnv *jni)
{
    static struct looked_at looks[LOOKS_MOST]; /* of the thread that looks */
    jthread threads[LOOKS_MOST];
    jvmtiStackInfo *stacks = NULL;
    if ((*jni)->PushLocalFrame(jni, 2 * (jint)LOOKS_MOST) != 0) {
        (void)tv_jvm_clear(jni);
        return 0;
    }
    unsigned count = without_ended(jni, looks, threads, take_queue(jni, looks, threads));
    if (count && (*tv_jvm.jvmti)
                         ->GetThreadListStackTraces(tv_jvm.jvmti, (jint)count, threads,
                                                    TV_STACK_SEEN, &stacks) == JVMTI_ERROR_NONE) {
        for (unsigned i = 0; i < count; i++)
            note(jni, &looks[i], &stacks[i]);
        tv_jvm_free(stacks);
    }
    (*jni)->PopLocalFrame(jni, NULL);
    return count;
}

/*
 * Begin and end.
 */

bool tv_jvm_virtual_is_on(void)
{
    return __atomic_load_n(&all.tickets.session, __ATOMIC_RELAXED) != 0;
}

void tv_jvm_virtual_begin(void)
{
    pthread_mutex_lock(&all.lock);
    tv_tickets_begin(&all.tickets, tv_recorder_session());
    pthread_mutex_unlock(&all.lock);
}

void tv_jvm_virtual_end(JNIEnv *jni)
{
    pthread_mutex_lock(&all.lock);
    for (uint32_t slot = 1; slot <= all.tickets.count && jni; slot++) {
        if (at(slot)->thread)
            (*jni)->DeleteGlobalRef(jni, at(slot)->thread);
    }
    tv_tickets_begin(&all.tickets, 0);
    all.first = all.last = all.rows = 0;
    pthread_mutex_unlock(&all.lock);
}
