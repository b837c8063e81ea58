/*
 * The pager; see cli/terminal/pager.h. A shell runs it, so that PAGER may have options. A pager
 * that is left early leaves the rest unread, which is no failure of the answer.
 *
 * PAGER that is empty or "cat" turns it off; whether an answer is long enough for it is decided by
 * whoever prints the answer.
 */
#include "cli/terminal/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/compiler.h"

/* What a shell says when there is no such program. */
#define NO_SUCH_PROGRAM 127
#define COMMAND_CAP 4096

/* What the program leaves to the pager while that has the terminal: Ctrl-C is a key of its own, and
 * a pipe that nobody reads any more is its way to end. */
static const int left_to_pager[] = {SIGPIPE, SIGINT, SIGQUIT};

/* Makes the shell's command. False: the user wants no pager. */
static bool make_command(char command[COMMAND_CAP])
{
    const char *pager = getenv("PAGER");
    if (pager && (!pager[0] || strcmp(pager, "cat") == 0))
        return false;
    if (!pager)
        pager = "command -v less >/dev/null || exit 127; less";
    int len =
        snprintf(command, COMMAND_CAP, "LESS=${LESS-FRX} LV=${LV--c}; export LESS LV; %s", pager);
    return len > 0 && len < COMMAND_CAP;
}

/* Writes the answer into the pager and waits for its end. False: there is no pager, or the user
 * wants none, and nothing was shown. While the pager runs, signals that belong to it are ignored
 * here, and put back afterwards. */
bool tv_pager_show(struct tv_str bytes)
{
    char command[COMMAND_CAP];
    struct sigaction before[TV_COUNT_OF(left_to_pager)];
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    FILE *pager = make_command(command) ? popen(command, "w") : NULL;
    if (!pager)
        return false;
    /* Signals are ignored only after the pager has started, since a program inherits which signals
     * are ignored. */
    for (size_t i = 0; i < TV_COUNT_OF(left_to_pager); i++)
        (void)sigaction(left_to_pager[i], &ignore, &before[i]);
    (void)fwrite(bytes.at, 1, bytes.len, pager);
    int status = pclose(pager);
    for (size_t i = 0; i < TV_COUNT_OF(left_to_pager); i++)
        (void)sigaction(left_to_pager[i], &before[i], NULL);
    return !(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_PROGRAM);
}
