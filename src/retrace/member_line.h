/*
 * One line of a mapping file about a member of a class, as R8's documentation of retrace and
 * ProGuard's manual describe it:
 *
 *     [1:5:]int [pkg.Class.]name(java.lang.String,int[])[:20[:24]] -> a
 *     java.lang.String name -> b
 *
 * The first numbers are lines of the released build: lines of the file with the same numbers and
 * the same written name, one behind the other, are one method and what was inlined into it, or
 * overloads. A call has one line in the source, so a line with one number behind its parameters is
 * of a method that the one before was inlined into.
 */
#ifndef TV_RETRACE_MEMBER_LINE_H
#define TV_RETRACE_MEMBER_LINE_H

#include <stdbool.h>

#include "base/str.h"

/* Views of the line; what is absent is empty. */
struct tv_member_line {
    bool is_method;           /* else a field */
    struct tv_str range;      /* "1:5" */
    struct tv_str type;       /* of the result or of the field, as Java writes it */
    struct tv_str class_name; /* where the member comes from another class than the lines around */
    struct tv_str name;       /* in the source */
    struct tv_str parameters; /* what stands between the parentheses */
    struct tv_str written;    /* the name in the released build */
    struct tv_str source_range; /* "20:24" or "20", behind the parameters of a method */
};

/* False: the line is no member of a class, and *member means nothing. */
bool tv_member_line_parse(struct tv_str line, struct tv_member_line *member);

#endif
