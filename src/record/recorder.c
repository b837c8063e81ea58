/*
 * The recorder: its begin and its end; see record/recorder.h.
 *
 * A recording goes IDLE, STARTING, ACTIVE, STOPPING, IDLE; a ring goes from ACTIVE to WRITING and
 * back. Who starts or stops first claims the state by compare and exchange, so that a second caller
 * fails instead of waiting; only then is the lock of cold.h taken. Stopping changes the session,
 * waits until no thread is inside the hot path (how, is in hot.h), then takes every thread off its
 * block and writes the file. A thread that does not come out within a second may still write into
 * its block: then the buffer's memory is never released, which leaks it but harms nobody.
 */
#include "record/recorder.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/cold.h"
#include "record/cost.h"
#include "record/dump.h"
#include "record/hot.h"
#include "record/session.h"
#include "record/slow.h"
#include "record/threads.h"
#include "record/watch.h"

#define BUFFER_LEAST ((size_t)64 * 1024)
#define FIRST_SESSION 2u /* 0 is a thread's that has not recorded yet */
#define STOP_WAIT_NS 50000
#define STOP_WAITS_MOST 20000 /* a second: a thread that takes longer hangs */
#define NO_BARRIER_WAIT_NS 10000000
/* Ticks that the start is set back by, so that no record's time is 0, even when the counter of
 * another core is a little behind: a time of 0 marks a slot that is not filled. */
#define START_SLACK 256u

enum state { IDLE, STARTING, ACTIVE, WRITING, STOPPING };
static _Atomic int state = IDLE;
static uint32_t last_session = FIRST_SESSION - 1;
static pthread_t sampler; /* of a recording with an interval */
static bool has_key, has_barrier;
static uint32_t hooks_ns; /* what hooks add to the cost of a call */

void tv_recorder_put(uint32_t word)
{
    struct tv_pending_put pending;
    tv_hot_put(&tv_self, &tv_hot, word, &pending);
}

void tv_recorder_put_pending(uint32_t word, struct tv_pending_put *pending)
{
    tv_hot_put(&tv_self, &tv_hot, word, pending);
}

bool tv_recorder_has_put(const struct tv_slot *slot)
{
    return slot && __atomic_load_n(&slot->wall_and_low, __ATOMIC_RELAXED) != 0;
}

uint32_t tv_recorder_is_putting(void)
{
    return atomic_load_explicit(&tv_self.is_recording, memory_order_relaxed);
}

void tv_recorder_leave_put(uint32_t is_putting)
{
    atomic_store_explicit(&tv_self.is_recording, is_putting, memory_order_release);
}

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

/* Runs in the child of a fork, which has the parent's memory but neither its other threads nor its
 * file. The recording is the parent's: the child closes the descriptor without writing, and starts
 * as if it had never recorded. Memory that the forking thread was just recording into is left
 * alone. */
static void forget_in_child(void)
{
    if (atomic_load(&state) != IDLE) {
        tv_session_halt();
        tv_output_abandon(&tv_current.output);
        tv_memory_release(&tv_current.memory);
        if (!atomic_load(&tv_self.is_recording))
            tv_pool_release(&tv_current.pool);
        tv_current.session = 0;
        tv_watch_after_fork();
        tv_dump_after_fork();
        atomic_store(&state, IDLE);
    }
    tv_threads = NULL;
    tv_self.session = 0;
    tv_cold_after_fork();
}

void tv_recorder_before_fork(void)
{
    tv_cold_before_fork();
}

void tv_recorder_after_fork(pid_t child)
{
    const int error = errno;
    if (child == 0)
        forget_in_child();
    else
        tv_cold_after_fork();
    errno = error;
}

static void prepare_process(void)
{
    if (has_key)
        return;
    has_key = pthread_key_create(&tv_threads_end_key, tv_threads_end) == 0 &&
              pthread_atfork(tv_cold_before_fork, tv_cold_after_fork, forget_in_child) == 0;
    has_barrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

static uint32_t depth_most;

void tv_recorder_limit_depth(uint32_t most)
{
    depth_most = most;
}

/* Makes everything that a recording needs except its file, which comes last: a recording that finds
 * no memory leaves no file behind, and overwrites none. */
static bool prepare_recording(const struct tv_recorder_options *options)
{
    size_t len = options->buffer_len ? options->buffer_len : TV_TRACE_DEFAULT_BUFFER_SIZE;
    bool has_any = options->has_wall || options->has_cpu;
    tv_current.format = options->is_ring ? TV_RECORD_TEXT : options->format;
    tv_current.is_streaming = options->is_streaming;
    tv_current.file_most = options->is_streaming ? options->file_most : 0;
    (void)snprintf(tv_current.awaited, sizeof(tv_current.awaited), "%s",
                   options->is_streaming && options->awaited ? options->awaited : "");
    tv_current.awaited_ns = 0;
    tv_current.is_ring = options->is_ring;
    tv_current.dropped = 0;
    tv_current.oldest = tv_current.newest = tv_current.free_entries = NULL;
    tv_current.empty_rows = NULL;
    tv_current.begin_ticks = 0;
    tv_current.interval_us = options->interval_us;
    tv_current.is_by_events = options->is_by_events;
    tv_current.bytes = options->bytes;
    tv_current.skipped = options->skipped;
    tv_current.classes_left_out = options->classes_left_out;
    tv_current.looks = (struct tv_recorder_looks){.stacks = 0};
    tv_current.depth_most = depth_most;
    tv_current.program[tv_name_copy(tv_current.program, sizeof(tv_current.program) - 1,
                                    options->program, SIZE_MAX)] = '\0';
    tv_processor_name(tv_current.processor);
    tv_current.has_wall = options->has_wall || !has_any;
    tv_current.has_cpu = options->has_cpu || !has_any;
    tv_current.session = ++last_session;
    tv_current.pid = getpid();
    tv_current.first_row = tv_current.last_row = NULL;
    tv_current.row_count = tv_current.own_carried_rows = tv_current.shared_rows = 0;
    tv_current.free_rows = NULL;
    tv_current.free_watched = NULL;
    tv_current.stop = TV_RECORDING_NOT_STOPPED;
    tv_current.is_failure_told = tv_current.is_finishing = false;
    tv_current.records = tv_current.lost = 0;
    tv_current.block_ns = tv_current.writing_ns = 0;
    tv_current.rate = tv_ticks_measure();
    return tv_pool_init(&tv_current.pool, len < BUFFER_LEAST ? BUFFER_LEAST : len) &&
           tv_cost_measure(hooks_ns);
}

/* Releases what was prepared for a recording that cannot begin. */
static void drop_pool(void)
{
    tv_pool_release(&tv_current.pool);
    tv_current.session = 0;
}

static void drop_recording(void)
{
    tv_output_abandon(&tv_current.output);
    drop_pool();
}

static enum tv_trace_status open_and_prepare(const struct tv_recorder_options *options, int *error)
{
    prepare_process();
    if (!has_key)
        return TV_TRACE_NO_MEMORY;
    /* See prepare_recording for why the file is opened after it. */
    if (!prepare_recording(options)) {
        *error = ENOMEM;
        drop_pool();
        return TV_TRACE_NO_MEMORY;
    }
    *error = tv_output_open(&tv_current.output, options->path);
    if (*error) {
        drop_pool();
        return TV_TRACE_CANNOT_OPEN;
    }
    tv_current.start_ns = tv_ticks_monotonic_ns();
    tv_current.start_ticks = tv_ticks_now(tv_current.rate.is_counter) - START_SLACK;
    if (options->is_streaming)
        tv_recording_begin_stream(&tv_current);
    if (!tv_current.output.error)
        return TV_TRACE_OK;
    *error = tv_current.output.error;
    drop_recording();
    return TV_TRACE_CANNOT_WRITE;
}

/* Lets the threads record. The session is stored last (release): a thread that sees it sees the
 * clock's rate, too. */
static void publish(void)
{
    tv_hot.start_ticks = tv_current.start_ticks;
    tv_hot.rate = tv_current.rate;
    tv_hot.is_sampling = tv_current.interval_us != 0;
    atomic_store_explicit(&tv_recorder_session_now, tv_current.session, memory_order_relaxed);
    atomic_store_explicit(&tv_hot.session, tv_current.session, memory_order_release);
    __atomic_store_n(&tv_method_tracing_is_on, 1, __ATOMIC_RELAXED);
}

/* Whether the recorder's own thread looks at stacks: sampling, and nobody else (an agent) does it.
 */
static bool looks_itself(void)
{
    return tv_current.interval_us && !tv_current.is_watched;
}

static bool begin_to_look(void)
{
    if (tv_watch_begin() && pthread_create(&sampler, NULL, tv_watch_run, NULL) == 0)
        return true;
    tv_watch_end();
    return false;
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
    /* The sampler waits for the lock, so it sees what is set here. */
    tv_current.is_watched = options->is_watched;
    if (status == TV_TRACE_OK && looks_itself() && !begin_to_look()) {
        error = EAGAIN;
        status = TV_TRACE_NO_MEMORY;
        drop_recording();
    }
    if (status == TV_TRACE_OK && options->is_ring)
        tv_dump_begin();
    if (status == TV_TRACE_OK)
        tv_slow_prepare(options->is_ring ? options->slow_ns : 0, options->slow_name);
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
    for (struct tv_thread *thread = tv_threads; thread; thread = thread->next) {
        if (thread != &tv_self && atomic_load_explicit(&thread->is_recording, memory_order_acquire))
            is_any = true;
    }
    tv_cold_leave(&cold);
    return is_any;
}

/* Waits until every thread has seen that nothing is recorded any more. Without membarrier() a pause
 * stands for the barrier. The calling thread may itself be inside the hot path, when a signal
 * handler stops the recording. Returns false when a thread may still write into its block. */
static bool wait_for_threads(void)
{
    if (!has_barrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
        nanosleep(&(struct timespec){.tv_nsec = NO_BARRIER_WAIT_NS}, NULL);
    for (int waits = 0; is_any_recording(); waits++) {
        if (waits == STOP_WAITS_MOST)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = STOP_WAIT_NS}, NULL);
    }
    return !atomic_load(&tv_self.is_recording);
}

/* Whether a thread may fill a slot at this moment. */
static bool is_any_filling(void)
{
    for (struct tv_thread *thread = tv_threads; thread; thread = thread->next) {
        if (atomic_load(&thread->is_recording) && !atomic_load(&thread->is_waiting))
            return true;
    }
    return false;
}

/* Threads that come to record meanwhile wait for the lock. */
bool tv_session_pause(struct tv_cold *cold)
{
    int expected = ACTIVE;
    if (!atomic_compare_exchange_strong(&state, &expected, WRITING))
        return false;
    tv_cold_enter(cold);
    if (atomic_load(&tv_hot.session) == tv_current.session)
        atomic_store(&tv_hot.session, TV_PAUSED_SESSION);
    if (!has_barrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
        nanosleep(&(struct timespec){.tv_nsec = NO_BARRIER_WAIT_NS}, NULL);
    int waits = 0;
    while (is_any_filling() && waits++ < STOP_WAITS_MOST)
        nanosleep(&(struct timespec){.tv_nsec = STOP_WAIT_NS}, NULL);
    if (waits <= STOP_WAITS_MOST)
        return true;
    tv_session_resume(cold);
    return false;
}

void tv_session_resume(const struct tv_cold *cold)
{
    if (atomic_load(&tv_hot.session) == TV_PAUSED_SESSION)
        atomic_store(&tv_hot.session, tv_current.session);
    tv_cold_leave(cold);
    atomic_store(&state, ACTIVE);
}

static void fill_result(struct tv_recorder_result *result)
{
    const struct tv_output *output = &tv_current.output;
    *result = (struct tv_recorder_result){.bytes = output->written,
                                          .records = tv_current.records,
                                          .threads = tv_current.row_count,
                                          .lost = tv_current.lost,
                                          .elapsed_ns = tv_current.elapsed_ns,
                                          .error = output->error};
    memcpy(result->path, output->path, sizeof(result->path));
}

/* Takes every thread off its block, and writes the file. Threads are seen at a time in ticks, 0: at
 * none, since recording had stopped before, and what they were in then may have ended. */
static int finish_file(uint64_t seen)
{
    tv_current.is_finishing = true;
    for (struct tv_thread *thread = tv_threads; thread; thread = thread->next) {
        tv_watch_leave(thread);
        if (seen)
            tv_threads_see(thread, seen);
        tv_threads_leave_block(thread);
        tv_threads_read_name(thread->row);
    }
    tv_threads = NULL;
    if (!tv_current.output.error)
        tv_recording_finish(&tv_current);
    return tv_output_close(&tv_current.output);
}

/* First the session ends, then the sampler, then everything under the lock. The session's number is
 * cleared before the state is IDLE: a thread that ends between two recordings must not touch rows
 * that are gone. */
enum tv_trace_status tv_recorder_stop(struct tv_recorder_result *result)
{
    int expected = ACTIVE;
    struct tv_cold cold;
    while (!atomic_compare_exchange_strong(&state, &expected, STOPPING) && expected == WRITING) {
        nanosleep(&(struct timespec){.tv_nsec = STOP_WAIT_NS}, NULL);
        expected = ACTIVE;
    }
    if (expected != ACTIVE)
        return expected == IDLE ? TV_TRACE_NOT_STARTED : TV_TRACE_IN_PROGRESS;
    uint64_t end_ticks = tv_ticks_now(tv_current.rate.is_counter);
    const bool goes_on = atomic_load(&tv_hot.session) == tv_current.session;
    tv_session_halt();
    if (looks_itself())
        pthread_join(sampler, NULL);
    tv_slow_end();
    tv_dump_end();
    bool is_pool_free = wait_for_threads();
    tv_cold_enter(&cold);
    tv_current.elapsed_ns = tv_ticks_to_ns(tv_current.rate, end_ticks - tv_current.start_ticks);
    int error = finish_file(goes_on ? end_ticks - tv_current.start_ticks : 0);
    if (looks_itself())
        tv_watch_end();
    if (result)
        fill_result(result);
    tv_memory_release(&tv_current.memory);
    if (is_pool_free)
        tv_pool_release(&tv_current.pool);
    tv_current.session = 0; /* threads that end from here on have nothing in it */
    atomic_store(&state, IDLE);
    tv_cold_leave(&cold);
    if (error)
        errno = error;
    return error ? TV_TRACE_CANNOT_WRITE : TV_TRACE_OK;
}

bool tv_recorder_has_records(void)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    const bool has_any = tv_current.session && tv_current.row_count;
    tv_cold_leave(&cold);
    return has_any;
}

uint32_t tv_recorder_method(const struct tv_method_text *text)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    const uint32_t count = tv_methods_count();
    uint32_t number = tv_methods_number(text);
    if (number > count)
        tv_slow_meet(number, tv_methods_get(number));
    tv_cold_leave(&cold);
    return number;
}

void tv_recorder_add_call_cost(uint32_t ns)
{
    hooks_ns = ns;
}

void tv_recorder_leave_out(const char *classes)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    tv_current.classes_left_out = classes;
    tv_cold_leave(&cold);
}

void tv_recorder_tell_looks(const struct tv_recorder_looks *looks)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    tv_current.looks = *looks;
    tv_cold_leave(&cold);
}

void tv_recorder_lose(void)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    tv_current.lost++;
    tv_cold_leave(&cold);
}

void tv_recorder_name_thread(const char *name)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    tv_self.name[tv_name_copy(tv_self.name, sizeof(tv_self.name) - 1, name, SIZE_MAX)] = '\0';
    if (tv_current.session && tv_self.row_session == tv_current.session)
        tv_threads_name_row(&tv_self);
    tv_cold_leave(&cold);
}

/* A program that ends, or a library that is unloaded, ends its recording. */
__attribute__((destructor)) static void stop_at_exit(void)
{
    struct tv_recorder_result result;
    if (atomic_load(&state) == ACTIVE && tv_session_is_own() &&
        tv_recorder_stop(&result) == TV_TRACE_CANNOT_WRITE)
        tv_session_fail();
    if (has_key)
        pthread_key_delete(tv_threads_end_key);
}
