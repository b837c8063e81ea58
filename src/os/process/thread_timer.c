/*
 * A timer on the CPU time of a thread of another process; see os/process/thread_timer.h. It is a
 * counter of perf_event_open() that sends a signal to the thread at each overflow; the tracer sees
 * the thread stop by it and takes the signal away.
 */
#include "os/process/thread_timer.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool send_signals(int file, pid_t thread)
{
    const struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = thread};
    return fcntl(file, F_SETOWN_EX, &owner) == 0 &&
           fcntl(file, F_SETSIG, TV_THREAD_TIMER_SIGNAL) == 0 && fcntl(file, F_SETFL, O_ASYNC) == 0;
}

bool tv_thread_timer_start(struct tv_thread_timer *timer, pid_t thread, uint64_t interval_ns)
{
    struct perf_event_attr wish = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(wish),
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = interval_ns,
                                   .disabled = 1};
    long file = syscall(SYS_perf_event_open, &wish, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    timer->file = 0;
    if (file < 0)
        return false;
    timer->file = 1 + (int)file;
    if (send_signals((int)file, thread) && ioctl((int)file, PERF_EVENT_IOC_ENABLE, 0) == 0)
        return true;
    tv_thread_timer_stop(timer);
    return false;
}

void tv_thread_timer_stop(struct tv_thread_timer *timer)
{
    if (timer->file)
        close(timer->file - 1);
    timer->file = 0;
}

void tv_thread_timer_pause(const struct tv_thread_timer *timer)
{
    if (timer->file)
        (void)ioctl(timer->file - 1, PERF_EVENT_IOC_DISABLE, 0);
}

bool tv_thread_timer_has_stopped(const struct tv_thread_timer *timer, pid_t thread, int signal)
{
    siginfo_t info;
    return timer->file && signal == TV_THREAD_TIMER_SIGNAL &&
           ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0 && info.si_code > 0 &&
           info.si_fd == timer->file - 1;
}
