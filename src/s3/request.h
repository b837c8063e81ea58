/*
 * One request to a bucket, signed by libcurl (SigV4), and tried again where that may help: a
 * connection that was cut, 500 to 504, 429, SlowDown and the like. Between two tries there is a
 * pause of random length, up to a bound that doubles. Where the key is refused it is read anew,
 * once. Runs on a thread of errands (s3/errands.h).
 */
#ifndef TV_S3_REQUEST_H
#define TV_S3_REQUEST_H

#include <stdint.h>

#include "base/memory/buffer.h"
#include "s3/errands.h"
#include "s3/keys.h"
#include "s3/place.h"

#define TV_S3_ETAG_CAP 160u
#define TV_S3_CODE_CAP 64u

enum tv_s3_method { TV_S3_GET, TV_S3_HEAD, TV_S3_PUT, TV_S3_POST, TV_S3_DELETE };

/* How long it is tried, seen from the last byte that moved. */
enum tv_s3_patience {
    TV_S3_SHORT, /* somebody waits for a page: 4 s */
    TV_S3_LONG   /* bytes were sent that took longer to bring: 20 s */
};

struct tv_s3_request {
    enum tv_s3_method method;
    enum tv_s3_patience patience;
    const char *key;   /* "": the bucket itself */
    const char *query; /* in the order of its names, encoded; "" */
    /* The body of a PUT is a part of a file, that of a POST a text; others have none. */
    int fd;
    uint64_t off, len;
    struct tv_str body;
    const char *sha256; /* of the body */
    /* A PUT without a body: the object whose bytes the server takes; NULL: none. */
    const char *copied_key;
    /* A GET of a range, into memory or into a file. range_len 0: all as a text. */
    uint64_t range_off, range_len;
    void *into;  /* NULL: into_fd */
    int into_fd; /* at the same offset as in the object */
};

struct tv_s3_answer {
    int status;
    uint64_t len;              /* of the body, by the header */
    uint64_t whole;            /* of the object, where a range was asked for */
    uint64_t got;              /* bytes of the range */
    char etag[TV_S3_ETAG_CAP]; /* by the header */
    char code[TV_S3_CODE_CAP]; /* S3's word for the error: NoSuchKey; "": it told none */
    struct tv_buffer text;     /* what came otherwise; the caller releases it */
};

/* What requests to a bucket have in common. */
struct tv_s3_asker {
    const struct tv_alloc *alloc;
    const struct tv_s3_place *place;
    struct tv_s3_keyring *keys;
    /* By how many seconds this machine's clock was ahead of the server's at the last answer. */
    _Atomic int64_t *ahead_s;
};

/* TV_OK: it was done (2xx). TV_ERR_NOT_FOUND: there is no such key (or upload of parts).
 * TV_ERR_AWAY: the server does not answer, or is overloaded. TV_ERR_LIMIT: it has no room.
 * TV_ERR_SYSTEM: it refuses. */
enum tv_code tv_s3_ask(const struct tv_s3_asker *asker, const struct tv_s3_line *line,
                       const struct tv_s3_request *request, struct tv_s3_answer *answer,
                       struct tv_error *err) TV_MUST_CHECK;

#endif
