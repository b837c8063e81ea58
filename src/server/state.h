/*
 * The trace of one address of the viewer (traces.h has all of them): what answers come from, and
 * what becomes of the trace that was asked for last at this address.
 *
 * A thread of the loader loads what was asked for last; any number of threads ask questions. A
 * shown trace never changes. Whoever answers from a trace holds it, so the next one can take its
 * place while the answer is made, and the last holder releases it.
 *
 * A trace that nobody looks at may be closed, which gives its memory back. The next question opens
 * it again: from its saved index, else by reading it, and a dropped one from the file without a
 * name that it came in, which is kept for that.
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
#include "base/units.h"
#include "index/index.h"
#include "os/file/paths.h"
#include "os/file/spool.h"
#include "os/file/stamp.h"
#include "server/phase.h"
#include "server/watch.h"

enum tv_origin_kind {
    TV_ORIGIN_NOTHING,
    TV_ORIGIN_FILE,    /* named by the user: can be read again, is watched and remembered */
    TV_ORIGIN_INPUT,   /* standard input */
    TV_ORIGIN_DROPPED, /* came through the page; the bytes are in `spool`, or in the state's */
    TV_ORIGIN_EXAMPLE,
};

#define TV_LABEL_CAP 256

/* A mapping file that came through the page, by which the methods of a trace are renamed. */
struct tv_origin_mapping {
    char path[TV_SPOOL_PATH_CAP]; /* to open it by; empty: there is none */
    char label[TV_LABEL_CAP];     /* the file's name, as told to the user */
    bool is_forced;               /* taken although it is of another build */
    struct tv_spool spool;        /* its bytes, where the state's do not have them already */
};

/* What a mapping knows of a trace (retrace/renaming.h), as the page shows it. */
struct tv_names_known {
    char label[TV_LABEL_CAP]; /* of the mapping; empty: methods have the names of the file */
    bool has_id;              /* the trace names the mapping by its id */
    bool is_counted;          /* false: the index was saved, and the numbers are not known */
    uint64_t renamed, asked, known;
};

/* Where a trace comes from. */
struct tv_origin {
    enum tv_origin_kind kind;
    char path[TV_PATH_CAP];   /* to open the trace by */
    char label[TV_LABEL_CAP]; /* the file's name, as told to the user */
    uint64_t file_id;         /* of a file: as the list of recent files names it; 0: of none */
    bool is_first;            /* the program began with this trace */
    bool is_behind_first;     /* to be read when the trace of number 1 is there, and drawn */
    struct tv_spool spool;
    struct tv_stamp stamp; /* how the file stood when it was read */
    struct tv_origin_mapping mapping;
    struct tv_names_known names; /* as far as it was read */
};

void tv_origin_mapping_init(struct tv_origin_mapping *mapping);
/* Path and label are cut to their room. */
void tv_origin_init(struct tv_origin *origin, enum tv_origin_kind kind, const char *path,
                    struct tv_str label);
void tv_origin_release(struct tv_origin *origin);

/* The name for people at the terminal: the path where they gave one. */
const char *tv_origin_name(const struct tv_origin *origin);

/* What the traces of one viewer share. */
struct tv_state_group {
    pthread_mutex_t lock; /* guards the group, its states, and the table of them (traces.h) */
    pthread_cond_t changed;
    uint64_t turn;   /* counts looks and wishes, so that the earliest is known */
    bool has_waiter; /* somebody is in tv_state_wait_while_loading, or waits in tv_state_visit */
    bool are_others_asked; /* somebody has looked at another trace than that of number 1 */
};

void tv_state_group_init(struct tv_state_group *group);
void tv_state_group_release(struct tv_state_group *group);

/* One trace as answers come from it. */
struct tv_shown {
    const struct tv_alloc *alloc;
    struct tv_state_group *group;
    unsigned holder_count; /* guarded by the group's lock */
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
    uint64_t shown_no; /* traces that were shown; 0: none yet. One that was closed and is back
                        * counts once: its answers are the same */
    uint64_t end_no; /* loads that ended, and 1 from the start, when no load has to be waited for */
    uint64_t failure_no;
    uint64_t anew_no; /* how often the file of the shown trace was found recorded anew */
    uint64_t done;    /* of `of` bytes, while a trace is loaded */
    uint64_t of;
    const char *step;         /* of loading; static */
    struct tv_error failure;  /* why the last load that failed did */
    bool has_failed_at_first; /* what the program began with could not be read */
    bool has_refused_mapping; /* the mapping was of another build: it could be forced */
    char label[TV_LABEL_CAP]; /* of the trace that is loaded, or could not be loaded last */
};

struct tv_state {
    struct tv_state_group *group; /* its lock guards all below that is not the watcher's */
    const struct tv_alloc *alloc;
    uint64_t number;      /* in the address, from 1 */
    unsigned user_count;  /* the table, requests, event streams, the loader (traces.h) */
    uint64_t looked_turn; /* when a question was asked last */
    uint64_t wanted_turn; /* when a trace was asked for last */
    bool has_loader;      /* a thread of the loader reads, or saves, for this state */
    struct tv_state_view now;
    struct tv_shown *shown;  /* NULL: no trace is open */
    struct tv_shown *former; /* what was shown before the beginning of the trace that is loaded */
    struct tv_origin wanted; /* in the phases WANTED and REPLACED */
    uint64_t file_id;        /* of what was asked for last */
    struct tv_origin
        closed;            /* what is opened again when somebody looks; NOTHING: none was closed */
    bool was_closed_whole; /* all of that trace was shown, and not its beginning alone */
    struct tv_spool spool; /* the bytes of a dropped trace, to be read again */
    struct tv_spool mapping; /* those of the mapping that the page gave */
    /* The watcher's alone, which is the main thread (run.c). */
    struct tv_watch watch;
    uint64_t met_shown_no;  /* the last shown trace that the main thread has met */
    uint64_t lost_shown_no; /* the last shown trace whose saved index became shorter */
};

void tv_state_init(struct tv_state *state, const struct tv_alloc *alloc,
                   struct tv_state_group *group);
void tv_state_release(struct tv_state *state);
struct tv_state_view tv_state_look(struct tv_state *state);

/* The open trace, NULL when there is none. Whoever holds a trace lets go of it. */
struct tv_shown *tv_state_hold(struct tv_state *state);
/* Holds a trace for a single look: opens it again if it was closed, and waits up to `patience_ns`
 * until all of it is read, one thread of the group at a time. NULL: there is none, or it is not
 * read yet. */
struct tv_shown *tv_state_hold_whole(struct tv_state *state, uint64_t patience_ns);
void tv_state_let_go(struct tv_shown *shown);

/* How long a question waits for a trace that was closed: most are open again by then, and their
 * pages notice nothing. */
#define TV_STATE_PATIENCE_NS TV_NS_PER_S
/* Somebody looks at the trace: it is not closed soon. One that was closed is opened again, and
 * waited for, for that long at most. */
void tv_state_visit(struct tv_state *state, uint64_t patience_ns);
/* Asks for a trace; takes over the origin. The load that is under way is cancelled. */
void tv_state_want(struct tv_state *state, struct tv_origin *origin);
/* Asks for a trace if the address has none, neither open nor closed nor on its way. False: it has
 * one, and the origin stays the caller's. */
bool tv_state_want_if_empty(struct tv_state *state, struct tv_origin *origin);
/* Whether there is a trace, open or closed. */
bool tv_state_has_trace(struct tv_state *state);
/* Whether it is that of a file, which may be another one by now; `origin` is what to ask for then.
 */
bool tv_state_file(struct tv_state *state, struct tv_origin *origin);
/* Has the trace read again with the names that a mapping gives, or with those of before where it
 * has no path. Takes the mapping over where that works. TV_ERR_NOT_FOUND: there is no trace.
 * TV_ERR_CONFLICT: it is still read, or it cannot be read again. */
enum tv_code tv_state_rename(struct tv_state *state, struct tv_origin_mapping *mapping,
                             struct tv_error *err) TV_MUST_CHECK;
/* Cancels the load that is under way or asked for; the shown trace stays. */
void tv_state_cancel(struct tv_state *state);
/* Tells that the file of the shown trace was recorded anew. */
void tv_state_tell_anew(struct tv_state *state);

/*
 * Waits while no trace is shown and one is loaded, for that long at most. One thread of the group
 * may wait at a time: a second one returns at once, so that worker threads stay free for questions.
 */
void tv_state_wait_while_loading(struct tv_state *state, uint64_t patience_ns);

/* The functions below are for the table, which has the group's lock (traces.h). */

/* Whether no trace is here, open or closed or on its way. */
bool tv_state_is_empty(const struct tv_state *state);
/* Asks for a trace; takes over the origin. What comes back is to be released without the lock. */
struct tv_origin tv_state_put_wish(struct tv_state *state, struct tv_origin *origin);
/* Whether a thread of the loader may take what is wanted; tv_state_take_wanted takes it. */
bool tv_state_is_to_take(const struct tv_state *state);
struct tv_origin tv_state_take_wanted(struct tv_state *state);
/* Whether the trace can be closed: nothing is done with it, and it can be opened again. */
bool tv_state_can_close(const struct tv_state *state);
/* Closes the trace. What comes back is let go of without the lock. */
struct tv_shown *tv_state_close(struct tv_state *state);
/* Ends the loading of this state: nothing more is taken. */
void tv_state_end(struct tv_state *state);

/* The functions below are the loader's. */

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
/* Ends a load; `err` is the reason where it failed. Takes the spool over where the trace is shown.
 * True: the trace is shown, and now is the time to save its index, which ends with
 * tv_state_end_saving. */
bool tv_state_finish(struct tv_state *state, struct tv_origin *origin, enum tv_code code,
                     const struct tv_error *err);
void tv_state_end_saving(struct tv_state *state);

#endif
