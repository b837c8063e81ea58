/*
 * Rules that no recording can keep together: one asks for calls where another one allows fewer.
 *
 * Only what is certain by the text is told: the same pattern, or one whose only star is at its end
 * and that holds all names of the other one, on the same threads or on all.
 */
#ifndef TV_COMPARE_RULE_RULE_CONFLICT_H
#define TV_COMPARE_RULE_RULE_CONFLICT_H

#include "base/compiler.h"
#include "base/error.h"
#include "compare/rule/rule.h"

/* TV_ERR_FORMAT: two rules contradict each other, and says their lines. Rules that are off do not
 * count. */
enum tv_code tv_rules_check_conflicts(const struct tv_rules *rules,
                                      struct tv_error *err) TV_MUST_CHECK;

#endif
