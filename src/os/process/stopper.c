/* Keys and signals that end a task; see os/process/stopper.h. */
#include "os/process/stopper.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum tv_code tv_stopper_open(struct tv_stopper *stopper, struct tv_error *err)
{
    struct termios raw;
    sigset_t set;
    *stopper = (struct tv_stopper){.fd = -1};
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, &stopper->mask);
    stopper->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (stopper->fd < 0) {
        enum tv_code code =
            tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "signals: %s", strerror(errno));
        tv_stopper_close(stopper);
        return code;
    }
    /* In the background a terminal's settings are another program's, and setting them would stop
     * this one. */
    if (isatty(STDIN_FILENO) != 1 || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
        tcgetattr(STDIN_FILENO, &stopper->terminal) != 0)
        return TV_OK;
    raw = stopper->terminal;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    stopper->has_keys = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    return TV_OK;
}

static void read_signals(const struct tv_stopper *stopper)
{
    struct signalfd_siginfo signal;
    while (read(stopper->fd, &signal, sizeof(signal)) == (ssize_t)sizeof(signal))
        continue;
}

enum tv_stop tv_stopper_wait(struct tv_stopper *stopper, unsigned ms)
{
    char keys[64];
    struct pollfd waited[] = {{.fd = stopper->fd, .events = POLLIN},
                              {.fd = stopper->has_keys ? STDIN_FILENO : -1, .events = POLLIN}};
    if (poll(waited, TV_COUNT_OF(waited), (int)ms) <= 0)
        return TV_STOP_NOT;
    if (waited[0].revents & POLLIN) {
        read_signals(stopper);
        return TV_STOP_SIGNAL;
    }
    if (waited[1].revents & POLLIN && read(STDIN_FILENO, keys, sizeof(keys)) > 0)
        return TV_STOP_KEY;
    if (waited[1].revents)
        tv_stopper_leave_keys(stopper); /* the terminal is closed */
    return TV_STOP_NOT;
}

void tv_stopper_leave_keys(struct tv_stopper *stopper)
{
    if (stopper->has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &stopper->terminal);
    stopper->has_keys = false;
}

void tv_stopper_close(struct tv_stopper *stopper)
{
    tv_stopper_leave_keys(stopper);
    if (stopper->fd >= 0) {
        read_signals(stopper); /* one that nobody waited for has ended the task, not the program */
        (void)close(stopper->fd);
    }
    stopper->fd = -1;
    sigprocmask(SIG_SETMASK, &stopper->mask, NULL);
}
