/*
 * Dumps of a ring; see record/dump.h.
 *
 * The handler of the signal only posts a semaphore: it may have interrupted its thread in the
 * middle of a record, which has to be whole before blocks are written. The thread that waits for
 * the semaphore stops all others at their next record (tv_session_pause), writes, and lets them go
 * on; no block is taken from anybody. It handles no signals of the program.
 */
#include "record/dump.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/cold.h"
#include "record/hooks.h"
#include "record/session.h"
#include "record/slow.h"
#include "record/threads.h"

#define PART_SUFFIX ".part" /* of a file that is being written */

static sem_t asked;
static _Atomic bool ends;
static bool is_begun;
static pthread_t writer;
static unsigned count; /* of dumps in this recording */
static struct tv_output kept;

static _Atomic bool may_ask;

void tv_dump_ask(void)
{
    if (atomic_load(&may_ask))
        (void)sem_post(&asked);
}

static void ask(int number)
{
    (void)number;
    tv_dump_ask();
}

/* Writes the blocks of all rows, which stay where they are. A slot that a jump left empty is taken
 * out, so a thread goes on behind the last one that is filled. */
static void write_rows(void)
{
    const uint64_t now = tv_ticks_now(tv_current.rate.is_counter) - tv_current.start_ticks;
    for (struct tv_thread *thread = tv_threads; thread; thread = thread->next) {
        tv_threads_see(thread, now);
        tv_threads_leave_block(thread);
        tv_threads_read_name(thread->row);
    }
    tv_current.records = 0;
    tv_current.slow_number = tv_slow_take(&tv_current.slow_ns);
    tv_recording_finish(&tv_current);
    tv_current.slow_number = 0;
    for (struct tv_thread *thread = tv_threads; thread; thread = thread->next) {
        struct tv_block *block = thread->row->last;
        if (block)
            thread->at = block->slots + block->used;
    }
}

static void tell(const char *path, const char *why)
{
    char text[PATH_MAX + 128];
    int len = snprintf(text, sizeof(text), "traceview: %s: %s\n", path, why);
    if (len > 0 && write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* The recording's own file is put aside for the while: it is written at the end. */
static int write_file(const char *path)
{
    kept = tv_current.output;
    int error = tv_output_open(&tv_current.output, path);
    if (!error)
        write_rows();
    if (!error)
        error = tv_output_close(&tv_current.output);
    tv_current.output = kept;
    return error;
}

static void dump(void)
{
    char path[PATH_MAX], part[PATH_MAX];
    struct tv_cold cold;
    if (!tv_session_pause(&cold)) {
        tell(tv_current.output.path, "a thread does not come to an end of its record: no dump");
        return;
    }
    int error = ENAMETOOLONG;
    const int len = snprintf(path, sizeof(path), "%s" TV_HOOKS_DUMP_SUFFIX "%u",
                             tv_current.output.path, ++count);
    if (len > 0 && (size_t)len + sizeof(PART_SUFFIX) <= sizeof(part)) {
        memcpy(part, path, (size_t)len);
        memcpy(part + len, PART_SUFFIX, sizeof(PART_SUFFIX));
        error = tv_session_is_own() ? write_file(part) : EPERM;
        if (!error && rename(part, path) != 0)
            error = errno;
        if (error)
            (void)unlink(part);
    }
    tv_session_resume(&cold);
    if (error)
        tell(path, strerror(error));
}

static void *wait_and_dump(void *unused)
{
    (void)unused;
    for (;;) {
        if (sem_wait(&asked) != 0)
            continue;
        if (atomic_load(&ends))
            return NULL;
        dump();
    }
}

void tv_dump_begin(void)
{
    struct sigaction old, action = {.sa_handler = ask, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    count = 0;
    atomic_store(&ends, false);
    /* All signals are blocked under the lock, and the new thread inherits that. */
    is_begun =
        sem_init(&asked, 0, 0) == 0 && pthread_create(&writer, NULL, wait_and_dump, NULL) == 0;
    atomic_store(&may_ask, is_begun);
    if (is_begun && sigaction(TV_HOOKS_DUMP_SIGNAL, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        (void)sigaction(TV_HOOKS_DUMP_SIGNAL, &action, NULL);
}

void tv_dump_end(void)
{
    if (!is_begun)
        return;
    is_begun = false;
    atomic_store(&may_ask, false);
    atomic_store(&ends, true);
    (void)sem_post(&asked);
    (void)pthread_join(writer, NULL);
}

void tv_dump_after_fork(void)
{
    is_begun = false;
    atomic_store(&may_ask, false);
}
