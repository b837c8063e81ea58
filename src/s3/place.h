/*
 * Where a bucket is, as one text:
 *
 *     s3://BUCKET/PREFIX?endpoint=URL&region=NAME&style=path|host&keys=FILE&profile=NAME
 *
 * What is behind the bucket may be left out, and then the variables of other programs that speak S3
 * count: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION, AWS_PROFILE.
 * Without any it is Amazon's in us-east-1. A text with a key in it is refused, since logs and lists
 * of processes show it.
 */
#ifndef TV_S3_PLACE_H
#define TV_S3_PLACE_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "os/file/paths.h"

#define TV_S3_NAME_CAP 64u
#define TV_S3_PREFIX_CAP 128u
#define TV_S3_ENDPOINT_CAP 256u

struct tv_s3_place {
    char bucket[TV_S3_NAME_CAP];
    char prefix[TV_S3_PREFIX_CAP];     /* of all keys: "" or ends with a slash */
    char endpoint[TV_S3_ENDPOINT_CAP]; /* scheme and host, and the port where it has one */
    char region[TV_S3_NAME_CAP];
    bool is_by_host; /* the bucket stands in the name of the host, not in the path */
    /* The file with the certificates of authorities that are trusted; NULL: the system's. */
    const char *authorities;
    char keys[TV_PATH_CAP];       /* the file with them; "": elsewhere (s3/keys.h) */
    char profile[TV_S3_NAME_CAP]; /* in that file, or in that of other programs */
};

/* Whether the text begins as the place of a bucket does. */
bool tv_s3_is_place(const char *text);
/* TV_ERR_ARGUMENT: it is no such text; the error does not repeat it. */
enum tv_code tv_s3_place_read(struct tv_s3_place *place, const char *text,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
