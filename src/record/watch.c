/* Recording by looks; see record/watch.h. */
#include "record/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "record/cold.h"
#include "record/memory.h"
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

/* A look at one thread: all its records have one time. */
struct look {
    struct tv_thread *thread;
    uint64_t wall, cpu;
};

static void put_seen(const struct look *look, uint32_t word)
{
    struct tv_thread *thread = look->thread;
    if (thread->at >= thread->limit && !tv_threads_change_block(thread, false))
        return;
    *thread->at++ = (struct tv_slot){
        .wall_and_low = look->wall << TV_SLOT_WORD_BITS | (word & 0xffffu),
        .cpu_and_high = look->cpu << TV_SLOT_WORD_BITS | word >> TV_SLOT_WORD_BITS};
}

static void put_seen_enter(void *ctx, uint32_t method)
{
    put_seen(ctx, tv_recorder_word(method, TV_RECORDER_ENTER));
}

static void put_seen_exit(void *ctx, uint32_t method)
{
    put_seen(ctx, tv_recorder_word(method, TV_RECORDER_EXIT));
}

static uint64_t cpu_ticks_of(pthread_t id)
{
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(id, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return tv_ticks_from_ns(tv_current.rate,
                            (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec);
}

/* Records what a thread's stack had become some ticks ago. */
static void note_view(struct tv_thread *thread, const struct tv_stack_view *view, uint64_t cpu,
                      uint64_t ago)
{
    struct tv_stack_view *seen = thread->row->seen;
    uint64_t wall = tv_ticks_now(tv_current.rate.is_counter) - tv_current.start_ticks;
    struct look look = {.thread = thread, .wall = wall > ago ? wall - ago : 1, .cpu = cpu};
    tv_stack_compare(seen, view, &(struct tv_stack_change){put_seen_enter, put_seen_exit, &look});
    seen->depth = view->depth;
    memcpy(seen->methods, view->methods, view->depth * sizeof(view->methods[0]));
}

static void look_at(struct tv_thread *thread)
{
    static struct tv_stack_view view; /* under the lock */
    if (tv_stack_look(thread->row->stack, &view))
        note_view(thread, &view, cpu_ticks_of(thread->id), 0);
}

/* Looks at all threads, as long as their session lasts. */
static bool look_at_threads(uint32_t session)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    bool is_on = atomic_load(&tv_hot.session) == session;
    for (struct tv_thread *thread = tv_threads; thread && is_on; thread = thread->next) {
        look_at(thread);
        is_on = atomic_load(&tv_hot.session) == session;
    }
    tv_cold_leave(&cold);
    return is_on;
}

void *tv_watch_run(void *unused)
{
    uint32_t session = tv_current.session;
    uint64_t interval_ns = (uint64_t)tv_current.interval_us * UINT64_C(1000);
    struct timespec next;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &next);
    do {
        uint64_t ns = (uint64_t)next.tv_nsec + interval_ns;
        next.tv_sec += (time_t)(ns / UINT64_C(1000000000));
        next.tv_nsec = (long)(ns % UINT64_C(1000000000));
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    } while (look_at_threads(session));
    return NULL;
}

/* A thread that another looks at is in the list like one that records. */
struct tv_watched {
    struct tv_thread thread;
    uint64_t cpu_before; /* of those that had its row before, in ticks */
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

/* A thread that rests has neither a block nor a session. */
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
    if (!row || !row->seen)
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

/* A view that changes nothing takes no room. */
static void saw_locked(struct tv_watched *watched, const struct tv_stack_view *view,
                       uint64_t cpu_ns, uint64_t ago_ns)
{
    const struct tv_stack_view *seen = watched->thread.row->seen;
    if (seen->depth == view->depth &&
        memcmp(seen->methods, view->methods, view->depth * sizeof(view->methods[0])) == 0)
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

void tv_recorder_rest(struct tv_watched *watched)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded())
        tv_threads_leave(&watched->thread);
    tv_cold_leave(&cold);
}

void tv_recorder_unwatch(struct tv_watched *watched, uint64_t cpu_ns)
{
    static const struct tv_stack_view none = {.depth = 0};
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded()) {
        struct tv_row *row = watched->thread.row;
        saw_locked(watched, &none, cpu_ns, 0);
        tv_threads_leave(&watched->thread);
        row->cpu_before = watched->cpu_before + tv_ticks_from_ns(tv_current.rate, cpu_ns);
        tv_recording_free_carried_row(&tv_current, row);
        give_watched(watched);
    }
    tv_cold_leave(&cold);
}
