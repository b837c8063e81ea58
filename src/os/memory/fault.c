/*
 * Signals that whole programs of traceview agree on; see os/memory/fault.h. SIGXFSZ is handled so
 * that a write beyond the limit of file sizes fails with EFBIG, and SIGBUS by os/memory/mapping.h.
 * Threads other than the main one hold all signals back but those of faults, which come to the
 * thread that made them.
 */
#include "os/memory/fault.h"

#include <stddef.h>

#include "os/memory/mapping.h"

/* A handler and not SIG_IGN, since an ignored signal stays ignored in the programs that this one
 * starts. */
static void do_nothing(int signal_number)
{
    (void)signal_number;
}

void tv_fault_handle_signals(void)
{
    struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGXFSZ, &action, NULL);
    tv_mapping_handle_faults();
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
