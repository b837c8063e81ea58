/*
 * From what is shown, or not shown yet, to an answer; see server/ask.h.
 *
 * The caller holds the shown trace, so it stays while the answer is made, whatever is opened
 * meanwhile. Without a shown trace the answer says why: it is being loaded, it could not be read,
 * or none was opened.
 */
#include "server/ask.h"

#include <stdio.h>

#include "api/diff_query.h"
#include "base/memory/arena.h"
#include "base/units.h"
#include "served/ask.h"
#include "server/eviction.h"
#include "server/traces.h"

/* A trace as the api is given it. Answers say that they are not complete while only a beginning of
 * the trace is shown; `part` tells of that, and is the caller's. */
static struct tv_api_trace trace_of(struct tv_shown *shown, struct tv_api_part *part)
{
    *part = (struct tv_api_part){.read_len = shown->read_len, .len = shown->len};
    return (struct tv_api_trace){.index = &shown->index,
                                 .file = tv_str_from(shown->origin.label),
                                 .part = part->read_len < part->len ? part : NULL,
                                 .leans = &shown->leans};
}

void tv_ask_shown(const struct tv_viewer *viewer, struct tv_shown *shown, struct tv_str route,
                  struct tv_str query, struct tv_http_response *response)
{
    struct tv_api_part part;
    const struct tv_api_trace trace = trace_of(shown, &part);
    const struct tv_api api = {
        .alloc = viewer->alloc, .pool = viewer->pool, .traces = &trace, .trace_count = 1};
    tv_ask_index(&api, route, query, response);
}

void tv_ask_nothing(struct tv_state *state, struct tv_http_response *response)
{
    struct tv_state_view view = tv_state_look(state);
    if (tv_phase_is_loading(view.phase)) {
        tv_http_refuse_for_now(response, "loading");
    } else if (view.phase == TV_PHASE_FAILED) {
        tv_http_refuse(response, 500, view.failure.text);
    } else {
        tv_http_refuse(response, 404, "no trace");
    }
}

/* The traces that a comparison names, and those of them that are held for it. The one that is meant
 * stands first, and is held by whoever asks. */
struct held_traces {
    struct tv_shown *of[TV_DIFF_TRACES_MOST + 1];
    struct tv_api_trace traces[TV_DIFF_TRACES_MOST + 1];
    struct tv_api_part parts[TV_DIFF_TRACES_MOST + 1];
    size_t count;
};

/* Why a trace that a comparison names gives no answer: with its file, since the page shows another
 * one. */
static void tell_named(struct tv_state *state, struct tv_http_response *response)
{
    const struct tv_state_view view = tv_state_look(state);
    struct tv_error err = {.code = TV_OK};
    if (view.phase != TV_PHASE_FAILED) {
        tv_ask_nothing(state, response);
        return;
    }
    (void)tv_fail(&err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: %s", view.label, view.failure.text);
    tv_http_refuse(response, 500, err.text);
}

/* Holds the trace of an address. One that is not there is left out, and the api says that the name
 * means nothing. False: it is on its way, or could not be read, and the response says so. */
static bool hold_trace(struct tv_viewer *viewer, struct held_traces *held, struct tv_str name,
                       struct tv_http_response *response)
{
    uint64_t number;
    struct tv_state *state =
        tv_str_to_u64(name, 10, &number) ? tv_traces_take(&viewer->traces, number) : NULL;
    if (!state)
        return true;
    tv_state_visit(state, TV_STATE_PATIENCE_NS);
    struct tv_shown *shown = tv_state_hold(state);
    if (shown) {
        const size_t place = held->count++;
        held->of[place] = shown;
        held->traces[place] = trace_of(shown, &held->parts[place]);
        held->traces[place].name = name;
    } else {
        tell_named(state, response);
    }
    tv_traces_leave(state);
    return shown != NULL;
}

/* Holds what is named. False: the response is made. */
static bool hold_named(struct tv_viewer *viewer, const struct tv_diff_traces *named,
                       struct held_traces *held, struct tv_http_response *response)
{
    const size_t count = named->counts[TV_SIDE_OLD] + named->counts[TV_SIDE_NEW];
    for (size_t i = 0; i < count; i++) {
        if (!tv_str_equal(named->names[i], held->traces[0].name) &&
            !hold_trace(viewer, held, named->names[i], response))
            return false;
    }
    return true;
}

/* An answer about more traces than can be open at once opens them one after the other, and waits
 * for each up to this long. */
#define OPENED_PATIENCE_NS (60 * TV_NS_PER_S)

struct opening {
    struct tv_viewer *viewer;
    struct tv_shown *shown; /* the one that is open */
    struct tv_api_part part;
};

static enum tv_code open_named(void *ctx, struct tv_str name, struct tv_api_trace *trace,
                               struct tv_error *err)
{
    struct opening *opening = ctx;
    uint64_t number;
    struct tv_state *state =
        tv_str_to_u64(name, 10, &number) ? tv_traces_take(&opening->viewer->traces, number) : NULL;
    if (!state)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no trace \"%.*s\" is open here",
                       tv_str_shown_len(name), name.at);
    opening->shown = tv_state_hold_whole(state, OPENED_PATIENCE_NS);
    const struct tv_state_view view = tv_state_look(state);
    tv_traces_leave(state);
    if (!opening->shown && tv_phase_is_loading(view.phase))
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "%s: is not read yet", view.label);
    if (!opening->shown)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "%s: %s", view.label,
                       view.failure.text);
    *trace = trace_of(opening->shown, &opening->part);
    trace->name = name;
    return TV_OK;
}

static void close_named(void *ctx, struct tv_api_trace *trace)
{
    struct opening *opening = ctx;
    trace->index = NULL;
    tv_state_let_go(opening->shown);
    opening->shown = NULL;
}

static void ask_opening(struct tv_viewer *viewer, const struct held_traces *held,
                        struct tv_str route, struct tv_str query, struct tv_http_response *response)
{
    struct opening opening = {.viewer = viewer};
    const struct tv_api_opener opener = {open_named, close_named, &opening};
    const struct tv_api api = {.alloc = viewer->alloc,
                               .pool = viewer->pool,
                               .traces = held->traces,
                               .trace_count = held->count,
                               .opener = &opener};
    tv_ask_index(&api, route, query, response);
}

static void ask_held(struct tv_viewer *viewer, const struct tv_diff_traces *named,
                     struct held_traces *held, struct tv_str route, struct tv_str query,
                     struct tv_http_response *response)
{
    if (hold_named(viewer, named, held, response)) {
        const struct tv_api api = {.alloc = viewer->alloc,
                                   .pool = viewer->pool,
                                   .traces = held->traces,
                                   .trace_count = held->count};
        tv_ask_index(&api, route, query, response);
    }
    for (size_t i = 1; i < held->count; i++)
        tv_state_let_go(held->of[i]);
}

void tv_ask_diff(struct tv_viewer *viewer, const struct tv_state *state, struct tv_shown *shown,
                 struct tv_str route, struct tv_str query, struct tv_http_response *response)
{
    struct held_traces held = {.count = 1};
    struct tv_diff_traces named;
    struct tv_arena arena;
    struct tv_error err = {.code = TV_OK};
    char number[24];
    tv_arena_init(&arena, viewer->alloc);
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)state->number);
    held.traces[0] = trace_of(shown, &held.parts[0]);
    held.traces[0].name = tv_str_from(number);
    if (tv_diff_traces_read(query, &arena, &named, &err) == TV_OK) {
        const size_t count = named.counts[TV_SIDE_OLD] + named.counts[TV_SIDE_NEW];
        if (count > TV_EVICTION_TRACES && tv_str_equal(route, TV_STR("diff")))
            ask_opening(viewer, &held, route, query, response);
        else
            ask_held(viewer, &named, &held, route, query, response);
    } else
        tv_http_refuse(response, tv_api_status(err.code), err.text);
    tv_arena_release(&arena);
}
