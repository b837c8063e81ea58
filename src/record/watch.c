/*
 * Recording by looks; see record/watch.h.
 *
 * A look compares a thread's stack with the view that was recorded last (row->seen), and records
 * the difference as exits and enters. There are two sources of looks. In instrumented programs a
 * timer on each thread's CPU time has the thread look at itself, in a signal handler, into a ring
 * without locks (look_ring.h); and the sampler thread looks at all threads each interval, for their
 * wall time. Agents of virtual machines tell of looks that they took (tv_recorder_looked,
 * tv_recorder_saw). Everything but the handler is under the lock of cold.h.
 */
#include "record/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "record/booking.h"
#include "record/cold.h"
#include "record/cpu_timer.h"
#include "record/look_ring.h"
#include "record/memory.h"
#include "record/methods.h"
#include "record/recorder.h"
#include "record/sampling.h"
#include "record/session.h"
#include "record/threads.h"

void tv_watch_change(struct tv_thread *thread, uint32_t word)
{
    if ((word & TV_WIRE_ACTION_MASK) == TV_RECORDER_ENTER)
        tv_stack_enter(thread->row->stack, word / (TV_WIRE_ACTION_MASK + 1));
    else
        tv_stack_exit(thread->row->stack);
}

static void put_seen(void *ctx, uint64_t wall, uint64_t cpu, uint32_t word)
{
    struct tv_thread *thread = ctx;
    if (thread->at >= thread->limit && !tv_threads_change_block(thread, false))
        return;
    *thread->at++ =
        (struct tv_slot){.wall_and_low = wall << TV_SLOT_WORD_BITS | (word & 0xffffu),
                         .cpu_and_high = cpu << TV_SLOT_WORD_BITS | word >> TV_SLOT_WORD_BITS};
}

/* The change of a thread's stack that one look found: all its records have one time. */
struct change {
    struct tv_thread *thread;
    uint64_t wall, cpu;
    bool is_booked; /* its CPU time is not known yet */
};

static void put_change(const struct change *change, uint32_t word)
{
    struct tv_thread *thread = change->thread;
    if (change->is_booked)
        tv_booking_put(thread->row->booking, change->wall, word,
                       &(struct tv_booking_sink){put_seen, thread});
    else
        put_seen(thread, change->wall, change->cpu, word);
}

static void put_seen_enter(void *ctx, uint32_t method)
{
    put_change(ctx, tv_recorder_word(method, TV_RECORDER_ENTER));
}

static void put_seen_exit(void *ctx, uint32_t method)
{
    put_change(ctx, tv_recorder_word(method, TV_RECORDER_EXIT));
}

static uint64_t cpu_ticks_of(pthread_t id)
{
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(id, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return tv_ticks_from_ns(tv_current.rate, tv_timespec_ns(time.tv_sec, time.tv_nsec));
}

static uint64_t wall_of(uint64_t ticks)
{
    return ticks > tv_current.start_ticks ? ticks - tv_current.start_ticks : 1;
}

static bool is_same(const struct tv_stack_view *seen, const struct tv_stack_view *view)
{
    return seen->depth == view->depth &&
           memcmp(seen->methods, view->methods, view->depth * sizeof(view->methods[0])) == 0;
}

static void put_changes(struct change *change, const struct tv_stack_view *view)
{
    struct tv_stack_view *seen = change->thread->row->seen;
    tv_stack_compare(seen, view, &(struct tv_stack_change){put_seen_enter, put_seen_exit, change});
    seen->depth = view->depth;
    memcpy(seen->methods, view->methods, view->depth * sizeof(view->methods[0]));
}

/* Records a stack that a thread had since some ticks ago, with a CPU time that is known. */
static void note_view(struct tv_thread *thread, const struct tv_stack_view *view, uint64_t cpu,
                      uint64_t ago)
{
    uint64_t wall = wall_of(tv_ticks_now(tv_current.rate.is_counter));
    struct change change = {.thread = thread, .wall = wall > ago ? wall - ago : 1, .cpu = cpu};
    put_changes(&change, view);
}

/* Records what a look has found. The CPU times of its records are only known when the booking
 * shares them out. */
static void note_look(struct tv_thread *thread, const struct tv_stack_view *view,
                      const struct tv_look *look)
{
    struct tv_booking *booking = thread->row->booking;
    const struct tv_booking_sink sink = {put_seen, thread};
    struct change change = {
        .thread = thread, .wall = tv_booking_begin(booking, look), .is_booked = true};
    put_changes(&change, view);
    tv_booking_end_look(booking, look, &sink);
}

/* Records CPU time that no look tells of, as of a thread that runs only for moments between looks.
 * It is given to a call of a method of its own at the end, so that the thread's sum is right. */
static void put_rest(struct tv_thread *thread, uint64_t cpu)
{
    static const struct tv_stack_view none = {.depth = 0};
    struct tv_booking *booking = thread->row->booking;
    const struct tv_method_text text = {.name = "(not seen running)"};
    struct change change = {.thread = thread, .wall = booking->wall, .cpu = booking->shared};
    uint32_t method = tv_methods_number(&text);
    if (!method)
        return;
    put_changes(&change, &none);
    put_seen_enter(&change, method);
    change.cpu = booking->shared += cpu;
    put_seen_exit(&change, method);
}

/* Puts the records that are held back for their CPU time. At the thread's end, CPU time that no
 * look accounts for is recorded too, if it is an interval or more. */
static void settle(struct tv_thread *thread, bool is_end)
{
    const uint64_t interval =
        tv_ticks_from_ns(tv_current.rate, (uint64_t)tv_current.interval_us * TV_NS_PER_US);
    uint64_t rest =
        tv_booking_share(thread->row->booking, &(struct tv_booking_sink){put_seen, thread});
    if (is_end && rest >= interval)
        put_rest(thread, rest);
}

/*
 * Threads of instrumented programs: a timer looks at those that run, in a signal handler; the
 * thread of the recorder's own looks at all of them, for their wall time.
 */

static struct tv_look_ring ring;

/* The handler of the timer: the thread notes its own stack. No lock and no system call that can
 * wait; if the ring is full the look is lost. The thread itself is interrupted, so its stack does
 * not change meanwhile. */
static void look_at_self(void *context)
{
    const struct tv_thread *thread = &tv_self;
    const struct tv_stack *stack = thread->row ? thread->row->stack : NULL;
    (void)context;
    if (!stack || !thread->session || atomic_load(&tv_hot.session) != thread->session)
        return;
    struct tv_own_look *look = tv_look_ring_begin(&ring);
    if (!look)
        return;
    uint32_t *methods = (uint32_t *)(void *)look->bytes;
    uint32_t depth = atomic_load_explicit(&stack->depth, memory_order_relaxed);
    look->count = depth < TV_STACK_SEEN ? depth : TV_STACK_SEEN;
    for (uint32_t i = 0; i < look->count; i++)
        methods[i] = atomic_load_explicit(&stack->methods[i], memory_order_relaxed);
    look->thread = (uintptr_t)thread->row;
    look->ticks = tv_ticks_now(tv_hot.rate.is_counter);
    look->cpu_ns = tv_cpu_timer_own_ns();
    tv_look_ring_end(look);
}

/* The thread that has this row and can be recorded; NULL: it has ended. A look names its thread by
 * the row's address, since rows last as long as the recording. */
static struct tv_thread *thread_of(uintptr_t row)
{
    struct tv_thread *thread = tv_threads;
    while (thread && (uintptr_t)thread->row != row)
        thread = thread->next;
    return thread;
}

/* Records the looks that threads took of themselves. */
static void take_own_looks(void)
{
    static struct tv_stack_view view; /* under the lock */
    struct tv_own_look *own;
    while (ring.memory && (own = tv_look_ring_next(&ring)) != NULL) {
        struct tv_thread *thread = thread_of(own->thread);
        const uint64_t wall = wall_of(own->ticks);
        view.depth = own->count;
        memcpy(view.methods, own->bytes, own->count * sizeof(view.methods[0]));
        if (thread && thread->row->booking)
            note_look(thread, &view,
                      &(struct tv_look){.from = wall,
                                        .to = wall,
                                        .cpu = tv_ticks_from_ns(tv_current.rate, own->cpu_ns),
                                        .is_running = true});
        tv_look_ring_give(&ring, own);
    }
}

bool tv_watch_begin(void)
{
    if (!tv_look_ring_init(&ring, sizeof(((struct tv_stack_view *)NULL)->methods)))
        return false;
    (void)tv_cpu_timer_begin(look_at_self);
    return true;
}

void tv_watch_end(void)
{
    tv_cpu_timer_end();
    tv_look_ring_release(&ring);
}

void tv_watch_after_fork(void)
{
    tv_cpu_timer_after_fork();
    tv_look_ring_release(&ring);
}

void tv_watch_time(struct tv_row *row)
{
    if (ring.memory)
        (void)tv_cpu_timer_start(&row->timer, row->tid,
                                 (uint64_t)tv_current.interval_us * TV_NS_PER_US);
}

void tv_watch_leave(struct tv_thread *thread)
{
    struct tv_row *row = thread->row;
    if (!row->booking)
        return;
    tv_cpu_timer_stop(&row->timer);
    take_own_looks();
    if (row->stack) {
        uint64_t cpu = cpu_ticks_of(thread->id);
        if (cpu > row->booking->cpu)
            row->booking->cpu = cpu;
    }
    settle(thread, true);
}

void tv_watch_end_thread(struct tv_thread *thread)
{
    static const struct tv_stack_view none = {.depth = 0};
    tv_watch_leave(thread);
    struct change change = {.thread = thread,
                            .wall = wall_of(tv_ticks_now(tv_current.rate.is_counter)),
                            .cpu = thread->row->booking->shared};
    put_changes(&change, &none);
}

static void look_at(struct tv_thread *thread)
{
    static struct tv_stack_view view; /* under the lock */
    if (!tv_stack_look(thread->row->stack, &view))
        return;
    const uint64_t wall = wall_of(tv_ticks_now(tv_current.rate.is_counter));
    const struct tv_booking *booking = thread->row->booking;
    const uint64_t cpu = cpu_ticks_of(thread->id);
    /* A thread with a timer tells of its running itself. Without one, CPU time since the last look
     * is taken to mean that the thread runs now. */
    note_look(thread, &view,
              &(struct tv_look){.from = wall,
                                .to = wall,
                                .cpu = cpu,
                                .is_running = !thread->row->timer.id && cpu > booking->cpu});
}

/* Looks at all threads. Returns false when their session has ended: recording a look may itself end
 * it, where the buffer is full. */
static bool look_at_threads(uint32_t session)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    bool is_on = atomic_load(&tv_hot.session) == session;
    take_own_looks();
    for (struct tv_thread *thread = tv_threads; thread && is_on; thread = thread->next) {
        look_at(thread);
        is_on = atomic_load(&tv_hot.session) == session;
    }
    tv_cold_leave(&cold);
    return is_on;
}

/* The sampler thread: a look at each interval, by absolute times, so that the looks' own duration
 * does not add up. */
void *tv_watch_run(void *unused)
{
    uint32_t session = tv_current.session;
    uint64_t interval_ns = (uint64_t)tv_current.interval_us * TV_NS_PER_US;
    struct timespec next;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &next);
    do {
        uint64_t ns = (uint64_t)next.tv_nsec + interval_ns;
        next.tv_sec += (time_t)(ns / TV_NS_PER_S);
        next.tv_nsec = (long)(ns % TV_NS_PER_S);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    } while (look_at_threads(session));
    return NULL;
}

/* A thread that somebody else looks at (an agent). It stands in the list of threads like one that
 * records itself. */
struct tv_watched {
    struct tv_thread thread;
    uint64_t cpu_before; /* CPU time of the threads that had the row before, in ticks */
    struct tv_watched *next_free;
};

static struct tv_watched *take_watched(void)
{
    struct tv_watched *watched = tv_current.free_watched;
    if (!watched)
        return tv_memory_take(&tv_current.memory, sizeof(*watched));
    tv_current.free_watched = watched->next_free;
    *watched = (struct tv_watched){.next_free = NULL};
    return watched;
}

static void give_watched(struct tv_watched *watched)
{
    watched->next_free = tv_current.free_watched;
    tv_current.free_watched = watched;
}

/* Gives a thread that rests (tv_recorder_rest) a block and the session again; it has neither while
 * it rests. */
static bool join(struct tv_thread *thread)
{
    return thread->session || tv_threads_begin(thread);
}

static struct tv_row *take_row(bool is_carried, const char *name)
{
    struct tv_row *row =
        is_carried ? tv_recording_carried_row(&tv_current) : tv_recording_add_row(&tv_current);
    if (row && !row->seen)
        row->seen = tv_memory_take(&tv_current.memory, sizeof(*row->seen));
    if (row && !row->booking && tv_current.interval_us)
        row->booking = tv_memory_take(&tv_current.memory, sizeof(*row->booking));
    if (!row || !row->seen || (tv_current.interval_us && !row->booking))
        return NULL;
    row->is_named = true;
    if (!row->is_shared)
        row->name[tv_name_copy(row->name, TV_ROW_NAME_CAP - 1, name, SIZE_MAX)] = '\0';
    return row;
}

static struct tv_watched *watch_locked(bool is_carried, const char *name)
{
    struct tv_watched *watched = take_watched();
    struct tv_row *row = watched ? take_row(is_carried, name) : NULL;
    if (!row)
        return NULL;
    watched->thread.row = row;
    watched->cpu_before = row->cpu_before;
    return join(&watched->thread) ? watched : NULL;
}

/* Whether there is a recording that goes on, and is this process's. */
static bool is_recorded(void)
{
    return tv_current.session && atomic_load(&tv_hot.session) == tv_current.session &&
           tv_session_is_own();
}

static struct tv_watched *watch(bool is_carried, const char *name)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    struct tv_watched *watched = is_recorded() ? watch_locked(is_carried, name) : NULL;
    tv_cold_leave(&cold);
    return watched;
}

struct tv_watched *tv_recorder_watch(const char *name)
{
    return watch(false, name);
}

struct tv_watched *tv_recorder_watch_carried(const char *name)
{
    return watch(true, name);
}

/* A view that is the same as the last one adds no records, so a waiting thread takes no room. */
static void saw_locked(struct tv_watched *watched, const struct tv_stack_view *view,
                       uint64_t cpu_ns, uint64_t ago_ns)
{
    if (is_same(watched->thread.row->seen, view))
        return;
    if (join(&watched->thread))
        note_view(&watched->thread, view,
                  watched->cpu_before + tv_ticks_from_ns(tv_current.rate, cpu_ns),
                  tv_ticks_from_ns(tv_current.rate, ago_ns));
}

void tv_recorder_saw(struct tv_watched *watched, const struct tv_stack_view *view, uint64_t cpu_ns,
                     uint64_t ago_ns)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded())
        saw_locked(watched, view, cpu_ns, ago_ns);
    tv_cold_leave(&cold);
}

uint64_t tv_recorder_ticks(void)
{
    return tv_ticks_now(tv_hot.rate.is_counter);
}

void tv_recorder_looked(struct tv_watched *watched, const struct tv_stack_view *view,
                        const struct tv_recorder_look *look)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded() && watched->thread.row->booking && join(&watched->thread))
        note_look(&watched->thread, view,
                  &(struct tv_look){.from = wall_of(look->from_ticks),
                                    .to = wall_of(look->to_ticks),
                                    .cpu = watched->cpu_before +
                                           tv_ticks_from_ns(tv_current.rate, look->cpu_ns),
                                    .is_running = look->is_running});
    tv_cold_leave(&cold);
}

void tv_recorder_rest(struct tv_watched *watched)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded() && watched->thread.session) {
        if (watched->thread.row->booking)
            settle(&watched->thread, false);
        tv_threads_leave(&watched->thread);
    }
    tv_cold_leave(&cold);
}

/* Settles the times of a thread that ends. A shared row's next thread begins with the CPU time that
 * this one has used. */
static void end_looks(struct tv_watched *watched, uint64_t cpu_ns)
{
    struct tv_booking *booking = watched->thread.row->booking;
    if (!booking || !booking->wall || !join(&watched->thread))
        return;
    const uint64_t cpu = watched->cpu_before + tv_ticks_from_ns(tv_current.rate, cpu_ns);
    if (cpu > booking->cpu)
        booking->cpu = cpu;
    settle(&watched->thread, true);
    booking->shared = booking->cpu;
    booking->wall = 0;
}

void tv_recorder_unwatch(struct tv_watched *watched, uint64_t cpu_ns)
{
    static const struct tv_stack_view none = {.depth = 0};
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded()) {
        struct tv_row *row = watched->thread.row;
        end_looks(watched, cpu_ns);
        saw_locked(watched, &none, cpu_ns, 0);
        tv_threads_leave(&watched->thread);
        row->cpu_before = watched->cpu_before + tv_ticks_from_ns(tv_current.rate, cpu_ns);
        tv_recording_free_carried_row(&tv_current, row);
        give_watched(watched);
    }
    tv_cold_leave(&cold);
}
