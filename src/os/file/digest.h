/* Sums of bytes that come piece by piece: SHA-256, which names a file, and where it is asked for
 * MD5, by which old links name one, and which takes more than twice as long. So of large pieces MD5
 * is computed by a thread of its own, while the caller writes them to the disk and computes
 * SHA-256. One thread of the caller at a time. A digest stays where it was begun. */
#ifndef TV_OS_FILE_DIGEST_H
#define TV_OS_FILE_DIGEST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nettle/md5.h>
#include <nettle/sha2.h>

#include "base/compiler.h"

#define TV_DIGEST_SHA256_LEN 64u
#define TV_DIGEST_MD5_LEN 32u

enum tv_digest_sums { TV_DIGEST_SHA256, TV_DIGEST_SHA256_AND_MD5 };

/* The thread that computes MD5. */
struct tv_digest_helper {
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    const void *bytes; /* lent; NULL: it has none */
    size_t len;
    bool is_ending;
};

struct tv_digest {
    enum tv_digest_sums sums;
    struct sha256_ctx sha256;
    struct md5_ctx md5; /* the helper's while it has bytes */
    bool has_helper;
    struct tv_digest_helper helper;
};

void tv_digest_begin(struct tv_digest *digest, enum tv_digest_sums sums);
void tv_digest_add(struct tv_digest *digest, const void *bytes, size_t len);
/* Adding bytes in two steps: between them the caller may work with the bytes, while a helper thread
 * computes MD5. The bytes must not change before the second step, which follows in any case. */
void tv_digest_lend(struct tv_digest *digest, const void *bytes, size_t len);
void tv_digest_take(struct tv_digest *digest, const void *bytes, size_t len);
/* Ends its thread. A digest that is all 0, or was released, is fine. */
void tv_digest_release(struct tv_digest *digest);
/* The sums as lower-case and as upper-case hexadecimal digits with a NUL; md5 is left alone, and
 * may be NULL, where it was not asked for. No bytes are added after it. */
void tv_digest_end(struct tv_digest *digest, char sha256[TV_DIGEST_SHA256_LEN + 1],
                   char md5[TV_DIGEST_MD5_LEN + 1]);
/* A SHA-256 in the middle, as digits that a row can keep: another process goes on from it. "": none
 * is known. It has the last bytes, less than 64, as they are. */
#define TV_DIGEST_SO_FAR_CAP (2 * (SHA256_DIGEST_SIZE + SHA256_BLOCK_SIZE) - 1)
struct tv_digest_so_far {
    char hex[TV_DIGEST_SO_FAR_CAP];
};
/* Before tv_digest_end. */
void tv_digest_save(const struct tv_digest *digest, struct tv_digest_so_far *so_far);
/* Continues the SHA-256 that was saved after `bytes` bytes. False: `so_far` is none of that many
 * bytes. */
bool tv_digest_resume(struct tv_digest *digest, const struct tv_digest_so_far *so_far,
                      uint64_t bytes) TV_MUST_CHECK;
/* The SHA-256 of a whole file, and how many bytes it has. False: it cannot be read, and errno says
 * why. */
bool tv_digest_sha256_of(int fd, char sha256[TV_DIGEST_SHA256_LEN + 1],
                         uint64_t *bytes) TV_MUST_CHECK;
/* The MD5 of a whole file. False: it cannot be read, and md5 is "". */
bool tv_digest_md5_of(int fd, char md5[TV_DIGEST_MD5_LEN + 1]);

#endif
