/*
 * A request and a response as plain structs. Services (http/service.h) see nothing else of HTTP, so
 * each can be tested without a socket; http/httpd.h says which files know the HTTP library.
 */
#ifndef TV_HTTP_HTTP_H
#define TV_HTTP_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

enum tv_http_method {
    TV_HTTP_GET,
    TV_HTTP_HEAD, /* answered as a GET; httpd.c leaves the body out */
    TV_HTTP_PUT,
    TV_HTTP_POST,
    TV_HTTP_PATCH,
    TV_HTTP_DELETE,
    TV_HTTP_OPTIONS,
    TV_HTTP_OTHER,
};

/* One header of a request, as it came. */
struct tv_http_field {
    struct tv_str name;
    struct tv_str value;
};

/* Who a request counts for where requests have shares: those of equal bytes have one together. */
struct tv_http_party {
    uint8_t bytes[17];
};

/* The texts are views of what httpd.c has read, and live until the service was told that the
 * request is over. All zero bytes are a GET of nothing, without a connection's number. */
struct tv_http_request {
    enum tv_http_method method;
    struct tv_str target;               /* path and query as they came, not decoded */
    const struct tv_http_field *fields; /* in the order in which they came */
    size_t field_count;
    struct tv_str peer; /* the other end's address without its port: "127.0.0.1", "2001:db8::1" */
    int connection;     /* the socket that the request came on; -1: none */
    bool takes_chunks;  /* HTTP/1.1: the client can tell the end of an answer from a cut */
    bool has_body_len;  /* Content-Length was there */
    uint64_t body_len;  /* as Content-Length says; 0 without it */
    uint64_t taken;     /* bytes of the body that have come */
    struct tv_str body; /* all of it, where the service wanted it in memory */
    /* Why the body is not whole; code TV_OK: it is. TV_ERR_LIMIT: it is longer than the service
     * takes. Otherwise what the service's sink failed with. */
    struct tv_error body_error;
    /* The service says it when the request begins; zeros: all have one share. */
    struct tv_http_party party;
    /* Becomes true when nobody wants the answer any more: its time is over, or its client has gone.
     * Who makes the answer looks at it now and then, and may fill in a 503 instead. NULL: it is
     * wanted in any case. */
    const atomic_bool *is_unwanted;
    void *own;     /* the service's, for this request */
    void *library; /* the library's, for the files of this folder; NULL: none */
};

bool tv_http_is_get(const struct tv_http_request *request); /* or HEAD */
const char *tv_http_method_name(enum tv_http_method method);
enum tv_http_method tv_http_method_of(const char *name);
/* The host of a Host header without its port, which is another one where the connection comes
 * through a tunnel. */
struct tv_str tv_http_host_name(struct tv_str host);
/* Whether the host is a name of this machine. A page of another site may let its own name resolve
 * to 127.0.0.1, and then counts as the same site; its requests still bear that name. */
bool tv_http_host_is_loopback(struct tv_str host);

/* The first header of that name, whatever the case of its letters; at == NULL: there is none. */
struct tv_str tv_http_header(const struct tv_http_request *request, const char *name);
/* The last one, which the nearest proxy wrote. */
struct tv_str tv_http_last_header(const struct tv_http_request *request, const char *name);
size_t tv_http_count_headers(const struct tv_http_request *request, const char *name);
/* A list of words that commas separate, such as the value of Accept-Encoding: the next word without
 * the spaces around it; false at the end of the list. */
bool tv_http_next_word(struct tv_str *rest, struct tv_str *word);

/* --- bodies that come bit by bit --- */

/* How a source tells that it has bytes again: a counted reference to whoever reads the source. The
 * source got it from `begin`, and releases it once; until then any thread may call wake, also while
 * nobody sleeps, with the source's own lock held, and after the source was left. Either end may
 * thus be the last one that knows of the other. */
struct tv_http_reader {
    void (*wake)(void *ctx);
    void (*release)(void *ctx);
    /* Closes the connection of the reader, which then leaves the source a moment later. As wake may
     * be called; NULL: it cannot be. */
    void (*cut)(void *ctx);
    void *ctx;
};

/* Releases the reader, and forgets it; a reader of zeros is none. */
void tv_http_reader_release(struct tv_http_reader *reader);

#define TV_HTTP_SOURCE_END ((ssize_t)-1)
/* There is no more, and what was sent is not whole: the connection is closed without the last
 * chunk, so that the client notices. */
#define TV_HTTP_SOURCE_BROKEN ((ssize_t)-2)

struct tv_http_response;

/* What gives a body bit by bit: an export under way, an event stream. */
struct tv_http_source_calls {
    /* An event stream: it ends as soon as the server stops. */
    bool is_endless;
    /* Called once, on the thread that made the answer, unless the request is a HEAD. The source
     * copies the reader, and releases it when it wakes nobody any more, at the latest in `leave`.
     * False: the headers wait until the reader is woken for the first time, so that a source that
     * fails before its first byte can be refused. May be NULL: they need not wait. */
    bool (*begin)(void *ctx, const struct tv_http_reader *reader);
    /* Asked when the headers are about to be sent; may be NULL. True: there will be no bytes, and
     * the response, of which the headers were kept, was filled with the reason. */
    bool (*refuse)(void *ctx, struct tv_http_response *response);
    /* Gives up to `cap` bytes and returns how many; 0: there are none now, and the reader will be
     * woken. Must not wait: other connections are served by the same thread. */
    ssize_t (*read)(void *ctx, void *out, size_t cap);
    /* The reader has gone, whether it has the whole body or not. Called once, even where `begin`
     * never was. */
    void (*leave)(void *ctx);
};

struct tv_http_source {
    const struct tv_http_source_calls *calls; /* NULL: there is none */
    void *ctx;
    bool has_len; /* the body has `len` bytes; else its length is not known */
    uint64_t len;
};

/* --- responses --- */

enum tv_http_body {
    TV_HTTP_BODY_OWNED,  /* the bytes are in `owned` */
    TV_HTTP_BODY_STATIC, /* the bytes are in `fixed`, which outlives the server */
    TV_HTTP_BODY_FILE,   /* the bytes are in `file`: of slow routes alone (http/file_source.h) */
    TV_HTTP_BODY_SOURCE, /* what `source` gives */
};

/* Bytes that are elsewhere than in a file of this machine: `read` waits for them, and gives up to
 * `cap` of those from there on; 0 or less: there are none. Both are called on threads that may wait
 * (http/file_source.h), `close` once. */
struct tv_http_far_bytes {
    ssize_t (*read)(void *ctx, uint64_t off, void *into, size_t cap);
    void (*close)(void *ctx);
    void *ctx;
};

/* A part of an open file, or of bytes that are far. */
struct tv_http_part {
    int fd; /* -1: none */
    uint64_t off;
    uint64_t len;
    struct tv_http_far_bytes far; /* read == NULL: a file */
};

struct tv_http_response {
    int status;
    enum tv_http_body kind;
    struct tv_buffer owned;
    struct tv_str fixed;
    struct tv_http_part file;     /* its file is closed with the response */
    struct tv_http_source source; /* is left with the response, unless a sending took it */
    struct tv_buffer fields;      /* the headers: name, NUL, value, NUL, and so on */
    bool is_broken;               /* memory ran out for a header: httpd.c sends nothing of it */
};

/* An initialised response is a failure without a body, until something fills it. */
void tv_http_response_init(struct tv_http_response *response, const struct tv_alloc *alloc);
void tv_http_response_release(struct tv_http_response *response);
/* Takes the body back; the headers stay. */
void tv_http_drop_body(struct tv_http_response *response);

/* Adds a header; both texts are copied. A control character in the value becomes a space, so that
 * no value can begin another header. */
void tv_http_add(struct tv_http_response *response, const char *name, const char *value);
void tv_http_add_str(struct tv_http_response *response, const char *name, struct tv_str value);
/* Adds a header in place of those of the same name. */
void tv_http_set(struct tv_http_response *response, const char *name, const char *value);
void tv_http_take_out(struct tv_http_response *response, const char *name);
/* The value of the first header of that name, ended by NUL; NULL: none was added. */
const char *tv_http_added(const struct tv_http_response *response, const char *name);
/* Walks over the headers: *at is 0 at first. False at the end. */
bool tv_http_next_added(const struct tv_http_response *response, size_t *at, const char **name,
                        const char **value);

/* Answers with one static text, which is not to be cached. */
void tv_http_say(struct tv_http_response *response, int status, const char *content_type,
                 const char *text);
/* Answers with {"error": text}, which is not to be cached; the text is copied. */
void tv_http_refuse(struct tv_http_response *response, int status, const char *text);
/* Answers 503 with {"error": text}: the client may ask again in a second. */
void tv_http_refuse_for_now(struct tv_http_response *response, const char *text);
/* Answers with what is in `owned`. `cache` is the value of Cache-Control. */
void tv_http_send(struct tv_http_response *response, int status, const char *content_type,
                  const char *cache);
/* Sends the client to another address, which is copied. */
void tv_http_redirect(struct tv_http_response *response, int status, const char *location);
/* What the source gives is the answer. */
void tv_http_stream(struct tv_http_response *response, const char *content_type,
                    struct tv_http_source source);
/* Makes the answer a file to be kept under that name, which is of any characters: as ASCII for old
 * readers, and whole (RFC 6266). */
void tv_http_add_file_name(struct tv_http_response *response, struct tv_str name);

#endif
