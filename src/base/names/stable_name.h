/*
 * The part of a name that is the same in every run.
 *
 * A virtual machine numbers what it generates while a program runs: lambdas, proxies, accessors of
 * reflection; a compiler numbers lambdas in the order of the source. The same code has another
 * number in the next run, or behind a lambda that was added. What is cut off is shown as "*", and
 * methods whose names are the same after it are counted as one.
 */
#ifndef TV_BASE_NAMES_STABLE_NAME_H
#define TV_BASE_NAMES_STABLE_NAME_H

#include <stdbool.h>

#include "base/str.h"

struct tv_stable_name {
    struct tv_str stem; /* the beginning of the name; all of it unless it is cut */
    bool is_cut;        /* "*" stands for the rest */
};

/* com.example.Main$$Lambda$7/0x1f, com.sun.proxy.$Proxy12, GeneratedMethodAccessor3: without the
 * number, and without the address of a hidden class. */
struct tv_stable_name tv_stable_class(struct tv_str class_name);
/* lambda$run$3: without the number. */
struct tv_stable_name tv_stable_method(struct tv_str name);
/* The part of a pattern that stays the same between runs; in a pattern "*" is any text and "?" any
 * byte. No run has the number of a generated name again, so the number in a pattern does not tell
 * names apart either. "Main$$Lambda$1?" and "*Lambda$14" are cut like "Main$$Lambda$14". */
struct tv_stable_name tv_stable_class_pattern(struct tv_str pattern);
struct tv_stable_name tv_stable_method_pattern(struct tv_str pattern);

#endif
