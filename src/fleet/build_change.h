/*
 * The traces of one build beside those of another: what `traceview diff` says of runs
 * (compare/comparison.h), of rows that are kept (fleet/rows_db.h).
 */
#ifndef TV_FLEET_BUILD_CHANGE_H
#define TV_FLEET_BUILD_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/map.h"
#include "compare/comparison.h"
#include "fleet/rows_db.h"

/* Runs of a side that are compared, the newest; all of a method's are in memory at once. */
#define TV_FLEET_COMPARED_MOST 500u

/* Bytes of the numbers of all methods in all runs: traces of strangers may have any methods. */
#define TV_FLEET_NUMBERS_MOST ((size_t)256 << 20)

/* A run that counts for whoever asks, and how it is told of. */
struct tv_fleet_counted {
    const struct tv_fleet_run *run;
    struct tv_str name; /* borrowed, like the run */
};

struct tv_build_change_opts {
    const struct tv_fleet_counted *runs; /* of the old build, then of the new one */
    size_t run_counts[TV_SIDE_COUNT];
    bool has_clock; /* as in struct tv_comparison_opts */
    enum tv_clock clock;
    enum tv_time_kind kind;
    double least;
    bool other_devices; /* the sides are of different devices: times are not tested */
    uint64_t most_rows;
};

/* The longest call of a method in a run; 0: it has none. */
struct tv_fleet_slowest {
    uint64_t ns, at_ns;
};

struct tv_build_change {
    struct tv_comparison comparison;
    struct tv_map place_of;           /* id of a method -> its place while rows are read */
    struct tv_fleet_slowest *slowest; /* of each run of each method, in the order of reading */
    size_t slowest_cap;
    uint32_t *read_as; /* of each place: which method in that order it was; NULL until the end */
    size_t place_count;
    size_t cut[TV_SIDE_COUNT]; /* runs that have more methods than rows are kept of */
};

/* The longest call of a method in a run. */
struct tv_fleet_slowest tv_build_change_slowest(const struct tv_build_change *change,
                                                uint32_t place, size_t run);

/* The run of a side that shows a method best: its time is nearest to the median of its side, among
 * the runs that have the method; SIZE_MAX: none has. */
size_t tv_build_change_example(const struct tv_build_change *change, uint32_t place,
                               enum tv_side side);
/* How many runs of a side have the method. */
size_t tv_build_change_runs(const struct tv_build_change *change, uint32_t place,
                            enum tv_side side);

void tv_build_change_init(struct tv_build_change *change, const struct tv_alloc *alloc);
void tv_build_change_release(struct tv_build_change *change);
/* Compares. TV_ERR_LIMIT: the runs have too many different methods, and fewer runs are to be
 * compared; TV_ERR_CANCELLED: nobody waits; other errors as tv_comparison_finish has them. */
enum tv_code tv_build_change_make(struct tv_build_change *change, struct tv_fleet_reader *reader,
                                  const struct tv_build_change_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
