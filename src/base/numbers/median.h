/* The median of numbers that a trace may choose: linear whatever they are. */
#ifndef TV_BASE_NUMBERS_MEDIAN_H
#define TV_BASE_NUMBERS_MEDIAN_H

#include <stddef.h>

/* The median of `count` numbers, none of which is NaN; of an even count the mean of the middle two;
 * 0 of none. `room` has place for as many. */
double tv_median(const double *values, double *room, size_t count);

#endif
