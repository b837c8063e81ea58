/* The one signal handler; it does only what a handler may. */
#include "os/fault.h"

#include <unistd.h>

static void explain(int signal_number)
{
    static const char text[] = "traceview: the file became shorter while it was read: wait until "
                               "it is written, and try again\n";
    (void)signal_number;
    /* There is nobody left to tell when this fails. */
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
