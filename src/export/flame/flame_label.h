/*
 * What stands in a box: the name of its frame in the longest form that fits. Of a Java method these
 * are the whole name, then without the package, without the outer classes, without the class; any
 * other name is cut at its end, and so is one of more than TV_MARKUP_NAME_SHOWN bytes: to look for
 * the parts of such names in each box would take long.
 */
#ifndef TV_EXPORT_FLAME_FLAME_LABEL_H
#define TV_EXPORT_FLAME_FLAME_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct tv_flame_label {
    struct tv_str text; /* a part of the name; empty where too little room is */
    bool is_cut;        /* ".." belongs behind it, for which room was left */
};

/* `room` is in characters. Below three of them there is no label. */
struct tv_flame_label tv_flame_label_fit(struct tv_str name, size_t room);

#endif
