/*
 * The answer of diff as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): a result
 * for each method that is listed. A trace says no place in a source file, so a method is a logical
 * location. What is undecided is a result of kind "open", whose level is "none" (3.27.9, 3.27.10).
 */
#include "base/text/json.h"
#include "cli/cli.h"
#include "cli/compare/diff.h"
#include "cli/compare/sarif.h"
#include "cli/file/load.h"

enum rule { RULE_CALLS, RULE_TIME, RULE_UNDECIDED };
/* Of rules that are not kept, which stands behind these. */
#define RULE_NOT_KEPT 3u

static const struct {
    const char *id;
    const char *text;
    const char *kind;
    const char *level;
} rules[] = {
    [RULE_CALLS] = {"calls-changed", "A method has other calls than before.", "fail", "warning"},
    [RULE_TIME] = {"time-changed", "A method takes another time than before.", "fail", "warning"},
    [RULE_UNDECIDED] = {"time-undecided",
                        "More runs would decide whether a method takes another "
                        "time than before.",
                        "open", "none"},
};

struct log {
    const struct tv_diff *diff;
    struct tv_json json;
    struct tv_text message;
    struct tv_buffer name;
};

static void put_rules(struct tv_json *json)
{
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++) {
        tv_json_open_object(json);
        tv_json_key_text(json, "id", rules[i].id);
        tv_sarif_text(json, "shortDescription", tv_str_from(rules[i].text));
        tv_json_close_object(json);
    }
    tv_rule_file_sarif_rule(json);
}

/* What a message has of a method is its numbers: its name stands in the location alone, since
 * square brackets and braces of a message are links and places for arguments (3.11). */
static enum tv_code put_result(struct log *log, uint32_t place, enum rule rule,
                               struct tv_error *err)
{
    const struct tv_diff *diff = log->diff;
    const struct tv_change *change = &diff->of.changes.of[place];
    struct tv_json *json = &log->json;
    if (rule == RULE_CALLS) {
        tv_diff_add_calls_told(&log->message, change);
        tv_text_add(&log->message, "; ");
    }
    tv_text_add(&log->message, "%s time ", tv_diff_clock_word(diff));
    tv_diff_add_time_told(&log->message, diff, change);
    TV_TRY(tv_joined_text(&diff->of.join.methods[place], &log->name, err));
    tv_json_open_object(json);
    tv_json_key_text(json, "ruleId", rules[rule].id);
    tv_json_key_u64(json, "ruleIndex", rule);
    tv_json_key_text(json, "kind", rules[rule].kind);
    tv_json_key_text(json, "level", rules[rule].level);
    tv_sarif_text(json, "message", tv_text_view(&log->message));
    tv_sarif_location(json, tv_buffer_view(&log->name), true);
    tv_json_close_object(json);
    log->message.buffer.len = 0;
    return TV_OK;
}

static enum tv_code put_results(struct log *log, struct tv_error *err)
{
    const struct tv_diff *diff = log->diff;
    const struct tv_compared_list *lists[] = {[RULE_CALLS] = &diff->of.calls,
                                              [RULE_TIME] = &diff->of.times,
                                              [RULE_UNDECIDED] = &diff->of.open};
    tv_json_key(&log->json, "results");
    tv_json_open_array(&log->json);
    for (unsigned rule = 0; rule < TV_COUNT_OF(lists); rule++) {
        /* Times that nothing tested are samples, and no results. */
        size_t count = rule == RULE_TIME && !tv_comparison_is_tested(&diff->of)
                           ? 0
                           : tv_comparison_shown(&diff->of, lists[rule]);
        for (size_t i = 0; i < count; i++)
            TV_TRY(put_result(log, lists[rule]->of[i], (enum rule)rule, err));
    }
    tv_json_close_array(&log->json);
    return TV_OK;
}

/* With rules the results are theirs alone. */
static enum tv_code put_rule_results(struct log *log, struct tv_error *err)
{
    tv_json_key(&log->json, "results");
    tv_json_open_array(&log->json);
    TV_TRY(tv_rule_file_sarif(&log->diff->rules, RULE_NOT_KEPT, &log->json, err));
    tv_json_close_array(&log->json);
    return TV_OK;
}

static void put_note(struct log *log)
{
    tv_json_open_object(&log->json);
    tv_json_key_text(&log->json, "level", "note");
    tv_sarif_text(&log->json, "message", tv_text_view(&log->message));
    tv_json_close_object(&log->json);
    log->message.buffer.len = 0;
}

/* Both summaries, as notes of the tool about its run. */
static void put_invocation(struct log *log)
{
    const struct tv_diff *diff = log->diff;
    struct tv_json *json = &log->json;
    tv_json_key(json, "invocations");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key_truth(json, "executionSuccessful", true);
    tv_json_key(json, "toolExecutionNotifications");
    tv_json_open_array(json);
    if (diff->of.no_counts.code == TV_OK)
        tv_diff_add_calls_summary(&log->message, diff);
    else
        tv_text_add(&log->message, "Calls are not compared: a recording %s.",
                    diff->of.no_counts.text);
    put_note(log);
    tv_diff_add_time_summary(&log->message, diff);
    put_note(log);
    if (diff->rules.file) {
        tv_rule_file_add_summary(&log->message, &diff->rules);
        put_note(log);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
    tv_json_close_array(json);
}

static enum tv_code put_log(struct log *log, struct tv_error *err)
{
    struct tv_json *json = &log->json;
    tv_sarif_begin(json, "traceview diff");
    put_rules(json);
    tv_sarif_end_rules(json);
    put_invocation(log);
    TV_TRY(log->diff->rules.file ? put_rule_results(log, err) : put_results(log, err));
    tv_sarif_end(json);
    return tv_json_finish(json, err);
}

enum tv_code tv_diff_sarif(const struct tv_diff *diff, struct tv_buffer *body, struct tv_error *err)
{
    struct log log = {.diff = diff};
    tv_json_init(&log.json, tv_buffer_sink(body));
    tv_text_init(&log.message, diff->cli->alloc);
    tv_buffer_init(&log.name, diff->cli->alloc);
    enum tv_code code = put_log(&log, err);
    if (code == TV_OK && log.message.code != TV_OK)
        code = tv_fail_memory(err, log.message.buffer.len);
    tv_buffer_release(&log.name);
    tv_text_release(&log.message);
    return code;
}
