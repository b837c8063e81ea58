/*
 * A request as text, an answer as bytes (docs/api.md), with no sockets, files or clocks between.
 *
 * The server hands over the route and the query of each HTTP request. Verbs have no query: with
 * --json they fill the struct of a question and call the function of api/answers.h that the route
 * calls, too.
 */
#ifndef TV_API_API_H
#define TV_API_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "index/index.h"

struct tv_lean_cache;

/* How much of a trace the index has while the rest of the trace is still being read. */
struct tv_api_part {
    uint64_t read_len; /* bytes that the index has */
    uint64_t len;      /* bytes of the whole trace */
};

/* A trace that can be asked about. */
struct tv_api_trace {
    const struct tv_index *index;
    struct tv_str file;             /* the name of the trace's file, as answers tell it */
    struct tv_str name;             /* by which questions name it beside the one that is meant */
    const struct tv_api_part *part; /* NULL: the index is of the whole trace */
    /* Keeps what hiding packages leaves of the timeline from one question to the next; NULL: it is
     * made for each. */
    struct tv_lean_cache *leans;
};

/* Opens traces one by one for answers that need no two of them at once, so that memory holds a few
 * however many are compared. */
struct tv_api_opener {
    /* Opens the trace of that name, whose index is there until it is closed; `file` is the caller's
     * to copy. TV_ERR_NOT_FOUND: there is none, or it cannot be read. */
    enum tv_code (*open)(void *ctx, struct tv_str name, struct tv_api_trace *trace,
                         struct tv_error *err);
    void (*close)(void *ctx, struct tv_api_trace *trace);
    void *ctx;
};

/* Whom questions go to: some traces, one of which is meant. A question about several traces names
 * the others (api/diff_query.h). */
struct tv_api {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* NULL: one thread */
    size_t answer_limit;        /* most bytes of an answer; 0: TV_ANSWER_LIMIT */
    const struct tv_api_trace *traces;
    size_t trace_count; /* 1 or more; one that is not open has no index, and cannot be meant */
    size_t meant;       /* the place of the trace that is meant */
    /* Of traces that are named and are not among these; NULL: nobody opens them. */
    const struct tv_api_opener *opener;
    /* Becomes true when nobody wants the answer any more: then it is a 503. NULL: it is wanted in
     * any case. */
    const atomic_bool *is_unwanted;
};

static inline const struct tv_api_trace *tv_api_meant(const struct tv_api *api)
{
    return &api->traces[api->meant];
}

/* What an answer may take where nobody says otherwise: more than a page ever shows, and little
 * enough for a page to read at once. */
#define TV_ANSWER_LIMIT ((size_t)16 << 20)
size_t tv_api_answer_limit(const struct tv_api *api);

struct tv_api_response {
    int status; /* an HTTP status: 200, 400, 404, 409, 500, 503 */
    const char *content_type;
    struct tv_buffer body;
};

void tv_api_response_init(struct tv_api_response *response, const struct tv_alloc *alloc);
void tv_api_response_release(struct tv_api_response *response);

/* The HTTP status of a failure: 400 where another question would be answered, 404 where the
 * question names nothing, 503 where nobody wants the answer any more, 500 where the program is to
 * blame. */
int tv_api_status(enum tv_code code);

/*
 * Ends an answer that was written into response->body: the status is that of `code`, and a failure
 * puts {"error": why->text} in the body's place. Memory that ran out is no answer but a failure,
 * passed on in *err.
 */
enum tv_code tv_api_response_end(struct tv_api_response *response, enum tv_code code,
                                 const struct tv_error *why, struct tv_error *err) TV_MUST_CHECK;

/* Whether the parameters `old` and `new` of a route name other traces (api/diff_query.h), which who
 * asks has to add to the api. */
bool tv_api_names_others(struct tv_str route);

/*
 * Answers `route` ("top") with `query` ("n=20&sort=inclusive", percent-encoded). Always fills the
 * response; a refused request has status 4xx and {"error": "..."} as its body. Fails only when
 * memory runs out. Any number of threads may ask at once.
 */
enum tv_code tv_api_get(const struct tv_api *api, struct tv_str route, struct tv_str query,
                        struct tv_api_response *response, struct tv_error *err) TV_MUST_CHECK;

#endif
