/*
 * The API's routes about traces; see site/answer/traces.h.
 *
 * Each route finds the trace that the path names, checks the right that it needs (owner, a ready
 * index, a shared file), and asks the store or the cache of indexes (site/stored). Who is allowed
 * what is decided in site/request; docs/site-api.md has the routes.
 */
#include "site/answer/traces.h"

#include <string.h>

#include "api/api.h"
#include "api/diff_query.h"
#include "api/params.h"
#include "site/request/admission.h"
#include "site/request/requested_trace.h"
#include "site/request/tokens.h"
#include "site/request/trace_change.h"
#include "site/request/trace_list.h"
#include "site/upload/upload_row.h"
#include "store/trace_id.h"

/* The body has been taken by now; the row and the answer are made here. The token is shown once and
 * never again. */
void tv_traces_add(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char token[TV_TOKEN_LEN + 1];
    char path[TV_REQUEST_CONTEXT_PATH_CAP];
    struct tv_requested_trace requested;
    if (!tv_upload_row_keep(context, &requested, token, response))
        return;
    tv_requested_trace_send(context, &requested, 201, token, response);
    tv_requested_trace_path(context, &requested.row, path);
    tv_http_add(response, "Location", path);
    tv_http_add(response, "X-Owner-Token", token);
}

void tv_traces_tell(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_requested_trace requested;
    if (tv_requested_trace_find(context, &requested, response))
        tv_requested_trace_send(context, &requested, 200, NULL, response);
}

/* Refuses fields that an upload may have but a change may not: otherwise they would be ignored
 * without a word. */
static enum tv_code check_change(const struct tv_fields *fields, struct tv_error *err)
{
    const struct {
        bool is_given;
        const char *name;
    } others[] = {
        {fields->file.at != NULL, "name"},     {fields->has_bytes, "bytes"},
        {fields->secret.at != NULL, "secret"}, {fields->owner_token.at != NULL, "owner_token"},
        {fields->action.at != NULL, "action"}, {fields->is_mapping, "kind"},
        {fields->has_for_all, "for_all"}};
    for (size_t i = 0; i < TV_COUNT_OF(others); i++) {
        if (others[i].is_given)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: cannot be changed",
                           others[i].name);
    }
    return TV_OK;
}

/* A program that may not read is not told what it may not ask for. */
static void tell_changed(const struct tv_request_context *context,
                         const struct tv_requested_trace *requested,
                         struct tv_http_response *response)
{
    if (context->client.is_program && !(context->client.scopes & TV_SCOPE_READ))
        tv_request_context_send_done(response);
    else
        tv_requested_trace_send(context, requested, 200, NULL, response);
}

/* Only what is named changes, so that two changes of different fields do not undo each other. Of a
 * trace that has expired, and is still kept, the time may be changed, and then what else is named.
 */
void tv_traces_change(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fields fields;
    struct tv_requested_trace requested;
    struct tv_prepared_change prepared;
    enum tv_quota_of over = TV_QUOTA_STORE;
    if (!tv_requested_trace_find_kept(context, &requested, response))
        return;
    tv_fields_init(&fields, &context->arena);
    enum tv_code code = tv_fields_take_query(&fields, context->request->body, &err);
    if (code == TV_OK)
        code = check_change(&fields, &err);
    if (code == TV_OK && tv_requested_trace_is_over(context, &requested) && !fields.has_expires)
        code = tv_fail(&err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "the trace has expired: expires=30d, or another time, brings it back");
    if (code == TV_OK)
        code = tv_trace_change_prepare(context, &fields, &requested, &prepared, &err);
    if (code == TV_OK && !tv_trace_change_admit(context, &requested, &prepared, response))
        return;
    if (code == TV_OK)
        code = tv_trace_change_apply(context, &prepared, &requested, &over, &err);
    if (code == TV_OK)
        tell_changed(context, &requested, response);
    else
        tv_upload_row_refuse(context, over, &err, response);
}

/* The row goes at once and the file after the grace period, so whoever is just reading it goes on.
 */
void tv_traces_delete(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_error err = {.code = TV_OK};
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find_owned(context, &requested, response))
        return;
    if (db->drop_trace(db->ctx, &requested.row.id, &err) != TV_OK)
        tv_request_context_fail(context, &err, response);
    else
        tv_request_context_send_done(response);
}

/* Whether the file itself is shared is the owner's choice, and not that of whoever has the link. */
void tv_traces_raw(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char name[TV_KNOWN_NAME];
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find(context, &requested, response))
        return;
    if (!requested.is_owned && !requested.row.is_raw_shared) {
        tv_request_context_refuse(context, 403, "the owner does not share the file itself",
                                  response);
        return;
    }
    struct tv_stored_trace stored = tv_requested_trace_stored(&requested, name);
    tv_stored_raw(context->site->stored, &stored, context->request, response);
}

/* The traces that a comparison names, as the store knows them; the one of the path stands first. */
struct compared_traces {
    struct tv_requested_trace requested[TV_DIFF_TRACES_MOST + 1];
    struct tv_stored_trace stored[TV_DIFF_TRACES_MOST + 1];
    struct tv_str names[TV_DIFF_TRACES_MOST + 1];
    size_t count;
};

/* Adds a trace that the query names; false: the response says why there is none. What is no id gets
 * the answer of an id that does not exist. */
static bool add_compared(struct tv_request_context *context, struct compared_traces *traces,
                         struct tv_str name, struct tv_http_response *response)
{
    struct tv_id id;
    struct tv_error err = {.code = TV_OK};
    struct tv_requested_trace *requested = &traces->requested[traces->count];
    enum tv_code code = tv_trace_id_read(name, &id)
                            ? tv_requested_trace_get(context, &id, requested, &err)
                            : tv_requested_trace_none(&err);
    if (code != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return false;
    }
    if (!tv_requested_trace_is_ready(context, requested, response))
        return false;
    traces->names[traces->count++] = name;
    return true;
}

/* Finds all traces that are compared, each by the right that its own page asks for. */
static bool find_compared(struct tv_request_context *context, struct compared_traces *traces,
                          struct tv_http_response *response)
{
    struct tv_diff_traces named;
    struct tv_error err = {.code = TV_OK};
    if (!tv_requested_trace_find_ready(context, &traces->requested[0], response))
        return false;
    traces->names[0] = tv_str_from(traces->requested[0].row.id.hex);
    traces->count = 1;
    if (tv_diff_traces_read(context->query, &context->arena, &named, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return false;
    }
    const size_t count = named.counts[TV_SIDE_OLD] + named.counts[TV_SIDE_NEW];
    for (size_t i = 0; i < count; i++) {
        if (!tv_str_equal(named.names[i], traces->names[0]) &&
            !add_compared(context, traces, named.names[i], response))
            return false;
    }
    return true;
}

static void compare(struct tv_request_context *context, struct tv_str route,
                    struct tv_http_response *response)
{
    struct compared_traces *traces;
    char(*files)[TV_KNOWN_NAME];
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_arena_take(&context->arena, sizeof(*traces), &traces, &err);
    if (code == TV_OK)
        code = tv_arena_take(&context->arena, (TV_DIFF_TRACES_MOST + 1) * sizeof(*files), &files,
                             &err);
    if (code != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    if (!find_compared(context, traces, response))
        return;
    for (size_t i = 0; i < traces->count; i++)
        traces->stored[i] = tv_requested_trace_stored(&traces->requested[i], files[i]);
    tv_stored_diff(context->site->stored, traces->stored, traces->names, traces->count,
                   context->request, route, context->query, response);
}

void tv_traces_view(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char name[TV_KNOWN_NAME];
    struct tv_requested_trace requested;
    if (tv_api_names_others(context->found.parts.name)) {
        compare(context, context->found.parts.name, response);
        return;
    }
    if (!tv_requested_trace_find_ready(context, &requested, response))
        return;
    struct tv_stored_trace stored = tv_requested_trace_stored(&requested, name);
    tv_stored_view(context->site->stored, &stored, context->request, context->found.parts.name,
                   context->query, response);
}

void tv_traces_export(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char name[TV_KNOWN_NAME];
    struct tv_requested_trace requested;
    if (!tv_requested_trace_find_ready(context, &requested, response))
        return;
    struct tv_stored_trace stored = tv_requested_trace_stored(&requested, name);
    tv_stored_export(context->site->stored, &stored, context->request, context->found.parts.name,
                     context->query, response);
}

void tv_traces_exporting(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_requested_trace requested;
    if (tv_requested_trace_find_ready(context, &requested, response))
        tv_stored_exporting(context->site->stored, context->request, context->query, response);
}

/* Without a token or a user, this is the public list, if the site has one. */
void tv_traces_list(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    /* The header Authorization alone does not mean an owner token: it may be a password that a
     * proxy asked for. */
    bool is_own = tv_admission_bearer(context->request).at || context->client.user.len;
    if (!is_own && !context->site->config->list) {
        tv_request_context_refuse(
            context, 401, "this site has no list: name your owner tokens, Authorization: Bearer T",
            response);
        return;
    }
    tv_trace_list_send(context, TV_KEPT_TRACE, is_own ? TV_LISTING_OWN : TV_LISTING_LISTED,
                       response);
}
