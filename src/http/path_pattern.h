/*
 * Patterns of paths, as tables of routes have them (http/routes.h). A path is matched as it came,
 * not decoded: ids and names never need an escape.
 *
 * A part in braces stands for any text of some kind: {id} for 32 hexadecimal digits, {thread} for
 * decimal digits, {name} for a name of a file with escapes, {rest} for all that is left of the
 * path, which may be nothing; other names for a word of letters, digits, "_", "-" and "." that does
 * not begin with a dot.
 */
#ifndef TV_HTTP_PATH_PATTERN_H
#define TV_HTTP_PATH_PATTERN_H

#include <stdbool.h>

#include "base/str.h"

/* What stood in the path for the parts in braces: views of it. */
struct tv_path_parts {
    struct tv_str id;
    struct tv_str name; /* of {thread}, {name}, {rest}, {route}, {format} or {file} */
};

bool tv_path_matches(const char *pattern, struct tv_str path, struct tv_path_parts *parts);

#endif
