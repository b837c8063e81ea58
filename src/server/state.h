/*
 * What the viewer's threads share: the trace that answers come from, and what is being loaded.
 *
 * One thread loads what was asked for last, any number ask. A shown trace never changes; whoever
 * answers from it holds it, so that the next one can take its place meanwhile.
 */
#ifndef TV_SERVER_STATE_H
#define TV_SERVER_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"
#include "os/paths.h"
#include "os/spool.h"
#include "os/stamp.h"

enum tv_origin_kind {
    TV_ORIGIN_NOTHING,
    TV_ORIGIN_FILE,    /* named by the user: can be read again, is watched and remembered */
    TV_ORIGIN_INPUT,   /* standard input */
    TV_ORIGIN_DROPPED, /* came through the page; `spool` has it until it is read */
    TV_ORIGIN_EXAMPLE,
};

#define TV_LABEL_CAP 256

/* Where a trace comes from. */
struct tv_origin {
    enum tv_origin_kind kind;
    char path[TV_PATH_CAP];   /* to open it by */
    char label[TV_LABEL_CAP]; /* the file's name, as told to the user */
    bool is_first;            /* the program began with it */
    struct tv_spool spool;
    struct tv_stamp stamp; /* how the file stood when it was read */
};

/* The names are cut to the room. */
void tv_origin_init(struct tv_origin *origin, enum tv_origin_kind kind, const char *path,
                    struct tv_str label);
void tv_origin_release(struct tv_origin *origin);

/* The name for people at the terminal: the path where they gave one. */
const char *tv_origin_name(const struct tv_origin *origin);

/* One trace as answers come from it. */
struct tv_shown {
    const struct tv_alloc *alloc;
    unsigned holder_count; /* guarded by the state's lock */
    struct tv_index index;
    struct tv_origin origin; /* without its spool */
    uint64_t read_len;       /* of len bytes; less than len: a first picture */
    uint64_t len;
};

/* A moment's look. */
struct tv_state_view {
    uint64_t shown_no; /* counts the traces that were shown; 0: none yet */
    bool is_loading;
    uint64_t done; /* of `of`, while loading */
    uint64_t of;
    const char *step; /* static */
    uint64_t end_no;  /* counts loads that ended, and 1 where there never was one to wait for */
    uint64_t failure_no;
    struct tv_error failure;  /* the last one's reason */
    bool has_failed;          /* the last load did */
    bool has_failed_at_first; /* it was of what the program began with */
    uint64_t anew_no; /* counts how often the file of what is shown was found recorded anew */
    char label[TV_LABEL_CAP]; /* of what is loading, or failed last */
};

struct tv_state {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    const struct tv_alloc *alloc;
    struct tv_state_view now;
    struct tv_shown *shown; /* NULL: nothing is open */
    struct tv_origin wanted;
    bool is_wanted;
    bool is_busy;      /* the loader has something in hand */
    bool is_cancelled; /* that is to be dropped */
    bool is_ending;
    bool has_waiter; /* somebody is in tv_state_wait_while_loading */
};

void tv_state_init(struct tv_state *state, const struct tv_alloc *alloc);
void tv_state_release(struct tv_state *state);
struct tv_state_view tv_state_look(struct tv_state *state);

/* The trace to answer from, NULL when there is none. Every hold is let go of. */
struct tv_shown *tv_state_hold(struct tv_state *state);
void tv_state_let_go(struct tv_state *state, struct tv_shown *shown);

/* Asks for a trace; takes over the origin. What is being loaded is cancelled. */
void tv_state_want(struct tv_state *state, struct tv_origin *origin);
/* Stops what is being loaded or asked for; what is shown stays. */
void tv_state_cancel(struct tv_state *state);
/* Tells that the file of the shown trace was recorded anew. */
void tv_state_tell_anew(struct tv_state *state);
/* Ends the loader; it loads nothing more. */
void tv_state_end(struct tv_state *state);

/*
 * Waits while nothing is shown yet and something is being loaded, for so long at most. One may wait
 * at a time: who comes meanwhile does not wait, so that workers stay free.
 */
void tv_state_wait_while_loading(struct tv_state *state, uint64_t patience_ns);
/* Waits until the loader has nothing in hand; false when the time is over. */
bool tv_state_wait_until_idle(struct tv_state *state, uint64_t patience_ns);

/* For the loader. Waits for what is wanted; false when the program ends. */
bool tv_state_take_wanted(struct tv_state *state, struct tv_origin *origin);
/* Whether what the loader has in hand is not wanted any more. */
bool tv_state_is_cancelled(struct tv_state *state);
/* Tells how far it is; false when it must stop. */
bool tv_state_tell(struct tv_state *state, const char *step, uint64_t done, uint64_t of);
/*
 * Shows an index in place of what was shown: `read_len` of `len` bytes are in it. Takes over the
 * index; it is dropped where loading was cancelled, or memory runs out.
 */
enum tv_code tv_state_show(struct tv_state *state, struct tv_index *index,
                           const struct tv_origin *origin, uint64_t read_len, uint64_t len,
                           struct tv_error *err) TV_MUST_CHECK;
/* Loading is over; `err` is the reason where it failed. */
void tv_state_finish(struct tv_state *state, const struct tv_origin *origin, enum tv_code code,
                     const struct tv_error *err);

#endif
