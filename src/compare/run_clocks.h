/*
 * Which clock the times of several runs are compared on: one that all of them have.
 */
#ifndef TV_COMPARE_RUN_CLOCKS_H
#define TV_COMPARE_RUN_CLOCKS_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/trace_clock.h"
#include "index/index.h"

/* Of a longer name of a processor the beginning is compared. */
#define TV_RUN_PROCESSOR_CAP 128u

/* The clocks that all runs have, and the runs that lack one. Zeros: no run was taken yet. */
struct tv_run_clocks {
    bool lacks[TV_CLOCK_COUNT];            /* a run lacks the clock */
    struct tv_str lacking[TV_CLOCK_COUNT]; /* the file of the first such run; borrowed */
    bool has_some[TV_CLOCK_COUNT];         /* a run has the clock */
    bool has_idle_cpu;                     /* the CPU clock of a run never moves */
    char processor[TV_RUN_PROCESSOR_CAP];  /* of the first run that tells it; "": none has */
    bool has_other_processor;              /* a later run tells another one */
    bool has_sampled;                      /* a run is of samples, */
    bool has_exact; /* and one of each call; of a short one that does not say so neither is known */
};

/* Whether some runs are of samples and some of each call: their times are not measured alike, since
 * a look misses short methods, and each call that is recorded costs time. */
TV_INLINE bool tv_run_clocks_are_mixed(const struct tv_run_clocks *clocks)
{
    return clocks->has_sampled && clocks->has_exact;
}

/* "wall", "cpu", by enum tv_clock; ends with NULL. */
extern const char *const tv_run_clock_words[];

/* Looks at a run. The file's name must outlive the clocks. */
void tv_run_clocks_take(struct tv_run_clocks *clocks, const struct tv_index *index,
                        struct tv_str file);
/* Adds what is known of a run, as it was taken. */
void tv_run_clocks_add(struct tv_run_clocks *clocks, const struct tv_run_clocks *run,
                       struct tv_str file);
/* CPU time where all runs have it and it moves in each, else wall time where all have that, else
 * CPU time. */
enum tv_clock tv_run_clocks_default(const struct tv_run_clocks *clocks);
/* The clock that was asked for; NULL: the default one. TV_ERR_ARGUMENT: a run has not what was
 * asked for; TV_ERR_UNSUPPORTED: the runs have no clock in common. Both name a file. */
enum tv_code tv_run_clocks_choose(const struct tv_run_clocks *clocks, const enum tv_clock *asked,
                                  enum tv_clock *clock, struct tv_error *err) TV_MUST_CHECK;

#endif
