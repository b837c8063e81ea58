/*
 * Recordings in the order of time, and what stepped between them (compare/trend.h): what the route
 * `trend` and `traceview trend` answer. Each recording is added while its index is there, and is
 * not needed afterwards.
 */
#ifndef TV_API_COMPARISONS_TREND_POINTS_H
#define TV_API_COMPARISONS_TREND_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "compare/comparison.h"
#include "compare/run_clocks.h"
#include "compare/trend.h"
#include "index/index.h"

struct tv_trend_point {
    struct tv_str file; /* borrowed */
    uint64_t calls;
    uint64_t total_ns[TV_CLOCK_COUNT];
    struct tv_error
        lost; /* why its numbers are less than those of the program; TV_OK: they are not */
};

/* What is asked: as of struct tv_comparison_opts. */
struct tv_trend_opts {
    const enum tv_clock *clock; /* NULL: CPU time where all have it, else wall time */
    enum tv_time_kind kind;
    double least;
};

struct tv_trend_points {
    const struct tv_alloc *alloc;
    struct tv_trend_point of[TV_TREND_RUNS_MOST];
    size_t count;
    struct tv_join join;
    struct tv_trend trend;
    struct tv_run_clocks clocks;
    enum tv_clock clock;        /* that was chosen */
    struct tv_error no_counts;  /* why calls have no steps; TV_OK: they can have */
    struct tv_str no_counts_of; /* the file */
    struct tv_join inlined;     /* what mappings say was inlined in each run */
    struct tv_lost_runs lost;   /* with any, times have no steps */
    /* Where enough points are whole, those that lost data are left out: a series of months always
     * has some. What is known of the whole ones alone; and which point a run of the join is. */
    bool leaves_out;
    struct tv_error no_counts_of_whole;
    struct tv_str no_counts_file;
    struct tv_lost_runs lost_of_whole;
    size_t point_of[TV_TREND_RUNS_MOST];
};

void tv_trend_points_init(struct tv_trend_points *points, const struct tv_alloc *alloc);
void tv_trend_points_release(struct tv_trend_points *points);
/* Begins with `count` recordings, at most TV_TREND_RUNS_MOST. */
void tv_trend_points_begin(struct tv_trend_points *points, size_t count);
/* Adds a recording, the next one; the file's name must outlive the points. pool may be NULL. */
enum tv_code tv_trend_points_add(struct tv_trend_points *points, size_t run,
                                 const struct tv_index *index, const struct tv_pool *pool,
                                 struct tv_str file, struct tv_error *err) TV_MUST_CHECK;
/* Finds the steps when all are there. Errors are those of tv_run_clocks_choose. */
enum tv_code tv_trend_points_find(struct tv_trend_points *points, const struct tv_trend_opts *opts,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Whether a point is left out. */
TV_INLINE bool tv_trend_points_leave_out(const struct tv_trend_points *points, size_t point)
{
    return points->leaves_out && points->of[point].lost.code != TV_OK;
}
/* The point from which on a step is, from 1. */
TV_INLINE size_t tv_trend_points_number(const struct tv_trend_points *points, size_t run)
{
    return points->point_of[run] + 1;
}
/* Writes the answer: at most `most_rows` of each list (0: all), as far as `limit` bytes have room;
 * what they have none for is counted. */
enum tv_code tv_answer_trend(const struct tv_trend_points *points, uint64_t most_rows,
                             struct tv_buffer *body, size_t limit,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
