/* The rules that a comparison has to keep, of a file, and their verdicts for those who write them.
 */
#ifndef TV_CLI_COMPARE_DIFF_RULES_H
#define TV_CLI_COMPARE_DIFF_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "cli/wording.h"
#include "compare/gate.h"
#include "compare/rule.h"

struct tv_diff;

struct tv_diff_rules {
    const char *file; /* NULL: there are none */
    struct tv_buffer text;
    struct tv_rules rules;
    struct tv_rule_verdict *verdicts; /* one for each rule; rules that are off have none */
    size_t counts[TV_RULE_NO_DATA + 1];
    size_t judged;
    size_t failed; /* rules that are an error where they are not kept, and are not */
};

void tv_diff_rules_init(struct tv_diff_rules *rules, const struct tv_alloc *alloc);
void tv_diff_rules_release(struct tv_diff_rules *rules);
enum tv_code tv_diff_rules_load(struct tv_diff_rules *rules, const char *path,
                                struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_rules_judge(struct tv_diff_rules *rules, const struct tv_gate *gate,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Whether the comparison fails: a rule that is an error is not kept, or the file says no rule. */
bool tv_diff_rules_fail(const struct tv_diff_rules *rules);

/* Whether a rule is on and is not kept. */
bool tv_diff_rules_is_missed(const struct tv_diff_rules *rules, size_t place);
/* How many rules are kept; no name is in it. */
void tv_diff_rules_add_summary(struct tv_text *out, const struct tv_diff_rules *rules);
/* Why a rule is not kept, without a name in it. */
void tv_diff_rules_add_why(struct tv_text *out, const struct tv_diff *diff, size_t place);
/* Replaces `name` by the method that broke a rule; empty: it is no single one. */
enum tv_code tv_diff_rules_method(const struct tv_diff *diff, size_t place, struct tv_buffer *name,
                                  struct tv_error *err) TV_MUST_CHECK;
/* These write nothing where there are no rules. */
enum tv_code tv_diff_rules_text(const struct tv_diff *diff, struct tv_text *out,
                                struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_rules_json(const struct tv_diff *diff, struct tv_json *json,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
