/*
 * Records made from a seed: several threads, calls within calls, and on request all that a real
 * file may have wrong. The same options give the same bytes everywhere.
 */
#ifndef TESTS_SUPPORT_RANDOM_TRACE_H
#define TESTS_SUPPORT_RANDOM_TRACE_H

#include <stdint.h>

#include "support/trace_builder.h"

/* Odds are in a thousand, of each record. */
struct random_opts {
    uint64_t seed;
    unsigned records;
    unsigned threads;    /* ids from 1; 0: 3 */
    unsigned methods;    /* ids 4, 8, ...; 0: 6. Those above BAZ have no line */
    unsigned depth_most; /* 0: 12 */
    unsigned step_usec;  /* most between two records; 0: 20. A third of all steps are 0 */
    unsigned lost_enter; /* a call opens without a record */
    unsigned lost_exit;  /* a call closes without a record */
    unsigned wrong_exit; /* an exit of any method */
    unsigned unwind;     /* of exits */
    unsigned reserved;   /* action 3 */
    unsigned zero;       /* thread 0 */
    unsigned empty;      /* all zero */
    unsigned fall;       /* the record's times are too small */
    unsigned wrap;       /* wall or CPU time jumps by 2^31 us */
};

/* SplitMix64 (Steele, Lea, Flood 2014): the next of a row of numbers. */
uint64_t random_next(uint64_t *state);
/* One below `end`, which is not 0. */
unsigned random_below(uint64_t *state, unsigned end);

/* Appends the records to a trace that was begun. */
void build_random(struct trace_builder *t, struct random_opts opts);

#endif
