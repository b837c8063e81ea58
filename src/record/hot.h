/*
 * The hot path: what each record takes. Inside the recorder alone.
 *
 * A thread and whoever stops the recording meet in two words. The thread says that it is recording
 * (is_recording), then looks whether the session is still its own. The stopping side changes the
 * session, has the kernel make every running thread of the process pass a memory barrier
 * (membarrier), and then waits until no thread says that it is recording. Thus a thread needs no
 * barrier of its own: either it sees the new session, or it is seen.
 */
#ifndef TV_RECORD_HOT_H
#define TV_RECORD_HOT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "record/buffer.h"
#include "record/cpu_clock.h"
#include "record/recorder.h"
#include "record/recording.h"
#include "record/ticks.h"

#if defined(__SANITIZE_THREAD__)
#define TV_HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TV_HAS_THREAD_SANITIZER 1
#endif
#endif

#define TV_NO_SESSION 1u /* nothing is recorded; never the session of a thread */
/* Instead of the session while a ring is written: who records waits for the lock. */
#define TV_PAUSED_SESSION UINT32_MAX

/* What every record needs. Written only while no thread records. */
struct tv_hot {
    _Atomic uint32_t session;
    uint64_t start_ticks;
    struct tv_ticks_rate rate;
    bool is_sampling; /* calls only change their thread's stack */
};

/* What a thread needs for a record. Other threads read `at` and `row` once it does not record. */
struct tv_thread {
    struct tv_slot *at;    /* where the next record goes: changed by one instruction */
    struct tv_slot *limit; /* behind the block's slots */
    struct tv_cpu_clock cpu;
    uint32_t session;              /* in which it has a block; else 0 */
    _Atomic uint32_t is_recording; /* the stopping side waits for its end */
    _Atomic bool is_waiting;       /* it records, but waits for the lock and fills no slot */
    pthread_t id;
    struct tv_row *row;
    uint32_t row_session;            /* whose row that is */
    uint32_t row_uses;               /* which of the row's threads it is */
    unsigned block_size;             /* of its next block */
    unsigned ends;                   /* how often its destructor ran in this session */
    bool is_carried;                 /* what it records is of a thread that it carries */
    struct tv_thread *next, *before; /* of those that have a block */
    char name[TV_ROW_NAME_CAP];      /* that the program gave it */
};

/* Thread-local memory that is reached without a call, in a shared library, too. */
extern _Thread_local struct tv_thread tv_self __attribute__((tls_model("initial-exec")));
extern struct tv_hot tv_hot;

/* What is not hot: threads.h and watch.h have these. */
bool tv_threads_join(struct tv_thread *thread, const struct tv_hot *shared, bool is_nested);
struct tv_slot *tv_threads_next_slot(struct tv_thread *thread, bool is_nested);
void tv_watch_change(struct tv_thread *thread, uint32_t word);

/* Takes the next slot by one instruction, so that a signal handler either takes the slot behind or
 * the one before, and never the same; no other thread takes one here, so nothing needs a lock. */
TV_INLINE struct tv_slot *tv_hot_take_slot(struct tv_thread *thread)
{
#if defined(__x86_64__) && !defined(TV_HAS_THREAD_SANITIZER)
    uint64_t slot = sizeof(struct tv_slot);
    __asm__ volatile("xaddq %0, %1" : "+r"(slot), "+m"(thread->at) : : "cc");
    return (struct tv_slot *)(uintptr_t)slot; /* NOLINT(performance-no-int-to-ptr) */
#else
    return __atomic_fetch_add(&thread->at, sizeof(struct tv_slot), __ATOMIC_RELAXED);
#endif
}

/* When something happened on a thread, by its clocks. */
struct tv_moment {
    uint64_t wall, cpu; /* ticks since the recording's start, and of the thread's CPU time */
};

TV_INLINE struct tv_moment tv_hot_now(struct tv_thread *thread, const struct tv_hot *shared)
{
    uint64_t now = tv_ticks_now(shared->rate.is_counter);
    return (struct tv_moment){.wall = now - shared->start_ticks,
                              .cpu = tv_cpu_read(&thread->cpu, &shared->rate, now)};
}

/* Fills the slot. The first number goes last: until then the slot is empty. Its store is a release
 * for a stopping side that waits in vain, and then reads what is there. */
TV_INLINE void tv_hot_fill_slot(struct tv_slot *slot, uint32_t word, struct tv_moment moment)
{
    slot->cpu_and_high = moment.cpu << TV_SLOT_WORD_BITS | word >> TV_SLOT_WORD_BITS;
    __atomic_store_n(&slot->wall_and_low, moment.wall << TV_SLOT_WORD_BITS | (word & 0xffffu),
                     __ATOMIC_RELEASE);
}

/* A signal handler that comes around the take may change the thread's block, so the slot may be
 * compared with the limit of another block only by a limit that was the same before and after the
 * take. Where it was not, the slot that was taken stays empty, and another one is. */
TV_INLINE void tv_hot_put_into_slot(struct tv_thread *thread, const struct tv_hot *shared,
                                    uint32_t word, bool is_nested, struct tv_pending_put *pending)
{
    const struct tv_slot *limit = __atomic_load_n(&thread->limit, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    struct tv_slot *slot = tv_hot_take_slot(thread);
    atomic_signal_fence(memory_order_seq_cst);
    if (TV_UNLIKELY(slot >= limit || __atomic_load_n(&thread->limit, __ATOMIC_RELAXED) != limit))
        slot = tv_threads_next_slot(thread, is_nested);
    pending->slot = slot;
    atomic_signal_fence(memory_order_seq_cst);
    /* An enter does not wait: of a caller's work less is open then, and each wait costs 12 to 33
     * ns. */
    if ((word & TV_WIRE_ACTION_MASK) != TV_RECORDER_ENTER)
        tv_ticks_settle(shared->rate.is_counter);
    if (TV_LIKELY(slot != NULL))
        tv_hot_fill_slot(slot, word, tv_hot_now(thread, shared));
}

/* The signal fence keeps the compiler from looking at the session first; for the processor see the
 * file comment. `outer` is 1 in a signal handler that interrupts its thread here. The record is not
 * pending any more before the thread says that it does not record: from then on, a handler may
 * write and empty the block. */
TV_INLINE void tv_hot_put(struct tv_thread *thread, const struct tv_hot *shared, uint32_t word,
                          struct tv_pending_put *pending)
{
    uint32_t outer = atomic_load_explicit(&thread->is_recording, memory_order_relaxed);
    atomic_store_explicit(&thread->is_recording, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t session = atomic_load_explicit(&shared->session, memory_order_acquire);
    if (TV_LIKELY(session == thread->session) || tv_threads_join(thread, shared, outer)) {
        if (TV_UNLIKELY(shared->is_sampling))
            tv_watch_change(thread, word);
        else
            tv_hot_put_into_slot(thread, shared, word, outer, pending);
    }
    atomic_signal_fence(memory_order_seq_cst);
    tv_pending_set(pending, 0);
    atomic_store_explicit(&thread->is_recording, outer, memory_order_release);
}

#endif
