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
#include "base/str.h"

#define WORD_CAP 4096
#define WORDS_MOST 16u /* of a command of $BROWSER */

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
static void become(char *const *words)
{
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
    (void)execvp(words[0], words);
}

/* Starts the program of the first word with the others. The child in between ends at once, so
 * waiting for it takes no time. */
static enum tv_code start_words(char *const *words, struct tv_error *err)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            become(words);
        _exit(grandchild < 0 ? 1 : 127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot start %s", words[0]);
    return TV_OK;
}

static enum tv_code start(const char *program, const char *argument, struct tv_error *err)
{
    char *words[3] = {NULL, NULL, NULL};
    /* execvp does not write to its words, but says so only in its manual. */
    memcpy(&words[0], &program, sizeof(program));
    memcpy(&words[1], &argument, sizeof(argument));
    return start_words(words, err);
}

/* A command of $BROWSER: its words are between blanks, and the address is in place of the word %s,
 * or is the last one. */
struct command {
    char text[WORD_CAP];
    char *words[WORDS_MOST + 2]; /* NULL behind the last */
};

static bool read_command(struct command *command, struct tv_str entry, const char *url)
{
    size_t count = 0;
    bool has_url = false;
    char *rest = NULL;
    if (!entry.len || entry.len >= sizeof(command->text))
        return false;
    memcpy(command->text, entry.at, entry.len);
    command->text[entry.len] = '\0';
    if (is_runnable(command->text)) { /* a name may have blanks */
        command->words[count++] = command->text;
    } else {
        for (char *word = strtok_r(command->text, " ", &rest); word;
             word = strtok_r(NULL, " ", &rest)) {
            const bool is_place = strcmp(word, "%s") == 0;
            if (count == WORDS_MOST)
                return false;
            if (is_place)
                memcpy(&command->words[count], &url, sizeof(url));
            else
                command->words[count] = word;
            has_url = has_url || is_place;
            count++;
        }
    }
    if (!count || !is_runnable(command->words[0]))
        return false;
    if (!has_url)
        memcpy(&command->words[count++], &url, sizeof(url));
    command->words[count] = NULL;
    return true;
}

/* The first command of $BROWSER, a list with colons, whose program is there. */
static bool choose_command(struct command *command, const char *list, const char *url)
{
    struct tv_str rest = tv_str_from(list);
    struct tv_str entry;
    while (tv_str_split(&rest, ':', &entry)) {
        if (read_command(command, entry, url))
            return true;
    }
    return false;
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
    struct command command;
    bool is_open = false;
    const char *chosen = getenv("BROWSER");
    if (chosen && style == TV_BROWSER_TAB && choose_command(&command, chosen, url))
        return start_words(command.words, err);
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
