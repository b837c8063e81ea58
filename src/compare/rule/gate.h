/*
 * Whether the runs of a comparison, or some runs alone, keep rules (compare/rule/rule.h).
 *
 * Rules are judged all together: names are looked up in one index for each thread, and growths that
 * have a ratio, a clock and threads in common are one test of all methods.
 *
 * What the recordings are like decides, with the kind of a rule, whether there is a verdict:
 *
 *   none    no data, whatever was recorded: no method is looked at.
 *   doubt   the program may have more than what was recorded. A rule that is broken stays so; one
 *           that would be kept, or be broken by allowed methods alone, has no data.
 *   -       it is no matter.
 *
 * Where several rows hold, one of `none` decides. A limit is `calls of` and `no calls of`, or a
 * time that is no growth: of the longest call (max), of percentiles (p50, p95), or of all calls of
 * a method (total).
 *
 *   of new recordings                          limit of                     growth of
 *                                              calls   max    p50    total  calls   time
 *   counts are not the program's: samples,     none    none   none   -      none    -
 *     lost data
 *   counts are the program's or less: calls    doubt   -      none   -      none    -
 *     were left out, or a ring was full
 *   the clock is missing in some, or in all    -       none   none   none   -       none
 *   CPU time: that clock never moves           -       none   none   none   -       none
 *   wall time: less than it was                -       doubt  doubt  doubt  -       none
 *   of two kinds of processors, or samples     -       -      -      -      -       none
 *     beside calls; with the old ones, too
 *   fewer than two                             -       -      -      -      -       none
 *   fewer than the rule asks for               none    none   none   none   none    none
 *   no thread has the rule's name, or an       none    none   none   none   none    none
 *     unlisted one may have it
 *   no method has the rule's name              none*   none   none   none   -       none
 *   none calls the method                      -       none   none   none   -       none
 *   it may have grown, and no test decides     -       -      -      -      -       doubt
 *   lost data                                  -       doubt  doubt  doubt  -       doubt
 *   calls were left out                        -       doubt  doubt  doubt  -       doubt
 *   more methods than are looked at; rules     doubt   -      -      doubt  -       doubt
 *     on all threads
 *   CPU time: that clock went backwards        -       doubt  doubt  doubt  -       doubt
 *   a call began before the recording          -       doubt  doubt  doubt  -       -
 *   wall time: a call was open at the end      -       doubt  doubt  doubt  -       -
 *   CPU time: the same, and what is not told   -       doubt  doubt  doubt  -       doubt
 *     of it may be above the limit
 *   calls without a method or an enter         doubt   -      -      -      -       -
 *   methods were left out that the rule may    doubt   -      -      -      -       -
 *     name
 *   a method of several names: one of them     doubt   doubt  doubt  doubt  -       doubt
 *
 * Of old recordings nothing matters to a limit. A growth of calls has no data if their counts are
 * not the program's, or 0; a growth of time if one lost data, its CPU clock went backwards, its
 * wall time is less than it was, its clock is missing or never moves, or there are fewer than two;
 * each growth if there are fewer than it asks for, none has a thread of its name, or recordings
 * have short names of several builds. A call that was open at the end matters to a growth of CPU
 * time as one of a new recording does.
 *
 * (*) A rule that allows 0 calls is kept, but in doubt where the name is that of a class or a
 * package, or the end of a method's that is called. Counts of calls are in doubt only where what is
 * not told could change the verdict, and so are methods of several names. Calls that were open
 * where a recording began or ended are no matter to a pattern of several methods, but of CPU time.
 *
 * A rule that is broken or has no data is an error or a warning as its level says; without one it
 * is a warning of wall time, else an error. A growth of time that only what was measured breaks,
 * and not what it is beside the median method, is a warning whatever the level. A rule that is off
 * is left out, and so is a growth without an old recording.
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
        *reason; /* set for no data, and for a growth that is left out and reported; else NULL */
    /* Not judged, and the runs have no method or thread of the name. */
    bool is_absent;
    bool is_of_others; /* absent, but on threads of other names: the runs have both by themselves */
    size_t matched;    /* methods */
    size_t broken;     /* of these, those that break the rule */
    const struct tv_joined_method *method; /* the one that breaks it most; NULL: none does */
    size_t run;   /* of calls: the first that breaks it; of a time: where `method` took longest */
    uint64_t was; /* of the old side, calls or ns, for a growth */
    uint64_t is;  /* calls, or ns of `method`, that broke it */
    size_t runs;  /* a time is the median of this many */
    /* Of a growth of time that is broken: the logarithm of the ratio of the median method; 0 where
     * that is not the machine's. */
    double median_method;
    /* The growth is broken by what was measured alone, a warning: beside the median method it is
     * kept. */
    bool is_only_measured;
    uint64_t inlined_calls; /* of no data: of methods that it was inlined into, one of which
                               `method` is; 0: it was not */
    enum tv_clock clock;
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

/* Judges all rules: verdicts[i] is the verdict on rule i. Verdicts point into the rules and the
 * joins, which must outlive them; their reasons are static. One thread per gate. */
enum tv_code tv_gate_judge(const struct tv_gate *gate, struct tv_rule_verdict *verdicts,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
