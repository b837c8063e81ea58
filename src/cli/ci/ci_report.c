/*
 * Telling of benchmarks; see cli/ci/ci_report.h. Names of benchmarks come from files and folders,
 * and are hostile text in each format: a line of the text begins with a mark of ours, so that no
 * name is a command to a machine that reads the log ("::error"), and names of markup stand in
 * <code>.
 */
#include "cli/ci/ci_report.h"

#include <math.h>

#include "api/routes/comparison_json.h"
#include "base/text/markup.h"

void tv_ci_report_init(struct tv_ci_report *report, const struct tv_cli *cli)
{
    struct tv_buffer *buffers[] = {&report->rows, &report->details, &report->suites, &report->body};
    *report = (struct tv_ci_report){.cli = cli};
    for (size_t i = 0; i < TV_COUNT_OF(buffers); i++)
        tv_buffer_init(buffers[i], cli->alloc);
    tv_text_init(&report->text, cli->alloc);
    tv_out_init(&report->rows_out, tv_buffer_sink(&report->rows));
    tv_out_init(&report->details_out, tv_buffer_sink(&report->details));
    tv_out_init(&report->suites_out, tv_buffer_sink(&report->suites));
    tv_json_init(&report->json, tv_buffer_sink(&report->body));
    tv_json_open_object(&report->json);
    tv_json_key(&report->json, "benchmarks");
    tv_json_open_array(&report->json);
}

void tv_ci_report_release(struct tv_ci_report *report)
{
    tv_text_release(&report->text);
    tv_buffer_release(&report->body);
    tv_buffer_release(&report->suites);
    tv_buffer_release(&report->details);
    tv_buffer_release(&report->rows);
}

/* Calls of a method, of a place in the tree or of a thread changed, or the time of a method, on the
 * clock that is compared. */
static bool is_changed(const struct tv_ci_result *result)
{
    const struct tv_diff *diff = result->diff;
    return diff &&
           (diff->of.calls.count || tv_diff_has_threads(diff) || tv_diff_has_other_places(diff) ||
            (tv_comparison_is_tested(&diff->of) && diff->of.times.count));
}

/* "The same" is said of what was compared and found to be: calls, and the time of each method that
 * is long enough. */
static bool is_undecided(const struct tv_ci_result *result)
{
    const struct tv_diff *diff = result->diff;
    return diff && !is_changed(result) && !result->wall.changed &&
           (diff->of.no_counts.code != TV_OK || !tv_comparison_is_tested(&diff->of) ||
            diff->of.changes.calls_count[TV_VERDICT_UNDECIDED] ||
            diff->of.changes.time_count[TV_VERDICT_UNDECIDED] || tv_diff_is_all_moved(diff));
}

/* Where a file's rules are all about names that this benchmark does not have, none of them is
 * judged, and the benchmark has not failed. */
static bool is_failed(const struct tv_ci_result *result)
{
    return result->rules && result->rules->of.failed > 0;
}

/* What a benchmark is beside the last run. */
static const char *state_word(const struct tv_ci_result *result)
{
    static const char *const troubles[] = {[TV_CI_NOT_COMPARED] = "not compared",
                                           [TV_CI_NO_CLOCK] = "without the clock",
                                           [TV_CI_NOT_READ] = "not read",
                                           [TV_CI_ONE_FILE] = "one file twice",
                                           [TV_CI_OTHER_BUILD] = "another build"};
    if (result->trouble != TV_CI_FINE)
        return troubles[result->trouble];
    if (!result->benchmark->counts[TV_SIDE_NEW])
        return "gone";
    if (!result->benchmark->counts[TV_SIDE_OLD])
        return "new";
    if (is_changed(result) || result->wall.changed)
        return "changed";
    return is_undecided(result) ? "undecided" : "the same";
}

/* The state, and in the way of "the same" what stands there first. */
static void add_state(struct tv_text *out, const struct tv_ci_result *result)
{
    const struct tv_diff *diff = result->diff;
    tv_text_add(out, "%s", state_word(result));
    if (result->wall.changed && !is_changed(result))
        tv_text_add(out, ": wall time alone");
    if (!is_undecided(result))
        return;
    if (diff->of.no_counts.code != TV_OK) {
        tv_text_add(out, ": calls are not compared");
    } else if (diff->of.changes.inlined_count) {
        tv_text_add(out, ": a mapping says that methods which the other side calls were inlined");
    } else if (diff->of.changes.listed_count) {
        tv_text_add(out, ": a mapping cannot tell methods from others on one side");
    } else if (diff->of.changes.calls_count[TV_VERDICT_UNDECIDED]) {
        tv_text_add(out, ": calls differ from run to run");
    } else if (!tv_comparison_has_runs(&diff->of)) {
        tv_text_add(out, ": calls are the same, times are one sample a side");
    } else if (diff->of.tested_by.mixed_kinds) {
        tv_text_add(out, ": calls are the same, times are of samples and of each call");
    } else if (!tv_comparison_is_tested(&diff->of)) {
        tv_text_add(out, ": calls are the same, times are of different processors");
    } else if (tv_diff_is_all_moved(diff)) {
        tv_text_add(out, ": calls are the same, the median method ");
        tv_diff_add_ratio(out, exp(diff->of.changes.significance.machine));
    } else {
        tv_text_add(out, ": calls are the same, times differ from run to run");
    }
}

static void count(struct tv_ci_report *report, const struct tv_ci_result *result)
{
    bool is_new = result->benchmark->counts[TV_SIDE_NEW] > 0;
    report->benchmarks += is_new;
    report->gone += !is_new;
    report->has_last |= result->benchmark->counts[TV_SIDE_OLD] > 0;
    report->compared += result->diff != NULL;
    report->changed += is_changed(result) || result->wall.changed;
    report->undecided += is_undecided(result);
    report->not_compared += result->trouble == TV_CI_NOT_COMPARED;
    report->without_clock += result->trouble == TV_CI_NO_CLOCK;
    report->not_read += result->trouble == TV_CI_NOT_READ;
    report->with_one_file += result->trouble == TV_CI_ONE_FILE;
    report->of_other_build += result->trouble == TV_CI_OTHER_BUILD;
    report->known += is_new && result->benchmark->counts[TV_SIDE_OLD];
    report->failed += is_failed(result);
    report->uncompared += result->rules && result->rules->of.uncompared;
}

/* Whether a rule is about the benchmark: it is judged, or a growth that has no old side. */
static bool has_rules(const struct tv_ci_result *result)
{
    return result->rules && result->rules->of.judged + result->rules->of.uncompared > 0;
}

/* "1 broken, 1 without data"; "2 kept, 1 not judged"; "-" where none is about it. */
static void add_rules_told(struct tv_text *out, const struct tv_ci_result *result)
{
    const struct tv_rule_file *rules = result->rules;
    if (!has_rules(result)) {
        tv_text_add(out, "-");
        return;
    }
    const size_t broken = rules->of.counts[TV_RULE_BROKEN];
    const size_t no_data = rules->of.counts[TV_RULE_NO_DATA];
    if (broken)
        tv_text_add(out, "%zu broken", broken);
    if (no_data)
        tv_text_add(out, "%s%zu without data", broken ? ", " : "", no_data);
    if (!broken && !no_data && rules->of.judged)
        tv_text_add(out, "%zu kept", rules->of.judged);
    if (rules->of.uncompared)
        tv_text_add(out, "%s%zu not judged", rules->of.judged ? ", " : "", rules->of.uncompared);
}

static enum tv_code check(const struct tv_text *text, struct tv_error *err)
{
    return text->code == TV_OK ? TV_OK : tv_fail_memory(err, text->buffer.len);
}

/* --- text --- */

/* What a benchmark that has not changed comes to: a line on the totals, on calls and on times. */
static void add_found(struct tv_text *out, const struct tv_diff *diff)
{
    tv_diff_add_totals(out, diff);
    tv_text_add(out, "\n");
    if (diff->of.no_counts.code != TV_OK) {
        tv_text_add_not_compared(out, "Calls", diff->of.no_counts_of, diff->of.no_counts.text);
    } else {
        tv_diff_add_calls_summary(out, diff);
        tv_text_add(out, "\n");
    }
    tv_diff_add_time_summary(out, diff);
    tv_text_add(out, "\n");
}

/* "Wall time: 3 methods changed, and most of all by 700.1 ms, from 116.0 to 816.1 ms, ", without
 * the name that follows. */
static void add_wall(struct tv_text *out, const struct tv_wall_change *wall)
{
    tv_text_add(out, "Wall time of %zu %s changed, most of all from ", wall->changed,
                wall->changed == 1 ? "method" : "methods");
    tv_text_add_ms(out, (int64_t)wall->ns[TV_SIDE_OLD]);
    tv_text_add(out, " to ");
    tv_text_add_ms(out, (int64_t)wall->ns[TV_SIDE_NEW]);
    tv_text_add(out, " ms: ");
}

static enum tv_code add_wall_line(struct tv_text *out, const struct tv_wall_change *wall,
                                  struct tv_error *err)
{
    struct tv_buffer name;
    tv_buffer_init(&name, out->buffer.alloc);
    enum tv_code code = tv_joined_text(wall->method, &name, err);
    add_wall(out, wall);
    tv_text_add_name(out, tv_buffer_view(&name));
    tv_text_add(out, "\n");
    tv_buffer_release(&name);
    return code;
}

/* A benchmark that changed, or broke a rule, gets the whole text of `diff`; any other gets a line
 * or two, so that a report of many benchmarks stays readable. */
static enum tv_code add_text(struct tv_ci_report *report, const struct tv_ci_result *result,
                             struct tv_error *err)
{
    struct tv_text *out = &report->text;
    const size_t *counts = result->benchmark->counts;
    tv_text_add(out, "\n== ");
    tv_text_add_name(out, result->benchmark->name);
    tv_text_add(out, ": ");
    add_state(out, result);
    if (counts[TV_SIDE_NEW])
        tv_text_add(out, ", %zu %s", counts[TV_SIDE_NEW],
                    counts[TV_SIDE_NEW] == 1 ? "recording" : "recordings");
    if (result->diff)
        tv_text_add(out, " beside %zu", counts[TV_SIDE_OLD]);
    if (result->benchmark->left_out_count)
        tv_text_add(out, ", %zu of the last run left out", result->benchmark->left_out_count);
    tv_text_add(out, "\n");
    if (result->wall.changed)
        TV_TRY(add_wall_line(out, &result->wall, err));
    if (is_changed(result) || (result->diff && is_failed(result))) {
        tv_text_add(out, "\n");
        return tv_diff_text(result->diff, out, err);
    }
    if (result->diff)
        add_found(out, result->diff);
    if (!has_rules(result))
        return TV_OK;
    return tv_rule_file_text(result->rules, out, err);
}

/* --- markup --- */

static void put_code(struct tv_out *out, struct tv_str name)
{
    tv_out_text(out, TV_STR("<code>"));
    tv_markup_name(out, name);
    tv_out_text(out, TV_STR("</code>"));
}

static void put_number(struct tv_out *out, struct tv_text *cell)
{
    tv_out_text(out, TV_STR("<td align=\"right\">"));
    tv_markup_text(out, tv_text_view(cell));
    tv_out_text(out, TV_STR("</td>"));
    cell->buffer.len = 0;
}

/* "12 to 14", or the one number where there is one side, or both are equal. */
static void put_calls(struct tv_out *out, const struct tv_diff *diff, struct tv_text *cell)
{
    if (diff) {
        const uint64_t was = tv_comparison_calls(&diff->of, TV_SIDE_OLD);
        const uint64_t is = tv_comparison_calls(&diff->of, TV_SIDE_NEW);
        tv_text_add_count(cell, was);
        if (is != was) {
            tv_text_add(cell, " to ");
            tv_text_add_count(cell, is);
        }
    }
    put_number(out, cell);
}

static void put_time(struct tv_out *out, const struct tv_diff *diff, struct tv_text *cell)
{
    if (diff) {
        tv_text_add_ms(cell, (int64_t)tv_comparison_total(&diff->of, TV_SIDE_OLD));
        tv_text_add(cell, " to ");
        tv_text_add_ms(cell, (int64_t)tv_comparison_total(&diff->of, TV_SIDE_NEW));
        tv_text_add(cell, " ms %s", tv_diff_clock_word(diff));
    }
    put_number(out, cell);
}

/* A row of the table in Markdown. `cell` is one buffer for all cells, each of which empties it. */
static enum tv_code add_row(struct tv_ci_report *report, const struct tv_ci_result *result,
                            struct tv_error *err)
{
    struct tv_out *out = &report->rows_out;
    const size_t *counts = result->benchmark->counts;
    struct tv_text cell;
    tv_text_init(&cell, report->cli->alloc);
    tv_out_text(out, TV_STR("<tr><td>"));
    put_code(out, result->benchmark->name);
    add_state(&cell, result);
    tv_out_text(out, TV_STR("</td><td>"));
    tv_markup_text(out, tv_text_view(&cell));
    tv_out_text(out, TV_STR("</td>"));
    cell.buffer.len = 0;
    if (counts[TV_SIDE_OLD] && counts[TV_SIDE_NEW])
        tv_text_add(&cell, "%zu and %zu", counts[TV_SIDE_OLD], counts[TV_SIDE_NEW]);
    else
        tv_text_add(&cell, "%zu", counts[TV_SIDE_OLD] + counts[TV_SIDE_NEW]);
    if (result->benchmark->left_out_count)
        tv_text_add(&cell, ", %zu left out", result->benchmark->left_out_count);
    put_number(out, &cell);
    put_calls(out, result->diff, &cell);
    put_time(out, result->diff, &cell);
    add_rules_told(&cell, result);
    tv_out_text(out, TV_STR("<td>"));
    tv_markup_text(out, tv_text_view(&cell));
    tv_out_text(out, TV_STR("</td></tr>\n"));
    enum tv_code code = cell.code == TV_OK ? TV_OK : tv_fail_memory(err, cell.buffer.len);
    tv_text_release(&cell);
    return code;
}

static enum tv_code put_wall(struct tv_ci_report *report, const struct tv_wall_change *wall,
                             struct tv_error *err)
{
    struct tv_out *out = &report->details_out;
    struct tv_text line;
    struct tv_buffer name;
    tv_text_init(&line, report->cli->alloc);
    tv_buffer_init(&name, report->cli->alloc);
    enum tv_code code = tv_joined_text(wall->method, &name, err);
    add_wall(&line, wall);
    tv_out_text(out, TV_STR("<p>"));
    tv_markup_text(out, tv_text_view(&line));
    put_code(out, tv_buffer_view(&name));
    tv_out_text(out, TV_STR("</p>\n\n"));
    code = code == TV_OK ? check(&line, err) : code;
    tv_buffer_release(&name);
    tv_text_release(&line);
    return code;
}

/* The heading is markup: what stands in a line of Markdown could be more of it. */
static enum tv_code add_details(struct tv_ci_report *report, const struct tv_ci_result *result,
                                struct tv_error *err)
{
    struct tv_out *out = &report->details_out;
    const bool is_told =
        result->rules && result->rules->of.judged > result->rules->of.counts[TV_RULE_KEPT];
    if (!is_changed(result) && !is_told && !result->wall.changed)
        return TV_OK;
    TV_TRY(tv_out_finish(out, err));
    if (report->details.len + report->rows.len > TV_CI_SUMMARY_MOST) {
        report->cut++;
        return TV_OK;
    }
    const size_t before = report->details.len;
    tv_out_text(out, TV_STR("<h4>"));
    put_code(out, result->benchmark->name);
    tv_out_text(out, TV_STR("</h4>\n\n"));
    if (result->wall.changed)
        TV_TRY(put_wall(report, &result->wall, err));
    TV_TRY(result->diff ? tv_diff_markdown_body(result->diff, out, err)
                        : tv_rule_file_markdown(result->rules, out, err));
    TV_TRY(tv_out_finish(out, err));
    if (report->details.len + report->rows.len > TV_CI_SUMMARY_MOST) {
        report->details.len = before;
        report->cut++;
    }
    return TV_OK;
}

/* --- JUnit --- */

/* A suite of one case, of what a benchmark has or has not; `state` is the end of that case. */
static void add_suite_of_state(struct tv_ci_report *report, const struct tv_ci_result *result,
                               const char *suite, bool is_error, const char *state)
{
    struct tv_out *suites = &report->suites_out;
    tv_out_text(suites, TV_STR(" <testsuite name=\""));
    tv_markup_name(suites, result->benchmark->name);
    tv_out_add(suites,
               ": %s\" tests=\"1\" failures=\"0\" errors=\"%d\" skipped=\"%d\">\n"
               "  <testcase classname=\"",
               suite, is_error, !is_error);
    tv_markup_name(suites, result->benchmark->name);
    tv_out_add(suites, "\" %s</testcase>\n </testsuite>\n", state);
}

/* Recordings that cannot be read, or have not the clock that is asked for, are an error of their
 * own, so that their build is not green. */
static void add_state_suite(struct tv_ci_report *report, const struct tv_ci_result *result)
{
    if (result->trouble == TV_CI_NOT_READ)
        add_suite_of_state(report, result, "recordings", true,
                           "name=\"recordings can be read\"><error message=\"a recording cannot be "
                           "read\" type=\"not read\"/>");
    else if (result->trouble == TV_CI_ONE_FILE)
        add_suite_of_state(report, result, "recordings", true,
                           "name=\"recordings are files of their own\"><error message=\"one file "
                           "stands for two recordings\" type=\"one file\"/>");
    else if (result->trouble == TV_CI_OTHER_BUILD)
        add_suite_of_state(report, result, "recordings", true,
                           "name=\"the mapping is of the recordings\"><error message=\"the mapping "
                           "is of another build than a recording\" type=\"other build\"/>");
    else if (!result->benchmark->counts[TV_SIDE_NEW])
        add_suite_of_state(report, result, "recordings", false,
                           "name=\"there are recordings\"><skipped message=\"gone: the last run "
                           "alone has recordings of it\"/>");
    else if (result->trouble == TV_CI_NO_CLOCK)
        add_suite_of_state(
            report, result, "clock", true,
            "name=\"recordings have the clock\"><error message=\"a recording has not "
            "the clock that is asked for\" type=\"no clock\"/>");
}

static enum tv_code add_suites(struct tv_ci_report *report, const struct tv_ci_result *result,
                               struct tv_error *err)
{
    add_state_suite(report, result);
    if (result->rules && result->rules->file)
        return has_rules(result) ? tv_rule_file_junit(result->rules, result->benchmark->name,
                                                      &report->suites_out, err)
                                 : TV_OK;
    return result->diff ? tv_diff_junit_suites(result->diff, result->benchmark->name,
                                               &report->suites_out, err)
                        : TV_OK;
}

/* --- JSON --- */

static void put_files(struct tv_json *json, const char *key, const char *const *files, size_t count)
{
    tv_json_key(json, key);
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        tv_json_text(json, files[i]);
    tv_json_close_array(json);
}

static enum tv_code put_wall_json(struct tv_json *json, const struct tv_wall_change *wall,
                                  const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_buffer name;
    tv_buffer_init(&name, alloc);
    enum tv_code code = tv_joined_text(wall->method, &name, err);
    tv_json_key(json, "wall");
    tv_json_open_object(json);
    tv_json_key_u64(json, "changed", wall->changed);
    tv_json_key_str(json, "method", tv_buffer_view(&name));
    tv_json_key_u64(json, "old_ns", wall->ns[TV_SIDE_OLD]);
    tv_json_key_u64(json, "new_ns", wall->ns[TV_SIDE_NEW]);
    tv_json_close_object(json);
    tv_buffer_release(&name);
    return code;
}

static enum tv_code add_json(struct tv_ci_report *report, const struct tv_ci_result *result,
                             struct tv_error *err)
{
    struct tv_json *json = &report->json;
    tv_json_open_object(json);
    tv_json_key_str(json, "name", result->benchmark->name);
    tv_json_key_text(json, "state", state_word(result));
    const struct tv_ci_benchmark *benchmark = result->benchmark;
    put_files(json, "old", benchmark->files[TV_SIDE_OLD], benchmark->counts[TV_SIDE_OLD]);
    put_files(json, "new", benchmark->files[TV_SIDE_NEW], benchmark->counts[TV_SIDE_NEW]);
    if (benchmark->left_out_count)
        put_files(json, "left_out", benchmark->left_out, benchmark->left_out_count);
    if (result->diff) {
        tv_json_key(json, "diff");
        tv_json_open_object(json);
        tv_comparison_write_head(&result->diff->of, json);
        TV_TRY(tv_comparison_write_lists(&result->diff->of, json, &report->body, SIZE_MAX, err));
        tv_json_close_object(json);
    }
    if (result->wall.changed)
        TV_TRY(put_wall_json(json, &result->wall, report->cli->alloc, err));
    if (result->rules)
        TV_TRY(tv_ruling_json(&result->rules->of, json, err));
    tv_json_close_object(json);
    return TV_OK;
}

enum tv_code tv_ci_report_add(struct tv_ci_report *report, const struct tv_ci_result *result,
                              struct tv_error *err)
{
    count(report, result);
    TV_TRY(add_text(report, result, err));
    TV_TRY(add_row(report, result, err));
    TV_TRY(add_details(report, result, err));
    TV_TRY(add_suites(report, result, err));
    return add_json(report, result, err);
}

static const char absent_words[] = "no benchmark has a method or a thread of this name";
static const char of_others_words[] =
    "other threads call such a method, and none of this name does in any benchmark";

/* Stands behind all benchmarks. */
static void put_absent(struct tv_ci_report *report, const struct tv_rule *rule, bool is_error,
                       const char *words)
{
    struct tv_json *json = &report->json;
    if (!report->has_absent) {
        tv_json_close_array(json);
        tv_json_key(json, "absent");
        tv_json_open_array(json);
    }
    report->has_absent = true;
    tv_json_open_object(json);
    tv_json_key_u64(json, "line", rule->line);
    tv_json_key_str(json, "rule", rule->text);
    tv_json_key_text(json, "level", is_error ? "error" : "warn");
    tv_json_key_text(json, "why", words);
    tv_json_close_object(json);
}

void tv_ci_report_add_absent(struct tv_ci_report *report, const struct tv_rule *rule, bool is_error,
                             bool is_of_others)
{
    const char *words = is_of_others ? of_others_words : absent_words;
    struct tv_out *details = &report->details_out;
    struct tv_out *suites = &report->suites_out;
    const unsigned long long line = rule->line;
    tv_text_add(&report->text, "\n== line %llu of the rules, %s: %s: ", line,
                is_error ? "error" : "warning", words);
    tv_text_add_name(&report->text, rule->text);
    tv_text_add(&report->text, "\n");
    tv_out_add(details, "<p>Line %llu of the rules, %s: %s: ", line, is_error ? "error" : "warning",
               words);
    put_code(details, rule->text);
    tv_out_text(details, TV_STR("</p>\n\n"));
    tv_out_add(suites,
               " <testsuite name=\"rules\" tests=\"1\" failures=\"%d\" errors=\"0\" "
               "skipped=\"%d\">\n  <testcase classname=\"rules\" name=\"line %llu: ",
               is_error, !is_error, line);
    tv_markup_name(suites, rule->text);
    tv_out_add(suites,
               is_error ? "\"><failure message=\"%s\" type=\"no data\"/></testcase>\n"
                        : "\"><skipped message=\"%s\"/></testcase>\n",
               words);
    tv_out_text(suites, TV_STR(" </testsuite>\n"));
    put_absent(report, rule, is_error, words);
}

void tv_ci_report_add_no_rule(struct tv_ci_report *report, const char *file)
{
    static const char words[] = "the file says no rule, so nothing was checked";
    struct tv_out *details = &report->details_out;
    report->no_rule = true;
    tv_text_add(&report->text, "\n== ");
    tv_text_add_name(&report->text, tv_str_from(file));
    tv_text_add(&report->text, ": error: %s\n", words);
    tv_out_text(details, TV_STR("<p>"));
    put_code(details, tv_str_from(file));
    tv_out_add(details, ": error: %s</p>\n\n", words);
    tv_out_add(&report->suites_out,
               " <testsuite name=\"rules\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
               "  <testcase classname=\"rules\" name=\"there is a rule\"><failure message=\"%s\" "
               "type=\"no data\"/></testcase>\n </testsuite>\n",
               words);
}

/* --- the answers --- */

/* One line on all benchmarks, without a name in it. */
static void add_summary(struct tv_text *out, const struct tv_ci_report *report)
{
    tv_text_add(out, "%zu %s", report->benchmarks,
                report->benchmarks == 1 ? "benchmark" : "benchmarks");
    tv_text_add(out, ", %zu of them compared with the last run: %zu changed", report->compared,
                report->changed);
    if (report->undecided)
        tv_text_add(out, ", %zu undecided", report->undecided);
    if (report->not_compared)
        tv_text_add(out, ", %zu that cannot be compared", report->not_compared);
    if (report->without_clock)
        tv_text_add(out, ", %zu without the clock that is asked for", report->without_clock);
    if (report->not_read)
        tv_text_add(out, ", %zu that cannot be read", report->not_read);
    if (report->with_one_file)
        tv_text_add(out, ", %zu with one file twice", report->with_one_file);
    if (report->of_other_build)
        tv_text_add(out, ", %zu of another build than the mapping", report->of_other_build);
    if (report->gone)
        tv_text_add(out, ", %zu gone", report->gone);
    if (report->failed)
        tv_text_add(out, ". %zu %s rules", report->failed,
                    report->failed == 1 ? "does not keep its" : "do not keep their");
    tv_text_add(out, ".");
}

bool tv_ci_report_is_all_new(const struct tv_ci_report *report)
{
    return report->benchmarks && report->gone && !report->known;
}

static const char all_new_words[] =
    "All benchmarks are new, and the last run has others: under other names nothing is compared.";

/* No benchmark of the last run was there. */
static bool has_no_last(const struct tv_ci_report *report, const char *last_run)
{
    return last_run && !report->has_last;
}

enum tv_code tv_ci_report_text(struct tv_ci_report *report, const char *last_run,
                               struct tv_text *out, struct tv_error *err)
{
    add_summary(out, report);
    if (has_no_last(report, last_run)) {
        tv_text_add(out, "\nThere is no last run at ");
        tv_text_add_name(out, tv_str_from(last_run));
        tv_text_add(out, ", so nothing is compared.");
    }
    if (tv_ci_report_is_all_new(report))
        tv_text_add(out, "\n%s", all_new_words);
    tv_text_add(out, "\n");
    tv_text_add_str(out, tv_text_view(&report->text));
    TV_TRY(check(&report->text, err));
    return check(out, err);
}

/* Rows and details were written into buffers of their own while the benchmarks were judged, since
 * the sentence above them is known only at the end. */
enum tv_code tv_ci_report_markdown(struct tv_ci_report *report, const char *last_run,
                                   struct tv_buffer *body, struct tv_error *err)
{
    struct tv_out out;
    struct tv_text line;
    tv_out_init(&out, tv_buffer_sink(body));
    tv_text_init(&line, report->cli->alloc);
    add_summary(&line, report);
    tv_out_text(&out, TV_STR("### Benchmarks\n\n<p><b>"));
    tv_markup_text(&out, tv_text_view(&line));
    tv_out_text(&out, TV_STR("</b></p>\n\n"));
    enum tv_code code = check(&line, err);
    tv_text_release(&line);
    if (has_no_last(report, last_run)) {
        tv_out_text(&out, TV_STR("<p>There is no last run at "));
        put_code(&out, tv_str_from(last_run));
        tv_out_text(&out, TV_STR(", so nothing is compared.</p>\n\n"));
    }
    if (tv_ci_report_is_all_new(report))
        tv_out_add(&out, "<p>%s</p>\n\n", all_new_words);
    if (code == TV_OK)
        code = tv_out_finish(&report->rows_out, err);
    if (code == TV_OK)
        code = tv_out_finish(&report->details_out, err);
    tv_out_text(&out, TV_STR("<table>\n<tr><th>Benchmark</th><th>Is</th><th>Runs</th><th>Calls</th>"
                             "<th>Time</th><th>Rules</th></tr>\n"));
    tv_out_text(&out, tv_buffer_view(&report->rows));
    tv_out_text(&out, TV_STR("</table>\n\n"));
    tv_out_text(&out, tv_buffer_view(&report->details));
    if (report->cut)
        tv_out_add(&out, "<p>and %zu more, for which a summary has no room</p>\n\n", report->cut);
    return code == TV_OK ? tv_out_finish(&out, err) : code;
}

/* A failure where rules ask for growths, unless the user says that it is none. */
static void add_all_new_suite(struct tv_out *out, const struct tv_ci_report *report)
{
    const bool is_failure = report->is_all_new_wrong && report->uncompared;
    tv_out_add(out,
               " <testsuite name=\"last run\" tests=\"1\" failures=\"%d\" errors=\"0\" "
               "skipped=\"%d\">\n"
               "  <testcase classname=\"last run\" name=\"it has a benchmark of this run\">",
               is_failure, !is_failure);
    tv_out_add(out,
               is_failure ? "<failure message=\"%s\" type=\"no data\"/>"
                          : "<skipped message=\"%s\"/>",
               all_new_words);
    tv_out_text(out, TV_STR("</testcase>\n </testsuite>\n"));
}

enum tv_code tv_ci_report_junit(struct tv_ci_report *report, const char *last_run,
                                struct tv_buffer *body, struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(body));
    TV_TRY(tv_out_finish(&report->suites_out, err));
    tv_out_text(&out, TV_STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<testsuites name=\"traceview ci\">\n"));
    if (has_no_last(report, last_run))
        tv_out_text(&out, TV_STR(" <testsuite name=\"last run\" tests=\"1\" failures=\"0\" "
                                 "errors=\"0\" skipped=\"1\">\n"
                                 "  <testcase classname=\"last run\" name=\"there is a last run\">"
                                 "<skipped message=\"there is none, so nothing is compared\"/>"
                                 "</testcase>\n </testsuite>\n"));
    if (tv_ci_report_is_all_new(report))
        add_all_new_suite(&out, report);
    tv_out_text(&out, tv_buffer_view(&report->suites));
    tv_out_text(&out, TV_STR("</testsuites>\n"));
    return tv_out_finish(&out, err);
}

enum tv_code tv_ci_report_json(struct tv_ci_report *report, int status, struct tv_buffer *body,
                               struct tv_error *err)
{
    struct tv_json *json = &report->json;
    tv_json_close_array(json);
    if (report->no_rule)
        tv_json_key_truth(json, "no_rule", true);
    if (tv_ci_report_is_all_new(report))
        tv_json_key_truth(json, "all_new", true);
    tv_json_key_u64(json, "status", (uint64_t)status);
    tv_json_close_object(json);
    TV_TRY(tv_json_finish(json, err));
    return tv_buffer_append(body, report->body.bytes, report->body.len, err);
}
