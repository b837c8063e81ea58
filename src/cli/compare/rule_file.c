/*
 * The rules that recordings have to keep, as a file says them; see cli/compare/rule_file.h.
 *
 * Every format tells a verdict in the words that are made here: a rule's state, why it is so, and
 * which calls broke it. Markdown, JUnit and SARIF add what surrounds them, in files of their own.
 */
#include "cli/compare/rule_file.h"

#include <time.h>

#include "cli/file/load.h"
#include "os/file/paths.h"

void tv_rule_file_init(struct tv_rule_file *rules, const struct tv_cli *cli)
{
    *rules = (struct tv_rule_file){.cli = cli};
    tv_buffer_init(&rules->text, cli->alloc);
    tv_rules_init(&rules->rules, cli->alloc);
    tv_rule_numbers_init(&rules->numbers, cli->alloc);
    tv_arena_init(&rules->texts, cli->alloc);
}

void tv_rule_file_release(struct tv_rule_file *rules)
{
    const struct tv_cli *cli = rules->cli;
    size_t count = rules->rules.count;
    tv_alloc_release(cli->alloc, &rules->verdicts, count, sizeof(*rules->verdicts));
    tv_alloc_release(cli->alloc, &rules->calls, count, sizeof(*rules->calls));
    tv_rule_numbers_release(&rules->numbers);
    tv_rules_release(&rules->rules);
    tv_arena_release(&rules->texts);
    tv_buffer_release(&rules->text);
    tv_rule_file_init(rules, cli);
}

enum tv_code tv_rule_file_load(struct tv_rule_file *rules, const char *path, size_t run_count,
                               struct tv_error *err)
{
    const struct tv_alloc *alloc = rules->cli->alloc;
    rules->file = path;
    TV_TRY(tv_file_read_small(path, TV_RULES_LEN_MOST, &rules->text, err));
    TV_TRY(tv_rules_read(&rules->rules, tv_buffer_view(&rules->text), err));
    size_t count = rules->rules.count;
    TV_TRY(tv_alloc_new(alloc, &rules->verdicts, count, sizeof(*rules->verdicts), err));
    TV_TRY(tv_alloc_new(alloc, &rules->calls, count, sizeof(*rules->calls), err));
    tv_rule_numbers_begin(&rules->numbers, &rules->rules, run_count);
    return TV_OK;
}

/* The day, in the zone where all machines have the same one. */
static uint32_t today(void)
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts))
        return UINT32_MAX; /* no day is known, so nothing is allowed until one */
    return (uint32_t)((parts.tm_year + 1900) * 10000 + (parts.tm_mon + 1) * 100 + parts.tm_mday);
}

enum tv_code tv_rule_file_judge(struct tv_rule_file *rules, const struct tv_join *join,
                                const struct tv_changes_opts *opts,
                                const bool has_clock[TV_CLOCK_COUNT], struct tv_error *err)
{
    const struct tv_gate gate = {
        .alloc = rules->cli->alloc,
        .rules = &rules->rules,
        .join = join,
        .numbers = &rules->numbers,
        .opts = opts,
        .has_clock = {has_clock[TV_CLOCK_WALL], has_clock[TV_CLOCK_CPU]},
        .today = today(),
    };
    if (!rules->file)
        return TV_OK;
    TV_TRY(tv_gate_judge(&gate, rules->verdicts, err));
    rules->first_new = opts->run_counts[TV_SIDE_OLD];
    for (size_t i = 0; i < rules->rules.count; i++) {
        rules->counts[rules->verdicts[i].state]++;
        rules->judged += rules->verdicts[i].state != TV_RULE_LEFT_OUT;
        rules->is_sample = rules->is_sample || (rules->verdicts[i].runs == 1 &&
                                                rules->rules.of[i].kind == TV_RULE_TIME);
        rules->failed += tv_rule_file_is_missed(rules, i) && rules->verdicts[i].is_error;
    }
    return TV_OK;
}

bool tv_rule_file_fails(const struct tv_rule_file *rules)
{
    return rules->file && (!rules->judged || rules->failed);
}

bool tv_rule_file_is_missed(const struct tv_rule_file *rules, size_t place)
{
    enum tv_rule_state state = rules->verdicts[place].state;
    return state == TV_RULE_BROKEN || state == TV_RULE_NO_DATA;
}

bool tv_rule_file_is_told(const struct tv_rule_file *rules, size_t place)
{
    return tv_rule_file_is_missed(rules, place) || rules->verdicts[place].state == TV_RULE_ALLOWED;
}

const char *tv_rule_file_level(const struct tv_rule_file *rules, size_t place)
{
    if (rules->verdicts[place].state == TV_RULE_ALLOWED)
        return "allowed";
    return rules->verdicts[place].is_error ? "error" : "warning";
}

/* How many rules compare, and were left out because there is no old side; rules that are off are
 * not counted. */
static size_t count_left_out(const struct tv_rule_file *rules)
{
    size_t count = 0;
    for (size_t i = 0; i < rules->rules.count; i++)
        count += rules->verdicts[i].state == TV_RULE_LEFT_OUT &&
                 rules->rules.of[i].level != TV_LEVEL_OFF;
    return count;
}

void tv_rule_file_add_summary(struct tv_text *out, const struct tv_rule_file *rules)
{
    size_t left_out = count_left_out(rules) - rules->absent;
    if (!rules->judged && rules->absent) {
        tv_text_add(out, "Rules: none of them is about names that are here.");
        return;
    }
    if (!rules->judged) {
        tv_text_add(out, left_out ? "Rules: all of them compare with an old side, so nothing was "
                                    "checked: 'traceview diff --rules' does."
                                  : "Rules: the file says none, so nothing was checked.");
        return;
    }
    tv_text_add(out, "Rules: %zu kept, %zu broken, %zu without data", rules->counts[TV_RULE_KEPT],
                rules->counts[TV_RULE_BROKEN], rules->counts[TV_RULE_NO_DATA]);
    if (rules->counts[TV_RULE_ALLOWED])
        tv_text_add(out, ", %zu broken where that is allowed", rules->counts[TV_RULE_ALLOWED]);
    if (left_out)
        tv_text_add(out, ", %zu left to diff, which has an old side", left_out);
    if (rules->absent)
        tv_text_add(out, ", %zu about names that are not here", rules->absent);
    tv_text_add(out, rules->is_sample ? ". Times are one sample." : ".");
}

static void add_calls(struct tv_text *out, uint64_t calls)
{
    tv_text_add_count(out, calls);
    tv_text_add(out, calls == 1 ? " call" : " calls");
}

static void add_day(struct tv_text *out, uint32_t day)
{
    tv_text_add(out, "%04u-%02u-%02u", (unsigned)(day / 10000), (unsigned)(day / 100 % 100),
                (unsigned)(day % 100));
}

static void add_time(struct tv_text *out, const struct tv_rule_file *rules, size_t place)
{
    static const char *const of[] = {[TV_NUMBER_TOTAL] = "",
                                     [TV_NUMBER_P50] = ", the p50 of its calls",
                                     [TV_NUMBER_P95] = ", the p95 of its calls",
                                     [TV_NUMBER_MAX] = ", its longest call"};
    const struct tv_rule *rule = &rules->rules.of[place];
    const struct tv_rule_verdict *verdict = &rules->verdicts[place];
    if (rule->kind == TV_RULE_TIME_GROWTH) {
        tv_text_add_ms(out, (int64_t)verdict->was);
        tv_text_add(out, " ms became ");
    }
    tv_text_add_ms(out, (int64_t)verdict->is);
    tv_text_add(out, " ms of %s time", verdict->clock == TV_CLOCK_CPU ? "CPU" : "wall");
    tv_text_add(out, "%s", of[rules->rules.about[rule->about].number]);
    if (verdict->runs < TV_TESTED_FROM)
        tv_text_add(out, ", one sample");
    if (verdict->broken > 1)
        tv_text_add(out, ", and %zu more methods", verdict->broken - 1);
}

static void add_broken(struct tv_text *out, const struct tv_rule_file *rules, size_t place)
{
    const struct tv_rule *rule = &rules->rules.of[place];
    const struct tv_rule_verdict *verdict = &rules->verdicts[place];
    switch (rule->kind) {
    case TV_RULE_TIME:
    case TV_RULE_TIME_GROWTH:
        add_time(out, rules, place);
        break;
    case TV_RULE_CALLS_GROWTH:
        add_calls(out, verdict->was);
        tv_text_add(out, " became ");
        tv_text_add_count(out, verdict->is);
        break;
    case TV_RULE_CALLS:
    case TV_RULE_NO_CALLS:
        add_calls(out, verdict->is);
        tv_text_add(out, " in %srecording %zu", rules->first_new ? "new " : "",
                    verdict->run - rules->first_new + 1);
        if (verdict->broken > 1)
            tv_text_add(out, ", of %zu methods, most of one", verdict->broken);
        break;
    }
    if (!verdict->allow)
        return;
    tv_text_add(out, "; line %llu allowed it until ", (unsigned long long)verdict->allow->line);
    add_day(out, verdict->allow->until);
}

void tv_rule_file_add_why(struct tv_text *out, const struct tv_rule_file *rules, size_t place)
{
    const struct tv_rule_verdict *verdict = &rules->verdicts[place];
    if (verdict->state == TV_RULE_NO_DATA) {
        tv_text_add(out, "%s", verdict->reason);
    } else if (verdict->state == TV_RULE_BROKEN) {
        add_broken(out, rules, place);
    } else if (verdict->state == TV_RULE_ALLOWED) {
        tv_text_add(out, "broken, which line %llu allows until ",
                    (unsigned long long)verdict->allow->line);
        add_day(out, verdict->allow->until);
    }
}

enum tv_code tv_rule_file_method(const struct tv_rule_file *rules, size_t place,
                                 struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_joined_method *method = rules->verdicts[place].method;
    name->len = 0;
    return method ? tv_joined_text(method, name, err) : TV_OK;
}

void tv_rule_call_add_times(struct tv_text *out, const struct tv_rule_call *call)
{
    tv_text_add(out, "at ");
    tv_text_add_ms(out, (int64_t)call->from_ns);
    tv_text_add(out, " ms, for ");
    tv_text_add_ms(out, (int64_t)call->time_ns);
    tv_text_add(out, " ms, on ");
}

static void add_call(struct tv_text *out, const struct tv_rule_call *call)
{
    tv_text_add(out, "    ");
    tv_rule_call_add_times(out, call);
    if (call->thread.len)
        tv_text_add_name(out, call->thread);
    else
        tv_text_add(out, "thread %u", (unsigned)call->thread_id);
    if (call->caller.len) {
        tv_text_add(out, ", called by ");
        tv_text_add_name(out, call->caller);
    }
    tv_text_add(out, "\n");
}

static enum tv_code add_told(const struct tv_rule_file *rules, size_t place, struct tv_text *out,
                             struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_rule *rule = &rules->rules.of[place];
    const struct tv_rule_verdict *verdict = &rules->verdicts[place];
    tv_text_add(out, "\n");
    tv_text_add_name(out, tv_file_label(rules->file));
    tv_text_add(out, ":%llu: %s", (unsigned long long)rule->line, tv_rule_file_level(rules, place));
    if (verdict->state != TV_RULE_ALLOWED)
        tv_text_add(out, ", %s", tv_rule_state_words[verdict->state]);
    tv_text_add(out, ": ");
    tv_text_add_name(out, rule->text);
    tv_text_add(out, "\n    ");
    tv_rule_file_add_why(out, rules, place);
    if (verdict->state == TV_RULE_ALLOWED) {
        tv_text_add(out, ": ");
        tv_text_add_name(out, verdict->allow->reason);
    }
    TV_TRY(tv_rule_file_method(rules, place, name, err));
    if (name->len) {
        tv_text_add(out, ": ");
        tv_text_add_name(out, tv_buffer_view(name));
    }
    tv_text_add(out, "\n");
    for (size_t i = 0; i < rules->calls[place].count; i++)
        add_call(out, &rules->calls[place].of[i]);
    tv_text_add_str(out, rules->calls[place].command);
    return TV_OK;
}

enum tv_code tv_rule_file_text(const struct tv_rule_file *rules, struct tv_text *out,
                               struct tv_error *err)
{
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    if (!rules->file)
        return TV_OK;
    tv_rule_file_add_summary(out, rules);
    tv_text_add(out, "\n");
    tv_buffer_init(&name, rules->cli->alloc);
    for (size_t i = 0; code == TV_OK && i < rules->rules.count; i++) {
        if (tv_rule_file_is_told(rules, i))
            code = add_told(rules, i, out, &name, err);
    }
    tv_buffer_release(&name);
    return code;
}
