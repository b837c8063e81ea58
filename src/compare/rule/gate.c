/*
 * Judging rules; see compare/rule/gate.h.
 *
 * Names are indexed once for each thread that a rule asks about, and each rule finds its methods
 * there. Counts and limits are judged rule by rule (gate_calls.c, gate_time.c). Growths of time
 * are judged last: those that have a ratio, a clock and threads in common share one test of all
 * methods, and the p values of the methods that one rule names are adjusted among themselves. A
 * rule of which nothing can be said has no data, with the reason, and is never kept by silence.
 */
#include "compare/rule/gate.h"

#include "base/memory/pool.h"
#include "compare/name_index.h"
#include "compare/rule/gate_verdict.h"

const char *const tv_rule_state_words[] = {[TV_RULE_KEPT] = "kept",
                                           [TV_RULE_BROKEN] = "broken",
                                           [TV_RULE_NO_DATA] = "no data",
                                           [TV_RULE_ALLOWED] = "allowed",
                                           [TV_RULE_LEFT_OUT] = "left out"};

/* Notes which methods are allowed, none that only may be meant: an allow that still holds counts
 * before one that has ended. */
static enum tv_code mark_allowed(struct tv_judging *judging, struct tv_rule_subject *subject,
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
            if (!*allowed || !tv_allow_is_live(gate, &rules->allows[*allowed - 1]))
                *allowed = (uint32_t)i + 1;
        }
    }
    return TV_OK;
}

static enum tv_code make_subject(struct tv_judging *judging, size_t about, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    struct tv_rule_subject *subject = &judging->subjects[about];
    if (subject->is_made)
        return TV_OK;
    subject->join = about ? &gate->numbers->joins[about] : gate->join;
    TV_TRY(tv_name_index_make(&subject->names, subject->join, err));
    TV_TRY(mark_allowed(judging, subject, err));
    TV_TRY(tv_judge_count_nameless(gate, subject, err));
    subject->is_made = true;
    return TV_OK;
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
    return !is_time || !tv_rule_is_of_all_calls(gate, rule);
}

/* Whether a run of a side has a thread of the rule's name. */
static bool has_thread(const struct tv_gate *gate, const struct tv_rule *rule, enum tv_side side)
{
    const struct tv_rule_numbers *numbers = gate->numbers;
    if (!gate->rules->about[rule->about].thread.len)
        return true;
    return side == TV_SIDE_NEW ? numbers->last_with[rule->about] > tv_first_new(gate)
                               : numbers->first_with[rule->about] &&
                                     numbers->first_with[rule->about] <= tv_first_new(gate);
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
        return tv_counts_reason;
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
        return tv_lost_reason;
    if (rule->kind == TV_RULE_TIME_GROWTH && verdict->clock == TV_CLOCK_CPU &&
        gate->opts->fell_back[TV_SIDE_OLD])
        return tv_fell_reason;
    if (rule->kind == TV_RULE_TIME_GROWTH && verdict->clock == TV_CLOCK_WALL &&
        (gate->opts->odd_wall[TV_SIDE_OLD] || gate->opts->odd_wall[TV_SIDE_NEW]))
        return tv_odd_wall_reason;
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
    if (gate->numbers->last_unlisted[rule->about] > tv_first_new(gate))
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

/* A name that no method has would keep "no calls of" it for ever. A class or a package has no
 * calls, but methods that have; and people leave out the package of a name, as answers and source
 * do. */
static enum tv_code doubt_unnamed(const struct tv_judged_rule *ruling, struct tv_error *err)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    const struct tv_join *join = ruling->subject->join;
    struct tv_found_methods *found = &ruling->judging->found;
    bool is_group;
    TV_TRY(tv_name_index_is_group(&ruling->subject->names, ruling->rule->pattern, &is_group, err));
    if (is_group)
        tv_verdict_doubt(verdict, "it is the name of a class or a package, and of no method: with "
                                  ".* behind it, it is of the methods there");
    TV_TRY(tv_name_index_find_ending(&ruling->subject->names, ruling->rule->pattern, found, err));
    for (size_t run = tv_first_new(ruling->judging->gate); run < join->run_count; run++) {
        for (size_t i = 0; !verdict->method && i < found->count; i++) {
            if (!tv_join_calls(join, found->of[i], run))
                continue;
            tv_verdict_doubt(verdict,
                             "the name of a method that is called ends so: write its whole "
                             "name, or *. before it");
            verdict->method = &join->methods[found->of[i]];
        }
    }
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
static enum tv_code is_left_out(struct tv_judged_rule *ruling, bool *is_so, struct tv_error *err)
{
    struct tv_judging *judging = ruling->judging;
    const struct tv_join *left_out = &judging->gate->numbers->left_out;
    *is_so = false;
    if (!left_out->count)
        return TV_OK;
    if (!judging->has_left_out)
        TV_TRY(tv_name_index_make(&judging->left_out, left_out, err));
    judging->has_left_out = true;
    TV_TRY(tv_name_index_find(&judging->left_out, ruling->rule->pattern, &judging->found, err));
    for (size_t run = tv_first_new(judging->gate); run < left_out->run_count; run++)
        *is_so = *is_so ||
                 tv_calls_of_all(left_out, judging->found.of, judging->found.count, run) ||
                 tv_calls_of_all(left_out, judging->found.maybe, judging->found.maybe_count, run);
    return TV_OK;
}

/* Calls that were left out of a recording by the names of their methods are none of a rule that is
 * kept without them. A method that is there is there with all of its calls. */
static enum tv_code doubt_left_out(struct tv_judged_rule *ruling, struct tv_error *err)
{
    const struct tv_rule_numbers *numbers = ruling->judging->gate->numbers;
    const size_t old = tv_first_new(ruling->judging->gate);
    const struct tv_str pattern = ruling->rule->pattern;
    const bool is_open = !ruling->verdict->matched || tv_str_is_glob(pattern);
    bool is_so;
    if (is_open &&
        (numbers->left_out_any > old || (numbers->left_out_boot > old && may_be_of_boot(pattern))))
        tv_verdict_doubt(ruling->verdict,
                         "methods were left out of a recording, and this may be one of them");
    TV_TRY(is_left_out(ruling, &is_so, err));
    if (is_so)
        tv_verdict_doubt(ruling->verdict, "calls of this name were left out of a recording");
    return TV_OK;
}

/* Notes the methods that ones of the rule's name were inlined into, where a run of the sides that
 * the rule is about calls them. A time of many methods is judged by what was recorded, since nearly
 * always some of them are inlined. */
static enum tv_code note_inlined(struct tv_judged_rule *ruling, bool is_growth,
                                 struct tv_error *err)
{
    struct tv_judging *judging = ruling->judging;
    const struct tv_rule *rule = ruling->rule;
    const struct tv_join *inlined = &judging->gate->numbers->inlined;
    const bool is_count = rule->kind == TV_RULE_CALLS || rule->kind == TV_RULE_NO_CALLS;
    struct tv_found_methods *found = &judging->found;
    const struct tv_joined_method *one = NULL;
    uint64_t most = 0;
    if (!inlined->count || (!is_count && tv_str_is_glob(rule->pattern)))
        return TV_OK;
    if (!judging->has_inlined)
        TV_TRY(tv_name_index_make(&judging->inlined, inlined, err));
    judging->has_inlined = true;
    TV_TRY(tv_name_index_find(&judging->inlined, rule->pattern, found, err));
    for (size_t run = is_growth ? 0 : tv_first_new(judging->gate); run < inlined->run_count;
         run++) {
        const uint64_t calls = tv_calls_of_all(inlined, found->of, found->count, run);
        most = calls > most ? calls : most;
        for (size_t i = 0; !one && i < found->count; i++)
            one =
                tv_join_calls(inlined, found->of[i], run) ? &inlined->methods[found->of[i]] : NULL;
    }
    ruling->is_inlined = one;
    ruling->verdict->inlined_calls = most;
    if (one)
        TV_TRY(tv_name_index_find(&ruling->subject->names, one->inlined_into, found, err));
    ruling->inlined_into =
        one && found->count ? &ruling->subject->join->methods[found->of[0]] : NULL;
    return TV_OK;
}

/* What runs unseen keeps no rule. Where an old run has it so and a new one calls it, its growth is
 * that of another compilation. */
static void doubt_inlined(struct tv_judged_rule *ruling, bool is_growth)
{
    struct tv_rule_verdict *verdict = ruling->verdict;
    if (ruling->is_inlined &&
        (is_growth || (verdict->state != TV_RULE_BROKEN && verdict->reason != tv_counts_reason))) {
        tv_verdict_lack(verdict, tv_inlined_reason);
        verdict->method = ruling->inlined_into;
        verdict->allow = NULL;
    }
    if (verdict->reason != tv_inlined_reason)
        verdict->inlined_calls = 0;
}

static const char unnamed_reason[] = "no method has this name";

/* Judges a rule that names methods; `changes`, and by what they are, are those of a growth, else
 * NULL. */
static enum tv_code judge_named(struct tv_judged_rule *ruling, struct tv_changes *changes,
                                const struct tv_changes_opts *opts, struct tv_error *err)
{
    struct tv_judging *judging = ruling->judging;
    struct tv_rule_verdict *verdict = ruling->verdict;
    const enum tv_rule_kind kind = ruling->rule->kind;
    TV_TRY(make_subject(judging, ruling->rule->about, err));
    ruling->subject = &judging->subjects[ruling->rule->about];
    TV_TRY(note_inlined(ruling, changes, err));
    TV_TRY(
        tv_name_index_find(&ruling->subject->names, ruling->rule->pattern, &judging->found, err));
    verdict->matched = judging->found.count + judging->found.named_count;
    verdict->runs = judging->gate->opts->run_counts[TV_SIDE_NEW];
    if (!verdict->matched && !allows_none(ruling->rule))
        tv_verdict_lack(verdict,
                        judging->gate->opts->no_counts[TV_SIDE_NEW] && kind == TV_RULE_CALLS
                            ? tv_counts_reason
                        : tv_ruling_is_cut(judging->gate, ruling->rule) ? tv_cut_reason
                                                                        : unnamed_reason);
    else if (kind == TV_RULE_TIME)
        tv_judge_time(ruling, &judging->found);
    else if (changes)
        TV_TRY(tv_judge_growth(ruling, changes, opts, &judging->found, err));
    else
        tv_judge_calls(ruling, &judging->found);
    if (!verdict->matched && allows_none(ruling->rule))
        TV_TRY(doubt_unnamed(ruling, err));
    if (kind == TV_RULE_CALLS || kind == TV_RULE_NO_CALLS)
        TV_TRY(doubt_left_out(ruling, err));
    if (kind == TV_RULE_TIME || changes) {
        tv_judge_doubt_time(ruling);
        if (changes)
            tv_judge_measured(ruling, changes, &judging->found);
        tv_judge_tell_time(ruling, changes);
    }
    doubt_inlined(ruling, changes);
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
        tv_verdict_lack(verdict, reason);
    return !reason;
}

/* Whether two rules of growth are judged by one test of all methods. */
static bool shares_test(const struct tv_gate *gate, const struct tv_rule *a,
                        const struct tv_rule_verdict *of_a, const struct tv_rule *b,
                        const struct tv_rule_verdict *of_b)
{
    return a->about == b->about && of_a->clock == of_b->clock &&
           tv_rule_time_kind(gate, a) == tv_rule_time_kind(gate, b) && a->growth >= b->growth &&
           a->growth <= b->growth;
}

/* Judges all growths that share a test with the one at `first`, and marks them as done. */
static enum tv_code judge_growths(struct tv_judging *judging, size_t first, uint8_t *is_open,
                                  struct tv_rule_verdict *verdicts, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    const struct tv_rule *rules = gate->rules->of;
    struct tv_changes_opts opts = *gate->opts;
    struct tv_changes changes;
    opts.clock = verdicts[first].clock;
    opts.kind = tv_rule_time_kind(gate, &rules[first]);
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
        struct tv_judged_rule ruling = {
            .judging = judging, .rule = &rules[i], .verdict = &verdicts[i]};
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
static enum tv_code note_others(struct tv_judged_rule *ruling, struct tv_error *err)
{
    struct tv_judging *judging = ruling->judging;
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
static enum tv_code note_absence(struct tv_judged_rule *ruling, struct tv_error *err)
{
    struct tv_judging *judging = ruling->judging;
    const struct tv_gate *gate = judging->gate;
    const size_t about = ruling->rule->about;
    bool is_so = false;
    TV_TRY(tv_check_wanted(gate->is_unwanted, err));
    if (ruling->rule->kind == TV_RULE_CALLS_GROWTH || gate->opts->lost_data[TV_SIDE_NEW] ||
        tv_ruling_is_cut(gate, ruling->rule))
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
    /* A method whose name ends so is told, and is there. */
    ruling->verdict->is_absent = !judging->found.count && !judging->found.maybe_count &&
                                 !ruling->verdict->method &&
                                 ruling->verdict->reason != tv_inlined_reason;
    if (ruling->verdict->is_absent)
        TV_TRY(is_left_out(ruling, &is_so, err));
    ruling->verdict->is_absent = ruling->verdict->is_absent && !is_so &&
                                 judging->gate->numbers->left_out_any <= tv_first_new(gate);
    return ruling->verdict->is_absent ? note_others(ruling, err) : TV_OK;
}

/* `is_open` has a byte for each rule: those of growth are judged last, together. */
static enum tv_code judge_all(struct tv_judging *judging, uint8_t *is_open,
                              struct tv_rule_verdict *verdicts, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    for (size_t i = 0; i < gate->rules->count; i++) {
        const struct tv_rule *rule = &gate->rules->of[i];
        struct tv_judged_rule ruling = {.judging = judging, .rule = rule, .verdict = &verdicts[i]};
        TV_TRY(tv_check_wanted(gate->is_unwanted, err));
        if (!begin_verdict(gate, rule, &verdicts[i]))
            continue;
        if (rule->kind == TV_RULE_TIME_GROWTH)
            is_open[i] = 1;
        else if (rule->kind == TV_RULE_CALLS_GROWTH)
            TV_TRY(tv_judge_calls_growth(&ruling, err));
        else
            TV_TRY(judge_named(&ruling, NULL, NULL, err));
    }
    for (size_t i = 0; i < gate->rules->count; i++) {
        if (is_open[i])
            TV_TRY(judge_growths(judging, i, is_open, verdicts, err));
    }
    for (size_t i = 0; i < gate->rules->count; i++) {
        struct tv_judged_rule ruling = {
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
    struct tv_judging judging = {.gate = gate, .found = {.alloc = alloc}};
    uint8_t *is_open = NULL;
    for (size_t i = 0; i < TV_COUNT_OF(judging.subjects); i++)
        tv_name_index_init(&judging.subjects[i].names, alloc);
    tv_name_index_init(&judging.left_out, alloc);
    tv_name_index_init(&judging.inlined, alloc);
    enum tv_code code = tv_alloc_new(alloc, &judging.values, 2 * runs, sizeof(double), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &is_open, gate->rules->count, sizeof(*is_open), err);
    if (code == TV_OK)
        code = judge_all(&judging, is_open, verdicts, err);
    for (size_t i = 0; i < TV_COUNT_OF(judging.subjects); i++) {
        struct tv_rule_subject *subject = &judging.subjects[i];
        if (subject->join)
            tv_alloc_release(alloc, &subject->allow_of, subject->join->count, sizeof(uint32_t));
        if (subject->nameless)
            tv_alloc_release(alloc, &subject->nameless, subject->join->run_count,
                             sizeof(*subject->nameless));
        tv_name_index_release(&subject->names);
    }
    tv_name_index_release(&judging.left_out);
    tv_name_index_release(&judging.inlined);
    tv_found_methods_release(&judging.found);
    tv_alloc_release(alloc, &judging.values, 2 * runs, sizeof(double));
    tv_alloc_release(alloc, &is_open, gate->rules->count, sizeof(*is_open));
    return code;
}
