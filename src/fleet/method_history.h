/* One method in all traces of an app: from build to build, and from device to device. */
#ifndef TV_FLEET_METHOD_HISTORY_H
#define TV_FLEET_METHOD_HISTORY_H

#include "fleet/fleet_trace.h"

/* The most traces that a history covers, the newest ones. */
#define TV_FLEET_METHOD_TRACES 10000u

/* The traces of one build, or of one device. */
struct tv_method_group {
    struct tv_str name; /* empty: traces without a device */
    size_t traces;      /* whose rows are there */
    size_t unknown;     /* of these, those that may call it: they have more methods
                         * than rows, and none of it. The numbers are of the others. */
    size_t having;      /* that call the method */
    size_t at_least;    /* of these, those in which the method may have taken more time than the
                           numbers say */
    size_t no_counts;   /* of `traces`, those whose counts are none of the program */
    uint64_t least_calls, most_calls; /* recursive ones too */
    uint64_t median_calls;
    uint64_t inclusive_ns, exclusive_ns;  /* medians */
    uint64_t least_ns, most_ns;           /* inclusive, of the traces that call it */
    const struct tv_fleet_trace *typical; /* its inclusive time is nearest to the median; NULL */
    uint64_t typical_ns, typical_at_ns;   /* the longest call of the method there */
    const struct tv_fleet_trace *slowest; /* that has the longest call of all; NULL: none has */
    uint64_t slowest_ns, slowest_at_ns;
};

struct tv_method_history {
    enum tv_clock clock;
    size_t traces;              /* that the history covers */
    size_t unknown;             /* of these, as in a group */
    size_t at_least, no_counts; /* as in a group */
    /* Traces that are left out: the method has a short name, which is another one's in their builds
     * (tv_run_builds_are_apart). */
    size_t other_builds;
    struct tv_method_group *builds; /* the oldest first */
    size_t build_count;
    struct tv_method_group *devices; /* by name */
    size_t device_count;
};

struct tv_method_history_opts {
    const struct tv_fleet_trace *traces; /* of the app, the newest first */
    size_t count;
    struct tv_str app;
    const struct tv_fleet_method *names;
};

/* The arena keeps the groups; the traces are borrowed. TV_ERR_NOT_FOUND: of none of the traces it
 * is known that it calls the method. */
enum tv_code tv_method_history_make(struct tv_method_history *history,
                                    const struct tv_method_history_opts *opts,
                                    struct tv_fleet_reader *reader, struct tv_arena *arena,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
