/*
 * The search for insights: what its parts share. Long calls are marked; the marks of one method are
 * a group, and the groups with the most at stake become insights. Used by the files of this room
 * only.
 */
#ifndef TV_ANALYSIS_INSIGHTS_SEARCH_H
#define TV_ANALYSIS_INSIGHTS_SEARCH_H

#include <stdbool.h>

#include "analysis/insights/insights.h"
#include "analysis/profile/profile.h"
#include "analysis/selection/sums.h"

/* A call that is slow, or waits, and by how much. */
struct tv_insight_mark {
    struct tv_call_ref ref;
    uint32_t slot;     /* its method's */
    bool is_explained; /* a slow call inside is the reason */
    bool is_own;       /* what is at stake is the time of the call's own code */
    uint64_t start;    /* units, on the clock of the insights */
    uint64_t end;
    uint64_t at_stake; /* units */
};

struct tv_insight_marks {
    struct tv_insight_mark *of;
    size_t count;
    size_t cap;
};

/* What the marks of one method add up to. */
struct tv_insight_group {
    uint32_t method;
    uint64_t calls;
    uint64_t waited_calls; /* SLOW: as long as slow ones, but merely waited */
    uint64_t at_stake;     /* by marks that no call inside explains */
    uint64_t limit;        /* SLOW: units from which a call of the method is slow */
    uint64_t median;       /* SLOW: units */
    size_t longest;        /* the mark with the most at stake */
    size_t longest_news;   /* the same of those that no call inside explains */
};

/* The search, with what all of its parts need. */
struct tv_insight_search {
    struct tv_insights *insights;
    const struct tv_index *index;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    enum tv_clock clock; /* of the insights */
    bool has_wait;       /* waits are known, and both clocks right */
    uint64_t axis_len;   /* units */
    uint64_t least;      /* what must be at stake, units */
    uint64_t each;       /* from which on a call counts, units */
    uint32_t writing;    /* tv_writing_method: none of its calls is an insight */
    struct tv_profile profile;
    struct tv_sums sums;
    struct tv_insight_marks long_calls; /* that are long enough to count; their slots are methods */
    struct tv_insight_marks marks;      /* of these, candidates; their slots are groups */
    struct tv_insight_group *groups;    /* one per slot */
    size_t group_count;
    size_t group_cap;
    uint64_t *per_method; /* scratch: one per method */
    struct tv_error *err;
    enum tv_code code; /* the first failure of a scan */
};

/* Inserts by what is at stake; an overflow stands first. The least of a full list falls out. */
void tv_insight_add(struct tv_insights *insights, const struct tv_insight *insight);
/* An insight that names nothing yet. */
struct tv_insight tv_insight_blank(enum tv_insight_kind kind);
/* The insight is about the marked call. */
void tv_insight_take_call(const struct tv_insight_search *search,
                          const struct tv_insight_mark *mark, struct tv_insight *insight);

/* A failure stays in search->code. */
void tv_insight_keep_mark(struct tv_insight_search *search, struct tv_insight_marks *marks,
                          const struct tv_insight_mark *mark);
enum tv_code tv_insight_add_group(struct tv_insight_search *search,
                                  const struct tv_insight_group *group) TV_MUST_CHECK;
/* Adds the marks up to a group for each slot. A mark that is explained adds a call, and nothing at
 * stake. Marks stand by thread and start; one inside the one before of the same method adds a call,
 * and no time unless its own code took that. */
void tv_insight_add_up(struct tv_insight_search *search);
/* Puts the groups with the most at stake first; marks do not know their slots afterwards. Any
 * number of groups may be passed over, so they are not searched for the next one each time. */
enum tv_code tv_insight_rank(struct tv_insight_search *search) TV_MUST_CHECK;
/* How many groups, from the first on, have enough at stake to become insights. */
size_t tv_insight_told(const struct tv_insight_search *search);
/* Sets per_method to 0. */
void tv_insight_forget_methods(struct tv_insight_search *search);

/* Calls far from their method's median (slow_calls.c); `methods` has room for all methods. */
enum tv_code tv_insight_slow_calls(struct tv_insight_search *search,
                                   uint32_t *methods) TV_MUST_CHECK;
/* Whether the loop of the main thread waits for its next message in the method. */
bool tv_insight_is_idle(const struct tv_index *index, uint32_t method);
/* Whether the method does nothing but wait: that one of its calls took long says nothing about it.
 */
bool tv_insight_is_waiter(const struct tv_index *index, uint32_t method);
/* Whether a thread that is in the method waits for a lock, another process, the collector of
 * garbage or a database. */
bool tv_insight_waits_outside(const struct tv_index *index, uint32_t method);
/* Insights of a sampled trace (sampled.c). */
enum tv_code tv_insight_samples(struct tv_insight_search *search) TV_MUST_CHECK;
/* The call that the main thread was still in at the end, also of samples (waits.c). */
void tv_insight_open_call(struct tv_insight_search *search);
/* Waits of the main thread (waits.c). */
enum tv_code tv_insight_waits(struct tv_insight_search *search) TV_MUST_CHECK;

#endif
