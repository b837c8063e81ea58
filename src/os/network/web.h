/*
 * Requests to web servers, by libcurl. The library is loaded when the first request is made: no
 * other verb pays for it.
 *
 * A server may be anybody's: its headers and its answer have limits, only http and https are
 * spoken, no redirect is followed, and certificates are checked.
 */
#ifndef TV_OS_NETWORK_WEB_H
#define TV_OS_NETWORK_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/str.h"

#define TV_WEB_HEADERS 6u
#define TV_WEB_VALUE_CAP 512u
#define TV_WEB_REASON_CAP 4096u

/* Whom a request may connect to. Each address that a name leads to is asked about where the
 * connection is made, so that no second answer of the resolver counts; no proxy is used. */
struct tv_web_guard {
    /* The address as 16 bytes of IPv6, ::ffff:0:0/96 for those of IPv4. Another thread of libcurl
     * never asks. */
    bool (*allows)(void *ctx, const uint8_t address[16]);
    void *ctx;
};

struct tv_web_request {
    const char *method;
    const char *url;
    /* "Name: value", up to NULL. A body is application/octet-stream, unless one of them says. */
    const char *headers[TV_WEB_HEADERS + 1];
    struct tv_str body;    /* at == NULL: none */
    struct tv_sink answer; /* takes the body of an answer that is fine (2xx); may be empty */
    const struct tv_web_guard *guard; /* NULL: it may connect to anybody */
    uint64_t most;                    /* the longest body of an answer */
    unsigned whole_s;                 /* how long all of it may take; 0: as long as bytes move */
    /* Is told how many bytes of the request's body went, and of the answer's came, of how many (0:
     * not known); false cancels. May be NULL. */
    bool (*tell)(void *ctx, uint64_t sent, uint64_t came, uint64_t of);
    void *ctx;
};

/* What came back. The texts may have any bytes but control characters. */
struct tv_web_answer {
    int status;                /* 0: none came */
    bool is_worth_another_try; /* the connection broke, or the server is busy */
    char location[TV_WEB_VALUE_CAP];
    char upload_offset[TV_WEB_VALUE_CAP];
    char owner_token[TV_WEB_VALUE_CAP];
    char content_type[TV_WEB_VALUE_CAP];
    char retry_after[TV_WEB_VALUE_CAP];
    char reason[TV_WEB_REASON_CAP]; /* the beginning of the body of an answer that is not fine */
};

/* TV_OK: an answer came, fine or not. TV_ERR_UNSUPPORTED: there is no libcurl here;
 * TV_ERR_ARGUMENT: the guard allows none of the addresses that were tried. */
enum tv_code tv_web_ask(const struct tv_web_request *request, struct tv_web_answer *answer,
                        struct tv_error *err) TV_MUST_CHECK;

#endif
