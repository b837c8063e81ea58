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

static uint64_t time_of(const struct tv_judged_rule *judged, uint32_t method, size_t run)
{
    const struct tv_numbers *numbers = &tv_join_row(judged->subject->join, method, run)->numbers;
    return tv_rule_time_kind(judged->judging->gate, judged->rule) == TV_TIME_INCLUSIVE
               ? numbers->inclusive_ns[judged->verdict->clock]
               : numbers->exclusive_ns[judged->verdict->clock];
}

/* The new runs that call the method. */
static size_t runs_that_call(const struct tv_judged_rule *judged, uint32_t method)
{
    const struct tv_join *join = judged->subject->join;
    size_t count = 0;
    for (size_t run = tv_first_new(judged->judging->gate); run < join->run_count; run++)
        count += tv_join_calls(join, method, run) > 0;
    return count;
}

/* The median of a method over the new runs. A run without a call has a total, of 0, and no call
 * whose time could be told. */
static uint64_t median_time(const struct tv_judged_rule *judged, uint32_t method)
{
    const struct tv_gate *gate = judged->judging->gate;
    const struct tv_join *join = judged->subject->join;
    const size_t room = gate->opts->run_counts[TV_SIDE_NEW];
    double *values = judged->judging->values;
    size_t count = 0;
    for (size_t run = tv_first_new(gate); run < join->run_count; run++) {
        if (tv_rule_is_of_all_calls(gate, judged->rule) || tv_join_calls(join, method, run))
            values[count++] = (double)time_of(judged, method, run);
    }
    return (uint64_t)tv_median(values, values + room, count);
}

static const char uncalled_reason[] = "no new recording calls it";

/* Whether a new run calls one of the methods that are named. */
static bool is_called(const struct tv_judged_rule *judged, const struct tv_found_methods *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (runs_that_call(judged, found->of[i]))
            return true;
    }
    return false;
}

/* Whether a new run calls a method of several names, one of which is that of the rule. */
static bool is_one_called(const struct tv_judged_rule *judged, const struct tv_found_methods *found)
{
    for (size_t i = 0; i < found->named_count; i++) {
        if (runs_that_call(judged, found->maybe[i]))
            return true;
    }
    return false;
}

void tv_judge_time(struct tv_judged_rule *judged, const struct tv_found_methods *found)
{
    bool is_there = false;
    for (size_t i = 0; i < found->count; i++) {
        uint64_t time_ns = median_time(judged, found->of[i]);
        is_there = is_there || runs_that_call(judged, found->of[i]);
        if (time_ns > judged->rule->time_ns)
            tv_judged_break(judged, found->of[i], time_ns);
    }
    for (size_t i = 0; i < found->maybe_count; i++) {
        is_there = is_there || (i < found->named_count && runs_that_call(judged, found->maybe[i]));
        if (median_time(judged, found->maybe[i]) > judged->rule->time_ns)
            tv_verdict_doubt(judged->verdict, tv_ambiguous_reason);
    }
    if (!is_there)
        tv_verdict_lack(judged->verdict, uncalled_reason);
}

/* Where new runs lost data, the median method took less for that alone, and a growth beside it says
 * little: the time itself must have grown by the ratio, too. */
static bool is_grown_at_least(const struct tv_judged_rule *judged, const struct tv_change *change)
{
    const double was = (double)change->sides[TV_SIDE_OLD].median.time_ns;
    return !judged->judging->gate->opts->lost_data[TV_SIDE_NEW] ||
           (double)change->sides[TV_SIDE_NEW].median.time_ns > was * (1 + judged->rule->growth);
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
static void judge_tested(struct tv_judged_rule *judged, const struct tv_changes *changes,
                         const uint32_t *rows, size_t count, const uint32_t *methods)
{
    for (size_t i = 0; i < count; i++) {
        const struct tv_significance_row *row = &changes->significance.rows[rows[i]];
        uint32_t method = methods[rows[i]];
        int64_t growth_ns = grown_ns(changes, &changes->of[method]);
        if (row->p_adjusted > judged->judging->gate->opts->test.level)
            return;
        if (row->change > 0 && growth_ns > 0 && (uint64_t)growth_ns > judged->rule->time_ns &&
            is_grown_at_least(judged, &changes->of[method]))
            tv_judged_break(judged, method, (uint64_t)growth_ns);
    }
}

/* Whether a method that only may be meant has grown by as much as the rule asks for. What chance
 * may have done leaves doubt, too. */
static bool may_break_growth(const struct tv_judged_rule *judged, const struct tv_change *change)
{
    const int64_t growth_ns = tv_change_ns(change);
    const double was = (double)change->sides[TV_SIDE_OLD].median.time_ns;
    return growth_ns > 0 && (uint64_t)growth_ns > judged->rule->time_ns &&
           (double)growth_ns > was * judged->rule->growth;
}

/* Whether no run of the new side has more than the rule grants above any old one. */
static bool is_within(const struct tv_judged_rule *judged, const struct tv_changes_opts *opts,
                      uint32_t method)
{
    const struct tv_join *join = judged->subject->join;
    const uint64_t least_ns = tv_change_time_at(join, opts, method, TV_SIDE_OLD, 0);
    const uint64_t most_ns =
        tv_change_time_at(join, opts, method, TV_SIDE_NEW, opts->run_counts[TV_SIDE_NEW] - 1);
    return most_ns <= least_ns || most_ns - least_ns <= judged->rule->time_ns ||
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
static bool judge_untested(struct tv_judged_rule *judged, const struct tv_changes_opts *opts,
                           uint32_t method, bool is_mapped_otherwise)
{
    struct tv_rule_verdict *verdict = judged->verdict;
    if (is_within(judged, opts, method))
        return runs_that_call(judged, method) > 0;
    if (!tv_change_is_apart(judged->subject->join, opts, method, TV_SIDE_NEW,
                            judged->rule->time_ns))
        return false;
    if (tv_allow_is_live(judged->judging->gate, tv_allow_of(judged, method))) {
        tv_judged_break(judged, method, 0);
        return false;
    }
    tv_verdict_doubt(verdict, is_mapped_otherwise ? inlined_otherwise_reason : untested_reason);
    if (!verdict->method)
        verdict->method = &judged->subject->join->methods[method];
    return false;
}

/* From here on a growth of the median method is not believed to be the machine's without a word:
 * it may be of everything, and no rule would tell. */
#define DOUBTED_MACHINE 1.1

void tv_judge_measured(struct tv_judged_rule *judged, const struct tv_changes *changes,
                       const struct tv_found_methods *found)
{
    struct tv_rule_verdict *verdict = judged->verdict;
    const struct tv_significance *tested = &changes->significance;
    if (verdict->state != TV_RULE_KEPT || !tv_significance_is_normalised(tested) ||
        exp(tested->machine) < DOUBTED_MACHINE)
        return;
    for (size_t i = 0; i < found->count; i++) {
        const struct tv_change *change = &changes->of[found->of[i]];
        if (change->tested != SIZE_MAX && may_break_growth(judged, change))
            tv_judged_break(judged, found->of[i], (uint64_t)tv_change_ns(change));
    }
    if (verdict->state != TV_RULE_BROKEN)
        return;
    verdict->is_error = false;
    verdict->is_only_measured = true;
}

/* The methods of a rule are tested together: the more of them there are, the surer each growth has
 * to be. `methods` leads back from a row of the test to its method. Methods that cannot be tested
 * are judged by other means, and the rule lacks data only where no method could be judged in either
 * way. Methods that are only perhaps meant never break a rule, and make its verdict doubtful
 * instead. */
enum tv_code tv_judge_growth(struct tv_judged_rule *judged, struct tv_changes *changes,
                             const struct tv_changes_opts *opts,
                             const struct tv_found_methods *found, struct tv_error *err)
{
    const struct tv_alloc *alloc = judged->judging->gate->alloc;
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
        judge_tested(judged, changes, rows, count, methods);
    for (size_t i = 0; code == TV_OK && i < found->count; i++) {
        if (changes->of[found->of[i]].tested == SIZE_MAX)
            kept_count += judge_untested(judged, opts, found->of[i],
                                         changes->of[found->of[i]].is_mapped_otherwise);
    }
    if (code == TV_OK && !count && !kept_count && judged->verdict->state == TV_RULE_KEPT)
        tv_verdict_lack(judged->verdict,
                        is_called(judged, found)
                            ? "it takes no millisecond, or is not in every recording"
                        : is_one_called(judged, found) ? tv_ambiguous_reason
                                                       : uncalled_reason);
    for (size_t i = 0; code == TV_OK && i < found->maybe_count; i++) {
        if (may_break_growth(judged, &changes->of[found->maybe[i]]))
            tv_verdict_doubt(judged->verdict, tv_ambiguous_reason);
    }
    tv_alloc_release(alloc, &rows, found->count, sizeof(*rows));
    tv_alloc_release(alloc, &methods, row_count, sizeof(*methods));
    return code;
}

void tv_judge_tell_time(const struct tv_judged_rule *judged, const struct tv_changes *changes)
{
    const struct tv_gate *gate = judged->judging->gate;
    struct tv_rule_verdict *verdict = judged->verdict;
    uint64_t longest_ns = 0;
    if (!verdict->method || verdict->state != TV_RULE_BROKEN)
        return;
    uint32_t method = (uint32_t)(verdict->method - judged->subject->join->methods);
    verdict->is = median_time(judged, method);
    if (!tv_rule_is_of_all_calls(gate, judged->rule))
        verdict->runs = runs_that_call(judged, method);
    verdict->median_method = changes ? divided_by(changes) : 0;
    if (changes)
        verdict->was = changes->of[method].sides[TV_SIDE_OLD].median.time_ns;
    verdict->run = tv_first_new(gate);
    for (size_t run = tv_first_new(gate); run < judged->subject->join->run_count; run++) {
        uint64_t time_ns = time_of(judged, method, run);
        if (time_ns > longest_ns) {
            longest_ns = time_ns;
            verdict->run = run;
        }
    }
}

/* The most that a run of a side may have of a method's CPU time beside what is told, since a call
 * of it was open at the end. */
static uint64_t most_unrecorded(const struct tv_judged_rule *judged, enum tv_side side,
                                bool is_exclusive)
{
    const struct tv_join *join = judged->subject->join;
    const struct tv_found_methods *found = &judged->judging->found;
    const size_t first = side == TV_SIDE_NEW ? tv_first_new(judged->judging->gate) : 0;
    const size_t end = first + judged->judging->gate->opts->run_counts[side];
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

/* Whether a call of the method was open when a new run ended, or else when it began: how long it
 * took is not known, and a limit that it has not reached says nothing. A pattern of many methods
 * would nearly always have such a call, since whoever begins or ends a recording is in some: it is
 * judged by what was recorded. */
static bool has_cut_call(const struct tv_judged_rule *judged, bool is_at_end)
{
    if (tv_str_is_glob(judged->rule->pattern))
        return false;
    const struct tv_join *join = judged->subject->join;
    const struct tv_found_methods *found = &judged->judging->found;
    for (size_t i = 0; i < found->count; i++) {
        for (size_t run = tv_first_new(judged->judging->gate); run < join->run_count; run++) {
            const struct tv_numbers *numbers = &tv_join_row(join, found->of[i], run)->numbers;
            if (is_at_end ? numbers->open_calls : numbers->adopting_calls)
                return true;
        }
    }
    return false;
}

/* Whether what is not recorded may break a rule that is kept: a limit, or the least of a growth. */
static bool may_break(const struct tv_judged_rule *judged)
{
    const struct tv_judging *judging = judged->judging;
    const bool is_growth = judged->rule->kind == TV_RULE_TIME_GROWTH;
    const bool is_exclusive = tv_rule_time_kind(judging->gate, judged->rule) == TV_TIME_EXCLUSIVE;
    uint64_t most_ns = 0;
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < judging->found.count && !is_growth; i++) {
        const uint64_t time_ns = median_time(judged, judging->found.of[i]);
        longest_ns = time_ns > longest_ns ? time_ns : longest_ns;
    }
    for (unsigned side = is_growth ? TV_SIDE_OLD : TV_SIDE_NEW; side < TV_SIDE_COUNT; side++) {
        const uint64_t ns = most_unrecorded(judged, (enum tv_side)side, is_exclusive);
        most_ns = ns > most_ns ? ns : most_ns;
    }
    return most_ns && longest_ns + most_ns > judged->rule->time_ns;
}

/* The rows of `doubt` in compare/rule/gate.h. */
void tv_judge_doubt_time(const struct tv_judged_rule *judged)
{
    const struct tv_gate *gate = judged->judging->gate;
    const struct tv_changes_opts *opts = gate->opts;
    const struct tv_rule *rule = judged->rule;
    struct tv_rule_verdict *verdict = judged->verdict;
    const bool is_cpu = verdict->clock == TV_CLOCK_CPU;
    if (verdict->state == TV_RULE_BROKEN || verdict->state == TV_RULE_NO_DATA)
        return;
    const struct tv_rule_row rows[] = {
        {opts->lost_data[TV_SIDE_NEW], TV_RULES_OF_TIME, tv_lost_reason},
        {opts->left_out[TV_SIDE_NEW], TV_RULES_OF_TIME,
         "calls of a recording were left out when it was written, so a method may have taken "
         "longer"},
        {tv_rule_is_cut(gate, rule), TV_RULES_OF_TIME, tv_cut_reason},
        {is_cpu && opts->fell_back[TV_SIDE_NEW], TV_RULES_OF_TIME, tv_fell_reason},
        {!is_cpu && opts->odd_wall[TV_SIDE_NEW], TV_RULES_OF_TIME_LIMIT, tv_odd_wall_reason},
        {has_cut_call(judged, false), TV_RULES_OF_TIME_LIMIT,
         "it began before a recording did, so how long it took is not known: record from before "
         "it begins"},
        {!is_cpu && has_cut_call(judged, true), TV_RULES_OF_TIME_LIMIT,
         "it was still open when a recording ended, so how long it took is not known: record until "
         "it ends"},
        {is_cpu && may_break(judged), TV_RULES_OF_TIME,
         "it was still open when a recording ended, and its CPU time at last is not recorded"},
    };
    const char *reason = tv_rule_rows_reason(gate, rule, rows, TV_COUNT_OF(rows));
    if (reason)
        tv_verdict_doubt(verdict, reason);
}
