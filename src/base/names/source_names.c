/* See base/names/source_names.h. */
#include "base/names/source_names.h"

static const struct tv_str map_id = {"r8-map-id-", 10};

bool tv_map_id_of(struct tv_str file, struct tv_str *id)
{
    if (!tv_str_starts_with(file, map_id) || file.len == map_id.len)
        return false;
    *id = (struct tv_str){file.at + map_id.len, file.len - map_id.len};
    return true;
}
