/*
 * Open calls; see record/calls.h.
 *
 * Each thread has a stack of method numbers, in pages of its own that are taken at the thread's
 * first call and released by the destructor of a pthread key. The stack has room for TV_CALLS_MOST
 * numbers; deeper calls are counted and not recorded. A thread's stack belongs to one session: in
 * the next recording it begins empty.
 */
#include "record/calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "record/memory.h"

#define CALLS_LEN (TV_CALLS_MOST * sizeof(uint32_t))

_Thread_local struct tv_calls tv_calls __attribute__((tls_model("initial-exec")));

uint32_t tv_calls_depth_most = TV_CALLS_MOST;
static void (*begin_thread)(void);
static pthread_key_t end_key; /* of threads with open calls */
static bool has_key;

/* The destructor of end_key: runs when a thread that had calls ends. Calls that are open are those
 * that pthread_exit() or a cancellation leaves: a function that is left by them tells no end. */
static void end_calls(void *numbers)
{
    if (tv_calls.depth && tv_calls_are_on())
        tv_calls_unwind(0);
    tv_calls = (struct tv_calls){.numbers = NULL};
    tv_slow_release();
    tv_mapping_cache_release(numbers, CALLS_LEN);
}

void tv_calls_prepare(uint32_t most, void (*begin)(void))
{
    tv_calls_depth_most = most;
    tv_recorder_limit_depth(most < TV_CALLS_MOST ? most : 0);
    begin_thread = begin;
    if (!has_key)
        has_key = pthread_key_create(&end_key, end_calls) == 0;
}

static void say_once_that_memory_lacks(void)
{
    static const char text[] = "traceview: no memory for the calls of a thread: not recorded\n";
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_said) && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        return;
}

/* Takes the pages for a thread's stack. A thread that already failed in this session does not ask
 * again, so that a program without memory is not slowed down by each call. */
static bool take_numbers(void)
{
    if (tv_calls.session == tv_recorder_session())
        return false;
    tv_calls.numbers = tv_mapping_cache_take(CALLS_LEN);
    return tv_calls.numbers != NULL;
}

static bool have_numbers(void)
{
    if (tv_calls.numbers)
        return true;
    if (!take_numbers())
        return false;
    if (has_key)
        (void)pthread_setspecific(end_key, tv_calls.numbers);
    return true;
}

/* What a signal handler interrupted is of other open calls than those that come now. */
static void forget_changes(void)
{
    memset(tv_calls.changes, 0, sizeof(tv_calls.changes));
}

bool tv_calls_begin(void)
{
    bool has_numbers = have_numbers();
    tv_calls.depth = 0;
    tv_slow_forget();
    forget_changes();
    tv_calls.session = tv_recorder_session();
    if (!has_numbers) {
        say_once_that_memory_lacks();
        tv_recorder_lose();
        return false;
    }
    if (begin_thread)
        begin_thread();
    return true;
}

void tv_calls_go_on(const uint32_t *numbers, uint32_t depth)
{
    tv_calls.session = 0; /* without memory the next call begins the thread anew, and says so */
    if (!have_numbers())
        return;
    uint32_t count = depth < TV_CALLS_MOST ? depth : TV_CALLS_MOST;
    memcpy(tv_calls.numbers, numbers, count * sizeof(*numbers));
    tv_calls.depth = depth;
    tv_slow_forget();
    forget_changes();
    tv_calls.session = tv_recorder_session();
}

static uint32_t depth_of(uint64_t change)
{
    return (uint32_t)((change & ~TV_CHANGE_IS_NOTED) >> TV_CHANGE_DEPTH_SHIFT);
}

/* How many changes are under way. */
static uint32_t count_changes(void)
{
    uint32_t count = 0;
    while (count < TV_CALLS_CHANGES && tv_calls.changes[count].change)
        count++;
    return count;
}

static void note_interrupted(struct tv_pending_put *interrupted)
{
    const uint64_t change = interrupted->change;
    if (change & TV_CHANGE_IS_NOTED)
        return;
    tv_calls_note((uint32_t)change, depth_of(change));
    atomic_signal_fence(memory_order_seq_cst);
    interrupted->change = change | TV_CHANGE_IS_NOTED;
}

struct tv_pending_put *tv_calls_change_in_handler(void)
{
    const uint32_t count = count_changes();
    if (count)
        note_interrupted(&tv_calls.changes[count - 1]);
    return &tv_calls.changes[count];
}

void tv_calls_unwind(uint32_t depth)
{
    struct tv_pending_put *pending = tv_calls_next_change();
    while (tv_calls.depth > depth) {
        const uint32_t level = tv_calls.depth - 1;
        if (level >= TV_CALLS_MOST) {
            tv_calls.depth = level;
            continue;
        }
        const uint32_t number = tv_calls.numbers[level];
        tv_calls_change(pending, tv_recorder_word(number, TV_RECORDER_UNWIND), level, level, true);
        if (TV_UNLIKELY(tv_slow_ticks))
            tv_slow_leave(level, number);
    }
}

uint32_t tv_calls_unwind_above(uint32_t number)
{
    uint32_t depth = tv_calls.depth < TV_CALLS_MOST ? tv_calls.depth : TV_CALLS_MOST;
    while (depth && tv_calls.numbers[depth - 1] != number)
        depth--;
    if (depth)
        tv_calls_unwind(depth);
    return depth;
}

struct tv_calls_place tv_calls_place(void)
{
    const bool is_on = tv_calls_are_on();
    if (is_on)
        (void)tv_calls_next_change();
    return (struct tv_calls_place){.session = is_on ? tv_calls.session : 0,
                                   .depth = tv_calls.depth,
                                   .changes = count_changes(),
                                   .is_putting = tv_recorder_is_putting()};
}

/* Completes a change that a signal handler interrupted, the last one that is under way: the calls
 * that the handler left open above it are closed, and its record is put, if it was not. The
 * handler's records come before it then, which is in order: the handler interrupted the thread
 * where the change was not yet recorded. */
static void complete(struct tv_pending_put *pending)
{
    const uint32_t word = (uint32_t)pending->change;
    const uint32_t depth = depth_of(pending->change);
    const bool is_enter = (word & TV_WIRE_ACTION_MASK) == TV_RECORDER_ENTER;
    tv_calls_unwind(depth);
    if (!tv_recorder_has_put(pending->slot) &&
        tv_calls_is_recorded(word, is_enter ? depth - 1 : depth))
        tv_recorder_put(word);
    tv_pending_set(pending, 0);
}

/* Signals are blocked while changes are completed, since a handler that jumped away from here would
 * complete them once more. */
static void complete_above(const struct tv_calls_place *place)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t count = count_changes(); count > place->changes; count--)
        complete(&tv_calls.changes[count - 1]);
    tv_recorder_leave_put(place->is_putting);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tv_calls_jump(const struct tv_calls_place *place)
{
    if (!tv_calls_are_on() || tv_calls.session != place->session) {
        tv_recorder_leave_put(place->is_putting);
        return;
    }
    (void)tv_calls_next_change();
    if (count_changes() > place->changes || tv_recorder_is_putting() != place->is_putting)
        complete_above(place);
    tv_calls_unwind(place->depth);
}
