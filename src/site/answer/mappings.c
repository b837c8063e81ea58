/*
 * The API's routes about mappings of names; see site/answer/mappings.h.
 *
 * A mapping comes as a trace does, and is for its owner alone. Which traces get their names from it
 * is decided where a trace is asked for (choose_mappings in store/store_db.h), so a new mapping
 * names the traces that are there already, too, and one that is deleted names none from then on.
 */
#include "site/answer/mappings.h"

#include "site/request/admission.h"
#include "site/request/requested_mapping.h"
#include "site/request/requested_trace.h"
#include "site/request/trace_list.h"
#include "site/upload/upload_row.h"

void tv_mappings_add(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char token[TV_TOKEN_LEN + 1];
    char path[TV_REQUEST_CONTEXT_PATH_CAP];
    struct tv_requested_trace requested;
    if (!tv_upload_row_keep(context, &requested, token, response))
        return;
    tv_requested_trace_send(context, &requested, 201, token, response);
    tv_requested_mapping_path(context, &requested.row, path);
    tv_http_add(response, "Location", path);
    tv_http_add(response, "X-Owner-Token", token);
}

static void write_found(const struct tv_request_context *context, const struct tv_found *found,
                        struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key(json, "mappings");
    tv_json_open_array(json);
    for (size_t i = 0; i < found->count; i++) {
        tv_json_open_object(json);
        tv_requested_mapping_write(context, &found->traces[i].row, json);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_key(json, "next");
    if (found->next[0])
        tv_json_text(json, found->next);
    else
        tv_json_null(json);
    tv_json_close_object(json);
}

/* Those of the tokens and the user of the request; administrators may ask for all. */
void tv_mappings_list(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_found *found;
    struct tv_json json;
    enum tv_trace_list which;
    if (!tv_admission_bearer(context->request).at && !context->client.user.len) {
        tv_request_context_refuse(context, 401,
                                  "name your owner tokens: Authorization: Bearer TOKEN", response);
        return;
    }
    enum tv_code code = tv_trace_list_choose(context, TV_LISTING_OWN, &which, &err);
    if (code == TV_OK)
        code = tv_trace_list_find(context, TV_KEPT_MAPPING, which, &found, &err);
    if (code != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    write_found(context, found, &json);
    tv_request_context_send_json(context, &json, 200, response);
}

void tv_mappings_tell(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_requested_trace requested = {.is_owned = true};
    if (tv_requested_mapping_find(context, &requested.row, response))
        tv_requested_trace_send(context, &requested, 200, NULL, response);
}

/* The bytes as they were uploaded. */
void tv_mappings_raw(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_requested_trace requested = {.is_owned = true};
    char name[TV_KNOWN_NAME];
    if (!tv_requested_mapping_find(context, &requested.row, response))
        return;
    struct tv_stored_trace stored = tv_requested_trace_stored(&requested, name);
    tv_stored_raw(context->site->stored, &stored, context->request, response);
}

void tv_mappings_delete(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_error err = {.code = TV_OK};
    struct tv_trace_row row;
    if (!tv_requested_mapping_find(context, &row, response))
        return;
    if (db->drop_trace(db->ctx, &row.id, &err) != TV_OK)
        tv_request_context_fail(context, &err, response);
    else
        tv_request_context_send_done(response);
}
