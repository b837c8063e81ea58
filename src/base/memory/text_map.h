/*
 * A map from texts to 32-bit values. There is no removal.
 *
 * Texts may be chosen by an enemy who knows the hash. Two texts are one only where all their bytes
 * are the same, and a text whose hash another has already is found in steps of its own length,
 * however many texts have that hash. The texts are not copied and must outlive the map. Owned by
 * whoever called init.
 */
#ifndef TV_BASE_MEMORY_TEXT_MAP_H
#define TV_BASE_MEMORY_TEXT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "base/str.h"

struct tv_text_map_entry {
    struct tv_str text;
    uint32_t value;
};

struct tv_text_map {
    const struct tv_alloc *alloc;
    struct tv_text_map_entry *entries;
    size_t count, cap;
    struct tv_map entry_of_hash; /* the first text with that hash */
    /* All other texts, as a trie of pieces of four bytes. */
    struct tv_map node_of_piece; /* node << 32 | piece -> the next node; the root is 0 */
    struct tv_map entry_of_end;  /* node << 32 | length of the last piece << 24 | that piece */
};

void tv_text_map_init(struct tv_text_map *map, const struct tv_alloc *alloc);
void tv_text_map_release(struct tv_text_map *map);
/* The value of a text, or TV_MAP_NONE. */
uint32_t tv_text_map_get(const struct tv_text_map *map, struct tv_str text);
/* The address of a text's value, which is `initial` if the text is new; valid until the next
 * insertion. */
enum tv_code tv_text_map_slot(struct tv_text_map *map, struct tv_str text, uint32_t initial,
                              uint32_t **slot, struct tv_error *err) TV_MUST_CHECK;

#endif
