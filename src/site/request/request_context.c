/*
 * Answers that every part of the site gives; see site/request/request_context.h.
 *
 * A refusal has the form that its reader can use: JSON for the API and for the viewer's page, a
 * document for a browser, a line of text for anything else. Errors of the system are not told to
 * clients; they go into the log (context->trouble).
 */
#include "site/request/request_context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "site/document/documents.h"
#include "site/request/document_site.h"

/* Whether a path belongs to the API, whose answers are for programs. */
static bool is_api(struct tv_str path)
{
    return tv_str_starts_with(path, TV_STR("/api/"));
}

bool tv_request_context_wants_page(const struct tv_request_context *context)
{
    struct tv_str accept = tv_http_header(context->request, "Accept");
    return !is_api(context->path) && accept.at &&
           tv_str_find(accept, TV_STR("text/html"), TV_CASE_FOLD) != SIZE_MAX;
}

/* Whether a refusal is JSON: on the routes of the API, and on those below a trace that the viewer's
 * page asks. */
static bool wants_json(const struct tv_request_context *context)
{
    return is_api(context->path) ||
           tv_str_find(context->path, TV_STR("/api/"), TV_CASE_EXACT) != SIZE_MAX;
}

static void send_text(struct tv_http_response *response, int status, const char *reason)
{
    response->owned.len = 0;
    if (tv_buffer_append(&response->owned, reason, strlen(reason), NULL) != TV_OK ||
        tv_buffer_append(&response->owned, "\n", 1, NULL) != TV_OK) {
        tv_http_say(response, 500, "text/plain; charset=utf-8", "out of memory\n");
        return;
    }
    tv_http_send(response, status, "text/plain; charset=utf-8", "no-store");
}

/* A program gets JSON, a browser a document, and anything else text; the reason is the same. */
void tv_request_context_refuse(const struct tv_request_context *context, int status,
                               const char *reason, struct tv_http_response *response)
{
    tv_http_drop_body(response);
    if (status == 401)
        tv_http_add(response, "WWW-Authenticate", "Bearer realm=\"traceview\"");
    if (wants_json(context)) {
        tv_http_refuse(response, status, reason);
    } else if (tv_request_context_wants_page(context)) {
        struct tv_document_site page = tv_document_site_of(context);
        tv_document_problem(&page, status, tv_str_from(reason), response);
    } else {
        send_text(response, status, reason);
    }
}

/* The HTTP status that says the same as an error's code. */
static int status_of(enum tv_code code)
{
    switch (code) {
    case TV_ERR_ARGUMENT:
    case TV_ERR_FORMAT:
    case TV_ERR_UNSUPPORTED:
        return 400;
    case TV_ERR_FOREIGN:
        return 415;
    case TV_ERR_NOT_FOUND:
        return 404;
    case TV_ERR_CONFLICT:
        return 409;
    case TV_ERR_LIMIT:
        return 507;
    case TV_ERR_MEMORY:
    case TV_ERR_CANCELLED: /* nobody waits for it, or it begins again later */
    case TV_ERR_AWAY:
        return 503;
    case TV_OK:
    case TV_ERR_SYSTEM:
        return 500;
    }
    return 500;
}

void tv_request_context_fail(struct tv_request_context *context, const struct tv_error *err,
                             struct tv_http_response *response)
{
    int status = status_of(err->code);
    bool is_ours = status == 500;
    bool is_away = err->code == TV_ERR_AWAY;
    bool is_for_now = is_away || err->code == TV_ERR_CANCELLED;
    tv_request_context_refuse(context, status,
                              is_ours   ? "the site has a problem of its own, which its log tells"
                              : is_away ? "the site cannot reach its store: try again in a moment"
                                        : err->text,
                              response);
    if (is_for_now)
        tv_http_add(response, "Retry-After", TV_REQUEST_RETRY_S);
    if (is_ours || is_away)
        context->trouble = *err;
}

void tv_request_context_send_json(const struct tv_request_context *context, struct tv_json *json,
                                  int status, struct tv_http_response *response)
{
    if (tv_json_finish(json, NULL) == TV_OK)
        tv_http_send(response, status, "application/json", "no-store");
    else
        tv_request_context_refuse(context, 503, "out of memory", response);
}

void tv_request_context_send_done(struct tv_http_response *response)
{
    response->status = 204;
    tv_http_add(response, "Cache-Control", "no-store");
}

/* A comparison of many traces has an address with the ids of all. */
#define LOCATION_CAP 4096u

void tv_request_context_redirect(const struct tv_request_context *context, int status,
                                 struct tv_http_response *response, const char *format, ...)
{
    char location[LOCATION_CAP];
    va_list args;
    int len = snprintf(location, sizeof(location), "%s", context->site->config->base_path);
    tv_assert(len >= 0 && (size_t)len < sizeof(location));
    va_start(args, format);
    (void)vsnprintf(location + len, sizeof(location) - (size_t)len, format, args);
    va_end(args);
    tv_http_redirect(response, status, location);
}
