/*
 * What the kernel tells of one thread of another process in its files below /proc, without stopping
 * that thread. Any thread may ask; each answer is of the moment in which it is read.
 */
#ifndef TV_OS_PROCESS_THREAD_FACTS_H
#define TV_OS_PROCESS_THREAD_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Longest name of a thread, with its NUL. */
#define TV_THREAD_NAME_CAP 16

/* The kernel's counts of a thread; exact while the thread is on no processor. All of them 0: the
 * thread is gone. */
struct tv_thread_schedule {
    uint64_t cpu_ns;
    uint64_t delay_ns; /* waited for a processor */
    uint64_t turns;    /* on a processor */
};

/* Where a thread waits: addresses of its own process. */
struct tv_wait_place {
    uint64_t code;  /* the instruction behind the system call */
    uint64_t stack; /* the stack pointer */
};

/* The process that a thread is of; where that is not known, as if it were one itself. */
pid_t tv_thread_process(pid_t thread);
/* The letter of proc(5): R for one that runs or is ready to, S for one that waits. X: it is gone.
 */
char tv_thread_state(pid_t process, pid_t thread);
bool tv_thread_blocks(pid_t process, pid_t thread, int signal);
/* Whether a process handles a signal, by the mask of those that it catches; otherwise the signal
 * may end it. */
bool tv_process_handles(pid_t process, int signal);
struct tv_thread_schedule tv_thread_schedule_of(pid_t process, pid_t thread);
/* Files of the kernel for whoever asks of one thread often: they stay open. Each is 1 + the file's
 * number, and 0 at first and after it was closed. */
struct tv_thread_files {
    int schedule, state;
};
/* These answer as tv_thread_schedule_of and tv_thread_state do, by files that stay open; if none
 * can be opened, they open one for each question. */
struct tv_thread_schedule tv_thread_schedule_again(struct tv_thread_files *files, pid_t process,
                                                   pid_t thread);
char tv_thread_state_again(struct tv_thread_files *files, pid_t process, pid_t thread);
void tv_thread_files_close(struct tv_thread_files *files);
/* The name as the kernel has it; empty: the thread is gone. */
void tv_thread_name(pid_t process, pid_t thread, char name[TV_THREAD_NAME_CAP]);
/* False where it waits in no system call, or the kernel does not tell: it tells whoever may trace
 * the thread. */
bool tv_thread_wait_place(pid_t process, pid_t thread, struct tv_wait_place *place);
/* Whether the process's program is set-user-ID or set-group-ID and has not got that user or group:
 * the kernel gives it to no program that an ordinary user traces. */
bool tv_process_lacks_rights(pid_t process);

#endif
