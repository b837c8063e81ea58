/*
 * The description of the API; see site/answer/openapi.h.
 *
 * openapi.S puts the bytes of openapi.json into the binary as they are, so the answer needs no file
 * and no memory, and what programs read is what the tests compare the routes with (tests/site).
 * "no-cache" lets a client keep it, and ask whether it is still the same.
 */
#include "site/answer/openapi.h"

#include "base/compiler.h"

/* The symbols that openapi.S puts around the text. */
extern const char tv_openapi_text[], tv_openapi_text_end[];

struct tv_str tv_openapi_view(void)
{
    return (struct tv_str){tv_openapi_text, (size_t)(tv_openapi_text_end - tv_openapi_text)};
}

void tv_openapi_send(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    (void)context;
    response->kind = TV_HTTP_BODY_STATIC;
    response->status = 200;
    response->fixed = tv_openapi_view();
    tv_http_add(response, "Content-Type", "application/json");
    tv_http_add(response, "Cache-Control", "no-cache");
}
