/*
 * Checking recordings by rules; see cli/compare/rule_check.h. All recordings are new ones, and no
 * side is old: limits are judged, over as many recordings as there are, and growths are left to
 * diff, so that one file of rules serves both.
 */
#include "cli/compare/rule_check.h"

#include "analysis/profile/profile.h"
#include "base/text/json.h"
#include "cli/compare/sarif.h"
#include "cli/file/load.h"

static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct tv_rule_checking *checking = ctx;
    const struct tv_index *index = asking->index;
    const struct tv_cli *cli = asking->cli;
    struct tv_profile profile;
    tv_run_counts_note(asking, &checking->no_counts, &checking->no_counts_of);
    tv_run_clocks_take(&checking->clocks, index, tv_file_label(asking->file));
    tv_profile_init(&profile, cli->alloc);
    enum tv_code code = tv_run_profile(asking, &profile, err);
    if (code == TV_OK)
        code = tv_join_add(&checking->join, run, index, profile.rows, err);
    if (code == TV_OK)
        code = tv_rule_numbers_add(&checking->rules.numbers, run, index, cli->pool, err);
    tv_profile_release(&profile);
    return code;
}

/* Times are CPU time unless a rule says otherwise, or a recording has none. Where the recordings
 * have no clock in common, rules about time have no data, and those about counts are judged. */
static enum tv_code judge(struct tv_rule_checking *checking, struct tv_error *err)
{
    const bool *lacks = checking->clocks.lacks;
    const bool has_clock[TV_CLOCK_COUNT] = {!lacks[TV_CLOCK_WALL], !lacks[TV_CLOCK_CPU]};
    const struct tv_changes_opts opts = {.run_counts = {0, checking->check->count},
                                         .clock = tv_run_clocks_default(&checking->clocks),
                                         .kind = TV_TIME_INCLUSIVE,
                                         .has_counts = checking->no_counts.code == TV_OK};
    TV_TRY(tv_join_finish(&checking->join, err));
    TV_TRY(tv_rule_numbers_finish(&checking->rules.numbers, err));
    TV_TRY(tv_rule_file_judge(&checking->rules, &checking->join, &opts, has_clock, err));
    return tv_rule_file_find_calls(&checking->rules, checking->check->files, err);
}

static enum tv_code write_text(const struct tv_rule_checking *checking, struct tv_text *out,
                               struct tv_error *err)
{
    if (checking->no_counts.code != TV_OK) {
        tv_text_add_name(out, tv_file_label(checking->no_counts_of));
        tv_text_add(out, " %s\n\n", checking->no_counts.text);
    }
    return tv_rule_file_text(&checking->rules, out, err);
}

static enum tv_code write_json(const struct tv_rule_checking *checking, struct tv_buffer *body,
                               struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key(&json, "files");
    tv_json_open_array(&json);
    for (size_t i = 0; i < checking->check->count; i++)
        tv_json_str(&json, tv_file_label(checking->check->files[i]));
    tv_json_close_array(&json);
    if (checking->no_counts.code != TV_OK)
        tv_json_key_text(&json, "no_counts", checking->no_counts.text);
    tv_json_key_u64(&json, "status",
                    tv_rule_file_fails(&checking->rules) ? TV_STATUS_BELOW : TV_STATUS_FINE);
    TV_TRY(tv_rule_file_json(&checking->rules, &json, err));
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

static enum tv_code write_markdown(const struct tv_rule_checking *checking, struct tv_buffer *body,
                                   struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(body));
    tv_out_text(&out, TV_STR("### Rules\n\n"));
    TV_TRY(tv_rule_file_markdown(&checking->rules, &out, err));
    return tv_out_finish(&out, err);
}

static enum tv_code write_junit(const struct tv_rule_checking *checking, struct tv_buffer *body,
                                struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(body));
    tv_out_text(&out, TV_STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<testsuites name=\"traceview check\">\n"));
    TV_TRY(tv_rule_file_junit(&checking->rules, TV_STR(""), &out, err));
    tv_out_text(&out, TV_STR("</testsuites>\n"));
    return tv_out_finish(&out, err);
}

static enum tv_code write_sarif(const struct tv_rule_checking *checking, struct tv_buffer *body,
                                struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_sarif_begin(&json, "traceview check");
    tv_rule_file_sarif_rule(&json);
    tv_sarif_end_rules(&json);
    tv_json_key(&json, "results");
    tv_json_open_array(&json);
    TV_TRY(tv_rule_file_sarif(&checking->rules, 0, &json, err));
    tv_json_close_array(&json);
    tv_sarif_end(&json);
    return tv_json_finish(&json, err);
}

static enum tv_code write_answer(const struct tv_rule_checking *checking, struct tv_text *out,
                                 struct tv_error *err)
{
    switch (checking->check->format) {
    case TV_REPORT_JSON:
        return write_json(checking, &out->buffer, err);
    case TV_REPORT_MARKDOWN:
        return write_markdown(checking, &out->buffer, err);
    case TV_REPORT_JUNIT:
        return write_junit(checking, &out->buffer, err);
    case TV_REPORT_SARIF:
        return write_sarif(checking, &out->buffer, err);
    case TV_REPORT_TEXT:
        break;
    }
    TV_TRY(write_text(checking, out, err));
    return out->code == TV_OK ? TV_OK : tv_fail_memory(err, out->buffer.len);
}

static int answer(const struct tv_rule_checking *checking)
{
    const struct tv_cli *cli = checking->cli;
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    enum tv_code code = write_answer(checking, &out, &err);
    if (code == TV_OK && checking->check->format == TV_REPORT_TEXT)
        tv_cli_answer_text(cli, tv_text_view(&out));
    else if (code == TV_OK)
        tv_cli_answer(cli, tv_text_view(&out));
    tv_text_release(&out);
    if (code != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    return tv_rule_file_fails(&checking->rules) ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

void tv_rule_checking_init(struct tv_rule_checking *checking, const struct tv_cli *cli)
{
    *checking = (struct tv_rule_checking){.cli = cli};
    tv_join_init(&checking->join, cli->alloc);
    tv_rule_file_init(&checking->rules, cli);
}

void tv_rule_checking_release(struct tv_rule_checking *checking)
{
    tv_rule_file_release(&checking->rules);
    tv_join_release(&checking->join);
}

int tv_rule_checking_make(struct tv_rule_checking *checking, const struct tv_rule_check *check)
{
    struct tv_error err = {.code = TV_OK};
    checking->check = check;
    enum tv_code code = tv_rule_file_load(&checking->rules, check->rules, check->count, &err);
    if (code != TV_OK)
        return tv_cli_fail(checking->cli, code == TV_ERR_FORMAT ? check->rules : NULL, &err);
    tv_join_begin(&checking->join, check->count);
    int status = tv_run_set_load(checking->cli, check->files, check->count,
                                 &(struct tv_run_taker){take_run, checking});
    if (status != TV_STATUS_FINE)
        return status;
    return judge(checking, &err) == TV_OK ? TV_STATUS_FINE : tv_cli_fail(checking->cli, NULL, &err);
}

int tv_rule_check_run(const struct tv_cli *cli, const struct tv_rule_check *check)
{
    struct tv_rule_checking checking;
    tv_rule_checking_init(&checking, cli);
    int status = tv_rule_checking_make(&checking, check);
    if (status == TV_STATUS_FINE)
        status = answer(&checking);
    tv_rule_checking_release(&checking);
    return status;
}
