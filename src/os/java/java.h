/*
 * Java virtual machines that run on this machine, and the door that they have for tools: a socket
 * that a virtual machine makes when it gets SIGQUIT beside a file that asks for it (HotSpot's
 * attach mechanism). One thread.
 */
#ifndef TV_OS_JAVA_JAVA_H
#define TV_OS_JAVA_JAVA_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* How a program takes options for the virtual machine that it starts. */
enum tv_java_launcher {
    TV_JAVA_NONE,  /* it is no launcher of a JDK */
    TV_JAVA_PLAIN, /* as they are: java */
    TV_JAVA_TOOL   /* with -J before them: javac, jar, jshell ... */
};

/* What a program is, as execvp() would find it. */
enum tv_java_launcher tv_java_launcher(const char *program);

/* Whether a process runs a launcher of a JDK. */
bool tv_java_is_launched(pid_t pid);

/* Finds the virtual machine that is meant: a process number, or the name of a main class or jar as
 * its command line has it, with or without package or folder. */
enum tv_code tv_java_find(const char *text, pid_t *pid, struct tv_error *err) TV_MUST_CHECK;

/* Whether a process has the library of virtual machines; false also where that cannot be told. */
bool tv_java_is_machine(pid_t pid);
/* Why a process cannot be recorded, and what to do: TV_ERR_UNSUPPORTED. */
enum tv_code tv_java_check(pid_t pid, struct tv_error *err) TV_MUST_CHECK;
/* Reads the beginning of a file of /proc, and ends it with NUL; -1 when it cannot be read. */
ssize_t tv_java_read_proc(pid_t pid, const char *name, char *to, size_t cap);

/* Has a virtual machine load an agent, or calls the one that it has loaded; *reply is what the
 * agent returns. Refuses what would harm a process that is no virtual machine. */
enum tv_code tv_java_load_agent(pid_t pid, const char *library, const char *options, int *reply,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
