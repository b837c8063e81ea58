/*
 * The key of a bucket: an id, which is no secret, and a secret. They stand, in this order:
 *
 * - in the file that the place names (s3/place.h),
 * - in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN,
 * - in $AWS_SHARED_CREDENTIALS_FILE, else ~/.aws/credentials, the file of other programs.
 *
 * Both files have the same form: lines `aws_access_key_id = ...`, `aws_secret_access_key = ...`,
 * `aws_session_token = ...` below the [name] of a profile, or at the beginning without one.
 */
#ifndef TV_S3_KEYS_H
#define TV_S3_KEYS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/str.h"
#include "s3/place.h"

struct tv_s3_keys {
    char id[256];
    char secret[256];
    char token[4096]; /* of a session; "": none */
};

/* TV_ERR_NOT_FOUND: there are none, and the text says where they could stand. No error repeats what
 * stands in a file. */
enum tv_code tv_s3_keys_read(struct tv_s3_keys *keys, const struct tv_s3_place *place,
                             const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
/* Reads the keys of a profile from the text of a file of credentials. TV_ERR_NOT_FOUND: the profile
 * has no key and secret. */
enum tv_code tv_s3_keys_parse(struct tv_s3_keys *keys, struct tv_str text, const char *profile,
                              struct tv_error *err) TV_MUST_CHECK;
/* Overwrites the keys in memory. */
void tv_s3_keys_forget(struct tv_s3_keys *keys);

/* The key that all requests to a bucket are signed with: those of a session are good for hours, and
 * who gives them writes the next into the same file. Any thread. */
struct tv_s3_keyring {
    const struct tv_alloc *alloc;
    const struct tv_s3_place *place;
    pthread_mutex_t lock; /* guards the keys */
    struct tv_s3_keys keys;
};
/* Errors as tv_s3_keys_read has them; it is to be released in any case. */
enum tv_code tv_s3_keyring_init(struct tv_s3_keyring *ring, const struct tv_s3_place *place,
                                const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
void tv_s3_keyring_release(struct tv_s3_keyring *ring);
/* A copy, which the caller forgets. */
void tv_s3_keyring_get(struct tv_s3_keyring *ring, struct tv_s3_keys *keys);
/* Reads the key anew. True: it is another one now. */
bool tv_s3_keyring_renew(struct tv_s3_keyring *ring);

#endif
