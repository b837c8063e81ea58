/*
 * Verdicts of rules for programs, as JSON; see api/comparisons/ruling.h. Numbers stand as they were
 * judged, in nanoseconds and calls, so that a program decides what to round.
 */
#include "api/comparisons/ruling.h"

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
    if (calls->command.len)
        put_command(json, calls->command);
}

static enum tv_code put_rule(const struct tv_ruling *ruling, size_t place, struct tv_json *json,
                             struct tv_buffer *why, struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_rule *rule = &ruling->rules.of[place];
    const struct tv_rule_verdict *verdict = &ruling->verdicts[place];
    struct tv_out out;
    why->len = 0;
    tv_out_init(&out, tv_buffer_sink(why));
    tv_ruling_write_why(ruling, place, &out);
    TV_TRY(tv_out_finish(&out, err));
    TV_TRY(tv_ruling_method(ruling, place, name, err));
    tv_json_open_object(json);
    tv_json_key_u64(json, "line", rule->line);
    tv_json_key_str(json, "rule", rule->text);
    tv_json_key_text(json, "level", verdict->is_error ? "error" : "warn");
    tv_json_key_text(json, "state", tv_rule_state_words[verdict->state]);
    if (why->len)
        tv_json_key_str(json, "why", tv_buffer_view(why));
    if (name->len)
        tv_json_key_str(json, "method", tv_buffer_view(name));
    if (verdict->state == TV_RULE_ALLOWED)
        tv_json_key_str(json, "reason", verdict->allow->reason);
    tv_rule_calls_json(&ruling->calls[place], json);
    tv_json_close_object(json);
    return TV_OK;
}

enum tv_code tv_ruling_json(const struct tv_ruling *ruling, struct tv_json *json,
                            struct tv_error *err)
{
    struct tv_buffer why;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&why, ruling->alloc);
    tv_buffer_init(&name, ruling->alloc);
    tv_json_key(json, "rules");
    tv_json_open_array(json);
    for (size_t i = 0; code == TV_OK && i < ruling->rules.count; i++) {
        if (ruling->rules.of[i].level != TV_LEVEL_OFF)
            code = put_rule(ruling, i, json, &why, &name, err);
    }
    tv_json_close_array(json);
    tv_buffer_release(&name);
    tv_buffer_release(&why);
    return code;
}
