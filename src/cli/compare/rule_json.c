/*
 * Verdicts of rules for programs, as JSON; see cli/compare/rule_file.h. Numbers stand as they were
 * judged, in nanoseconds and calls, so that a program decides what to round.
 */
#include "cli/compare/rule_file.h"

/* The lines of a command, each without the blanks before it. */
static void put_command(struct tv_json *json, struct tv_str command)
{
    struct tv_str line;
    tv_json_key(json, "command");
    tv_json_open_array(json);
    while (tv_str_split(&command, '\n', &line)) {
        line = tv_str_trim(line);
        if (line.len)
            tv_json_str(json, line);
    }
    tv_json_close_array(json);
}

void tv_rule_calls_json(const struct tv_rule_calls *calls, struct tv_json *json)
{
    if (!calls->count)
        return;
    tv_json_key(json, "calls");
    tv_json_open_array(json);
    for (size_t i = 0; i < calls->count; i++) {
        const struct tv_rule_call *call = &calls->of[i];
        tv_json_open_object(json);
        tv_json_key_u64(json, "start_ns", call->from_ns);
        tv_json_key_u64(json, "time_ns", call->time_ns);
        tv_json_key_u64(json, "thread", call->thread_id);
        tv_json_key_str(json, "thread_name", call->thread);
        if (call->caller.len)
            tv_json_key_str(json, "caller", call->caller);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    put_command(json, calls->command);
}

static enum tv_code put_rule(const struct tv_rule_file *rules, size_t place, struct tv_json *json,
                             struct tv_text *why, struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_rule *rule = &rules->rules.of[place];
    const struct tv_rule_verdict *verdict = &rules->verdicts[place];
    why->buffer.len = 0;
    tv_rule_file_add_why(why, rules, place);
    TV_TRY(tv_rule_file_method(rules, place, name, err));
    tv_json_open_object(json);
    tv_json_key_u64(json, "line", rule->line);
    tv_json_key_str(json, "rule", rule->text);
    tv_json_key_text(json, "level", verdict->is_error ? "error" : "warn");
    tv_json_key_text(json, "state", tv_rule_state_words[verdict->state]);
    if (why->buffer.len)
        tv_json_key_str(json, "why", tv_text_view(why));
    if (name->len)
        tv_json_key_str(json, "method", tv_buffer_view(name));
    if (verdict->state == TV_RULE_ALLOWED)
        tv_json_key_str(json, "reason", verdict->allow->reason);
    tv_rule_calls_json(&rules->calls[place], json);
    tv_json_close_object(json);
    return TV_OK;
}

enum tv_code tv_rule_file_json(const struct tv_rule_file *rules, struct tv_json *json,
                               struct tv_error *err)
{
    struct tv_text why;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    if (!rules->file)
        return TV_OK;
    tv_text_init(&why, rules->cli->alloc);
    tv_buffer_init(&name, rules->cli->alloc);
    tv_json_key(json, "rules");
    tv_json_open_array(json);
    for (size_t i = 0; code == TV_OK && i < rules->rules.count; i++) {
        if (rules->rules.of[i].level != TV_LEVEL_OFF)
            code = put_rule(rules, i, json, &why, &name, err);
    }
    tv_json_close_array(json);
    if (code == TV_OK && why.code != TV_OK)
        code = tv_fail_memory(err, why.buffer.len);
    tv_buffer_release(&name);
    tv_text_release(&why);
    return code;
}
