/*
 * A hash map from 64-bit keys to 32-bit values: open addressing, linear probing. There is no
 * removal.
 *
 * Keys may be chosen by an enemy. When a key is far from its bucket, all keys are hashed anew with
 * another seed. The seeds are the same ones in the same order in every run, so that results do not
 * depend on chance. Owned by whoever called init.
 */
#ifndef TV_BASE_MAP_H
#define TV_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

struct tv_map {
    const struct tv_alloc *alloc;
    uint64_t *keys;
    uint32_t *values; /* TV_MAP_NONE: the slot is free */
    size_t cap;       /* 0 or a power of two */
    size_t count;
    uint64_t seed;
};

#define TV_MAP_NONE UINT32_MAX

void tv_map_init(struct tv_map *map, const struct tv_alloc *alloc);
void tv_map_release(struct tv_map *map);
/* The value of a key, or TV_MAP_NONE. */
uint32_t tv_map_get(const struct tv_map *map, uint64_t key);
/* Sets the value of a key. The value must not be TV_MAP_NONE. */
enum tv_code tv_map_put(struct tv_map *map, uint64_t key, uint32_t value,
                        struct tv_error *err) TV_MUST_CHECK;
/* The address of a key's value, which is `initial` if the key is new; valid until the
 * next insertion. */
enum tv_code tv_map_slot(struct tv_map *map, uint64_t key, uint32_t initial, uint32_t **slot,
                         struct tv_error *err) TV_MUST_CHECK;

#endif
