/* Reading rules; see compare/rule.h. */
#include "compare/rule.h"

#include <string.h>

#include "base/numbers/duration.h"

#define GROWS " grows"

void tv_rules_init(struct tv_rules *rules, const struct tv_alloc *alloc)
{
    *rules = (struct tv_rules){.alloc = alloc};
}

void tv_rules_release(struct tv_rules *rules)
{
    tv_alloc_release(rules->alloc, &rules->of, rules->cap, sizeof(*rules->of));
    tv_rules_init(rules, rules->alloc);
}

/* Takes words from the beginning of a text, and the blanks behind them. */
static bool take_words(struct tv_str *text, const char *words)
{
    struct tv_str prefix = tv_str_from(words);
    if (!tv_str_starts_with(*text, prefix))
        return false;
    struct tv_str rest = {text->at + prefix.len, text->len - prefix.len};
    if (rest.len && !tv_is_blank(rest.at[0]))
        return false;
    *text = tv_str_trim(rest);
    return true;
}

/* Splits a text at the last place of a separator, since a name before it may have that, too. */
static bool split_last(struct tv_str text, const char *separator, struct tv_str *before,
                       struct tv_str *behind)
{
    struct tv_str needle = tv_str_from(separator);
    for (size_t at = text.len; at-- > 0;) {
        struct tv_str rest = {text.at + at, text.len - at};
        if (!tv_str_starts_with(rest, needle))
            continue;
        *before = tv_str_trim((struct tv_str){text.at, at});
        *behind = tv_str_trim((struct tv_str){rest.at + needle.len, rest.len - needle.len});
        return before->len > 0 && behind->len > 0;
    }
    return false;
}

static const char *read_level(struct tv_str *text, enum tv_rule_level *level)
{
    static const char *const words[] = {
        [TV_LEVEL_OFF] = "off", [TV_LEVEL_WARN] = "warn", [TV_LEVEL_ERROR] = "error"};
    for (unsigned i = TV_LEVEL_OFF; i < TV_COUNT_OF(words); i++) {
        if (take_words(text, words[i])) {
            *level = (enum tv_rule_level)i;
            break;
        }
    }
    return text->len ? NULL : "a rule is missing behind the level";
}

/* "11..14", or "12". */
static const char *read_range(struct tv_str text, struct tv_rule *rule)
{
    struct tv_str least = text;
    struct tv_str most = text;
    size_t points = tv_str_find(text, TV_STR(".."), TV_CASE_EXACT);
    if (points != SIZE_MAX) {
        least.len = points;
        most = (struct tv_str){text.at + points + 2, text.len - points - 2};
    }
    if (!tv_str_to_u64(least, 10, &rule->least_calls) ||
        !tv_str_to_u64(most, 10, &rule->most_calls))
        return "a count of calls is a whole number, or two with .. between";
    return rule->least_calls > rule->most_calls ? "the range ends before it begins" : NULL;
}

/* "2 %" */
static const char *read_percent(struct tv_str text, struct tv_rule *rule)
{
    double percent;
    if (!tv_str_ends_with(text, TV_STR("%")))
        return "a growth is in percent: 2 %";
    text.len--;
    if (!tv_str_to_decimal(tv_str_trim(text), &percent))
        return "a growth is a number and %: 2 %";
    rule->growth = percent / 100;
    return NULL;
}

static const char *read_time(struct tv_str text, struct tv_rule *rule)
{
    char last = text.at[text.len - 1];
    if ((last >= '0' && last <= '9') || !tv_duration_ns(text, &rule->time_ns))
        return "a time is a number and its unit: 40 ms";
    return NULL;
}

static const char *read_calls(struct tv_str text, struct tv_rule *rule)
{
    struct tv_str range;
    rule->kind = TV_RULE_CALLS;
    if (!split_last(text, " in ", &rule->pattern, &range))
        return "calls of PATTERN needs 'in 11..14' behind it";
    return read_range(range, rule);
}

static const char *read_time_rule(struct tv_str text, struct tv_rule *rule)
{
    struct tv_str before;
    struct tv_str limit;
    struct tv_str floor;
    if (!split_last(text, " <= ", &before, &limit))
        return "time of PATTERN needs '<= 40 ms' or 'grows <= 10 % and 5 ms' behind it";
    rule->kind = TV_RULE_TIME;
    rule->pattern = before;
    if (!tv_str_ends_with(before, TV_STR(GROWS)))
        return read_time(limit, rule);
    rule->kind = TV_RULE_TIME_GROWTH;
    rule->pattern = tv_str_trim((struct tv_str){before.at, before.len - (sizeof(GROWS) - 1)});
    struct tv_str percent;
    if (!split_last(limit, " and ", &percent, &floor))
        return "a growth of time has a ratio and a floor: 10 % and 5 ms";
    const char *why = read_percent(percent, rule);
    if (!why && rule->growth <= 0)
        why = "a growth of time needs more than 0 %";
    return why ? why : read_time(floor, rule);
}

/* Reads a line. NULL, or why it is no rule. */
static const char *read_rule(struct tv_str text, struct tv_rule *rule)
{
    const char *why = read_level(&text, &rule->level);
    rule->text = text;
    if (why)
        return why;
    if (take_words(&text, "calls growth <=")) {
        rule->kind = TV_RULE_CALLS_GROWTH;
        return read_percent(text, rule);
    }
    if (take_words(&text, "no calls of")) {
        rule->kind = TV_RULE_NO_CALLS;
        rule->pattern = text;
        return text.len ? NULL : "no calls of needs a PATTERN";
    }
    if (take_words(&text, "calls of"))
        return read_calls(text, rule);
    if (take_words(&text, "time of"))
        return read_time_rule(text, rule);
    return "a rule begins with calls of, no calls of, calls growth or time of";
}

static enum tv_code read_lines(struct tv_rules *rules, struct tv_str text, struct tv_error *err)
{
    struct tv_str line;
    uint64_t number = 0;
    while (tv_str_split(&text, '\n', &line)) {
        struct tv_rule rule = {.line = ++number};
        line = tv_str_trim(line);
        if (!line.len || line.at[0] == '#')
            continue;
        const char *why = rules->count == TV_RULES_MOST ? "a file has at most 1000 rules"
                                                        : read_rule(line, &rule);
        if (why)
            return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "line %llu: %s",
                           (unsigned long long)number, why);
        TV_TRY(tv_alloc_grow(rules->alloc, &rules->of, &rules->cap, rules->count + 1,
                             sizeof(*rules->of), err));
        rules->of[rules->count++] = rule;
    }
    return TV_OK;
}

enum tv_code tv_rules_read(struct tv_rules *rules, struct tv_str text, struct tv_error *err)
{
    tv_rules_release(rules);
    enum tv_code code = read_lines(rules, text, err);
    if (code != TV_OK)
        tv_rules_release(rules);
    return code;
}
