/*
 * Owner tokens; see site/request/tokens.h. The store has the hash of a token and never the token,
 * so a copy of the database lets nobody change a trace.
 */
#include "site/request/tokens.h"

#include "base/bytes/sha256.h"
#include "base/hex.h"

void tv_token_hash(struct tv_str text, struct tv_hash *hash)
{
    uint8_t sum[TV_SHA256_LEN];
    tv_sha256(text, sum);
    tv_hex_put(hash->hex, sum, sizeof(sum));
    hash->hex[2 * TV_SHA256_LEN] = '\0';
}

bool tv_token_is_of(struct tv_str token, const struct tv_hash *hash)
{
    struct tv_hash given;
    tv_token_hash(token, &given);
    return tv_str_equal_secret((struct tv_str){given.hex, sizeof(given.hex)},
                               (struct tv_str){hash->hex, sizeof(hash->hex)});
}

/* Hashes are compared instead of the texts: they have one length, so that not even the secret's
 * length shows. */
bool tv_secret_is(struct tv_str given, struct tv_str secret)
{
    struct tv_hash hash;
    tv_token_hash(secret, &hash);
    return tv_token_is_of(given, &hash);
}
