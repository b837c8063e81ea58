/*
 * Keys and signals that end a task; see os/process/stop_request.h. Signals are read from a
 * descriptor (signalfd), so that one poll() waits for both. The terminal gives single keys without
 * echo meanwhile, and gets back its settings in every case.
 */
#include "os/process/stop_request.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum tv_code tv_stop_request_open(struct tv_stop_request *stop, struct tv_error *err)
{
    struct termios raw;
    sigset_t set;
    *stop = (struct tv_stop_request){.fd = -1};
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, &stop->mask);
    stop->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (stop->fd < 0) {
        enum tv_code code =
            tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "signals: %s", strerror(errno));
        tv_stop_request_close(stop);
        return code;
    }
    /* In the background a terminal's settings are another program's, and setting them would stop
     * this one. */
    if (isatty(STDIN_FILENO) != 1 || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
        tcgetattr(STDIN_FILENO, &stop->terminal) != 0)
        return TV_OK;
    raw = stop->terminal;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    stop->has_keys = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    return TV_OK;
}

static void read_signals(const struct tv_stop_request *stop)
{
    struct signalfd_siginfo signal;
    while (read(stop->fd, &signal, sizeof(signal)) == (ssize_t)sizeof(signal))
        continue;
}

enum tv_stop tv_stop_request_wait(struct tv_stop_request *stop, unsigned ms)
{
    char keys[64];
    struct pollfd waited[] = {{.fd = stop->fd, .events = POLLIN},
                              {.fd = stop->has_keys ? STDIN_FILENO : -1, .events = POLLIN}};
    if (poll(waited, TV_COUNT_OF(waited), (int)ms) <= 0)
        return TV_STOP_NOT;
    if (waited[0].revents & POLLIN) {
        read_signals(stop);
        return TV_STOP_SIGNAL;
    }
    if (waited[1].revents & POLLIN && read(STDIN_FILENO, keys, sizeof(keys)) > 0)
        return TV_STOP_KEY;
    if (waited[1].revents)
        tv_stop_request_leave_keys(stop); /* the terminal is closed */
    return TV_STOP_NOT;
}

void tv_stop_request_leave_keys(struct tv_stop_request *stop)
{
    if (stop->has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &stop->terminal);
    stop->has_keys = false;
}

void tv_stop_request_close(struct tv_stop_request *stop)
{
    tv_stop_request_leave_keys(stop);
    if (stop->fd >= 0) {
        read_signals(stop); /* it was meant to end the task, not the program  */
        (void)close(stop->fd);
    }
    stop->fd = -1;
    sigprocmask(SIG_SETMASK, &stop->mask, NULL);
}
