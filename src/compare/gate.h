/* Whether the runs of a comparison keep rules (compare/rule.h). */
#ifndef TV_COMPARE_GATE_H
#define TV_COMPARE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "compare/change.h"
#include "compare/method_join.h"
#include "compare/rule.h"

enum tv_rule_state { TV_RULE_KEPT, TV_RULE_BROKEN, TV_RULE_NO_DATA };
/* "kept", "broken", "no data". */
extern const char *const tv_rule_state_words[];

struct tv_rule_verdict {
    enum tv_rule_state state;
    bool is_error;      /* as its level says: what is not kept is a failure, and no warning */
    const char *reason; /* of no data */
    size_t matched;     /* methods */
    size_t broken;      /* of these, those whose time breaks the rule */
    size_t method;      /* the one that breaks it most; SIZE_MAX: it is no single one */
    size_t run;         /* of calls: the first run that breaks it */
    uint64_t was;       /* calls of the old side, for a growth */
    uint64_t is;        /* calls that broke it */
};

struct tv_gate {
    const struct tv_join *join;
    const struct tv_changes *changes;   /* of the join */
    const struct tv_changes_opts *opts; /* what the changes were made by */
};

/* Judges a rule, which is not off. A growth of time tests all methods again, against its own ratio,
 * and adjusts for those that the rule names (Holm). */
enum tv_code tv_gate_judge(const struct tv_gate *gate, const struct tv_rule *rule,
                           struct tv_rule_verdict *verdict, struct tv_error *err) TV_MUST_CHECK;

#endif
