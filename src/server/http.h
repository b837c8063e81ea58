/* A request and an answer, as far as anything but httpd.c needs to know. */
#ifndef TV_SERVER_HTTP_H
#define TV_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/str.h"
#include "os/spool.h"

enum tv_http_method {
    TV_HTTP_GET,
    TV_HTTP_PUT,
    TV_HTTP_OTHER
}; /* HEAD is a GET whose body stays away */

/* All views; a header that is missing has at == NULL. */
struct tv_http_request {
    enum tv_http_method method;
    struct tv_str target; /* path and query as they came, not decoded */
    struct tv_str host;
    struct tv_str origin;
    struct tv_str fetch_site; /* who asks, as the browser sees it: "none" is the user */
    struct tv_str if_none_match;
    bool takes_gzip;
    uint64_t body_len; /* as announced; 0 where it is not */
    struct tv_str body;
    struct tv_http_upload *upload; /* NULL: the body is in `body` */
};

/* A body that is too large for memory: it is in a file. Whoever answers may take the spool. */
struct tv_http_upload {
    struct tv_spool spool;
    struct tv_error error; /* why the file has not all of it; code TV_OK otherwise */
};

#define TV_HTTP_HEADER_LIMIT 12u

struct tv_http_header {
    const char *name; /* static, like the value, or in the response's `room` */
    const char *value;
};

enum tv_http_body {
    TV_HTTP_BODY_OWNED,  /* in `owned` */
    TV_HTTP_BODY_STATIC, /* `fixed` points into the program */
    TV_HTTP_BODY_EVENTS, /* an event stream (events.h) */
};

struct tv_http_response {
    int status;
    struct tv_http_header headers[TV_HTTP_HEADER_LIMIT];
    size_t header_count;
    enum tv_http_body kind;
    struct tv_buffer owned;
    struct tv_str fixed;
    char room[128]; /* for a header's value */
};

void tv_http_response_init(struct tv_http_response *response, const struct tv_alloc *alloc);
void tv_http_response_release(struct tv_http_response *response);
/* Adds a header; too many is our own bug. */
void tv_http_add(struct tv_http_response *response, const char *name, const char *value);
/* A short answer that says one thing; text is static. */
void tv_http_say(struct tv_http_response *response, int status, const char *content_type,
                 const char *text);
/* {"error": text} */
void tv_http_refuse(struct tv_http_response *response, int status, const char *text);

#endif
