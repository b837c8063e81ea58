/*
 * The routes about tokens of programs; see site/answer/program_tokens.h.
 *
 * Whom the proxy names makes tokens, sees their names, and revokes them; an administrator revokes
 * any whose id they know. A token is told once, in the answer to its making. Page and API take the
 * same fields: name, expires, and for each thing that the token is for a field with the value 1.
 */
#include "site/answer/program_tokens.h"

#include <string.h>

#include "api/params.h"
#include "base/compiler.h"
#include "site/document/documents.h"
#include "site/request/document_site.h"
#include "site/request/program_token.h"
#include "store/trace_id.h"

/* How long a token is good for where nothing is said. */
#define USUAL_S ((uint64_t)90 * 86400)

static const char *const scope_names[] = {"upload", "read", "delete"};

/* What was asked for. */
struct asked {
    struct tv_program_token row;
    struct tv_str action; /* of the page's forms */
    struct tv_str id;
};

/* Tokens are made by people: whom the proxy names. False: the response says so. */
static bool find_user(const struct tv_request_context *context, struct tv_http_response *response)
{
    const struct tv_site_config *config = context->site->config;
    if (config->users == TV_USERS_PROXY && context->client.user.len)
        return true;
    if (config->users == TV_USERS_PROXY)
        tv_request_context_refuse(context, 401, "tokens of programs are made by users", response);
    else
        tv_request_context_refuse(context, 404, "this site knows no users", response);
    return false;
}

static enum tv_code read_life(const struct tv_request_context *context,
                              const struct tv_params *params, struct asked *asked,
                              struct tv_error *err)
{
    const uint64_t most_s = context->site->config->token_most_s;
    uint64_t life_s = USUAL_S < most_s ? USUAL_S : most_s;
    struct tv_str text;
    if (tv_params_find(params, "expires", &text) && text.len &&
        (!tv_duration_parse(text, &life_s) || !life_s || life_s > most_s))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "expires: is a number with h, d or w, such as 30d, and %llu d at most",
                       (unsigned long long)(most_s / 86400));
    asked->row.created = context->now;
    asked->row.expires = context->now + (int64_t)life_s;
    return TV_OK;
}

static enum tv_code read_fields(struct tv_request_context *context, struct asked *asked,
                                struct tv_error *err)
{
    static const char *const known[] = {"name",   "expires", "upload", "read",
                                        "delete", "action",  "id",     NULL};
    struct tv_params params;
    *asked = (struct asked){.row = {.user = context->client.user}};
    TV_TRY(tv_params_parse(&params, &context->arena, context->request->body, known, err));
    (void)tv_params_find(&params, "name", &asked->row.name);
    (void)tv_params_find(&params, "action", &asked->action);
    (void)tv_params_find(&params, "id", &asked->id);
    for (size_t i = 0; i < TV_COUNT_OF(scope_names); i++) {
        bool is_wanted = false;
        TV_TRY(tv_params_truth(&params, scope_names[i], &is_wanted, err));
        asked->row.scopes |= is_wanted ? 1u << i : 0;
    }
    return read_life(context, &params, asked, err);
}

static enum tv_code make(struct tv_request_context *context, struct asked *asked,
                         char token[TV_PROGRAM_TOKEN_CAP], struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    if (!asked->row.name.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "name: what the token is for, to know it by");
    if (!asked->row.scopes)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a token is for something: upload=1, read=1, delete=1");
    TV_TRY(tv_program_token_make(token, &asked->row.hash, err));
    TV_TRY(tv_token_make(asked->row.id.hex, err));
    return db->add_program_token(db->ctx, &asked->row, err);
}

/* An administrator may revoke what is anybody's. */
static enum tv_code revoke(const struct tv_request_context *context, struct tv_str text,
                           struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_id id;
    if (!tv_trace_id_read(text, &id))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such token");
    return db->drop_program_token(
        db->ctx, &id, context->client.is_admin ? (struct tv_str){NULL, 0} : context->client.user,
        err);
}

static void refuse(struct tv_request_context *context, const struct tv_error *err,
                   struct tv_http_response *response)
{
    if (err->code == TV_ERR_NOT_FOUND)
        tv_request_context_refuse(context, 404, err->text, response);
    else if (err->code == TV_ERR_LIMIT)
        tv_request_context_refuse(context, 429, err->text, response);
    else
        tv_request_context_fail(context, err, response);
}

/* --- for scripts --- */

static void write_token(const struct tv_program_token *row, const char *token, int64_t now,
                        struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "id", row->id.hex);
    tv_json_key_str(json, "name", row->name);
    for (size_t i = 0; i < TV_COUNT_OF(scope_names); i++)
        tv_json_key_truth(json, scope_names[i], row->scopes & 1u << i);
    tv_json_key_i64(json, "created_s", row->created);
    tv_json_key_i64(json, "expires_s", row->expires);
    tv_json_key_truth(json, "expired", row->expires <= now);
    if (token)
        tv_json_key_text(json, "token", token);
    tv_json_close_object(json);
}

/* The tokens of the user, in the arena of the request. */
static enum tv_code find_own(struct tv_request_context *context, struct tv_program_token **tokens,
                             size_t *count, struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    TV_TRY(tv_arena_take(&context->arena, TV_STORE_PROGRAM_TOKENS_MOST * sizeof(**tokens), tokens,
                         err));
    return db->list_program_tokens(db->ctx, context->client.user, &context->arena, *tokens,
                                   TV_STORE_PROGRAM_TOKENS_MOST, count, err);
}

void tv_program_tokens_list(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_program_token *tokens;
    size_t count;
    struct tv_json json;
    if (!find_user(context, response))
        return;
    if (find_own(context, &tokens, &count, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key(&json, "tokens");
    tv_json_open_array(&json);
    for (size_t i = 0; i < count; i++)
        write_token(&tokens[i], NULL, context->now, &json);
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    tv_request_context_send_json(context, &json, 200, response);
}

void tv_program_tokens_add(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    char token[TV_PROGRAM_TOKEN_CAP];
    struct asked asked;
    struct tv_json json;
    if (!find_user(context, response))
        return;
    enum tv_code code = read_fields(context, &asked, &err);
    if (code == TV_OK)
        code = make(context, &asked, token, &err);
    if (code != TV_OK) {
        refuse(context, &err, response);
        return;
    }
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    write_token(&asked.row, token, context->now, &json);
    tv_request_context_send_json(context, &json, 201, response);
}

void tv_program_tokens_delete(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    if (!find_user(context, response))
        return;
    if (revoke(context, context->found.parts.id, &err) == TV_OK)
        tv_request_context_send_done(response);
    else
        refuse(context, &err, response);
}

/* --- the page --- */

/* `token` and `problem` may be NULL. */
static void send_page(struct tv_request_context *context, const char *token, const char *problem,
                      struct tv_http_response *response)
{
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_document_tokens tokens = {
        .most_s = context->site->config->token_most_s, .token = token, .problem = problem};
    struct tv_program_token *rows;
    struct tv_error err = {.code = TV_OK};
    if (find_own(context, &rows, &tokens.count, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    tokens.rows = rows;
    tv_document_tokens(&page, &tokens, response);
}

void tv_program_tokens_page(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    if (find_user(context, response))
        send_page(context, NULL, NULL, response);
}

void tv_program_tokens_form(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    char token[TV_PROGRAM_TOKEN_CAP] = "";
    struct asked asked;
    if (!find_user(context, response))
        return;
    enum tv_code code = read_fields(context, &asked, &err);
    bool is_revoked = code == TV_OK && tv_str_equal(asked.action, TV_STR("revoke"));
    if (code == TV_OK)
        code = is_revoked ? revoke(context, asked.id, &err) : make(context, &asked, token, &err);
    if (code == TV_OK && is_revoked)
        tv_request_context_redirect(context, 303, response, "/tokens");
    else if (code == TV_OK)
        send_page(context, token, NULL, response);
    else if (code == TV_ERR_SYSTEM || code == TV_ERR_AWAY)
        tv_request_context_fail(context, &err, response);
    else
        send_page(context, NULL, err.text, response);
}
