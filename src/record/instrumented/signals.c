/*
 * Signals whose default action ends the program: our handler writes the trace before the program
 * ends. The program must not see our handler: it would call it as its own predecessor, or not
 * install its own. So sigaction() and signal() of the program come here first, and report the
 * default action in place of our handler; when the program restores the default of a signal, our
 * handler is installed again.
 *
 * A program that is linked statically sees the handler, since nothing can stand before the C
 * library's functions there.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "record/hooks.h"
#include "record/next_function.h"

typedef void (*signal_handler)(int);
typedef int (*sigaction_function)(int number, const struct sigaction *action,
                                  struct sigaction *before);
typedef signal_handler (*signal_function)(int number, signal_handler handler);

/* Our handlers: of signals that would end the program, and of the one that stops recording. NULL:
 * they are not handled yet. */
static _Atomic(signal_handler) ending, stopping;

#ifdef TV_HOOKS_STATIC

static sigaction_function next_sigaction(void)
{
    return sigaction;
}

#else

static tv_next_function found_sigaction, found_signal, found_bsd_signal, found_sysv_signal,
    found_old_signal;

static sigaction_function next_sigaction(void)
{
    sigaction_function next;
    tv_find_next("sigaction", &found_sigaction, &next);
    return next;
}

#endif

static bool ends_programs(int number)
{
    static const int harmless[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
                                   SIGCONT, SIGCHLD, SIGURG,  SIGWINCH};
    for (size_t i = 0; i < TV_COUNT_OF(harmless); i++) {
        if (number == harmless[i])
            return false;
    }
    return number != TV_HOOKS_STOP_SIGNAL;
}

static void handle(int number, signal_handler handler)
{
    struct sigaction ours = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    next_sigaction()(number, &ours, NULL);
}

static bool is_default(int number)
{
    struct sigaction now;
    return next_sigaction()(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
           now.sa_handler == SIG_DFL;
}

void tv_hooks_handle_stop(void (*handler)(int))
{
    atomic_store(&stopping, handler);
    handle(TV_HOOKS_STOP_SIGNAL, handler);
}

void tv_hooks_handle_end(int number, void (*handler)(int))
{
    atomic_store(&ending, handler);
    if (ends_programs(number) && is_default(number))
        handle(number, handler);
}

void tv_hooks_end_by(int number)
{
    const struct sigaction none = {.sa_handler = SIG_DFL};
    next_sigaction()(number, &none, NULL);
    raise(number);
}

#ifndef TV_HOOKS_STATIC

static signal_function next_signal(const char *name, tv_next_function *kept)
{
    signal_function next;
    tv_find_next(name, kept, &next);
    return next;
}

/* At the start: dlsym() is not for signal handlers, which often call signal(). */
__attribute__((constructor)) static void find_all(void)
{
    (void)next_sigaction();
    (void)next_signal("signal", &found_signal);
    (void)next_signal("bsd_signal", &found_bsd_signal);
    (void)next_signal("sysv_signal", &found_sysv_signal);
    (void)next_signal("__sysv_signal", &found_old_signal);
}

/* Our handler of a signal; NULL: it has none. */
static signal_handler handler_of(int number)
{
    return number == TV_HOOKS_STOP_SIGNAL ? atomic_load(&stopping)
           : ends_programs(number)        ? atomic_load(&ending)
                                          : NULL;
}

/* Whether the program is told that the signal has no handler, since it is ours. Ours of the signal
 * that stops recording is shown: another recorder in the process, as that of Python, hands the
 * signal on to it. */
static bool is_hidden(int number, signal_handler handler)
{
    return handler && number != TV_HOOKS_STOP_SIGNAL && handler == atomic_load(&ending);
}

TV_HOOKS_SHOWN int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    const signal_handler handler = handler_of(number);
    struct sigaction ours = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    if (handler && action && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL)
        action = &ours;
    const int status = next_sigaction()(number, action, before);
    if (status == 0 && before && is_hidden(number, before->sa_handler)) {
        before->sa_handler = SIG_DFL;
        before->sa_flags = 0;
    }
    return status;
}

/* `next`: the C library's function; NULL: this one has none. */
static signal_handler signal_by(signal_function next, int number, signal_handler wanted)
{
    const signal_handler ours = handler_of(number);
    struct sigaction before;
    if (ours && wanted == SIG_DFL) {
        const struct sigaction none = {.sa_handler = SIG_DFL};
        return sigaction(number, &none, &before) == 0 ? before.sa_handler : SIG_ERR;
    }
    if (!next)
        next = next_signal("signal", &found_signal);
    const signal_handler handler = next(number, wanted);
    return is_hidden(number, handler) ? SIG_DFL : handler;
}

TV_HOOKS_SHOWN signal_handler bsd_signal(int number, signal_handler wanted);
TV_HOOKS_SHOWN signal_handler __sysv_signal(int number, signal_handler wanted);

TV_HOOKS_SHOWN signal_handler signal(int number, signal_handler wanted)
{
    return signal_by(next_signal("signal", &found_signal), number, wanted);
}

signal_handler bsd_signal(int number, signal_handler wanted)
{
    return signal_by(next_signal("bsd_signal", &found_bsd_signal), number, wanted);
}

TV_HOOKS_SHOWN signal_handler sysv_signal(int number, signal_handler wanted)
{
    return signal_by(next_signal("sysv_signal", &found_sysv_signal), number, wanted);
}

signal_handler __sysv_signal(int number, signal_handler wanted)
{
    return signal_by(next_signal("__sysv_signal", &found_old_signal), number, wanted);
}

#endif
