/* Requests that threads of errands make (s3/errands.h), one or many of a kind at once. */
#ifndef TV_S3_REQUEST_ERRAND_H
#define TV_S3_REQUEST_ERRAND_H

#include "s3/request.h"

#define TV_S3_QUERY_CAP 1024u
/* Parts of one file that are under way at once. Each takes two buffers of a connection, 1 MiB; the
 * bytes of a file are read as they go. */
#define TV_S3_AT_ONCE 4u

struct tv_s3_request_errand {
    const struct tv_s3_asker *asker;
    struct tv_s3_request request;
    struct tv_s3_answer answer;
    enum tv_code code;
    struct tv_error err;
    /* The rest is its own. */
    struct tv_errand errand;
    char query[TV_S3_QUERY_CAP]; /* room for that of the request */
    char sha256[65];             /* of what is sent, where the request has none */
};

/* Makes a request and waits for its answer, whose text the caller releases. */
enum tv_code tv_s3_ask_once(struct tv_errands *errands, struct tv_s3_request_errand *asked,
                            struct tv_error *err) TV_MUST_CHECK;

/* Many requests, some at once. */
struct tv_s3_series {
    uint64_t count;
    /* Fills the request with that number, from 0. */
    void (*fill)(void *ctx, uint64_t number, struct tv_s3_request_errand *asked);
    /* Takes an answer, in the order of the numbers. */
    enum tv_code (*take)(void *ctx, uint64_t number, const struct tv_s3_request_errand *asked,
                         struct tv_error *err);
    void *ctx;
};
/* After a failure no more are begun, and those under way are awaited. */
enum tv_code tv_s3_ask_all(struct tv_errands *errands, const struct tv_s3_asker *asker,
                           const struct tv_s3_series *series, struct tv_error *err) TV_MUST_CHECK;

#endif
