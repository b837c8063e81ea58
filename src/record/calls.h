/*
 * The open calls of each thread, for those who are told when a method begins and ends, but not
 * always: exceptions and jumps leave methods that tell nobody. Such calls are closed, as unwound,
 * when a method below them ends.
 *
 * A signal handler may interrupt its thread in the moment in which a call is noted and recorded,
 * and may leave by longjmp(): then nobody goes on with that call. So what is about to happen is
 * written down before (tv_calls.changes), and is completed by the handler's first call or by
 * the jump.
 */
#ifndef TV_RECORD_CALLS_H
#define TV_RECORD_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/recorder.h"
#include "record/slow.h"

#define TV_CALLS_MOST (1u << 20) /* open calls of a thread; deeper ones are not recorded */

/* Changes of a thread that are under way: one, and one more for each signal handler that interrupts
 * the change before. Of deeper ones a jump loses the record. */
#define TV_CALLS_CHANGES 8u

/* A change is one number, so that it begins and ends by one instruction: the record's word, above
 * it the open calls after the change, and a bit that a signal handler sets when it has seen to it
 * that `numbers` and `depth` have the change. 0: none is under way. */
#define TV_CHANGE_DEPTH_SHIFT 32u
#define TV_CHANGE_IS_NOTED (UINT64_C(1) << 63)

/* Of the calling thread: numbers of methods, outermost first. */
struct tv_calls {
    uint32_t depth;
    uint32_t session;  /* that these calls are of */
    uint32_t *numbers; /* TV_CALLS_MOST of them */
    /* The changes that are under way, the interrupted ones first. The last place is shared by all
     * deeper ones. */
    struct tv_pending_put changes[TV_CALLS_CHANGES + 1];
};

extern _Thread_local struct tv_calls tv_calls __attribute__((tls_model("initial-exec")));
extern uint32_t tv_calls_depth_most; /* deeper calls are noted, but not recorded */

/* To be called once, before any other of these. Calls deeper than `depth_most` are noted, but not
 * recorded. `begin` is called in each thread before its first call of a recording. */
void tv_calls_prepare(uint32_t depth_most, void (*begin)(void));

/* Makes the thread's calls those of the recording under way; without memory for them what the
 * caller is about to record is lost, and counted. */
bool tv_calls_begin(void);

/* These are the calling thread's open calls from here on, of the recording under way. `depth` may
 * be more than TV_CALLS_MOST, of which the numbers are then. */
void tv_calls_go_on(const uint32_t *numbers, uint32_t depth);

/* Whether calls are recorded now. */
TV_INLINE bool tv_calls_are_on(void)
{
    if (!__atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED))
        return false;
    if (TV_LIKELY(tv_calls.session == tv_recorder_session() && tv_calls.numbers))
        return true;
    return tv_calls_begin();
}

/* Makes `numbers` and `depth` what they are after a change; doing so twice does no harm. */
TV_INLINE void tv_calls_note(uint32_t word, uint32_t depth)
{
    if ((word & TV_WIRE_ACTION_MASK) == TV_RECORDER_ENTER)
        tv_calls.numbers[depth - 1] = tv_recorder_method_of(word);
    tv_calls.depth = depth;
}

/* In a signal handler that interrupts a change: notes that change before the handler's own, and
 * returns the place of the handler's. */
struct tv_pending_put *tv_calls_change_in_handler(void);

TV_INLINE struct tv_pending_put *tv_calls_next_change(void)
{
    if (TV_UNLIKELY(tv_calls.changes[0].change))
        return tv_calls_change_in_handler();
    return &tv_calls.changes[0];
}

/* Whether a change is recorded, and not only noted. */
TV_INLINE bool tv_calls_is_recorded(uint32_t word, uint32_t level)
{
    return tv_recorder_method_of(word) && level < tv_calls_depth_most;
}

/* Changes the open calls, and records it. `level` is the depth of the call. The signal fences keep
 * the compiler from another order: a handler may come between any two of these instructions. */
TV_INLINE void tv_calls_change(struct tv_pending_put *pending, uint32_t word, uint32_t depth,
                               uint32_t level, bool puts)
{
    tv_pending_set(pending, word | (uint64_t)depth << TV_CHANGE_DEPTH_SHIFT);
    atomic_signal_fence(memory_order_seq_cst);
    tv_calls_note(word, depth);
    atomic_signal_fence(memory_order_seq_cst);
    if (puts && TV_LIKELY(tv_calls_is_recorded(word, level)))
        tv_recorder_put_pending(word, pending);
    else
        tv_pending_set(pending, 0);
}

/*
 * All of these only while calls are recorded. A method without a number, 0, is noted and not
 * recorded. Without `puts` nothing is recorded: for measuring what the rest costs.
 */
TV_INLINE void tv_calls_begin_call(uint32_t number, bool puts)
{
    struct tv_pending_put *pending = tv_calls_next_change();
    uint32_t depth = tv_calls.depth;
    if (TV_UNLIKELY(tv_slow_ticks))
        tv_slow_enter(depth);
    if (TV_LIKELY(depth < TV_CALLS_MOST))
        tv_calls_change(pending, tv_recorder_word(number, TV_RECORDER_ENTER), depth + 1, depth,
                        puts);
    else
        tv_calls.depth = depth + 1;
}

/* Closes the calls above the last one of a method. Returns how many are open then, with that one;
 * 0: the method has none. */
uint32_t tv_calls_unwind_above(uint32_t number);

/* The end of the last call of a method; as unwound, when `action` says so. The end of a call that
 * began before the recording is none. */
TV_INLINE void tv_calls_end_call(uint32_t number, enum tv_recorder_action action, bool puts)
{
    struct tv_pending_put *pending = tv_calls_next_change();
    uint32_t depth = tv_calls.depth;
    if (TV_UNLIKELY(depth > TV_CALLS_MOST)) {
        tv_calls.depth = depth - 1;
        return;
    }
    if (TV_UNLIKELY(!depth || tv_calls.numbers[depth - 1] != number))
        depth = tv_calls_unwind_above(number);
    if (depth)
        tv_calls_change(pending, tv_recorder_word(number, action), depth - 1, depth - 1, puts);
    if (TV_UNLIKELY(tv_slow_ticks) && depth)
        tv_slow_leave(depth - 1, number);
}

TV_INLINE void tv_calls_enter(uint32_t number)
{
    tv_calls_begin_call(number, true);
}

TV_INLINE void tv_calls_leave(uint32_t number, enum tv_recorder_action action)
{
    tv_calls_end_call(number, action, true);
}

/* A place that a jump may come back to: the open calls, and the changes that are interrupted
 * there. */
struct tv_calls_place {
    uint32_t session, depth, changes, is_putting;
};
struct tv_calls_place tv_calls_place(void);
/* Before the jump: completes the changes that it leaves, and closes the calls above the place. */
void tv_calls_jump(const struct tv_calls_place *place);

/* Closes the calls above a depth, which nobody will leave any more. */
void tv_calls_unwind(uint32_t depth);

#endif
