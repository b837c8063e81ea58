/*
 * What recordings have to keep, as a text of rules says it, and the verdicts (compare/rule/gate.h):
 * for the route `rules`, and for `traceview diff` and `check` with --rules.
 *
 * The rules are read before the recordings are looked at, since they say which of their numbers are
 * needed; each recording is then added to `numbers`, and all rules are judged at the end. Nothing
 * here has a name of a file.
 */
#ifndef TV_API_COMPARISONS_RULING_H
#define TV_API_COMPARISONS_RULING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/call.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "base/text/out.h"
#include "compare/rule/gate.h"
#include "compare/rule/rule.h"
#include "compare/rule/rule_numbers.h"
#include "index/index.h"

/* How many calls that broke a rule are listed, and for how many rules. */
#define TV_RULE_CALLS_TOLD 3u
#define TV_RULES_WITH_CALLS 20u

/* A call that broke a rule. */
struct tv_rule_call {
    uint64_t from_ns; /* on the axis, since the start of the trace */
    uint64_t time_ns; /* how long it lasted, on the clock of the verdict */
    uint32_t thread_id;
    struct tv_str thread; /* its name */
    struct tv_str caller; /* the method that called it; empty: a root call */
};

struct tv_rule_calls {
    struct tv_rule_call of[TV_RULE_CALLS_TOLD];
    size_t count;
    struct tv_str command; /* lines that show them; empty: nobody gave any */
};

struct tv_ruling {
    const struct tv_alloc *alloc;
    struct tv_rules rules;
    struct tv_rule_numbers numbers;
    struct tv_rule_verdict *verdicts; /* one for each rule */
    struct tv_rule_calls *calls;      /* one for each rule, as far as they are looked up */
    struct tv_arena texts;            /* of the calls */
    size_t counts[TV_RULE_STATE_COUNT];
    size_t judged;
    size_t absent; /* of those left out: about names that these recordings have not, as others do */
    size_t uncompared; /* of those left out: growths whose verdict says why there is no old side */
    size_t failed;     /* rules that are an error where they are not kept, and are not */
    size_t first_new;  /* run */
    bool is_sample;    /* times were judged by one new recording */
    const atomic_bool *is_unwanted; /* as in struct tv_gate; NULL at first */
};

void tv_ruling_init(struct tv_ruling *ruling, const struct tv_alloc *alloc);
void tv_ruling_release(struct tv_ruling *ruling);
/* Reads rules for `run_count` recordings; `text` must outlive the ruling. Errors are those of
 * tv_rules_read. */
enum tv_code tv_ruling_read(struct tv_ruling *ruling, struct tv_str text, size_t run_count,
                            struct tv_error *err) TV_MUST_CHECK;
/* Judges the rules when all recordings were added to `numbers`, and that is finished, too. `today`
 * is as in struct tv_rule_allow; UINT32_MAX: no day is known, so nothing is allowed until one. */
enum tv_code tv_ruling_judge(struct tv_ruling *ruling, const struct tv_join *join,
                             const struct tv_changes_opts *opts,
                             const struct tv_rule_clocks *clocks, uint32_t today,
                             struct tv_error *err) TV_MUST_CHECK;

/* A function that writes the command which shows the calls that broke a rule: `method` is the
 * method in the recording, `first` the first of its calls, and the text is added to `out`. */
struct tv_rule_commands {
    enum tv_code (*add)(void *ctx, size_t place, uint32_t method, struct tv_call_ref first,
                        struct tv_buffer *out, struct tv_error *err);
    void *ctx;
};

/* Whether calls of a recording are to be listed for any rule. */
bool tv_ruling_looks_at(const struct tv_ruling *ruling, size_t run);
/* Looks up the calls of a recording that broke rules; of `*left` rules at most. `commands` may
 * be NULL. */
enum tv_code tv_ruling_look(struct tv_ruling *ruling, const struct tv_index *index, size_t run,
                            const struct tv_rule_commands *commands, size_t *left,
                            struct tv_error *err) TV_MUST_CHECK;

/* Whether the recordings fail: a rule that is an error is not kept, or there is no rule. */
bool tv_ruling_fails(const struct tv_ruling *ruling);
/* Whether a rule was judged, and is not kept. */
bool tv_ruling_is_missed(const struct tv_ruling *ruling, size_t place);
/* Whether more is to be told of a rule than that it is kept: it is missed, or allowed to be. */
bool tv_ruling_is_told(const struct tv_ruling *ruling, size_t place);
/* "error", "warning" or "allowed". */
const char *tv_ruling_level(const struct tv_ruling *ruling, size_t place);
/* Why a rule is not kept, without a name in it. */
void tv_ruling_write_why(const struct tv_ruling *ruling, size_t place, struct tv_out *out);
/* Replaces `name` by the method that broke a rule; empty: it is no single one. */
enum tv_code tv_ruling_method(const struct tv_ruling *ruling, size_t place, struct tv_buffer *name,
                              struct tv_error *err) TV_MUST_CHECK;
/* The keys "calls" and "command" of an open object; nothing where no calls were looked up. */
void tv_rule_calls_json(const struct tv_rule_calls *calls, struct tv_json *json);
/* The key "rules" of an open object. */
enum tv_code tv_ruling_json(const struct tv_ruling *ruling, struct tv_json *json,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
