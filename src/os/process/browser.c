/*
 * Starting a browser; see os/process/browser.h.
 *
 * The browser is started by a double fork: it is then nobody's child but init's, so it outlives us
 * and leaves no zombie. Its output is chatter, and goes to /dev/null.
 */
#include "os/process/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

#define WORD_CAP 4096

/* Whether a program can be run: by its path if the name has a slash, else from a
 * folder of $PATH. */
static bool is_runnable(const char *program)
{
    char path[WORD_CAP];
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return access(program, X_OK) == 0;
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at;) {
        size_t len = strcspn(at, ":");
        int used = snprintf(path, sizeof(path), "%.*s/%s", (int)len, at, program);
        if (used > 0 && (size_t)used < sizeof(path) && access(path, X_OK) == 0)
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

/* Turns the grandchild into the program, without our signal mask and outside of our terminal's
 * session. */
static void become(const char *program, const char *argument)
{
    char *words[3] = {NULL, NULL, NULL};
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL); /* what is ignored stays so in a program that is started */
    (void)setsid();
    /* execvp does not write to its words, but says so only in its manual. */
    memcpy(&words[0], &program, sizeof(program));
    memcpy(&words[1], &argument, sizeof(argument));
    (void)execvp(program, words);
}

/* Starts a program with one argument. The child in between ends at once, so waiting for it
 * takes no time. */
static enum tv_code start(const char *program, const char *argument, struct tv_error *err)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            become(program, argument);
        _exit(grandchild < 0 ? 1 : 127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot start %s", program);
    return TV_OK;
}

/* The first command of $BROWSER, which is a list with colons, if it is the name of a program.
 * Options and "%s" in it are not supported. */
static bool first_of_list(char word[WORD_CAP], const char *list)
{
    size_t len = strcspn(list, ":");
    int used = snprintf(word, WORD_CAP, "%.*s", (int)len, list);
    return used > 0 && used < WORD_CAP && is_runnable(word);
}

/* Opens a window without an address bar if there is a Chromium, the only browser that can. */
static enum tv_code open_as_app(const char *url, bool *is_open, struct tv_error *err)
{
    static const char *const chromiums[] = {"chromium", "chromium-browser", "google-chrome",
                                            "microsoft-edge", "brave-browser"};
    char argument[WORD_CAP];
    *is_open = false;
    (void)snprintf(argument, sizeof(argument), "--app=%s", url);
    for (size_t i = 0; i < TV_COUNT_OF(chromiums); i++) {
        if (!is_runnable(chromiums[i]))
            continue;
        *is_open = true;
        return start(chromiums[i], argument, err);
    }
    return TV_OK;
}

static bool has_screen(void)
{
    const char *x11 = getenv("DISPLAY");
    const char *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 && x11[0]) || (wayland && wayland[0]);
}

/* $BROWSER goes first: it is the user's choice, and may be a text browser that needs no screen. */
enum tv_code tv_browser_open(const char *url, enum tv_browser_style style, struct tv_error *err)
{
    static const char *const usual[] = {"xdg-open", "sensible-browser", "firefox", "chromium",
                                        "google-chrome"};
    char word[WORD_CAP];
    bool is_open = false;
    const char *chosen = getenv("BROWSER");
    if (chosen && chosen[0] && style == TV_BROWSER_TAB && first_of_list(word, chosen))
        return start(word, url, err);
    if (!has_screen())
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no screen here to open a browser on");
    if (style == TV_BROWSER_APP)
        TV_TRY(open_as_app(url, &is_open, err));
    if (is_open)
        return TV_OK;
    for (size_t i = 0; i < TV_COUNT_OF(usual); i++) {
        if (is_runnable(usual[i]))
            return start(usual[i], url, err);
    }
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no browser found");
}
