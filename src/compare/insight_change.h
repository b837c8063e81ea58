/*
 * The insights of two traces beside each other: which are new, which are gone, and which both have.
 *
 * Two insights are one where the kind and what it is about are: a method, a package, or the whole.
 * Methods are matched by their stable names, as a join matches them (compare/method_join.h). An
 * insight that one trace lacks may be below that trace's threshold, so it has the numbers of its
 * method there beside it.
 */
#ifndef TV_COMPARE_INSIGHT_CHANGE_H
#define TV_COMPARE_INSIGHT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/insights/insights.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "compare/change.h"
#include "index/index.h"

enum tv_insight_standing {
    TV_INSIGHT_IS_NEW,
    TV_INSIGHT_IS_GONE,
    TV_INSIGHT_CHANGED, /* both have it, with different numbers of calls */
    TV_INSIGHT_STAYED,  /* both have it, with equal numbers of calls; its times are one sample each
                         */
    TV_INSIGHT_STANDING_COUNT
};
/* "new", "gone", "changed", "stayed". */
extern const char *const tv_insight_standing_words[];

/* Whether an insight is about its method. One of a package, or of one's own code, has only the
 * method that took most of it, which may be another one on the other side. */
bool tv_insight_is_of_method(const struct tv_insight *insight);

/* Of all methods that have the name of the insight's in the trace that lacks the insight. */
struct tv_insight_method {
    uint64_t calls;   /* recursive ones too */
    uint64_t time_ns; /* inclusive, on the axis */
};

struct tv_insight_change {
    enum tv_insight_standing standing;
    size_t places[TV_SIDE_COUNT];     /* in the lists of the sides; SIZE_MAX: that side lacks it */
    struct tv_insight_method lacking; /* NEW, GONE of a method */
};

struct tv_insight_changes {
    struct tv_insights sides[TV_SIDE_COUNT];
    /* New ones first, then those that are gone, changed and stayed; of each the most at stake
     * first. */
    struct tv_insight_change of[2 * TV_INSIGHTS_MOST];
    size_t count;
    size_t counts[TV_INSIGHT_STANDING_COUNT];
};

/* Finds the insights of both traces, by enum tv_side, and matches them. pool may be NULL. */
enum tv_code tv_insight_changes_find(struct tv_insight_changes *changes,
                                     const struct tv_index *const indexes[TV_SIDE_COUNT],
                                     const struct tv_alloc *alloc, const struct tv_pool *pool,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
