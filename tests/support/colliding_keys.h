/*
 * Keys that an enemy would choose for base/memory/map.h: the hash is no secret, and has an inverse,
 * so keys are made from the hashes that they are to have.
 */
#ifndef TESTS_SUPPORT_COLLIDING_KEYS_H
#define TESTS_SUPPORT_COLLIDING_KEYS_H

#include <stdint.h>

/* What the map makes of a key: the low bits are its bucket. */
uint64_t colliding_mixed(uint64_t key);
/* The i-th key whose hash has 32 low bits of 0, so that it is in bucket 0 of any table. */
uint64_t colliding_key(uint32_t i);

#endif
