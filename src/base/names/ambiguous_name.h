/*
 * Names of methods that may be one of several: "save | load | pkg.Other.store | more", as a mapping
 * of names tells them (docs/retrace.md). An alternative with a point has a class of its own, any
 * other is of the method's class.
 */
#ifndef TV_BASE_NAMES_AMBIGUOUS_NAME_H
#define TV_BASE_NAMES_AMBIGUOUS_NAME_H

#include <stdbool.h>

#include "base/str.h"

struct tv_alternative {
    struct tv_str class_name;
    struct tv_str name;
    bool is_any; /* "more": one that is not told */
};

/* Whether a name lists alternatives. A method of a trace may be called so without being one of
 * several: this is for names that a mapping gave. */
bool tv_name_is_ambiguous(struct tv_str name);
/* Takes the next alternative from the front of a name; false: none is left. The class is that of
 * the method. */
bool tv_alternative_next(struct tv_str class_name, struct tv_str *rest,
                         struct tv_alternative *alternative);

#endif
