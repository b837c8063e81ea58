/*
 * Who a program asks for; see site/request/program_token.h.
 *
 * The token is looked up by its hash. A token that is unknown, was revoked or has expired refuses
 * the request whatever it is: a proxy may have let it pass its login for the sake of the token.
 */
#include "site/request/program_token.h"

#include <stdio.h>
#include <string.h>

#include "site/request/admission.h"
#include "site/request/tokens.h"

bool tv_program_token_is_borne(const struct tv_request_context *context)
{
    return tv_str_starts_with(tv_admission_bearer(context->request),
                              TV_STR(TV_PROGRAM_TOKEN_PREFIX));
}

static bool refuse_unknown(const struct tv_request_context *context,
                           struct tv_http_response *response)
{
    tv_request_context_refuse(
        context, 401, "this token of a program is unknown here, was revoked, or has expired",
        response);
    return false;
}

/* Whether the token is for all that the route needs; a request that changes nothing goes on without
 * its user. */
static bool hold_scopes(struct tv_request_context *context, const struct tv_program_token *token,
                        unsigned scopes, struct tv_http_response *response)
{
    struct tv_client *client = &context->client;
    client->is_program = true;
    client->scopes = token->scopes;
    client->is_admin = false;
    client->user = token->user;
    client->groups = (struct tv_str){NULL, 0}; /* those of whom the proxy let in, if of anybody */
    if ((token->scopes & scopes) == scopes)
        return true;
    if (!(scopes & TV_SCOPE_PEOPLE) && tv_http_is_get(context->request)) {
        client->user = (struct tv_str){NULL, 0};
        return true;
    }
    tv_request_context_refuse(context, 403, "this token of a program is not for that", response);
    return false;
}

bool tv_program_token_take(struct tv_request_context *context, unsigned scopes,
                           struct tv_http_response *response)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_program_token token;
    struct tv_hash hash;
    struct tv_error err = {.code = TV_OK};
    if (context->client.is_program || !tv_program_token_is_borne(context))
        return true;
    if (context->site->config->users != TV_USERS_PROXY)
        return refuse_unknown(context, response);
    tv_token_hash(tv_admission_bearer(context->request), &hash);
    enum tv_code code =
        db->find_program_token(db->ctx, &hash, context->now, &context->arena, &token, &err);
    if (code == TV_ERR_NOT_FOUND)
        return refuse_unknown(context, response);
    if (code == TV_OK)
        return hold_scopes(context, &token, scopes, response);
    tv_request_context_fail(context, &err, response);
    return false;
}

enum tv_code tv_program_token_make(char token[TV_PROGRAM_TOKEN_CAP], struct tv_hash *hash,
                                   struct tv_error *err)
{
    char digits[TV_TOKEN_LEN + 1];
    TV_TRY(tv_token_make(digits, err));
    (void)snprintf(token, TV_PROGRAM_TOKEN_CAP, "%s%s", TV_PROGRAM_TOKEN_PREFIX, digits);
    tv_token_hash(tv_str_from(token), hash);
    return TV_OK;
}
