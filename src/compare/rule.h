/*
 * Rules of a comparison, as a file that is committed says them: a line each.
 *
 *   [off|warn|error] calls of PATTERN in LEAST..MOST      in every new run; LEAST..MOST may be one
 * number [off|warn|error] no calls of PATTERN                  in any new run [off|warn|error]
 * calls growth <= N %                  of all methods together, median to median [off|warn|error]
 * time of PATTERN <= TIME              of each method, the median of the new runs [off|warn|error]
 * time of PATTERN grows <= N % and TIME    of each method, tested over several runs
 *
 * A PATTERN is a whole name, `com.example.Foo.load`, with or without its signature; * is any text,
 * ? any byte. Empty lines, and lines that begin with #, say nothing. Without a first word a rule is
 * an error where it is broken; a rule of time on the wall clock then is a warning.
 */
#ifndef TV_COMPARE_RULE_H
#define TV_COMPARE_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

/* A file of rules is not longer, and has no more rules: each time rule is a test of all methods. */
#define TV_RULES_LEN_MOST (1u << 20)
#define TV_RULES_MOST 1000u

enum tv_rule_kind {
    TV_RULE_CALLS,
    TV_RULE_NO_CALLS,
    TV_RULE_CALLS_GROWTH,
    TV_RULE_TIME,
    TV_RULE_TIME_GROWTH,
};

enum tv_rule_level { TV_LEVEL_UNSAID, TV_LEVEL_OFF, TV_LEVEL_WARN, TV_LEVEL_ERROR };

struct tv_rule {
    enum tv_rule_kind kind;
    enum tv_rule_level level;
    uint64_t line;         /* in the file, from 1 */
    struct tv_str text;    /* as it stands there, without the level */
    struct tv_str pattern; /* empty for TV_RULE_CALLS_GROWTH */
    uint64_t least_calls;
    uint64_t most_calls;
    double growth;    /* 0.02 is 2 % */
    uint64_t time_ns; /* the limit, or the floor below which no growth counts */
};

struct tv_rules {
    const struct tv_alloc *alloc;
    struct tv_rule *of;
    size_t count, cap;
};

void tv_rules_init(struct tv_rules *rules, const struct tv_alloc *alloc);
void tv_rules_release(struct tv_rules *rules);
/* Reads the text of a file, which must outlive the rules. TV_ERR_FORMAT: a line is no rule, and
 * says which and why. */
enum tv_code tv_rules_read(struct tv_rules *rules, struct tv_str text,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
