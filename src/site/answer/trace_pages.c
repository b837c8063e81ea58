/* The pages of one trace; see site/answer/trace_pages.h. */
#include "site/answer/trace_pages.h"

#include <string.h>

#include "served/page.h"
#include "site/request/changing.h"
#include "site/request/known.h"
#include "site/request/page_site.h"
#include "site/request/tokens.h"

void tv_trace_page(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    struct tv_known known;
    if (!tv_known_find(asked, &known, response))
        return;
    struct tv_page_trace trace = tv_known_page(&known);
    switch (known.job.state) {
    case TV_JOB_QUEUED:
    case TV_JOB_TAKEN:
        tv_pages_processing(&page, &trace, response);
        return;
    case TV_JOB_BAD:
        tv_pages_failed(&page, &trace, response);
        return;
    case TV_JOB_DONE:
        break;
    }
    tv_http_set(response, "Content-Security-Policy", tv_page_policy());
    if (tv_page_is_built())
        tv_page_send(asked->request, response);
    else
        tv_asked_refuse(asked, 503,
                        "this traceview was built without its page, because node was missing then; "
                        "the API answers",
                        response);
}

void tv_trace_owner_page(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    struct tv_known known;
    if (!tv_known_find(asked, &known, response))
        return;
    struct tv_page_trace trace = tv_known_page(&known);
    tv_pages_owner(&page, &trace, NULL, response);
}

/* Does what the button of the form says; NULL, or what is wrong with it. */
static const char *apply_form(struct tv_asked *asked, const struct tv_fields *fields,
                              struct tv_known *known, struct tv_error *err)
{
    const struct tv_store_db *db = &asked->site->store->db;
    known->is_owned = tv_token_is_of(fields->owner_token, &known->row.owner);
    if (!known->is_owned)
        return "this is not the trace's owner token";
    if (tv_str_equal(fields->action, TV_STR("delete")))
        return db->drop_trace(db->ctx, &known->row.id, err) == TV_OK ? NULL : err->text;
    if (!tv_str_equal(fields->action, TV_STR("save")))
        return "the form has no action that is known";
    return tv_changing_apply(asked, fields, known, err) == TV_OK ? NULL : err->text;
}

/* The token stands in the form, and no browser sends it by itself: another site's page cannot send
 * the form. */
void tv_trace_owner_form(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    struct tv_error err = {.code = TV_OK};
    struct tv_fields fields;
    struct tv_known known;
    if (!tv_known_find(asked, &known, response))
        return;
    tv_fields_init(&fields, &asked->arena);
    if (tv_fields_take_query(&fields, asked->request->body, &err) != TV_OK) {
        tv_asked_fail(asked, &err, response);
        return;
    }
    const char *problem = apply_form(asked, &fields, &known, &err);
    if (problem) {
        struct tv_page_trace trace = tv_known_page(&known);
        tv_pages_owner(&page, &trace, problem, response);
        response->status = known.is_owned ? 400 : 403;
    } else if (tv_str_equal(fields.action, TV_STR("delete"))) {
        tv_asked_redirect(asked, 303, response, "/");
    } else {
        tv_asked_redirect(asked, 303, response, "/trace/%s/", known.row.id.hex);
    }
}

void tv_trace_flames(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    struct tv_error err = {.code = TV_OK};
    char name[TV_KNOWN_NAME];
    struct tv_stored_thread *threads;
    size_t count;
    struct tv_known known;
    if (!tv_known_find_ready(asked, &known, response))
        return;
    struct tv_stored_trace stored = tv_known_stored(&known, name);
    struct tv_page_trace trace = tv_known_page(&known);
    if (tv_stored_threads(asked->site->stored, &stored, &asked->arena, &threads, &count, &err) ==
        TV_OK)
        tv_pages_flames(&page, &trace, threads, count, response);
    else
        tv_asked_fail(asked, &err, response);
}

void tv_trace_picture(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    char name[TV_KNOWN_NAME];
    uint64_t thread;
    struct tv_known known;
    if (!tv_known_find_ready(asked, &known, response))
        return;
    if (!tv_str_to_u64(asked->found.parts.name, 10, &thread) || thread > UINT32_MAX) {
        tv_asked_refuse(asked, 404, "no thread has this id", response);
        return;
    }
    struct tv_stored_trace stored = tv_known_stored(&known, name);
    tv_http_set(response, "Content-Security-Policy", tv_pages_picture_policy());
    tv_stored_flame(asked->site->stored, &stored, asked->request, (uint32_t)thread, response);
}

static void write_first(const struct tv_asked *asked, const struct tv_known *known,
                        struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "base", asked->site->config->base_path);
    tv_json_key_truth(json, "has_list", asked->site->config->list);
    tv_known_write(asked, known, json);
    tv_json_close_object(json);
}

static enum tv_code append(struct tv_buffer *body, const char *text, struct tv_error *err)
{
    return tv_buffer_append(body, text, strlen(text), err);
}

static enum tv_code join_first(const struct tv_asked *asked, const struct tv_known *known,
                               struct tv_buffer *body, struct tv_error *err)
{
    struct tv_json json;
    char name[TV_KNOWN_NAME];
    struct tv_stored_trace stored = tv_known_stored(known, name);
    TV_TRY(append(body,
                  "{\"state\":{\"trace\":1,\"loading\":false,\"walled\":true},\"settings\":{},"
                  "\"info\":",
                  err));
    TV_TRY(tv_stored_info(asked->site->stored, &stored, body, err));
    TV_TRY(append(body, ",\"site\":", err));
    tv_json_init(&json, tv_buffer_sink(body));
    write_first(asked, known, &json);
    TV_TRY(tv_json_finish(&json, err));
    return append(body, "}\n", err);
}

void tv_trace_first(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_known known;
    if (!tv_known_find_ready(asked, &known, response))
        return;
    if (join_first(asked, &known, &response->owned, &err) == TV_OK)
        tv_http_send(response, 200, "application/json", "no-store");
    else
        tv_asked_fail(asked, &err, response);
}
