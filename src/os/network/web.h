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

struct tv_web_request {
    const char *method;
    const char *url;
    const char *headers[TV_WEB_HEADERS + 1]; /* "Name: value", up to NULL */
    struct tv_str body;                      /* at == NULL: none */
    struct tv_sink answer; /* takes the body of an answer that is fine (2xx); may be empty */
    uint64_t most;         /* the longest body of an answer */
    unsigned whole_s;      /* how long all of it may take; 0: as long as bytes move */
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

/* TV_OK: an answer came, fine or not. TV_ERR_UNSUPPORTED: there is no libcurl here. */
enum tv_code tv_web_ask(const struct tv_web_request *request, struct tv_web_answer *answer,
                        struct tv_error *err) TV_MUST_CHECK;

#endif
