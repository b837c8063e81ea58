/*
 * What stands where a method's source file would; see base/names/source_names.h. The form is that
 * of R8's documentation of "retrace".
 */
#include "base/names/source_names.h"

static const struct tv_str map_id = {"r8-map-id-", 10};

bool tv_map_id_of(struct tv_str file, struct tv_str *id)
{
    if (!tv_str_starts_with(file, map_id) || file.len == map_id.len)
        return false;
    *id = (struct tv_str){file.at + map_id.len, file.len - map_id.len};
    return true;
}
