/*
 * Judging calls: how many a new run has, and by how much the calls of all methods have grown. What
 * is not recorded, or may be of another name, makes a count one of at least and at most.
 */
#include "compare/rule/gate_verdict.h"

#include "base/numbers/median.h"

static const char nameless_reason[] =
    "a recording has calls without a method or an enter, and these may be of this name: "
    "'traceview check' tells more";

enum tv_code tv_judge_count_nameless(const struct tv_gate *gate, struct tv_rule_subject *subject,
                                     struct tv_error *err)
{
    const struct tv_join *join = subject->join;
    const uint64_t *missing = gate->numbers->missing_calls;
    TV_TRY(tv_alloc_new(gate->alloc, &subject->nameless, join->run_count,
                        sizeof(*subject->nameless), err));
    for (size_t run = 0; run < join->run_count; run++)
        subject->nameless[run] = missing ? missing[run] : 0;
    for (size_t method = 0; method < join->count; method++) {
        for (size_t run = 0; join->methods[method].is_nameless && run < join->run_count; run++)
            subject->nameless[run] += tv_join_calls(join, method, run);
    }
    return TV_OK;
}

/* The calls of a run that may be of any name, besides those that were found. */
static uint64_t nameless_calls(const struct tv_judged_rule *judged,
                               const struct tv_found_methods *found, size_t run)
{
    const struct tv_join *join = judged->subject->join;
    uint64_t calls = judged->subject->nameless[run];
    for (size_t i = 0; calls && i < found->count; i++) {
        if (join->methods[found->of[i]].is_nameless)
            calls -= tv_join_calls(join, found->of[i], run);
    }
    return calls;
}

/* The methods that are called break the rule; where there are too few calls, all that are named do,
 * and those that may be. */
static void break_by_calls(struct tv_judged_rule *judged, const struct tv_found_methods *found,
                           size_t run, bool is_too_few)
{
    for (size_t i = 0; i < found->count; i++) {
        uint64_t of_method = tv_join_calls(judged->subject->join, found->of[i], run);
        if (of_method || is_too_few)
            tv_judged_break(judged, found->of[i], of_method);
    }
    for (size_t i = 0; is_too_few && i < found->named_count; i++)
        tv_judged_break(judged, found->maybe[i],
                        tv_join_calls(judged->subject->join, found->maybe[i], run));
}

/* Judges the calls of all methods that the pattern names, in every new run. Unsure calls (of
 * ambiguous names, of methods beyond the limit or without a name, or not recorded) count in `most`
 * and not in `calls`: the rule is broken where both are beyond the same limit, and in doubt where
 * one is. */
void tv_judge_calls(struct tv_judged_rule *judged, const struct tv_found_methods *found)
{
    const struct tv_gate *gate = judged->judging->gate;
    const struct tv_join *join = judged->subject->join;
    const struct tv_rule *rule = judged->rule;
    struct tv_rule_verdict *verdict = judged->verdict;
    const bool is_least = gate->opts->no_counts[TV_SIDE_NEW] || judged->is_inlined;
    const char *unsure = NULL;
    for (size_t run = tv_first_new(gate); run < join->run_count; run++) {
        const uint64_t others = tv_join_cut_calls(join, run);
        const uint64_t nameless = nameless_calls(judged, found, run);
        const uint64_t calls = tv_calls_of_all(join, found->of, found->count, run);
        const uint64_t most =
            is_least ? UINT64_MAX
                     : calls + tv_calls_of_all(join, found->maybe, found->maybe_count, run) +
                           others + nameless;
        if (calls >= rule->least_calls && most <= rule->most_calls)
            continue;
        const bool is_outside = most < rule->least_calls || calls > rule->most_calls;
        if (is_outside)
            break_by_calls(judged, found, run, most < rule->least_calls);
        if (verdict->state != TV_RULE_BROKEN) {
            /* What is allowed is not all that may be meant. */
            if (!is_outside || most > calls)
                unsure = is_least   ? judged->is_inlined ? tv_inlined_reason : tv_counts_reason
                         : others   ? tv_cut_reason
                         : nameless ? nameless_reason
                                    : tv_ambiguous_reason;
            continue;
        }
        verdict->run = run;
        verdict->is = calls;
        if (!judged->most)
            verdict->method = NULL; /* none has a call */
        return;
    }
    if (unsure)
        tv_verdict_doubt(verdict, unsure);
}

/* The median over the runs of a side, of the calls of all methods. */
static enum tv_code total_calls(const struct tv_gate *gate, const struct tv_join *join,
                                enum tv_side side, uint64_t *median, struct tv_error *err)
{
    size_t first = side == TV_SIDE_NEW ? tv_first_new(gate) : 0;
    size_t count = gate->opts->run_counts[side];
    double *totals = NULL;
    TV_TRY(tv_alloc_new(gate->alloc, &totals, 2 * count, sizeof(*totals), err));
    for (size_t run = 0; run < count; run++) {
        uint64_t total = tv_join_cut_calls(join, first + run);
        for (size_t method = 0; method < join->count; method++)
            total += tv_join_calls(join, method, first + run);
        totals[run] = (double)total;
    }
    *median = (uint64_t)tv_median(totals, totals + count, count);
    tv_alloc_release(gate->alloc, &totals, 2 * count, sizeof(*totals));
    return TV_OK;
}

/* Of all methods, median to median: on all threads, or on those that the rule names. */
enum tv_code tv_judge_calls_growth(const struct tv_judged_rule *judged, struct tv_error *err)
{
    const struct tv_gate *gate = judged->judging->gate;
    const size_t about = judged->rule->about;
    const struct tv_join *join = about ? &gate->numbers->joins[about] : gate->join;
    struct tv_rule_verdict *verdict = judged->verdict;
    struct tv_rule_subject *subject = &judged->judging->subjects[about];
    for (unsigned side = 0; side < TV_SIDE_COUNT && !subject->is_counted; side++)
        TV_TRY(total_calls(gate, join, (enum tv_side)side, &subject->calls[side], err));
    subject->is_counted = true;
    verdict->was = subject->calls[TV_SIDE_OLD];
    verdict->is = subject->calls[TV_SIDE_NEW];
    verdict->matched = join->count;
    if (!verdict->was)
        tv_verdict_lack(verdict, "the old side has no calls");
    else if ((double)verdict->is > (double)verdict->was * (1 + judged->rule->growth))
        verdict->state = TV_RULE_BROKEN;
    for (size_t i = 0; verdict->state == TV_RULE_BROKEN && i < gate->rules->allow_count; i++) {
        const struct tv_rule_allow *allow = &gate->rules->allows[i];
        if (!allow->is_growth)
            continue;
        verdict->allow = allow;
        if (tv_allow_is_live(gate, allow))
            verdict->state = TV_RULE_ALLOWED;
    }
    return TV_OK;
}
