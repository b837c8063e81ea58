/*
 * Recordings that rules are judged by, old ones first where there are any: the route `rules`, and
 * `traceview check --rules`. Without old ones limits are judged and growths are left out, so one
 * text of rules serves both.
 */
#ifndef TV_API_COMPARISONS_RULES_H
#define TV_API_COMPARISONS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "api/comparisons/ruling.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "compare/change.h"
#include "compare/comparison.h"
#include "compare/method_join.h"
#include "compare/run_clocks.h"
#include "index/index.h"

struct tv_rule_runs {
    struct tv_ruling *ruling; /* read already, for the runs of both sides; borrowed */
    size_t counts[TV_SIDE_COUNT];
    struct tv_join join;
    struct tv_run_clocks clocks;
    struct tv_run_clocks new_clocks; /* of the new ones alone */
    struct tv_error no_counts;       /* why rules of calls cannot be judged; TV_OK: they can */
    struct tv_str no_counts_of;      /* the file */
    struct tv_lost_runs lost;
};

/* How the times of rules are taken that do not say so. */
struct tv_rule_runs_opts {
    const enum tv_clock *clock; /* NULL: CPU time where all runs have it, else wall time */
    enum tv_time_kind kind;
    uint32_t today; /* as of tv_ruling_judge */
};

void tv_rule_runs_init(struct tv_rule_runs *runs, struct tv_ruling *ruling,
                       const size_t counts[TV_SIDE_COUNT]);
void tv_rule_runs_release(struct tv_rule_runs *runs);
/* Adds a run, the next one; the file's name must outlive the runs. pool may be NULL. */
enum tv_code tv_rule_runs_add(struct tv_rule_runs *runs, size_t run, const struct tv_index *index,
                              const struct tv_pool *pool, struct tv_str file,
                              struct tv_error *err) TV_MUST_CHECK;
/* Judges the rules when all runs are there. Where these have no clock in common, rules about time
 * have no data, and those about counts are judged. */
enum tv_code tv_rule_runs_judge(struct tv_rule_runs *runs, const struct tv_rule_runs_opts *opts,
                                struct tv_error *err) TV_MUST_CHECK;
/* Writes the answer, of these files: the old ones first. */
enum tv_code tv_answer_rules(const struct tv_rule_runs *runs, const struct tv_str *files,
                             struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;

#endif
