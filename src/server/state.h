/*
 * What the viewer's threads share: the index once it is there, how far loading is, or why it
 * failed. One thread loads, any number ask.
 */
#ifndef TV_SERVER_STATE_H
#define TV_SERVER_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <traceview/error.h>

#include "index/index.h"

enum tv_phase { TV_PHASE_LOADING, TV_PHASE_READY, TV_PHASE_FAILED };

/* A moment's look at it. */
struct tv_state_view {
    enum tv_phase phase;
    uint64_t done; /* of `of`, while loading */
    uint64_t of;
    const char *step;      /* static */
    struct tv_error error; /* where it failed */
};

struct tv_state {
    pthread_mutex_t lock;
    struct tv_state_view now;
    bool is_ending;
    struct tv_index index; /* immutable from TV_PHASE_READY on */
};

void tv_state_init(struct tv_state *state);
void tv_state_release(struct tv_state *state);
struct tv_state_view tv_state_look(struct tv_state *state);
/* Tells how far loading is; false when the program ends and loading must stop. Fits tv_build_opts.
 */
bool tv_state_tell(void *state, uint64_t done, uint64_t of);
/* Loading is over. */
void tv_state_finish(struct tv_state *state, enum tv_code code, const struct tv_error *err);
/* Asks loading to stop. */
void tv_state_end(struct tv_state *state);

#endif
