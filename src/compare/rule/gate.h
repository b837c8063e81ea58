/*
 * Whether the runs of a comparison, or some runs alone, keep rules (compare/rule/rule.h).
 *
 * Rules are judged all together: names are looked up in one index for each thread, and growths that
 * have a ratio, a clock and threads in common are one test of all methods.
 */
#ifndef TV_COMPARE_RULE_GATE_H
#define TV_COMPARE_RULE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/change.h"
#include "compare/method_join.h"
#include "compare/rule/rule.h"
#include "compare/rule/rule_numbers.h"
#include "compare/run_clocks.h"

enum tv_rule_state {
    TV_RULE_KEPT,
    TV_RULE_BROKEN,
    TV_RULE_NO_DATA,
    TV_RULE_ALLOWED,  /* only methods break it that an `allow` names */
    TV_RULE_LEFT_OUT, /* a growth, where there is no old run at all; or the rule is off */
    TV_RULE_STATE_COUNT
};
/* "kept", "broken", "no data", "allowed", "left out". */
extern const char *const tv_rule_state_words[];

struct tv_rule_verdict {
    enum tv_rule_state state;
    bool is_error; /* as its level says: what is not kept is a failure, and no warning */
    const char
        *reason; /* of no data; or of a growth that is left out, where it is told. Else NULL */
    /* Not judged, and the runs have no method or thread of the name. */
    bool is_absent;
    bool is_of_others; /* absent, but on threads of other names: the runs have both by themselves */
    size_t matched;    /* methods */
    size_t broken;     /* of these, those that break the rule */
    const struct tv_joined_method *method; /* the one that breaks it most; NULL: none does */
    size_t run;   /* of calls: the first that breaks it; of a time: where `method` took longest */
    uint64_t was; /* of the old side, calls or ns, for a growth */
    uint64_t is;  /* calls, or ns of `method`, that broke it */
    size_t runs;  /* a time is the median of so many */
    uint64_t inlined_calls; /* of no data: of methods that it was inlined into, one of which
                               `method` is; 0: it was not */
    double beside; /* of a growth: the logarithm of the ratio of the median method, which it is
                      beside */
    enum tv_clock clock;
    /* A growth that is broken by what was measured alone, a warning: beside the median method it is
     * kept. By how much that method grew, as a logarithm; 0: judged beside it. */
    double machine;
    const struct tv_rule_allow *allow; /* by which it is allowed; or was, until a day that passed */
};

/* The clocks of the runs. A growth is of both sides, on the clock that they are compared on; any
 * other rule is about new runs alone, and what an old one lacks is no matter to it. */
struct tv_rule_clocks {
    const struct tv_run_clocks *all;
    const struct tv_run_clocks *of_new;
    const enum tv_clock
        *asked; /* for limits that say no clock; NULL: the default one of new runs */
};

struct tv_gate {
    const struct tv_alloc *alloc;
    const struct tv_rules *rules;
    const struct tv_join *join;            /* totals of all threads */
    const struct tv_rule_numbers *numbers; /* finished */
    const struct tv_changes_opts *opts;    /* without an old run no growth is judged */
    struct tv_rule_clocks clocks;
    uint32_t today;                 /* as in struct tv_rule_allow */
    const atomic_bool *is_unwanted; /* judging ends early (base/memory/pool.h); or NULL */
};

/* Judges all rules: verdicts[i] is that of rule i. */
enum tv_code tv_gate_judge(const struct tv_gate *gate, struct tv_rule_verdict *verdicts,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
