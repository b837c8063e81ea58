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

static const char asks_more_reason[] = "it asks for more recordings than there are";

/* The clocks of the recordings that a rule is about. */
static const struct tv_run_clocks *clocks_of(const struct tv_gate *gate, const struct tv_rule *rule)
{
    return tv_rule_is_growth(rule) ? gate->clocks.all : gate->clocks.of_new;
}

/* Why a clock of the recordings that a rule is of cannot be judged by. */
static const char *clock_reason(const struct tv_run_clocks *clocks, enum tv_clock clock)
{
    const bool is_cpu = clock == TV_CLOCK_CPU;
    if (!clocks->lacks[clock])
        return "the CPU clock of a recording never moves";
    if (clocks->has_some[clock])
        return is_cpu ? "a recording has no CPU clock, which others have"
                      : "a recording has no wall clock, which others have";
    return is_cpu ? "a recording has no CPU clock" : "a recording has no wall clock";
}

/* Why nothing can be said of a rule, before a method is looked at; NULL: something can. The rows
 * of `none` in compare/rule/gate.h. */
static const char *lacking(const struct tv_gate *gate, const struct tv_rule *rule,
                           enum tv_clock clock)
{
    const struct tv_changes_opts *opts = gate->opts;
    const struct tv_rule_numbers *numbers = gate->numbers;
    const size_t *counts = opts->run_counts;
    const bool is_cpu = clock == TV_CLOCK_CPU;
    const struct tv_run_clocks *clocks = clocks_of(gate, rule);
    /* Of these the program has more calls, or a longer one, and never fewer or a shorter one: what
     * is broken by what was recorded is so for certain. */
    const unsigned of_least =
        opts->counts_least[TV_SIDE_NEW] ? TV_RULES_OF_CALLS | TV_RULES_OF_MAX : 0;
    const struct tv_rule_row rows[] = {
        {opts->other_builds, TV_RULES_OF_GROWTH,
         "recordings have short names of several builds, whose methods are matched by the mappings "
         "of each alone (--mappings FOLDER)"},
        {opts->no_counts[TV_SIDE_NEW], TV_RULES_OF_COUNTS & ~of_least, tv_counts_reason},
        {opts->no_counts[TV_SIDE_OLD], TV_RULES_OF_CALLS_GROWTH, tv_counts_reason},
        {clocks->lacks[clock] || (is_cpu && clocks->has_idle_cpu), TV_RULES_OF_TIME,
         clock_reason(clocks, clock)},
        {opts->other_processors, TV_RULES_OF_TIME_GROWTH,
         "the recordings are of different processors, whose times cannot be compared"},
        {opts->lost_data[TV_SIDE_OLD], TV_RULES_OF_TIME_GROWTH, tv_lost_reason},
        {is_cpu && opts->fell_back[TV_SIDE_OLD], TV_RULES_OF_TIME_GROWTH, tv_fell_reason},
        {!is_cpu && (opts->odd_wall[TV_SIDE_OLD] || opts->odd_wall[TV_SIDE_NEW]),
         TV_RULES_OF_TIME_GROWTH, tv_odd_wall_reason},
        {opts->mixed_kinds, TV_RULES_OF_TIME_GROWTH,
         "some recordings are of samples, some of each call, and their times cannot be compared"},
        {counts[TV_SIDE_OLD] < TV_TESTED_FROM || counts[TV_SIDE_NEW] < TV_TESTED_FROM,
         TV_RULES_OF_TIME_GROWTH, "a growth of time needs two recordings a side at least"},
        {counts[TV_SIDE_NEW] < rule->runs, TV_RULES_OF_ALL, asks_more_reason},
        {counts[TV_SIDE_OLD] < rule->runs, TV_RULES_OF_GROWTH, asks_more_reason},
        {!has_thread(gate, rule, TV_SIDE_NEW), TV_RULES_OF_ALL,
         has_thread(gate, rule, TV_SIDE_OLD) ? "no new recording has a thread of this name"
                                             : "no recording has a thread of this name"},
        {numbers->last_unlisted[rule->about] > tv_first_new(gate), TV_RULES_OF_ALL,
         "the thread of this name has no records in a recording, and threads have that it does "
         "not list: it may be one of them"},
        {!has_thread(gate, rule, TV_SIDE_OLD), TV_RULES_OF_GROWTH,
         "no old recording has a thread of this name"},
    };
    return tv_rule_rows_reason(gate, rule, rows, TV_COUNT_OF(rows));
}

/* Whether a rule is kept where no method has its name. */
static bool allows_none(const struct tv_rule *rule)
{
    return rule->kind == TV_RULE_NO_CALLS || (rule->kind == TV_RULE_CALLS && !rule->least_calls);
}

/* A name that no method has would keep "no calls of" it for ever. A class or a package has no
 * calls, but methods that have; and people leave out the package of a name, as answers and source
 * do. */
static enum tv_code doubt_unnamed(const struct tv_judged_rule *judged, struct tv_error *err)
{
    struct tv_rule_verdict *verdict = judged->verdict;
    const struct tv_join *join = judged->subject->join;
    struct tv_found_methods *found = &judged->judging->found;
    bool is_group;
    TV_TRY(tv_name_index_is_group(&judged->subject->names, judged->rule->pattern, &is_group, err));
    if (is_group)
        tv_verdict_doubt(verdict, "it is the name of a class or a package, and of no method: with "
                                  ".* behind it, it is of the methods there");
    TV_TRY(tv_name_index_find_ending(&judged->subject->names, judged->rule->pattern, found, err));
    for (size_t run = tv_first_new(judged->judging->gate); run < join->run_count; run++) {
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
static enum tv_code is_left_out(struct tv_judged_rule *judged, bool *is_so, struct tv_error *err)
{
    struct tv_judging *judging = judged->judging;
    const struct tv_join *left_out = &judging->gate->numbers->left_out;
    *is_so = false;
    if (!left_out->count)
        return TV_OK;
    if (!judging->has_left_out)
        TV_TRY(tv_name_index_make(&judging->left_out, left_out, err));
    judging->has_left_out = true;
    TV_TRY(tv_name_index_find(&judging->left_out, judged->rule->pattern, &judging->found, err));
    for (size_t run = tv_first_new(judging->gate); run < left_out->run_count; run++)
        *is_so = *is_so ||
                 tv_calls_of_all(left_out, judging->found.of, judging->found.count, run) ||
                 tv_calls_of_all(left_out, judging->found.maybe, judging->found.maybe_count, run);
    return TV_OK;
}

/* Calls that were left out of a recording by the names of their methods are none of a rule that is
 * kept without them. A method that is there is there with all of its calls. */
static enum tv_code doubt_left_out(struct tv_judged_rule *judged, struct tv_error *err)
{
    const struct tv_rule_numbers *numbers = judged->judging->gate->numbers;
    const size_t old = tv_first_new(judged->judging->gate);
    const struct tv_str pattern = judged->rule->pattern;
    const bool is_open = !judged->verdict->matched || tv_str_is_glob(pattern);
    bool is_so;
    if (is_open &&
        (numbers->left_out_any > old || (numbers->left_out_boot > old && may_be_of_boot(pattern))))
        tv_verdict_doubt(judged->verdict,
                         "methods were left out of a recording, and this may be one of them");
    TV_TRY(is_left_out(judged, &is_so, err));
    if (is_so)
        tv_verdict_doubt(judged->verdict, "calls of this name were left out of a recording");
    return TV_OK;
}

/* Notes the methods that ones of the rule's name were inlined into, where a run of the sides that
 * the rule is about calls them. A time of many methods is judged by what was recorded, since nearly
 * always some of them are inlined. */
static enum tv_code note_inlined(struct tv_judged_rule *judged, bool is_growth,
                                 struct tv_error *err)
{
    struct tv_judging *judging = judged->judging;
    const struct tv_rule *rule = judged->rule;
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
    judged->is_inlined = one;
    judged->verdict->inlined_calls = most;
    if (one)
        TV_TRY(tv_name_index_find(&judged->subject->names, one->inlined_into, found, err));
    judged->inlined_into =
        one && found->count ? &judged->subject->join->methods[found->of[0]] : NULL;
    return TV_OK;
}

/* What runs unseen keeps no rule. Where an old run has it so and a new one calls it, its growth is
 * that of another compilation. */
static void doubt_inlined(struct tv_judged_rule *judged, bool is_growth)
{
    struct tv_rule_verdict *verdict = judged->verdict;
    if (judged->is_inlined &&
        (is_growth || (verdict->state != TV_RULE_BROKEN && verdict->reason != tv_counts_reason))) {
        tv_verdict_lack(verdict, tv_inlined_reason);
        verdict->method = judged->inlined_into;
        verdict->allow = NULL;
    }
    if (verdict->reason != tv_inlined_reason)
        verdict->inlined_calls = 0;
}

static const char unnamed_reason[] = "no method has this name";

/* Judges a rule that names methods; `changes`, and by what they are, are those of a growth, else
 * NULL. */
static enum tv_code judge_named(struct tv_judged_rule *judged, struct tv_changes *changes,
                                const struct tv_changes_opts *opts, struct tv_error *err)
{
    struct tv_judging *judging = judged->judging;
    struct tv_rule_verdict *verdict = judged->verdict;
    const enum tv_rule_kind kind = judged->rule->kind;
    TV_TRY(make_subject(judging, judged->rule->about, err));
    judged->subject = &judging->subjects[judged->rule->about];
    TV_TRY(note_inlined(judged, changes, err));
    TV_TRY(
        tv_name_index_find(&judged->subject->names, judged->rule->pattern, &judging->found, err));
    verdict->matched = judging->found.count + judging->found.named_count;
    verdict->runs = judging->gate->opts->run_counts[TV_SIDE_NEW];
    if (!verdict->matched && !allows_none(judged->rule))
        tv_verdict_lack(verdict,
                        judging->gate->opts->no_counts[TV_SIDE_NEW] && kind == TV_RULE_CALLS
                            ? tv_counts_reason
                        : tv_rule_is_cut(judging->gate, judged->rule) ? tv_cut_reason
                                                                      : unnamed_reason);
    else if (kind == TV_RULE_TIME)
        tv_judge_time(judged, &judging->found);
    else if (changes)
        TV_TRY(tv_judge_growth(judged, changes, opts, &judging->found, err));
    else
        tv_judge_calls(judged, &judging->found);
    if (!verdict->matched && allows_none(judged->rule))
        TV_TRY(doubt_unnamed(judged, err));
    if (kind == TV_RULE_CALLS || kind == TV_RULE_NO_CALLS)
        TV_TRY(doubt_left_out(judged, err));
    if (kind == TV_RULE_TIME || changes) {
        tv_judge_doubt_time(judged);
        if (changes)
            tv_judge_measured(judged, changes, &judging->found);
        tv_judge_tell_time(judged, changes);
    }
    doubt_inlined(judged, changes);
    return TV_OK;
}

/* Whether a rule of time that says no clock has CPU time of some recordings alone. Who asked for a
 * clock has the one that was asked for. */
static bool lacks_cpu_of_others(const struct tv_gate *gate, const struct tv_rule *rule)
{
    const struct tv_run_clocks *clocks = clocks_of(gate, rule);
    return rule->clock == TV_RULE_CLOCK_UNSAID && !gate->clocks.asked &&
           clocks->lacks[TV_CLOCK_CPU] && clocks->has_some[TV_CLOCK_CPU];
}

/* Prepares the verdict of a rule. Returns whether it has to be judged. */
static bool begin_verdict(const struct tv_gate *gate, const struct tv_rule *rule,
                          struct tv_rule_verdict *verdict)
{
    const bool is_time = tv_rule_is_of_time(rule);
    const bool is_growth = tv_rule_is_growth(rule);
    *verdict = (struct tv_rule_verdict){.state = TV_RULE_KEPT, .clock = gate->opts->clock};
    if (!is_growth)
        verdict->clock =
            gate->clocks.asked ? *gate->clocks.asked : tv_run_clocks_default(gate->clocks.of_new);
    if (rule->clock != TV_RULE_CLOCK_UNSAID)
        verdict->clock = rule->clock == TV_RULE_CLOCK_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    /* Wall time in the place of CPU time, which some recordings have, would make a warning of an
     * error, by the one file that lacks it. */
    const bool has_fallen = is_time && lacks_cpu_of_others(gate, rule);
    if (has_fallen)
        verdict->clock = TV_CLOCK_CPU;
    verdict->is_error =
        rule->level == TV_LEVEL_ERROR ||
        (rule->level == TV_LEVEL_UNSAID && !(is_time && verdict->clock == TV_CLOCK_WALL));
    if (rule->level == TV_LEVEL_OFF || (is_growth && !gate->opts->run_counts[TV_SIDE_OLD])) {
        verdict->state = TV_RULE_LEFT_OUT;
        return false;
    }
    const char *reason = lacking(gate, rule, verdict->clock);
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
        struct tv_judged_rule judged = {
            .judging = judging, .rule = &rules[i], .verdict = &verdicts[i]};
        code = tv_check_wanted(gate->is_unwanted, err);
        if (code == TV_OK)
            code = judge_named(&judged, &changes, &opts, err);
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
static enum tv_code note_others(struct tv_judged_rule *judged, struct tv_error *err)
{
    struct tv_judging *judging = judged->judging;
    struct tv_rule_verdict *verdict = judged->verdict;
    if (!judging->gate->rules->about[judged->rule->about].thread.len)
        return TV_OK;
    TV_TRY(make_subject(judging, 0, err));
    TV_TRY(tv_name_index_find(&judging->subjects[0].names, judged->rule->pattern, &judging->found,
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
static enum tv_code note_absence(struct tv_judged_rule *judged, struct tv_error *err)
{
    struct tv_judging *judging = judged->judging;
    const struct tv_gate *gate = judging->gate;
    const size_t about = judged->rule->about;
    bool is_so = false;
    TV_TRY(tv_check_wanted(gate->is_unwanted, err));
    if (judged->rule->kind == TV_RULE_CALLS_GROWTH || gate->opts->lost_data[TV_SIDE_NEW] ||
        tv_rule_is_cut(gate, judged->rule))
        return TV_OK;
    if (gate->opts->no_counts[TV_SIDE_NEW] && tv_rule_is_in(gate, judged->rule, TV_RULES_OF_COUNTS))
        return TV_OK;
    if (!has_thread(gate, judged->rule, TV_SIDE_NEW)) {
        judged->verdict->is_absent = !has_thread(gate, judged->rule, TV_SIDE_OLD);
        return TV_OK;
    }
    TV_TRY(make_subject(judging, about, err));
    TV_TRY(tv_name_index_find(&judging->subjects[about].names, judged->rule->pattern,
                              &judging->found, err));
    /* A method whose name ends so is told, and is there. */
    judged->verdict->is_absent = !judging->found.count && !judging->found.maybe_count &&
                                 !judged->verdict->method &&
                                 judged->verdict->reason != tv_inlined_reason;
    if (judged->verdict->is_absent)
        TV_TRY(is_left_out(judged, &is_so, err));
    judged->verdict->is_absent = judged->verdict->is_absent && !is_so &&
                                 judging->gate->numbers->left_out_any <= tv_first_new(gate);
    return judged->verdict->is_absent ? note_others(judged, err) : TV_OK;
}

/* `is_open` has a byte for each rule: those of growth are judged last, together. */
static enum tv_code judge_all(struct tv_judging *judging, uint8_t *is_open,
                              struct tv_rule_verdict *verdicts, struct tv_error *err)
{
    const struct tv_gate *gate = judging->gate;
    for (size_t i = 0; i < gate->rules->count; i++) {
        const struct tv_rule *rule = &gate->rules->of[i];
        struct tv_judged_rule judged = {.judging = judging, .rule = rule, .verdict = &verdicts[i]};
        TV_TRY(tv_check_wanted(gate->is_unwanted, err));
        if (!begin_verdict(gate, rule, &verdicts[i]))
            continue;
        if (rule->kind == TV_RULE_TIME_GROWTH)
            is_open[i] = 1;
        else if (rule->kind == TV_RULE_CALLS_GROWTH)
            TV_TRY(tv_judge_calls_growth(&judged, err));
        else
            TV_TRY(judge_named(&judged, NULL, NULL, err));
    }
    for (size_t i = 0; i < gate->rules->count; i++) {
        if (is_open[i])
            TV_TRY(judge_growths(judging, i, is_open, verdicts, err));
    }
    for (size_t i = 0; i < gate->rules->count; i++) {
        struct tv_judged_rule judged = {
            .judging = judging, .rule = &gate->rules->of[i], .verdict = &verdicts[i]};
        if (is_without_verdict(judged.rule, &verdicts[i]))
            TV_TRY(note_absence(&judged, err));
    }
    return TV_OK;
}

/* Takes what all rules share, and releases it whatever judge_all returns. */
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
