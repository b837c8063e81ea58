/* The one signal handler of the program; it calls only what a handler may call (signal-safety(7)).
 * See os/fault.h. */
#include "os/fault.h"

#include <unistd.h>

static void explain(int signal_number)
{
    static const char text[] = "traceview: the file became shorter while it was read: wait until "
                               "it is written, and try again\n";
    (void)signal_number;
    /* When writing fails, nobody can be told. */
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(1);
    _exit(1);
}

void tv_fault_explain_shortened_files(void)
{
    struct sigaction action = {.sa_handler = explain};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, NULL);
}

void tv_fault_hold_signals(sigset_t *old)
{
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
    sigset_t held;
    (void)sigfillset(&held);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        (void)sigdelset(&held, faults[i]);
    (void)pthread_sigmask(SIG_SETMASK, &held, old);
}
