/*
 * Sums in headers; see site/upload/digests.h. A client may say which SHA-256 it sends, as 64 digits
 * or by RFC 9530 ("sha-256=:BASE64:"); a sum that cannot be read is an error, since it would
 * otherwise protect nothing.
 */
#include "site/upload/digests.h"

#include <string.h>

#include "base/bytes/base64.h"
#include "base/bytes/sha256.h"
#include "base/hex.h"

static enum tv_code refuse(struct tv_error *err, const char *header, const char *wanted)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: %s", header, wanted);
}

/* Capitals are taken as well, as some tools print them. */
static enum tv_code read_digits(struct tv_str value, struct tv_hash *hash, struct tv_error *err)
{
    if (value.len != sizeof(hash->hex) - 1)
        return refuse(err, "X-Checksum-Sha256", "is 64 hexadecimal digits");
    for (size_t i = 0; i < value.len; i++) {
        char c = value.at[i];
        if (c >= 'A' && c <= 'F')
            c = (char)(c - 'A' + 'a');
        if (tv_hex_value(c) < 0)
            return refuse(err, "X-Checksum-Sha256", "is 64 hexadecimal digits");
        hash->hex[i] = c;
    }
    hash->hex[value.len] = '\0';
    return TV_OK;
}

/* Reads "sha-256=:BASE64:"; other algorithms in the list are passed over. */
static enum tv_code read_digest(const char *header, struct tv_str value, bool *has,
                                struct tv_hash *hash, struct tv_error *err)
{
    static const struct tv_str name = {"sha-256=:", 9};
    uint8_t sum[TV_SHA256_LEN + 1];
    struct tv_str word;
    size_t len;
    *has = false;
    while (!*has && tv_http_next_word(&value, &word))
        *has = tv_str_starts_with(word, name);
    if (!*has)
        return TV_OK;
    const uint8_t *at = (const uint8_t *)word.at + name.len;
    size_t text_len = word.len - name.len;
    bool is_closed = text_len && at[text_len - 1] == ':';
    if (!is_closed || !tv_base64_measure(at, text_len - 1, &len) || len != TV_SHA256_LEN ||
        tv_base64_decode(at, text_len - 1, sum, sizeof(sum)) != TV_SHA256_LEN)
        return refuse(err, header, "sha-256=:...: is not the base64 of 32 bytes");
    tv_hex_put(hash->hex, sum, TV_SHA256_LEN);
    hash->hex[2 * TV_SHA256_LEN] = '\0';
    return TV_OK;
}

enum tv_code tv_digests_find(const struct tv_http_request *request, enum tv_digest_of what,
                             bool *has, struct tv_hash *hash, struct tv_error *err)
{
    const char *header = what == TV_DIGEST_OF_FILE ? "Repr-Digest" : "Content-Digest";
    struct tv_str digits = tv_http_header(request, "X-Checksum-Sha256");
    struct tv_str digest = tv_http_header(request, header);
    *has = digits.at != NULL;
    if (digits.at)
        return read_digits(digits, hash, err);
    return digest.at ? read_digest(header, digest, has, hash, err) : TV_OK;
}
