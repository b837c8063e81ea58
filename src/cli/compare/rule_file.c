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
    tv_ruling_init(&rules->of, cli->alloc);
}

void tv_rule_file_release(struct tv_rule_file *rules)
{
    tv_ruling_release(&rules->of);
    tv_buffer_release(&rules->text);
    tv_rule_file_init(rules, rules->cli);
}

enum tv_code tv_rule_file_load(struct tv_rule_file *rules, const char *path, size_t run_count,
                               struct tv_error *err)
{
    rules->file = path;
    TV_TRY(tv_file_read_small(path, TV_RULES_LEN_MOST, &rules->text, err));
    return tv_ruling_read(&rules->of, tv_buffer_view(&rules->text), run_count, err);
}

uint32_t tv_rule_today(void)
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts))
        return UINT32_MAX; /* no day is known, so nothing is allowed until one */
    return (uint32_t)((parts.tm_year + 1900) * 10000 + (parts.tm_mon + 1) * 100 + parts.tm_mday);
}

enum tv_code tv_rule_file_judge(struct tv_rule_file *rules, const struct tv_join *join,
                                const struct tv_changes_opts *opts,
                                const struct tv_rule_clocks *clocks, struct tv_error *err)
{
    return rules->file ? tv_ruling_judge(&rules->of, join, opts, clocks, tv_rule_today(), err)
                       : TV_OK;
}

void tv_rule_file_tell_clocks(const struct tv_rule_file *rules, const struct tv_run_clocks *clocks)
{
    bool is_missed = false;
    for (size_t i = 0; i < rules->of.rules.count; i++)
        is_missed = is_missed || (rules->of.verdicts[i].state == TV_RULE_NO_DATA &&
                                  rules->of.rules.of[i].clock == TV_RULE_CLOCK_UNSAID &&
                                  tv_rule_is_of_time(&rules->of.rules.of[i]));
    if (is_missed && clocks->lacks[TV_CLOCK_CPU] && clocks->has_some[TV_CLOCK_CPU])
        tv_cli_note(rules->cli, clocks->lacking[TV_CLOCK_CPU].at,
                    "has no CPU clock, which other recordings have: a rule of time that says no "
                    "clock has no data");
}

bool tv_rule_file_fails(const struct tv_rule_file *rules)
{
    return rules->file && tv_ruling_fails(&rules->of);
}

/* How many rules compare, and were left out because there is no old side; rules that are off are
 * not counted. */
static size_t count_left_out(const struct tv_rule_file *rules)
{
    size_t count = 0;
    for (size_t i = 0; i < rules->of.rules.count; i++)
        count += rules->of.verdicts[i].state == TV_RULE_LEFT_OUT &&
                 rules->of.rules.of[i].level != TV_LEVEL_OFF;
    return count;
}

/* Where nothing was judged, the reason is told instead of counts: "0 broken" would read like a
 * success. */
void tv_rule_file_add_summary(struct tv_text *out, const struct tv_rule_file *rules)
{
    size_t left_out = count_left_out(rules) - rules->of.absent - rules->of.uncompared;
    if (!rules->of.judged && rules->of.uncompared) {
        tv_text_add(out,
                    "Rules: none is judged: %zu compare with the last run, which is not there "
                    "to compare with.",
                    rules->of.uncompared);
        return;
    }
    if (!rules->of.judged && rules->of.absent) {
        tv_text_add(out, "Rules: none of them is about names that are here.");
        return;
    }
    if (!rules->of.judged) {
        tv_text_add(out, left_out ? "Rules: all of them compare with an old side, so nothing was "
                                    "checked: 'traceview diff --rules' does."
                                  : "Rules: the file says none, so nothing was checked.");
        return;
    }
    tv_text_add(out, "Rules: %zu kept, %zu broken, %zu without data",
                rules->of.counts[TV_RULE_KEPT], rules->of.counts[TV_RULE_BROKEN],
                rules->of.counts[TV_RULE_NO_DATA]);
    if (rules->of.counts[TV_RULE_ALLOWED])
        tv_text_add(out, ", %zu broken where that is allowed", rules->of.counts[TV_RULE_ALLOWED]);
    if (rules->of.uncompared)
        tv_text_add(out, ", %zu not judged for want of a last run to compare with",
                    rules->of.uncompared);
    if (left_out)
        tv_text_add(out, ", %zu left to diff, which has an old side", left_out);
    if (rules->of.absent)
        tv_text_add(out, ", %zu about names that are not here", rules->of.absent);
    tv_text_add(out, rules->of.is_sample ? ". Times are one sample." : ".");
}

void tv_rule_file_add_why(struct tv_text *out, const struct tv_rule_file *rules, size_t place)
{
    struct tv_out why;
    tv_out_init(&why, tv_buffer_sink(&out->buffer));
    tv_ruling_write_why(&rules->of, place, &why);
    enum tv_code code = tv_out_finish(&why, NULL);
    out->code = out->code == TV_OK ? code : out->code;
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

/* The line of the file comes first, as compilers write it, so that editors and build servers lead
 * to the rule. */
static enum tv_code add_told(const struct tv_rule_file *rules, size_t place, struct tv_text *out,
                             struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_rule *rule = &rules->of.rules.of[place];
    const struct tv_rule_verdict *verdict = &rules->of.verdicts[place];
    tv_text_add(out, "\n");
    tv_text_add_name(out, tv_file_label(rules->file));
    tv_text_add(out, ":%llu: %s", (unsigned long long)rule->line,
                tv_ruling_level(&rules->of, place));
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
    TV_TRY(tv_ruling_method(&rules->of, place, name, err));
    if (name->len) {
        tv_text_add(out, ": ");
        tv_text_add_name(out, tv_buffer_view(name));
    }
    tv_text_add(out, "\n");
    for (size_t i = 0; i < rules->of.calls[place].count; i++)
        add_call(out, &rules->of.calls[place].of[i]);
    tv_text_add_str(out, rules->of.calls[place].command);
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
    for (size_t i = 0; code == TV_OK && i < rules->of.rules.count; i++) {
        if (tv_ruling_is_told(&rules->of, i))
            code = add_told(rules, i, out, &name, err);
    }
    tv_buffer_release(&name);
    return code;
}
