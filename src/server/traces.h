/*
 * The traces of a viewer, each under an address of its own: /TOKEN/t/NUMBER/. Any number of
 * threads.
 *
 * Number 1 is there from the start, with or without a trace, and stays; every trace that is opened
 * where there is one already gets the next number. A number is never given twice.
 *
 * Three bounds keep what this takes. Eviction (eviction.h) closes the traces that were looked at
 * longest ago, whose addresses stay. The table has TV_TRACES_MOST addresses; past that, the one
 * that was looked at longest ago and has no page open is forgotten. And what is wanted at any of
 * the addresses is loaded by TV_TRACES_LOADERS threads, what was wanted first by whichever is free.
 */
#ifndef TV_SERVER_TRACES_H
#define TV_SERVER_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "server/state.h"

#define TV_TRACES_MOST 64u
#define TV_TRACES_LOADERS 2u

struct tv_traces {
    const struct tv_alloc *alloc;
    struct tv_state_group group;
    /* The group's lock guards all below. */
    struct tv_state *of[TV_TRACES_MOST]; /* without gaps, by number */
    size_t count;
    uint64_t last_number;
    unsigned idle_count;     /* threads of the loader that wait for something to load */
    uint64_t first_ended_ns; /* when number 1 was found not to be loading; 0: it was not yet */
    bool is_ended;
};

/* Makes number 1, which is empty. */
enum tv_code tv_traces_init(struct tv_traces *traces, const struct tv_alloc *alloc,
                            struct tv_error *err) TV_MUST_CHECK;
/* Everyone must have left. */
void tv_traces_release(struct tv_traces *traces);

/* The state of that number, NULL when there is none any more. Whoever takes one leaves it. */
struct tv_state *tv_traces_take(struct tv_traces *traces, uint64_t number);
/* The state with the lowest number above that one, NULL behind the last. */
struct tv_state *tv_traces_next(struct tv_traces *traces, uint64_t number);
/* The state whose trace is of that file (recent.h names files so); NULL: none is. */
struct tv_state *tv_traces_find(struct tv_traces *traces, uint64_t file_id);
/* One more user of a state, who leaves it, too. */
void tv_traces_join(struct tv_state *state);
/* The last one to leave a state that was forgotten frees it; NULL is fine. */
void tv_traces_leave(struct tv_state *state);

/* Opens a trace at an address of its own, whose number comes back; takes over the origin.
 * TV_ERR_CONFLICT: each of the addresses has a page that is open, or a trace on its way. */
enum tv_code tv_traces_open(struct tv_traces *traces, struct tv_origin *origin, uint64_t *number,
                            struct tv_error *err) TV_MUST_CHECK;
/* Whether a trace is on its way, at any address. */
bool tv_traces_are_loading(struct tv_traces *traces);
/* Ends the loader: it takes nothing more, and is to stop what it does. */
void tv_traces_end(struct tv_traces *traces);
/* Waits until the loader reads nothing; false when the time is over. */
bool tv_traces_wait_until_idle(struct tv_traces *traces, uint64_t patience_ns);

/* The functions below are the loader's. */

/* Waits for what is wanted anywhere, and takes it; tv_traces_done gives the state back. NULL: the
 * program ends. */
struct tv_state *tv_traces_take_wanted(struct tv_traces *traces, struct tv_origin *origin);
void tv_traces_done(struct tv_state *state);
/* Whether saving the index of that state is to go on: it is not where another trace is wanted
 * there, where one is wanted elsewhere and waits for a thread, or when the program ends. */
bool tv_traces_is_saving(struct tv_traces *traces, struct tv_state *state);
/* Closes what is open beyond the bounds. */
void tv_traces_evict(struct tv_traces *traces);

#endif
