/*
 * Rules of recordings, as a file that is committed says them: a line each.
 *
 *   [LEVEL] calls of PATTERN in LEAST..MOST      in every new run; the range may be one number
 *   [LEVEL] no calls of PATTERN                  in any new run
 *   [LEVEL] calls growth <= N %                  of all methods, median to median
 *   [LEVEL] TIME of PATTERN <= LIMIT             of each method, the median of the new runs
 *   [LEVEL] TIME of PATTERN grows <= N % and LIMIT     of each method, tested over runs
 *   allow PATTERN until YEAR-MONTH-DAY because REASON  such methods break no rule until then
 *
 * LEVEL is off, warn or error.
 *
 * TIME is time, cpu or wall, behind inclusive or exclusive if need be; or, with a limit alone, p50,
 * p95 or max, of the single calls, before cpu or wall if need be. A rule may end with "on thread
 * THREAD" and "over N runs", and the former may also stand behind its PATTERN.
 *
 * A PATTERN is a whole name, `com.example.Foo.load`, with or without its signature, as people write
 * it (compare/name_index.h); * is any text, ? any byte, as in a THREAD. Empty lines, and lines that
 * begin with #, say nothing. Without a first word a rule is an error where it is broken; a rule of
 * time on the wall clock then is a warning.
 */
#ifndef TV_COMPARE_RULE_RULE_H
#define TV_COMPARE_RULE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/trace_clock.h"

/* A file of rules is not longer, and has no more rules. */
#define TV_RULES_LEN_MOST (1u << 20)
#define TV_RULES_MOST 1000u
/* Each pair of threads and a number is a profile of each run, and each test is one of all methods,
 * so both are bounded, too. */
#define TV_RULES_ABOUT_MOST 32u
#define TV_RULES_TESTS_MOST 64u

enum tv_rule_kind {
    TV_RULE_CALLS,
    TV_RULE_NO_CALLS,
    TV_RULE_CALLS_GROWTH,
    TV_RULE_TIME,
    TV_RULE_TIME_GROWTH,
};

enum tv_rule_level { TV_LEVEL_UNSAID, TV_LEVEL_OFF, TV_LEVEL_WARN, TV_LEVEL_ERROR };

/* Unsaid: the clock and the kind of time of the comparison. */
enum tv_rule_clock { TV_RULE_CLOCK_UNSAID, TV_RULE_CLOCK_CPU, TV_RULE_CLOCK_WALL };
enum tv_rule_time { TV_RULE_TIME_UNSAID, TV_RULE_TIME_INCLUSIVE, TV_RULE_TIME_EXCLUSIVE };

/* Which number of a method: of all its calls together, or of the durations of single ones. */
enum tv_rule_number { TV_NUMBER_TOTAL, TV_NUMBER_P50, TV_NUMBER_P95, TV_NUMBER_MAX };

/* Which numbers of each run a rule looks at. */
struct tv_rule_about {
    struct tv_str thread; /* a pattern; empty: all threads */
    enum tv_rule_number number;
};

struct tv_rule {
    enum tv_rule_kind kind;
    enum tv_rule_level level;
    uint64_t line;         /* in the file, from 1 */
    struct tv_str text;    /* as it stands there, without the level */
    struct tv_str pattern; /* empty for TV_RULE_CALLS_GROWTH */
    size_t about;          /* place in the rules' `about` */
    enum tv_rule_clock clock;
    enum tv_rule_time time;
    uint64_t runs; /* least number of new runs, for a growth of old ones, too; 0: any */
    uint64_t least_calls;
    uint64_t most_calls;
    double growth;    /* 0.02 is 2 % */
    uint64_t time_ns; /* the limit, or the floor below which no growth counts */
};

/* Methods that break no rule until the end of a day. */
struct tv_rule_allow {
    uint64_t line;
    struct tv_str pattern;
    bool is_growth; /* of `calls growth`, and of no method */
    uint32_t until; /* year * 10000 + month * 100 + day */
    struct tv_str reason;
};

/* Whether a rule compares new runs with old ones. */
TV_INLINE bool tv_rule_is_growth(const struct tv_rule *rule)
{
    return rule->kind == TV_RULE_CALLS_GROWTH || rule->kind == TV_RULE_TIME_GROWTH;
}

/* Whether a rule is about time, and not about calls. */
TV_INLINE bool tv_rule_is_of_time(const struct tv_rule *rule)
{
    return rule->kind == TV_RULE_TIME || rule->kind == TV_RULE_TIME_GROWTH;
}

struct tv_rules {
    const struct tv_alloc *alloc;
    struct tv_rule *of;
    size_t count, cap;
    struct tv_rule_allow *allows;
    size_t allow_count, allow_cap;
    struct tv_rule_about about[TV_RULES_ABOUT_MOST]; /* the first: all threads, totals */
    size_t about_count;
};

void tv_rules_init(struct tv_rules *rules, const struct tv_alloc *alloc);
void tv_rules_release(struct tv_rules *rules);
/* Reads the text of a file, which must outlive the rules. TV_ERR_FORMAT: a line is no rule, or
 * contradicts an earlier one (compare/rule/rule_conflict.h), and says which and why. */
enum tv_code tv_rules_read(struct tv_rules *rules, struct tv_str text,
                           struct tv_error *err) TV_MUST_CHECK;
/* "2026-12-31": reads a day of the calendar as a number, as in struct tv_rule_allow. */
bool tv_rule_read_day(struct tv_str text, uint32_t *day);

#endif
