/*
 * Judging rules; see compare/gate.h.
 *
 * Names are indexed once for each thread that a rule asks about, and each rule finds its methods
 * there. Counts and limits are judged rule by rule. Growths of time are judged last: those that
 * have a ratio, a clock and threads in common share one test of all methods, and the p values of
 * the methods that one rule names are adjusted among themselves. A rule of which nothing can be
 * said has no data, with the reason, and is never kept by silence.
 */
#include "compare/gate.h"

#include <math.h>

#include "base/memory/pool.h"
#include "base/numbers/median.h"
#include "compare/name_index.h"

const char *const tv_rule_state_words[] = {[TV_RULE_KEPT] = "kept",
                                           [TV_RULE_BROKEN] = "broken",
                                           [TV_RULE_NO_DATA] = "no data",
                                           [TV_RULE_ALLOWED] = "allowed",
                                           [TV_RULE_LEFT_OUT] = "left out"};

/* What is made once for all rules that are about the same numbers. */
struct subject {
    const struct tv_join *join;
    struct tv_name_index names;
    uint32_t *allow_of; /* per method: the allow that names it, from 1; 0: none does */
    bool is_made;
    uint64_t calls[TV_SIDE_COUNT]; /* of all methods, median to median */
    bool is_counted;
    uint64_t *nameless; /* by run: calls that may be of any method, since none is told of them */
};

struct judging {
    const struct tv_gate *gate;
    struct subject subjects[TV_RULES_ABOUT_MOST];
    struct tv_name_index left_out; /* of what was left out of the runs by name */
    bool has_left_out;             /* it is made */
    struct tv_found_methods found;
    double *values; /* one for each new run, and room for as many */
};

/* A rule while it is judged. */
struct ruling {
    struct judging *judging;
    const struct tv_rule *rule;
    const struct subject *subject;
    struct tv_rule_verdict *verdict;
    uint64_t most; /* by how much `verdict->method` breaks the rule */
};

static size_t first_new(const struct tv_gate *gate)
{
    return gate->opts->run_counts[TV_SIDE_OLD];
}

static void lack(struct tv_rule_verdict *verdict, const char *reason)
{
    verdict->state = TV_RULE_NO_DATA;
    verdict->reason = reason;
}

static const char cut_reason[] =
    "a recording has more methods than are looked at, and this may be about one of the others";

/* Whether a new run has methods that are not looked at: the rule may name one of them. Percentiles
 * and threads are of all methods. */
static bool is_cut(const struct tv_gate *gate, const struct tv_rule *rule)
{
    for (size_t run = first_new(gate); !rule->about && run < gate->join->run_count; run++) {
        if (tv_join_cut_calls(gate->join, run))
            return true;
    }
    return false;
}

/* Nothing is kept, nor broken by allowed methods alone, where one more may break it. */
static void doubt(struct tv_rule_verdict *verdict, const char *reason)
{
    if (verdict->state == TV_RULE_BROKEN || verdict->state == TV_RULE_NO_DATA)
        return;
    lack(verdict, reason);
    verdict->allow = NULL;
}

static bool is_live(const struct tv_gate *gate, const struct tv_rule_allow *allow)
{
    return gate->today <= allow->until;
}

/* Notes which methods are allowed, none that only may be meant: an allow that still holds counts
 * before one that has ended. */
static enum tv_code mark_allowed(struct judging *judging, struct subject *subject,
                                 struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    const struct tv_rules *rules = gate->rules;
    if (!rules->allow_count)
        return TV_OK;
    TV_TRY(
        tv_alloc_new(gate->alloc, &subject->allow_of, subject->join->count, sizeof(uint32_t), err));
    for (size_t i = 0; i < rules->allow_count; i++) {
        const struct tv_rule_allow *allow = &rules->allows[i];
        TV_TRY(tv_check_wanted(gate->is_unwanted, err));
        TV_TRY(tv_name_index_find(&subject->names, allow->pattern, &judging->found, err));
        for (size_t k = 0; k < judging->found.count; k++) {
            uint32_t *allowed = &subject->allow_of[judging->found.of[k]];
            if (!*allowed || !is_live(gate, &rules->allows[*allowed - 1]))
                *allowed = (uint32_t)i + 1;
        }
    }
    return TV_OK;
}

/* Counts the calls of methods that nothing describes, and those that runs are known to lack. */
static enum tv_code count_nameless(const struct tv_gate *gate, struct subject *subject,
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

static enum tv_code make_subject(struct judging *judging, size_t about, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    struct subject *subject = &judging->subjects[about];
    if (subject->is_made)
        return TV_OK;
    subject->join = about ? &gate->numbers->joins[about] : gate->join;
    TV_TRY(tv_name_index_make(&subject->names, subject->join, err));
    TV_TRY(mark_allowed(judging, subject, err));
    TV_TRY(count_nameless(gate, subject, err));
    subject->is_made = true;
    return TV_OK;
}

/* Takes a method that breaks a rule, unless it is allowed. The one that does so most is told. */
static void break_by(struct ruling *ruling, uint32_t method, uint64_t by)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    const struct tv_gate *gate = ruling->judging->gate;
    uint32_t allowed = ruling->subject->allow_of ? ruling->subject->allow_of[method] : 0;
    const struct tv_rule_allow *allow = allowed ? &gate->rules->allows[allowed - 1] : NULL;
    if (allow && is_live(gate, allow)) {
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

static const char counts_reason[] = "the counts of a recording are not those of the program";

static const char ambiguous_reason[] =
    "a mapping gives a method several names, and this may be one of them";

static const char nameless_reason[] =
    "a recording has calls without a method or an enter, and these may be of this name: "
    "'traceview check' tells more";

static uint64_t calls_of(const struct tv_join *join, const uint32_t *methods, size_t count,
                         size_t run)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < count; i++)
        calls += tv_join_calls(join, methods[i], run);
    return calls;
}

/* The calls of a run that may be of any name, besides those that were found. */
static uint64_t nameless_calls(const struct ruling *ruling, const struct tv_found_methods *found,
                               size_t run)
{
    const struct tv_join *join = ruling->subject->join;
    uint64_t calls = ruling->subject->nameless[run];
    for (size_t i = 0; calls && i < found->count; i++) {
        if (join->methods[found->of[i]].is_nameless)
            calls -= tv_join_calls(join, found->of[i], run);
    }
    return calls;
}

/* The methods that are called break the rule; where there are too few calls, all that are named do,
 * and those that may be. */
static void break_by_calls(struct ruling *ruling, const struct tv_found_methods *found, size_t run,
                           bool is_too_few)
{
    for (size_t i = 0; i < found->count; i++) {
        uint64_t of_method = tv_join_calls(ruling->subject->join, found->of[i], run);
        if (of_method || is_too_few)
            break_by(ruling, found->of[i], of_method);
    }
    for (size_t i = 0; is_too_few && i < found->named_count; i++)
        break_by(ruling, found->maybe[i],
                 tv_join_calls(ruling->subject->join, found->maybe[i], run));
}

/* The calls of all methods that are named, in every new run. With methods that only may be meant,
 * calls of methods that are not looked at or not described, which may be of any name, and those
 * that are not recorded, they are so many at least and so many at most: the rule is broken where
 * both are outside. */
static void judge_calls(struct ruling *ruling, const struct tv_found_methods *found)
{
    const struct tv_gate *gate = ruling->judging->gate;
    const struct tv_join *join = ruling->subject->join;
    const struct tv_rule *rule = ruling->rule;
    struct tv_rule_verdict *verdict = ruling->verdict;
    const bool is_least = gate->opts->no_counts[TV_SIDE_NEW];
    const char *unsure = NULL;
    for (size_t run = first_new(gate); run < join->run_count; run++) {
        const uint64_t others = tv_join_cut_calls(join, run);
        const uint64_t nameless = nameless_calls(ruling, found, run);
        const uint64_t calls = calls_of(join, found->of, found->count, run);
        const uint64_t most =
            is_least
                ? UINT64_MAX
                : calls + calls_of(join, found->maybe, found->maybe_count, run) + others + nameless;
        if (calls >= rule->least_calls && most <= rule->most_calls)
            continue;
        const bool is_outside = most < rule->least_calls || calls > rule->most_calls;
        if (is_outside)
            break_by_calls(ruling, found, run, most < rule->least_calls);
        if (verdict->state != TV_RULE_BROKEN) {
            /* What is allowed is not all that may be meant. */
            if (!is_outside || most > calls)
                unsure = is_least   ? counts_reason
                         : others   ? cut_reason
                         : nameless ? nameless_reason
                                    : ambiguous_reason;
            continue;
        }
        verdict->run = run;
        verdict->is = calls;
        if (!ruling->most)
            verdict->method = NULL; /* none has a call */
        return;
    }
    if (unsure)
        doubt(verdict, unsure);
}

/* The median over the runs of a side, of the calls of all methods. */
static enum tv_code total_calls(const struct tv_gate *gate, const struct tv_join *join,
                                enum tv_side side, uint64_t *median, struct tv_error *err)
{
    size_t first = side == TV_SIDE_NEW ? first_new(gate) : 0;
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
static enum tv_code judge_calls_growth(const struct ruling *ruling, struct tv_error *err)
{
    const struct tv_gate *gate = ruling->judging->gate;
    const size_t about = ruling->rule->about;
    const struct tv_join *join = about ? &gate->numbers->joins[about] : gate->join;
    struct tv_rule_verdict *verdict = ruling->verdict;
    struct subject *subject = &ruling->judging->subjects[about];
    for (unsigned side = 0; side < TV_SIDE_COUNT && !subject->is_counted; side++)
        TV_TRY(total_calls(gate, join, (enum tv_side)side, &subject->calls[side], err));
    subject->is_counted = true;
    verdict->was = subject->calls[TV_SIDE_OLD];
    verdict->is = subject->calls[TV_SIDE_NEW];
    verdict->matched = join->count;
    if (!verdict->was)
        lack(verdict, "the old side has no calls");
    else if ((double)verdict->is > (double)verdict->was * (1 + ruling->rule->growth))
        verdict->state = TV_RULE_BROKEN;
    for (size_t i = 0; verdict->state == TV_RULE_BROKEN && i < gate->rules->allow_count; i++) {
        const struct tv_rule_allow *allow = &gate->rules->allows[i];
        if (!allow->is_growth)
            continue;
        verdict->allow = allow;
        if (is_live(gate, allow))
            verdict->state = TV_RULE_ALLOWED;
    }
    return TV_OK;
}

static bool is_of_all_calls(const struct tv_gate *gate, const struct tv_rule *rule)
{
    return gate->rules->about[rule->about].number == TV_NUMBER_TOTAL;
}

static enum tv_time_kind kind_of(const struct tv_gate *gate, const struct tv_rule *rule)
{
    if (!is_of_all_calls(gate, rule))
        return TV_TIME_INCLUSIVE;
    if (rule->time == TV_RULE_TIME_UNSAID)
        return gate->opts->kind;
    return rule->time == TV_RULE_TIME_INCLUSIVE ? TV_TIME_INCLUSIVE : TV_TIME_EXCLUSIVE;
}

static uint64_t time_of(const struct ruling *ruling, uint32_t method, size_t run)
{
    const struct tv_numbers *numbers = &tv_join_row(ruling->subject->join, method, run)->numbers;
    return kind_of(ruling->judging->gate, ruling->rule) == TV_TIME_INCLUSIVE
               ? numbers->inclusive_ns[ruling->verdict->clock]
               : numbers->exclusive_ns[ruling->verdict->clock];
}

/* The new runs that call the method. */
static size_t runs_that_call(const struct ruling *ruling, uint32_t method)
{
    const struct tv_join *join = ruling->subject->join;
    size_t count = 0;
    for (size_t run = first_new(ruling->judging->gate); run < join->run_count; run++)
        count += tv_join_calls(join, method, run) > 0;
    return count;
}

/* The median of a method over the new runs. A run without a call has a total, of 0, and no call
 * whose time could be told. */
static uint64_t median_time(const struct ruling *ruling, uint32_t method)
{
    const struct tv_gate *gate = ruling->judging->gate;
    const struct tv_join *join = ruling->subject->join;
    const size_t room = gate->opts->run_counts[TV_SIDE_NEW];
    double *values = ruling->judging->values;
    size_t count = 0;
    for (size_t run = first_new(gate); run < join->run_count; run++) {
        if (is_of_all_calls(gate, ruling->rule) || tv_join_calls(join, method, run))
            values[count++] = (double)time_of(ruling, method, run);
    }
    return (uint64_t)tv_median(values, values + room, count);
}

static const char uncalled_reason[] = "no new recording calls it";

/* Whether a new run calls one of the methods that are named. */
static bool is_called(const struct ruling *ruling, const struct tv_found_methods *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (runs_that_call(ruling, found->of[i]))
            return true;
    }
    return false;
}

static void judge_time(struct ruling *ruling, const struct tv_found_methods *found)
{
    bool is_there = false;
    for (size_t i = 0; i < found->count; i++) {
        uint64_t time_ns = median_time(ruling, found->of[i]);
        is_there = is_there || runs_that_call(ruling, found->of[i]);
        if (time_ns > ruling->rule->time_ns)
            break_by(ruling, found->of[i], time_ns);
    }
    for (size_t i = 0; i < found->maybe_count; i++) {
        is_there = is_there || (i < found->named_count && runs_that_call(ruling, found->maybe[i]));
        if (median_time(ruling, found->maybe[i]) > ruling->rule->time_ns)
            doubt(ruling->verdict, ambiguous_reason);
    }
    if (!is_there)
        lack(ruling->verdict, uncalled_reason);
}

/* Where new runs lost data, the median method took less for that alone, and a growth beside it says
 * little: the time itself must have grown by the ratio, too. */
static bool is_grown_at_least(const struct ruling *ruling, const struct tv_change *change)
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
static void judge_tested(struct ruling *ruling, const struct tv_changes *changes,
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
            break_by(ruling, method, (uint64_t)growth_ns);
    }
}

/* Whether a method that only may be meant has grown by as much as the rule asks for. What chance
 * may have done leaves doubt, too. */
static bool may_break_growth(const struct ruling *ruling, const struct tv_change *change)
{
    const int64_t growth_ns = tv_change_ns(change);
    const double was = (double)change->sides[TV_SIDE_OLD].median.time_ns;
    return growth_ns > 0 && (uint64_t)growth_ns > ruling->rule->time_ns &&
           (double)growth_ns > was * ruling->rule->growth;
}

/* Whether no run of the new side has more than the rule grants above any old one. */
static bool is_within(const struct ruling *ruling, const struct tv_changes_opts *opts,
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

/* Judges a method that was not tested, since it is short, or some run has no time of it: it may
 * have grown, as one that is new has, and is allowed to where an `allow` names it. Returns whether
 * it did not, for certain. */
static bool judge_untested(struct ruling *ruling, const struct tv_changes_opts *opts,
                           uint32_t method)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    const uint32_t allowed = ruling->subject->allow_of ? ruling->subject->allow_of[method] : 0;
    const struct tv_gate *gate = ruling->judging->gate;
    if (is_within(ruling, opts, method))
        return runs_that_call(ruling, method) > 0;
    if (!tv_change_is_apart(ruling->subject->join, opts, method, TV_SIDE_NEW,
                            ruling->rule->time_ns))
        return false;
    if (allowed && is_live(gate, &gate->rules->allows[allowed - 1])) {
        break_by(ruling, method, 0);
        return false;
    }
    doubt(verdict, untested_reason);
    if (!verdict->method)
        verdict->method = &ruling->subject->join->methods[method];
    return false;
}

/* From here on a growth of the median method is not believed to be the machine's without a word:
 * it may be of everything, and no rule would tell. */
#define DOUBTED_MACHINE 1.1

/* A growth that is kept beside the median method, and would not be by what was measured, is told:
 * as broken, by a rule that warns. */
static void judge_measured(struct ruling *ruling, const struct tv_changes *changes,
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
            break_by(ruling, found->of[i], (uint64_t)tv_change_ns(change));
    }
    if (verdict->state != TV_RULE_BROKEN)
        return;
    verdict->is_error = false;
    verdict->machine = tested->machine;
}

/* The tests of the methods that the rule names are one family, by Holm. */
static enum tv_code judge_growth(struct ruling *ruling, struct tv_changes *changes,
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
            kept_count += judge_untested(ruling, opts, found->of[i]);
    }
    if (code == TV_OK && !count && !kept_count && ruling->verdict->state == TV_RULE_KEPT)
        lack(ruling->verdict, is_called(ruling, found)
                                  ? "it takes no millisecond, or is not in every recording"
                                  : uncalled_reason);
    for (size_t i = 0; code == TV_OK && i < found->maybe_count; i++) {
        if (may_break_growth(ruling, &changes->of[found->maybe[i]]))
            doubt(ruling->verdict, ambiguous_reason);
    }
    tv_alloc_release(alloc, &rows, found->count, sizeof(*rows));
    tv_alloc_release(alloc, &methods, row_count, sizeof(*methods));
    return code;
}

/* Completes the text about the method that breaks a rule of time by the most. */
static void tell_time(const struct ruling *ruling, const struct tv_changes *changes)
{
    const struct tv_gate *gate = ruling->judging->gate;
    struct tv_rule_verdict *verdict = ruling->verdict;
    uint64_t longest_ns = 0;
    if (!verdict->method || verdict->state != TV_RULE_BROKEN)
        return;
    uint32_t method = (uint32_t)(verdict->method - ruling->subject->join->methods);
    verdict->is = median_time(ruling, method);
    if (!is_of_all_calls(gate, ruling->rule))
        verdict->runs = runs_that_call(ruling, method);
    verdict->beside = changes && verdict->machine <= 0 ? divided_by(changes) : 0;
    if (changes)
        verdict->was = changes->of[method].sides[TV_SIDE_OLD].median.time_ns;
    verdict->run = first_new(gate);
    for (size_t run = first_new(gate); run < ruling->subject->join->run_count; run++) {
        uint64_t time_ns = time_of(ruling, method, run);
        if (time_ns > longest_ns) {
            longest_ns = time_ns;
            verdict->run = run;
        }
    }
}

static const char lost_reason[] =
    "a recording has lost data, or has none, so its times are not those of the program";

static const char fell_reason[] =
    "a clock of a recording went backwards, or too far, so its CPU times may be too short";

static const char odd_wall_reason[] =
    "wall times of a recording are less than they were: 'traceview check' tells why";

/* The most that a run of a side may have of a method's CPU time beside what is told, since a call
 * of it was open at the end. */
static uint64_t most_unrecorded(const struct ruling *ruling, enum tv_side side, bool is_exclusive)
{
    const struct tv_join *join = ruling->subject->join;
    const struct tv_found_methods *found = &ruling->judging->found;
    const size_t first = side == TV_SIDE_NEW ? first_new(ruling->judging->gate) : 0;
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
static bool has_cut_call(const struct ruling *ruling, uint64_t (*of)(const struct tv_numbers *))
{
    if (tv_str_is_glob(ruling->rule->pattern))
        return false;
    const struct tv_join *join = ruling->subject->join;
    const struct tv_found_methods *found = &ruling->judging->found;
    for (size_t i = 0; i < found->count; i++) {
        for (size_t run = first_new(ruling->judging->gate); run < join->run_count; run++) {
            if (of(&tv_join_row(join, found->of[i], run)->numbers))
                return true;
        }
    }
    return false;
}

/* Whether what is not recorded may break a rule that is kept: a limit, or the least of a growth. */
static bool may_break(const struct ruling *ruling)
{
    const struct judging *judging = ruling->judging;
    const bool is_growth = ruling->rule->kind == TV_RULE_TIME_GROWTH;
    const bool is_exclusive = kind_of(judging->gate, ruling->rule) == TV_TIME_EXCLUSIVE;
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
static void doubt_time(const struct ruling *ruling)
{
    const struct tv_gate *gate = ruling->judging->gate;
    struct tv_rule_verdict *verdict = ruling->verdict;
    const bool is_cpu = verdict->clock == TV_CLOCK_CPU;
    if (verdict->state == TV_RULE_BROKEN || verdict->state == TV_RULE_NO_DATA)
        return;
    if (gate->opts->lost_data[TV_SIDE_NEW])
        doubt(verdict, lost_reason);
    else if (gate->opts->left_out[TV_SIDE_NEW])
        doubt(verdict, "calls of a recording were left out when it was written, so a method may "
                       "have taken longer");
    else if (is_cut(gate, ruling->rule))
        doubt(verdict, cut_reason);
    else if (is_cpu && gate->opts->fell_back[TV_SIDE_NEW])
        doubt(verdict, fell_reason);
    else if (!is_cpu && gate->opts->odd_wall[TV_SIDE_NEW])
        doubt(verdict, odd_wall_reason);
    else if (ruling->rule->kind == TV_RULE_TIME && has_cut_call(ruling, adopting_calls))
        doubt(verdict, "it began before a recording did, so how long it took is not known: record "
                       "from before it begins");
    else if (!is_cpu && ruling->rule->kind == TV_RULE_TIME && has_cut_call(ruling, open_calls))
        doubt(verdict,
              "it was still open when a recording ended, so how long it took is not known: "
              "record until it ends");
    else if (is_cpu && may_break(ruling))
        doubt(verdict, "it was still open when a recording ended, and its CPU time at last is not "
                       "recorded");
}

/* Whether what the rule asks can be above what is recorded, and not below: what is broken by what
 * is recorded is so for certain, whatever is not. */
static bool can_only_grow(const struct tv_gate *gate, const struct tv_rule *rule)
{
    return rule->kind == TV_RULE_CALLS || rule->kind == TV_RULE_NO_CALLS ||
           (rule->kind == TV_RULE_TIME && gate->rules->about[rule->about].number == TV_NUMBER_MAX);
}

/* Totals of time are known of samples, too. */
static bool needs_counts(const struct tv_gate *gate, const struct tv_rule *rule)
{
    const bool is_time = rule->kind == TV_RULE_TIME || rule->kind == TV_RULE_TIME_GROWTH;
    return !is_time || !is_of_all_calls(gate, rule);
}

/* Whether a run of a side has a thread of the rule's name. */
static bool has_thread(const struct tv_gate *gate, const struct tv_rule *rule, enum tv_side side)
{
    const struct tv_rule_numbers *numbers = gate->numbers;
    if (!gate->rules->about[rule->about].thread.len)
        return true;
    return side == TV_SIDE_NEW ? numbers->last_with[rule->about] > first_new(gate)
                               : numbers->first_with[rule->about] &&
                                     numbers->first_with[rule->about] <= first_new(gate);
}

/* Why nothing can be said of a rule, before a method is looked at; NULL: something can. */
static const char *lacking(const struct tv_gate *gate, const struct tv_rule *rule,
                           const struct tv_rule_verdict *verdict)
{
    const size_t *counts = gate->opts->run_counts;
    bool is_growth = rule->kind == TV_RULE_TIME_GROWTH || rule->kind == TV_RULE_CALLS_GROWTH;
    bool is_time = rule->kind == TV_RULE_TIME || rule->kind == TV_RULE_TIME_GROWTH;
    const struct tv_run_clocks *clocks = is_growth ? gate->clocks.all : gate->clocks.of_new;
    const bool lacks_counts = gate->opts->no_counts[TV_SIDE_NEW] &&
                              !(gate->opts->counts_least[TV_SIDE_NEW] && can_only_grow(gate, rule));
    if (needs_counts(gate, rule) &&
        (lacks_counts || (is_growth && gate->opts->no_counts[TV_SIDE_OLD])))
        return counts_reason;
    if (is_time && clocks->lacks[verdict->clock] && clocks->has_some[verdict->clock])
        return verdict->clock == TV_CLOCK_CPU ? "a recording has no CPU clock, which others have"
                                              : "a recording has no wall clock, which others have";
    if (is_time && clocks->lacks[verdict->clock])
        return verdict->clock == TV_CLOCK_CPU ? "a recording has no CPU clock"
                                              : "a recording has no wall clock";
    if (is_time && verdict->clock == TV_CLOCK_CPU && clocks->has_idle_cpu)
        return "the CPU clock of a recording never moves";
    if (rule->kind == TV_RULE_TIME_GROWTH && gate->opts->other_processors)
        return "the recordings are of different processors, whose times cannot be compared";
    if (rule->kind == TV_RULE_TIME_GROWTH && gate->opts->lost_data[TV_SIDE_OLD])
        return lost_reason;
    if (rule->kind == TV_RULE_TIME_GROWTH && verdict->clock == TV_CLOCK_CPU &&
        gate->opts->fell_back[TV_SIDE_OLD])
        return fell_reason;
    if (rule->kind == TV_RULE_TIME_GROWTH && verdict->clock == TV_CLOCK_WALL &&
        (gate->opts->odd_wall[TV_SIDE_OLD] || gate->opts->odd_wall[TV_SIDE_NEW]))
        return odd_wall_reason;
    if (rule->kind == TV_RULE_TIME_GROWTH && gate->opts->mixed_kinds)
        return "some recordings are of samples, some of each call, and their times cannot be "
               "compared";
    if (rule->kind == TV_RULE_TIME_GROWTH &&
        (counts[TV_SIDE_OLD] < TV_TESTED_FROM || counts[TV_SIDE_NEW] < TV_TESTED_FROM))
        return "a growth of time needs two recordings a side at least";
    if (counts[TV_SIDE_NEW] < rule->runs || (is_growth && counts[TV_SIDE_OLD] < rule->runs))
        return "it asks for more recordings than there are";
    if (!has_thread(gate, rule, TV_SIDE_NEW))
        return has_thread(gate, rule, TV_SIDE_OLD) ? "no new recording has a thread of this name"
                                                   : "no recording has a thread of this name";
    if (gate->numbers->last_unlisted[rule->about] > first_new(gate))
        return "the thread of this name has no records in a recording, and threads have that it "
               "does not list: it may be one of them";
    if (is_growth && !has_thread(gate, rule, TV_SIDE_OLD))
        return "no old recording has a thread of this name";
    return NULL;
}

/* Whether a rule is kept where no method has its name. */
static bool allows_none(const struct tv_rule *rule)
{
    return rule->kind == TV_RULE_NO_CALLS || (rule->kind == TV_RULE_CALLS && !rule->least_calls);
}

/* A class or a package has no calls, but methods that have: "no calls of" it would be kept for
 * ever.
 */
static enum tv_code doubt_group(const struct ruling *ruling, struct tv_error *err)
{
    bool is_group;
    TV_TRY(tv_name_index_is_group(&ruling->subject->names, ruling->rule->pattern, &is_group, err));
    if (is_group)
        doubt(ruling->verdict, "it is the name of a class or a package, and of no method: with .* "
                               "behind it, it is of the methods there");
    return TV_OK;
}

/* Whether a pattern may be of a class that Java's boot loader has. */
static bool may_be_of_boot(struct tv_str pattern)
{
    static const char *const packages[] = {"java", "jdk", "sun", "com.sun", "com/sun"};
    for (size_t i = 0; i < TV_COUNT_OF(packages); i++) {
        if (tv_str_starts_with(pattern, tv_str_from(packages[i])))
            return true;
    }
    return pattern.len && (pattern.at[0] == '*' || pattern.at[0] == '?');
}

/* Whether new runs describe a method of the rule's pattern whose calls were left out. */
static enum tv_code is_left_out(struct ruling *ruling, bool *is_so, struct tv_error *err)
{
    struct judging *judging = ruling->judging;
    const struct tv_join *left_out = &judging->gate->numbers->left_out;
    *is_so = false;
    if (!left_out->count)
        return TV_OK;
    if (!judging->has_left_out)
        TV_TRY(tv_name_index_make(&judging->left_out, left_out, err));
    judging->has_left_out = true;
    TV_TRY(tv_name_index_find(&judging->left_out, ruling->rule->pattern, &judging->found, err));
    for (size_t run = first_new(judging->gate); run < left_out->run_count; run++)
        *is_so = *is_so || calls_of(left_out, judging->found.of, judging->found.count, run) ||
                 calls_of(left_out, judging->found.maybe, judging->found.maybe_count, run);
    return TV_OK;
}

/* Calls that were left out of a recording by the names of their methods are none of a rule that is
 * kept without them. A method that is there is there with all of its calls. */
static enum tv_code doubt_left_out(struct ruling *ruling, struct tv_error *err)
{
    const struct tv_rule_numbers *numbers = ruling->judging->gate->numbers;
    const size_t old = first_new(ruling->judging->gate);
    const struct tv_str pattern = ruling->rule->pattern;
    const bool is_open = !ruling->verdict->matched || tv_str_is_glob(pattern);
    bool is_so;
    if (is_open &&
        (numbers->left_out_any > old || (numbers->left_out_boot > old && may_be_of_boot(pattern))))
        doubt(ruling->verdict, "methods were left out of a recording, and this may be one of them");
    TV_TRY(is_left_out(ruling, &is_so, err));
    if (is_so)
        doubt(ruling->verdict, "calls of this name were left out of a recording");
    return TV_OK;
}

static const char unnamed_reason[] = "no method has this name";

/* Judges a rule that names methods; `changes`, and by what they are, are those of a growth, else
 * NULL. */
static enum tv_code judge_named(struct ruling *ruling, struct tv_changes *changes,
                                const struct tv_changes_opts *opts, struct tv_error *err)
{
    struct judging *judging = ruling->judging;
    struct tv_rule_verdict *verdict = ruling->verdict;
    const enum tv_rule_kind kind = ruling->rule->kind;
    TV_TRY(make_subject(judging, ruling->rule->about, err));
    ruling->subject = &judging->subjects[ruling->rule->about];
    TV_TRY(
        tv_name_index_find(&ruling->subject->names, ruling->rule->pattern, &judging->found, err));
    verdict->matched = judging->found.count + judging->found.named_count;
    verdict->runs = judging->gate->opts->run_counts[TV_SIDE_NEW];
    if (!verdict->matched && !allows_none(ruling->rule))
        lack(verdict, judging->gate->opts->no_counts[TV_SIDE_NEW] && kind == TV_RULE_CALLS
                          ? counts_reason
                      : is_cut(judging->gate, ruling->rule) ? cut_reason
                                                            : unnamed_reason);
    else if (kind == TV_RULE_TIME)
        judge_time(ruling, &judging->found);
    else if (changes)
        TV_TRY(judge_growth(ruling, changes, opts, &judging->found, err));
    else
        judge_calls(ruling, &judging->found);
    if (!verdict->matched && allows_none(ruling->rule))
        TV_TRY(doubt_group(ruling, err));
    if (kind == TV_RULE_CALLS || kind == TV_RULE_NO_CALLS)
        TV_TRY(doubt_left_out(ruling, err));
    if (kind == TV_RULE_TIME || changes) {
        doubt_time(ruling);
        if (changes)
            judge_measured(ruling, changes, &judging->found);
        tell_time(ruling, changes);
    }
    return TV_OK;
}

/* Whether a rule of time that says no clock has CPU time of some recordings alone. Who asked for a
 * clock has the one that was asked for. */
static bool lacks_cpu_of_others(const struct tv_gate *gate, const struct tv_rule *rule,
                                bool is_growth)
{
    const struct tv_run_clocks *clocks = is_growth ? gate->clocks.all : gate->clocks.of_new;
    return rule->clock == TV_RULE_CLOCK_UNSAID && !gate->clocks.asked &&
           clocks->lacks[TV_CLOCK_CPU] && clocks->has_some[TV_CLOCK_CPU];
}

/* Prepares the verdict of a rule. Returns whether it has to be judged. */
static bool begin_verdict(const struct tv_gate *gate, const struct tv_rule *rule,
                          struct tv_rule_verdict *verdict)
{
    bool is_time = rule->kind == TV_RULE_TIME || rule->kind == TV_RULE_TIME_GROWTH;
    bool is_growth = rule->kind == TV_RULE_TIME_GROWTH || rule->kind == TV_RULE_CALLS_GROWTH;
    *verdict = (struct tv_rule_verdict){.state = TV_RULE_KEPT, .clock = gate->opts->clock};
    if (!is_growth)
        verdict->clock =
            gate->clocks.asked ? *gate->clocks.asked : tv_run_clocks_default(gate->clocks.of_new);
    if (rule->clock != TV_RULE_CLOCK_UNSAID)
        verdict->clock = rule->clock == TV_RULE_CLOCK_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    /* Wall time in the place of CPU time, which some recordings have, would make a warning of an
     * error, by the one file that lacks it. */
    const bool has_fallen = is_time && lacks_cpu_of_others(gate, rule, is_growth);
    if (has_fallen)
        verdict->clock = TV_CLOCK_CPU;
    verdict->is_error =
        rule->level == TV_LEVEL_ERROR ||
        (rule->level == TV_LEVEL_UNSAID && !(is_time && verdict->clock == TV_CLOCK_WALL));
    if (rule->level == TV_LEVEL_OFF || (is_growth && !gate->opts->run_counts[TV_SIDE_OLD])) {
        verdict->state = TV_RULE_LEFT_OUT;
        return false;
    }
    const char *reason = lacking(gate, rule, verdict);
    if (reason)
        lack(verdict, reason);
    return !reason;
}

/* Whether two rules of growth are judged by one test of all methods. */
static bool shares_test(const struct tv_gate *gate, const struct tv_rule *a,
                        const struct tv_rule_verdict *of_a, const struct tv_rule *b,
                        const struct tv_rule_verdict *of_b)
{
    return a->about == b->about && of_a->clock == of_b->clock &&
           kind_of(gate, a) == kind_of(gate, b) && a->growth >= b->growth && a->growth <= b->growth;
}

/* Judges all growths that share a test with the one at `first`, and marks them as done. */
static enum tv_code judge_growths(struct judging *judging, size_t first, uint8_t *is_open,
                                  struct tv_rule_verdict *verdicts, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    const struct tv_rule *rules = gate->rules->of;
    struct tv_changes_opts opts = *gate->opts;
    struct tv_changes changes;
    opts.clock = verdicts[first].clock;
    opts.kind = kind_of(gate, &rules[first]);
    opts.test.least_ratio = 1 + rules[first].growth;
    opts.lost_data[TV_SIDE_NEW] = false; /* what has grown all the same breaks the rule */
    tv_changes_init(&changes, gate->alloc);
    enum tv_code code = make_subject(judging, rules[first].about, err);
    if (code == TV_OK)
        code = tv_check_wanted(gate->is_unwanted, err);
    if (code == TV_OK)
        code = tv_changes_make(&changes, judging->subjects[rules[first].about].join, &opts, err);
    for (size_t i = first; code == TV_OK && i < gate->rules->count; i++) {
        if (!is_open[i] ||
            !shares_test(gate, &rules[first], &verdicts[first], &rules[i], &verdicts[i]))
            continue;
        struct ruling ruling = {.judging = judging, .rule = &rules[i], .verdict = &verdicts[i]};
        code = tv_check_wanted(gate->is_unwanted, err);
        if (code == TV_OK)
            code = judge_named(&ruling, &changes, &opts, err);
        is_open[i] = 0;
    }
    tv_changes_release(&changes);
    return code;
}

/* Whether a rule was not judged, but for being off. */
static bool is_without_verdict(const struct tv_rule *rule, const struct tv_rule_verdict *verdict)
{
    return verdict->state == TV_RULE_NO_DATA ||
           (verdict->state == TV_RULE_LEFT_OUT && rule->level != TV_LEVEL_OFF);
}

/* Notes that other threads than that of the rule call the method which it is about, so that nobody
 * looks for a misspelt name. The threads are there. */
static enum tv_code note_others(struct ruling *ruling, struct tv_error *err)
{
    struct judging *judging = ruling->judging;
    struct tv_rule_verdict *verdict = ruling->verdict;
    if (!judging->gate->rules->about[ruling->rule->about].thread.len)
        return TV_OK;
    TV_TRY(make_subject(judging, 0, err));
    TV_TRY(tv_name_index_find(&judging->subjects[0].names, ruling->rule->pattern, &judging->found,
                              err));
    verdict->is_of_others = judging->found.count + judging->found.named_count > 0;
    if (verdict->is_of_others && verdict->reason == unnamed_reason)
        verdict->reason = "other threads call it, and none of this name does";
    return TV_OK;
}

/* Whether the runs have no method, or no thread, of the name that a rule without a verdict is
 * about.
 * What lost data may have lost just these, samples may have missed them, and they may be among
 * those that are not looked at. */
static enum tv_code note_absence(struct ruling *ruling, struct tv_error *err)
{
    struct judging *judging = ruling->judging;
    const struct tv_gate *gate = judging->gate;
    const size_t about = ruling->rule->about;
    bool is_so = false;
    TV_TRY(tv_check_wanted(gate->is_unwanted, err));
    if (ruling->rule->kind == TV_RULE_CALLS_GROWTH || gate->opts->lost_data[TV_SIDE_NEW] ||
        is_cut(gate, ruling->rule))
        return TV_OK;
    if (needs_counts(gate, ruling->rule) && gate->opts->no_counts[TV_SIDE_NEW])
        return TV_OK;
    if (!has_thread(gate, ruling->rule, TV_SIDE_NEW)) {
        ruling->verdict->is_absent = !has_thread(gate, ruling->rule, TV_SIDE_OLD);
        return TV_OK;
    }
    TV_TRY(make_subject(judging, about, err));
    TV_TRY(tv_name_index_find(&judging->subjects[about].names, ruling->rule->pattern,
                              &judging->found, err));
    ruling->verdict->is_absent = !judging->found.count && !judging->found.maybe_count;
    if (ruling->verdict->is_absent)
        TV_TRY(is_left_out(ruling, &is_so, err));
    ruling->verdict->is_absent = ruling->verdict->is_absent && !is_so &&
                                 judging->gate->numbers->left_out_any <= first_new(gate);
    return ruling->verdict->is_absent ? note_others(ruling, err) : TV_OK;
}

/* `is_open` has a byte for each rule: those of growth are judged last, together. */
static enum tv_code judge_all(struct judging *judging, uint8_t *is_open,
                              struct tv_rule_verdict *verdicts, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    for (size_t i = 0; i < gate->rules->count; i++) {
        const struct tv_rule *rule = &gate->rules->of[i];
        struct ruling ruling = {.judging = judging, .rule = rule, .verdict = &verdicts[i]};
        TV_TRY(tv_check_wanted(gate->is_unwanted, err));
        if (!begin_verdict(gate, rule, &verdicts[i]))
            continue;
        if (rule->kind == TV_RULE_TIME_GROWTH)
            is_open[i] = 1;
        else if (rule->kind == TV_RULE_CALLS_GROWTH)
            TV_TRY(judge_calls_growth(&ruling, err));
        else
            TV_TRY(judge_named(&ruling, NULL, NULL, err));
    }
    for (size_t i = 0; i < gate->rules->count; i++) {
        if (is_open[i])
            TV_TRY(judge_growths(judging, i, is_open, verdicts, err));
    }
    for (size_t i = 0; i < gate->rules->count; i++) {
        struct ruling ruling = {
            .judging = judging, .rule = &gate->rules->of[i], .verdict = &verdicts[i]};
        if (is_without_verdict(ruling.rule, &verdicts[i]))
            TV_TRY(note_absence(&ruling, err));
    }
    return TV_OK;
}

enum tv_code tv_gate_judge(const struct tv_gate *gate, struct tv_rule_verdict *verdicts,
                           struct tv_error *err)
{
    const struct tv_alloc *alloc = gate->alloc;
    size_t runs = gate->opts->run_counts[TV_SIDE_NEW];
    struct judging judging = {.gate = gate, .found = {.alloc = alloc}};
    uint8_t *is_open = NULL;
    for (size_t i = 0; i < TV_COUNT_OF(judging.subjects); i++)
        tv_name_index_init(&judging.subjects[i].names, alloc);
    tv_name_index_init(&judging.left_out, alloc);
    enum tv_code code = tv_alloc_new(alloc, &judging.values, 2 * runs, sizeof(double), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &is_open, gate->rules->count, sizeof(*is_open), err);
    if (code == TV_OK)
        code = judge_all(&judging, is_open, verdicts, err);
    for (size_t i = 0; i < TV_COUNT_OF(judging.subjects); i++) {
        struct subject *subject = &judging.subjects[i];
        if (subject->join)
            tv_alloc_release(alloc, &subject->allow_of, subject->join->count, sizeof(uint32_t));
        if (subject->nameless)
            tv_alloc_release(alloc, &subject->nameless, subject->join->run_count,
                             sizeof(*subject->nameless));
        tv_name_index_release(&subject->names);
    }
    tv_name_index_release(&judging.left_out);
    tv_found_methods_release(&judging.found);
    tv_alloc_release(alloc, &judging.values, 2 * runs, sizeof(double));
    tv_alloc_release(alloc, &is_open, gate->rules->count, sizeof(*is_open));
    return code;
}
