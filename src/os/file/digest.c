/*
 * Sums by nettle, which uses the processor's own instructions for SHA-256; see os/file/digest.h.
 * MD5 is computed only where links of old sites need it.
 */
#include "os/file/digest.h"

#include <stdint.h>

#include "base/hex.h"

void tv_digest_begin(struct tv_digest *digest, enum tv_digest_sums sums)
{
    digest->sums = sums;
    sha256_init(&digest->sha256);
    md5_init(&digest->md5);
}

void tv_digest_add(struct tv_digest *digest, const void *bytes, size_t len)
{
    sha256_update(&digest->sha256, len, bytes);
    if (digest->sums == TV_DIGEST_SHA256_AND_MD5)
        md5_update(&digest->md5, len, bytes);
}

/* The digest is of no use afterwards. */
void tv_digest_end(struct tv_digest *digest, char sha256[TV_DIGEST_SHA256_LEN + 1],
                   char md5[TV_DIGEST_MD5_LEN + 1])
{
    uint8_t bytes[SHA256_DIGEST_SIZE];
    sha256_digest(&digest->sha256, SHA256_DIGEST_SIZE, bytes);
    tv_hex_put(sha256, bytes, SHA256_DIGEST_SIZE);
    sha256[TV_DIGEST_SHA256_LEN] = '\0';
    if (digest->sums != TV_DIGEST_SHA256_AND_MD5)
        return;
    md5_digest(&digest->md5, MD5_DIGEST_SIZE, bytes);
    tv_hex_put(md5, bytes, MD5_DIGEST_SIZE);
    for (size_t i = 0; i < TV_DIGEST_MD5_LEN; i++) /* old links have capitals */
        md5[i] = (char)(md5[i] >= 'a' ? md5[i] - 'a' + 'A' : md5[i]);
    md5[TV_DIGEST_MD5_LEN] = '\0';
}
