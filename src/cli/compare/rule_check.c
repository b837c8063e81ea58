/*
 * Checking recordings by rules; see cli/compare/rule_check.h. All recordings are new ones, and no
 * side is old: limits are judged, over as many recordings as there are, and growths are left to
 * diff, so that one file of rules serves both.
 */
#include "cli/compare/rule_check.h"

#include "base/text/json.h"
#include "cli/compare/run_set.h"
#include "cli/compare/sarif.h"
#include "cli/file/load.h"

static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct tv_rule_checking *checking = ctx;
    return tv_rule_runs_add(&checking->runs, run, asking->index, asking->cli->pool,
                            tv_file_label(asking->file), err);
}

/* The calls that broke rules are looked up at the end, by loading once more the few recordings that
 * have them. */
static enum tv_code judge(struct tv_rule_checking *checking, struct tv_error *err)
{
    const struct tv_rule_check *check = checking->check;
    const struct tv_rule_runs_opts opts = {
        .clock = check->clock, .kind = TV_TIME_INCLUSIVE, .today = tv_rule_today()};
    TV_TRY(tv_rule_runs_judge(&checking->runs, &opts, err));
    if (!check->clock)
        tv_rule_file_tell_clocks(&checking->rules, &checking->runs.clocks);
    return tv_rule_file_find_calls(&checking->rules, check->files, check->count, err);
}

/* A recording whose counts are not those of the program is named first: rules about calls have no
 * data then. */
static enum tv_code write_text(const struct tv_rule_checking *checking, struct tv_text *out,
                               struct tv_error *err)
{
    if (checking->runs.no_counts.code != TV_OK) {
        tv_text_add_name(out, checking->runs.no_counts_of);
        tv_text_add(out, " %s\n\n", checking->runs.no_counts.text);
    }
    return tv_rule_file_text(&checking->rules, out, err);
}

static enum tv_code write_json(const struct tv_rule_checking *checking, struct tv_buffer *body,
                               struct tv_error *err)
{
    const struct tv_rule_check *check = checking->check;
    struct tv_str *files;
    TV_TRY(tv_alloc_new(checking->cli->alloc, &files, check->count, sizeof(*files), err));
    for (size_t i = 0; i < check->count; i++)
        files[i] = tv_file_label(check->files[i]);
    enum tv_code code = tv_answer_rules(&checking->runs, files, body, err);
    tv_alloc_release(checking->cli->alloc, &files, check->count, sizeof(*files));
    return code;
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

/* JUnit's XML, as build servers read it: a test case for each rule. */
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

/* SARIF lists the kinds of rules before the results that refer to them. */
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

/* The status is that of the rules, whatever the format of the answer. */
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
    tv_rule_file_init(&checking->rules, cli);
    tv_rule_runs_init(&checking->runs, &checking->rules.of, (const size_t[TV_SIDE_COUNT]){0});
}

void tv_rule_checking_release(struct tv_rule_checking *checking)
{
    tv_rule_runs_release(&checking->runs);
    tv_rule_file_release(&checking->rules);
}

/* An error of format is one in the file of rules, so it is told with that file's name. */
int tv_rule_checking_make(struct tv_rule_checking *checking, const struct tv_rule_check *check)
{
    struct tv_error err = {.code = TV_OK};
    checking->check = check;
    enum tv_code code = tv_rule_file_load(&checking->rules, check->rules, check->count, &err);
    if (code != TV_OK)
        return tv_cli_fail(checking->cli, code == TV_ERR_FORMAT ? check->rules : NULL, &err);
    tv_rule_runs_init(&checking->runs, &checking->rules.of,
                      (const size_t[TV_SIDE_COUNT]){[TV_SIDE_NEW] = check->count});
    int status = tv_run_set_load(checking->cli, check->files, check->count,
                                 &(struct tv_run_taker){.take = take_run, .ctx = checking});
    if (status != TV_STATUS_FINE)
        return status;
    return judge(checking, &err) == TV_OK ? TV_STATUS_FINE : tv_cli_fail(checking->cli, NULL, &err);
}

int tv_rule_check_run(const struct tv_cli *cli, const struct tv_rule_check *check)
{
    struct tv_rule_checking checking;
    tv_rule_checking_init(&checking, cli);
    int status = tv_rule_checking_make(&checking, check);
    if (status == TV_STATUS_FINE) {
        tv_run_set_tell_copies(cli, check->files, check->count);
        status = answer(&checking);
    }
    tv_rule_checking_release(&checking);
    return status;
}
