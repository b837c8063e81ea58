/*
 * A file of rules, of any bytes: it is refused in one line, or read; each rule lies within the
 * file, and its own text is read as the same rule.
 */
#include "check.h"
#include "compare/rule/rule.h"

static void check_same(const struct tv_rule *rule, const struct tv_rule_about *about)
{
    struct tv_rules again;
    tv_rules_init(&again, tv_alloc_libc());
    FUZZ_CHECK(tv_rules_read(&again, rule->text, NULL) == TV_OK && again.count == 1);
    FUZZ_CHECK(again.of[0].kind == rule->kind && again.of[0].level == TV_LEVEL_UNSAID);
    FUZZ_CHECK(tv_str_equal(again.of[0].pattern, rule->pattern));
    FUZZ_CHECK(again.of[0].least_calls == rule->least_calls &&
               again.of[0].most_calls == rule->most_calls);
    FUZZ_CHECK(again.of[0].time_ns == rule->time_ns && again.of[0].runs == rule->runs);
    FUZZ_CHECK(again.of[0].clock == rule->clock && again.of[0].time == rule->time);
    FUZZ_CHECK(tv_str_equal(again.about[again.of[0].about].thread, about->thread) &&
               again.about[again.of[0].about].number == about->number);
    tv_rules_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct tv_str text = {(const char *)bytes, len};
    struct tv_rules rules;
    struct tv_error err = {.code = TV_OK};
    tv_rules_init(&rules, tv_alloc_libc());
    if (tv_rules_read(&rules, text, &err) != TV_OK)
        FUZZ_CHECK(err.text[0] && !rules.of && !rules.count);
    for (size_t i = 0; i < rules.count; i++) {
        const struct tv_rule *rule = &rules.of[i];
        FUZZ_CHECK(rule->text.len && rule->text.at >= text.at);
        FUZZ_CHECK(rule->text.at + rule->text.len <= text.at + text.len);
        FUZZ_CHECK(rule->least_calls <= rule->most_calls && rule->growth >= 0);
        FUZZ_CHECK((rule->pattern.len == 0) == (rule->kind == TV_RULE_CALLS_GROWTH));
        FUZZ_CHECK(rule->about < rules.about_count && rules.about_count <= TV_RULES_ABOUT_MOST);
        check_same(rule, &rules.about[rule->about]);
    }
    for (size_t i = 0; i < rules.allow_count; i++) {
        const struct tv_rule_allow *allow = &rules.allows[i];
        FUZZ_CHECK(allow->pattern.len && allow->reason.len && allow->pattern.at >= text.at);
        FUZZ_CHECK(allow->until % 100 >= 1 && allow->until % 100 <= 31);
    }
    tv_rules_release(&rules);
    return 0;
}
