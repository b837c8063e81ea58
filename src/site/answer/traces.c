/* The API's routes about traces; see site/answer/traces.h. */
#include "site/answer/traces.h"

#include <stdio.h>
#include <string.h>

#include "api/params.h"
#include "site/request/admission.h"
#include "site/request/changing.h"
#include "site/request/known.h"
#include "site/request/listing.h"
#include "site/request/tokens.h"
#include "site/upload/adding.h"

void tv_traces_add(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    char token[TV_TOKEN_LEN + 1];
    char path[TV_ASKED_PATH_CAP];
    struct tv_known known;
    if (!tv_adding_keep(asked, &known, token, response))
        return;
    tv_known_send(asked, &known, 201, token, response);
    (void)snprintf(path, sizeof(path), "%s/trace/%s/", asked->site->config->base_path,
                   known.row.id.hex);
    tv_http_add(response, "Location", path);
    tv_http_add(response, "X-Owner-Token", token);
}

void tv_traces_tell(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_known known;
    if (tv_known_find(asked, &known, response))
        tv_known_send(asked, &known, 200, NULL, response);
}

/* What an upload may say, and no change: it would be left out in silence. */
static enum tv_code check_change(const struct tv_fields *fields, struct tv_error *err)
{
    const struct {
        bool is_given;
        const char *name;
    } others[] = {{fields->file.at != NULL, "name"},
                  {fields->has_bytes, "bytes"},
                  {fields->secret.at != NULL, "secret"},
                  {fields->owner_token.at != NULL, "owner_token"},
                  {fields->action.at != NULL, "action"}};
    for (size_t i = 0; i < TV_COUNT_OF(others); i++) {
        if (others[i].is_given)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: cannot be changed",
                           others[i].name);
    }
    return TV_OK;
}

void tv_traces_change(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_fields fields;
    struct tv_known known;
    if (!tv_known_find_owned(asked, &known, response))
        return;
    tv_fields_init(&fields, &asked->arena);
    enum tv_code code = tv_fields_take_query(&fields, asked->request->body, &err);
    if (code == TV_OK)
        code = check_change(&fields, &err);
    if (code == TV_OK)
        code = tv_changing_apply(asked, &fields, &known, &err);
    if (code == TV_OK)
        tv_known_send(asked, &known, 200, NULL, response);
    else
        tv_asked_fail(asked, &err, response);
}

void tv_traces_delete(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    const struct tv_store_db *db = &asked->site->store->db;
    struct tv_error err = {.code = TV_OK};
    struct tv_known known;
    if (!tv_known_find_owned(asked, &known, response))
        return;
    if (db->drop_trace(db->ctx, &known.row.id, &err) != TV_OK)
        tv_asked_fail(asked, &err, response);
    else
        tv_asked_send_done(response);
}

void tv_traces_raw(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    char name[TV_KNOWN_NAME];
    struct tv_known known;
    if (!tv_known_find(asked, &known, response))
        return;
    if (!known.is_owned && !known.row.is_raw_shared) {
        tv_asked_refuse(asked, 403, "the owner does not share the file itself", response);
        return;
    }
    struct tv_stored_trace stored = tv_known_stored(&known, name);
    tv_stored_raw(asked->site->stored, &stored, asked->request, response);
}

void tv_traces_view(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    char name[TV_KNOWN_NAME];
    struct tv_known known;
    if (!tv_known_find_ready(asked, &known, response))
        return;
    struct tv_stored_trace stored = tv_known_stored(&known, name);
    tv_stored_view(asked->site->stored, &stored, asked->request, asked->found.parts.name,
                   asked->query, response);
}

void tv_traces_export(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    char name[TV_KNOWN_NAME];
    struct tv_known known;
    if (!tv_known_find_ready(asked, &known, response))
        return;
    struct tv_stored_trace stored = tv_known_stored(&known, name);
    tv_stored_export(asked->site->stored, &stored, asked->request, asked->found.parts.name,
                     asked->query, response);
}

void tv_traces_exporting(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_known known;
    if (tv_known_find_ready(asked, &known, response))
        tv_stored_exporting(asked->site->stored, asked->request, asked->query, response);
}

static void write_found(const struct tv_asked *asked, const struct tv_found *found,
                        struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key(json, "traces");
    tv_json_open_array(json);
    for (size_t i = 0; i < found->count; i++) {
        tv_json_open_object(json);
        tv_known_write(asked, &found->traces[i], json);
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

void tv_traces_list(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_found *found;
    struct tv_json json;
    /* Authorization alone is no token: it may be a password that a proxy asked for. */
    bool is_own = tv_admission_bearer(asked->request).at || asked->client.user.len;
    if (!is_own && !asked->site->config->list) {
        tv_asked_refuse(asked, 401,
                        "this site has no list: name your owner tokens, Authorization: Bearer T",
                        response);
        return;
    }
    if (tv_listing_find(asked, is_own ? TV_LISTING_OWN : TV_LISTING_LISTED, &found, &err) !=
        TV_OK) {
        tv_asked_fail(asked, &err, response);
        return;
    }
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    write_found(asked, found, &json);
    tv_asked_send_json(asked, &json, 200, response);
}
