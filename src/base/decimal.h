/* Digits of numbers, which who has a buffer of their own writes from its end on. */
#ifndef TV_BASE_DECIMAL_H
#define TV_BASE_DECIMAL_H

#include <stdint.h>

#include "base/compiler.h"

#define TV_DECIMAL_MOST 20u /* digits of 64 bits */

/* Writes the digits of a value so that they end at `end`. Returns where they begin. */
TV_INLINE char *tv_decimal_before(char *end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return end;
}

#endif
