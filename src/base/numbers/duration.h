/*
 * Durations, and times since a trace's start, as people write them and as our own answers print
 * them: the one reader for all options and settings.
 *
 * A number may have its thousands marked (2,441.049) and digits behind a point. Units are ns, us,
 * ms, s, min or m, h, d and w, directly behind the number or behind one blank. Several of them
 * stand one behind the other, the largest first: "1 min 5 s".
 */
#ifndef TV_BASE_NUMBERS_DURATION_H
#define TV_BASE_NUMBERS_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

/* A time of a trace, in nanoseconds, at most INT64_MAX; a number without a unit is milliseconds.
 * What is below a nanosecond is dropped. */
bool tv_duration_ns(struct tv_str text, uint64_t *time_ns) TV_MUST_CHECK;
/* A duration of a setting, in seconds: it has a unit of a second or longer, and no part of a
 * second. */
bool tv_duration_s(struct tv_str text, uint64_t *time_s) TV_MUST_CHECK;
/* The length of a unit in nanoseconds; 0: it is no unit. */
uint64_t tv_duration_unit_ns(struct tv_str name);

#endif
