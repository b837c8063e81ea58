/* A hash map with open addressing and linear probing, at most half full; see base/map.h. */
#include "base/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Longer probes than this do not happen by chance in a table that is half full: somebody has
 * chosen the keys. */
#define LONGEST_PROBE 256u
/* Seeds tried in a row. Nobody can find keys that pile up under all of them. */
#define SEED_TRIES 8u

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): neighbouring keys land far apart. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

void tv_map_init(struct tv_map *map, const struct tv_alloc *alloc)
{
    *map = (struct tv_map){
        .alloc = alloc, .keys = NULL, .values = NULL, .cap = 0, .count = 0, .seed = 0};
}

void tv_map_release(struct tv_map *map)
{
    tv_alloc_release(map->alloc, &map->keys, map->cap, sizeof(*map->keys));
    tv_alloc_release(map->alloc, &map->values, map->cap, sizeof(*map->values));
    tv_map_init(map, map->alloc);
}

/* The slot of the key, or the free slot where it belongs, and the steps from its bucket.
 * cap is not 0. */
static size_t find_place(const struct tv_map *map, uint64_t key, size_t *steps)
{
    size_t from = (size_t)mix(key ^ map->seed) & (map->cap - 1);
    size_t at = from;
    while (map->values[at] != TV_MAP_NONE && map->keys[at] != key)
        at = (at + 1) & (map->cap - 1);
    *steps = (at - from) & (map->cap - 1);
    return at;
}

uint32_t tv_map_get(const struct tv_map *map, uint64_t key)
{
    size_t steps;
    return map->cap ? map->values[find_place(map, key, &steps)] : TV_MAP_NONE;
}

/* Moves all keys into a table of `cap` slots under a seed. */
static enum tv_code rehash(struct tv_map *map, size_t cap, uint64_t seed, struct tv_error *err)
{
    struct tv_map wider;
    tv_map_init(&wider, map->alloc);
    TV_TRY(tv_alloc_new(map->alloc, &wider.keys, cap, sizeof(*wider.keys), err));
    enum tv_code code = tv_alloc_new(map->alloc, &wider.values, cap, sizeof(*wider.values), err);
    if (code != TV_OK) {
        tv_alloc_release(map->alloc, &wider.keys, cap, sizeof(*wider.keys));
        return code;
    }
    memset(wider.values, 0xff, cap * sizeof(*wider.values));
    wider.cap = cap;
    wider.seed = seed;
    for (size_t i = 0; i < map->cap; i++) {
        if (map->values[i] == TV_MAP_NONE)
            continue;
        size_t steps;
        size_t at = find_place(&wider, map->keys[i], &steps);
        wider.keys[at] = map->keys[i];
        wider.values[at] = map->values[i];
    }
    wider.count = map->count;
    tv_map_release(map);
    *map = wider;
    return TV_OK;
}

enum tv_code tv_map_slot(struct tv_map *map, uint64_t key, uint32_t initial, uint32_t **slot,
                         struct tv_error *err)
{
    size_t steps = 0;
    size_t at = map->cap ? find_place(map, key, &steps) : 0;
    bool is_new = !map->cap || map->values[at] == TV_MAP_NONE;
    if (is_new && map->count >= map->cap / 2) {
        TV_TRY(rehash(map, map->cap ? map->cap * 2 : 16, map->seed, err));
        at = find_place(map, key, &steps);
    }
    for (unsigned tries = 0; is_new && steps > LONGEST_PROBE && tries < SEED_TRIES; tries++) {
        TV_TRY(rehash(map, map->cap, mix(map->seed + 0x9e3779b97f4a7c15u), err));
        at = find_place(map, key, &steps);
    }
    if (is_new) {
        map->keys[at] = key;
        map->values[at] = initial;
        map->count++;
    }
    *slot = &map->values[at];
    return TV_OK;
}

enum tv_code tv_map_put(struct tv_map *map, uint64_t key, uint32_t value, struct tv_error *err)
{
    uint32_t *slot;
    TV_TRY(tv_map_slot(map, key, value, &slot, err));
    *slot = value;
    return TV_OK;
}
