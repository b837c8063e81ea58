/* Sums of bytes that come piece by piece: SHA-256, which names a file, and where it is asked for
 * MD5, by which old links name one, and which takes more than twice as long. One thread at a time.
 */
#ifndef TV_OS_FILE_DIGEST_H
#define TV_OS_FILE_DIGEST_H

#include <stddef.h>

#include <nettle/md5.h>
#include <nettle/sha2.h>

#define TV_DIGEST_SHA256_LEN 64u
#define TV_DIGEST_MD5_LEN 32u

enum tv_digest_sums { TV_DIGEST_SHA256, TV_DIGEST_SHA256_AND_MD5 };

struct tv_digest {
    enum tv_digest_sums sums;
    struct sha256_ctx sha256;
    struct md5_ctx md5;
};

void tv_digest_begin(struct tv_digest *digest, enum tv_digest_sums sums);
void tv_digest_add(struct tv_digest *digest, const void *bytes, size_t len);
/* The sums as lower-case and as upper-case hexadecimal digits with a NUL; md5 is left alone, and
 * may be NULL, where it was not asked for. No bytes are added after it. */
void tv_digest_end(struct tv_digest *digest, char sha256[TV_DIGEST_SHA256_LEN + 1],
                   char md5[TV_DIGEST_MD5_LEN + 1]);

#endif
