/* See server/first.h. */
#include "server/first.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "server/ask.h"
#include "server/page.h"
#include "server/settings.h"

/* How long the page waits for its first trace before it is told that it loads: what was read before
 * is there by then. */
#define FIRST_PATIENCE_NS 1000000000u
/* Whether answers were kept is known in a few milliseconds. */
#define LOOK_PATIENCE_NS 50000000u

static bool append(struct tv_buffer *body, struct tv_str text)
{
    return tv_buffer_append(body, text.at, text.len, NULL) == TV_OK;
}

/* What there is to know of the trace but itself. */
static bool write_state(struct tv_buffer *body, const struct tv_state_view *view)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_u64(&json, "trace", view->shown_no);
    tv_json_key_truth(&json, "loading", view->is_loading);
    if (view->has_failed)
        tv_json_key_text(&json, "error", view->failure.text);
    tv_json_close_object(&json);
    return tv_json_finish(&json, NULL) == TV_OK;
}

/* Another route's answer as a member of this one. */
static bool append_answer(struct tv_buffer *body, struct tv_str key,
                          const struct tv_http_response *answer)
{
    bool is_owned = answer->kind == TV_HTTP_BODY_OWNED;
    return append(body, key) &&
           append(body, is_owned ? tv_buffer_view(&answer->owned) : answer->fixed);
}

/* Of what is shown, or was promised. */
static bool find_info(struct tv_viewer *viewer, const struct tv_shown *shown,
                      struct tv_state_view *view, struct tv_http_response *info)
{
    if (shown) {
        tv_ask_shown(viewer, shown, TV_STR("info"), TV_STR(""), info);
        tv_state_note_info(&viewer->state, shown, tv_buffer_view(&info->owned));
        return info->status == 200;
    }
    info->kind = TV_HTTP_BODY_OWNED;
    if (!tv_state_copy_promised(&viewer->state, &info->owned, NULL, NULL) || !info->owned.len)
        return false;
    view->shown_no++; /* that will be its number */
    return true;
}

/* The window that was asked first when the trace was open last; none is fine. */
static bool append_window(struct tv_viewer *viewer, struct tv_buffer *body)
{
    struct tv_kept kept;
    struct tv_json query;
    tv_kept_init(&kept, viewer->alloc);
    bool is_written = true;
    if (tv_state_copy_promised(&viewer->state, NULL, &kept.query, &kept.window) && kept.query.len &&
        kept.window.len) {
        is_written = append(body, TV_STR(",\"window\":{\"query\":"));
        tv_json_init(&query, tv_buffer_sink(body));
        tv_json_str(&query, tv_buffer_view(&kept.query));
        is_written = is_written && tv_json_finish(&query, NULL) == TV_OK &&
                     append(body, TV_STR(",\"answer\":\"")) &&
                     tv_base64_append(body, tv_buffer_view(&kept.window), NULL) == TV_OK &&
                     append(body, TV_STR("\"}"));
    }
    tv_kept_release(&kept);
    return is_written;
}

enum form { FORM_ANSWER, FORM_PAGE };

static bool write_first(struct tv_viewer *viewer, const struct tv_shown *shown, enum form form,
                        struct tv_buffer *body)
{
    struct tv_http_response info;
    struct tv_http_response settings;
    struct tv_state_view view = tv_state_look(&viewer->state);
    tv_http_response_init(&info, viewer->alloc);
    tv_http_response_init(&settings, viewer->alloc);
    bool has_info = find_info(viewer, shown, &view, &info);
    tv_settings_send(viewer, &settings);
    bool is_written = append(body, TV_STR("{\"state\":")) && write_state(body, &view) &&
                      append_answer(body, TV_STR(",\"settings\":"), &settings) &&
                      (!has_info || append_answer(body, TV_STR(",\"info\":"), &info)) &&
                      (shown || form == FORM_ANSWER || append_window(viewer, body)) &&
                      append(body, TV_STR("}\n"));
    tv_http_response_release(&settings);
    tv_http_response_release(&info);
    return is_written && (has_info || !shown);
}

static bool ask_first(struct tv_viewer *viewer, enum form form, struct tv_buffer *body)
{
    /* Of a trace that comes behind it an event tells, with its number. */
    struct tv_shown *shown = tv_state_hold(&viewer->state);
    bool is_written = write_first(viewer, shown, form, body);
    tv_state_let_go(&viewer->state, shown);
    return is_written;
}

static void send_owned(struct tv_http_response *response, bool is_written, const char *content_type)
{
    if (!is_written) {
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    response->status = 200;
    response->kind = TV_HTTP_BODY_OWNED;
    tv_http_add(response, "Content-Type", content_type);
    tv_http_add(response, "Cache-Control", "no-store");
}

void tv_first_send(struct tv_viewer *viewer, struct tv_http_response *response)
{
    tv_state_wait_while_loading(&viewer->state, FIRST_PATIENCE_NS);
    send_owned(response, ask_first(viewer, FORM_ANSWER, &response->owned), "application/json");
}

/* JSON in an element of its own: `<` stands in texts alone, and nothing else can end the element.
 */
static bool append_data(struct tv_buffer *body, struct tv_str json)
{
    const struct tv_str open = TV_STR("<script type=\"application/json\" id=\"first\">");
    bool is_written = append(body, open);
    const char *mark;
    while (is_written && (mark = memchr(json.at, '<', json.len)) != NULL) {
        size_t before = (size_t)(mark - json.at);
        is_written =
            append(body, (struct tv_str){json.at, before}) && append(body, TV_STR("\\u003c"));
        json = (struct tv_str){mark + 1, json.len - before - 1};
    }
    return is_written && append(body, json) && append(body, TV_STR("</script>"));
}

void tv_first_send_page(struct tv_viewer *viewer, struct tv_http_response *response)
{
    const struct tv_page_frame frame = tv_page_frame();
    struct tv_buffer first;
    tv_buffer_init(&first, viewer->alloc);
    tv_state_wait_while_looking(&viewer->state, LOOK_PATIENCE_NS);
    bool is_written = ask_first(viewer, FORM_PAGE, &first) &&
                      append(&response->owned, frame.before) &&
                      append_data(&response->owned, tv_buffer_view(&first)) &&
                      append(&response->owned, frame.behind);
    tv_buffer_release(&first);
    send_owned(response, is_written, "text/html; charset=utf-8");
}
