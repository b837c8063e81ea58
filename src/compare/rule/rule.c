/*
 * Reading rules; the grammar is in compare/rule/rule.h and in docs/compare.md.
 *
 * A line is taken apart from both ends, at the words that stand there, because a pattern in its
 * middle may hold any of them: names of recorded programs have blanks, commas and words of their
 * own. The beginning says the kind of rule, the end its limit, and what is left is the pattern.
 * Texts of a rule are parts of the file's text, which must live as long as the rules.
 *
 * Each reading function returns NULL, or the sentence that says why the line is no rule.
 */
#include "compare/rule/rule.h"

#include <string.h>

#include "base/numbers/duration.h"
#include "compare/rule/rule_conflict.h"

#define GROWS " grows"

void tv_rules_init(struct tv_rules *rules, const struct tv_alloc *alloc)
{
    *rules = (struct tv_rules){.alloc = alloc, .about_count = 1};
}

void tv_rules_release(struct tv_rules *rules)
{
    tv_alloc_release(rules->alloc, &rules->of, rules->cap, sizeof(*rules->of));
    tv_alloc_release(rules->alloc, &rules->allows, rules->allow_cap, sizeof(*rules->allows));
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

/* Takes one of several words, the first of which has the number 1. 0: none is there. */
static unsigned take_choice(struct tv_str *text, const char *const *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (take_words(text, words[i]))
            return i + 1;
    }
    return 0;
}

/* Splits a text at a separator that begins at `at`. */
static bool split_at(struct tv_str text, size_t at, size_t len, struct tv_str *before,
                     struct tv_str *behind)
{
    *before = tv_str_trim((struct tv_str){text.at, at});
    *behind = tv_str_trim((struct tv_str){text.at + at + len, text.len - at - len});
    return before->len > 0 && behind->len > 0;
}

/* Splits a text at the last place of a separator, since a name before it may have that, too. */
static bool split_last(struct tv_str text, const char *separator, struct tv_str *before,
                       struct tv_str *behind)
{
    struct tv_str needle = tv_str_from(separator);
    for (size_t at = text.len; at-- > 0;) {
        struct tv_str rest = {text.at + at, text.len - at};
        if (tv_str_starts_with(rest, needle))
            return split_at(text, at, needle.len, before, behind);
    }
    return false;
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

/* What stands at the end of a rule, or of its pattern. */
struct clauses {
    struct tv_str thread;
    uint64_t runs;
};

/* Takes "over 5 runs" from the end of a text. */
static bool take_runs(struct tv_str *text, uint64_t *runs)
{
    struct tv_str before;
    struct tv_str count;
    if (!tv_str_ends_with(*text, TV_STR(" runs")) || !split_last(*text, " over ", &before, &count))
        return false;
    count = tv_str_trim((struct tv_str){count.at, count.len - (sizeof("runs") - 1)});
    if (!tv_str_to_u64(count, 10, runs))
        return false;
    *text = before;
    return true;
}

/* Takes all clauses from the end of a text, in any order. NULL, or why they are none. */
static const char *take_clauses(struct tv_str *text, struct clauses *clauses)
{
    struct tv_str before;
    struct tv_str thread;
    uint64_t runs;
    for (;;) {
        if (take_runs(text, &runs)) {
            if (clauses->runs)
                return "the runs are said twice";
            if (!runs)
                return "a rule needs more than 0 runs";
            clauses->runs = runs;
        } else if (split_last(*text, " on thread ", &before, &thread)) {
            if (clauses->thread.len)
                return "the thread is said twice";
            clauses->thread = thread;
            *text = before;
        } else {
            return NULL;
        }
    }
}

/* A line while it is read. */
struct reading {
    struct tv_rule rule;
    struct clauses clauses;
    enum tv_rule_number number;
};

/* What may stand behind a blank in the name of a method: a signature, another method of a list, and
 * what C++ writes. */
static bool may_follow_blank(struct tv_str rest)
{
    static const struct tv_str beginnings[] = {{"(", 1}, {"| ", 2},    {"[", 1},
                                               {"&", 1}, {"const", 5}, {"volatile", 8}};
    for (size_t i = 0; i < TV_COUNT_OF(beginnings); i++) {
        if (tv_str_starts_with(rest, beginnings[i]))
            return true;
    }
    return false;
}

static bool may_precede_blank(struct tv_str before)
{
    return tv_str_ends_with(before, TV_STR(" |")) || tv_str_ends_with(before, TV_STR("operator"));
}

static bool is_quoted(struct tv_str text)
{
    const char first = text.at[0];
    return text.len > 1 && (first == '"' || first == '\'' || first == '`') &&
           text.at[text.len - 1] == first;
}

static const char cut_name[] = "tables have left something out of this PATTERN: write the whole "
                               "name, or * for what is missing";

/* Whether a name is one as tables show it where they have no room for all of it: no method is
 * called so. Points within a signature are Java's. */
static bool is_cut_name(struct tv_str pattern)
{
    return tv_str_starts_with(pattern, TV_STR("..")) ||
           tv_str_find(pattern, TV_STR("\u2026"), TV_CASE_EXACT) != SIZE_MAX;
}

/* Why no method is called so; NULL: one may be. A rule about such a name finds nothing: any other
 * kind has no data then, but one that no calls keep would be kept for ever. What stands in brackets
 * is of a signature or of types, and has blanks and commas. */
static const char *why_no_name(struct tv_str pattern)
{
    size_t depth = 0;
    bool is_open = false; /* a "(" without its ")", or a star that may be it */
    if (is_quoted(pattern))
        return "a PATTERN stands without quotes";
    for (size_t i = 0; i < pattern.len; i++) {
        const char c = pattern.at[i];
        const struct tv_str before = {pattern.at, i};
        const struct tv_str rest = {pattern.at + i + 1, pattern.len - i - 1};
        if (c == '(' || c == '<' || c == '[')
            depth++;
        else if (depth && (c == ')' || c == '>' || c == ']'))
            depth--;
        is_open = c == '(' || (is_open && c != ')' && c != '*');
        if (depth)
            continue;
        if (c == ',')
            return "a rule has one PATTERN: each has a line, and ? stands for a comma of a name";
        if (tv_is_blank(c) && rest.at[0] == '#')
            return "a comment stands on a line of its own";
        if (tv_is_blank(c) && !may_follow_blank(rest) && !may_precede_blank(before))
            return "no name of a method goes on behind this blank: on thread THREAD and over N "
                   "runs may, and ? stands for a blank of a name";
    }
    return is_open ? "the signature of a PATTERN ends with )" : NULL;
}

/* "PATTERN in 11..14": clauses may stand behind the range or behind the pattern, as people write
 * either. */
static const char *read_calls(struct tv_str text, struct reading *reading)
{
    struct tv_str range;
    struct tv_rule *rule = &reading->rule;
    rule->kind = TV_RULE_CALLS;
    if (!split_last(text, " in ", &rule->pattern, &range))
        return "calls of PATTERN needs 'in 11..14' behind it";
    const char *why = take_clauses(&range, &reading->clauses);
    if (!why)
        why = take_clauses(&rule->pattern, &reading->clauses);
    if (!why)
        why = read_range(range, rule);
    return why || rule->least_calls ? why : why_no_name(rule->pattern);
}

static const char *read_no_calls(struct tv_str text, struct reading *reading)
{
    reading->rule.kind = TV_RULE_NO_CALLS;
    const char *why = take_clauses(&text, &reading->clauses);
    reading->rule.pattern = text;
    if (why)
        return why;
    return text.len ? why_no_name(text) : "no calls of needs a PATTERN";
}

static const char *read_calls_growth(struct tv_str text, struct reading *reading)
{
    reading->rule.kind = TV_RULE_CALLS_GROWTH;
    const char *why = take_clauses(&text, &reading->clauses);
    return why ? why : read_percent(text, &reading->rule);
}

/* "10 % and 5 ms": a ratio alone would fail on methods of microseconds, and a floor alone on large
 * ones that vary by more than it. */
static const char *read_growth(struct tv_str limit, struct reading *reading)
{
    struct tv_str percent;
    struct tv_str floor;
    struct tv_rule *rule = &reading->rule;
    if (reading->number != TV_NUMBER_TOTAL)
        return "p50, p95 and max have a limit, and no growth";
    rule->kind = TV_RULE_TIME_GROWTH;
    if (!split_last(limit, " and ", &percent, &floor))
        return "a growth of time has a ratio and a floor: 10 % and 5 ms";
    const char *why = read_percent(percent, rule);
    if (!why && rule->growth <= 0)
        why = "a growth of time needs more than 0 %";
    return why ? why : read_time(floor, rule);
}

/* "PATTERN <= 40 ms" and "PATTERN grows <= 10 % and 5 ms" have the same separator, so which of them
 * it is says the end of what stands before it. */
static const char *read_time_rule(struct tv_str text, struct reading *reading)
{
    struct tv_str limit;
    struct tv_str *pattern = &reading->rule.pattern;
    if (!split_last(text, " <= ", pattern, &limit))
        return "time of PATTERN needs '<= 40 ms' or 'grows <= 10 % and 5 ms' behind it";
    bool is_growth = tv_str_ends_with(*pattern, TV_STR(GROWS));
    if (is_growth)
        *pattern = tv_str_trim((struct tv_str){pattern->at, pattern->len - (sizeof(GROWS) - 1)});
    const char *why = take_clauses(&limit, &reading->clauses);
    if (!why)
        why = take_clauses(pattern, &reading->clauses);
    if (why)
        return why;
    reading->rule.kind = TV_RULE_TIME;
    return is_growth ? read_growth(limit, reading) : read_time(limit, &reading->rule);
}

/* Takes "exclusive wall of" or "p95 of": what a rule of time is about. */
static bool take_time_words(struct tv_str *text, struct reading *reading)
{
    static const char *const times[] = {"inclusive", "exclusive"};
    static const char *const numbers[] = {"p50", "p95", "max"};
    static const char *const clocks[] = {"cpu", "wall"};
    struct tv_rule *rule = &reading->rule;
    rule->time = (enum tv_rule_time)take_choice(text, times, TV_COUNT_OF(times));
    if (!rule->time)
        reading->number = (enum tv_rule_number)take_choice(text, numbers, TV_COUNT_OF(numbers));
    rule->clock = (enum tv_rule_clock)take_choice(text, clocks, TV_COUNT_OF(clocks));
    if (!rule->clock && !reading->number && !take_words(text, "time"))
        return false;
    return take_words(text, "of");
}

/* Reads a line behind its level. NULL, or why it is no rule. */
static const char *read_rule(struct tv_str text, struct reading *reading)
{
    static const char *const levels[] = {"off", "warn", "error"};
    reading->rule.level = (enum tv_rule_level)take_choice(&text, levels, TV_COUNT_OF(levels));
    reading->rule.text = text;
    if (!text.len)
        return "a rule is missing behind the level";
    if (take_words(&text, "calls growth <="))
        return read_calls_growth(text, reading);
    if (take_words(&text, "no calls of"))
        return read_no_calls(text, reading);
    if (take_words(&text, "calls of"))
        return read_calls(text, reading);
    if (take_time_words(&text, reading))
        return read_time_rule(text, reading);
    return "a rule begins with calls of, no calls of, calls growth, allow or time of, and before "
           "time may stand inclusive, exclusive, p50, p95 or max, then cpu or wall";
}

_Static_assert(TV_RULES_ABOUT_MOST == 32, "all threads, and the 31 that the reason below names");

/* Finds the place of what the rule is about among those of the rules, or adds it. */
static const char *find_about(struct tv_rules *rules, struct reading *reading)
{
    const struct tv_rule_about about = {reading->clauses.thread, reading->number};
    size_t place = 0;
    while (place < rules->about_count && (rules->about[place].number != about.number ||
                                          !tv_str_equal(rules->about[place].thread, about.thread)))
        place++;
    if (place == TV_RULES_ABOUT_MOST)
        return "rules name too many threads: 31 at most, those of p50, p95 and max apart";
    rules->about[place] = about;
    if (place == rules->about_count)
        rules->about_count++;
    reading->rule.about = place;
    return NULL;
}

/* Whether two growths of time can be judged by one test of all methods, as far as rules tell: a
 * clock that is not said is known only with the runs. */
static bool is_same_test(const struct tv_rule *a, const struct tv_rule *b)
{
    return a->about == b->about && a->clock == b->clock && a->time == b->time &&
           a->growth >= b->growth && a->growth <= b->growth;
}

/* Counts the tests of all methods that growths of time need, by the first rule of each: a test goes
 * over all methods, so a file of rules must not ask for any number of them. */
static const char *check_tests(const struct tv_rules *rules, const struct tv_rule *added)
{
    size_t tests = 0;
    if (added->kind != TV_RULE_TIME_GROWTH)
        return NULL;
    for (size_t i = 0; i < rules->count; i++) {
        const struct tv_rule *rule = &rules->of[i];
        bool is_first = rule->kind == TV_RULE_TIME_GROWTH;
        if (is_first && is_same_test(rule, added))
            return NULL;
        for (size_t k = 0; k < i && is_first; k++)
            is_first =
                rules->of[k].kind != TV_RULE_TIME_GROWTH || !is_same_test(&rules->of[k], rule);
        tests += is_first;
    }
    return tests < TV_RULES_TESTS_MOST
               ? NULL
               : "growths of time have too many ratios, clocks and threads: 64 together at most";
}

/* Reads a line and adds its rule. *why: why it is none, and NULL for a rule; the code is of memory
 * alone. */
static enum tv_code add_rule(struct tv_rules *rules, struct tv_str line, uint64_t number,
                             const char **why, struct tv_error *err)
{
    struct reading reading = {.rule = {.line = number}};
    *why =
        rules->count == TV_RULES_MOST ? "a file has at most 1000 rules" : read_rule(line, &reading);
    if (!*why && is_cut_name(reading.rule.pattern))
        *why = cut_name;
    if (!*why)
        *why = find_about(rules, &reading);
    if (!*why)
        *why = check_tests(rules, &reading.rule);
    if (*why)
        return TV_OK;
    reading.rule.runs = reading.clauses.runs;
    TV_TRY(tv_alloc_grow(rules->alloc, &rules->of, &rules->cap, rules->count + 1,
                         sizeof(*rules->of), err));
    rules->of[rules->count++] = reading.rule;
    return TV_OK;
}

bool tv_rule_read_day(struct tv_str text, uint32_t *day)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint64_t parts[3];
    struct tv_str part;
    if (text.len != sizeof("2026-12-31") - 1)
        return false;
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (!tv_str_split(&text, '-', &part) || part.len != (i ? 2 : 4) ||
            !tv_str_to_u64(part, 10, &parts[i]))
            return false;
    }
    bool is_leap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0);
    if (parts[1] < 1 || parts[1] > 12 || parts[2] < 1 ||
        parts[2] > lengths[parts[1] - 1] + (uint64_t)(parts[1] == 2 && is_leap))
        return false;
    *day = (uint32_t)(parts[0] * 10000 + parts[1] * 100 + parts[2]);
    return true;
}

/* "PATTERN until DAY because REASON": a reason may hold any words, so the first because ends the
 * day; a pattern may hold until, so the last one before it begins the day. */
static const char *read_allow(struct tv_str text, struct tv_rule_allow *allow)
{
    struct tv_str before;
    struct tv_str day;
    struct tv_str because = TV_STR(" because ");
    size_t at = tv_str_find(text, because, TV_CASE_EXACT);
    if (at == SIZE_MAX || !split_at(text, at, because.len, &before, &allow->reason) ||
        !split_last(before, " until ", &allow->pattern, &day))
        return "allow PATTERN needs 'until 2026-12-31 because ...' behind it";
    if (!tv_rule_read_day(day, &allow->until))
        return "a day is a year, a month and a day of it: 2026-12-31";
    allow->is_growth = tv_str_equal(allow->pattern, TV_STR("calls growth"));
    return is_cut_name(allow->pattern) ? cut_name : NULL;
}

static enum tv_code add_allow(struct tv_rules *rules, struct tv_str text, uint64_t number,
                              const char **why, struct tv_error *err)
{
    struct tv_rule_allow allow = {.line = number};
    *why = rules->allow_count == TV_RULES_MOST ? "a file allows at most 1000 times"
                                               : read_allow(text, &allow);
    if (*why)
        return TV_OK;
    TV_TRY(tv_alloc_grow(rules->alloc, &rules->allows, &rules->allow_cap, rules->allow_count + 1,
                         sizeof(*rules->allows), err));
    rules->allows[rules->allow_count++] = allow;
    return TV_OK;
}

/* Editors of other systems begin a text file with a byte order mark, which nobody sees. */
static struct tv_str without_mark(struct tv_str text)
{
    const struct tv_str mark = TV_STR("\xef\xbb\xbf");
    return tv_str_starts_with(text, mark) ? (struct tv_str){text.at + mark.len, text.len - mark.len}
                                          : text;
}

static enum tv_code read_lines(struct tv_rules *rules, struct tv_str text, struct tv_error *err)
{
    struct tv_str line;
    uint64_t number = 0;
    text = without_mark(text);
    while (tv_str_split(&text, '\n', &line)) {
        const char *why;
        number++;
        line = tv_str_trim(line);
        if (!line.len || line.at[0] == '#')
            continue;
        if (take_words(&line, "allow"))
            TV_TRY(add_allow(rules, line, number, &why, err));
        else
            TV_TRY(add_rule(rules, line, number, &why, err));
        if (why)
            return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "line %llu: %s",
                           (unsigned long long)number, why);
    }
    return tv_rules_check_conflicts(rules, err);
}

enum tv_code tv_rules_read(struct tv_rules *rules, struct tv_str text, struct tv_error *err)
{
    tv_rules_release(rules);
    enum tv_code code = read_lines(rules, text, err);
    if (code != TV_OK)
        tv_rules_release(rules);
    return code;
}
