/* How serious a trace's findings are, and what an overflow of the recording buffer lost. Reads a
 * finished index only; any number of threads may use these functions at once. */
#ifndef TV_ANALYSIS_HEALTH_H
#define TV_ANALYSIS_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "index/index.h"

/* The worst severity of the trace's findings; false when there are none. */
bool tv_health_worst(const struct tv_index *index, enum tv_severity *worst);
/* The first of the worst findings, where numbers are affected or data lost: then no threshold can
 * be judged by the trace. False: every finding is a note at most. */
bool tv_health_disqualifies(const struct tv_index *index, enum tv_finding_kind *kind);

/* The first finding that says that times on a clock are wrong: it stepped back, so that calls are
 * told as shorter than they were, or its unit is another, or its times were lowered. False: none
 * does, or the trace lacks the clock. */
bool tv_health_doubts(const struct tv_index *index, enum tv_clock clock,
                      enum tv_finding_kind *kind);

/* What an overflow lost, judged by the length of the run that the file tells. */
struct tv_overflow {
    uint64_t run_ns;     /* from the start of tracing to its stop */
    uint64_t missing_ns; /* the part of the run after the last record */
    uint64_t buffer_len; /* bytes of a buffer that would have held the run, if records went on at
                            their average rate before; whole MiB */
};

/* False when nothing overflowed, or when the file does not say how long the run was on the
 * wall clock. */
bool tv_health_overflow(const struct tv_index *index, struct tv_overflow *overflow);

#endif
