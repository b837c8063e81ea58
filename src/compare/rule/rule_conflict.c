/*
 * Finding rules that contradict each other; see compare/rule/rule_conflict.h. Every pair is looked
 * at, by comparing beginnings of patterns only: a file has at most a thousand rules.
 */
#include "compare/rule/rule_conflict.h"

static bool is_of_calls(const struct tv_rule *rule)
{
    return rule->level != TV_LEVEL_OFF &&
           (rule->kind == TV_RULE_CALLS || rule->kind == TV_RULE_NO_CALLS);
}

/* Whether each name of `narrow` is one of `wide`, as far as that can be seen. */
static bool covers(struct tv_str wide, struct tv_str narrow)
{
    if (tv_str_equal(wide, narrow))
        return true;
    if (!tv_str_ends_with(wide, TV_STR("*")))
        return false;
    wide.len--;
    return !tv_str_is_glob(wide) && tv_str_starts_with(narrow, wide);
}

/* Whether the calls that `upper` bounds hold those that `lower` asks for, and are fewer. */
static bool contradicts(const struct tv_rules *rules, const struct tv_rule *upper,
                        const struct tv_rule *lower)
{
    struct tv_str upper_thread = rules->about[upper->about].thread;
    return upper->most_calls < lower->least_calls && covers(upper->pattern, lower->pattern) &&
           (!upper_thread.len || upper->about == lower->about);
}

enum tv_code tv_rules_check_conflicts(const struct tv_rules *rules, struct tv_error *err)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct tv_rule *rule = &rules->of[i];
        for (size_t k = 0; k < i && is_of_calls(rule); k++) {
            const struct tv_rule *before = &rules->of[k];
            if (!is_of_calls(before))
                continue;
            if (contradicts(rules, rule, before) || contradicts(rules, before, rule))
                return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                               "line %llu: contradicts line %llu: no recording can keep both",
                               (unsigned long long)rule->line, (unsigned long long)before->line);
        }
    }
    return TV_OK;
}
