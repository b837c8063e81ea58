/*
 * Binary search in numbers that ascend: an array of them, or one field of an array of structs.
 *
 * The searches are inline: where they are called, the length of an entry and of its field are
 * constants, so a search costs the same as one that was written out for its struct.
 */
#ifndef TV_BASE_MEMORY_SEARCH_H
#define TV_BASE_MEMORY_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/* Ascending numbers of 4 or 8 bytes. Equal numbers may follow each other. */
struct tv_ascending {
    const void *entries; /* may be NULL when count is 0 */
    size_t count;
    size_t stride;    /* bytes from the start of an entry to that of the next */
    size_t field_off; /* bytes from the start of an entry to its number */
    size_t field_len; /* bytes of a number */
};

/* `count` numbers that stand side by side. */
#define TV_ASCENDING(numbers, count)                                                               \
    ((struct tv_ascending){(numbers), (count), sizeof *(numbers), 0, sizeof *(numbers)})

/* The field of `count` structs, given by the name of their type. */
#define TV_ASCENDING_FIELD(entries, count, type, field)                                            \
    ((struct tv_ascending){(entries), (count), sizeof(type), offsetof(type, field),                \
                           sizeof(((type *)0)->field)})

TV_INLINE uint64_t tv_ascending_at(const struct tv_ascending *in, size_t i)
{
    const char *at = (const char *)in->entries + i * in->stride + in->field_off;
    uint32_t narrow;
    uint64_t wide;
    if (in->field_len == sizeof(narrow)) {
        memcpy(&narrow, at, sizeof(narrow));
        return narrow;
    }
    memcpy(&wide, at, sizeof(wide));
    return wide;
}

/* Place of the first entry that is not below `number`; count where there is none. */
TV_INLINE size_t tv_search_from(struct tv_ascending in, uint64_t number)
{
    size_t low = 0;
    size_t high = in.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tv_ascending_at(&in, middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Place of the last entry that is not above `number`; 0 where there is none. Where an entry stands
 * for all numbers up to the next entry, the place found is that of the entry containing `number`.
 */
TV_INLINE size_t tv_search_containing(struct tv_ascending in, uint64_t number)
{
    size_t low = 0;
    size_t high = in.count;
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (tv_ascending_at(&in, middle) <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
