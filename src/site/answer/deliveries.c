/*
 * The last deliveries of the webhook; see site/answer/deliveries.h. Their bodies are not told,
 * since the page that they lead to tells more; nor is the address, which may have a secret in it.
 */
#include "site/answer/deliveries.h"

#include "site/document/documents.h"
#include "site/request/document_site.h"

#define TOLD 100u

/* False: the response says why not. */
static bool may_see(struct tv_request_context *context, struct tv_http_response *response)
{
    const struct tv_site_config *config = context->site->config;
    const bool may = config->users == TV_USERS_NONE
                         ? tv_networks_contain(&config->metrics_from, &context->client.address)
                         : context->client.is_admin;
    if (!config->webhook[0])
        tv_request_context_refuse(context, 404, "this site has no webhook", response);
    else if (!may)
        tv_request_context_refuse(context, 403,
                                  "what the webhook was told is for those who look after the site",
                                  response);
    return config->webhook[0] && may;
}

static enum tv_code find(struct tv_request_context *context, struct tv_delivery **rows,
                         size_t *count, struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    TV_TRY(tv_arena_take(&context->arena, TOLD * sizeof(**rows), rows, err));
    return db->list_deliveries(db->ctx, &context->arena, *rows, TOLD, count, err);
}

static void write_delivery(const struct tv_delivery *delivery, struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "id", delivery->id.hex);
    tv_json_key_str(json, "app", delivery->app);
    tv_json_key_str(json, "build", delivery->build);
    tv_json_key_text(json, "state", tv_delivery_words[delivery->state]);
    tv_json_key_u64(json, "tries", delivery->tries);
    tv_json_key_u64(json, "status", delivery->status);
    tv_json_key_str(json, "reason", delivery->reason);
    tv_json_key_i64(json, "created_s", delivery->created);
    if (delivery->state == TV_DELIVERY_WAITING)
        tv_json_key_i64(json, "next_s", delivery->next);
    else
        tv_json_key_i64(json, "ended_s", delivery->ended);
    tv_json_close_object(json);
}

void tv_deliveries_list(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_delivery *rows;
    struct tv_json json;
    size_t count;
    if (!may_see(context, response))
        return;
    if (find(context, &rows, &count, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key(&json, "deliveries");
    tv_json_open_array(&json);
    for (size_t i = 0; i < count; i++)
        write_delivery(&rows[i], &json);
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    tv_request_context_send_json(context, &json, 200, response);
}

void tv_deliveries_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_document_deliveries deliveries = {.rows = NULL};
    struct tv_delivery *rows;
    if (!may_see(context, response))
        return;
    if (find(context, &rows, &deliveries.count, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    const struct tv_document_site site = tv_document_site_of(context);
    deliveries.rows = rows;
    tv_document_deliveries(&site, &deliveries, response);
}
