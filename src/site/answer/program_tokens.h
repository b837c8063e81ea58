/* The routes about tokens of programs, which their users make and revoke: as a page with forms, and
 * for scripts. docs/site-api.md has them. */
#ifndef TV_SITE_ANSWER_PROGRAM_TOKENS_H
#define TV_SITE_ANSWER_PROGRAM_TOKENS_H

#include "http/http.h"

/* ctx is a struct tv_request_context. */
void tv_program_tokens_page(void *ctx, struct tv_http_response *response);
void tv_program_tokens_form(void *ctx, struct tv_http_response *response);
void tv_program_tokens_list(void *ctx, struct tv_http_response *response);
void tv_program_tokens_add(void *ctx, struct tv_http_response *response);
void tv_program_tokens_delete(void *ctx, struct tv_http_response *response);

#endif
