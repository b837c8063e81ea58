/*
 * What the viewer's threads share: the trace that answers come from, and what becomes of the one
 * that was asked for last.
 *
 * One thread, the loader, loads what was asked for last; any number of threads ask questions. A
 * shown trace never changes. Whoever answers from a trace holds it, so the next one can take its
 * place while the answer is made, and the last holder releases it.
 *
 * How far the loader is with the trace that was asked for last is one word: server/phase.h.
 */
#ifndef TV_SERVER_STATE_H
#define TV_SERVER_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/lean/lean.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"
#include "os/file/paths.h"
#include "os/file/spool.h"
#include "os/file/stamp.h"
#include "server/phase.h"

enum tv_origin_kind {
    TV_ORIGIN_NOTHING,
    TV_ORIGIN_FILE,    /* named by the user: can be read again, is watched and remembered */
    TV_ORIGIN_INPUT,   /* standard input */
    TV_ORIGIN_DROPPED, /* came through the page; `spool` has the bytes until they are read */
    TV_ORIGIN_EXAMPLE,
};

#define TV_LABEL_CAP 256

/* Where a trace comes from. */
struct tv_origin {
    enum tv_origin_kind kind;
    char path[TV_PATH_CAP];   /* to open the trace by */
    char label[TV_LABEL_CAP]; /* the file's name, as told to the user */
    bool is_first;            /* the program began with this trace */
    struct tv_spool spool;
    struct tv_stamp stamp; /* how the file stood when it was read */
};

/* Path and label are cut to their room. */
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
    struct tv_lean_cache leans; /* of the index; the only part that changes */
    struct tv_origin origin;    /* without its spool */
    uint64_t read_len;          /* of `len` bytes; less: the index is of the trace's beginning */
    uint64_t len;
};

/* A copy of what can be told without holding a trace. The numbers that end in _no count what has
 * happened, so that whoever saw an earlier number knows that something is new. */
struct tv_state_view {
    enum tv_phase phase;
    uint64_t shown_no; /* traces that were shown; 0: none yet */
    uint64_t end_no; /* loads that ended, and 1 from the start, when no load has to be waited for */
    uint64_t failure_no;
    uint64_t anew_no; /* how often the file of the shown trace was found recorded anew */
    uint64_t done;    /* of `of` bytes, while a trace is loaded */
    uint64_t of;
    const char *step;         /* of loading; static */
    struct tv_error failure;  /* why the last load that failed did */
    bool has_failed_at_first; /* what the program began with could not be read */
    char label[TV_LABEL_CAP]; /* of the trace that is loaded, or could not be loaded last */
};

struct tv_state {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    const struct tv_alloc *alloc;
    struct tv_state_view now;
    struct tv_shown *shown;  /* NULL: no trace is open */
    struct tv_shown *former; /* what was shown before the beginning of the trace that is loaded */
    struct tv_origin wanted; /* in the phases WANTED and REPLACED */
    bool has_waiter;         /* somebody is in tv_state_wait_while_loading */
};

void tv_state_init(struct tv_state *state, const struct tv_alloc *alloc);
void tv_state_release(struct tv_state *state);
struct tv_state_view tv_state_look(struct tv_state *state);

/* The trace to answer from, NULL when there is none. Whoever holds a trace lets go of it. */
struct tv_shown *tv_state_hold(struct tv_state *state);
void tv_state_let_go(struct tv_state *state, struct tv_shown *shown);

/* Asks for a trace; takes over the origin. The load that is under way is cancelled. */
void tv_state_want(struct tv_state *state, struct tv_origin *origin);
/* Cancels the load that is under way or asked for; the shown trace stays. */
void tv_state_cancel(struct tv_state *state);
/* Tells that the file of the shown trace was recorded anew. */
void tv_state_tell_anew(struct tv_state *state);
/* Ends the loader: it takes nothing more, and is to stop what it does. */
void tv_state_end(struct tv_state *state);

/*
 * Waits while no trace is shown and one is loaded, for that long at most. One thread may wait at a
 * time: a second one returns at once, so that worker threads stay free for questions.
 */
void tv_state_wait_while_loading(struct tv_state *state, uint64_t patience_ns);
/* Waits until the loader does not read; false when the time is over. */
bool tv_state_wait_until_idle(struct tv_state *state, uint64_t patience_ns);

/* The functions below are the loader's. */

/* Waits for what is wanted and takes it; false when the program ends. */
bool tv_state_take_wanted(struct tv_state *state, struct tv_origin *origin);
/* Tells how far loading is; false when the loader is to stop. */
bool tv_state_tell(struct tv_state *state, const char *step, uint64_t done, uint64_t of);
/*
 * Shows an index in place of the shown trace: `read_len` of `len` bytes are in the index. Takes
 * over the index; the index is dropped where loading was cancelled, or memory runs out. A trace of
 * which only the beginning could be shown gives way again to the one before it.
 */
enum tv_code tv_state_show(struct tv_state *state, struct tv_index *index,
                           const struct tv_origin *origin, uint64_t read_len, uint64_t len,
                           struct tv_error *err) TV_MUST_CHECK;
/* Ends a load; `err` is the reason where it failed. True: the trace is shown, and now is the time
 * to save its index, which ends with tv_state_end_saving. */
bool tv_state_finish(struct tv_state *state, const struct tv_origin *origin, enum tv_code code,
                     const struct tv_error *err);
/* Whether saving is to go on; it is not once another trace is wanted, or the program ends. */
bool tv_state_is_saving(struct tv_state *state);
void tv_state_end_saving(struct tv_state *state);

#endif
