/*
 * A hash map from 64-bit keys to 32-bit values. There is no removal.
 *
 * Keys may be chosen by an enemy who knows the hash, so the map has no bad case to choose: a key
 * stands within TV_MAP_LONGEST_PROBE slots of its bucket, and where all of these are taken, in a
 * tree beside the slots, which is never deeper than a key has bits. With keys that were not chosen
 * the tree is empty, or nearly so. Nothing depends on chance. Owned by whoever called init.
 */
#ifndef TV_BASE_MEMORY_MAP_H
#define TV_BASE_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* Slots that are looked at for one key. By chance, hardly one key in a million needs more in a
 * table that is half full. */
#define TV_MAP_LONGEST_PROBE 64u

/*
 * A key of the tree, which is a PATRICIA trie (Morrison 1968): a node tests one bit, and bits
 * descend on the way from the root. A child that tests no lower bit than its parent is no further
 * node to test but the end of the way: the key that may be the one that is looked for.
 */
struct tv_map_node {
    uint64_t key;
    uint32_t value;
    uint32_t child[2]; /* places in the tree, for a bit of 0 and of 1 */
    uint32_t bit;      /* 0 to 63 */
};

struct tv_map {
    const struct tv_alloc *alloc;
    uint64_t *keys;
    uint32_t *values; /* TV_MAP_NONE: the slot is free */
    size_t cap;       /* slots: 0 or a power of two */
    size_t count;     /* keys, in slots and in the tree */
    struct tv_map_node *tree;
    size_t tree_count;
    size_t tree_cap;
    uint32_t root; /* its place in the tree */
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
/* Goes through the keys, in no order that means something: *at is 0 at first. False: that was all.
 */
bool tv_map_next(const struct tv_map *map, size_t *at, uint64_t *key, uint32_t *value);

#endif
