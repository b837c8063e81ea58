/*
 * A request to the site while it is answered: what was asked for, by whom, and the memory of the
 * answer. It lives from the request's headers to the end of its answer.
 */
#ifndef TV_SITE_REQUEST_REQUEST_CONTEXT_H
#define TV_SITE_REQUEST_REQUEST_CONTEXT_H

#include <stdint.h>

#include "base/memory/arena.h"
#include "base/text/json.h"
#include "http/http.h"
#include "http/routes.h"
#include "http/service.h"
#include "site/request/client.h"
#include "site/site.h"

struct tv_body_receiver;

/* By which right a request may change what it names. */
enum tv_site_right {
    TV_RIGHT_NONE,
    TV_RIGHT_TOKEN,
    TV_RIGHT_USER,
    TV_RIGHT_ADMIN,
    TV_RIGHT_PROGRAM, /* a token of the user */
};

struct tv_request_context {
    struct tv_site *site;
    struct tv_http_request *request;
    struct tv_http_routed found; /* in the table of routes; all NULL: it was not looked up yet */
    struct tv_str path;          /* below the base path; empty: it is not below */
    struct tv_str query;
    struct tv_client client;
    enum tv_site_right right; /* to the trace of the path, once that was found */
    struct tv_arena arena;
    struct tv_body_receiver *receiver; /* a body whose bytes are kept; NULL: none */
    struct tv_id upload_id; /* of a piece: the upload that it belongs to, and where it begins */
    uint64_t upload_offset;
    const struct tv_project *project; /* of that upload; NULL: it is in none */
    const char *origin;       /* "https://host" by which the client came here; "": not known */
    bool is_cut;              /* it ended before it had an answer */
    struct tv_http_rest rest; /* of a body whose bytes are kept: what is done when it is over */
    struct tv_error trouble;  /* what went wrong that is ours, for the log; code TV_OK: nothing */
    int64_t now;              /* when the request came, in seconds since 1970 */
};

/* Retry-After, in seconds, where the store's database does not answer. */
#define TV_REQUEST_RETRY_S "5"

/* Whether the client is to get a page where an answer is not what was asked for: a browser that
 * asks for one, and nobody who asks the API. */
bool tv_request_context_wants_page(const struct tv_request_context *context);
/* Answers that something went wrong: as JSON to the API, as a page to a browser, else as text. */
void tv_request_context_refuse(const struct tv_request_context *context, int status,
                               const char *reason, struct tv_http_response *response);
/* Answers a failure, with the status that fits it. Faults of the store go to the log and not to
 * clients. */
void tv_request_context_fail(struct tv_request_context *context, const struct tv_error *err,
                             struct tv_http_response *response);
/* Ends a JSON answer that was written into `owned`. */
void tv_request_context_send_json(const struct tv_request_context *context, struct tv_json *json,
                                  int status, struct tv_http_response *response);
/* Answers that it was done, and that there is nothing to tell. */
void tv_request_context_send_done(struct tv_http_response *response);
/* Room for a base path and a path of the site. */
#define TV_REQUEST_CONTEXT_PATH_CAP 1024u
/* Redirects to a path of the site, which begins with a slash; the base path is put before it. */
void tv_request_context_redirect(const struct tv_request_context *context, int status,
                                 struct tv_http_response *response, const char *format, ...)
    TV_PRINTF(4, 5);

#endif
