/*
 * Threads that record; see record/threads.h.
 *
 * A thread joins a recording at its first record: it gets a row, which lasts until the recording
 * ends, and a first block. When a block is full the thread takes the lock, and gets the next block;
 * a stream writes the full one first. When a thread ends, the destructor of tv_threads_end_key
 * takes it out of the list and returns its block's rest to the buffer. Everything is under the lock
 * of cold.h; the filling of a block is not (hot.h).
 */
#include "record/threads.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/units.h"
#include "record/cold.h"
#include "record/cpu_timer.h"
#include "record/methods.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/session.h"
#include "record/watch.h"

/* How often a thread may end. Destructors of the program may record after the recorder's own has
 * run, and then the recorder's key is set again; the C library runs destructors
 * PTHREAD_DESTRUCTOR_ITERATIONS (4) times at most, and after the last time nothing would tell of
 * the thread's end. */
#define ENDS_MOST 3u

pthread_key_t tv_threads_end_key;

static void add_block(struct tv_thread *thread, struct tv_block *block)
{
    struct tv_row *row = thread->row;
    if (row->last)
        row->last->next = block;
    else
        row->first = block;
    row->last = block;
    block->used = 0;
    thread->at = block->slots;
    thread->limit = block->slots + block->cap;
    if (thread->block_size < tv_current.pool.largest)
        thread->block_size++;
}

void tv_threads_leave_block(const struct tv_thread *thread)
{
    struct tv_block *block = thread->row->last;
    if (block) {
        block->used =
            thread->at < thread->limit ? (uint32_t)(thread->at - block->slots) : block->cap;
    }
}

/* A block for a thread. A ring takes the oldest one. A stream, or a ring whose threads all fill
 * their first block, may go beyond the buffer for it; else NULL means that the buffer is full, and
 * the recording is halted. */
static struct tv_block *take_block(struct tv_thread *thread)
{
    struct tv_block *block = tv_pool_take(&tv_current.pool, thread->block_size);
    while (!block && tv_current.is_ring && tv_ring_give_oldest(&tv_current))
        block = tv_pool_take(&tv_current.pool, thread->block_size);
    if (!block && (tv_current.is_streaming || tv_current.is_ring))
        block = tv_pool_take_beyond(&tv_current.pool);
    if (!block)
        tv_session_stop_early(TV_RECORDING_BUFFER_FULL);
    return block;
}

/* Whether `traceview record` has gone without an end, as by SIGKILL, and nothing would ever end the
 * recording: seen once in a second in which something is written. */
static bool is_left(void)
{
    if (!tv_current.awaited[0])
        return false;
    const uint64_t now_ns = tv_ticks_monotonic_ns();
    if (now_ns < tv_current.awaited_ns)
        return false;
    tv_current.awaited_ns = now_ns + TV_NS_PER_S;
    return !tv_output_is_awaited_yet(tv_current.awaited);
}

static void write_row(struct tv_row *row)
{
    tv_recording_stream_row(&tv_current, row);
    if (tv_current.output.error)
        tv_session_fail();
    else if (tv_current.file_most && tv_current.output.written >= tv_current.file_most)
        tv_session_stop_early(TV_RECORDING_AT_LIMIT);
    else if (is_left())
        tv_session_stop_early(TV_RECORDING_LEFT);
}

/* Leaves the thread's full block and takes the next one. `is_nested`: a signal handler records
 * while its thread is about to fill a slot of the row; then the row cannot be written yet, since
 * that slot is still empty. */
bool tv_threads_change_block(struct tv_thread *thread, bool is_nested)
{
    thread->at = thread->limit; /* failed takes went beyond it */
    if (!tv_session_is_own()) {
        tv_current.lost++;
        return false;
    }
    tv_threads_leave_block(thread);
    if (tv_current.is_streaming && !is_nested)
        write_row(thread->row);
    if (atomic_load(&tv_hot.session) != thread->session && !tv_current.is_finishing)
        return false;
    if (tv_current.is_ring && !is_nested)
        tv_ring_offer(&tv_current, thread->row);
    struct tv_block *block = take_block(thread);
    if (block)
        add_block(thread, block);
    return block != NULL;
}

/* Takes the lock where the thread has no slot that it is to fill, so that whoever has the lock need
 * not wait for it. A signal handler does not know about the record that it interrupted. */
static void enter_without_slot(struct tv_cold *cold, struct tv_thread *thread, bool is_nested)
{
    atomic_store(&thread->is_waiting, !is_nested);
    tv_cold_enter(cold);
    atomic_store(&thread->is_waiting, false);
}

/* Records that the thread wrote its block, or waited for others that wrote theirs, as a call of the
 * recorder's own method: else that would be time of whichever call was open. False without memory
 * for the method. */
static bool put_writing(struct tv_thread *thread, struct tv_moment begin)
{
    const uint32_t number = tv_methods_number(
        &(struct tv_method_text){.class_name = "traceview", .name = "writing", .signature = "()V"});
    if (!number)
        return false;
    tv_hot_fill_slot(thread->at++, tv_recorder_word(number, TV_RECORDER_ENTER), begin);
    tv_hot_fill_slot(thread->at++, tv_recorder_word(number, TV_RECORDER_EXIT),
                     tv_hot_now(thread, &tv_hot));
    return true;
}

/* The slow path of the hot path: its thread found no free slot. A signal handler may have come
 * between that and the lock, and may have changed the block already. */
struct tv_slot *tv_threads_next_slot(struct tv_thread *thread, bool is_nested)
{
    struct tv_cold cold;
    struct tv_slot *slot = NULL;
    bool is_told = false;
    /* CPU time, without what the thread waits for the lock or the disk. */
    uint64_t begin_ns = tv_cpu_timer_own_ns();
    const struct tv_moment begin = tv_hot_now(thread, &tv_hot);
    enter_without_slot(&cold, thread, is_nested);
    if (atomic_load(&tv_hot.session) == thread->session) {
        bool has_room = thread->at < thread->limit;
        if (!has_room && tv_threads_change_block(thread, is_nested)) {
            has_room = true;
            is_told = tv_current.is_streaming && !is_nested && put_writing(thread, begin);
        }
        if (has_room)
            slot = thread->at++;
    }
    *(is_told ? &tv_current.writing_ns : &tv_current.block_ns) += tv_cpu_timer_own_ns() - begin_ns;
    tv_cold_leave(&cold);
    return slot;
}

/* What a thread's records have of its CPU time is by its own reading of its clock, or by the looks
 * at it. */
void tv_threads_see(const struct tv_thread *thread, uint64_t wall)
{
    struct tv_row *row = thread->row;
    clockid_t clock;
    struct timespec time;
    row->seen_wall = wall;
    row->seen_cpu = row->booking ? row->booking->shared : 0;
    if (!row->seen && !row->booking && tv_current.has_cpu &&
        pthread_getcpuclockid(thread->id, &clock) == 0 && clock_gettime(clock, &time) == 0)
        row->seen_cpu =
            tv_ticks_from_ns(tv_current.rate, tv_timespec_ns(time.tv_sec, time.tv_nsec)) -
            thread->cpu.begin;
}

void tv_threads_read_name(struct tv_row *row)
{
    char path[64];
    char name[TV_ROW_NAME_CAP];
    if (row->is_named || row->tid == tv_current.pid)
        return;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)row->tid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t len = read(file, name, sizeof(name) - 1);
    close(file);
    if (len > 1)
        row->name[tv_name_copy(row->name, TV_ROW_NAME_CAP - 1, name, (size_t)len - 1)] = '\0';
}

void tv_threads_name_row(struct tv_thread *thread)
{
    struct tv_row *row = thread->row;
    char name[TV_ROW_NAME_CAP] = "main";
    if (row->is_shared)
        return;
    if (row->tid != tv_current.pid)
        (void)prctl(PR_GET_NAME, name);
    row->is_named = thread->name[0] != '\0';
    const char *chosen = row->is_named ? thread->name : name;
    row->name[tv_name_copy(row->name, TV_ROW_NAME_CAP - 1, chosen, SIZE_MAX)] = '\0';
}

static void link_thread(struct tv_thread *thread)
{
    thread->before = NULL;
    thread->next = tv_threads;
    if (tv_threads)
        tv_threads->before = thread;
    tv_threads = thread;
}

static void unlink_thread(struct tv_thread *thread)
{
    if (thread->before)
        thread->before->next = thread->next;
    else
        tv_threads = thread->next;
    if (thread->next)
        thread->next->before = thread->before;
}

bool tv_threads_begin(struct tv_thread *thread)
{
    struct tv_block *block = take_block(thread);
    if (!block)
        return false;
    add_block(thread, block);
    link_thread(thread);
    thread->session = tv_current.session;
    return true;
}

/* With an interval (sampling), a row needs a stack of open calls, the view that was recorded last,
 * and a booking of its times. */
static bool take_stack(struct tv_row *row)
{
    if (!tv_current.interval_us)
        return true;
    row->stack = tv_memory_take(&tv_current.memory, sizeof(*row->stack));
    row->seen = tv_memory_take(&tv_current.memory, sizeof(*row->seen));
    row->booking = tv_memory_take(&tv_current.memory, sizeof(*row->booking));
    return row->stack && row->seen && row->booking;
}

/* Begins the thread's CPU clock. A row that a carried thread had before goes on with that thread's
 * CPU time, so that the row's time does not step back. */
static void begin_clock(struct tv_thread *thread)
{
    tv_cpu_begin(&thread->cpu, tv_current.has_cpu ? tv_cpu_best_source() : TV_CPU_NONE,
                 tv_current.rate);
    if (tv_current.has_cpu)
        tv_cpu_go_on_from(&thread->cpu, thread->row->cpu_before);
}

/* Gives the thread its row. A thread that ended and records again, from a later destructor, gets
 * the row that it had. */
static bool take_row(struct tv_thread *thread)
{
    if (thread->row_session == tv_current.session && thread->row_uses == thread->row->uses)
        return thread->ends < ENDS_MOST;
    struct tv_row *row = thread->is_carried ? tv_recording_carried_row(&tv_current)
                                            : tv_recording_add_row(&tv_current);
    if (!row || !take_stack(row))
        return false;
    row->tid = thread->is_carried ? 0 : (pid_t)syscall(SYS_gettid);
    thread->id = pthread_self();
    thread->row = row;
    thread->row_session = tv_current.session;
    thread->row_uses = row->uses;
    thread->block_size = 0;
    thread->ends = 0;
    tv_threads_name_row(thread);
    begin_clock(thread);
    if (row->stack)
        tv_watch_time(row);
    return true;
}

/* Gives a thread that records for the first time in this session a row and a block. The key's value
 * makes tv_threads_end run at the thread's end. */
static bool join_locked(struct tv_thread *thread)
{
    uint32_t session = atomic_load(&tv_hot.session);
    if (session == TV_NO_SESSION || session != tv_current.session || !tv_session_is_own())
        return false;
    if (thread->session == session)
        return true; /* by a signal handler that came in between */
    if (!take_row(thread) || pthread_setspecific(tv_threads_end_key, thread) != 0) {
        tv_current.lost++;
        return false;
    }
    return tv_threads_begin(thread);
}

bool tv_threads_join(struct tv_thread *thread, const struct tv_hot *shared, bool is_nested)
{
    if (atomic_load_explicit(&shared->session, memory_order_relaxed) == TV_NO_SESSION)
        return false;
    struct tv_cold cold;
    enter_without_slot(&cold, thread, is_nested);
    bool has_joined = join_locked(thread);
    tv_cold_leave(&cold);
    return has_joined;
}

/* Takes a thread out of the recording: its block's rest goes back to the buffer, or its row is
 * written where that is a stream. Its row stays. */
void tv_threads_leave(struct tv_thread *thread)
{
    if (thread->session != tv_current.session || !thread->session)
        return;
    if (thread->row->stack)
        tv_watch_leave(thread);
    tv_threads_leave_block(thread);
    if (tv_current.is_ring && !atomic_load(&thread->is_recording))
        tv_ring_offer(&tv_current, thread->row);
    unlink_thread(thread);
    thread->row->seen_wall = 0; /* a ring that was written before had it */
    thread->session = 0;
    thread->ends++;
    tv_threads_read_name(thread->row);
    if (tv_current.is_streaming && !tv_current.output.error && tv_session_is_own())
        write_row(thread->row);
    else if (thread->row->last)
        tv_pool_give_rest(&tv_current.pool, thread->row->last);
}

void tv_threads_end(void *ended)
{
    struct tv_thread *thread = ended;
    struct tv_cold cold;
    tv_cold_enter(&cold);
    const bool has_place = thread->session == tv_current.session && thread->session;
    const bool is_ring_row = tv_current.is_ring && has_place && !thread->is_carried;
    if (has_place && thread->row->stack)
        tv_watch_end_thread(thread);
    tv_threads_leave(thread);
    if (is_ring_row)
        tv_ring_end_row(&tv_current, thread->row);
    tv_cold_leave(&cold);
}

static bool has_row(const struct tv_thread *thread)
{
    return tv_current.session && thread->row_session == tv_current.session;
}

/* Takes the thread off its row, whose CPU time stands still from now on, and returns where its
 * records went. */
static struct tv_place leave_place(struct tv_thread *thread)
{
    if (!has_row(thread))
        return (struct tv_place){.row = NULL};
    if (tv_current.has_cpu) {
        uint64_t now = tv_ticks_now(tv_current.rate.is_counter);
        thread->row->cpu_before = tv_cpu_read(&thread->cpu, &tv_current.rate, now);
    }
    tv_threads_leave(thread);
    return (struct tv_place){.row = thread->row, .session = thread->row_session};
}

void tv_recorder_switch(struct tv_place *from, const struct tv_place *to, bool is_carried)
{
    struct tv_thread *thread = &tv_self;
    *from = leave_place(thread);
    thread->session = 0;
    thread->block_size = thread->ends = 0;
    thread->name[0] = '\0';
    thread->is_carried = is_carried;
    thread->row = to->row;
    thread->row_session = to->session;
    if (has_row(thread))
        begin_clock(thread);
}

void tv_recorder_end_place(const struct tv_place *place)
{
    if (place->row && tv_current.session && place->session == tv_current.session)
        tv_recording_free_carried_row(&tv_current, place->row);
}
