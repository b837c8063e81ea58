/*
 * A mutex around a few words, and a condition that is signalled whenever somebody may wait for what
 * changed. Releasing an index or a dropped file may take long, so both happen outside of the lock.
 */
#include "server/state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "os/random_sleep.h"
#include "os/waits.h"

void tv_origin_init(struct tv_origin *origin, enum tv_origin_kind kind, const char *path,
                    struct tv_str label)
{
    int label_len = (int)(label.len < TV_LABEL_CAP ? label.len : TV_LABEL_CAP - 1);
    origin->kind = kind;
    (void)snprintf(origin->path, sizeof(origin->path), "%s", path);
    (void)snprintf(origin->label, sizeof(origin->label), "%.*s", label_len, label.at);
    origin->is_first = false;
    tv_spool_init(&origin->spool);
    memset(&origin->stamp, 0, sizeof(origin->stamp));
}

void tv_origin_release(struct tv_origin *origin)
{
    tv_spool_release(&origin->spool);
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

void tv_state_init(struct tv_state *state, const struct tv_alloc *alloc)
{
    *state = (struct tv_state){.alloc = alloc,
                               .now = {.phase = TV_PHASE_IDLE, .step = "reading", .end_no = 1}};
    (void)pthread_mutex_init(&state->lock, NULL);
    (void)tv_wait_init(&state->changed);
    tv_origin_init(&state->wanted, TV_ORIGIN_NOTHING, "", TV_STR(""));
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
    (void)pthread_cond_destroy(&state->changed);
    (void)pthread_mutex_destroy(&state->lock);
}

/* The functions from here to the next comment are for whoever has the lock. */

/* Makes a move, and wakes whoever waits for a phase. */
static void move(struct tv_state *state, enum tv_move made)
{
    state->now.phase = tv_phase_after(state->now.phase, made);
    (void)pthread_cond_broadcast(&state->changed);
}

/* Takes the wanted trace out of the state; its spool has one owner. */
static struct tv_origin take_origin(struct tv_state *state)
{
    struct tv_origin taken = state->wanted;
    tv_origin_init(&state->wanted, TV_ORIGIN_NOTHING, "", TV_STR(""));
    return taken;
}

typedef bool is_so_fn(const struct tv_state *state);

/* Gives the lock away while it is so, for that long at most. */
static void wait_while(struct tv_state *state, is_so_fn *is_so, uint64_t patience_ns)
{
    struct timespec end = tv_wait_until(patience_ns);
    int result = 0;
    while (is_so(state) && result == 0)
        result = pthread_cond_timedwait(&state->changed, &state->lock, &end);
}

static bool has_nothing_yet(const struct tv_state *state)
{
    return !state->shown && tv_phase_is_loading(state->now.phase);
}

static bool is_busy(const struct tv_state *state)
{
    return tv_phase_is_busy(state->now.phase);
}

/* Answers come from another trace from now on; returns the one before. */
static struct tv_shown *put_in_place(struct tv_state *state, struct tv_shown *shown)
{
    struct tv_shown *replaced = state->shown;
    state->shown = shown;
    state->now.shown_no++;
    state->now.anew_no = 0;
    (void)pthread_cond_broadcast(&state->changed);
    return replaced;
}

/* Ends the time in which a failure would bring back the trace before; returns what is not shown any
 * more. */
static struct tv_shown *settle_former(struct tv_state *state, enum tv_move made)
{
    struct tv_shown *former = state->former;
    state->former = NULL;
    return former && made == TV_MOVE_FAILED ? put_in_place(state, former) : former;
}

/* The functions below take the lock. */

struct tv_state_view tv_state_look(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    struct tv_state_view view = state->now;
    pthread_mutex_unlock(&state->lock);
    return view;
}

struct tv_shown *tv_state_hold(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    struct tv_shown *shown = state->shown;
    if (shown)
        shown->holder_count++;
    pthread_mutex_unlock(&state->lock);
    return shown;
}

void tv_state_let_go(struct tv_state *state, struct tv_shown *shown)
{
    if (!shown)
        return;
    tv_random_sleep();
    pthread_mutex_lock(&state->lock);
    bool is_last = --shown->holder_count == 0;
    pthread_mutex_unlock(&state->lock);
    if (is_last)
        free_shown(shown);
}

void tv_state_want(struct tv_state *state, struct tv_origin *origin)
{
    pthread_mutex_lock(&state->lock);
    struct tv_origin former = take_origin(state);
    move(state, TV_MOVE_WANT);
    state->wanted = *origin;
    state->now.done = 0;
    state->now.of = 0;
    state->now.step = "reading";
    memcpy(state->now.label, origin->label, sizeof(state->now.label));
    pthread_mutex_unlock(&state->lock);
    tv_spool_init(&origin->spool); /* the state owns it now */
    tv_origin_release(&former);
}

void tv_state_cancel(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    struct tv_origin former = take_origin(state);
    if (tv_phase_is_loading(state->now.phase))
        state->now.end_no++;
    move(state, TV_MOVE_CANCEL);
    pthread_mutex_unlock(&state->lock);
    tv_origin_release(&former);
}

void tv_state_tell_anew(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    state->now.anew_no++;
    pthread_mutex_unlock(&state->lock);
}

void tv_state_end(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    move(state, TV_MOVE_END);
    pthread_mutex_unlock(&state->lock);
}

void tv_state_wait_while_loading(struct tv_state *state, uint64_t patience_ns)
{
    pthread_mutex_lock(&state->lock);
    if (!state->has_waiter) {
        state->has_waiter = true;
        wait_while(state, has_nothing_yet, patience_ns);
        state->has_waiter = false;
    }
    pthread_mutex_unlock(&state->lock);
}

bool tv_state_wait_until_idle(struct tv_state *state, uint64_t patience_ns)
{
    pthread_mutex_lock(&state->lock);
    wait_while(state, is_busy, patience_ns);
    bool is_idle = !is_busy(state);
    pthread_mutex_unlock(&state->lock);
    return is_idle;
}

bool tv_state_take_wanted(struct tv_state *state, struct tv_origin *origin)
{
    pthread_mutex_lock(&state->lock);
    while (state->now.phase != TV_PHASE_WANTED && state->now.phase != TV_PHASE_ENDED)
        (void)pthread_cond_wait(&state->changed, &state->lock);
    bool is_taken = state->now.phase == TV_PHASE_WANTED;
    if (is_taken) {
        *origin = take_origin(state);
        move(state, TV_MOVE_TAKE);
    }
    pthread_mutex_unlock(&state->lock);
    return is_taken;
}

bool tv_state_tell(struct tv_state *state, const char *step, uint64_t done, uint64_t of)
{
    pthread_mutex_lock(&state->lock);
    bool goes_on = state->now.phase == TV_PHASE_LOADING;
    if (goes_on) {
        state->now.step = step;
        state->now.done = done;
        state->now.of = of;
    }
    pthread_mutex_unlock(&state->lock);
    return goes_on;
}

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
                               .holder_count = 1,
                               .index = *index,
                               .origin = *origin,
                               .read_len = read_len,
                               .len = len};
    tv_lean_cache_init(&shown->leans, state->alloc, 1);
    tv_spool_init(&shown->origin.spool);
    tv_index_init(index);
    pthread_mutex_lock(&state->lock);
    struct tv_shown *replaced = shown;
    tv_assert(is_busy(state)); /* the loader shows what it took, and nothing else */
    if (state->now.phase == TV_PHASE_LOADING) {
        replaced = put_in_place(state, shown);
        if (read_len < len && !state->former) {
            state->former = replaced;
            replaced = NULL;
        }
    }
    pthread_mutex_unlock(&state->lock);
    tv_state_let_go(state, replaced);
    return TV_OK;
}

/* The move that ends a load. How a load ended that nobody wants any more is of no interest. */
static enum tv_move move_of(const struct tv_state *state, enum tv_code code)
{
    if (state->now.phase != TV_PHASE_LOADING)
        return TV_MOVE_OVER;
    return code == TV_OK ? TV_MOVE_SHOWN : TV_MOVE_FAILED;
}

bool tv_state_finish(struct tv_state *state, const struct tv_origin *origin, enum tv_code code,
                     const struct tv_error *err)
{
    pthread_mutex_lock(&state->lock);
    enum tv_move made = move_of(state, code);
    move(state, made);
    if (made != TV_MOVE_OVER)
        state->now.end_no++;
    if (made == TV_MOVE_FAILED) {
        state->now.failure_no++;
        state->now.has_failed_at_first = origin->is_first;
        state->now.failure = *err;
    }
    struct tv_shown *replaced = settle_former(state, made);
    pthread_mutex_unlock(&state->lock);
    tv_state_let_go(state, replaced);
    return made == TV_MOVE_SHOWN;
}

bool tv_state_is_saving(struct tv_state *state)
{
    return tv_state_look(state).phase == TV_PHASE_SAVING;
}

void tv_state_end_saving(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    move(state, TV_MOVE_SAVED);
    pthread_mutex_unlock(&state->lock);
}
