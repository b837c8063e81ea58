/*
 * Rules that recordings have to keep, and their verdicts; see api/comparisons/ruling.h. Every
 * format tells a verdict in the words that are made here: a rule's state, why it is so, and its
 * level.
 */
#include "api/comparisons/ruling.h"

#include <math.h>

#include "base/numbers/shown_number.h"

/* A median method that became slower, or faster, by a twentieth is told beside a growth. */
#define MACHINE_TOLD 0.05

void tv_ruling_init(struct tv_ruling *ruling, const struct tv_alloc *alloc)
{
    *ruling = (struct tv_ruling){.alloc = alloc};
    tv_rules_init(&ruling->rules, alloc);
    tv_rule_numbers_init(&ruling->numbers, alloc);
    tv_arena_init(&ruling->texts, alloc);
}

void tv_ruling_release(struct tv_ruling *ruling)
{
    const struct tv_alloc *alloc = ruling->alloc;
    size_t count = ruling->rules.count;
    tv_alloc_release(alloc, &ruling->verdicts, count, sizeof(*ruling->verdicts));
    tv_alloc_release(alloc, &ruling->calls, count, sizeof(*ruling->calls));
    tv_rule_numbers_release(&ruling->numbers);
    tv_rules_release(&ruling->rules);
    tv_arena_release(&ruling->texts);
    tv_ruling_init(ruling, alloc);
}

enum tv_code tv_ruling_read(struct tv_ruling *ruling, struct tv_str text, size_t run_count,
                            struct tv_error *err)
{
    const struct tv_alloc *alloc = ruling->alloc;
    TV_TRY(tv_rules_read(&ruling->rules, text, err));
    size_t count = ruling->rules.count;
    TV_TRY(tv_alloc_new(alloc, &ruling->verdicts, count, sizeof(*ruling->verdicts), err));
    TV_TRY(tv_alloc_new(alloc, &ruling->calls, count, sizeof(*ruling->calls), err));
    tv_rule_numbers_begin(&ruling->numbers, &ruling->rules, run_count);
    return TV_OK;
}

enum tv_code tv_ruling_judge(struct tv_ruling *ruling, const struct tv_join *join,
                             const struct tv_changes_opts *opts,
                             const struct tv_rule_clocks *clocks, uint32_t today,
                             struct tv_error *err)
{
    const struct tv_gate gate = {
        .alloc = ruling->alloc,
        .rules = &ruling->rules,
        .join = join,
        .numbers = &ruling->numbers,
        .opts = opts,
        .clocks = *clocks,
        .today = today,
        .is_unwanted = ruling->is_unwanted,
    };
    TV_TRY(tv_gate_judge(&gate, ruling->verdicts, err));
    ruling->first_new = opts->run_counts[TV_SIDE_OLD];
    for (size_t i = 0; i < ruling->rules.count; i++) {
        const struct tv_rule_verdict *verdict = &ruling->verdicts[i];
        ruling->counts[verdict->state]++;
        ruling->judged += verdict->state != TV_RULE_LEFT_OUT;
        ruling->is_sample =
            ruling->is_sample || (verdict->runs == 1 && ruling->rules.of[i].kind == TV_RULE_TIME);
        ruling->failed += tv_ruling_is_missed(ruling, i) && verdict->is_error;
    }
    return TV_OK;
}

/* A file of which no rule was judged fails: a check that checks nothing must not look like a
 * success. */
bool tv_ruling_fails(const struct tv_ruling *ruling)
{
    return !ruling->judged || ruling->failed;
}

/* A rule without data is missed, too: whoever wrote it believes that it guards something. */
bool tv_ruling_is_missed(const struct tv_ruling *ruling, size_t place)
{
    enum tv_rule_state state = ruling->verdicts[place].state;
    return state == TV_RULE_BROKEN || state == TV_RULE_NO_DATA;
}

bool tv_ruling_is_told(const struct tv_ruling *ruling, size_t place)
{
    return tv_ruling_is_missed(ruling, place) || ruling->verdicts[place].state == TV_RULE_ALLOWED;
}

/* A broken rule that another line allows is neither a warning nor an error. */
const char *tv_ruling_level(const struct tv_ruling *ruling, size_t place)
{
    if (ruling->verdicts[place].state == TV_RULE_ALLOWED)
        return "allowed";
    return ruling->verdicts[place].is_error ? "error" : "warning";
}

static void put_calls(struct tv_out *out, uint64_t calls)
{
    tv_out_count(out, calls);
    tv_out_add(out, calls == 1 ? " call" : " calls");
}

static void put_ms(struct tv_out *out, uint64_t time_ns)
{
    char room[TV_SHOWN_MOST];
    tv_out_text(out, tv_shown_ms(room, (int64_t)time_ns));
}

/* The day is a decimal number, year * 10000 + month * 100 + day, as in struct tv_rule_allow. */
static void put_day(struct tv_out *out, uint32_t day)
{
    tv_out_add(out, "%04u-%02u-%02u", (unsigned)(day / 10000), (unsigned)(day / 100 % 100),
               (unsigned)(day % 100));
}

/* Runs of the new side; the old ones come before them in every join. */
static size_t new_runs(const struct tv_ruling *ruling)
{
    return ruling->numbers.joins[0].run_count - ruling->first_new;
}

/* What is measured comes first, then all that makes it weaker: what the median method did, a single
 * sample, recordings without a call. */
static void put_time(struct tv_out *out, const struct tv_ruling *ruling, size_t place)
{
    static const char *const of[] = {[TV_NUMBER_TOTAL] = "",
                                     [TV_NUMBER_P50] = ", the p50 of its calls",
                                     [TV_NUMBER_P95] = ", the p95 of its calls",
                                     [TV_NUMBER_MAX] = ", its longest call"};
    const struct tv_rule *rule = &ruling->rules.of[place];
    const struct tv_rule_verdict *verdict = &ruling->verdicts[place];
    if (rule->kind == TV_RULE_TIME_GROWTH) {
        put_ms(out, verdict->was);
        tv_out_add(out, " ms became ");
    }
    put_ms(out, verdict->is);
    tv_out_add(out, " ms of %s time%s", verdict->clock == TV_CLOCK_CPU ? "CPU" : "wall",
               of[ruling->rules.about[rule->about].number]);
    if (!verdict->is_only_measured && fabs(verdict->median_method) >= MACHINE_TOLD)
        tv_out_add(out, ", where the median method became %.1f %% of what it was",
                   100 * exp(verdict->median_method));
    if (verdict->runs < TV_TESTED_FROM)
        tv_out_add(out, ", one sample");
    if (verdict->runs < new_runs(ruling))
        tv_out_add(out, ", called in %zu of %zu recordings", verdict->runs, new_runs(ruling));
    if (verdict->broken > 1)
        tv_out_add(out, ", and %zu more methods", verdict->broken - 1);
    if (verdict->is_only_measured)
        tv_out_add(out,
                   "; beside the median method (%+.1f %%), which is the machine or a change of "
                   "everything, the rule is kept",
                   (exp(verdict->median_method) - 1) * 100);
}

/* The numbers that broke the rule, in the unit of its kind. An exception that has run out is named,
 * since that is why the build fails from one day to the next. */
static void put_broken(struct tv_out *out, const struct tv_ruling *ruling, size_t place)
{
    const struct tv_rule_verdict *verdict = &ruling->verdicts[place];
    switch (ruling->rules.of[place].kind) {
    case TV_RULE_TIME:
    case TV_RULE_TIME_GROWTH:
        put_time(out, ruling, place);
        break;
    case TV_RULE_CALLS_GROWTH:
        put_calls(out, verdict->was);
        tv_out_add(out, " became ");
        tv_out_count(out, verdict->is);
        break;
    case TV_RULE_CALLS:
    case TV_RULE_NO_CALLS:
        put_calls(out, verdict->is);
        tv_out_add(out, " in %srecording %zu", ruling->first_new ? "new " : "",
                   verdict->run - ruling->first_new + 1);
        if (verdict->broken > 1)
            tv_out_add(out, ", of %zu methods, most of one", verdict->broken);
        break;
    }
    if (!verdict->allow)
        return;
    tv_out_add(out, "; line %llu allowed it until ", (unsigned long long)verdict->allow->line);
    put_day(out, verdict->allow->until);
}

void tv_ruling_write_why(const struct tv_ruling *ruling, size_t place, struct tv_out *out)
{
    const struct tv_rule_verdict *verdict = &ruling->verdicts[place];
    if (verdict->state == TV_RULE_NO_DATA ||
        (verdict->state == TV_RULE_LEFT_OUT && verdict->reason)) {
        tv_out_add(out, "%s", verdict->reason);
        if (verdict->inlined_calls) {
            tv_out_add(out, "; the methods that it runs in have ");
            put_calls(out, verdict->inlined_calls);
        }
    } else if (verdict->state == TV_RULE_BROKEN) {
        put_broken(out, ruling, place);
    } else if (verdict->state == TV_RULE_ALLOWED) {
        tv_out_add(out, "broken, which line %llu allows until ",
                   (unsigned long long)verdict->allow->line);
        put_day(out, verdict->allow->until);
    }
}

enum tv_code tv_ruling_method(const struct tv_ruling *ruling, size_t place, struct tv_buffer *name,
                              struct tv_error *err)
{
    const struct tv_joined_method *method = ruling->verdicts[place].method;
    name->len = 0;
    return method ? tv_joined_text(method, name, err) : TV_OK;
}
