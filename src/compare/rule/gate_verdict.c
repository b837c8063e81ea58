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

void tv_verdict_lack(struct tv_rule_verdict *verdict, const char *reason)
{
    verdict->state = TV_RULE_NO_DATA;
    verdict->reason = reason;
}

/* Nothing is kept, nor broken by allowed methods alone, where one more may break it. */
void tv_verdict_doubt(struct tv_rule_verdict *verdict, const char *reason)
{
    if (verdict->state == TV_RULE_BROKEN || verdict->state == TV_RULE_NO_DATA)
        return;
    tv_verdict_lack(verdict, reason);
    verdict->allow = NULL;
}

bool tv_allow_is_live(const struct tv_gate *gate, const struct tv_rule_allow *allow)
{
    return gate->today <= allow->until;
}

/* Whether a new run has methods that are not looked at: the rule may name one of them. Percentiles
 * and threads are of all methods. */
bool tv_ruling_is_cut(const struct tv_gate *gate, const struct tv_rule *rule)
{
    for (size_t run = tv_first_new(gate); !rule->about && run < gate->join->run_count; run++) {
        if (tv_join_cut_calls(gate->join, run))
            return true;
    }
    return false;
}

/* Takes a method that breaks a rule, unless it is allowed. The one that does so most is told. */
void tv_ruling_break(struct tv_judged_rule *ruling, uint32_t method, uint64_t by)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    const struct tv_gate *gate = ruling->judging->gate;
    uint32_t allowed = ruling->subject->allow_of ? ruling->subject->allow_of[method] : 0;
    const struct tv_rule_allow *allow = allowed ? &gate->rules->allows[allowed - 1] : NULL;
    if (allow && tv_allow_is_live(gate, allow)) {
        if (verdict->state == TV_RULE_KEPT) {
            verdict->state = TV_RULE_ALLOWED;
            verdict->allow = allow;
        }
        return;
    }
    if (verdict->state != TV_RULE_BROKEN || by > ruling->most) {
        verdict->method = &ruling->subject->join->methods[method];
        verdict->allow = allow;
        ruling->most = by;
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
