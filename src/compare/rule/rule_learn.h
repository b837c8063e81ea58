/*
 * Rules that recordings teach: for the methods that take most time, how often each may be called
 * and how long it may take, and how often each rule would have cried wolf.
 *
 * A count that is the same in every run is the rule; one that differs has its range, widened by its
 * width at both ends, as in a lockfile. A limit of time is the longest of all runs and a margin
 * above it, rounded up to two digits. To see whether a rule would cry wolf, each run is held
 * against the rule that the other runs teach: a rule that is learned from a run always holds in it.
 *
 * A rule names its method without the signature where that is no other one's name, else with it. A
 * method that no pattern names alone, or whose name is very long, teaches nothing.
 */
#ifndef TV_COMPARE_RULE_RULE_LEARN_H
#define TV_COMPARE_RULE_RULE_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/trace_clock.h"
#include "compare/method_join.h"

/* The most methods that teach rules: each may have two rules, and a file has at most 1,000. */
#define TV_LEARN_METHODS_MOST 500u

struct tv_learn_opts {
    enum tv_clock clock;
    size_t method_count; /* at most; those with the largest median of inclusive time */
    double margin;       /* of limits of time: 0.25 is 25 % */
    uint64_t least_ns;   /* a method whose median is below this has no limit of time */
};

struct tv_learned_rule {
    uint32_t method; /* place in the join */
    bool is_time;    /* false: of calls */
    uint64_t least_calls;
    uint64_t most_calls;
    uint64_t time_ns;
    size_t cried;  /* runs that break what the other runs teach */
    bool is_whole; /* its pattern has the signature */
};

struct tv_learned {
    const struct tv_alloc *alloc;
    struct tv_learned_rule *of; /* a method's rules side by side */
    size_t count, cap;
    size_t crying;      /* rules that cried in any run */
    size_t runs_crying; /* runs in which any rule cried */
    size_t unnamed;     /* methods that no pattern names alone */
};

/* Bytes of a pattern, at most. */
#define TV_LEARNED_PATTERN_MOST 500u

void tv_learned_init(struct tv_learned *learned, const struct tv_alloc *alloc);
void tv_learned_release(struct tv_learned *learned);
/* Learns from a finished join. With a single run nothing cries, since there are no other runs. */
enum tv_code tv_learn(struct tv_learned *learned, const struct tv_join *join,
                      const struct tv_learn_opts *opts, struct tv_error *err) TV_MUST_CHECK;
/* Replaces the content of `out` by the method's name as the pattern of a rule, with its signature
 * if `is_whole`. Characters that a rule would read otherwise, or that would act on a reader, become
 * ?. */
enum tv_code tv_learned_pattern(const struct tv_joined_method *method, bool is_whole,
                                struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;

#endif
