/*
 * The recorder; see record/recorder.h.
 *
 * A thread and whoever stops the recording meet in two words. The thread says that it is recording
 * (is_recording), then looks whether the session is still its own. The stopping side changes the
 * session, has the kernel make every running thread of the process pass a memory barrier
 * (membarrier), and then waits until no thread says that it is recording. Thus a thread needs no
 * barrier of its own: either it sees the new session, or it is seen.
 */
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/cold.h"

#if defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#endif
#endif

#define BUFFER_LEAST ((size_t)64 * 1024)
#define NO_SESSION 1u    /* nothing is recorded; a thread never has it */
#define FIRST_SESSION 2u /* 0 is a thread's that has not recorded yet */
/* After that a thread that ends cannot record any more: its last destructors are running, and
 * nothing would tell of its end (PTHREAD_DESTRUCTOR_ITERATIONS is 4). */
#define ENDS_MOST 3u
#define STOP_WAIT_NS 50000
#define STOP_WAITS_MOST 20000 /* a second: a thread that takes longer hangs */
#define NO_BARRIER_WAIT_NS 10000000
#define ROUNDS 7u
/* Ticks by which times are later than they are: none is 0, even when the counter of another core
 * is a little behind. */
#define START_SLACK 256u
#define READINGS 1000u

int tv_method_tracing_is_on;

/* What every record needs. Written only while no thread records. */
struct hot {
    _Atomic uint32_t session;
    uint64_t start_ticks;
    struct tv_ticks_rate rate;
    bool is_sampling; /* calls only change their thread's stack */
};

/* What a thread needs for a record. Other threads read `at` and `row` once it does not record. */
struct thread {
    struct tv_slot *at;    /* where the next record goes: changed by one instruction */
    struct tv_slot *limit; /* behind the block's slots */
    struct tv_cpu_clock cpu;
    uint32_t session;              /* in which it has a block; else 0 */
    _Atomic uint32_t is_recording; /* the stopping side waits for its end */
    pthread_t id;
    struct tv_row *row;
    uint32_t row_session;         /* whose row that is */
    unsigned block_size;          /* of its next block */
    unsigned ends;                /* how often its destructor ran in this session */
    bool is_carried;              /* what it records is of a thread that it carries */
    struct thread *next, *before; /* of those that have a block */
    char name[TV_ROW_NAME_CAP];   /* that the program gave it */
};

/* Thread-local memory that is reached without a call, in a shared library, too. */
static _Thread_local struct thread self __attribute__((tls_model("initial-exec")));
static struct hot hot = {.session = NO_SESSION};

enum state { IDLE, STARTING, ACTIVE, STOPPING };
static _Atomic int state = IDLE;
static struct tv_recording recording; /* under the lock of cold.h */
static struct thread *threads;        /* those that have a block; under the lock */
static uint32_t last_session = FIRST_SESSION - 1;
static pthread_key_t end_key;
static pthread_t sampler; /* of a recording with an interval */
static bool has_key, has_barrier;
static uint32_t hooks_ns; /* what hooks add to the cost of a call */

/*
 * The hot path.
 */

/* Takes the next slot by one instruction, so that a signal handler either takes the slot behind or
 * the one before, and never the same; no other thread takes one here, so nothing needs a lock. */
TV_INLINE struct tv_slot *take_slot(struct thread *thread)
{
#if defined(__x86_64__) && !defined(HAS_THREAD_SANITIZER)
    uint64_t slot = sizeof(struct tv_slot);
    __asm__ volatile("xaddq %0, %1" : "+r"(slot), "+m"(thread->at) : : "cc");
    return (struct tv_slot *)(uintptr_t)slot; /* NOLINT(performance-no-int-to-ptr) */
#else
    return __atomic_fetch_add(&thread->at, sizeof(struct tv_slot), __ATOMIC_RELAXED);
#endif
}

/* Reads the clocks and fills the slot. The first number goes last: until then the slot is empty.
 * Its store is a release for a stopping side that waits in vain, and then reads what is there. */
TV_INLINE void fill_slot(struct thread *thread, const struct hot *shared, struct tv_slot *slot,
                         uint32_t word)
{
    uint64_t now = tv_ticks_now(shared->rate.is_counter);
    uint64_t cpu = tv_cpu_read(&thread->cpu, &shared->rate, now);
    uint64_t wall = now - shared->start_ticks;
    slot->cpu_and_high = cpu << TV_SLOT_WORD_BITS | word >> TV_SLOT_WORD_BITS;
    __atomic_store_n(&slot->wall_and_low, wall << TV_SLOT_WORD_BITS | (word & 0xffffu),
                     __ATOMIC_RELEASE);
}

static TV_NOINLINE bool join_session(struct thread *thread, const struct hot *shared);
static TV_NOINLINE struct tv_slot *take_slot_of_next_block(struct thread *thread, bool is_nested);
static TV_NOINLINE void change_stack(struct thread *thread, uint32_t word);

TV_INLINE void put_into_slot(struct thread *thread, const struct hot *shared, uint32_t word,
                             bool is_nested)
{
    struct tv_slot *slot = take_slot(thread);
    if (TV_UNLIKELY(slot >= thread->limit))
        slot = take_slot_of_next_block(thread, is_nested);
    if (TV_LIKELY(slot != NULL))
        fill_slot(thread, shared, slot, word);
}

/* The signal fence keeps the compiler from looking at the session first; for the processor see the
 * file comment. `outer` is 1 in a signal handler that interrupts its thread here. */
TV_INLINE void put(struct thread *thread, const struct hot *shared, uint32_t word)
{
    uint32_t outer = atomic_load_explicit(&thread->is_recording, memory_order_relaxed);
    atomic_store_explicit(&thread->is_recording, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t session = atomic_load_explicit(&shared->session, memory_order_acquire);
    if (TV_LIKELY(session == thread->session) || join_session(thread, shared)) {
        if (TV_UNLIKELY(shared->is_sampling))
            change_stack(thread, word);
        else
            put_into_slot(thread, shared, word, outer);
    }
    atomic_store_explicit(&thread->is_recording, outer, memory_order_release);
}

void tv_recorder_put(uint32_t word)
{
    put(&self, &hot, word);
}

/* The same with the clocks of a recording that has not begun, to measure what it costs. */
static TV_NOINLINE void put_for_measure(struct thread *thread, const struct hot *shared,
                                        uint32_t word)
{
    put(thread, shared, word);
}

/*
 * Blocks and threads; all under the lock.
 */

static void say(const char *text)
{
    /* Whoever cannot be told is not told. */
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* Ends the recording, but not yet the file. */
static void halt(void)
{
    __atomic_store_n(&tv_method_tracing_is_on, 0, __ATOMIC_RELAXED);
    atomic_store_explicit(&hot.session, NO_SESSION, memory_order_seq_cst);
}

static void halt_on_full_buffer(void)
{
    char text[128];
    if (recording.has_overflow)
        return;
    recording.has_overflow = true;
    halt();
    (void)snprintf(text, sizeof(text),
                   "traceview: the trace buffer (%zu bytes) is full: tracing stopped\n",
                   recording.pool.len);
    say(text);
}

static void halt_on_failed_write(void)
{
    char text[PATH_MAX + 128];
    halt();
    (void)snprintf(text, sizeof(text), "traceview: %s: %s: tracing stopped\n",
                   recording.output.path, strerror(recording.output.error));
    say(text);
}

/* Whether this is the process that records: a child that was made behind the C library's back
 * shares the file, but not the recording. */
static bool is_own_process(void)
{
    return getpid() == recording.pid;
}

static void add_block(struct thread *thread, struct tv_block *block)
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
    if (thread->block_size < recording.pool.largest)
        thread->block_size++;
}

/* Notes how far the thread's block is filled. */
static void leave_block(const struct thread *thread)
{
    struct tv_block *block = thread->row->last;
    if (block) {
        block->used =
            thread->at < thread->limit ? (uint32_t)(thread->at - block->slots) : block->cap;
    }
}

static struct tv_block *take_block(struct thread *thread)
{
    struct tv_block *block = tv_pool_take(&recording.pool, thread->block_size);
    if (!block && recording.is_streaming)
        block = tv_pool_take_beyond(&recording.pool);
    if (!block)
        halt_on_full_buffer();
    return block;
}

static void write_row(struct tv_row *row)
{
    tv_recording_stream_row(&recording, row);
    if (recording.output.error)
        halt_on_failed_write();
}

/* Replaces the thread's full block. A block that an interrupted record is still to be put into
 * stays, and is written with the next. */
static bool change_block(struct thread *thread, bool is_nested)
{
    thread->at = thread->limit; /* failed takes went beyond it */
    if (!is_own_process()) {
        recording.lost++;
        return false;
    }
    leave_block(thread);
    if (recording.is_streaming && !is_nested)
        write_row(thread->row);
    if (atomic_load(&hot.session) != thread->session)
        return false;
    struct tv_block *block = take_block(thread);
    if (block)
        add_block(thread, block);
    return block != NULL;
}

/* CPU time of the calling thread: what it takes to write a block, without what it waits for. */
static uint64_t own_cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* A handler may have come between the thread's failed take and the lock, and changed the block. */
static struct tv_slot *take_slot_of_next_block(struct thread *thread, bool is_nested)
{
    struct tv_cold cold;
    struct tv_slot *slot = NULL;
    uint64_t begin_ns = own_cpu_ns();
    tv_cold_enter(&cold);
    if (atomic_load(&hot.session) == thread->session &&
        (thread->at < thread->limit || change_block(thread, is_nested)))
        slot = thread->at++;
    recording.block_ns += own_cpu_ns() - begin_ns;
    tv_cold_leave(&cold);
    return slot;
}

/* The name that the kernel has for a thread; what was there stays where that cannot be told. */
static void read_name(struct tv_row *row)
{
    char path[64];
    char name[TV_ROW_NAME_CAP];
    if (row->is_named || row->tid == recording.pid)
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

static void name_row(struct thread *thread)
{
    struct tv_row *row = thread->row;
    char name[TV_ROW_NAME_CAP] = "main";
    if (row->is_shared)
        return;
    if (row->tid != recording.pid)
        (void)prctl(PR_GET_NAME, name);
    row->is_named = thread->name[0] != '\0';
    const char *chosen = row->is_named ? thread->name : name;
    row->name[tv_name_copy(row->name, TV_ROW_NAME_CAP - 1, chosen, SIZE_MAX)] = '\0';
}

static void link_thread(struct thread *thread)
{
    thread->before = NULL;
    thread->next = threads;
    if (threads)
        threads->before = thread;
    threads = thread;
}

static void unlink_thread(struct thread *thread)
{
    if (thread->before)
        thread->before->next = thread->next;
    else
        threads = thread->next;
    if (thread->next)
        thread->next->before = thread->before;
}

/* With an interval, a row has a stack. */
static bool take_stack(struct tv_row *row)
{
    if (!recording.interval_us)
        return true;
    row->stack = tv_memory_take(&recording.memory, sizeof(*row->stack));
    row->seen = tv_memory_take(&recording.memory, sizeof(*row->seen));
    return row->stack && row->seen;
}

/* A row that had a carried thread before goes on with its CPU time. */
static void begin_clock(struct thread *thread)
{
    tv_cpu_begin(&thread->cpu, recording.has_cpu ? tv_cpu_best_source() : TV_CPU_NONE,
                 recording.rate);
    if (recording.has_cpu)
        tv_cpu_go_on_from(&thread->cpu, thread->row->cpu_before);
}

static bool take_row(struct thread *thread)
{
    if (thread->row_session == recording.session)
        return thread->ends < ENDS_MOST;
    struct tv_row *row = thread->is_carried ? tv_recording_carried_row(&recording)
                                            : tv_recording_add_row(&recording);
    if (!row || !take_stack(row))
        return false;
    row->tid = thread->is_carried ? 0 : (pid_t)syscall(SYS_gettid);
    thread->id = pthread_self();
    thread->row = row;
    thread->row_session = recording.session;
    thread->block_size = 0;
    thread->ends = 0;
    name_row(thread);
    begin_clock(thread);
    return true;
}

/* Gives a thread that records for the first time in this session a row and a block. */
static bool join_locked(struct thread *thread)
{
    uint32_t session = atomic_load(&hot.session);
    if (session == NO_SESSION || session != recording.session || !is_own_process())
        return false;
    if (thread->session == session)
        return true; /* by a signal handler that came in between */
    if (!take_row(thread) || pthread_setspecific(end_key, thread) != 0) {
        recording.lost++;
        return false;
    }
    struct tv_block *block = take_block(thread);
    if (!block)
        return false;
    add_block(thread, block);
    link_thread(thread);
    thread->session = session;
    return true;
}

static bool join_session(struct thread *thread, const struct hot *shared)
{
    if (atomic_load_explicit(&shared->session, memory_order_relaxed) == NO_SESSION)
        return false;
    struct tv_cold cold;
    tv_cold_enter(&cold);
    bool has_joined = join_locked(thread);
    tv_cold_leave(&cold);
    return has_joined;
}

/* The thread records no more, or not for now: its row stays, its memory goes. */
static void leave_session(struct thread *thread)
{
    if (thread->session != recording.session || !thread->session)
        return;
    leave_block(thread);
    unlink_thread(thread);
    thread->session = 0;
    thread->ends++;
    read_name(thread->row);
    if (recording.is_streaming && !recording.output.error && is_own_process())
        write_row(thread->row);
    else if (thread->row->last)
        tv_pool_give_rest(&recording.pool, thread->row->last);
}

static void end_thread(void *ended)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    leave_session(ended);
    tv_cold_leave(&cold);
}

static bool has_row(const struct thread *thread)
{
    return recording.session && thread->row_session == recording.session;
}

/* Where the thread's records go now; its CPU time stands still. */
static struct tv_place leave_place(struct thread *thread)
{
    if (!has_row(thread))
        return (struct tv_place){.row = NULL};
    if (recording.has_cpu) {
        uint64_t now = tv_ticks_now(recording.rate.is_counter);
        thread->row->cpu_before = tv_cpu_read(&thread->cpu, &recording.rate, now);
    }
    leave_session(thread);
    return (struct tv_place){.row = thread->row, .session = thread->row_session};
}

void tv_recorder_switch(struct tv_place *from, const struct tv_place *to, bool is_carried)
{
    struct thread *thread = &self;
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
    if (place->row && recording.session && place->session == recording.session)
        tv_recording_free_carried_row(&recording, place->row);
}

/*
 * Sampling: a thread of its own looks at the stacks of all others, and records for them what
 * changed.
 */

static void change_stack(struct thread *thread, uint32_t word)
{
    if ((word & TV_WIRE_ACTION_MASK) == TV_RECORDER_ENTER)
        tv_stack_enter(thread->row->stack, word / (TV_WIRE_ACTION_MASK + 1));
    else
        tv_stack_exit(thread->row->stack);
}

/* A look at one thread: all its records have one time. */
struct look {
    struct thread *thread;
    uint64_t wall, cpu;
};

static void put_seen(const struct look *look, uint32_t word)
{
    struct thread *thread = look->thread;
    if (thread->at >= thread->limit && !change_block(thread, false))
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
    return tv_ticks_from_ns(recording.rate,
                            (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec);
}

/* Records what a thread's stack had become some ticks ago. */
static void note_view(struct thread *thread, const struct tv_stack_view *view, uint64_t cpu,
                      uint64_t ago)
{
    struct tv_stack_view *seen = thread->row->seen;
    uint64_t wall = tv_ticks_now(recording.rate.is_counter) - recording.start_ticks;
    struct look look = {.thread = thread, .wall = wall > ago ? wall - ago : 1, .cpu = cpu};
    tv_stack_compare(seen, view, &(struct tv_stack_change){put_seen_enter, put_seen_exit, &look});
    seen->depth = view->depth;
    memcpy(seen->methods, view->methods, view->depth * sizeof(view->methods[0]));
}

static void look_at(struct thread *thread)
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
    bool is_on = atomic_load(&hot.session) == session;
    for (struct thread *thread = threads; thread && is_on; thread = thread->next) {
        look_at(thread);
        is_on = atomic_load(&hot.session) == session;
    }
    tv_cold_leave(&cold);
    return is_on;
}

static void *look_again_and_again(void *unused)
{
    uint32_t session = recording.session;
    uint64_t interval_ns = (uint64_t)recording.interval_us * UINT64_C(1000);
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
    struct thread thread;
};

static struct tv_watched *watch_locked(const char *name)
{
    struct tv_watched *watched = tv_memory_take(&recording.memory, sizeof(*watched));
    struct tv_row *row = watched ? tv_recording_add_row(&recording) : NULL;
    if (row)
        row->seen = tv_memory_take(&recording.memory, sizeof(*row->seen));
    if (!row || !row->seen)
        return NULL;
    row->is_named = true;
    row->name[tv_name_copy(row->name, TV_ROW_NAME_CAP - 1, name, SIZE_MAX)] = '\0';
    watched->thread.row = row;
    watched->thread.session = recording.session;
    struct tv_block *block = take_block(&watched->thread);
    if (!block)
        return NULL;
    add_block(&watched->thread, block);
    link_thread(&watched->thread);
    return watched;
}

/* Whether there is a recording that goes on, and is this process's. */
static bool is_recorded(void)
{
    return recording.session && atomic_load(&hot.session) == recording.session && is_own_process();
}

struct tv_watched *tv_recorder_watch(const char *name)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    struct tv_watched *watched = is_recorded() ? watch_locked(name) : NULL;
    tv_cold_leave(&cold);
    return watched;
}

void tv_recorder_saw(struct tv_watched *watched, const struct tv_stack_view *view, uint64_t cpu_ns,
                     uint64_t ago_ns)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    if (is_recorded())
        note_view(&watched->thread, view, tv_ticks_from_ns(recording.rate, cpu_ns),
                  tv_ticks_from_ns(recording.rate, ago_ns));
    tv_cold_leave(&cold);
}

/*
 * Start and stop.
 */

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

/* The child of a fork has the parent's memory, but neither its other threads nor its file. */
static void forget_in_child(void)
{
    if (atomic_load(&state) != IDLE) {
        halt();
        tv_output_abandon(&recording.output);
        tv_memory_release(&recording.memory);
        if (!atomic_load(&self.is_recording))
            tv_pool_release(&recording.pool);
        recording.session = 0;
        atomic_store(&state, IDLE);
    }
    threads = NULL;
    self.session = 0;
    tv_cold_after_fork();
}

static void prepare_process(void)
{
    if (has_key)
        return;
    has_key = pthread_key_create(&end_key, end_thread) == 0 &&
              pthread_atfork(tv_cold_before_fork, tv_cold_after_fork, forget_in_child) == 0;
    has_barrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* A cost in ticks of `count` as nanoseconds of one, from the median of the rounds. */
static uint32_t cost_of_one(uint64_t *ticks, uint32_t count)
{
    qsort(ticks, ROUNDS, sizeof(*ticks), by_value);
    return (uint32_t)(tv_ticks_to_ns(recording.rate, ticks[ROUNDS / 2]) / count);
}

static void measure_clock(struct thread *thread)
{
    uint64_t ticks[ROUNDS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t begin = tv_ticks_now(recording.rate.is_counter);
        for (unsigned i = 0; i < READINGS; i++) {
            uint64_t now = tv_ticks_now(recording.rate.is_counter);
            (void)tv_cpu_read(&thread->cpu, &recording.rate, now);
        }
        ticks[round] = tv_ticks_now(recording.rate.is_counter) - begin;
    }
    recording.clock_ns = cost_of_one(ticks, READINGS);
}

/* Records enters and exits into a block that is cleared again, with the hot path itself. */
static void measure_call(struct thread *thread, struct tv_block *block)
{
    struct hot measured = {.start_ticks = 0, .rate = recording.rate};
    atomic_store(&measured.session, recording.session);
    uint64_t ticks[ROUNDS];
    uint32_t pairs = block->cap / 2;
    thread->session = recording.session;
    thread->limit = block->slots + block->cap;
    for (unsigned round = 0; round < ROUNDS; round++) {
        thread->at = block->slots;
        uint64_t begin = tv_ticks_now(recording.rate.is_counter);
        for (uint32_t i = 0; i < pairs; i++) {
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_ENTER));
            put_for_measure(thread, &measured, tv_recorder_word(1, TV_RECORDER_EXIT));
        }
        ticks[round] = tv_ticks_now(recording.rate.is_counter) - begin;
    }
    recording.call_ns = cost_of_one(ticks, pairs);
    block->used = block->cap;
}

static bool measure(void)
{
    struct thread scratch = {.session = 0};
    struct tv_block *block = tv_pool_take(&recording.pool, recording.pool.largest);
    if (!block)
        return false;
    tv_cpu_begin(&scratch.cpu, recording.has_cpu ? tv_cpu_best_source() : TV_CPU_NONE,
                 recording.rate);
    measure_clock(&scratch);
    if (recording.interval_us)
        recording.call_ns = 0;
    else
        measure_call(&scratch, block);
    recording.call_ns += recording.interval_us ? 0 : hooks_ns;
    tv_pool_give(&recording.pool, block);
    return true;
}

/* All of a recording but its file. */
static bool prepare_recording(const struct tv_recorder_options *options)
{
    size_t len = options->buffer_len ? options->buffer_len : TV_TRACE_DEFAULT_BUFFER_SIZE;
    bool has_any = options->has_wall || options->has_cpu;
    recording.format = options->format;
    recording.is_streaming = options->is_streaming;
    recording.interval_us = options->interval_us;
    recording.has_wall = options->has_wall || !has_any;
    recording.has_cpu = options->has_cpu || !has_any;
    recording.session = ++last_session;
    recording.pid = getpid();
    recording.first_row = recording.last_row = NULL;
    recording.row_count = recording.own_carried_rows = recording.shared_rows = 0;
    recording.free_rows = NULL;
    recording.has_overflow = false;
    recording.records = recording.lost = recording.block_ns = 0;
    recording.rate = tv_ticks_measure();
    return tv_pool_init(&recording.pool, len < BUFFER_LEAST ? BUFFER_LEAST : len) && measure();
}

/* What was prepared of a recording that cannot begin. */
static void drop_pool(void)
{
    tv_pool_release(&recording.pool);
    recording.session = 0;
}

static void drop_recording(void)
{
    tv_output_abandon(&recording.output);
    drop_pool();
}

static enum tv_trace_status open_and_prepare(const struct tv_recorder_options *options, int *error)
{
    prepare_process();
    if (!has_key)
        return TV_TRACE_NO_MEMORY;
    /* The file comes last: a recording that has no memory leaves none, and harms none. */
    if (!prepare_recording(options)) {
        *error = ENOMEM;
        drop_pool();
        return TV_TRACE_NO_MEMORY;
    }
    *error = tv_output_open(&recording.output, options->path);
    if (*error) {
        drop_pool();
        return TV_TRACE_CANNOT_OPEN;
    }
    recording.start_ns = tv_ticks_monotonic_ns();
    recording.start_ticks = tv_ticks_now(recording.rate.is_counter) - START_SLACK;
    if (options->is_streaming)
        tv_recording_begin_stream(&recording);
    if (!recording.output.error)
        return TV_TRACE_OK;
    *error = recording.output.error;
    drop_recording();
    return TV_TRACE_CANNOT_WRITE;
}

/* Lets the threads record. */
static void publish(void)
{
    hot.start_ticks = recording.start_ticks;
    hot.rate = recording.rate;
    hot.is_sampling = recording.interval_us != 0;
    atomic_store_explicit(&hot.session, recording.session, memory_order_release);
    __atomic_store_n(&tv_method_tracing_is_on, 1, __ATOMIC_RELAXED);
}

enum tv_trace_status tv_recorder_start(const struct tv_recorder_options *options)
{
    int expected = IDLE;
    int error = 0;
    struct tv_cold cold;
    if (!atomic_compare_exchange_strong(&state, &expected, STARTING))
        return TV_TRACE_IN_PROGRESS;
    tv_cold_enter(&cold);
    enum tv_trace_status status = open_and_prepare(options, &error);
    /* The sampler comes to the lock after this. */
    recording.is_watched = options->is_watched;
    if (status == TV_TRACE_OK && recording.interval_us && !recording.is_watched &&
        pthread_create(&sampler, NULL, look_again_and_again, NULL) != 0) {
        error = EAGAIN;
        status = TV_TRACE_NO_MEMORY;
        drop_recording();
    }
    if (status == TV_TRACE_OK)
        publish();
    atomic_store(&state, status == TV_TRACE_OK ? ACTIVE : IDLE);
    tv_cold_leave(&cold);
    if (status != TV_TRACE_OK)
        errno = error;
    return status;
}

/* Whether a thread but the calling one is still recording. */
static bool is_any_recording(void)
{
    struct tv_cold cold;
    bool is_any = false;
    tv_cold_enter(&cold);
    for (struct thread *thread = threads; thread; thread = thread->next) {
        if (thread != &self && atomic_load_explicit(&thread->is_recording, memory_order_acquire))
            is_any = true;
    }
    tv_cold_leave(&cold);
    return is_any;
}

/* Waits until every thread has seen that nothing is recorded any more. The calling thread itself
 * may be recording, when this is in a signal handler. Returns false when a thread may still write
 * into its block. */
static bool wait_for_threads(void)
{
    if (!has_barrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
        nanosleep(&(struct timespec){.tv_nsec = NO_BARRIER_WAIT_NS}, NULL);
    for (int waits = 0; is_any_recording(); waits++) {
        if (waits == STOP_WAITS_MOST)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = STOP_WAIT_NS}, NULL);
    }
    return !atomic_load(&self.is_recording);
}

static void fill_result(struct tv_recorder_result *result)
{
    const struct tv_output *output = &recording.output;
    *result = (struct tv_recorder_result){.bytes = output->written,
                                          .records = recording.records,
                                          .threads = recording.row_count,
                                          .lost = recording.lost,
                                          .elapsed_ns = recording.elapsed_ns,
                                          .has_overflow = recording.has_overflow,
                                          .error = output->error};
    memcpy(result->path, output->path, sizeof(result->path));
}

/* Takes every thread off its block, and writes the file. */
static int finish_file(void)
{
    for (struct thread *thread = threads; thread; thread = thread->next) {
        leave_block(thread);
        read_name(thread->row);
    }
    threads = NULL;
    if (!recording.output.error)
        tv_recording_finish(&recording);
    return tv_output_close(&recording.output);
}

enum tv_trace_status tv_recorder_stop(struct tv_recorder_result *result)
{
    int expected = ACTIVE;
    struct tv_cold cold;
    if (!atomic_compare_exchange_strong(&state, &expected, STOPPING))
        return expected == IDLE ? TV_TRACE_NOT_STARTED : TV_TRACE_IN_PROGRESS;
    uint64_t end_ticks = tv_ticks_now(recording.rate.is_counter);
    halt();
    if (recording.interval_us && !recording.is_watched)
        pthread_join(sampler, NULL);
    bool is_pool_free = wait_for_threads();
    tv_cold_enter(&cold);
    recording.elapsed_ns = tv_ticks_to_ns(recording.rate, end_ticks - recording.start_ticks);
    int error = finish_file();
    if (result)
        fill_result(result);
    tv_memory_release(&recording.memory);
    if (is_pool_free)
        tv_pool_release(&recording.pool);
    recording.session = 0; /* threads that end from here on have nothing in it */
    atomic_store(&state, IDLE);
    tv_cold_leave(&cold);
    if (error)
        errno = error;
    return error ? TV_TRACE_CANNOT_WRITE : TV_TRACE_OK;
}

uint32_t tv_recorder_method(const struct tv_method_text *text)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    uint32_t number = tv_methods_number(text);
    tv_cold_leave(&cold);
    return number;
}

void tv_recorder_add_call_cost(uint32_t ns)
{
    hooks_ns = ns;
}

void tv_recorder_lose(void)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    recording.lost++;
    tv_cold_leave(&cold);
}

uint32_t tv_recorder_session(void)
{
    return atomic_load_explicit(&hot.session, memory_order_relaxed);
}

void tv_recorder_name_thread(const char *name)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    self.name[tv_name_copy(self.name, sizeof(self.name) - 1, name, SIZE_MAX)] = '\0';
    if (recording.session && self.row_session == recording.session)
        name_row(&self);
    tv_cold_leave(&cold);
}

/* A program that ends, or a library that is unloaded, ends its recording. */
__attribute__((destructor)) static void stop_at_exit(void)
{
    struct tv_recorder_result result;
    if (atomic_load(&state) == ACTIVE && is_own_process() &&
        tv_recorder_stop(&result) == TV_TRACE_CANNOT_WRITE)
        halt_on_failed_write();
    if (has_key)
        pthread_key_delete(end_key);
}
