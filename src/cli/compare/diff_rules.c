/* The rules that a comparison has to keep, of a file, and their verdicts in each format. */
#include "cli/compare/diff_rules.h"

#include "cli/compare/diff.h"
#include "cli/file/load.h"
#include "os/file/paths.h"

void tv_diff_rules_init(struct tv_diff_rules *rules, const struct tv_alloc *alloc)
{
    *rules = (struct tv_diff_rules){.file = NULL};
    tv_buffer_init(&rules->text, alloc);
    tv_rules_init(&rules->rules, alloc);
}

void tv_diff_rules_release(struct tv_diff_rules *rules)
{
    const struct tv_alloc *alloc = rules->rules.alloc;
    tv_alloc_release(alloc, &rules->verdicts, rules->rules.count, sizeof(*rules->verdicts));
    tv_rules_release(&rules->rules);
    tv_buffer_release(&rules->text);
    tv_diff_rules_init(rules, alloc);
}

enum tv_code tv_diff_rules_load(struct tv_diff_rules *rules, const char *path, struct tv_error *err)
{
    rules->file = path;
    TV_TRY(tv_file_read_small(path, TV_RULES_LEN_MOST, &rules->text, err));
    TV_TRY(tv_rules_read(&rules->rules, tv_buffer_view(&rules->text), err));
    return tv_alloc_new(rules->rules.alloc, &rules->verdicts, rules->rules.count,
                        sizeof(*rules->verdicts), err);
}

enum tv_code tv_diff_rules_judge(struct tv_diff_rules *rules, const struct tv_gate *gate,
                                 struct tv_error *err)
{
    for (size_t i = 0; i < rules->rules.count; i++) {
        const struct tv_rule *rule = &rules->rules.of[i];
        struct tv_rule_verdict *verdict = &rules->verdicts[i];
        if (rule->level == TV_LEVEL_OFF)
            continue;
        TV_TRY(tv_gate_judge(gate, rule, verdict, err));
        rules->counts[verdict->state]++;
        rules->failed += verdict->is_error && verdict->state != TV_RULE_KEPT;
        rules->judged++;
    }
    return TV_OK;
}

bool tv_diff_rules_fail(const struct tv_diff_rules *rules)
{
    return rules->file && (!rules->judged || rules->failed);
}

bool tv_diff_rules_is_missed(const struct tv_diff_rules *rules, size_t place)
{
    return rules->rules.of[place].level != TV_LEVEL_OFF &&
           rules->verdicts[place].state != TV_RULE_KEPT;
}

void tv_diff_rules_add_summary(struct tv_text *out, const struct tv_diff_rules *rules)
{
    if (!rules->judged) {
        tv_text_add(out, "Rules: the file says none, so nothing was checked.");
        return;
    }
    tv_text_add(out, "Rules: %zu kept, %zu broken, %zu without data.", rules->counts[TV_RULE_KEPT],
                rules->counts[TV_RULE_BROKEN], rules->counts[TV_RULE_NO_DATA]);
}

static void add_calls(struct tv_text *out, uint64_t calls)
{
    tv_text_add_count(out, calls);
    tv_text_add(out, calls == 1 ? " call" : " calls");
}

static void add_time(struct tv_text *out, const struct tv_diff *diff, const struct tv_rule *rule,
                     const struct tv_rule_verdict *verdict)
{
    const struct tv_change *change = &diff->changes.of[verdict->method];
    if (rule->kind == TV_RULE_TIME_GROWTH) {
        tv_text_add_ms(out, (int64_t)change->sides[TV_SIDE_OLD].median.time_ns);
        tv_text_add(out, " ms became ");
    }
    tv_text_add_ms(out, (int64_t)change->sides[TV_SIDE_NEW].median.time_ns);
    tv_text_add(out, " ms of %s time", tv_diff_clock_word(diff));
    if (rule->kind == TV_RULE_TIME && diff->run_counts[TV_SIDE_NEW] < TV_TESTED_FROM)
        tv_text_add(out, ", one sample");
    if (verdict->broken > 1)
        tv_text_add(out, ", and %zu more methods", verdict->broken - 1);
}

void tv_diff_rules_add_why(struct tv_text *out, const struct tv_diff *diff, size_t place)
{
    const struct tv_rule *rule = &diff->rules.rules.of[place];
    const struct tv_rule_verdict *verdict = &diff->rules.verdicts[place];
    if (verdict->state == TV_RULE_NO_DATA) {
        tv_text_add(out, "%s", verdict->reason);
    } else if (verdict->state == TV_RULE_BROKEN && verdict->method != SIZE_MAX) {
        add_time(out, diff, rule, verdict);
    } else if (verdict->state == TV_RULE_BROKEN && rule->kind == TV_RULE_CALLS_GROWTH) {
        add_calls(out, verdict->was);
        tv_text_add(out, " became ");
        tv_text_add_count(out, verdict->is);
    } else if (verdict->state == TV_RULE_BROKEN) {
        add_calls(out, verdict->is);
        tv_text_add(out, " in new recording %zu", verdict->run - diff->run_counts[TV_SIDE_OLD] + 1);
    }
}

enum tv_code tv_diff_rules_method(const struct tv_diff *diff, size_t place, struct tv_buffer *name,
                                  struct tv_error *err)
{
    size_t method = diff->rules.verdicts[place].method;
    name->len = 0;
    return method == SIZE_MAX ? TV_OK : tv_joined_text(&diff->join.methods[method], name, err);
}

enum tv_code tv_diff_rules_text(const struct tv_diff *diff, struct tv_text *out,
                                struct tv_error *err)
{
    const struct tv_diff_rules *rules = &diff->rules;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    if (!rules->file)
        return TV_OK;
    tv_text_add(out, "\n");
    tv_diff_rules_add_summary(out, rules);
    tv_text_add(out, "\n");
    tv_buffer_init(&name, diff->cli->alloc);
    for (size_t i = 0; code == TV_OK && i < rules->rules.count; i++) {
        const struct tv_rule *rule = &rules->rules.of[i];
        const struct tv_rule_verdict *verdict = &rules->verdicts[i];
        if (!tv_diff_rules_is_missed(rules, i))
            continue;
        tv_text_add(out, "\n");
        tv_text_add_name(out, tv_file_label(rules->file));
        tv_text_add(out, ":%llu: %s, %s: ", (unsigned long long)rule->line,
                    verdict->is_error ? "error" : "warning", tv_rule_state_words[verdict->state]);
        tv_text_add_name(out, rule->text);
        tv_text_add(out, "\n    ");
        tv_diff_rules_add_why(out, diff, i);
        code = tv_diff_rules_method(diff, i, &name, err);
        if (code == TV_OK && name.len) {
            tv_text_add(out, ": ");
            tv_text_add_name(out, tv_buffer_view(&name));
        }
        tv_text_add(out, "\n");
    }
    tv_buffer_release(&name);
    return code;
}

enum tv_code tv_diff_rules_json(const struct tv_diff *diff, struct tv_json *json,
                                struct tv_error *err)
{
    const struct tv_diff_rules *rules = &diff->rules;
    struct tv_text why;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    if (!rules->file)
        return TV_OK;
    tv_text_init(&why, diff->cli->alloc);
    tv_buffer_init(&name, diff->cli->alloc);
    tv_json_key(json, "rules");
    tv_json_open_array(json);
    for (size_t i = 0; code == TV_OK && i < rules->rules.count; i++) {
        const struct tv_rule *rule = &rules->rules.of[i];
        const struct tv_rule_verdict *verdict = &rules->verdicts[i];
        if (rule->level == TV_LEVEL_OFF)
            continue;
        why.buffer.len = 0;
        tv_diff_rules_add_why(&why, diff, i);
        code = tv_diff_rules_method(diff, i, &name, err);
        tv_json_open_object(json);
        tv_json_key_u64(json, "line", rule->line);
        tv_json_key_str(json, "rule", rule->text);
        tv_json_key_text(json, "level", verdict->is_error ? "error" : "warn");
        tv_json_key_text(json, "state", tv_rule_state_words[verdict->state]);
        if (verdict->state != TV_RULE_KEPT)
            tv_json_key_str(json, "why", tv_text_view(&why));
        if (name.len)
            tv_json_key_str(json, "method", tv_buffer_view(&name));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    if (code == TV_OK && why.code != TV_OK)
        code = tv_fail_memory(err, why.buffer.len);
    tv_buffer_release(&name);
    tv_text_release(&why);
    return code;
}
