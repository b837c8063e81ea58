/*
 * exec() puts another program in the place of a recorded one, whose last records would be lost with
 * its memory. So the functions of the C library that do it come here first, and end the recording:
 * the trace is whole up to the exec. Each of them has to be here, since inside the C library they
 * call one another without a name that another library could take.
 *
 * A program that execs without having recorded a call, as a shell does, keeps its recording: the
 * program in its place may be the one that is meant. An exec of a file that is not there, or cannot
 * be run, ends no recording: programs try one folder after another.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "record/hooks.h"
#include "record/next_function.h"

typedef int (*exec_function)(const char *path, char *const *words, char *const *environment);

static bool can_run(int folder, const char *path)
{
    struct stat file;
    return fstatat(folder, path, &file, 0) == 0 && S_ISREG(file.st_mode) &&
           faccessat(folder, path, X_OK, 0) == 0;
}

/* Whether execvp() would find a program: a name without a slash is looked for in the folders of
 * PATH. */
static bool is_found(const char *name)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return can_run(AT_FDCWD, name);
    for (const char *at = folders ? folders : "/bin:/usr/bin"; at;) {
        const char *end = strchr(at, ':');
        const int len = (int)(end ? (size_t)(end - at) : strlen(at));
        const int path_len =
            snprintf(path, sizeof(path), "%.*s%s%s", len, at, len ? "/" : "", name);
        if (path_len > 0 && (size_t)path_len < sizeof(path) && can_run(AT_FDCWD, path))
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

/* Comes back from an exec that was expected to work. The recording is over, which is said. */
static int failed(bool was_ended)
{
    static const char text[] = "traceview: an exec failed: tracing had stopped before it\n";
    const int error = errno;
    if (was_ended && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        return -1; /* whoever cannot be told is not told */
    errno = error;
    return -1;
}

static int run(const char *name, const char *path, char *const *words, char *const *environment,
               bool is_searched)
{
    exec_function next;
    tv_find_next(name, NULL, &next);
    const int error = errno;
    const bool is_ended =
        (is_searched ? is_found(path) : can_run(AT_FDCWD, path)) && tv_hooks_end_before_exec();
    errno = error;
    (void)next(path, words, environment);
    return failed(is_ended);
}

TV_HOOKS_SHOWN int execve(const char *path, char *const words[], char *const environment[])
{
    return run("execve", path, words, environment, false);
}

TV_HOOKS_SHOWN int execv(const char *path, char *const words[])
{
    return run("execve", path, words, environ, false);
}

TV_HOOKS_SHOWN int execvpe(const char *file, char *const words[], char *const environment[])
{
    return run("execvpe", file, words, environment, true);
}

TV_HOOKS_SHOWN int execvp(const char *file, char *const words[])
{
    return run("execvpe", file, words, environ, true);
}

TV_HOOKS_SHOWN int fexecve(int file, char *const words[], char *const environment[])
{
    int (*next)(int, char *const *, char *const *);
    tv_find_next("fexecve", NULL, &next);
    const bool is_ended = file >= 0 && tv_hooks_end_before_exec();
    (void)next(file, words, environment);
    return failed(is_ended);
}

/* The words of a call that has them one by one, as a list in pages of its own: neither the stack
 * nor the heap may be used, since the caller may be the child of a fork. Without memory the call
 * fails, as the C library's may. */
struct list {
    char **words;
    size_t len; /* of the pages */
    char *const *environment;
};

static bool take_list(struct list *list, const char *first, va_list rest, bool has_environment)
{
    va_list counted;
    size_t count = 1;
    va_copy(counted, rest);
    for (const char *word = first; word; word = va_arg(counted, const char *))
        count++;
    va_end(counted);
    list->len = count * sizeof(*list->words);
    list->words = mmap(NULL, list->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list->words == MAP_FAILED)
        return false;
    size_t at = 0;
    for (const char *word = first; word; word = va_arg(rest, const char *))
        memcpy(&list->words[at++], &word, sizeof(word));
    list->environment = has_environment ? va_arg(rest, char *const *) : environ;
    return true;
}

static int run_list(const char *name, const char *path, struct list *list, bool is_searched)
{
    const int result = run(name, path, list->words, list->environment, is_searched);
    const int error = errno;
    (void)munmap(list->words, list->len);
    errno = error;
    return result;
}

TV_HOOKS_SHOWN int execl(const char *path, const char *word, ...)
{
    struct list list;
    va_list rest;
    va_start(rest, word);
    const bool has_list = take_list(&list, word, rest, false);
    va_end(rest);
    return has_list ? run_list("execve", path, &list, false) : -1;
}

TV_HOOKS_SHOWN int execlp(const char *file, const char *word, ...)
{
    struct list list;
    va_list rest;
    va_start(rest, word);
    const bool has_list = take_list(&list, word, rest, false);
    va_end(rest);
    return has_list ? run_list("execvpe", file, &list, true) : -1;
}

TV_HOOKS_SHOWN int execle(const char *path, const char *word, ...)
{
    struct list list;
    va_list rest;
    va_start(rest, word);
    const bool has_list = take_list(&list, word, rest, true);
    va_end(rest);
    return has_list ? run_list("execve", path, &list, false) : -1;
}
