/* Sums of bytes that come piece by piece: SHA-256, which names a file, and MD5, by which old links
 * name one. One thread at a time. */
#ifndef TV_OS_DIGEST_H
#define TV_OS_DIGEST_H

#include <stddef.h>

#include <nettle/md5.h>
#include <nettle/sha2.h>

#define TV_DIGEST_SHA256_LEN 64u
#define TV_DIGEST_MD5_LEN 32u

struct tv_digest {
    struct sha256_ctx sha256;
    struct md5_ctx md5;
};

void tv_digest_begin(struct tv_digest *digest);
void tv_digest_add(struct tv_digest *digest, const void *bytes, size_t len);
/* The sums as lower-case and as upper-case hexadecimal digits with a NUL. No bytes are added
 * after it. */
void tv_digest_end(struct tv_digest *digest, char sha256[TV_DIGEST_SHA256_LEN + 1],
                   char md5[TV_DIGEST_MD5_LEN + 1]);

#endif
