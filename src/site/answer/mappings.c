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

/* Those of the tokens and the user of the request; administrators may ask for all. */
void tv_mappings_list(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    if (tv_admission_bearer(context->request).at || context->client.user.len)
        tv_trace_list_send(context, TV_KEPT_MAPPING, TV_LISTING_OWN, response);
    else
        tv_request_context_refuse(context, 401,
                                  "name your owner tokens: Authorization: Bearer TOKEN", response);
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
