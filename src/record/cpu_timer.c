/*
 * A timer on the CPU time of a thread; see record/cpu_timer.h.
 *
 * Timers are made by system call, for the CPU clock of any thread of the process. One handler
 * serves all timers of the process. It stays installed as long as the library is loaded, since a
 * signal may be delivered after its timer was deleted; without a recording the handler does
 * nothing. Ending waits until no handler runs any more, so the caller can release what the handler
 * writes to.
 */
#include "record/cpu_timer.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

/* The kernel's number of a thread's CPU clock: the id, and what is counted. */
#define CLOCK_BITS 3
#define CLOCK_OF_THREAD 4u
#define CLOCK_SCHEDULED 2u
/* C libraries have this one by different names. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int signal_number; /* 0: none was chosen yet */
static _Atomic(tv_cpu_timer_handler) current;
static _Atomic uint32_t calls; /* that are under way */

/* Counted while it runs, before it reads what to call: tv_cpu_timer_end waits for the count after
 * it took the callee away. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int error = errno;
    (void)number;
    atomic_fetch_add(&calls, 1);
    tv_cpu_timer_handler handler = atomic_load(&current);
    if (handler && info->si_code == SI_TIMER)
        handler(context);
    atomic_fetch_sub(&calls, 1);
    errno = error;
}

/* The last signal that nobody handles yet: programs that use real-time signals count theirs from
 * the first. 0: there is none. */
static int choose_signal(void)
{
    struct sigaction there;
    for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
        if (sigaction(number, NULL, &there) == 0 && !(there.sa_flags & SA_SIGINFO) &&
            there.sa_handler == SIG_DFL)
            return number;
    }
    return 0;
}

bool tv_cpu_timer_begin(tv_cpu_timer_handler handler)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    if (!signal_number) {
        int chosen = choose_signal();
        sigemptyset(&action.sa_mask);
        if (!chosen || sigaction(chosen, &action, NULL) != 0)
            return false;
        signal_number = chosen;
    }
    atomic_store(&current, handler);
    return true;
}

void tv_cpu_timer_end(void)
{
    atomic_store(&current, NULL);
    while (atomic_load(&calls))
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

void tv_cpu_timer_after_fork(void)
{
    atomic_store(&current, NULL);
    atomic_store(&calls, 0);
}

bool tv_cpu_timer_start(struct tv_cpu_timer *timer, pid_t thread, uint64_t interval_ns)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
    const struct timespec interval = {.tv_sec = (time_t)(interval_ns / TV_NS_PER_S),
                                      .tv_nsec = (long)(interval_ns % TV_NS_PER_S)};
    const struct itimerspec times = {.it_interval = interval, .it_value = interval};
    const clockid_t clock =
        (clockid_t)(~(unsigned)thread << CLOCK_BITS | CLOCK_OF_THREAD | CLOCK_SCHEDULED);
    int id = 0;
    timer->id = 0;
    event.sigev_notify_thread_id = thread;
    if (!signal_number || syscall(SYS_timer_create, clock, &event, &id) != 0)
        return false;
    timer->id = 1 + id;
    if (syscall(SYS_timer_settime, id, 0, &times, NULL) == 0)
        return true;
    tv_cpu_timer_stop(timer);
    return false;
}

void tv_cpu_timer_stop(struct tv_cpu_timer *timer)
{
    if (timer->id)
        (void)syscall(SYS_timer_delete, timer->id - 1);
    timer->id = 0;
}

uint64_t tv_cpu_timer_own_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return 0;
    return tv_timespec_ns(now.tv_sec, now.tv_nsec);
}

/* A library that is unloaded must not leave its handler behind; a signal that is still under way is
 * ignored. */
__attribute__((destructor)) static void leave_no_handler(void)
{
    if (signal_number)
        (void)signal(signal_number, SIG_IGN);
}
