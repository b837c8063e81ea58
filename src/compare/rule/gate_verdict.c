/*
 * What all kinds of rules are judged by: which methods break one, which of these are allowed, and
 * what leaves doubt. A rule of which nothing can be said has no data, with the reason, and is never
 * kept by silence.
 */
#include "compare/rule/gate_verdict.h"

const char tv_cut_reason[] =
    "a recording has more methods than are looked at, and this may be about one of the others";

const char tv_counts_reason[] = "the counts of a recording are not those of the program";

const char tv_ambiguous_reason[] =
    "a mapping gives a method several names, and this may be one of them";

const char tv_inlined_reason[] =
    "the mapping says that it was inlined, and how often it runs there is not recorded";
const char tv_lost_reason[] =
    "a recording has lost data, or has none, so its times are not those of the program";

const char tv_fell_reason[] =
    "a clock of a recording went backwards, or too far, so its CPU times may be too short";

const char tv_odd_wall_reason[] =
    "wall times of a recording are less than they were: 'traceview check' tells why";

static enum tv_rule_set limit_of_time(enum tv_rule_number number)
{
    switch (number) {
    case TV_NUMBER_TOTAL:
        return TV_RULES_OF_TOTAL;
    case TV_NUMBER_P50:
    case TV_NUMBER_P95:
        return TV_RULES_OF_PERCENTILE;
    case TV_NUMBER_MAX:
        break;
    }
    return TV_RULES_OF_MAX;
}

static enum tv_rule_set column_of(const struct tv_gate *gate, const struct tv_rule *rule)
{
    switch (rule->kind) {
    case TV_RULE_CALLS:
    case TV_RULE_NO_CALLS:
        return TV_RULES_OF_CALLS;
    case TV_RULE_CALLS_GROWTH:
        return TV_RULES_OF_CALLS_GROWTH;
    case TV_RULE_TIME:
        return limit_of_time(gate->rules->about[rule->about].number);
    case TV_RULE_TIME_GROWTH:
        break;
    }
    return TV_RULES_OF_TIME_GROWTH;
}

bool tv_rule_is_in(const struct tv_gate *gate, const struct tv_rule *rule, unsigned rules)
{
    return column_of(gate, rule) & rules;
}

const char *tv_rule_rows_reason(const struct tv_gate *gate, const struct tv_rule *rule,
                                const struct tv_rule_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_so && tv_rule_is_in(gate, rule, rows[i].rules))
            return rows[i].reason;
    }
    return NULL;
}

void tv_verdict_lack(struct tv_rule_verdict *verdict, const char *reason)
{
    verdict->state = TV_RULE_NO_DATA;
    verdict->reason = reason;
}

void tv_verdict_doubt(struct tv_rule_verdict *verdict, const char *reason)
{
    if (verdict->state == TV_RULE_BROKEN || verdict->state == TV_RULE_NO_DATA)
        return;
    tv_verdict_lack(verdict, reason);
    verdict->allow = NULL;
}

const struct tv_rule_allow *tv_allow_of(const struct tv_judged_rule *judged, uint32_t method)
{
    const uint32_t place = judged->subject->allow_of ? judged->subject->allow_of[method] : 0;
    return place ? &judged->judging->gate->rules->allows[place - 1] : NULL;
}

bool tv_allow_is_live(const struct tv_gate *gate, const struct tv_rule_allow *allow)
{
    return allow && gate->today <= allow->until;
}

bool tv_rule_is_cut(const struct tv_gate *gate, const struct tv_rule *rule)
{
    for (size_t run = tv_first_new(gate); !rule->about && run < gate->join->run_count; run++) {
        if (tv_join_cut_calls(gate->join, run))
            return true;
    }
    return false;
}

void tv_judged_break(struct tv_judged_rule *judged, uint32_t method, uint64_t by)
{
    struct tv_rule_verdict *verdict = judged->verdict;
    const struct tv_rule_allow *allow = tv_allow_of(judged, method);
    if (tv_allow_is_live(judged->judging->gate, allow)) {
        if (verdict->state == TV_RULE_KEPT) {
            verdict->state = TV_RULE_ALLOWED;
            verdict->allow = allow;
        }
        return;
    }
    if (verdict->state != TV_RULE_BROKEN || by > judged->most) {
        verdict->method = &judged->subject->join->methods[method];
        verdict->allow = allow;
        judged->most = by;
    }
    verdict->state = TV_RULE_BROKEN;
    verdict->broken++;
}

uint64_t tv_calls_of_all(const struct tv_join *join, const uint32_t *methods, size_t count,
                         size_t run)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < count; i++)
        calls += tv_join_calls(join, methods[i], run);
    return calls;
}
