/*
 * What is open at one address of the viewer; see server/state.h.
 *
 * A few words under the lock of the group that all addresses share, and a condition that is
 * signalled when something changes that somebody may wait for. A shown trace is counted: the state
 * has one reference and each answer that is being made another one, so replacing it never waits for
 * answers. Releasing an index or a dropped file may take long, so both happen outside of the lock.
 */
#include "server/state.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "os/random_sleep.h"
#include "os/waits.h"
#include "server/recent.h"

void tv_origin_init(struct tv_origin *origin, enum tv_origin_kind kind, const char *path,
                    struct tv_str label)
{
    int label_len = (int)(label.len < TV_LABEL_CAP ? label.len : TV_LABEL_CAP - 1);
    origin->kind = kind;
    (void)snprintf(origin->path, sizeof(origin->path), "%s", path);
    (void)snprintf(origin->label, sizeof(origin->label), "%.*s", label_len, label.at);
    origin->file_id = kind == TV_ORIGIN_FILE ? tv_recent_id(path) : 0;
    origin->is_first = false;
    origin->is_behind_first = false;
    tv_spool_init(&origin->spool);
    memset(&origin->stamp, 0, sizeof(origin->stamp));
    tv_origin_mapping_init(&origin->mapping);
    origin->names = (struct tv_names_known){.renamed = 0};
}

void tv_origin_mapping_init(struct tv_origin_mapping *mapping)
{
    *mapping = (struct tv_origin_mapping){.is_forced = false};
    tv_spool_init(&mapping->spool);
}

void tv_origin_release(struct tv_origin *origin)
{
    tv_spool_release(&origin->spool);
    tv_spool_release(&origin->mapping.spool);
    origin->kind = TV_ORIGIN_NOTHING;
}

const char *tv_origin_name(const struct tv_origin *origin)
{
    bool has_path = origin->kind == TV_ORIGIN_FILE || origin->kind == TV_ORIGIN_INPUT;
    return has_path ? origin->path : origin->label;
}

static void free_shown(struct tv_shown *shown)
{
    tv_lean_cache_release(&shown->leans);
    tv_index_release(&shown->index);
    tv_alloc_release(shown->alloc, &shown, 1, sizeof(*shown));
}

void tv_state_group_init(struct tv_state_group *group)
{
    *group = (struct tv_state_group){.turn = 0};
    (void)pthread_mutex_init(&group->lock, NULL);
    (void)tv_wait_init(&group->changed);
}

void tv_state_group_release(struct tv_state_group *group)
{
    (void)pthread_cond_destroy(&group->changed);
    (void)pthread_mutex_destroy(&group->lock);
}

void tv_state_init(struct tv_state *state, const struct tv_alloc *alloc,
                   struct tv_state_group *group)
{
    *state = (struct tv_state){.group = group,
                               .alloc = alloc,
                               .now = {.phase = TV_PHASE_IDLE, .step = "reading", .end_no = 1}};
    tv_origin_init(&state->wanted, TV_ORIGIN_NOTHING, "", TV_STR(""));
    tv_origin_init(&state->closed, TV_ORIGIN_NOTHING, "", TV_STR(""));
    tv_spool_init(&state->spool);
    tv_spool_init(&state->mapping);
}

void tv_state_release(struct tv_state *state)
{
    if (state->shown)
        free_shown(state->shown);
    if (state->former)
        free_shown(state->former);
    state->shown = NULL;
    state->former = NULL;
    tv_origin_release(&state->wanted);
    tv_spool_release(&state->spool);
    tv_spool_release(&state->mapping);
}

/* The functions from here to the next comment of this kind are called with the lock held. */

/* Makes a move, and wakes whoever waits for a phase. */
static void move(struct tv_state *state, enum tv_move made)
{
    state->now.phase = tv_phase_after(state->now.phase, made);
    (void)pthread_cond_broadcast(&state->group->changed);
}

/* Takes the wanted origin out of the state, whose spool must have one owner. */
static struct tv_origin take_origin(struct tv_state *state)
{
    struct tv_origin taken = state->wanted;
    tv_origin_init(&state->wanted, TV_ORIGIN_NOTHING, "", TV_STR(""));
    return taken;
}

typedef bool is_so_fn(const struct tv_state *state);

/* Gives the lock away while is_so holds, for `patience_ns` at most. */
static void wait_while(struct tv_state *state, is_so_fn *is_so, uint64_t patience_ns)
{
    struct timespec end = tv_wait_until(patience_ns);
    int result = 0;
    while (is_so(state) && result == 0)
        result = pthread_cond_timedwait(&state->group->changed, &state->group->lock, &end);
}

static bool is_loading(const struct tv_state *state)
{
    return tv_phase_is_loading(state->now.phase);
}

static bool has_nothing_yet(const struct tv_state *state)
{
    return !state->shown && tv_phase_is_loading(state->now.phase);
}

/* Whether the trace that is shown now is the one that was closed, unchanged and with the same
 * names: then no page needs to ask anew. */
static bool is_back(const struct tv_state *state, const struct tv_shown *shown)
{
    const struct tv_origin *closed = &state->closed;
    return closed->kind != TV_ORIGIN_NOTHING && state->was_closed_whole &&
           shown->read_len == shown->len && tv_stamp_equal(&closed->stamp, &shown->origin.stamp) &&
           strcmp(closed->mapping.path, shown->origin.mapping.path) == 0;
}

/* Makes answers come from another trace from now on; returns the one before, to be let go of
 * outside of the lock. */
static struct tv_shown *put_in_place(struct tv_state *state, struct tv_shown *shown)
{
    struct tv_shown *replaced = state->shown;
    if (!is_back(state, shown)) {
        state->now.shown_no++;
        state->now.anew_no = 0;
    }
    state->shown = shown;
    state->closed.kind = TV_ORIGIN_NOTHING;
    (void)pthread_cond_broadcast(&state->group->changed);
    return replaced;
}

/* Whether a trace can be read again. The bytes of a dropped file are in the state's spool, whose
 * path the origin has; a pipe and standard input are gone once they were read. */
static bool can_read_again(const struct tv_state *state, const struct tv_origin *origin)
{
    switch (origin->kind) {
    case TV_ORIGIN_FILE:
        return tv_stamp_is_there(&origin->stamp);
    case TV_ORIGIN_EXAMPLE:
        return true;
    case TV_ORIGIN_DROPPED:
        return state->spool.fd >= 0;
    case TV_ORIGIN_NOTHING:
    case TV_ORIGIN_INPUT:
        break;
    }
    return false;
}

bool tv_state_is_empty(const struct tv_state *state)
{
    return !state->shown && state->closed.kind == TV_ORIGIN_NOTHING &&
           !tv_phase_is_loading(state->now.phase);
}

/* Makes the origin the wanted one, and returns the wish that it replaces, to be released outside of
 * the lock. */
struct tv_origin tv_state_put_wish(struct tv_state *state, struct tv_origin *origin)
{
    struct tv_origin former = take_origin(state);
    move(state, TV_MOVE_WANT);
    state->wanted = *origin;
    state->file_id = origin->file_id;
    state->wanted_turn = ++state->group->turn;
    state->looked_turn = state->wanted_turn;
    state->now.done = 0;
    state->now.of = 0;
    state->now.step = "reading";
    memcpy(state->now.label, origin->label, sizeof(state->now.label));
    tv_spool_init(&origin->spool); /* the state owns them now */
    tv_spool_init(&origin->mapping.spool);
    return former;
}

bool tv_state_is_to_take(const struct tv_state *state)
{
    return state->now.phase == TV_PHASE_WANTED && !state->has_loader;
}

struct tv_origin tv_state_take_wanted(struct tv_state *state)
{
    struct tv_origin origin = take_origin(state);
    move(state, TV_MOVE_TAKE);
    return origin;
}

bool tv_state_can_close(const struct tv_state *state)
{
    bool is_quiet = state->now.phase == TV_PHASE_IDLE || state->now.phase == TV_PHASE_FAILED;
    return is_quiet && state->shown && !state->former &&
           can_read_again(state, &state->shown->origin);
}

struct tv_shown *tv_state_close(struct tv_state *state)
{
    struct tv_shown *shown = state->shown;
    state->closed = shown->origin;
    state->was_closed_whole = shown->read_len == shown->len;
    state->shown = NULL;
    return shown;
}

void tv_state_end(struct tv_state *state)
{
    move(state, TV_MOVE_END);
}

/* Asks for the trace that eviction closed, unless it is being loaded already. */
static void want_closed(struct tv_state *state)
{
    struct tv_origin origin;
    if (state->closed.kind == TV_ORIGIN_NOTHING || tv_phase_is_loading(state->now.phase))
        return;
    origin = state->closed;
    origin.is_first = false; /* if it cannot be read again, that must not end the program */
    (void)tv_state_put_wish(state, &origin); /* nothing was wanted, so nothing comes back */
}

/* Waits unless another thread does already: one waiter at most, so that not all workers sleep here.
 */
static void wait_alone(struct tv_state *state, is_so_fn *is_so, uint64_t patience_ns)
{
    if (state->group->has_waiter)
        return;
    state->group->has_waiter = true;
    wait_while(state, is_so, patience_ns);
    state->group->has_waiter = false;
}

static void wait_for_first(struct tv_state *state, uint64_t patience_ns)
{
    wait_alone(state, has_nothing_yet, patience_ns);
}

/* Ends the time in which a failed load would bring back the trace that was shown before its
 * beginning. Returns the trace that is not shown any more. */
static struct tv_shown *settle_former(struct tv_state *state, enum tv_move made)
{
    struct tv_shown *former = state->former;
    state->former = NULL;
    return former && made == TV_MOVE_FAILED ? put_in_place(state, former) : former;
}

/* The functions below take the lock. */

static void lock(struct tv_state *state)
{
    pthread_mutex_lock(&state->group->lock);
}

static void unlock(struct tv_state *state)
{
    pthread_mutex_unlock(&state->group->lock);
}

struct tv_state_view tv_state_look(struct tv_state *state)
{
    lock(state);
    struct tv_state_view view = state->now;
    unlock(state);
    return view;
}

struct tv_shown *tv_state_hold(struct tv_state *state)
{
    lock(state);
    struct tv_shown *shown = state->shown;
    if (shown)
        shown->holder_count++;
    unlock(state);
    return shown;
}

/* Notes a look at the trace. That at another one than the first means that the first one was drawn.
 */
static void note_look(struct tv_state *state)
{
    struct tv_state_group *group = state->group;
    state->looked_turn = ++group->turn;
    if (state->number > 1 && !group->are_others_asked) {
        group->are_others_asked = true;
        (void)pthread_cond_broadcast(&group->changed);
    }
}

struct tv_shown *tv_state_hold_whole(struct tv_state *state, uint64_t patience_ns)
{
    struct tv_shown *shown = NULL;
    lock(state);
    note_look(state);
    if (!state->shown && state->closed.kind != TV_ORIGIN_NOTHING)
        want_closed(state);
    wait_alone(state, is_loading, patience_ns);
    if (!is_loading(state))
        shown = state->shown;
    if (shown)
        shown->holder_count++;
    unlock(state);
    return shown;
}

/* Notes that somebody looks at this address, and opens its trace again if eviction had closed it.
 */
void tv_state_visit(struct tv_state *state, uint64_t patience_ns)
{
    lock(state);
    note_look(state);
    if (!state->shown && state->closed.kind != TV_ORIGIN_NOTHING) {
        want_closed(state);
        wait_for_first(state, patience_ns);
    }
    unlock(state);
}

void tv_state_let_go(struct tv_shown *shown)
{
    if (!shown)
        return;
    tv_random_sleep();
    pthread_mutex_lock(&shown->group->lock);
    bool is_last = --shown->holder_count == 0;
    pthread_mutex_unlock(&shown->group->lock);
    if (is_last)
        free_shown(shown);
}

void tv_state_want(struct tv_state *state, struct tv_origin *origin)
{
    lock(state);
    struct tv_origin former = tv_state_put_wish(state, origin);
    unlock(state);
    tv_origin_release(&former);
}

bool tv_state_want_if_empty(struct tv_state *state, struct tv_origin *origin)
{
    struct tv_origin former;
    lock(state);
    bool is_empty = tv_state_is_empty(state);
    if (is_empty)
        former = tv_state_put_wish(state, origin);
    unlock(state);
    if (is_empty)
        tv_origin_release(&former);
    return is_empty;
}

bool tv_state_has_trace(struct tv_state *state)
{
    lock(state);
    bool has_trace = state->shown || state->closed.kind != TV_ORIGIN_NOTHING;
    unlock(state);
    return has_trace;
}

bool tv_state_file(struct tv_state *state, struct tv_origin *origin)
{
    lock(state);
    const struct tv_origin *of = state->shown ? &state->shown->origin : &state->closed;
    bool is_file = of->kind == TV_ORIGIN_FILE || of->kind == TV_ORIGIN_EXAMPLE;
    if (is_file) {
        *origin = *of;
        origin->is_first = false;
    }
    unlock(state);
    return is_file;
}

/* What the trace was read from, to be read again; called with the lock held. A trace that is still
 * read may have its bytes in a file that goes when the reading is given up. */
static enum tv_code origin_to_rename(const struct tv_state *state, struct tv_origin *origin,
                                     struct tv_error *err)
{
    const struct tv_origin *of = state->shown ? &state->shown->origin : &state->closed;
    if (tv_phase_is_loading(state->now.phase))
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "the trace is still read: give the mapping when it is there");
    if (of->kind == TV_ORIGIN_NOTHING)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no trace is open: open it first, then give its mapping");
    if (!can_read_again(state, of))
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "the trace came from a pipe and cannot be read again: start traceview with "
                       "--mapping");
    *origin = *of;
    origin->is_first = false;
    origin->names = (struct tv_names_known){.renamed = 0};
    return TV_OK;
}

enum tv_code tv_state_rename(struct tv_state *state, struct tv_origin_mapping *mapping,
                             struct tv_error *err)
{
    struct tv_origin origin;
    struct tv_origin former;
    lock(state);
    enum tv_code code = origin_to_rename(state, &origin, err);
    if (code == TV_OK) {
        origin.mapping = *mapping;
        former = tv_state_put_wish(state, &origin);
    }
    unlock(state);
    if (code != TV_OK)
        return code;
    tv_spool_init(&mapping->spool);
    tv_origin_release(&former);
    return TV_OK;
}

void tv_state_cancel(struct tv_state *state)
{
    lock(state);
    struct tv_origin former = take_origin(state);
    if (tv_phase_is_loading(state->now.phase))
        state->now.end_no++;
    move(state, TV_MOVE_CANCEL);
    unlock(state);
    tv_origin_release(&former);
}

void tv_state_tell_anew(struct tv_state *state)
{
    lock(state);
    state->now.anew_no++;
    unlock(state);
}

void tv_state_wait_while_loading(struct tv_state *state, uint64_t patience_ns)
{
    lock(state);
    wait_for_first(state, patience_ns);
    unlock(state);
}

bool tv_state_tell(struct tv_state *state, const char *step, uint64_t done, uint64_t of)
{
    lock(state);
    bool goes_on = state->now.phase == TV_PHASE_LOADING;
    if (goes_on) {
        state->now.step = step;
        state->now.done = done;
        state->now.of = of;
    }
    unlock(state);
    return goes_on;
}

/* Shows a trace, or the beginning of one, unless the load is not wanted any more. The index is
 * taken over in every case. The trace that a beginning replaces is kept until the load has
 * succeeded. */
enum tv_code tv_state_show(struct tv_state *state, struct tv_index *index,
                           const struct tv_origin *origin, uint64_t read_len, uint64_t len,
                           struct tv_error *err)
{
    struct tv_shown *shown = NULL;
    enum tv_code code = tv_alloc_new(state->alloc, &shown, 1, sizeof(*shown), err);
    if (code != TV_OK) {
        tv_index_release(index);
        return code;
    }
    *shown = (struct tv_shown){.alloc = state->alloc,
                               .group = state->group,
                               .holder_count = 1,
                               .index = *index,
                               .origin = *origin,
                               .read_len = read_len,
                               .len = len};
    tv_lean_cache_init(&shown->leans, state->alloc, 1);
    tv_spool_init(&shown->origin.spool);
    tv_spool_init(&shown->origin.mapping.spool);
    tv_index_init(index);
    lock(state);
    struct tv_shown *replaced = shown;
    tv_assert(
        tv_phase_is_busy(state->now.phase)); /* the loader shows what it took, and nothing else */
    if (state->now.phase == TV_PHASE_LOADING) {
        replaced = put_in_place(state, shown);
        if (read_len < len && !state->former) {
            state->former = replaced;
            replaced = NULL;
        }
    }
    unlock(state);
    tv_state_let_go(replaced);
    return TV_OK;
}

/* The move that ends a load. A load that nobody wants any more is over, however it ended. */
static enum tv_move move_of(const struct tv_state *state, enum tv_code code)
{
    if (state->now.phase != TV_PHASE_LOADING)
        return TV_MOVE_OVER;
    return code == TV_OK ? TV_MOVE_SHOWN : TV_MOVE_FAILED;
}

/* Called with the lock held: keeps the files without a name that the shown trace came from. Those
 * of the trace before go with the origin. A mapping that nothing refers to any more goes, too. */
static void keep_spools(struct tv_state *state, struct tv_origin *origin)
{
    if (origin->spool.fd >= 0) {
        struct tv_spool former = state->spool;
        state->spool = origin->spool;
        origin->spool = former;
    }
    if (origin->mapping.spool.fd >= 0 || !origin->mapping.path[0]) {
        struct tv_spool former = state->mapping;
        state->mapping = origin->mapping.spool;
        origin->mapping.spool = former;
    }
}

/* Ends a load. A mapping that was refused leaves the trace as it was, closed or not. */
bool tv_state_finish(struct tv_state *state, struct tv_origin *origin, enum tv_code code,
                     const struct tv_error *err)
{
    lock(state);
    enum tv_move made = move_of(state, code);
    move(state, made);
    if (made != TV_MOVE_OVER)
        state->now.end_no++;
    if (made == TV_MOVE_FAILED) {
        state->now.failure_no++;
        state->now.has_failed_at_first = origin->is_first;
        state->now.failure = *err;
        state->now.has_refused_mapping = code == TV_ERR_ARGUMENT && origin->mapping.path[0];
        if (strcmp(origin->mapping.path, state->closed.mapping.path) == 0)
            state->closed.kind = TV_ORIGIN_NOTHING; /* or each question would read it again */
    }
    if (made == TV_MOVE_SHOWN)
        keep_spools(state, origin);
    struct tv_shown *replaced = settle_former(state, made);
    unlock(state);
    tv_state_let_go(replaced);
    return made == TV_MOVE_SHOWN;
}

void tv_state_end_saving(struct tv_state *state)
{
    lock(state);
    move(state, TV_MOVE_SAVED);
    unlock(state);
}
