/*
 * Old runs beside new ones: what diff answers, as numbers, for the command, the api and whoever
 * else compares. Runs are added one after the other, and none of them is needed afterwards; at the
 * end all methods are compared at once (compare/change.h), and those that matter are listed.
 */
#ifndef TV_COMPARE_COMPARISON_H
#define TV_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/trace_clock.h"
#include "compare/change.h"
#include "compare/context_change.h"
#include "compare/context_join.h"
#include "compare/inlined_methods.h"
#include "compare/method_join.h"
#include "compare/run_clocks.h"
#include "compare/run_part.h"
#include "compare/thread_join.h"
#include "index/index.h"

/* A change of time of less than this share is none, unless somebody says otherwise. */
#define TV_COMPARED_LEAST 0.05

/* One run. */
struct tv_compared_run {
    struct tv_str file; /* as it is told; borrowed */
    uint64_t calls;
    uint64_t total_ns[TV_CLOCK_COUNT]; /* root calls of all threads */
    uint64_t distance_ns; /* how far the exclusive times of its methods lie from the medians of its
                           * side, added up, on the comparison's clock */
};

/* The build that a run's methods say to be of, by the id of its mapping. */
struct tv_run_build {
    bool is_short; /* its methods have the short names of that build */
    char id[65];   /* R8 writes 64 digits at most; empty: they say none, or several */
};

/* Runs whose numbers are not all those of the program. One that lost data, or has none, has times
 * that are at most those of the program. */
struct tv_lost_runs {
    bool is_on[TV_SIDE_COUNT];     /* a run of the side lost data */
    struct tv_error why;           /* of the first; TV_OK: there is none */
    struct tv_str of;              /* its file; borrowed */
    bool no_counts[TV_SIDE_COUNT]; /* counts of a run are not the program's, for any reason */
    /* Such counts are not known to be at most those of the program, either. */
    bool has_odd_counts[TV_SIDE_COUNT];
    bool left_out[TV_SIDE_COUNT];  /* calls of a run were left out when it was written */
    bool fell_back[TV_SIDE_COUNT]; /* a CPU clock of a run went backwards, or was lowered */
    bool odd_wall[TV_SIDE_COUNT];  /* wall times of a run are less than they were */
    struct tv_error why_wall;      /* as `why` */
    struct tv_str of_wall;
    struct tv_run_build build; /* of the first run that says one */
    struct tv_error
        why_builds; /* why no method of a run is one of another; TV_OK: nothing says so */
    struct tv_str of_builds;
};

/* Methods of the answer, the first of which matter most. */
struct tv_compared_list {
    uint32_t *of; /* places in the changes, with room for all */
    size_t count;
};

struct tv_comparison_opts {
    size_t run_counts[TV_SIDE_COUNT]; /* 1 or more each */
    bool has_clock;                   /* false: CPU time where all runs have it, else wall time */
    enum tv_clock clock;
    enum tv_time_kind kind;
    bool across_machines; /* times are tested although the runs are of different processors */
    double least;         /* the share above which a time has changed; more than 0 */
    uint64_t most_rows;   /* of each list that is written; 0: all */
};

struct tv_comparison {
    const struct tv_alloc *alloc;
    struct tv_comparison_opts opts;
    struct tv_compared_run *runs; /* the old ones first */
    struct tv_run_clocks clocks;
    struct tv_run_clocks new_clocks; /* of the new runs alone */
    enum tv_clock clock;             /* that was chosen */
    struct tv_changes_opts tested_by;
    struct tv_join join;
    struct tv_inlined_methods inlined;
    struct tv_changes changes;
    bool has_contexts; /* counts are compared, and each run's tree is known */
    struct tv_context_join contexts;
    bool has_threads; /* the same, and no part is one of a method or a call */
    struct tv_thread_join threads;
    struct tv_context_changes moves; /* what changed in the tree; nothing without contexts */
    struct tv_error no_counts;       /* why counts are not compared; TV_OK: they are */
    struct tv_str no_counts_of;      /* the file of that run */
    struct tv_lost_runs lost;        /* runs whose times are not compared */
    struct tv_compared_list calls;   /* methods whose counts changed */
    struct tv_compared_list
        times; /* tested: those whose time changed; else all whose time differs */
    struct tv_compared_list open;   /* tested and undecided */
    struct tv_compared_list mapped; /* has_mapped_calls of struct tv_change */
};

void tv_comparison_init(struct tv_comparison *comparison, const struct tv_alloc *alloc);
void tv_comparison_release(struct tv_comparison *comparison);
enum tv_code tv_comparison_begin(struct tv_comparison *comparison,
                                 const struct tv_comparison_opts *opts,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Adds a run, the next one. The numbers are of the part of it that is compared; the file's name
 * must outlive the comparison. */
enum tv_code tv_comparison_add(struct tv_comparison *comparison, size_t run,
                               const struct tv_index *index, const struct tv_run_numbers *numbers,
                               struct tv_str file, struct tv_error *err) TV_MUST_CHECK;
/* Adds one call of a trace as a run: what it called. pool may be NULL: one thread.
 * TV_ERR_UNSUPPORTED: the call has no time. */
enum tv_code tv_comparison_add_call(struct tv_comparison *comparison, size_t run,
                                    const struct tv_index *index, struct tv_call_ref call,
                                    const struct tv_pool *pool, struct tv_str file,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Compares, when all runs are there. TV_ERR_ARGUMENT: a run has not the clock that was asked for;
 * TV_ERR_UNSUPPORTED: the runs have no clock in common. */
enum tv_code tv_comparison_finish(struct tv_comparison *comparison,
                                  struct tv_error *err) TV_MUST_CHECK;

/* What wall times come to beside CPU times that are compared: who waits longer has the same ones.
 */
struct tv_wall_change {
    size_t changed; /* methods whose wall time changed; 0: none, or untested */
    const struct tv_joined_method *method; /* of these the one with the largest difference */
    uint64_t ns[TV_SIDE_COUNT];            /* its medians */
};
/* Tests wall times, where CPU times were compared and all runs have both: after finish. */
enum tv_code tv_comparison_wall(const struct tv_comparison *comparison, struct tv_wall_change *wall,
                                struct tv_error *err) TV_MUST_CHECK;

/* Says why the counts of a trace are not those of the program: it has no records, lost data, has a
 * part of the run or of the calls, or was sampled. TV_ERR_UNSUPPORTED says which. */
enum tv_code tv_run_counts_check(const struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;

/* The value of a property that is a number; 0: there is none. */
uint64_t tv_run_number_of(const struct tv_index *index, struct tv_str key);
/* The finding by which wall times of a trace are less than they were; NULL: there is none. */
const char *tv_run_odd_wall(const struct tv_index *index);
/* Whether CPU times of a trace may be less than they were. */
bool tv_run_fell_back(const struct tv_index *index);

/* Notes a run of a side whose times cannot be compared. */
void tv_lost_runs_note(struct tv_lost_runs *lost, const struct tv_index *index, enum tv_side side,
                       struct tv_str file);
/* Notes a run of a side of which only the text of tv_run_counts_check is known. */
void tv_lost_runs_note_text(struct tv_lost_runs *lost, struct tv_str no_counts, enum tv_side side,
                            struct tv_str file);

/* Notes that the wall times of a run cannot be compared, by the text of tv_run_odd_wall; an empty
 * text notes nothing. */
void tv_lost_runs_note_wall(struct tv_lost_runs *lost, struct tv_str odd_wall, enum tv_side side,
                            struct tv_str file);
/* Whether a run of which the text of tv_run_counts_check is known has times, or counts, that are
 * less than those of the program. */
bool tv_run_is_less(struct tv_str no_counts);

/* Takes runs whose wall times are odd for ones that lost time, where wall times are compared: a
 * reason is kept for it. So is one where runs have short names of several builds, and *no_counts,
 * of the file *of, is that then, too. */
void tv_lost_runs_choose(struct tv_lost_runs *lost, enum tv_clock clock, struct tv_error *no_counts,
                         struct tv_str *of);

/* The build of a run. Of one with methods of several builds, as of the processes of two apps, none
 * is known; a few that are matched by hand have the id of another run's. */
struct tv_run_build tv_run_build_of(const struct tv_index *index);
/* Whether a short name may be another method's in the other run: both say a build, and one has
 * short names of a build that is not that of the other, or that the other has no short names of. */
bool tv_run_builds_are_apart(const struct tv_run_build *a, const struct tv_run_build *b);
/* Adds a run of a build, which the call of tv_lost_runs_note does, too. */
void tv_lost_runs_note_build(struct tv_lost_runs *lost, const struct tv_run_build *build,
                             struct tv_str file);

/* What the tests of changes have to know of such runs. */
void tv_lost_runs_put(const struct tv_lost_runs *lost, struct tv_changes_opts *opts);

/* Keeps why the first of several runs has no counts, and its file; *no_counts is TV_OK until one
 * has none. */
void tv_run_counts_note(const struct tv_index *index, struct tv_str file,
                        struct tv_error *no_counts, struct tv_str *of);

TV_INLINE size_t tv_comparison_run_count(const struct tv_comparison *comparison)
{
    return comparison->opts.run_counts[TV_SIDE_OLD] + comparison->opts.run_counts[TV_SIDE_NEW];
}

/* The place of a side's first run. */
TV_INLINE size_t tv_comparison_first_run(const struct tv_comparison *comparison, enum tv_side side)
{
    return side == TV_SIDE_NEW ? comparison->opts.run_counts[TV_SIDE_OLD] : 0;
}

/* Whether there are runs enough to test times. */
TV_INLINE bool tv_comparison_has_runs(const struct tv_comparison *comparison)
{
    return comparison->opts.run_counts[TV_SIDE_OLD] >= TV_TESTED_FROM &&
           comparison->opts.run_counts[TV_SIDE_NEW] >= TV_TESTED_FROM;
}

/* Whether times are tested; known when the comparison is finished. */
TV_INLINE bool tv_comparison_is_tested(const struct tv_comparison *comparison)
{
    return tv_changes_are_tested(&comparison->tested_by);
}

/* The rows of a list that are shown. */
size_t tv_comparison_shown(const struct tv_comparison *comparison,
                           const struct tv_compared_list *list);
/* The place among the runs of a side of the most typical one: that with the least distance, the
 * first of equals. */
size_t tv_comparison_typical(const struct tv_comparison *comparison, enum tv_side side);
/* The time of a method in a run that is compared: of the comparison's kind, on its clock. */
uint64_t tv_comparison_run_time(const struct tv_comparison *comparison, size_t method, size_t run);
/* The median over the runs of a side: of calls, or of the total on the comparison's clock. */
uint64_t tv_comparison_calls(const struct tv_comparison *comparison, enum tv_side side);
uint64_t tv_comparison_total(const struct tv_comparison *comparison, enum tv_side side);

#endif
