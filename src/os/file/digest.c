/*
 * Sums by nettle, which uses the processor's own instructions for SHA-256; see os/file/digest.h.
 * MD5 is computed only where links of old sites need it, by a thread that is started with the first
 * large piece. It has one piece at a time, and the caller waits for it before the next one, so no
 * byte is copied.
 */
#include "os/file/digest.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/hex.h"
#include "os/file/read_part.h"

/* The shortest piece for which a thread is started: below, starting takes longer than MD5. */
#define HELPED_LEN ((size_t)64 * 1024)
/* Bytes of a file that are read at once. */
#define READ_LEN ((size_t)64 * 1024)

static void *help(void *arg)
{
    struct tv_digest *digest = arg;
    struct tv_digest_helper *helper = &digest->helper;
    (void)pthread_mutex_lock(&helper->lock);
    for (;;) {
        while (!helper->bytes && !helper->is_ending)
            (void)pthread_cond_wait(&helper->changed, &helper->lock);
        if (!helper->bytes)
            break;
        (void)pthread_mutex_unlock(&helper->lock);
        md5_update(&digest->md5, helper->len, helper->bytes);
        (void)pthread_mutex_lock(&helper->lock);
        helper->bytes = NULL;
        (void)pthread_cond_signal(&helper->changed);
    }
    (void)pthread_mutex_unlock(&helper->lock);
    return NULL;
}

/* Without a thread the caller computes both. */
static void start_helper(struct tv_digest *digest)
{
    struct tv_digest_helper *helper = &digest->helper;
    *helper = (struct tv_digest_helper){.bytes = NULL};
    (void)pthread_mutex_init(&helper->lock, NULL);
    (void)pthread_cond_init(&helper->changed, NULL);
    digest->has_helper = pthread_create(&helper->thread, NULL, help, digest) == 0;
    if (digest->has_helper)
        return;
    (void)pthread_cond_destroy(&helper->changed);
    (void)pthread_mutex_destroy(&helper->lock);
}

void tv_digest_begin(struct tv_digest *digest, enum tv_digest_sums sums)
{
    digest->sums = sums;
    digest->has_helper = false;
    sha256_init(&digest->sha256);
    md5_init(&digest->md5);
}

void tv_digest_lend(struct tv_digest *digest, const void *bytes, size_t len)
{
    struct tv_digest_helper *helper = &digest->helper;
    if (digest->sums != TV_DIGEST_SHA256_AND_MD5 || !len)
        return;
    if (!digest->has_helper && len >= HELPED_LEN)
        start_helper(digest);
    if (!digest->has_helper)
        return;
    (void)pthread_mutex_lock(&helper->lock);
    helper->bytes = bytes;
    helper->len = len;
    (void)pthread_cond_signal(&helper->changed);
    (void)pthread_mutex_unlock(&helper->lock);
}

void tv_digest_take(struct tv_digest *digest, const void *bytes, size_t len)
{
    struct tv_digest_helper *helper = &digest->helper;
    sha256_update(&digest->sha256, len, bytes);
    if (!digest->has_helper) {
        if (digest->sums == TV_DIGEST_SHA256_AND_MD5)
            md5_update(&digest->md5, len, bytes);
        return;
    }
    (void)pthread_mutex_lock(&helper->lock);
    while (helper->bytes)
        (void)pthread_cond_wait(&helper->changed, &helper->lock);
    (void)pthread_mutex_unlock(&helper->lock);
}

void tv_digest_add(struct tv_digest *digest, const void *bytes, size_t len)
{
    tv_digest_lend(digest, bytes, len);
    tv_digest_take(digest, bytes, len);
}

void tv_digest_release(struct tv_digest *digest)
{
    struct tv_digest_helper *helper = &digest->helper;
    if (!digest->has_helper)
        return;
    (void)pthread_mutex_lock(&helper->lock);
    helper->is_ending = true;
    (void)pthread_cond_signal(&helper->changed);
    (void)pthread_mutex_unlock(&helper->lock);
    (void)pthread_join(helper->thread, NULL);
    (void)pthread_cond_destroy(&helper->changed);
    (void)pthread_mutex_destroy(&helper->lock);
    digest->has_helper = false;
}

static void put_md5(struct md5_ctx *ctx, char md5[TV_DIGEST_MD5_LEN + 1])
{
    uint8_t bytes[MD5_DIGEST_SIZE];
    md5_digest(ctx, MD5_DIGEST_SIZE, bytes);
    tv_hex_put(md5, bytes, MD5_DIGEST_SIZE);
    for (size_t i = 0; i < TV_DIGEST_MD5_LEN; i++) /* old links have capitals */
        md5[i] = (char)(md5[i] >= 'a' ? md5[i] - 'a' + 'A' : md5[i]);
    md5[TV_DIGEST_MD5_LEN] = '\0';
}

void tv_digest_save(const struct tv_digest *digest, struct tv_digest_so_far *so_far)
{
    const struct sha256_ctx *ctx = &digest->sha256;
    uint8_t words[SHA256_DIGEST_SIZE];
    for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++)
        words[i] = (uint8_t)(ctx->state[i / 4] >> (24 - 8 * (i % 4)));
    tv_hex_put(so_far->hex, words, SHA256_DIGEST_SIZE);
    tv_hex_put(so_far->hex + TV_DIGEST_SHA256_LEN, ctx->block, ctx->index);
    so_far->hex[TV_DIGEST_SHA256_LEN + 2 * (size_t)ctx->index] = '\0';
}

static uint8_t byte_of(const char *digits)
{
    return (uint8_t)(tv_hex_value(digits[0]) << 4 | tv_hex_value(digits[1]));
}

bool tv_digest_resume(struct tv_digest *digest, const struct tv_digest_so_far *so_far,
                      uint64_t bytes)
{
    struct sha256_ctx *ctx = &digest->sha256;
    const size_t kept = bytes % SHA256_BLOCK_SIZE; /* of a block that is not full yet */
    const char *digits = so_far->hex;
    tv_digest_begin(digest, TV_DIGEST_SHA256);
    if (strnlen(digits, sizeof(so_far->hex)) != TV_DIGEST_SHA256_LEN + 2 * kept ||
        !tv_hex_is(tv_str_from(digits)))
        return false;
    for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++)
        ctx->state[i / 4] = ctx->state[i / 4] << 8 | byte_of(digits + 2 * i);
    for (size_t i = 0; i < kept; i++)
        ctx->block[i] = byte_of(digits + TV_DIGEST_SHA256_LEN + 2 * i);
    ctx->count = bytes / SHA256_BLOCK_SIZE;
    ctx->index = (unsigned)kept;
    return true;
}

bool tv_digest_md5_of(int fd, char md5[TV_DIGEST_MD5_LEN + 1])
{
    uint8_t bytes[READ_LEN];
    struct md5_ctx ctx;
    uint64_t off = 0;
    ssize_t got;
    md5_init(&ctx);
    while ((got = tv_file_read_part(fd, off, bytes, sizeof(bytes))) > 0) {
        md5_update(&ctx, (size_t)got, bytes);
        off += (uint64_t)got;
    }
    md5[0] = '\0';
    if (got == 0)
        put_md5(&ctx, md5);
    return got == 0;
}

/* The digest is of no use afterwards. */
void tv_digest_end(struct tv_digest *digest, char sha256[TV_DIGEST_SHA256_LEN + 1],
                   char md5[TV_DIGEST_MD5_LEN + 1])
{
    uint8_t bytes[SHA256_DIGEST_SIZE];
    tv_digest_release(digest);
    sha256_digest(&digest->sha256, SHA256_DIGEST_SIZE, bytes);
    tv_hex_put(sha256, bytes, SHA256_DIGEST_SIZE);
    sha256[TV_DIGEST_SHA256_LEN] = '\0';
    if (digest->sums == TV_DIGEST_SHA256_AND_MD5)
        put_md5(&digest->md5, md5);
}

bool tv_digest_sha256_of(int fd, char sha256[TV_DIGEST_SHA256_LEN + 1], uint64_t *bytes)
{
    uint8_t block[READ_LEN];
    struct tv_digest digest;
    ssize_t got;
    *bytes = 0;
    tv_digest_begin(&digest, TV_DIGEST_SHA256);
    while ((got = tv_file_read_part(fd, *bytes, block, sizeof(block))) > 0) {
        tv_digest_add(&digest, block, (size_t)got);
        *bytes += (uint64_t)got;
    }
    const int why = errno;
    tv_digest_end(&digest, sha256, NULL);
    errno = why;
    return got == 0;
}
