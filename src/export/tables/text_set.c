/*
 * Texts, each of them once; see export/tables/text_set.h.
 *
 * A text is mended before it is looked up, so two texts that differ only in what is mended become
 * one entry. The map points to the kept copy of the text in the arena.
 */
#include "export/tables/text_set.h"

#include "base/text/utf8.h"

void tv_text_set_init(struct tv_text_set *set, const struct tv_alloc *alloc)
{
    *set = (struct tv_text_set){.alloc = alloc};
    tv_arena_init(&set->bytes, alloc);
    tv_text_map_init(&set->map, alloc);
    tv_buffer_init(&set->room, alloc);
}

void tv_text_set_release(struct tv_text_set *set)
{
    tv_alloc_release(set->alloc, &set->texts, set->cap, sizeof(*set->texts));
    tv_buffer_release(&set->room);
    tv_text_map_release(&set->map);
    tv_arena_release(&set->bytes);
    set->count = set->cap = 0;
}

/* Writes the text into the room, as every reader takes it. */
static enum tv_code mend(struct tv_text_set *set, struct tv_str text, struct tv_error *err)
{
    set->room.len = 0;
    for (size_t at = 0; at < text.len;) {
        size_t plain = at;
        char bytes[4];
        while (plain < text.len && (unsigned char)text.at[plain] - 1u < 0x7f)
            plain++;
        TV_TRY(tv_buffer_append(&set->room, text.at + at, plain - at, err));
        at = plain;
        if (at == text.len)
            break;
        uint32_t character = tv_utf8_next(text, &at);
        unsigned len = tv_utf8_put(bytes, character ? character : TV_UTF8_REPLACEMENT);
        TV_TRY(tv_buffer_append(&set->room, bytes, len, err));
    }
    return TV_OK;
}

/* The copy is made before the look-up, because the map keeps the key that it is given; the copy of
 * a text that is known already stays unused in the arena. */
enum tv_code tv_text_set_add(struct tv_text_set *set, struct tv_str text, uint32_t *entry,
                             struct tv_error *err)
{
    uint32_t *slot;
    struct tv_str kept;
    TV_TRY(mend(set, text, err));
    TV_TRY(tv_arena_keep(&set->bytes, tv_buffer_view(&set->room), &kept, err));
    TV_TRY(tv_alloc_grow(set->alloc, &set->texts, &set->cap, set->count + 1, sizeof(*set->texts),
                         err));
    TV_TRY(tv_text_map_slot(&set->map, kept, (uint32_t)set->count, &slot, err));
    *entry = *slot;
    if (*slot == set->count)
        set->texts[set->count++] = kept;
    return TV_OK;
}

struct tv_dictionary tv_text_set_view(const struct tv_text_set *set)
{
    return (struct tv_dictionary){set->texts, (uint32_t)set->count};
}
