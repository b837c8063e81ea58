/*
 * What methods have allocated; see analysis/calls/allocated.h. The property is
 * "allocated-bytes=65536;0x4:1200:3400;0x8:...": bytes between two samples, and for each method its
 * id and both sums. It comes from a file, so a method may be named that is not there, or twice: the
 * last one counts.
 */
#include "analysis/calls/allocated.h"

#include "base/memory/map.h"
#include "base/str.h"

#define KEY "allocated-bytes"

bool tv_allocated_is_told(const struct tv_index *index)
{
    return tv_index_property_of(index, TV_STR(KEY)).len != 0;
}

/* One "0x4:1200:3400". */
static bool read_part(struct tv_str part, uint64_t *id, struct tv_allocated *allocated)
{
    struct tv_str field;
    if (!tv_str_starts_with(part, TV_STR("0x")))
        return false;
    part = (struct tv_str){part.at + 2, part.len - 2};
    return tv_str_split(&part, ':', &field) && tv_str_to_u64(field, 16, id) &&
           tv_str_split(&part, ':', &field) && tv_str_to_u64(field, 10, &allocated->own) &&
           tv_str_split(&part, ':', &field) && tv_str_to_u64(field, 10, &allocated->all) &&
           !part.len;
}

static enum tv_code read_parts(const struct tv_index *index, struct tv_str value,
                               struct tv_allocated *of, struct tv_map *method_of_id,
                               struct tv_error *err)
{
    struct tv_str part;
    for (uint32_t i = 0; i < index->method_count; i++)
        TV_TRY(tv_map_put(method_of_id, index->methods[i].id, i, err));
    (void)tv_str_split(&value, ';', &part); /* the interval */
    while (tv_str_split(&value, ';', &part)) {
        uint64_t id;
        struct tv_allocated allocated;
        if (!read_part(part, &id, &allocated))
            return TV_OK;
        const uint32_t method = tv_map_get(method_of_id, id);
        if (method != TV_MAP_NONE)
            of[method] = allocated;
    }
    return TV_OK;
}

enum tv_code tv_allocated_read(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_allocated *of, struct tv_error *err)
{
    struct tv_map method_of_id;
    tv_map_init(&method_of_id, alloc);
    enum tv_code code =
        read_parts(index, tv_index_property_of(index, TV_STR(KEY)), of, &method_of_id, err);
    tv_map_release(&method_of_id);
    return code;
}
