/*
 * The site as a service; see site/site.h.
 *
 * Every request gets a context (site/request/request_context.h) when its headers are there, which
 * lives until the request has ended, however that was. The order of admission is: who asks, by
 * which host, how often, which route, and for changes from which page. Only then is a byte of the
 * body taken. Everything that two requests share is behind a lock of its own: the list of uploads
 * (site->lock), rates, the cache of indexes, the event streams.
 */
#include "site/site.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "http/content_encoding.h"
#include "http/form.h"
#include "os/clock.h"
#include "site/answer/events.h"
#include "site/answer/routes.h"
#include "site/request/admission.h"
#include "site/request/program_token.h"
#include "site/request/request_context.h"
#include "site/request/request_log.h"
#include "site/stored/stored.h"
#include "site/upload/body_receiver.h"
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
    site->receivers = NULL;
    tv_document_files_init(&site->files);
    return tv_events_start(site, err);
}

void tv_site_release(struct tv_site *site)
{
    tv_events_stop(site);
    tv_assert(!site->receivers);
    (void)pthread_mutex_destroy(&site->lock);
}

void tv_site_tick(struct tv_site *site)
{
    tv_body_receivers_tick(site);
    tv_stored_tick(site->stored, tv_now_ns());
}

/* --- the beginning of a request --- */

/* Splits "/BASE/PATH?QUERY" without decoding it; the path is empty if the target is not below the
 * base path. */
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

/* The headers of every answer. A page of another site gets no hold of a window of ours, and ours
 * tells no other site its address, in which the id of a trace stands. */
static void add_headers(struct tv_http_response *response)
{
    tv_http_add(response, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    tv_http_add(response, "X-Content-Type-Options", "nosniff");
    tv_http_add(response, "Referrer-Policy", "no-referrer");
    tv_http_add(response, "Cross-Origin-Resource-Policy", "same-origin");
    tv_http_add(response, "Cross-Origin-Opener-Policy", "same-origin");
}

/* Takes the route that was found, or refuses: no such path, or no such method for it. */
static bool take_route(struct tv_request_context *context, const struct tv_http_routed *found,
                       struct tv_http_response *response)
{
    char methods[TV_ROUTE_METHODS_CAP];
    context->found = *found;
    if (found->route)
        return true;
    if (context->path.at && !context->path.len) { /* the base path without its slash */
        tv_request_context_redirect(context, 302, response, "/");
        return false;
    }
    if (!found->of_path || (found->of_path->needs & TV_SITE_NAMED)) {
        tv_request_context_refuse(context, 404, "there is no such page", response);
        return false;
    }
    tv_http_routes_methods(&tv_site_routes, found->of_path, methods);
    tv_request_context_refuse(context, 405, "this address takes no such request", response);
    tv_http_add(response, "Allow", methods);
    return false;
}

/* Whether the answer changes what the store has. */
static bool is_change(const struct tv_request_context *context)
{
    return context->found.route->method != TV_HTTP_GET;
}

/* An archive is shown, and nothing else. */
static bool admit_change(const struct tv_request_context *context,
                         struct tv_http_response *response)
{
    if (!context->site->config->archive || (context->found.route->needs & TV_SITE_READS))
        return true;
    tv_request_context_refuse(context, 403, "this site is an archive: nothing in it is changed",
                              response);
    return false;
}

/* "https://host", as the client's browser knows the site. */
static void find_origin(struct tv_request_context *context)
{
    static const size_t scheme_len = sizeof("https://") - 1;
    struct tv_str host = context->client.host;
    char *origin;
    if (!host.len ||
        tv_arena_take(&context->arena, scheme_len + host.len + 1, &origin, NULL) != TV_OK)
        return;
    (void)snprintf(origin, scheme_len + host.len + 1, "%s://%.*s",
                   context->client.is_https ? "https" : "http", (int)host.len, host.at);
    context->origin = origin;
}

/* Which hosts a path answers to, besides the site's own. */
static enum tv_site_hosts hosts_of(const struct tv_http_route *of_path)
{
    unsigned needs = of_path ? of_path->needs : 0;
    return needs & TV_SITE_ANY_HOST     ? TV_HOSTS_ANY
           : needs & TV_SITE_BY_ADDRESS ? TV_HOSTS_ADDRESSES
                                        : TV_HOSTS_OWN;
}

/* In the order of what each check costs, and of what it must know: who asks, which route is meant,
 * whether the host is ours, how often that party asks, and whether a page of another site has sent
 * the change. */
static bool admit(struct tv_request_context *context, struct tv_http_response *response)
{
    struct tv_http_routed found;
    const char *why = "";
    split_target(context->request->target, tv_str_from(context->site->config->base_path),
                 &context->path, &context->query);
    if (!tv_client_find(context->site->config, context->request, &context->client, &why)) {
        tv_request_context_refuse(context, 400, why, response);
        return false;
    }
    context->request->party = tv_client_party(&context->client);
    find_origin(context);
    tv_http_routes_find(&tv_site_routes, context->request->method, context->path, &found);
    return tv_admission_host(context, hosts_of(found.of_path), response) &&
           tv_admission_rate(context, response) && take_route(context, &found, response) &&
           (!is_change(context) ||
            (admit_change(context, response) && tv_admission_origin(context, response)));
}

/* The body is a trace: a form with a file in it, or the bytes alone. */
static enum tv_http_take take_trace(struct tv_request_context *context,
                                    struct tv_http_body_sink *how,
                                    struct tv_http_response *response)
{
    bool is_form = tv_form_is(context->request);
    const bool is_mapping = (context->found.route->needs & TV_SITE_MAPPING) != 0;
    if (is_form && is_mapping) {
        tv_request_context_refuse(context, 415, "the mapping alone is wanted here, and no form",
                                  response);
        return TV_HTTP_TAKE_REFUSED;
    }
    if (!is_form && (context->found.route->needs & TV_SITE_FORM_ALONE)) {
        tv_request_context_refuse(
            context, 415, "a form is wanted here: multipart/form-data with the field trace_file",
            response);
        return TV_HTTP_TAKE_REFUSED;
    }
    /* Without a form the secret must be in a header, since no field can follow. */
    const struct tv_fields no_fields = {.arena = &context->arena};
    if (!tv_admission_upload_rate(context, response) ||
        !tv_admission_upload(context, is_form ? NULL : &no_fields, response))
        return TV_HTTP_TAKE_REFUSED;
    return tv_body_receiver_begin(
        context,
        &(struct tv_body_receiver_opts){.kind = is_form ? TV_BODY_RECEIVER_FORM
                                                        : TV_BODY_RECEIVER_TRACE,
                                        .most = context->site->config->max_upload,
                                        .is_mapping = is_mapping,
                                        .is_named = context->found.route->needs & TV_SITE_NAMED},
        how, response);
}

/* Decided before the first byte of the body comes, since a body may be gigabytes. What is kept is
 * `opened` by a worker, since that asks the store. */
static enum tv_http_take take_body(const struct tv_request_context *context,
                                   struct tv_http_body_sink *how)
{
    switch (context->found.route->body) {
    case TV_ROUTE_NOTHING:
        return TV_HTTP_TAKE_NONE;
    case TV_ROUTE_FORM:
        how->most = FORM_MOST;
        return TV_HTTP_TAKE_MEMORY;
    case TV_ROUTE_TRACE:
    case TV_ROUTE_PIECE:
        return TV_HTTP_TAKE_OPEN;
    }
    return TV_HTTP_TAKE_NONE;
}

/* What a token of a program must be for, to ask the route. */
static unsigned scopes_of(const struct tv_http_route *route)
{
    if (route->needs & TV_SITE_PEOPLE)
        return TV_SCOPE_PEOPLE;
    if ((route->needs & TV_SITE_UPLOADS) || route->body == TV_ROUTE_TRACE)
        return TV_SCOPE_UPLOAD;
    if ((route->needs & TV_SITE_READS) || route->method == TV_HTTP_GET)
        return TV_SCOPE_READ;
    return route->method == TV_HTTP_DELETE ? TV_SCOPE_DELETE : TV_SCOPE_UPLOAD;
}

static enum tv_http_take open_body(void *ctx, struct tv_http_request *request,
                                   struct tv_http_body_sink *how, struct tv_http_response *response)
{
    struct tv_request_context *context = request->own;
    (void)ctx;
    if (!tv_program_token_take(context, scopes_of(context->found.route), response))
        return TV_HTTP_TAKE_REFUSED;
    return context->found.route->body == TV_ROUTE_PIECE ? tv_uploads_take(context, how, response)
                                                        : take_trace(context, how, response);
}

/* The context of a request lives from here to its end (request->own), whatever becomes of it. */
static enum tv_http_take begin(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *how, struct tv_http_response *response)
{
    struct tv_site *site = ctx;
    struct tv_request_context *context;
    add_headers(response);
    if (tv_alloc_new(site->alloc, &context, 1, sizeof(*context), NULL) != TV_OK) {
        tv_http_refuse(response, 503, "out of memory");
        return TV_HTTP_TAKE_REFUSED;
    }
    *context = (struct tv_request_context){
        .site = site, .request = request, .origin = "", .now = site->now()};
    tv_arena_init(&context->arena, site->alloc);
    request->own = context;
    return admit(context, response) ? take_body(context, how) : TV_HTTP_TAKE_REFUSED;
}

/* --- the answer --- */

/* The token of a program is looked up in the store whatever is asked. */
static bool asks_store(const struct tv_request_context *context)
{
    return (context->found.route->needs & TV_ROUTE_SLOW) || tv_program_token_is_borne(context);
}

static bool is_slow(void *ctx, const struct tv_http_request *request)
{
    const struct tv_request_context *context = request->own;
    (void)ctx;
    tv_body_receiver_complete(context->receiver); /* this is asked when all of it is there */
    return asks_store(context);
}

/* The receiver gives up its place among the uploads as soon as the answer is made. */
static void answer(void *ctx, struct tv_http_request *request, struct tv_http_response *response)
{
    struct tv_request_context *context = request->own;
    (void)ctx;
    if (context->found.route->body == TV_ROUTE_FORM && request->body_error.code != TV_OK)
        tv_request_context_refuse(context, 413, "the form is longer than 64 KiB", response);
    else if (!asks_store(context) ||
             tv_program_token_take(context, scopes_of(context->found.route), response))
        context->found.route->answer(context, response);
    tv_body_receiver_leave(context->receiver);
    tv_http_pack(request, response);
}

static void refuse(void *ctx, const struct tv_http_request *request, int status, const char *why,
                   struct tv_http_response *response)
{
    (void)ctx;
    tv_request_context_refuse(request->own, status, why, response);
}

/* --- the end --- */

static void release(struct tv_request_context *context)
{
    const struct tv_alloc *alloc = context->site->alloc;
    tv_body_receiver_free(context->receiver);
    tv_arena_release(&context->arena);
    tv_alloc_release(alloc, &context, 1, sizeof(*context));
}

/* Keeps what came of a piece whose client went away, so that the next piece goes on there, and lets
 * the rest go. */
static void end_receiver(void *ctx)
{
    struct tv_request_context *context = ctx;
    if (context->is_cut && context->receiver->kind == TV_BODY_RECEIVER_PIECE)
        tv_uploads_cut(context);
    release(context);
}

static void disconnected(void *ctx, struct tv_http_request *request)
{
    const struct tv_request_context *context = request->own;
    (void)ctx;
    tv_body_receiver_disconnect(context->receiver);
}

/* Keeping waits for the store, and may wait for another process; letting a draft go takes the disk
 * a while where the draft is large. A worker does both. */
static struct tv_http_rest *ended(void *ctx, struct tv_http_request *request,
                                  const struct tv_http_ending *ending)
{
    struct tv_request_context *context = request->own;
    (void)ctx;
    if (!context)
        return NULL;
    request->own = NULL;
    tv_body_receiver_disconnect(context->receiver);
    tv_site_tell(context, ending);
    context->request = NULL;
    if (context->receiver) {
        context->is_cut = !ending->status;
        context->rest = (struct tv_http_rest){.run = end_receiver, .ctx = context};
        return &context->rest;
    }
    release(context);
    return NULL;
}

struct tv_http_service tv_site_service(struct tv_site *site)
{
    return (struct tv_http_service){.ctx = site,
                                    .begin = begin,
                                    .open = open_body,
                                    .disconnected = disconnected,
                                    .is_slow = is_slow,
                                    .answer = answer,
                                    .refuse = refuse,
                                    .ended = ended};
}
