/* SHA-256 and HMAC; see base/bytes/sha256.h. The names of functions and constants are those of FIPS
 * 180-4, section 4.1.2, 4.2.2 and 6.2. */
#include "base/bytes/sha256.h"

#include <string.h>

#define BLOCK 64u

/* A sum while texts are added to it. */
struct sum {
    uint32_t state[8];
    uint64_t len; /* bytes added so far */
    uint8_t block[BLOCK];
};

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_be32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void store_be32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* The message schedule: the words of the block, and what they make. */
static void make_schedule(const uint8_t *block, uint32_t w[64])
{
    for (unsigned t = 0; t < 16; t++)
        w[t] = load_be32(block + (size_t)4 * t);
    for (unsigned t = 16; t < 64; t++) {
        uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

/* FIPS 180-4, 6.2.2, with its names for the values. */
static void add_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    make_schedule(block, w);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
        uint32_t ch = (e & f) ^ (~e & g);
        uint32_t t1 = h + sum1 + ch + k[t] + w[t];
        uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
        uint32_t maj = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + sum0 + maj;
    }
    const uint32_t added[8] = {a, b, c, d, e, f, g, h};
    for (unsigned i = 0; i < 8; i++)
        state[i] += added[i];
}

static void begin(struct sum *sum)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sum->state, first, sizeof(first));
    sum->len = 0;
}

static void add(struct sum *sum, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    while (len) {
        size_t filled = sum->len % BLOCK, taken = BLOCK - filled < len ? BLOCK - filled : len;
        memcpy(sum->block + filled, at, taken);
        sum->len += taken;
        at += taken;
        len -= taken;
        if (sum->len % BLOCK == 0)
            add_block(sum->state, sum->block);
    }
}

/* FIPS 180-4, 5.1.1: a bit, zeros, and the number of bits in the last eight bytes of a block. */
static void end(struct sum *sum, uint8_t digest[TV_SHA256_LEN])
{
    uint64_t bits = sum->len * 8;
    uint8_t length[8];
    store_be32(length, (uint32_t)(bits >> 32));
    store_be32(length + 4, (uint32_t)bits);
    add(sum, "\x80", 1);
    while (sum->len % BLOCK != BLOCK - sizeof(length))
        add(sum, "", 1);
    add(sum, length, sizeof(length));
    for (unsigned i = 0; i < 8; i++)
        store_be32(digest + (size_t)4 * i, sum->state[i]);
}

void tv_sha256(struct tv_str text, uint8_t digest[TV_SHA256_LEN])
{
    struct sum sum;
    begin(&sum);
    add(&sum, text.at, text.len);
    end(&sum, digest);
}

/* The sum of a text behind the key, each byte of which is combined with `pad`. */
static void sum_behind(const uint8_t key[BLOCK], uint8_t pad, struct tv_str text,
                       uint8_t digest[TV_SHA256_LEN])
{
    struct sum sum;
    uint8_t padded[BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
        padded[i] = key[i] ^ pad;
    begin(&sum);
    add(&sum, padded, sizeof(padded));
    add(&sum, text.at, text.len);
    end(&sum, digest);
}

/* RFC 2104: a long key is its hash, and two hashes one inside of the other keep the key from being
 * lengthened. */
void tv_hmac_sha256(struct tv_str key, struct tv_str text, uint8_t digest[TV_SHA256_LEN])
{
    uint8_t block[BLOCK] = {0};
    if (key.len > sizeof(block))
        tv_sha256(key, block);
    else if (key.len)
        memcpy(block, key.at, key.len);
    sum_behind(block, 0x36, text, digest);
    sum_behind(block, 0x5c, (struct tv_str){(const char *)digest, TV_SHA256_LEN}, digest);
}
