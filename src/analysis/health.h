/* How much a trace's oddities matter, and what an overflow lost. Pure reading of a finished index;
 * any thread. */
#ifndef TV_ANALYSIS_HEALTH_H
#define TV_ANALYSIS_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "index/index.h"

/* The worst severity of any finding; false when there is none. */
bool tv_health_worst(const struct tv_index *index, enum tv_severity *worst);

/* What is missing behind the last record, by the run's length that the file tells. */
struct tv_overflow {
    uint64_t run_ns;     /* from start to stop */
    uint64_t missing_ns; /* of it, after the last record */
    uint64_t buffer_len; /* bytes that would have held the run at the rate of what was recorded,
                            rounded up to MiB */
};

/* False where nothing overflowed, or the file does not say how long the run was on the wall clock.
 */
bool tv_health_overflow(const struct tv_index *index, struct tv_overflow *overflow);

#endif
