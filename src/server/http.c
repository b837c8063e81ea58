/* Filling responses. None of the answers here may be cached: the next one may differ. */
#include "server/http.h"

#include "base/compiler.h"
#include "base/json.h"
#include "server/download.h"

void tv_http_response_init(struct tv_http_response *response, const struct tv_alloc *alloc)
{
    *response = (struct tv_http_response){.status = 500, .kind = TV_HTTP_BODY_STATIC};
    tv_buffer_init(&response->owned, alloc);
}

void tv_http_response_release(struct tv_http_response *response)
{
    tv_buffer_release(&response->owned);
    tv_download_leave(response->download);
    response->download = NULL;
}

void tv_http_add(struct tv_http_response *response, const char *name, const char *value)
{
    tv_assert(response->header_count < TV_HTTP_HEADER_LIMIT);
    if (response->header_count < TV_HTTP_HEADER_LIMIT)
        response->headers[response->header_count++] = (struct tv_http_header){name, value};
}

void tv_http_say(struct tv_http_response *response, int status, const char *content_type,
                 const char *text)
{
    response->status = status;
    response->kind = TV_HTTP_BODY_STATIC;
    response->fixed = tv_str_from(text);
    tv_http_add(response, "Content-Type", content_type);
    tv_http_add(response, "Cache-Control", "no-store");
}

void tv_http_refuse(struct tv_http_response *response, int status, const char *text)
{
    struct tv_json json;
    response->owned.len = 0;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "error", text);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) != TV_OK) {
        tv_http_say(response, 500, "application/json", "{\"error\": \"out of memory\"}\n");
        return;
    }
    response->status = status;
    response->kind = TV_HTTP_BODY_OWNED;
    tv_http_add(response, "Content-Type", "application/json");
    tv_http_add(response, "Cache-Control", "no-store");
}
