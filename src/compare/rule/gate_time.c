/*
 * Judging times: limits of the median over the new runs, and growths, by the tests of the methods
 * that a rule names. A time that is not recorded whole can only be longer: a limit that is broken
 * stays so, and one that is kept may be in doubt.
 */
#include "compare/rule/gate_verdict.h"

#include <math.h>

#include "base/numbers/median.h"

bool tv_rule_is_of_all_calls(const struct tv_gate *gate, const struct tv_rule *rule)
{
    return gate->rules->about[rule->about].number == TV_NUMBER_TOTAL;
}

enum tv_time_kind tv_rule_time_kind(const struct tv_gate *gate, const struct tv_rule *rule)
{
    if (!tv_rule_is_of_all_calls(gate, rule))
        return TV_TIME_INCLUSIVE;
    if (rule->time == TV_RULE_TIME_UNSAID)
        return gate->opts->kind;
    return rule->time == TV_RULE_TIME_INCLUSIVE ? TV_TIME_INCLUSIVE : TV_TIME_EXCLUSIVE;
}

static uint64_t time_of(const struct tv_judged_rule *ruling, uint32_t method, size_t run)
{
    const struct tv_numbers *numbers = &tv_join_row(ruling->subject->join, method, run)->numbers;
    return tv_rule_time_kind(ruling->judging->gate, ruling->rule) == TV_TIME_INCLUSIVE
               ? numbers->inclusive_ns[ruling->verdict->clock]
               : numbers->exclusive_ns[ruling->verdict->clock];
}

/* The new runs that call the method. */
static size_t runs_that_call(const struct tv_judged_rule *ruling, uint32_t method)
{
    const struct tv_join *join = ruling->subject->join;
    size_t count = 0;
    for (size_t run = tv_first_new(ruling->judging->gate); run < join->run_count; run++)
        count += tv_join_calls(join, method, run) > 0;
    return count;
}

/* The median of a method over the new runs. A run without a call has a total, of 0, and no call
 * whose time could be told. */
static uint64_t median_time(const struct tv_judged_rule *ruling, uint32_t method)
{
    const struct tv_gate *gate = ruling->judging->gate;
    const struct tv_join *join = ruling->subject->join;
    const size_t room = gate->opts->run_counts[TV_SIDE_NEW];
    double *values = ruling->judging->values;
    size_t count = 0;
    for (size_t run = tv_first_new(gate); run < join->run_count; run++) {
        if (tv_rule_is_of_all_calls(gate, ruling->rule) || tv_join_calls(join, method, run))
            values[count++] = (double)time_of(ruling, method, run);
    }
    return (uint64_t)tv_median(values, values + room, count);
}

static const char uncalled_reason[] = "no new recording calls it";

/* Whether a new run calls one of the methods that are named. */
static bool is_called(const struct tv_judged_rule *ruling, const struct tv_found_methods *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (runs_that_call(ruling, found->of[i]))
            return true;
    }
    return false;
}

/* Whether a new run calls a method of several names, one of which is that of the rule. */
static bool is_one_called(const struct tv_judged_rule *ruling, const struct tv_found_methods *found)
{
    for (size_t i = 0; i < found->named_count; i++) {
        if (runs_that_call(ruling, found->maybe[i]))
            return true;
    }
    return false;
}

void tv_judge_time(struct tv_judged_rule *ruling, const struct tv_found_methods *found)
{
    bool is_there = false;
    for (size_t i = 0; i < found->count; i++) {
        uint64_t time_ns = median_time(ruling, found->of[i]);
        is_there = is_there || runs_that_call(ruling, found->of[i]);
        if (time_ns > ruling->rule->time_ns)
            tv_ruling_break(ruling, found->of[i], time_ns);
    }
    for (size_t i = 0; i < found->maybe_count; i++) {
        is_there = is_there || (i < found->named_count && runs_that_call(ruling, found->maybe[i]));
        if (median_time(ruling, found->maybe[i]) > ruling->rule->time_ns)
            tv_verdict_doubt(ruling->verdict, tv_ambiguous_reason);
    }
    if (!is_there)
        tv_verdict_lack(ruling->verdict, uncalled_reason);
}

/* Where new runs lost data, the median method took less for that alone, and a growth beside it says
 * little: the time itself must have grown by the ratio, too. */
static bool is_grown_at_least(const struct tv_judged_rule *ruling, const struct tv_change *change)
{
    const double was = (double)change->sides[TV_SIDE_OLD].median.time_ns;
    return !ruling->judging->gate->opts->lost_data[TV_SIDE_NEW] ||
           (double)change->sides[TV_SIDE_NEW].median.time_ns > was * (1 + ruling->rule->growth);
}

/* What times are divided by, as a logarithm: the ratio of the median method, where that is the
 * machine's. */
static double divided_by(const struct tv_changes *changes)
{
    const struct tv_significance *tested = &changes->significance;
    return tv_significance_is_normalised(tested) ? tested->machine : 0;
}

/* By how much a method's time grew: as it was recorded, or beside the median method, whose ratio is
 * that of the machines, whichever is more. On a machine that is faster a time may have grown by
 * half of the old one and be hardly longer than that. */
static int64_t grown_ns(const struct tv_changes *changes, const struct tv_change *change)
{
    const int64_t recorded_ns = tv_change_ns(change);
    const double is = (double)change->sides[TV_SIDE_NEW].median.time_ns / exp(divided_by(changes));
    const double beside = is - (double)change->sides[TV_SIDE_OLD].median.time_ns;
    return beside > (double)recorded_ns ? (int64_t)beside : recorded_ns;
}

/* Notes the methods whose time has grown beyond the rule. `rows` are their tests by p value, and
 * `methods` has the method of each test. */
static void judge_tested(struct tv_judged_rule *ruling, const struct tv_changes *changes,
                         const uint32_t *rows, size_t count, const uint32_t *methods)
{
    for (size_t i = 0; i < count; i++) {
        const struct tv_significance_row *row = &changes->significance.rows[rows[i]];
        uint32_t method = methods[rows[i]];
        int64_t growth_ns = grown_ns(changes, &changes->of[method]);
        if (row->p_adjusted > ruling->judging->gate->opts->test.level)
            return;
        if (row->change > 0 && growth_ns > 0 && (uint64_t)growth_ns > ruling->rule->time_ns &&
            is_grown_at_least(ruling, &changes->of[method]))
            tv_ruling_break(ruling, method, (uint64_t)growth_ns);
    }
}

/* Whether a method that only may be meant has grown by as much as the rule asks for. What chance
 * may have done leaves doubt, too. */
static bool may_break_growth(const struct tv_judged_rule *ruling, const struct tv_change *change)
{
    const int64_t growth_ns = tv_change_ns(change);
    const double was = (double)change->sides[TV_SIDE_OLD].median.time_ns;
    return growth_ns > 0 && (uint64_t)growth_ns > ruling->rule->time_ns &&
           (double)growth_ns > was * ruling->rule->growth;
}

/* Whether no run of the new side has more than the rule grants above any old one. */
static bool is_within(const struct tv_judged_rule *ruling, const struct tv_changes_opts *opts,
                      uint32_t method)
{
    const struct tv_join *join = ruling->subject->join;
    const uint64_t least_ns = tv_change_time_at(join, opts, method, TV_SIDE_OLD, 0);
    const uint64_t most_ns =
        tv_change_time_at(join, opts, method, TV_SIDE_NEW, opts->run_counts[TV_SIDE_NEW] - 1);
    return most_ns <= least_ns || most_ns - least_ns <= ruling->rule->time_ns ||
           (double)most_ns <= (double)least_ns * opts->test.least_ratio;
}

static const char untested_reason[] =
    "no test decides, since a recording has no time of it, or it takes no millisecond, and it took "
    "longer in all new ones: limit its time, or allow it";

static const char inlined_otherwise_reason[] =
    "the mapping of one side says that R8 inlined into it what the other side calls, so its own "
    "time is of more methods there: inclusive time can be compared";

/* Judges a method that was not tested, since it is short, or some run has no time of it: it may
 * have grown, as one that is new has, and is allowed to where an `allow` names it. Returns whether
 * it did not, for certain. */
static bool judge_untested(struct tv_judged_rule *ruling, const struct tv_changes_opts *opts,
                           uint32_t method, bool is_mapped_otherwise)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    const uint32_t allowed = ruling->subject->allow_of ? ruling->subject->allow_of[method] : 0;
    const struct tv_gate *gate = ruling->judging->gate;
    if (is_within(ruling, opts, method))
        return runs_that_call(ruling, method) > 0;
    if (!tv_change_is_apart(ruling->subject->join, opts, method, TV_SIDE_NEW,
                            ruling->rule->time_ns))
        return false;
    if (allowed && tv_allow_is_live(gate, &gate->rules->allows[allowed - 1])) {
        tv_ruling_break(ruling, method, 0);
        return false;
    }
    tv_verdict_doubt(verdict, is_mapped_otherwise ? inlined_otherwise_reason : untested_reason);
    if (!verdict->method)
        verdict->method = &ruling->subject->join->methods[method];
    return false;
}

/* From here on a growth of the median method is not believed to be the machine's without a word:
 * it may be of everything, and no rule would tell. */
#define DOUBTED_MACHINE 1.1

/* A growth that is kept beside the median method, and would not be by what was measured, is told:
 * as broken, by a rule that warns. */
void tv_judge_measured(struct tv_judged_rule *ruling, const struct tv_changes *changes,
                       const struct tv_found_methods *found)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    const struct tv_significance *tested = &changes->significance;
    if (verdict->state != TV_RULE_KEPT || !tv_significance_is_normalised(tested) ||
        exp(tested->machine) < DOUBTED_MACHINE)
        return;
    for (size_t i = 0; i < found->count; i++) {
        const struct tv_change *change = &changes->of[found->of[i]];
        if (change->tested != SIZE_MAX && may_break_growth(ruling, change))
            tv_ruling_break(ruling, found->of[i], (uint64_t)tv_change_ns(change));
    }
    if (verdict->state != TV_RULE_BROKEN)
        return;
    verdict->is_error = false;
    verdict->machine = tested->machine;
}

/* The tests of the methods that the rule names are one family, by Holm. */
enum tv_code tv_judge_growth(struct tv_judged_rule *ruling, struct tv_changes *changes,
                             const struct tv_changes_opts *opts,
                             const struct tv_found_methods *found, struct tv_error *err)
{
    const struct tv_alloc *alloc = ruling->judging->gate->alloc;
    size_t row_count = changes->significance.row_count;
    uint32_t *rows = NULL;
    uint32_t *methods = NULL;
    size_t count = 0;
    size_t kept_count = 0;
    enum tv_code code = tv_alloc_new(alloc, &rows, found->count, sizeof(*rows), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &methods, row_count, sizeof(*methods), err);
    for (size_t i = 0; code == TV_OK && i < found->count; i++) {
        const struct tv_change *change = &changes->of[found->of[i]];
        if (change->tested == SIZE_MAX)
            continue;
        rows[count++] = (uint32_t)change->tested;
        methods[change->tested] = found->of[i];
    }
    if (code == TV_OK && count)
        code = tv_significance_adjust(&changes->significance, rows, count, TV_ADJUST_GATE, err);
    if (code == TV_OK && count)
        judge_tested(ruling, changes, rows, count, methods);
    for (size_t i = 0; code == TV_OK && i < found->count; i++) {
        if (changes->of[found->of[i]].tested == SIZE_MAX)
            kept_count += judge_untested(ruling, opts, found->of[i],
                                         changes->of[found->of[i]].is_mapped_otherwise);
    }
    if (code == TV_OK && !count && !kept_count && ruling->verdict->state == TV_RULE_KEPT)
        tv_verdict_lack(ruling->verdict,
                        is_called(ruling, found)
                            ? "it takes no millisecond, or is not in every recording"
                        : is_one_called(ruling, found) ? tv_ambiguous_reason
                                                       : uncalled_reason);
    for (size_t i = 0; code == TV_OK && i < found->maybe_count; i++) {
        if (may_break_growth(ruling, &changes->of[found->maybe[i]]))
            tv_verdict_doubt(ruling->verdict, tv_ambiguous_reason);
    }
    tv_alloc_release(alloc, &rows, found->count, sizeof(*rows));
    tv_alloc_release(alloc, &methods, row_count, sizeof(*methods));
    return code;
}

/* Completes the text about the method that breaks a rule of time by the most. */
void tv_judge_tell_time(const struct tv_judged_rule *ruling, const struct tv_changes *changes)
{
    const struct tv_gate *gate = ruling->judging->gate;
    struct tv_rule_verdict *verdict = ruling->verdict;
    uint64_t longest_ns = 0;
    if (!verdict->method || verdict->state != TV_RULE_BROKEN)
        return;
    uint32_t method = (uint32_t)(verdict->method - ruling->subject->join->methods);
    verdict->is = median_time(ruling, method);
    if (!tv_rule_is_of_all_calls(gate, ruling->rule))
        verdict->runs = runs_that_call(ruling, method);
    verdict->beside = changes && verdict->machine <= 0 ? divided_by(changes) : 0;
    if (changes)
        verdict->was = changes->of[method].sides[TV_SIDE_OLD].median.time_ns;
    verdict->run = tv_first_new(gate);
    for (size_t run = tv_first_new(gate); run < ruling->subject->join->run_count; run++) {
        uint64_t time_ns = time_of(ruling, method, run);
        if (time_ns > longest_ns) {
            longest_ns = time_ns;
            verdict->run = run;
        }
    }
}

/* The most that a run of a side may have of a method's CPU time beside what is told, since a call
 * of it was open at the end. */
static uint64_t most_unrecorded(const struct tv_judged_rule *ruling, enum tv_side side,
                                bool is_exclusive)
{
    const struct tv_join *join = ruling->subject->join;
    const struct tv_found_methods *found = &ruling->judging->found;
    const size_t first = side == TV_SIDE_NEW ? tv_first_new(ruling->judging->gate) : 0;
    const size_t end = first + ruling->judging->gate->opts->run_counts[side];
    uint64_t most_ns = 0;
    for (size_t i = 0; i < found->count; i++) {
        for (size_t run = first; run < end; run++) {
            const struct tv_numbers *numbers = &tv_join_row(join, found->of[i], run)->numbers;
            if (numbers->unrecorded_ns[is_exclusive] > most_ns)
                most_ns = numbers->unrecorded_ns[is_exclusive];
        }
    }
    return most_ns;
}

static uint64_t open_calls(const struct tv_numbers *numbers)
{
    return numbers->open_calls;
}

static uint64_t adopting_calls(const struct tv_numbers *numbers)
{
    return numbers->adopting_calls;
}

/* Whether a call of the method was open when a new run ended, or when it began: how long it took is
 * not known, and a limit that it has not reached says nothing. A pattern of many methods would
 * nearly always have such a call, since whoever begins or ends a recording is in some: it is judged
 * by what was recorded. */
static bool has_cut_call(const struct tv_judged_rule *ruling,
                         uint64_t (*of)(const struct tv_numbers *))
{
    if (tv_str_is_glob(ruling->rule->pattern))
        return false;
    const struct tv_join *join = ruling->subject->join;
    const struct tv_found_methods *found = &ruling->judging->found;
    for (size_t i = 0; i < found->count; i++) {
        for (size_t run = tv_first_new(ruling->judging->gate); run < join->run_count; run++) {
            if (of(&tv_join_row(join, found->of[i], run)->numbers))
                return true;
        }
    }
    return false;
}

/* Whether what is not recorded may break a rule that is kept: a limit, or the least of a growth. */
static bool may_break(const struct tv_judged_rule *ruling)
{
    const struct tv_judging *judging = ruling->judging;
    const bool is_growth = ruling->rule->kind == TV_RULE_TIME_GROWTH;
    const bool is_exclusive = tv_rule_time_kind(judging->gate, ruling->rule) == TV_TIME_EXCLUSIVE;
    uint64_t most_ns = 0;
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < judging->found.count && !is_growth; i++) {
        const uint64_t time_ns = median_time(ruling, judging->found.of[i]);
        longest_ns = time_ns > longest_ns ? time_ns : longest_ns;
    }
    for (unsigned side = is_growth ? TV_SIDE_OLD : TV_SIDE_NEW; side < TV_SIDE_COUNT; side++) {
        const uint64_t ns = most_unrecorded(ruling, (enum tv_side)side, is_exclusive);
        most_ns = ns > most_ns ? ns : most_ns;
    }
    return most_ns && longest_ns + most_ns > ruling->rule->time_ns;
}

/* What is not in a recording, or is not looked at, can only make a time longer, or be a longer one:
 * a limit that is broken stays so, and no other is kept, nor broken by allowed methods alone. */
void tv_judge_doubt_time(const struct tv_judged_rule *ruling)
{
    const struct tv_gate *gate = ruling->judging->gate;
    struct tv_rule_verdict *verdict = ruling->verdict;
    const bool is_cpu = verdict->clock == TV_CLOCK_CPU;
    if (verdict->state == TV_RULE_BROKEN || verdict->state == TV_RULE_NO_DATA)
        return;
    if (gate->opts->lost_data[TV_SIDE_NEW])
        tv_verdict_doubt(verdict, tv_lost_reason);
    else if (gate->opts->left_out[TV_SIDE_NEW])
        tv_verdict_doubt(verdict,
                         "calls of a recording were left out when it was written, so a method may "
                         "have taken longer");
    else if (tv_ruling_is_cut(gate, ruling->rule))
        tv_verdict_doubt(verdict, tv_cut_reason);
    else if (is_cpu && gate->opts->fell_back[TV_SIDE_NEW])
        tv_verdict_doubt(verdict, tv_fell_reason);
    else if (!is_cpu && gate->opts->odd_wall[TV_SIDE_NEW])
        tv_verdict_doubt(verdict, tv_odd_wall_reason);
    else if (ruling->rule->kind == TV_RULE_TIME && has_cut_call(ruling, adopting_calls))
        tv_verdict_doubt(
            verdict, "it began before a recording did, so how long it took is not known: record "
                     "from before it begins");
    else if (!is_cpu && ruling->rule->kind == TV_RULE_TIME && has_cut_call(ruling, open_calls))
        tv_verdict_doubt(
            verdict, "it was still open when a recording ended, so how long it took is not known: "
                     "record until it ends");
    else if (is_cpu && may_break(ruling))
        tv_verdict_doubt(
            verdict, "it was still open when a recording ended, and its CPU time at last is not "
                     "recorded");
}
