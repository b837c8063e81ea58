/* The median of numbers that come from a trace: in linear time, also for numbers that an attacker
 * chose. Any thread. */
#ifndef TV_BASE_NUMBERS_MEDIAN_H
#define TV_BASE_NUMBERS_MEDIAN_H

#include <stddef.h>
#include <stdint.h>

/* The median of `count` numbers, none of which is NaN; for an even count the mean of the middle
 * two; 0 for none. `room` has place for `count` numbers and must not overlap `values`. */
double tv_median(const double *values, double *room, size_t count);

/* The number at a place, from 0. */
typedef uint64_t tv_number_of(const void *ctx, size_t place);
/* The number that would stand at place `before` if `count` numbers were sorted; 0 where `before` is
 * not below `count`. Needs no memory, but up to count² comparisons: for few numbers. */
uint64_t tv_number_after(tv_number_of *number, const void *ctx, size_t count, size_t before);

#endif
