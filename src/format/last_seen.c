/*
 * When threads were last seen; see format/last_seen.h.
 */
#include "format/last_seen.h"

bool tv_last_seen_next(struct tv_str *value, struct tv_last_seen *seen)
{
    struct tv_str part, field;
    uint64_t id;
    if (!tv_str_split(value, ';', &part) || !tv_str_split(&part, ':', &field) ||
        !tv_str_to_u64(field, 10, &id) || id > UINT32_MAX)
        return false;
    seen->thread = (uint32_t)id;
    return tv_str_split(&part, ':', &field) && tv_str_to_u64(field, 10, &seen->ns[TV_CLOCK_WALL]) &&
           tv_str_split(&part, ':', &field) && tv_str_to_u64(field, 10, &seen->ns[TV_CLOCK_CPU]) &&
           !part.len;
}
