/*
 * Reads the numbers of a record one by one, for records that do not fit into eight bytes; see
 * format/packed_steps.h.
 *
 * The fast functions in the header call these for records that one load of eight bytes cannot take.
 * A length of 0 says that no whole record is left.
 */
#include "format/packed_steps.h"

#include "base/bytes/cursor.h"

struct tv_steps tv_steps_take_words_slowly(const uint8_t *at, const uint8_t *end, unsigned count)
{
    struct tv_steps steps = {0};
    struct tv_cursor cursor = {.bytes = at, .len = (size_t)(end - at)};
    if (tv_leb_take_signed(&cursor, &steps.word) && tv_leb_take(&cursor, &steps.time) &&
        (count < TV_STEPS_MOST || tv_leb_take(&cursor, &steps.cpu)))
        steps.len = cursor.pos;
    return steps;
}

struct tv_steps tv_steps_take_ticks_slowly(const uint8_t *at, const uint8_t *end, unsigned count,
                                           uint64_t ticks)
{
    struct tv_steps steps = {0};
    struct tv_cursor cursor = {.bytes = at, .len = (size_t)(end - at)};
    if (tv_leb_take_signed(&cursor, &steps.time) &&
        (count < TV_STEPS_MOST || tv_leb_take(&cursor, &steps.cpu)) &&
        (!tv_steps_is_enter(ticks, steps.time) || tv_leb_take_signed(&cursor, &steps.word)))
        steps.len = cursor.pos;
    return steps;
}
