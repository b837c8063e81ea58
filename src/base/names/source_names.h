/*
 * The property by which a trace says that its methods have the names of the source: a mapping gave
 * them when the file was written (export/names.c). No mapping renames them a second time, and a
 * name that lists methods is the mapping's list.
 */
#ifndef TV_BASE_NAMES_SOURCE_NAMES_H
#define TV_BASE_NAMES_SOURCE_NAMES_H

#include "base/str.h"

#define TV_SOURCE_NAMES_KEY TV_STR("method-names")
#define TV_SOURCE_NAMES TV_STR("source")

#endif
