/*
 * The first answer of a page: state, settings and info in one; see server/first_answer.h.
 *
 * Three answers of other routes are written into one JSON object, so that a page needs one request
 * before its first picture. While a trace is loaded this waits for a moment, since most are there
 * soon.
 */
#include "server/first_answer.h"

#include "base/text/json.h"
#include "base/units.h"
#include "server/ask.h"
#include "server/settings.h"

/* How long the first answer waits for a trace. A saved index and most traces are there by then, and
 * the page draws once; of a longer load the page is told that it goes on. */
#define FIRST_PATIENCE_NS TV_NS_PER_S

static bool append(struct tv_buffer *body, struct tv_str text)
{
    return tv_buffer_append(body, text.at, text.len, NULL) == TV_OK;
}

/* Which mapping the names are of, and how much it was found to know. */
static void write_names(struct tv_json *json, const struct tv_origin *origin)
{
    const struct tv_names_known *names = &origin->names;
    bool is_given = origin->mapping.path[0];
    tv_json_key(json, "names");
    tv_json_open_object(json);
    tv_json_key_text(json, "mapping", names->label);
    if (is_given)
        tv_json_key_truth(json, "given", true);
    if (names->is_counted) {
        tv_json_key_truth(json, "by_id", names->has_id);
        tv_json_key_u64(json, "renamed", names->renamed);
        tv_json_key_u64(json, "asked", names->asked);
        tv_json_key_u64(json, "known", names->known);
    }
    tv_json_close_object(json);
}

/* What is known without looking into the trace. */
static bool write_state(struct tv_buffer *body, const struct tv_viewer *viewer,
                        const struct tv_state_view *view, const struct tv_origin *origin)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_u64(&json, "trace", view->shown_no);
    tv_json_key_truth(&json, "loading", tv_phase_is_loading(view->phase));
    tv_json_key_truth(&json, "landlock", atomic_load(&viewer->is_in_landlock));
    tv_json_key_truth(&json, "saves", viewer->makes_pages);
    if (view->phase == TV_PHASE_FAILED)
        tv_json_key_text(&json, "error", view->failure.text);
    if (origin && origin->names.label[0])
        write_names(&json, origin);
    tv_json_close_object(&json);
    return tv_json_finish(&json, NULL) == TV_OK;
}

/* Appends another route's answer as a member of the object. */
static bool append_answer(struct tv_buffer *body, struct tv_str key,
                          const struct tv_http_response *answer)
{
    bool is_owned = answer->kind == TV_HTTP_BODY_OWNED;
    return append(body, key) &&
           append(body, is_owned ? tv_buffer_view(&answer->owned) : answer->fixed);
}

static bool write_first(struct tv_viewer *viewer, const struct tv_state_view *view,
                        struct tv_shown *shown, struct tv_buffer *body)
{
    struct tv_http_response info;
    struct tv_http_response settings;
    tv_http_response_init(&info, viewer->alloc);
    tv_http_response_init(&settings, viewer->alloc);
    if (shown)
        tv_ask_shown(viewer, shown, TV_STR("info"), TV_STR(""), &info);
    tv_settings_send(viewer, &settings);
    bool is_written = append(body, TV_STR("{\"state\":")) &&
                      write_state(body, viewer, view, shown ? &shown->origin : NULL) &&
                      append_answer(body, TV_STR(",\"settings\":"), &settings) &&
                      (!shown || append_answer(body, TV_STR(",\"info\":"), &info)) &&
                      append(body, TV_STR("}\n"));
    bool is_answered = !shown || info.status == 200;
    tv_http_response_release(&settings);
    tv_http_response_release(&info);
    return is_written && is_answered;
}

static bool ask_first(struct tv_viewer *viewer, struct tv_state *state, struct tv_buffer *body)
{
    /* The number is looked up before the trace is held. A trace that is shown in between has a
     * higher number, which an event tells, so that the page asks again. The other way round, the
     * page would take the old trace for the new one. */
    struct tv_state_view view = tv_state_look(state);
    struct tv_shown *shown = tv_state_hold(state);
    bool is_written = write_first(viewer, &view, shown, body);
    tv_state_let_go(shown);
    return is_written;
}

void tv_first_send(struct tv_viewer *viewer, struct tv_state *state,
                   struct tv_http_response *response)
{
    tv_state_visit(state, 0);
    tv_state_wait_while_loading(state, FIRST_PATIENCE_NS);
    if (!ask_first(viewer, state, &response->owned)) {
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    tv_http_send(response, 200, "application/json", "no-store");
}
