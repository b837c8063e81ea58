/*
 * Slots with linear probing, at most half of them taken, and a tree for keys that find no slot near
 * their bucket; see base/memory/map.h.
 *
 * A look-up tries TV_MAP_LONGEST_PROBE slots and then walks down the tree, one bit of the key a
 * level, so no choice of keys makes it slow. Keys are mixed first, since ids are mostly multiples
 * of some number.
 */
#include "base/memory/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* No key is in the slots that were looked at, and none of them is free. */
#define NO_SLOT SIZE_MAX

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): neighbouring keys land far apart. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

void tv_map_init(struct tv_map *map, const struct tv_alloc *alloc)
{
    *map = (struct tv_map){.alloc = alloc};
}

void tv_map_release(struct tv_map *map)
{
    tv_alloc_release(map->alloc, &map->keys, map->cap, sizeof(*map->keys));
    tv_alloc_release(map->alloc, &map->values, map->cap, sizeof(*map->values));
    tv_alloc_release(map->alloc, &map->tree, map->tree_cap, sizeof(*map->tree));
    tv_map_init(map, map->alloc);
}

/* The slot of the key, or the free slot where it belongs, or NO_SLOT. cap is not 0. No slot is ever
 * freed, so a key that came to the tree is not sought behind a free slot. */
static size_t find_slot(const struct tv_map *map, uint64_t key)
{
    size_t at = (size_t)mix(key) & (map->cap - 1);
    for (unsigned i = 0; i < TV_MAP_LONGEST_PROBE; i++) {
        if (map->values[at] == TV_MAP_NONE || map->keys[at] == key)
            return at;
        at = (at + 1) & (map->cap - 1);
    }
    return NO_SLOT;
}

/* The place in the tree of the one key that may equal `key`. The tree is not empty. */
static uint32_t find_in_tree(const struct tv_map *map, uint64_t key)
{
    uint32_t above = 64;
    uint32_t at = map->root;
    while (map->tree[at].bit < above) {
        above = map->tree[at].bit;
        at = map->tree[at].child[key >> above & 1];
    }
    return at;
}

uint32_t tv_map_get(const struct tv_map *map, uint64_t key)
{
    if (!map->cap)
        return TV_MAP_NONE;
    size_t at = find_slot(map, key);
    if (TV_LIKELY(at != NO_SLOT))
        return map->values[at];
    if (!map->tree_count)
        return TV_MAP_NONE;
    const struct tv_map_node *node = &map->tree[find_in_tree(map, key)];
    return node->key == key ? node->value : TV_MAP_NONE;
}

/* Links a new node where the first bit in which its key differs from `near`, the most similar key
 * of the tree, has its place among the bits on the way. */
static void link_node(struct tv_map *map, uint32_t new_ix, uint64_t near)
{
    struct tv_map_node *node = &map->tree[new_ix];
    uint32_t *link = &map->root;
    uint32_t above = 64;
    node->bit = 63 - (uint32_t)__builtin_clzll(node->key ^ near);
    while (map->tree[*link].bit < above && map->tree[*link].bit >= node->bit) {
        above = map->tree[*link].bit;
        link = &map->tree[*link].child[node->key >> above & 1];
    }
    node->child[node->key >> node->bit & 1] = new_ix;
    node->child[~node->key >> node->bit & 1] = *link;
    *link = new_ix;
}

/* The value of a key in the tree, which is `initial` if the key is new. */
static enum tv_code put_in_tree(struct tv_map *map, uint64_t key, uint32_t initial,
                                uint32_t **value, struct tv_error *err)
{
    uint32_t near = map->tree_count ? find_in_tree(map, key) : 0;
    if (map->tree_count && map->tree[near].key == key) {
        *value = &map->tree[near].value;
        return TV_OK;
    }
    if (map->tree_count >= UINT32_MAX)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u keys", UINT32_MAX);
    TV_TRY(tv_alloc_grow(map->alloc, &map->tree, &map->tree_cap, map->tree_count + 1,
                         sizeof(*map->tree), err));
    uint32_t new_ix = (uint32_t)map->tree_count++;
    map->tree[new_ix] =
        (struct tv_map_node){.key = key, .value = initial, .child = {new_ix, new_ix}};
    if (new_ix)
        link_node(map, new_ix, map->tree[near].key);
    map->count++;
    *value = &map->tree[new_ix].value;
    return TV_OK;
}

/* The value of a key, which is `initial` if the key is new. There are slots for one key more. */
static enum tv_code put_key(struct tv_map *map, uint64_t key, uint32_t initial, uint32_t **value,
                            struct tv_error *err)
{
    size_t at = find_slot(map, key);
    if (TV_UNLIKELY(at == NO_SLOT))
        return put_in_tree(map, key, initial, value, err);
    *value = &map->values[at];
    if (map->values[at] != TV_MAP_NONE)
        return TV_OK;
    map->keys[at] = key;
    map->values[at] = initial;
    map->count++;
    return TV_OK;
}

/* First the slots, then the tree of those that found no slot; `at` counts through both. */
bool tv_map_next(const struct tv_map *map, size_t *at, uint64_t *key, uint32_t *value)
{
    while (*at < map->cap && map->values[*at] == TV_MAP_NONE)
        ++*at;
    bool is_slot = *at < map->cap;
    if (!is_slot && *at - map->cap == map->tree_count)
        return false;
    *key = is_slot ? map->keys[*at] : map->tree[*at - map->cap].key;
    *value = is_slot ? map->values[*at] : map->tree[*at - map->cap].value;
    ++*at;
    return true;
}

/* Puts all keys of a map into another one, which has slots enough. */
static enum tv_code put_all(struct tv_map *to, const struct tv_map *from, struct tv_error *err)
{
    uint64_t key;
    uint32_t value;
    uint32_t *put;
    for (size_t at = 0; tv_map_next(from, &at, &key, &value);)
        TV_TRY(put_key(to, key, value, &put, err));
    return TV_OK;
}

/* Moves all keys into a table of `cap` slots; those of the tree may find a slot now. */
static enum tv_code rehash(struct tv_map *map, size_t cap, struct tv_error *err)
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
    code = put_all(&wider, map, err);
    if (code != TV_OK) {
        tv_map_release(&wider);
        return code;
    }
    tv_map_release(map);
    *map = wider;
    return TV_OK;
}

enum tv_code tv_map_slot(struct tv_map *map, uint64_t key, uint32_t initial, uint32_t **slot,
                         struct tv_error *err)
{
    /* A key that is there is found whether or not the slots are full, and needs no memory. */
    size_t at = map->cap ? find_slot(map, key) : NO_SLOT;
    if (at != NO_SLOT && map->values[at] != TV_MAP_NONE) {
        *slot = &map->values[at];
        return TV_OK;
    }
    bool is_full = map->count - map->tree_count >= map->cap / 2;
    if (is_full && (at != NO_SLOT || !map->cap))
        TV_TRY(rehash(map, map->cap ? map->cap * 2 : 16, err));
    return put_key(map, key, initial, slot, err);
}

enum tv_code tv_map_put(struct tv_map *map, uint64_t key, uint32_t value, struct tv_error *err)
{
    uint32_t *slot;
    TV_TRY(tv_map_slot(map, key, value, &slot, err));
    *slot = value;
    return TV_OK;
}
