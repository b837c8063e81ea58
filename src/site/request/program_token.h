/*
 * Tokens of programs: a program that bears one asks in the name of the user who made it, for what
 * the token is for. Unlike an owner token it begins with a word of its own, so that whoever looks
 * for secrets finds it, and so that a proxy lets it pass its login.
 */
#ifndef TV_SITE_REQUEST_PROGRAM_TOKEN_H
#define TV_SITE_REQUEST_PROGRAM_TOKEN_H

#include <stdbool.h>

#include "os/token.h"
#include "site/request/request_context.h"

#define TV_PROGRAM_TOKEN_PREFIX "tvp_"
#define TV_PROGRAM_TOKEN_CAP (sizeof(TV_PROGRAM_TOKEN_PREFIX) + TV_TOKEN_LEN)

/* What a route is for: bits of TV_SCOPE_..., or that no program may ask it. */
#define TV_SCOPE_PEOPLE 8u

/* Whether the header Authorization has a token of a program. */
bool tv_program_token_is_borne(const struct tv_request_context *context);
/* Where the request bears a token, makes its user the one who asks. Asks the store. `scopes`: all
 * of these are needed; of a token that lacks one, a request that changes something is refused, and
 * any other is nobody's. False: the response says why. */
bool tv_program_token_take(struct tv_request_context *context, unsigned scopes,
                           struct tv_http_response *response) TV_MUST_CHECK;
/* A new token, and the hash that the store keeps. */
enum tv_code tv_program_token_make(char token[TV_PROGRAM_TOKEN_CAP], struct tv_hash *hash,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
