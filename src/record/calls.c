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

/* The destructor of end_key: runs when a thread with open calls ends. */
static void end_calls(void *numbers)
{
    tv_calls = (struct tv_calls){.numbers = NULL};
    tv_mapping_cache_release(numbers, CALLS_LEN);
}

void tv_calls_prepare(uint32_t most, void (*begin)(void))
{
    tv_calls_depth_most = most;
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

bool tv_calls_begin(void)
{
    bool has_numbers = have_numbers();
    tv_calls.depth = 0;
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
    tv_calls.session = tv_recorder_session();
}

void tv_calls_unwind(uint32_t depth)
{
    while (tv_calls.depth > depth) {
        uint32_t at = --tv_calls.depth;
        if (at < tv_calls_depth_most && at < TV_CALLS_MOST && tv_calls.numbers[at])
            tv_recorder_put(tv_recorder_word(tv_calls.numbers[at], TV_RECORDER_UNWIND));
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
