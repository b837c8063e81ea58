/*
 * The objects of a bucket, below its prefix. Keys are names of files (store/store_files.h): letters
 * and digits that need no encoding. Any thread, also in a Landlock domain: what is done is done by
 * threads of the bucket, which were started with it.
 *
 * Errors as tv_s3_ask has them (s3/request.h).
 */
#ifndef TV_S3_BUCKET_H
#define TV_S3_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "s3/errands.h"
#include "s3/place.h"

/* Files of that length and longer are sent in parts, several at once. */
#define TV_S3_PARTS_FROM ((uint64_t)64 << 20)

struct tv_s3_bucket;

/* An object that is a part of a longer one. */
struct tv_s3_piece {
    const char *key;
    uint64_t len;
};

/* Whether a key is the name of a file: 64 digits. */
bool tv_s3_is_file_name(const char *key);

/* Reads the key, and asks nothing of the bucket yet. */
enum tv_code tv_s3_bucket_open(struct tv_s3_bucket **bucket, const struct tv_s3_place *place,
                               const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
/* Nobody uses it any more. NULL is fine. */
void tv_s3_bucket_close(struct tv_s3_bucket *bucket);
/* The threads, for what else may not be done in a Landlock domain. */
struct tv_errands *tv_s3_bucket_errands(struct tv_s3_bucket *bucket);
/* By how many seconds the clock of this machine was ahead of the server's at the last answer; 0
 * where it tells no time. */
int64_t tv_s3_bucket_ahead_s(const struct tv_s3_bucket *bucket);

enum tv_code tv_s3_bucket_len(struct tv_s3_bucket *bucket, const char *key, uint64_t *len,
                              struct tv_error *err) TV_MUST_CHECK;
/* Reads from `off` on: *len is less than `cap` at the end of the object only. */
enum tv_code tv_s3_bucket_read(struct tv_s3_bucket *bucket, const char *key, uint64_t off,
                               void *into, size_t cap, size_t *len,
                               struct tv_error *err) TV_MUST_CHECK;
/* Brings the whole object into an empty file, in parts, several at once. */
enum tv_code tv_s3_bucket_fetch(struct tv_s3_bucket *bucket, const char *key, int fd, uint64_t *len,
                                struct tv_error *err) TV_MUST_CHECK;
/* Sends a file whose SHA-256 that is. */
enum tv_code tv_s3_bucket_send(struct tv_s3_bucket *bucket, const char *key, int fd, uint64_t len,
                               const char *sha256, struct tv_error *err) TV_MUST_CHECK;
/* Makes an object of others of the bucket, one behind the other (s3/multipart.h). */
enum tv_code tv_s3_bucket_join(struct tv_s3_bucket *bucket, const char *key,
                               const struct tv_s3_piece *pieces, size_t count,
                               struct tv_error *err) TV_MUST_CHECK;
/* TV_OK also where there is none. */
enum tv_code tv_s3_bucket_remove(struct tv_s3_bucket *bucket, const char *key,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Hands the keys behind `after` ("": all) to `take`, in order and without the prefix, until it says
 * false or there are no more. Objects whose keys are no names of files are passed over. */
enum tv_code tv_s3_bucket_list(struct tv_s3_bucket *bucket, const char *after,
                               bool (*take)(void *ctx, const char *key), void *ctx,
                               struct tv_error *err) TV_MUST_CHECK;
/* Gives up sendings in parts that began before that moment (ISO 8601 in UTC) and never ended; what
 * fails stays for a later time. */
void tv_s3_bucket_sweep(struct tv_s3_bucket *bucket, const char *before);

#endif
