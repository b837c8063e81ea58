/*
 * Threads that share their work: started together, ended together.
 */
#ifndef TV_OS_PROCESS_THREADS_H
#define TV_OS_PROCESS_THREADS_H

#include <pthread.h>

/* Starts up to `most` threads that run `run` with `ctx`, and returns how many the system allowed;
 * they are the first ones of `threads`. Their signals are blocked, since signals are for the main
 * thread. */
unsigned tv_threads_start(pthread_t *threads, unsigned most, void *(*run)(void *ctx), void *ctx);
/* Waits for the ends of `count` threads. */
void tv_threads_join(const pthread_t *threads, unsigned count);

#endif
