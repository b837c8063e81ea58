/*
 * Verdicts of rules as results of SARIF 2.1.0; see cli/compare/rule_file.h. A rule's text and a
 * name may hold brackets, which are links in a message (3.11), so both stand in the location. What
 * is allowed is a result that is suppressed (3.35). The calls that broke a rule are properties
 * (3.8), which hold any text.
 */
#include "cli/compare/rule_file.h"
#include "cli/compare/sarif.h"

#define RULE_ID "rule-not-kept"

void tv_rule_file_sarif_rule(struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "id", RULE_ID);
    tv_sarif_text(json, "shortDescription",
                  TV_STR("A rule is broken, or nothing can be said of it."));
    tv_json_close_object(json);
}

static void put_suppression(struct tv_json *json, struct tv_str reason)
{
    tv_json_key(json, "suppressions");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key_text(json, "kind", "external");
    tv_json_key_text(json, "status", "accepted");
    tv_json_key_str(json, "justification", reason);
    tv_json_close_object(json);
    tv_json_close_array(json);
}

static enum tv_code put_result(const struct tv_rule_file *rules, size_t place, unsigned rule_index,
                               struct tv_json *json, struct tv_text *message,
                               struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_rule *rule = &rules->of.rules.of[place];
    const struct tv_rule_verdict *verdict = &rules->of.verdicts[place];
    message->buffer.len = 0;
    tv_text_add(message, "line %llu, %s: ", (unsigned long long)rule->line,
                tv_rule_state_words[verdict->state]);
    tv_rule_file_add_why(message, rules, place);
    TV_TRY(tv_ruling_method(&rules->of, place, name, err));
    tv_json_open_object(json);
    tv_json_key_text(json, "ruleId", RULE_ID);
    tv_json_key_u64(json, "ruleIndex", rule_index);
    tv_json_key_text(json, "kind", "fail");
    tv_json_key_text(json, "level", verdict->is_error ? "error" : "warning");
    tv_sarif_text(json, "message", tv_text_view(message));
    tv_sarif_location(json, name->len ? tv_buffer_view(name) : rule->text, name->len > 0);
    if (verdict->state == TV_RULE_ALLOWED)
        put_suppression(json, verdict->allow->reason);
    if (rules->of.calls[place].count) {
        tv_json_key(json, "properties");
        tv_json_open_object(json);
        tv_rule_calls_json(&rules->of.calls[place], json);
        tv_json_close_object(json);
    }
    tv_json_close_object(json);
    return TV_OK;
}

enum tv_code tv_rule_file_sarif(const struct tv_rule_file *rules, unsigned rule_index,
                                struct tv_json *json, struct tv_error *err)
{
    struct tv_text message;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_text_init(&message, rules->cli->alloc);
    tv_buffer_init(&name, rules->cli->alloc);
    for (size_t i = 0; code == TV_OK && i < rules->of.rules.count; i++) {
        if (tv_ruling_is_told(&rules->of, i))
            code = put_result(rules, i, rule_index, json, &message, &name, err);
    }
    if (code == TV_OK && message.code != TV_OK)
        code = tv_fail_memory(err, message.buffer.len);
    tv_buffer_release(&name);
    tv_text_release(&message);
    return code;
}
