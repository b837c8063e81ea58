/*
 * Times and shares as people read them, in text, in exported pages and in the page (which has the
 * same rule in web/src/base/format.ts): a number that is not zero never reads as zero.
 *
 * A time is in milliseconds with three decimals. Below 0.1 ms it has three significant digits, and
 * so more decimals where it has them: 0.0123, 0.000412. A share is in percent with one decimal;
 * what would round to 0.0 is "<0.1".
 */
#ifndef TV_BASE_NUMBERS_SHOWN_NUMBER_H
#define TV_BASE_NUMBERS_SHOWN_NUMBER_H

#include <stdint.h>

#include "base/str.h"

#define TV_SHOWN_MOST 40u

/* The text is in `room`. */
struct tv_str tv_shown_ms(char room[TV_SHOWN_MOST], int64_t time_ns);
/* What `count` things took on average, which is finer than a nanosecond. No count: a 0. */
struct tv_str tv_shown_mean_ms(char room[TV_SHOWN_MOST], int64_t sum_ns, uint64_t count);
/* "-" where there is no whole. */
struct tv_str tv_shown_percent(char room[TV_SHOWN_MOST], int64_t part, uint64_t whole);

#endif
