/* Judging rules; see compare/gate.h. */
#include "compare/gate.h"

#include "base/memory/buffer.h"

const char *const tv_rule_state_words[] = {
    [TV_RULE_KEPT] = "kept", [TV_RULE_BROKEN] = "broken", [TV_RULE_NO_DATA] = "no data"};

/* The methods that a rule names. */
struct named {
    const struct tv_alloc *alloc;
    uint32_t *of;
    size_t count, cap;
};

static enum tv_code find_named(const struct tv_gate *gate, const struct tv_rule *rule,
                               struct named *named, struct tv_error *err)
{
    const struct tv_join *join = gate->join;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, named->alloc);
    for (size_t i = 0; code == TV_OK && i < join->count; i++) {
        code = tv_joined_text(&join->methods[i], &name, err);
        struct tv_str whole = tv_buffer_view(&name);
        struct tv_str plain = whole;
        size_t signature_len = join->methods[i].signature.len;
        if (signature_len && signature_len < whole.len)
            plain.len -= signature_len + 1;
        if (code != TV_OK ||
            !(tv_str_glob(whole, rule->pattern) || tv_str_glob(plain, rule->pattern)))
            continue;
        code = tv_alloc_grow(named->alloc, &named->of, &named->cap, named->count + 1,
                             sizeof(*named->of), err);
        if (code == TV_OK)
            named->of[named->count++] = (uint32_t)i;
    }
    tv_buffer_release(&name);
    return code;
}

static void lack(struct tv_rule_verdict *verdict, const char *reason)
{
    verdict->state = TV_RULE_NO_DATA;
    verdict->reason = reason;
}

static uint64_t calls_of(const struct tv_join *join, size_t method, size_t run)
{
    const struct tv_method_row *row = tv_join_row(join, method, run);
    return row->numbers.calls + row->recursive_calls;
}

/* The calls of all methods that are named, in every new run. */
static void judge_calls(const struct tv_gate *gate, const struct tv_rule *rule,
                        const struct named *named, struct tv_rule_verdict *verdict)
{
    for (size_t run = gate->opts->run_counts[TV_SIDE_OLD]; run < gate->join->run_count; run++) {
        uint64_t calls = 0;
        for (size_t i = 0; i < named->count; i++)
            calls += calls_of(gate->join, named->of[i], run);
        if (calls >= rule->least_calls && calls <= rule->most_calls)
            continue;
        verdict->state = TV_RULE_BROKEN;
        verdict->run = run;
        verdict->is = calls;
        return;
    }
}

/* The lower median over the runs of a side, of the calls of all methods; by counting, since runs
 * are few. */
static enum tv_code total_calls(const struct tv_gate *gate, enum tv_side side, uint64_t *median,
                                struct tv_error *err)
{
    const struct tv_alloc *alloc = gate->changes->alloc;
    size_t first = side == TV_SIDE_NEW ? gate->opts->run_counts[TV_SIDE_OLD] : 0;
    size_t count = gate->opts->run_counts[side];
    uint64_t *totals = NULL;
    TV_TRY(tv_alloc_new(alloc, &totals, count, sizeof(*totals), err));
    for (size_t run = 0; run < count; run++) {
        for (size_t method = 0; method < gate->join->count; method++)
            totals[run] += calls_of(gate->join, method, first + run);
    }
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        for (size_t k = 0; k < count; k++)
            before += totals[k] < totals[i] || (totals[k] == totals[i] && k < i);
        if (before == (count - 1) / 2)
            *median = totals[i];
    }
    tv_alloc_release(alloc, &totals, count, sizeof(*totals));
    return TV_OK;
}

static enum tv_code judge_calls_growth(const struct tv_gate *gate, const struct tv_rule *rule,
                                       struct tv_rule_verdict *verdict, struct tv_error *err)
{
    TV_TRY(total_calls(gate, TV_SIDE_OLD, &verdict->was, err));
    TV_TRY(total_calls(gate, TV_SIDE_NEW, &verdict->is, err));
    verdict->matched = gate->join->count;
    if (!verdict->was)
        lack(verdict, "the old side has no calls");
    else if ((double)verdict->is > (double)verdict->was * (1 + rule->growth))
        verdict->state = TV_RULE_BROKEN;
    return TV_OK;
}

/* Notes a method that breaks a rule of time, if it does so more than those before. */
static void break_by(struct tv_rule_verdict *verdict, size_t method, uint64_t by_ns,
                     uint64_t *most_ns)
{
    verdict->state = TV_RULE_BROKEN;
    if (!verdict->broken++ || by_ns > *most_ns) {
        *most_ns = by_ns;
        verdict->method = method;
    }
}

static void judge_time(const struct tv_gate *gate, const struct tv_rule *rule,
                       const struct named *named, struct tv_rule_verdict *verdict)
{
    uint64_t most_ns = 0;
    bool is_there = false;
    for (size_t i = 0; i < named->count; i++) {
        const struct tv_change *change = &gate->changes->of[named->of[i]];
        uint64_t time_ns = change->sides[TV_SIDE_NEW].median.time_ns;
        is_there = is_there || tv_change_is_on(change, TV_SIDE_NEW);
        if (time_ns > rule->time_ns)
            break_by(verdict, named->of[i], time_ns, &most_ns);
    }
    if (!is_there)
        lack(verdict, "no new recording calls it");
}

/* Notes the methods whose time has grown beyond the rule. `rows` are their tests by p value, and
 * `methods` has the method of each test. */
static void judge_tested(const struct tv_gate *gate, const struct tv_rule *rule,
                         const struct tv_changes *changes, const uint32_t *rows, size_t count,
                         const uint32_t *methods, struct tv_rule_verdict *verdict)
{
    uint64_t most_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tv_significance_row *row = &changes->significance.rows[rows[i]];
        uint32_t method = methods[rows[i]];
        int64_t growth_ns = tv_change_ns(&changes->of[method]);
        if (row->p_adjusted > gate->opts->test.level)
            return;
        if (row->change > 0 && growth_ns > 0 && (uint64_t)growth_ns > rule->time_ns)
            break_by(verdict, method, (uint64_t)growth_ns, &most_ns);
    }
}

/* The tests of the methods that the rule names are one family, by Holm. */
static enum tv_code test_named(const struct tv_gate *gate, const struct tv_rule *rule,
                               struct tv_changes *changes, const struct named *named,
                               struct tv_rule_verdict *verdict, struct tv_error *err)
{
    size_t row_count = changes->significance.row_count;
    uint32_t *rows = NULL;
    uint32_t *methods = NULL;
    size_t count = 0;
    enum tv_code code = tv_alloc_new(named->alloc, &rows, named->count, sizeof(*rows), err);
    if (code == TV_OK)
        code = tv_alloc_new(named->alloc, &methods, row_count, sizeof(*methods), err);
    for (size_t i = 0; code == TV_OK && i < named->count; i++) {
        const struct tv_change *change = &changes->of[named->of[i]];
        if (change->tested == SIZE_MAX)
            continue;
        rows[count++] = (uint32_t)change->tested;
        methods[change->tested] = named->of[i];
    }
    if (code == TV_OK && !count)
        lack(verdict, "it takes no millisecond, or is not in every recording");
    else if (code == TV_OK)
        code = tv_significance_adjust(&changes->significance, rows, count, TV_ADJUST_GATE, err);
    if (code == TV_OK && count)
        judge_tested(gate, rule, changes, rows, count, methods, verdict);
    tv_alloc_release(named->alloc, &rows, named->count, sizeof(*rows));
    tv_alloc_release(named->alloc, &methods, row_count, sizeof(*methods));
    return code;
}

static enum tv_code judge_time_growth(const struct tv_gate *gate, const struct tv_rule *rule,
                                      const struct named *named, struct tv_rule_verdict *verdict,
                                      struct tv_error *err)
{
    struct tv_changes_opts opts = *gate->opts;
    struct tv_changes changes;
    if (opts.run_counts[TV_SIDE_OLD] < TV_TESTED_FROM ||
        opts.run_counts[TV_SIDE_NEW] < TV_TESTED_FROM) {
        lack(verdict, "a growth of time needs two recordings a side at least");
        return TV_OK;
    }
    opts.test.least_ratio = 1 + rule->growth;
    tv_changes_init(&changes, named->alloc);
    enum tv_code code = tv_changes_make(&changes, gate->join, &opts, err);
    if (code == TV_OK)
        code = test_named(gate, rule, &changes, named, verdict, err);
    tv_changes_release(&changes);
    return code;
}

static enum tv_code judge_named(const struct tv_gate *gate, const struct tv_rule *rule,
                                const struct named *named, struct tv_rule_verdict *verdict,
                                struct tv_error *err)
{
    bool is_of_calls = rule->kind == TV_RULE_CALLS || rule->kind == TV_RULE_NO_CALLS;
    verdict->matched = named->count;
    if (is_of_calls && !gate->opts->has_counts)
        lack(verdict, "the counts of a recording are not those of the program");
    else if (!named->count && rule->kind != TV_RULE_NO_CALLS)
        lack(verdict, "no method has this name");
    else if (is_of_calls)
        judge_calls(gate, rule, named, verdict);
    else if (rule->kind == TV_RULE_TIME)
        judge_time(gate, rule, named, verdict);
    else
        return judge_time_growth(gate, rule, named, verdict, err);
    return TV_OK;
}

enum tv_code tv_gate_judge(const struct tv_gate *gate, const struct tv_rule *rule,
                           struct tv_rule_verdict *verdict, struct tv_error *err)
{
    bool is_wall = gate->opts->clock == TV_CLOCK_WALL &&
                   (rule->kind == TV_RULE_TIME || rule->kind == TV_RULE_TIME_GROWTH);
    struct named named = {.alloc = gate->changes->alloc};
    *verdict = (struct tv_rule_verdict){.state = TV_RULE_KEPT, .method = SIZE_MAX};
    verdict->is_error =
        rule->level == TV_LEVEL_ERROR || (rule->level == TV_LEVEL_UNSAID && !is_wall);
    if (rule->kind == TV_RULE_CALLS_GROWTH && gate->opts->has_counts)
        return judge_calls_growth(gate, rule, verdict, err);
    if (rule->kind == TV_RULE_CALLS_GROWTH) {
        lack(verdict, "the counts of a recording are not those of the program");
        return TV_OK;
    }
    enum tv_code code = find_named(gate, rule, &named, err);
    if (code == TV_OK)
        code = judge_named(gate, rule, &named, verdict, err);
    tv_alloc_release(named.alloc, &named.of, named.cap, sizeof(*named.of));
    return code;
}
