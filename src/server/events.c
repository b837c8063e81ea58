/*
 * What an event stream says next; see server/events.h.
 *
 * One event at a time, the most important first: a failure before the `ready` that follows it. A
 * stream has no queue: it compares the state's counters with those that it told last, so a page
 * that was slow gets the latest state and not all that came before.
 */
#include "server/events.h"

#include <string.h>

#include "base/error.h"
#include "base/text/json.h"

enum event { EVENT_NONE, EVENT_PROGRESS, EVENT_FAILED, EVENT_READY, EVENT_RELOAD, EVENT_PING };

/* The text of an event as it grows. */
struct line {
    char *at;
    size_t len;
};

static enum tv_code append(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct line *line = ctx;
    if (len > TV_EVENTS_ROOM - line->len)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "an event is longer than its room");
    memcpy(line->at + line->len, bytes, len);
    line->len += len;
    return TV_OK;
}

/* The event that is due. A failure from before the stream began is old news, and is not told. */
static enum event choose(const struct tv_events *events, const struct tv_state_view *view,
                         uint64_t now_ns)
{
    bool is_loading = tv_phase_is_loading(view->phase);
    bool is_over = !is_loading && view->end_no != events->end_no;
    bool has_moved = view->done != events->done || view->step != events->step;
    if (events->has_begun && view->failure_no != events->failure_no)
        return EVENT_FAILED;
    if (is_over || view->shown_no != events->shown_no)
        return EVENT_READY;
    if (view->anew_no != events->anew_no)
        return EVENT_RELOAD;
    if (is_loading && has_moved)
        return EVENT_PROGRESS;
    if (!events->has_begun || now_ns - events->said_ns >= TV_EVENTS_PING_NS)
        return EVENT_PING;
    return EVENT_NONE;
}

/* The values of an event, as docs/api.md lists them. */
static void write_values(struct tv_json *json, enum event event, const struct tv_state_view *view)
{
    tv_json_open_object(json);
    if (event == EVENT_PROGRESS) {
        tv_json_key_u64(json, "done", view->done);
        tv_json_key_u64(json, "of", view->of);
        tv_json_key_text(json, "step", view->step);
    }
    if (event == EVENT_PROGRESS || event == EVENT_FAILED)
        tv_json_key_text(json, "file", view->label);
    if (event == EVENT_FAILED)
        tv_json_key_text(json, "error", view->failure.text);
    if (event == EVENT_FAILED && view->has_refused_mapping)
        tv_json_key_truth(json, "mapping", true);
    if (event == EVENT_READY)
        tv_json_key_u64(json, "trace", view->shown_no);
    tv_json_close_object(json);
}

/* Remembers what the event told, so that it is told once. */
static void note(struct tv_events *events, enum event event, const struct tv_state_view *view)
{
    bool is_loading = tv_phase_is_loading(view->phase);
    if (!events->has_begun || event == EVENT_FAILED)
        events->failure_no = view->failure_no;
    if (event == EVENT_READY) {
        if (events->shown_no != view->shown_no)
            events->anew_no = 0;
        events->shown_no = view->shown_no;
        if (!is_loading)
            events->end_no = view->end_no;
    }
    if (event == EVENT_RELOAD)
        events->anew_no = view->anew_no;
    if (event == EVENT_PROGRESS) {
        events->done = view->done;
        events->step = view->step;
    }
    if (!is_loading)
        events->step = NULL; /* the progress of the next load is news from its first step on */
    events->has_begun = true;
}

bool tv_events_is_due(const struct tv_events *events, const struct tv_state_view *view,
                      uint64_t now_ns)
{
    return choose(events, view, now_ns) != EVENT_NONE;
}

/* Writes the event that is due: "event: NAME", "data: JSON" and an empty line. Returns 0 when none
 * is due. */
size_t tv_events_next(struct tv_events *events, const struct tv_state_view *view, uint64_t now_ns,
                      char out[TV_EVENTS_ROOM])
{
    static const char *const names[] = {"", "progress", "failed", "ready", "reload", "ping"};
    enum event event = choose(events, view, now_ns);
    struct line line = {.at = out};
    struct tv_sink sink = {.write = append, .ctx = &line};
    struct tv_json json;
    if (event == EVENT_NONE)
        return 0;
    tv_json_init(&json, sink);
    bool is_whole = append(&line, "event: ", 7, NULL) == TV_OK &&
                    append(&line, names[event], strlen(names[event]), NULL) == TV_OK &&
                    append(&line, "\ndata: ", 7, NULL) == TV_OK;
    write_values(&json, event, view);
    /* The writer ends its document with one newline; the event needs two. */
    is_whole =
        tv_json_finish(&json, NULL) == TV_OK && is_whole && append(&line, "\n", 1, NULL) == TV_OK;
    note(events, event, view);
    events->said_ns = now_ns;
    return is_whole ? line.len : 0;
}
