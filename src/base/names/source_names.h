/*
 * What a trace says of the names of its methods.
 *
 * One property says that they are those of the source: a mapping gave them, when the trace was read
 * or before it was written (export/names.c). No mapping renames these a second time, and a name
 * that lists methods is the mapping's list. R8 writes "r8-map-id-" and the id of its mapping where
 * a method's source file would stand: without that property such a method has a short name, which
 * is another method's in each build.
 */
#ifndef TV_BASE_NAMES_SOURCE_NAMES_H
#define TV_BASE_NAMES_SOURCE_NAMES_H

#include <stdbool.h>

#include "base/str.h"

#define TV_SOURCE_NAMES_KEY TV_STR("method-names")
#define TV_SOURCE_NAMES TV_STR("source")

/* The id of a mapping that a method's source file is. False: it is another file. */
bool tv_map_id_of(struct tv_str file, struct tv_str *id);

#endif
