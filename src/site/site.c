/* The site as a service; see site/site.h. */
#include "site/site.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "http/form.h"
#include "http/packing.h"
#include "site/answer/events.h"
#include "site/answer/routes.h"
#include "site/request/admission.h"
#include "site/request/asked.h"
#include "site/request/telling.h"
#include "site/upload/taking.h"
#include "site/upload/uploads.h"

/* The longest form without a file: a note, labels, and what escapes add to them. */
#define FORM_MOST ((uint64_t)64 << 10)

int64_t tv_site_clock(void)
{
    return (int64_t)time(NULL);
}

enum tv_code tv_site_init(struct tv_site *site, struct tv_error *err)
{
    if (pthread_mutex_init(&site->lock, NULL) != 0)
        return tv_fail_memory(err, sizeof(site->lock));
    site->takings = NULL;
    tv_page_files_init(&site->files);
    return tv_events_start(site, err);
}

void tv_site_release(struct tv_site *site)
{
    tv_events_stop(site);
    tv_assert(!site->takings);
    (void)pthread_mutex_destroy(&site->lock);
}

/* --- the beginning of a request --- */

/* Splits "/BASE/PATH?QUERY"; the path is empty where the target is not below the base path. */
static void split_target(struct tv_str target, struct tv_str base, struct tv_str *path,
                         struct tv_str *query)
{
    struct tv_str rest = target;
    *path = (struct tv_str){NULL, 0};
    if (!tv_str_split(&rest, '?', path))
        return;
    *query = rest;
    if (!tv_str_starts_with(*path, base)) {
        *path = (struct tv_str){NULL, 0};
        return;
    }
    path->at += base.len;
    path->len -= base.len;
}

/* What every answer says, whatever it is. A page of another site gets no hold of ours, and none of
 * ours tells its address, in which the id of a trace stands. */
static void add_headers(struct tv_http_response *response)
{
    tv_http_add(response, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    tv_http_add(response, "X-Content-Type-Options", "nosniff");
    tv_http_add(response, "Referrer-Policy", "no-referrer");
    tv_http_add(response, "Cross-Origin-Resource-Policy", "same-origin");
    tv_http_add(response, "Cross-Origin-Opener-Policy", "same-origin");
}

/* Takes the route that the request found, or says that there is none. */
static bool take_route(struct tv_asked *asked, const struct tv_http_routed *found,
                       struct tv_http_response *response)
{
    char methods[TV_ROUTE_METHODS_CAP];
    asked->found = *found;
    if (found->route)
        return true;
    if (asked->path.at && !asked->path.len) { /* the base path without its slash */
        tv_asked_redirect(asked, 302, response, "/");
        return false;
    }
    if (!found->of_path) {
        tv_asked_refuse(asked, 404, "there is no such page", response);
        return false;
    }
    tv_http_routes_methods(&tv_site_routes, found->of_path, methods);
    tv_asked_refuse(asked, 405, "this address takes no such request", response);
    tv_http_add(response, "Allow", methods);
    return false;
}

/* Whether the answer changes what the store has. */
static bool is_change(const struct tv_asked *asked)
{
    return asked->found.route->method != TV_HTTP_GET;
}

/* "https://host", as the client's browser has it. */
static void find_origin(struct tv_asked *asked)
{
    static const size_t scheme_len = sizeof("https://") - 1;
    struct tv_str host = asked->client.host;
    char *origin;
    if (!host.len ||
        tv_arena_take(&asked->arena, scheme_len + host.len + 1, &origin, NULL) != TV_OK)
        return;
    (void)snprintf(origin, scheme_len + host.len + 1, "%s://%.*s",
                   asked->client.is_https ? "https" : "http", (int)host.len, host.at);
    asked->origin = origin;
}

static bool admit(struct tv_asked *asked, struct tv_http_response *response)
{
    struct tv_http_routed found;
    const char *why = "";
    split_target(asked->request->target, tv_str_from(asked->site->config->base_path), &asked->path,
                 &asked->query);
    if (!tv_client_find(asked->site->config, asked->request, &asked->client, &why)) {
        tv_asked_refuse(asked, 400, why, response);
        return false;
    }
    find_origin(asked);
    tv_http_routes_find(&tv_site_routes, asked->request->method, asked->path, &found);
    bool may_be_any_host = found.of_path && (found.of_path->needs & TV_SITE_ANY_HOST);
    return tv_admission_host(asked, may_be_any_host, response) &&
           tv_admission_rate(asked, response) && take_route(asked, &found, response) &&
           (!is_change(asked) || tv_admission_origin(asked, response));
}

/* A trace: a form with a file, or its bytes alone. */
static enum tv_http_take take_trace(struct tv_asked *asked, struct tv_http_taking *how,
                                    struct tv_http_response *response)
{
    bool is_form = tv_form_is(asked->request);
    if (!is_form && (asked->found.route->needs & TV_SITE_FORM_ALONE)) {
        tv_asked_refuse(asked, 415,
                        "a form is wanted here: multipart/form-data with the field trace_file",
                        response);
        return TV_HTTP_TAKE_REFUSED;
    }
    /* Only in a form may a secret still come. */
    const struct tv_fields no_fields = {.arena = &asked->arena};
    if (!tv_admission_upload_rate(asked, response) ||
        !tv_admission_upload(asked, is_form ? NULL : &no_fields, response))
        return TV_HTTP_TAKE_REFUSED;
    return tv_taking_begin(
        asked,
        &(struct tv_taking_opts){.kind = is_form ? TV_TAKING_FORM : TV_TAKING_TRACE,
                                 .most = asked->site->config->max_upload,
                                 .is_first = true},
        how, response);
}

static enum tv_http_take take_body(struct tv_asked *asked, struct tv_http_taking *how,
                                   struct tv_http_response *response)
{
    switch (asked->found.route->body) {
    case TV_ROUTE_NOTHING:
        return TV_HTTP_TAKE_NONE;
    case TV_ROUTE_FORM:
        how->most = FORM_MOST;
        return TV_HTTP_TAKE_MEMORY;
    case TV_ROUTE_TRACE:
        return take_trace(asked, how, response);
    case TV_ROUTE_PIECE:
        return tv_uploads_take(asked, how, response);
    }
    return TV_HTTP_TAKE_NONE;
}

static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_taking *how, struct tv_http_response *response)
{
    struct tv_site *site = ctx;
    struct tv_asked *asked;
    add_headers(response);
    if (tv_alloc_new(site->alloc, &asked, 1, sizeof(*asked), NULL) != TV_OK) {
        tv_http_refuse(response, 503, "out of memory");
        return TV_HTTP_TAKE_REFUSED;
    }
    *asked = (struct tv_asked){.site = site, .request = request, .origin = "", .now = site->now()};
    tv_arena_init(&asked->arena, site->alloc);
    request->own = asked;
    return admit(asked, response) ? take_body(asked, how, response) : TV_HTTP_TAKE_REFUSED;
}

/* --- the answer --- */

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    const struct tv_asked *asked = request->own;
    (void)ctx;
    return asked->found.route->needs & TV_ROUTE_SLOW;
}

static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    struct tv_asked *asked = request->own;
    (void)ctx;
    if (asked->found.route->body == TV_ROUTE_FORM && request->body_error.code != TV_OK)
        tv_asked_refuse(asked, 413, "the form is longer than 64 KiB", response);
    else
        asked->found.route->answer(asked, response);
    tv_taking_leave(asked->taking);
    tv_http_pack(request, response);
}

/* --- the end --- */

static void ended(void *ctx, struct tv_http_request *request, const struct tv_http_ending *ending)
{
    struct tv_site *site = ctx;
    struct tv_asked *asked = request->own;
    if (!asked)
        return;
    request->own = NULL;
    tv_site_tell(asked, ending);
    if (!ending->status && asked->taking && asked->taking->kind == TV_TAKING_PIECE)
        tv_uploads_cut(asked);
    tv_taking_free(asked->taking);
    tv_arena_release(&asked->arena);
    tv_alloc_release(site->alloc, &asked, 1, sizeof(*asked));
}

struct tv_http_service tv_site_service(struct tv_site *site)
{
    return (struct tv_http_service){
        .ctx = site, .begin = begin, .is_slow = is_slow, .answer = answer, .ended = ended};
}
