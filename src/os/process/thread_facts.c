/*
 * What the kernel tells of a thread of another process; see os/process/thread_facts.h, and proc(5)
 * for the files. A thread that is gone has no files any more, which is no error here.
 */
#include "os/process/thread_facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_CAP 512
#define STATUS_CAP 4096

/* Of "stat": blanks between the name of the program and the signals that are blocked. */
#define STAT_BLOCKED_BEHIND_NAME 30u
/* Of "syscall": the numbers between that of the call and the stack pointer. */
#define CALL_ARGUMENTS 6u

/* The content of a file about the thread; NULL: the thread is gone, or the file is not for this
 * user. */
static const char *read_file_about(pid_t process, pid_t thread, const char *name, char *text,
                                   size_t cap)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)process, (int)thread, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    ssize_t len = read(file, text, cap - 1);
    close(file);
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? text : NULL;
}

static const char *read_about(pid_t process, pid_t thread, const char *name, char text[LINE_CAP])
{
    return read_file_about(process, thread, name, text, LINE_CAP);
}

pid_t tv_thread_process(pid_t thread)
{
    static const char line[] = "\nTgid:";
    char status[STATUS_CAP];
    const char *at = read_file_about(thread, thread, "status", status, sizeof(status))
                         ? strstr(status, line)
                         : NULL;
    const long process = at ? strtol(at + strlen(line), NULL, 10) : 0;
    return process > 0 ? (pid_t)process : thread;
}

/* Reads the content of a file about the thread that stays open. The whole text is empty where the
 * thread is gone. False: no file can be opened. */
static bool read_again(int *file, pid_t process, pid_t thread, const char *name,
                       char text[LINE_CAP])
{
    if (!*file) {
        (void)snprintf(text, LINE_CAP, "/proc/%d/task/%d/%s", (int)process, (int)thread, name);
        *file = 1 + open(text, O_RDONLY | O_CLOEXEC);
    }
    if (!*file)
        return false;
    const ssize_t len = pread(*file - 1, text, LINE_CAP - 1, 0);
    text[len > 0 ? len : 0] = '\0';
    return true;
}

static void close_again(int *file)
{
    if (*file)
        close(*file - 1);
    *file = 0;
}

void tv_thread_files_close(struct tv_thread_files *files)
{
    close_again(&files->schedule);
    close_again(&files->state);
}

/* The state stands behind the name, which may have any character in it. */
static char state_from(const char *text)
{
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 'X';
}

char tv_thread_state(pid_t process, pid_t thread)
{
    char text[LINE_CAP];
    return read_about(process, thread, "stat", text) ? state_from(text) : 'X';
}

char tv_thread_state_again(struct tv_thread_files *files, pid_t process, pid_t thread)
{
    char text[LINE_CAP];
    return read_again(&files->state, process, thread, "stat", text)
               ? state_from(text)
               : tv_thread_state(process, thread);
}

bool tv_thread_blocks(pid_t process, pid_t thread, int signal)
{
    char text[LINE_CAP];
    const char *at = read_about(process, thread, "stat", text) ? strrchr(text, ')') : NULL;
    for (unsigned i = 0; at && i < STAT_BLOCKED_BEHIND_NAME; i++)
        at = strchr(at + 1, ' ');
    return at && strtoull(at, NULL, 10) >> (signal - 1) & 1;
}

bool tv_process_handles(pid_t process, int signal)
{
    static const char line[] = "\nSigCgt:";
    char status[STATUS_CAP];
    const char *at = read_file_about(process, process, "status", status, sizeof(status))
                         ? strstr(status, line)
                         : NULL;
    return at && strtoull(at + strlen(line), NULL, 16) >> (signal - 1) & 1;
}

static struct tv_thread_schedule schedule_from(char *at)
{
    struct tv_thread_schedule counts;
    counts.cpu_ns = strtoull(at, &at, 10);
    counts.delay_ns = strtoull(at, &at, 10);
    counts.turns = strtoull(at, &at, 10);
    return counts;
}

struct tv_thread_schedule tv_thread_schedule_of(pid_t process, pid_t thread)
{
    char text[LINE_CAP];
    if (!read_about(process, thread, "schedstat", text))
        return (struct tv_thread_schedule){.cpu_ns = 0};
    return schedule_from(text);
}

struct tv_thread_schedule tv_thread_schedule_again(struct tv_thread_files *files, pid_t process,
                                                   pid_t thread)
{
    char text[LINE_CAP];
    return read_again(&files->schedule, process, thread, "schedstat", text)
               ? schedule_from(text)
               : tv_thread_schedule_of(process, thread);
}

void tv_thread_name(pid_t process, pid_t thread, char name[TV_THREAD_NAME_CAP])
{
    char text[LINE_CAP] = "";
    (void)read_about(process, thread, "comm", text);
    text[strcspn(text, "\n")] = '\0';
    (void)snprintf(name, TV_THREAD_NAME_CAP, "%.*s", TV_THREAD_NAME_CAP - 1, text);
}

/* "NUMBER ARGUMENT... STACK CODE" of a thread that is in a system call, "-1 STACK CODE" of one that
 * waits for memory, and "running". */
bool tv_thread_wait_place(pid_t process, pid_t thread, struct tv_wait_place *place)
{
    char text[LINE_CAP];
    char *at = text;
    if (!read_about(process, thread, "syscall", text) || text[0] < '0' || text[0] > '9')
        return false;
    for (unsigned i = 0; i < 1 + CALL_ARGUMENTS; i++)
        (void)strtoull(at, &at, 0);
    place->stack = strtoull(at, &at, 16);
    place->code = strtoull(at, &at, 16);
    return place->stack && place->code;
}

/* The second number of a line of "status", which is the one in effect. */
static bool has_id(const char *status, const char *line, unsigned long id)
{
    char *at = strstr(status, line);
    if (!at)
        return false;
    (void)strtoul(at + strlen(line), &at, 10);
    return strtoul(at, NULL, 10) == id;
}

bool tv_process_lacks_rights(pid_t process)
{
    char path[64], status[STATUS_CAP];
    struct stat file;
    (void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)process);
    if (stat(path, &file) != 0 || !(file.st_mode & (S_ISUID | S_ISGID)) ||
        !read_file_about(process, process, "status", status, sizeof(status)))
        return false;
    return (file.st_mode & S_ISUID && !has_id(status, "\nUid:", file.st_uid)) ||
           (file.st_mode & S_ISGID && file.st_mode & S_IXGRP &&
            !has_id(status, "\nGid:", file.st_gid));
}
