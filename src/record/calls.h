/*
 * The open calls of each thread, for those who are told when a method begins and ends, but not
 * always: exceptions and jumps leave methods that tell nobody. Such calls are closed, as unwound,
 * when a method below them ends.
 */
#ifndef TV_RECORD_CALLS_H
#define TV_RECORD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/recorder.h"

#define TV_CALLS_MOST (1u << 20) /* open calls of a thread; deeper ones are not recorded */

/* Of the calling thread: numbers of methods, outermost first. */
struct tv_calls {
    uint32_t depth;
    uint32_t session;  /* that they are of */
    uint32_t *numbers; /* TV_CALLS_MOST of them */
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

/*
 * All of these only while calls are recorded. A method without a number, 0, is noted and not
 * recorded. What is noted gives the word to record; 0: nothing.
 */
TV_INLINE uint32_t tv_calls_note_enter(uint32_t number)
{
    uint32_t depth = tv_calls.depth++;
    if (depth >= TV_CALLS_MOST)
        return 0;
    tv_calls.numbers[depth] = number;
    return number && depth < tv_calls_depth_most ? tv_recorder_word(number, TV_RECORDER_ENTER) : 0;
}

/* Closes the calls above the last one of a method. Returns how many are open then, with that one;
 * 0: the method has none. */
uint32_t tv_calls_unwind_above(uint32_t number);

/* The end of the last call of a method; as unwound, when `action` says so. The end of a call that
 * began before the recording is none. */
TV_INLINE uint32_t tv_calls_note_leave(uint32_t number, enum tv_recorder_action action)
{
    uint32_t depth = tv_calls.depth;
    if (TV_UNLIKELY(depth > TV_CALLS_MOST)) {
        tv_calls.depth--;
        return 0;
    }
    if (TV_UNLIKELY(!depth || tv_calls.numbers[depth - 1] != number))
        depth = tv_calls_unwind_above(number);
    if (!depth)
        return 0;
    tv_calls.depth = --depth;
    return number && depth < tv_calls_depth_most ? tv_recorder_word(number, action) : 0;
}

/* The same, recorded. */
TV_INLINE void tv_calls_enter(uint32_t number)
{
    uint32_t word = tv_calls_note_enter(number);
    if (word)
        tv_recorder_put(word);
}

TV_INLINE void tv_calls_leave(uint32_t number, enum tv_recorder_action action)
{
    uint32_t word = tv_calls_note_leave(number, action);
    if (word)
        tv_recorder_put(word);
}

/* Closes the calls above a depth, which nobody will leave any more. */
void tv_calls_unwind(uint32_t depth);

#endif
