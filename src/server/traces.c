/*
 * The table of traces; see server/traces.h.
 *
 * Addresses in the order of their numbers, under one lock that they share with their states (struct
 * tv_state_group). Users of an address are counted, the table being one: an address that was taken
 * out lives until its last user leaves, and whoever leaves last frees it. The first address is
 * never taken out.
 */
#include "server/traces.h"

#include <string.h>
#include <time.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/random_sleep.h"
#include "os/waits.h"
#include "server/eviction.h"

static void lock(struct tv_traces *traces)
{
    pthread_mutex_lock(&traces->group.lock);
}

static void unlock(struct tv_traces *traces)
{
    pthread_mutex_unlock(&traces->group.lock);
}

/* The functions from here to the next comment of this kind are called with the lock held. */

/* Puts a new state behind the others, with the table as its user; there is room for one. */
static enum tv_code add(struct tv_traces *traces, struct tv_state **state, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(traces->alloc, state, 1, sizeof(**state), err));
    tv_state_init(*state, traces->alloc, &traces->group);
    (*state)->number = ++traces->last_number;
    (*state)->user_count = 1;
    (*state)->looked_turn = ++traces->group.turn;
    if (traces->is_ended)
        tv_state_end(*state);
    traces->of[traces->count++] = *state;
    return TV_OK;
}

/* Whether an address may be forgotten: nobody has its page open or is being answered from it. */
static bool is_unused(const struct tv_state *state)
{
    return state->number != 1 && state->user_count == 1 && !tv_phase_is_loading(state->now.phase);
}

/* Takes the unused address that was looked at longest ago out of the table; NULL: all are used. */
static struct tv_state *take_out_oldest(struct tv_traces *traces)
{
    size_t oldest = traces->count;
    for (size_t i = 0; i < traces->count; i++) {
        if (is_unused(traces->of[i]) &&
            (oldest == traces->count ||
             traces->of[i]->looked_turn < traces->of[oldest]->looked_turn))
            oldest = i;
    }
    if (oldest == traces->count)
        return NULL;
    struct tv_state *state = traces->of[oldest];
    traces->count--;
    memmove(&traces->of[oldest], &traces->of[oldest + 1],
            (traces->count - oldest) * sizeof(traces->of[0]));
    return state;
}

static struct tv_state *join(struct tv_state *state)
{
    state->user_count++;
    return state;
}

/* How long the other traces wait once the first one is read, unless they are asked for. A page that
 * has drawn the first trace asks for them sooner. */
#define UNASKED_NS TV_NS_PER_S

static bool is_first_loading(const struct tv_traces *traces)
{
    return tv_phase_is_loading(traces->of[0]->now.phase);
}

/* How long what stands behind the first trace is still to wait. Read side by side on the same
 * cores, both would be there when the second one is; and while the browser draws the first one, it
 * has the cores. */
static uint64_t others_wait_ns(const struct tv_traces *traces)
{
    const uint64_t passed_ns =
        traces->first_ended_ns ? tv_passed_ns(traces->first_ended_ns, tv_now_ns()) : 0;
    if (is_first_loading(traces))
        return UINT64_MAX;
    return traces->group.are_others_asked || passed_ns >= UNASKED_NS ? 0 : UNASKED_NS - passed_ns;
}

/* Whether a loader may take what is wanted there. */
static bool is_to_take(const struct tv_traces *traces, const struct tv_state *state)
{
    return tv_state_is_to_take(state) &&
           (!state->wanted.is_behind_first || !others_wait_ns(traces));
}

/* Gives the lock away until something changes, or what stands behind the first trace has waited
 * long enough. */
static void wait_for_wish(struct tv_traces *traces)
{
    if (!traces->first_ended_ns && !is_first_loading(traces))
        traces->first_ended_ns = tv_now_ns();
    const uint64_t wait_ns = others_wait_ns(traces);
    if (wait_ns && wait_ns != UINT64_MAX) {
        const struct timespec end = tv_wait_until(wait_ns);
        (void)pthread_cond_timedwait(&traces->group.changed, &traces->group.lock, &end);
    } else {
        (void)pthread_cond_wait(&traces->group.changed, &traces->group.lock);
    }
}

/* The wish that has waited longest at an address without a loader; NULL: there is none. */
static struct tv_state *first_wanted(const struct tv_traces *traces)
{
    struct tv_state *first = NULL;
    for (size_t i = 0; i < traces->count; i++) {
        struct tv_state *state = traces->of[i];
        if (is_to_take(traces, state) && (!first || state->wanted_turn < first->wanted_turn))
            first = state;
    }
    return first;
}

/* Whether more traces are wanted than loaders are idle: then a loader that only saves an index
 * gives up. */
static bool is_short_of_threads(const struct tv_traces *traces)
{
    unsigned wanted = 0;
    for (size_t i = 0; i < traces->count; i++)
        wanted += is_to_take(traces, traces->of[i]);
    return wanted > traces->idle_count;
}

static bool are_busy(const struct tv_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++) {
        if (tv_phase_is_busy(traces->of[i]->now.phase))
            return true;
    }
    return false;
}

/* The trace that eviction closes next; NULL: none. */
static struct tv_state *choose_to_close(const struct tv_traces *traces)
{
    struct tv_eviction_trace open[TV_TRACES_MOST] = {{0}};
    struct tv_state *states[TV_TRACES_MOST];
    size_t count = 0;
    for (size_t i = 0; i < traces->count; i++) {
        struct tv_state *state = traces->of[i];
        if (!state->shown)
            continue;
        states[count] = state;
        open[count++] = (struct tv_eviction_trace){.bytes = state->shown->index.block_len,
                                                   .looked_turn = state->looked_turn,
                                                   .can_close = tv_state_can_close(state)};
    }
    size_t chosen = tv_eviction_choose(open, count);
    return chosen < count ? states[chosen] : NULL;
}

/* The functions below take the lock. */

enum tv_code tv_traces_init(struct tv_traces *traces, const struct tv_alloc *alloc,
                            struct tv_error *err)
{
    struct tv_state *first;
    *traces = (struct tv_traces){.alloc = alloc};
    tv_state_group_init(&traces->group);
    return add(traces, &first, err);
}

void tv_traces_release(struct tv_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++)
        tv_traces_leave(traces->of[i]);
    traces->count = 0;
    tv_state_group_release(&traces->group);
}

struct tv_state *tv_traces_take(struct tv_traces *traces, uint64_t number)
{
    struct tv_state *next = number ? tv_traces_next(traces, number - 1) : NULL;
    if (!next || next->number == number)
        return next;
    tv_traces_leave(next);
    return NULL;
}

struct tv_state *tv_traces_next(struct tv_traces *traces, uint64_t number)
{
    struct tv_state *next = NULL;
    lock(traces);
    for (size_t i = 0; i < traces->count && !next; i++) {
        if (traces->of[i]->number > number)
            next = join(traces->of[i]);
    }
    unlock(traces);
    return next;
}

struct tv_state *tv_traces_find(struct tv_traces *traces, uint64_t file_id)
{
    struct tv_state *found = NULL;
    lock(traces);
    for (size_t i = 0; i < traces->count && file_id && !found; i++) {
        struct tv_state *state = traces->of[i];
        if (state->file_id == file_id && !tv_state_is_empty(state))
            found = join(state);
    }
    unlock(traces);
    return found;
}

void tv_traces_join(struct tv_state *state)
{
    pthread_mutex_lock(&state->group->lock);
    (void)join(state);
    pthread_mutex_unlock(&state->group->lock);
}

void tv_traces_leave(struct tv_state *state)
{
    if (!state)
        return;
    tv_random_sleep();
    pthread_mutex_lock(&state->group->lock);
    bool is_last = --state->user_count == 0;
    pthread_mutex_unlock(&state->group->lock);
    if (!is_last)
        return;
    const struct tv_alloc *alloc = state->alloc;
    tv_state_release(state);
    tv_alloc_release(alloc, &state, 1, sizeof(*state));
}

/* Opens a new address for the origin. In a full table an unused address gives way; without one the
 * caller is refused. */
enum tv_code tv_traces_open(struct tv_traces *traces, struct tv_origin *origin, uint64_t *number,
                            struct tv_error *err)
{
    struct tv_state *forgotten = NULL;
    struct tv_state *state;
    enum tv_code code = TV_OK;
    lock(traces);
    if (traces->count == TV_TRACES_MOST)
        forgotten = take_out_oldest(traces);
    if (traces->count == TV_TRACES_MOST)
        code = tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "this viewer has %u traces open: close the page of one of them",
                       TV_TRACES_MOST);
    else
        code = add(traces, &state, err);
    if (code == TV_OK) {
        *number = state->number;
        (void)tv_state_put_wish(state, origin); /* nothing was wanted there before */
    }
    unlock(traces);
    tv_traces_leave(forgotten);
    return code;
}

bool tv_traces_are_loading(struct tv_traces *traces)
{
    bool are_loading = false;
    lock(traces);
    for (size_t i = 0; i < traces->count; i++)
        are_loading = are_loading || tv_phase_is_loading(traces->of[i]->now.phase);
    unlock(traces);
    return are_loading;
}

void tv_traces_end(struct tv_traces *traces)
{
    lock(traces);
    traces->is_ended = true;
    for (size_t i = 0; i < traces->count; i++)
        tv_state_end(traces->of[i]);
    (void)pthread_cond_broadcast(&traces->group.changed);
    unlock(traces);
}

bool tv_traces_wait_until_idle(struct tv_traces *traces, uint64_t patience_ns)
{
    struct timespec end = tv_wait_until(patience_ns);
    int result = 0;
    lock(traces);
    while (are_busy(traces) && result == 0)
        result = pthread_cond_timedwait(&traces->group.changed, &traces->group.lock, &end);
    bool are_idle = !are_busy(traces);
    unlock(traces);
    return are_idle;
}

/* Waits for a wish, and makes the calling loader the only one at its address. NULL: the viewer
 * ends. */
struct tv_state *tv_traces_take_wanted(struct tv_traces *traces, struct tv_origin *origin)
{
    struct tv_state *state;
    lock(traces);
    traces->idle_count++;
    while (!(state = first_wanted(traces)) && !traces->is_ended)
        wait_for_wish(traces);
    traces->idle_count--;
    if (state) {
        state->has_loader = true;
        *origin = tv_state_take_wanted(join(state));
    }
    unlock(traces);
    return state;
}

void tv_traces_done(struct tv_state *state)
{
    pthread_mutex_lock(&state->group->lock);
    state->has_loader = false;
    (void)pthread_cond_broadcast(&state->group->changed); /* more may be wanted here by now */
    pthread_mutex_unlock(&state->group->lock);
    tv_traces_leave(state);
}

bool tv_traces_is_saving(struct tv_traces *traces, struct tv_state *state)
{
    lock(traces);
    bool is_saving = state->now.phase == TV_PHASE_SAVING && !is_short_of_threads(traces);
    unlock(traces);
    return is_saving;
}

void tv_traces_evict(struct tv_traces *traces)
{
    for (;;) {
        lock(traces);
        struct tv_state *state = choose_to_close(traces);
        struct tv_shown *closed = state ? tv_state_close(state) : NULL;
        unlock(traces);
        if (!closed)
            return;
        tv_state_let_go(closed);
    }
}
