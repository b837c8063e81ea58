/* The median of numbers that a trace may choose: linear whatever they are. */
#ifndef TV_BASE_NUMBERS_MEDIAN_H
#define TV_BASE_NUMBERS_MEDIAN_H

#include <stddef.h>
#include <stdint.h>

/* The median of `count` numbers, none of which is NaN; of an even count the mean of the middle two;
 * 0 of none. `room` has place for as many. */
double tv_median(const double *values, double *room, size_t count);

/* The number of a place. */
typedef uint64_t tv_number_of(const void *ctx, size_t place);
/* The number that so many of `count` others come before, by counting, for few numbers without any
 * room; 0 where there are not as many. */
uint64_t tv_number_after(tv_number_of *number, const void *ctx, size_t count, size_t before);

#endif
