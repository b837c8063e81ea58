/*
 * A table by hash, and a trie for texts whose hash another text has; see base/memory/text_map.h.
 *
 * Nearly every text is found by its hash and one comparison. A second text with the same hash is
 * kept in a trie of pieces of four bytes, which is a hash map by node and piece; so an enemy who
 * finds a thousand texts of one hash makes each look-up as long as its text, and no longer.
 */
#include "base/memory/text_map.h"

#include "base/bytes.h"

#define PIECE 4u

void tv_text_map_init(struct tv_text_map *map, const struct tv_alloc *alloc)
{
    *map = (struct tv_text_map){.alloc = alloc};
    tv_map_init(&map->entry_of_hash, alloc);
    tv_map_init(&map->node_of_piece, alloc);
    tv_map_init(&map->entry_of_end, alloc);
}

void tv_text_map_release(struct tv_text_map *map)
{
    tv_alloc_release(map->alloc, &map->entries, map->cap, sizeof(*map->entries));
    tv_map_release(&map->entry_of_hash);
    tv_map_release(&map->node_of_piece);
    tv_map_release(&map->entry_of_end);
    tv_text_map_init(map, map->alloc);
}

/* What is left of a text behind its whole pieces, with its length. */
static uint64_t last_piece(const uint8_t *at, size_t left)
{
    uint64_t last = (uint64_t)left << 24;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)at[i] << 8 * i;
    return last;
}

/* The entry of the text in the trie, which is `initial` if the text is new there. */
static enum tv_code trie_slot(struct tv_text_map *map, struct tv_str text, uint32_t initial,
                              uint32_t **entry, struct tv_error *err)
{
    const uint8_t *at = (const uint8_t *)text.at;
    size_t left = text.len;
    uint64_t node = 0;
    for (; left >= PIECE; left -= PIECE, at += PIECE) {
        uint32_t *next;
        size_t new_node = map->node_of_piece.count + 1;
        if (new_node >= TV_MAP_NONE)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "too many texts with one hash");
        TV_TRY(tv_map_slot(&map->node_of_piece, node << 32 | tv_load_le32(at), (uint32_t)new_node,
                           &next, err));
        node = *next;
    }
    return tv_map_slot(&map->entry_of_end, node << 32 | last_piece(at, left), initial, entry, err);
}

/* The entry of the text, or the number of entries if the text is new. */
static enum tv_code find_entry(struct tv_text_map *map, struct tv_str text, uint32_t *entry,
                               struct tv_error *err)
{
    uint32_t *found;
    uint32_t new_entry = (uint32_t)map->count;
    uint64_t hash = tv_hash_bytes(text.at, text.len);
    TV_TRY(tv_map_slot(&map->entry_of_hash, hash, new_entry, &found, err));
    if (*found != new_entry && !tv_str_equal(map->entries[*found].text, text))
        TV_TRY(trie_slot(map, text, new_entry, &found, err));
    *entry = *found;
    return TV_OK;
}

/* The entry of the text in the trie, or TV_MAP_NONE. */
static uint32_t trie_get(const struct tv_text_map *map, struct tv_str text)
{
    const uint8_t *at = (const uint8_t *)text.at;
    size_t left = text.len;
    uint64_t node = 0;
    for (; left >= PIECE; left -= PIECE, at += PIECE) {
        uint32_t next = tv_map_get(&map->node_of_piece, node << 32 | tv_load_le32(at));
        if (next == TV_MAP_NONE)
            return TV_MAP_NONE;
        node = next;
    }
    return tv_map_get(&map->entry_of_end, node << 32 | last_piece(at, left));
}

uint32_t tv_text_map_get(const struct tv_text_map *map, struct tv_str text)
{
    uint32_t found = tv_map_get(&map->entry_of_hash, tv_hash_bytes(text.at, text.len));
    if (found != TV_MAP_NONE && !tv_str_equal(map->entries[found].text, text))
        found = trie_get(map, text);
    return found == TV_MAP_NONE ? TV_MAP_NONE : map->entries[found].value;
}

enum tv_code tv_text_map_slot(struct tv_text_map *map, struct tv_str text, uint32_t initial,
                              uint32_t **slot, struct tv_error *err)
{
    uint32_t entry;
    if (map->count >= TV_MAP_NONE)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u texts", TV_MAP_NONE);
    /* First, so that no failure leaves a text in a table without its entry. */
    TV_TRY(tv_alloc_grow(map->alloc, &map->entries, &map->cap, map->count + 1,
                         sizeof(*map->entries), err));
    TV_TRY(find_entry(map, text, &entry, err));
    if (entry == map->count)
        map->entries[map->count++] = (struct tv_text_map_entry){.text = text, .value = initial};
    *slot = &map->entries[entry].value;
    return TV_OK;
}
