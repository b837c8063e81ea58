/*
 * What answers requests. The local viewer (server/viewer.h) is a service; http/httpd.h puts one on
 * a socket.
 */
#ifndef TV_HTTP_SERVICE_H
#define TV_HTTP_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "http/http.h"
#include "os/waits.h"

/* How the body of a request is taken. */
enum tv_http_take {
    TV_HTTP_TAKE_NONE,    /* a body that comes all the same is read and dropped */
    TV_HTTP_TAKE_MEMORY,  /* into the request's `body` */
    TV_HTTP_TAKE_PIECES,  /* each piece goes to a sink */
    TV_HTTP_TAKE_REFUSED, /* the response is filled, and sent before any of the body is read */
    TV_HTTP_TAKE_OPEN,    /* `open` says it, which may wait */
};

struct tv_http_body_sink {
    /* More bytes than that are too many: the request's `body_error` says so, and the sink gets none
     * of those. A Content-Length that is more makes the answer come before the body is read. */
    uint64_t most;
    /* Is called on threads for that, one call after the other, and may wait for a disk. When it
     * fails, the rest of the body is dropped, and `body_error` says why. */
    struct tv_sink sink;
    /* The sink reads what is the connection's, as a form does whose boundary stands in a header: a
     * connection that goes away waits until the piece that the sink has is written. */
    bool needs_connection;
};

/* What a request leaves to be done that may wait for a disk or for another process: a worker does
 * it, since the threads of the library never wait. */
struct tv_http_rest {
    void (*run)(void *ctx); /* is called once, and releases what ctx is */
    void *ctx;
    struct tv_http_rest *next; /* in the queue of the workers */
};

/* How a request ended. */
struct tv_http_ending {
    int status;            /* of the answer; 0: there was none */
    bool is_whole;         /* the client has all of the answer, as far as the library knows */
    uint64_t sent;         /* bytes of the answer's body that were given to the library */
    uint64_t ns;           /* since the first line came */
    struct tv_waits waits; /* of these */
};

/*
 * Several threads may be in any of these at once; for one request they are called in this order,
 * one after the other, but for `disconnected`. What a request views stays until it has ended.
 */
struct tv_http_service {
    void *ctx;
    /* The first line of a request has come, and nothing else: whether it shows that its connection
     * is of somebody known, for whom room is kept. Must be quick. NULL: nobody is known. */
    bool (*knows)(void *ctx, struct tv_str target);
    /* The headers have come. Sets the request's `own`, if the service has something for it. */
    enum tv_http_take (*begin)(void *ctx, struct tv_http_request *request,
                               struct tv_http_body_sink *body_sink,
                               struct tv_http_response *response);
    /* Does on a worker what `begin` does, if that has returned TV_HTTP_TAKE_OPEN. NULL: `begin`
     * never returns it. */
    enum tv_http_take (*open)(void *ctx, struct tv_http_request *request,
                              struct tv_http_body_sink *body_sink,
                              struct tv_http_response *response);
    /* The connection is about to be closed while the sink still has bytes; `ended` follows when it
     * has none any more. Must be quick. May be NULL. */
    void (*disconnected)(void *ctx, struct tv_http_request *request);
    /* Whether the answer may take long, so that a worker thread is to make it. */
    bool (*is_slow)(void *ctx, const struct tv_http_request *request);
    /* Fills the response, or 503 where is_unwanted of the request has become true; then it may be
     * called once more for the same request. */
    void (*answer)(void *ctx, struct tv_http_request *request, struct tv_http_response *response);
    /* Fills the response with a refusal of a request that was not answered in time; NULL: it is
     * tv_http_refuse. Must be quick. */
    void (*refuse)(void *ctx, const struct tv_http_request *request, int status, const char *why,
                   struct tv_http_response *response);
    /* The request is over: answered, or cut at any time after `begin`. Called once for each
     * `begin`. A source that the answer had may be left a little later. Returns what is left to be
     * done, or NULL; the request and what it points to are gone by then. NULL: nothing is done. */
    struct tv_http_rest *(*ended)(void *ctx, struct tv_http_request *request,
                                  const struct tv_http_ending *ending);
};

#endif
