/* os/process/browser: which program is started, with which word, and as what the kernel then knows
 * it. The programs are shell scripts in a folder that is all of $PATH. */
#include "os/process/browser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define URL "http://127.0.0.1:1/#a=b&c='d'"
#define PATIENCE_MS 60000

struct browsers {
    char folder[64];
    char told[128]; /* the file into which a program that is started writes */
};

/* Makes a program of this name. It tells its name, its words, and what the kernel says of it. */
static void make_program(const struct browsers *browsers, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", browsers->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(
        file,
        "#!/bin/sh\n"
        "{ printf '%%s|%%s|%%s\\n' '%s' \"$*\" \"$#\"\n"
        "while read -r name value rest; do case $name in SigBlk:|SigIgn:|PPid:) echo $name $value; "
        "esac; done"
        " </proc/$$/status\n"
        "read -r stat </proc/$$/stat; set -- $stat; [ $1 = $6 ] && echo session; } >%s.part\n"
        "exec /bin/mv %s.part %s\n",
        name, browsers->told, browsers->told, browsers->told);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static int set_up(void **state)
{
    struct browsers *browsers = calloc(1, sizeof(*browsers));
    assert_non_null(browsers);
    (void)snprintf(browsers->folder, sizeof(browsers->folder), "/tmp/traceview-browser-XXXXXX");
    assert_non_null(mkdtemp(browsers->folder));
    (void)snprintf(browsers->told, sizeof(browsers->told), "%s/told", browsers->folder);
    *state = browsers;
    assert_int_equal(setenv("PATH", browsers->folder, 1), 0);
    assert_int_equal(unsetenv("BROWSER"), 0);
    assert_int_equal(unsetenv("DISPLAY"), 0);
    assert_int_equal(unsetenv("WAYLAND_DISPLAY"), 0);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"xdg-open", "firefox", "chromium", "mine", "plain", "told"};
    struct browsers *browsers = *state;
    char path[128];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", browsers->folder, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(browsers->folder), 0);
    free(browsers);
    return 0;
}

/* What the program that was started told; it is gone then. */
static void read_told(const struct browsers *browsers, char *text, size_t size)
{
    FILE *file = NULL;
    for (int i = 0; i < PATIENCE_MS && !file; i++) {
        file = fopen(browsers->told, "r");
        if (!file)
            (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(browsers->told), 0);
}

static void expect_words(const struct browsers *browsers, const char *line)
{
    struct tv_error err = {0};
    char text[1024];
    assert_int_equal(tv_browser_open(URL, TV_BROWSER_TAB, &err), TV_OK);
    read_told(browsers, text, sizeof(text));
    assert_memory_equal(text, line, strlen(line));
}

/* This program is started, with this one word. */
static void expect_start(const struct browsers *browsers, enum tv_browser_style style,
                         const char *name, const char *word)
{
    struct tv_error err = {0};
    char text[1024];
    char line[256];
    assert_int_equal(tv_browser_open(URL, style, &err), TV_OK);
    read_told(browsers, text, sizeof(text));
    (void)snprintf(line, sizeof(line), "%s|%s|1\n", name, word);
    assert_memory_equal(text, line, strlen(line));
}

static void expect_nothing(enum tv_browser_style style, const char *why)
{
    struct tv_error err = {0};
    assert_int_equal(tv_browser_open(URL, style, &err), TV_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, why));
}

static void without_a_screen_or_a_browser_it_says_so(void **state)
{
    const struct browsers *browsers = *state;
    make_program(browsers, "firefox");
    expect_nothing(TV_BROWSER_TAB, "no screen here to open a browser on");
    expect_nothing(TV_BROWSER_APP, "no screen here to open a browser on");
    assert_int_equal(setenv("WAYLAND_DISPLAY", "wayland-0", 1), 0);
    expect_start(browsers, TV_BROWSER_TAB, "firefox", URL);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    expect_nothing(TV_BROWSER_TAB, "no browser found");
}

static void the_users_own_goes_first_and_needs_no_screen(void **state)
{
    const struct browsers *browsers = *state;
    make_program(browsers, "xdg-open");
    make_program(browsers, "mine");
    assert_int_equal(setenv("BROWSER", "mine:xdg-open", 1), 0);
    expect_start(browsers, TV_BROWSER_TAB, "mine", URL);
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/mine", browsers->folder);
    assert_int_equal(setenv("BROWSER", path, 1), 0);
    expect_start(browsers, TV_BROWSER_TAB, "mine", URL);
    /* A command may have words, and the address a place among them. */
    assert_int_equal(setenv("BROWSER", "mine --new", 1), 0);
    expect_words(browsers, "mine|--new " URL "|2\n");
    assert_int_equal(setenv("BROWSER", "nosuch:nosuch -x:mine --new %s --last:xdg-open", 1), 0);
    expect_words(browsers, "mine|--new " URL " --last|3\n");
    assert_int_equal(setenv("BROWSER", "::  :mine %s", 1), 0);
    expect_words(browsers, "mine|" URL "|1\n");
    /* One that cannot be run is passed over. */
    assert_int_equal(setenv("BROWSER", "yours", 1), 0);
    expect_nothing(TV_BROWSER_TAB, "no screen");
    assert_int_equal(setenv("DISPLAY", ":0", 1), 0);
    expect_start(browsers, TV_BROWSER_TAB, "xdg-open", URL);
    assert_int_equal(setenv("BROWSER", "", 1), 0);
    expect_start(browsers, TV_BROWSER_TAB, "xdg-open", URL);
}

static void a_window_without_an_address_bar_is_a_chromiums(void **state)
{
    const struct browsers *browsers = *state;
    make_program(browsers, "firefox");
    assert_int_equal(setenv("DISPLAY", ":0", 1), 0);
    expect_start(browsers, TV_BROWSER_APP, "firefox", URL);
    make_program(browsers, "chromium");
    expect_start(browsers, TV_BROWSER_APP, "chromium", "--app=" URL);
    assert_int_equal(setenv("BROWSER", "firefox", 1), 0);
    expect_start(browsers, TV_BROWSER_APP, "chromium", "--app=" URL);
}

/* It is init's child in a session of its own, and the signals that this process blocks or ignores
 * are none of its own. */
static void what_is_started_is_nobodys_child(void **state)
{
    const struct browsers *browsers = *state;
    struct tv_error err = {0};
    char text[1024];
    char parent[32];
    unsigned long long blocked, ignored;
    sigset_t before, blocks;
    make_program(browsers, "plain");
    assert_int_equal(setenv("BROWSER", "plain", 1), 0);
    (void)sigemptyset(&blocks);
    (void)sigaddset(&blocks, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocks, &before), 0);
    void (*handled)(int) = signal(SIGPIPE, SIG_IGN);
    enum tv_code code = tv_browser_open(URL, TV_BROWSER_TAB, &err);
    (void)signal(SIGPIPE, handled);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    assert_int_equal(code, TV_OK);
    read_told(browsers, text, sizeof(text));
    assert_int_equal(sscanf(strstr(text, "SigBlk:"), "SigBlk: %llx", &blocked), 1);
    assert_int_equal(sscanf(strstr(text, "SigIgn:"), "SigIgn: %llx", &ignored), 1);
    assert_int_equal(blocked & 1ULL << (SIGTERM - 1), 0);
    assert_int_equal(ignored & 1ULL << (SIGPIPE - 1), 0);
    (void)snprintf(parent, sizeof(parent), "PPid: %d\n", (int)getpid());
    assert_non_null(strstr(text, "PPid: "));
    assert_null(strstr(text, parent));
    assert_non_null(strstr(text, "\nsession\n"));
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_screen_or_a_browser_it_says_so, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_users_own_goes_first_and_needs_no_screen, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_window_without_an_address_bar_is_a_chromiums, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_started_is_nobodys_child, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("process/browser", tests, NULL, NULL);
}
