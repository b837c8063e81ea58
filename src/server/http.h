/*
 * A request and a response as plain structs. The routes see nothing else of HTTP, so each can be
 * tested without a socket; httpd.c alone knows the HTTP library.
 */
#ifndef TV_SERVER_HTTP_H
#define TV_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/str.h"
#include "os/spool.h"

/* HEAD is a GET whose body httpd.c leaves out. */
enum tv_http_method { TV_HTTP_GET, TV_HTTP_PUT, TV_HTTP_OTHER };

/* The texts are views of what httpd.c has read; a header that is missing has at == NULL. */
struct tv_http_request {
    enum tv_http_method method;
    struct tv_str target; /* path and query as they came, not decoded */
    struct tv_str host;
    struct tv_str origin;
    struct tv_str fetch_site; /* Sec-Fetch-Site: who began the request; "none" is the user */
    struct tv_str if_none_match;
    bool takes_gzip;
    bool takes_chunks;  /* HTTP/1.1: the client can tell the end of an answer from a cut */
    int connection;     /* the socket that it came on; -1: none */
    uint64_t body_len;  /* as Content-Length says; 0 without it */
    struct tv_str body; /* empty where there is an upload */
    struct tv_http_upload *upload; /* NULL: the body is in `body` */
};

/* A body that is a trace, and so too large for memory: its bytes are in a file. The route that
 * answers may take the spool over. */
struct tv_http_upload {
    struct tv_spool spool;
    struct tv_error error; /* why the file lacks some of the bytes; code TV_OK: it has all */
};

#define TV_HTTP_HEADER_LIMIT 12u

struct tv_http_header {
    const char *name;  /* static */
    const char *value; /* static, or in the response's `room` */
};

enum tv_http_body {
    TV_HTTP_BODY_OWNED,    /* the bytes are in `owned` */
    TV_HTTP_BODY_STATIC,   /* the bytes are in `fixed`, which points into the program */
    TV_HTTP_BODY_EVENTS,   /* an event stream (events.h) */
    TV_HTTP_BODY_DOWNLOAD, /* what `download` gives, once httpd.c has begun it */
};

struct tv_download;

/* Room for the longest value of a header: the name of a download, percent-encoded. */
#define TV_HTTP_ROOM 1024u

struct tv_http_response {
    int status;
    struct tv_http_header headers[TV_HTTP_HEADER_LIMIT];
    size_t header_count;
    enum tv_http_body kind;
    struct tv_buffer owned;
    struct tv_str fixed;
    struct tv_download *download; /* owned: the response is its reader */
    char room[TV_HTTP_ROOM];      /* for the value of one header that is no constant */
};

/* An initialised response is a failure without a body, until something fills it. */
void tv_http_response_init(struct tv_http_response *response, const struct tv_alloc *alloc);
void tv_http_response_release(struct tv_http_response *response);
/* Adds a header. More than TV_HTTP_HEADER_LIMIT is a mistake of ours. */
void tv_http_add(struct tv_http_response *response, const char *name, const char *value);
/* Answers with one static text. */
void tv_http_say(struct tv_http_response *response, int status, const char *content_type,
                 const char *text);
/* Answers with {"error": text}; the text is copied. */
void tv_http_refuse(struct tv_http_response *response, int status, const char *text);

#endif
