/*
 * What judging rules keeps, shared by the files that judge kinds of rules: calls (gate_calls.c) and
 * times (gate_time.c). Other files get verdicts by compare/rule/gate.h. One thread judges at a
 * time.
 */
#ifndef TV_COMPARE_RULE_GATE_VERDICT_H
#define TV_COMPARE_RULE_GATE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/trace_clock.h"
#include "compare/change.h"
#include "compare/method_join.h"
#include "compare/name_index.h"
#include "compare/rule/gate.h"
#include "compare/rule/rule.h"

/* What is made once for all rules that are about the same numbers. */
struct tv_rule_subject {
    const struct tv_join *join;
    struct tv_name_index names;
    uint32_t *allow_of; /* per method: the allow that names it, from 1; 0: none does */
    bool is_made;
    uint64_t calls[TV_SIDE_COUNT]; /* of all methods, median to median */
    bool is_counted;
    uint64_t *nameless; /* by run: calls that may be of any method, since the trace does not
                           describe theirs */
};

struct tv_judging {
    const struct tv_gate *gate;
    struct tv_rule_subject subjects[TV_RULES_ABOUT_MOST];
    struct tv_name_index left_out; /* of what was left out of the runs by name */
    bool has_left_out;             /* it is made */
    struct tv_name_index inlined;  /* of what runs inside other methods */
    bool has_inlined;
    struct tv_found_methods found;
    double *values; /* one for each new run, then scratch of the same size */
};

/* A rule while it is judged. */
struct tv_judged_rule {
    struct tv_judging *judging;
    const struct tv_rule *rule;
    const struct tv_rule_subject *subject;
    struct tv_rule_verdict *verdict;
    bool is_inlined; /* a method of its name runs inside others, which no call of it tells */
    const struct tv_joined_method *inlined_into; /* one of these; NULL: it is not looked at */
    uint64_t most;                               /* by how much `verdict->method` breaks the rule */
};

/* Why a rule has no data, where more than one kind of rule may say so. */
extern const char tv_cut_reason[];
extern const char tv_counts_reason[];
extern const char tv_ambiguous_reason[];
extern const char tv_inlined_reason[];
extern const char tv_lost_reason[];
extern const char tv_fell_reason[];
extern const char tv_odd_wall_reason[];

/* The kinds of rules that the table in compare/rule/gate.h has columns of, as bits of a set. */
enum tv_rule_set {
    TV_RULES_OF_CALLS = 1,
    TV_RULES_OF_MAX = 2,
    TV_RULES_OF_PERCENTILE = 4,
    TV_RULES_OF_TOTAL = 8,
    TV_RULES_OF_CALLS_GROWTH = 16,
    TV_RULES_OF_TIME_GROWTH = 32,
};
#define TV_RULES_OF_TIME_LIMIT (TV_RULES_OF_MAX | TV_RULES_OF_PERCENTILE | TV_RULES_OF_TOTAL)
#define TV_RULES_OF_TIME (TV_RULES_OF_TIME_LIMIT | TV_RULES_OF_TIME_GROWTH)
#define TV_RULES_OF_GROWTH (TV_RULES_OF_CALLS_GROWTH | TV_RULES_OF_TIME_GROWTH)
/* What counts of calls decide: totals of time are known of samples, too. */
#define TV_RULES_OF_COUNTS                                                                         \
    (TV_RULES_OF_CALLS | TV_RULES_OF_MAX | TV_RULES_OF_PERCENTILE | TV_RULES_OF_CALLS_GROWTH)
#define TV_RULES_OF_ALL (TV_RULES_OF_TIME | TV_RULES_OF_COUNTS)

/* A row of that table, for one rule and its recordings. */
struct tv_rule_row {
    bool is_so;
    unsigned rules; /* a set: those to which it matters */
    const char *reason;
};

/* The reason of the first row that holds and matters to the rule; NULL: none does. */
const char *tv_rule_rows_reason(const struct tv_gate *gate, const struct tv_rule *rule,
                                const struct tv_rule_row *rows, size_t count);
/* Whether a rule is in the set. */
bool tv_rule_is_in(const struct tv_gate *gate, const struct tv_rule *rule, unsigned rules);

/* The first run of the new side. */
TV_INLINE size_t tv_first_new(const struct tv_gate *gate)
{
    return gate->opts->run_counts[TV_SIDE_OLD];
}

void tv_verdict_lack(struct tv_rule_verdict *verdict, const char *reason);
/* Turns `kept` and `allowed` into `no data`: a method that was not seen may break the rule.
 * `broken` stays. `reason` is static. */
void tv_verdict_doubt(struct tv_rule_verdict *verdict, const char *reason);
/* The allow that names a method; NULL: none does. */
const struct tv_rule_allow *tv_allow_of(const struct tv_judged_rule *judged, uint32_t method);
/* Whether there is an allow, and its last day has not passed. */
bool tv_allow_is_live(const struct tv_gate *gate, const struct tv_rule_allow *allow);
/* Whether a new run has methods that are not looked at: the rule may name one of them. Percentiles
 * and threads are of all methods. */
bool tv_rule_is_cut(const struct tv_gate *gate, const struct tv_rule *rule);
/* Takes a method that breaks a rule, unless it is allowed. The verdict keeps the method that breaks
 * it most. */
void tv_judged_break(struct tv_judged_rule *judged, uint32_t method, uint64_t by);
/* The calls of some methods in a run. */
uint64_t tv_calls_of_all(const struct tv_join *join, const uint32_t *methods, size_t count,
                         size_t run);

/* gate_calls.c */

/* Counts the calls of methods that nothing describes, and those that runs are known to lack. */
enum tv_code tv_judge_count_nameless(const struct tv_gate *gate, struct tv_rule_subject *subject,
                                     struct tv_error *err) TV_MUST_CHECK;
void tv_judge_calls(struct tv_judged_rule *judged, const struct tv_found_methods *found);
enum tv_code tv_judge_calls_growth(const struct tv_judged_rule *judged,
                                   struct tv_error *err) TV_MUST_CHECK;

/* gate_time.c */

/* Whether a rule is about totals of time, and not about the time of one call. */
bool tv_rule_is_of_all_calls(const struct tv_gate *gate, const struct tv_rule *rule);
enum tv_time_kind tv_rule_time_kind(const struct tv_gate *gate, const struct tv_rule *rule);
void tv_judge_time(struct tv_judged_rule *judged, const struct tv_found_methods *found);
/* The tests of the methods that the rule names are one family, by Holm. */
enum tv_code tv_judge_growth(struct tv_judged_rule *judged, struct tv_changes *changes,
                             const struct tv_changes_opts *opts,
                             const struct tv_found_methods *found,
                             struct tv_error *err) TV_MUST_CHECK;
/* Breaks a rule of growth as a warning if times grew by more than it allows, but not beyond the
 * growth of the median method: the machine may be slower, or the whole program. */
void tv_judge_measured(struct tv_judged_rule *judged, const struct tv_changes *changes,
                       const struct tv_found_methods *found);
/* Data that a recording lacks can only make times longer. So a broken limit stays broken, and
 * `kept` and `allowed` become `no data`. */
void tv_judge_doubt_time(const struct tv_judged_rule *judged);
/* Completes the text about the method that breaks a rule of time by the most. `changes` is NULL for
 * a rule that is no growth. */
void tv_judge_tell_time(const struct tv_judged_rule *judged, const struct tv_changes *changes);

#endif
