/*
 * Checksums against damage; see base/bytes/checksum.h. Eight sums are made side by side, each of
 * every eighth word; the length and the eight sums are then mixed into one.
 */
#include "base/bytes/checksum.h"

#include <string.h>

#define LANE_COUNT 8u
#define STRIPE_LEN (LANE_COUNT * sizeof(uint64_t))

/* The fraction of the square root of 2 in 64 bits: any number but 0 would do as a start. */
#define START UINT64_C(0x6a09e667f3bcc908)

/* Spreads the high bits of a sum, which a word changed last, over all bits. */
static uint64_t finish(uint64_t sum)
{
    sum ^= sum >> 32;
    sum *= UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

/* The last stripe is filled up with zeros; the length, which is part of the sum, tells them
 * from content. */
uint64_t tv_checksum(const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t lanes[LANE_COUNT];
    uint64_t words[LANE_COUNT];
    for (unsigned i = 0; i < LANE_COUNT; i++)
        lanes[i] = START + i;
    size_t left = len;
    for (; left >= STRIPE_LEN; left -= STRIPE_LEN, at += STRIPE_LEN) {
        memcpy(words, at, STRIPE_LEN);
        for (unsigned i = 0; i < LANE_COUNT; i++)
            lanes[i] = tv_checksum_mix(lanes[i], words[i]);
    }
    if (left) {
        memset(words, 0, sizeof(words));
        memcpy(words, at, left);
        for (unsigned i = 0; i < LANE_COUNT; i++)
            lanes[i] = tv_checksum_mix(lanes[i], words[i]);
    }
    uint64_t sum = tv_checksum_mix(START, len);
    for (unsigned i = 0; i < LANE_COUNT; i++)
        sum = tv_checksum_mix(sum, finish(lanes[i]));
    return finish(sum);
}
