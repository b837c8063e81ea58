/*
 * What judging rules keeps, shared by the files that judge kinds of rules: calls (gate_calls.c)
 * and times (gate_time.c). Whoever asks for verdicts asks compare/rule/gate.h.
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
    uint64_t *nameless; /* by run: calls that may be of any method, since none is told of them */
};

struct tv_judging {
    const struct tv_gate *gate;
    struct tv_rule_subject subjects[TV_RULES_ABOUT_MOST];
    struct tv_name_index left_out; /* of what was left out of the runs by name */
    bool has_left_out;             /* it is made */
    struct tv_name_index inlined;  /* of what runs inside other methods */
    bool has_inlined;
    struct tv_found_methods found;
    double *values; /* one for each new run, and room for as many */
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

/* The first run of the new side. */
TV_INLINE size_t tv_first_new(const struct tv_gate *gate)
{
    return gate->opts->run_counts[TV_SIDE_OLD];
}

void tv_verdict_lack(struct tv_rule_verdict *verdict, const char *reason);
/* Nothing is kept, nor broken by allowed methods alone, where one more may break it. */
void tv_verdict_doubt(struct tv_rule_verdict *verdict, const char *reason);
bool tv_allow_is_live(const struct tv_gate *gate, const struct tv_rule_allow *allow);
/* Whether a new run has methods that are not looked at: the rule may name one of them. Percentiles
 * and threads are of all methods. */
bool tv_ruling_is_cut(const struct tv_gate *gate, const struct tv_rule *rule);
/* Takes a method that breaks a rule, unless it is allowed. The one that does so most is told. */
void tv_ruling_break(struct tv_judged_rule *ruling, uint32_t method, uint64_t by);
/* The calls of some methods in a run. */
uint64_t tv_calls_of_all(const struct tv_join *join, const uint32_t *methods, size_t count,
                         size_t run);

/* gate_calls.c */

/* Counts the calls of methods that nothing describes, and those that runs are known to lack. */
enum tv_code tv_judge_count_nameless(const struct tv_gate *gate, struct tv_rule_subject *subject,
                                     struct tv_error *err) TV_MUST_CHECK;
void tv_judge_calls(struct tv_judged_rule *ruling, const struct tv_found_methods *found);
enum tv_code tv_judge_calls_growth(const struct tv_judged_rule *ruling,
                                   struct tv_error *err) TV_MUST_CHECK;

/* gate_time.c */

/* Whether a rule is about totals of time, and not about the time of one call. */
bool tv_rule_is_of_all_calls(const struct tv_gate *gate, const struct tv_rule *rule);
enum tv_time_kind tv_rule_time_kind(const struct tv_gate *gate, const struct tv_rule *rule);
void tv_judge_time(struct tv_judged_rule *ruling, const struct tv_found_methods *found);
/* The tests of the methods that the rule names are one family, by Holm. */
enum tv_code tv_judge_growth(struct tv_judged_rule *ruling, struct tv_changes *changes,
                             const struct tv_changes_opts *opts,
                             const struct tv_found_methods *found,
                             struct tv_error *err) TV_MUST_CHECK;
/* A growth that is kept beside the median method, and would not be by what was measured, is told:
 * as broken, by a rule that warns. */
void tv_judge_measured(struct tv_judged_rule *ruling, const struct tv_changes *changes,
                       const struct tv_found_methods *found);
/* What is not in a recording, or is not looked at, can only make a time longer, or be a longer one:
 * a limit that is broken stays so, and no other is kept, nor broken by allowed methods alone. */
void tv_judge_doubt_time(const struct tv_judged_rule *ruling);
/* Completes the text about the method that breaks a rule of time by the most. `changes` is NULL for
 * a rule that is no growth. */
void tv_judge_tell_time(const struct tv_judged_rule *ruling, const struct tv_changes *changes);

#endif
