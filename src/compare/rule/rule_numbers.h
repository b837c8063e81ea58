/*
 * The numbers that rules look at besides the totals of all threads: totals of threads of a name,
 * and percentiles of single calls. Each is a join of its own, whose rows have, of each run, the
 * calls, the total or the percentile as inclusive time, and what is not recorded of open calls.
 */
#ifndef TV_COMPARE_RULE_RULE_NUMBERS_H
#define TV_COMPARE_RULE_RULE_NUMBERS_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "compare/method_join.h"
#include "compare/rule/rule.h"
#include "index/index.h"

struct tv_rule_numbers {
    const struct tv_alloc *alloc;
    const struct tv_rules *rules; /* borrowed */
    /* By place in the rules' `about`. The first, of all threads and totals, has no rows: whoever
     * compares has that one. */
    struct tv_join joins[TV_RULES_ABOUT_MOST];
    /* The first and the last run that has a thread of that name, from 1; 0: none has. */
    size_t first_with[TV_RULES_ABOUT_MOST];
    size_t last_with[TV_RULES_ABOUT_MOST];
    /* The last run, from 1, whose threads of that name have no records, although threads have that
     * it does not list; 0: none. */
    size_t last_unlisted[TV_RULES_ABOUT_MOST];
    /* Methods that runs describe and whose calls were left out by name: a call stands for them all.
     */
    struct tv_join left_out;
    /* Methods that run inside others without being entered, with the calls of those. */
    struct tv_join inlined;
    /* The last run, from 1, of which methods were left out that it does not describe: any, or those
     * of classes of Java's boot loader; 0: of none. */
    size_t left_out_any, left_out_boot;
    /* By run: calls of any method that the run is known to lack, since their exits have no enter
     * although other calls were open, or their records have the reserved action. NULL: none. */
    uint64_t *missing_calls;
};

void tv_rule_numbers_init(struct tv_rule_numbers *numbers, const struct tv_alloc *alloc);
void tv_rule_numbers_release(struct tv_rule_numbers *numbers);
void tv_rule_numbers_begin(struct tv_rule_numbers *numbers, const struct tv_rules *rules,
                           size_t run_count);
/* Adds a run, the next one. pool may be NULL: one thread. A thread `main` is also the main thread
 * of an app that has another name for it. */
enum tv_code tv_rule_numbers_add(struct tv_rule_numbers *numbers, size_t run,
                                 const struct tv_index *index, const struct tv_pool *pool,
                                 struct tv_error *err) TV_MUST_CHECK;
/* When all runs are there. */
enum tv_code tv_rule_numbers_finish(struct tv_rule_numbers *numbers,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
