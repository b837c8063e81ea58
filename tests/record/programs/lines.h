/* An inlined function in a file of its own, for lines.c. */
#ifndef TESTS_RECORD_PROGRAMS_LINES_H
#define TESTS_RECORD_PROGRAMS_LINES_H

#include <stdint.h>

static inline __attribute__((always_inline)) void inlined(volatile uint64_t *value)
{
    *value = *value * 3 + 1; /* line 9 */
}

#endif
