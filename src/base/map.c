/* Open addressing with linear probing, at most half full; see base/map.h. */
#include "base/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): neighbouring keys land far apart. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

void tv_map_init(struct tv_map *map, const struct tv_alloc *alloc)
{
    *map = (struct tv_map){.alloc = alloc, .keys = NULL, .values = NULL, .cap = 0, .count = 0};
}

void tv_map_release(struct tv_map *map)
{
    tv_alloc_free(map->alloc, map->keys, map->cap, sizeof(*map->keys));
    tv_alloc_free(map->alloc, map->values, map->cap, sizeof(*map->values));
    tv_map_init(map, map->alloc);
}

/* The place of the key, or the free place where it belongs. cap is not 0. */
static size_t find_place(const struct tv_map *map, uint64_t key)
{
    size_t at = (size_t)mix(key) & (map->cap - 1);
    while (map->values[at] != TV_MAP_NONE && map->keys[at] != key)
        at = (at + 1) & (map->cap - 1);
    return at;
}

uint32_t tv_map_get(const struct tv_map *map, uint64_t key)
{
    return map->cap ? map->values[find_place(map, key)] : TV_MAP_NONE;
}

static enum tv_code rehash(struct tv_map *map, size_t cap, struct tv_error *err)
{
    struct tv_map wider;
    tv_map_init(&wider, map->alloc);
    TV_TRY(tv_alloc_new(map->alloc, &wider.keys, cap, sizeof(*wider.keys), err));
    enum tv_code code = tv_alloc_new(map->alloc, &wider.values, cap, sizeof(*wider.values), err);
    if (code != TV_OK) {
        tv_alloc_free(map->alloc, wider.keys, cap, sizeof(*wider.keys));
        return code;
    }
    memset(wider.values, 0xff, cap * sizeof(*wider.values));
    wider.cap = cap;
    for (size_t i = 0; i < map->cap; i++) {
        if (map->values[i] == TV_MAP_NONE)
            continue;
        size_t at = find_place(&wider, map->keys[i]);
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
    if (map->count >= map->cap / 2)
        TV_TRY(rehash(map, map->cap ? map->cap * 2 : 16, err));
    size_t at = find_place(map, key);
    if (map->values[at] == TV_MAP_NONE) {
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
