/*
 * A starter: a thread outside of all Landlock domains (os/sandbox/landlock.h) that runs functions
 * for threads inside of one, which can start no program. What it is given to run is code of ours
 * that starts a child and waits for it, and never reads what a stranger wrote.
 */
#ifndef TV_OS_PROCESS_STARTER_H
#define TV_OS_PROCESS_STARTER_H

#include <pthread.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_starter {
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    void (*body)(void *ctx); /* to be run, or run right now; NULL: none */
    void *ctx;
    bool is_ending;
};

/* To be called on a thread outside of all domains. The starter must not move until it is stopped.
 * TV_ERR_SYSTEM: no thread could be started, and there is nothing to stop. */
enum tv_code tv_starter_start(struct tv_starter *starter, struct tv_error *err) TV_MUST_CHECK;
/* Runs body(ctx) on the starter's thread, and waits for its end. One thread may ask at a time. */
void tv_starter_run(struct tv_starter *starter, void (*body)(void *ctx), void *ctx);
/* Ends the thread, when nothing is run any more. */
void tv_starter_stop(struct tv_starter *starter);

#endif
