/*
 * The documents of one trace; see site/answer/trace_documents.h.
 *
 * A trace's own address shows a document until its index is ready: that it waits, or why it failed.
 * Afterwards the same address is the viewer's page, whose first answer (api/first) has what the
 * page of the local viewer asks for in three requests, and the trace's row besides.
 */
#include "site/answer/trace_documents.h"

#include <string.h>

#include "served/page.h"
#include "site/request/document_site.h"
#include "site/request/requested_trace.h"
#include "site/request/tokens.h"
#include "site/request/trace_change.h"

/* The address of a trace is the same before and after its index is made: the document turns into
 * the viewer when it is ready. */
void tv_trace_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find(context, &requested, response))
        return;
    struct tv_document_trace trace = tv_requested_trace_page(&requested);
    switch (requested.job.state) {
    case TV_JOB_QUEUED:
    case TV_JOB_TAKEN:
        tv_document_processing(&page, &trace, response);
        return;
    case TV_JOB_BAD:
        tv_document_failed(&page, &trace, response);
        return;
    case TV_JOB_DONE:
        break;
    }
    tv_http_set(response, "Content-Security-Policy", tv_page_policy());
    if (tv_page_is_built())
        tv_page_send(context->request, response);
    else
        tv_request_context_refuse(
            context, 503,
            "this traceview was built without its page, because node was missing then; "
            "the API answers",
            response);
}

void tv_trace_owner_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find(context, &requested, response))
        return;
    struct tv_document_trace trace = tv_requested_trace_page(&requested);
    tv_document_owner(&page, &trace, NULL, response);
}

/* Does what the button of the form says. Returns NULL, or what is wrong with the form. */
static const char *apply_form(struct tv_request_context *context, const struct tv_fields *fields,
                              struct tv_requested_trace *requested, struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_prepared_change prepared;
    if (!requested->is_owned && tv_token_is_of(fields->owner_token, &requested->row.owner)) {
        requested->is_owned = true;
        context->right = TV_RIGHT_TOKEN;
    }
    if (!requested->is_owned)
        return "this is not the trace's owner token";
    if (tv_str_equal(fields->action, TV_STR("delete")))
        return db->drop_trace(db->ctx, &requested->row.id, err) == TV_OK ? NULL : err->text;
    if (!tv_str_equal(fields->action, TV_STR("save")))
        return "the form has no action that is known";
    enum tv_code code = tv_trace_change_prepare(context, fields, requested, &prepared, err);
    if (code == TV_OK)
        code = tv_trace_change_apply(context, &prepared, requested, NULL, err);
    return code == TV_OK ? NULL : err->text;
}

/* The owner token stands in the form and no browser sends it by itself. Whom the proxy knows needs
 * none: their form is told from that of another site's page by its origin (site.c). */
void tv_trace_owner_form(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_error err = {.code = TV_OK};
    struct tv_fields fields;
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find(context, &requested, response))
        return;
    tv_fields_init(&fields, &context->arena);
    if (tv_fields_take_query(&fields, context->request->body, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    const char *problem = apply_form(context, &fields, &requested, &err);
    if (problem) {
        struct tv_document_trace trace = tv_requested_trace_page(&requested);
        tv_document_owner(&page, &trace, problem, response);
        response->status = requested.is_owned ? 400 : 403;
    } else if (tv_str_equal(fields.action, TV_STR("delete"))) {
        tv_request_context_redirect(context, 303, response, "/");
    } else {
        tv_request_context_redirect(context, 303, response, "/trace/%s/", requested.row.id.hex);
    }
}

/* Pictures for those who have scripts turned off; the list of threads says which there are. */
void tv_trace_flames(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_error err = {.code = TV_OK};
    char name[TV_KNOWN_NAME];
    struct tv_stored_thread *threads;
    size_t count;
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find_ready(context, &requested, response))
        return;
    struct tv_stored_trace stored = tv_requested_trace_stored(&requested, name);
    struct tv_document_trace trace = tv_requested_trace_page(&requested);
    if (tv_stored_threads(context->site->stored, &stored, &context->arena, &threads, &count,
                          &err) == TV_OK) {
        tv_document_flames(&page, &trace, threads, count, response);
        return;
    }
    if (err.code == TV_ERR_AWAY && strcmp(err.text, TV_STORED_LOADING) == 0)
        (void)tv_fail(&err, TV_ERR_AWAY, TV_NO_OFFSET,
                      "the trace is brought from the object store: come again in a moment");
    tv_request_context_fail(context, &err, response);
}

/* A picture has a policy of its own, since it is opened by itself, too. */
void tv_trace_picture(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char name[TV_KNOWN_NAME];
    uint64_t thread;
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find_ready(context, &requested, response))
        return;
    if (!tv_str_to_u64(context->found.parts.name, 10, &thread) || thread > UINT32_MAX) {
        tv_request_context_refuse(context, 404, "no thread has this id", response);
        return;
    }
    struct tv_stored_trace stored = tv_requested_trace_stored(&requested, name);
    tv_http_set(response, "Content-Security-Policy", tv_document_picture_policy());
    tv_stored_flame(context->site->stored, &stored, context->request, (uint32_t)thread, response);
}

static void write_first(const struct tv_request_context *context,
                        const struct tv_requested_trace *requested, struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "base", context->site->config->base_path);
    tv_json_key_truth(json, "has_list", context->site->config->list);
    tv_requested_trace_write(context, requested, json);
    tv_json_close_object(json);
}

static enum tv_code append(struct tv_buffer *body, const char *text, struct tv_error *err)
{
    return tv_buffer_append(body, text, strlen(text), err);
}

/* The mapping that the names are of, in the words of server/first_answer.c. */
static enum tv_code write_names(const struct tv_requested_trace *requested, struct tv_buffer *body,
                                struct tv_error *err)
{
    struct tv_json json;
    struct tv_names_told told;
    if (!tv_requested_trace_names(requested, &told) || !told.file.hex[0])
        return TV_OK;
    TV_TRY(append(body, ",\"names\":", err));
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "mapping", "a mapping of this site");
    tv_json_key_truth(&json, "by_id", told.by == TV_CHOICE_BY_ID);
    tv_json_key_u64(&json, "renamed", told.renamed);
    tv_json_key_u64(&json, "asked", told.asked);
    tv_json_key_u64(&json, "known", told.known);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* What the viewer asks first of a local program (server/first_answer.c), in the same form, with
 * what the site says about the trace. */
static enum tv_code join_first(const struct tv_request_context *context,
                               const struct tv_requested_trace *requested, struct tv_buffer *body,
                               struct tv_error *err)
{
    struct tv_json json;
    char name[TV_KNOWN_NAME];
    struct tv_stored_trace stored = tv_requested_trace_stored(requested, name);
    TV_TRY(append(body, "{\"state\":{\"trace\":1,\"loading\":false,\"landlock\":true", err));
    TV_TRY(write_names(requested, body, err));
    TV_TRY(append(body, "},\"settings\":{},\"info\":", err));
    TV_TRY(tv_stored_info(context->site->stored, &stored, body, err));
    TV_TRY(append(body, ",\"site\":", err));
    tv_json_init(&json, tv_buffer_sink(body));
    write_first(context, requested, &json);
    TV_TRY(tv_json_finish(&json, err));
    return append(body, "}\n", err);
}

/* Asked only when the index is there, so there is nothing to wait for. */
void tv_trace_first(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find_ready(context, &requested, response))
        return;
    if (join_first(context, &requested, &response->owned, &err) == TV_OK)
        tv_http_send(response, 200, "application/json", "no-store");
    else
        tv_request_context_fail(context, &err, response);
}
