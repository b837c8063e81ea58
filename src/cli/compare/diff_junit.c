/*
 * The answer of diff as JUnit XML, as continuous integration shows it: a suite of calls and one of
 * time, and a case for each method that is listed. What changed is a failure, what is undecided was
 * skipped, and one case stands for all methods that are the same. Where calls have other callers or
 * threads, though methods may have as many as before, a suite of one case says so.
 */
#include <string.h>

#include "base/text/markup.h"
#include "base/text/out.h"
#include "cli/compare/diff.h"
#include "cli/file/load.h"

struct report {
    const struct tv_diff *diff;
    struct tv_str of; /* what stands before the name of each suite; empty: nothing */
    struct tv_out *out;
    struct tv_text message;
    struct tv_buffer name;
};

enum outcome { OUTCOME_FAILURE, OUTCOME_SKIPPED };

/* A list of methods with one outcome. */
struct cases {
    const struct tv_compared_list *list;
    enum outcome outcome;
};

static void put(struct report *report, const char *markup)
{
    tv_out_text(report->out, tv_str_from(markup));
}

static void put_message(struct report *report)
{
    tv_markup_text(report->out, tv_text_view(&report->message));
    report->message.buffer.len = 0;
}

static enum tv_code put_case(struct report *report, const char *suite, uint32_t place,
                             enum outcome outcome, struct tv_error *err)
{
    const struct tv_diff *diff = report->diff;
    const struct tv_change *change = &diff->of.changes.of[place];
    bool is_calls = strcmp(suite, "calls") == 0;
    TV_TRY(tv_joined_text(&diff->of.join.methods[place], &report->name, err));
    put(report, "  <testcase classname=\"");
    tv_junit_suite_name(report->out, report->of, suite);
    put(report, "\" name=\"");
    tv_markup_name(report->out, tv_buffer_view(&report->name));
    tv_out_add(report->out, "\"><%s message=\"",
               outcome == OUTCOME_FAILURE ? "failure" : "skipped");
    if (is_calls) {
        tv_diff_add_calls_told(&report->message, change);
        if (change->has_mapped_calls)
            tv_text_add(&report->message,
                        ", undecided, since a mapping says that a side has inlined "
                        "it, or has it as one of several");
        tv_text_add(&report->message, "; ");
    }
    tv_text_add(&report->message, "%s time ", tv_diff_clock_word(diff));
    tv_diff_add_time_told(&report->message, diff, change);
    put_message(report);
    put(report,
        outcome == OUTCOME_FAILURE ? "\" type=\"changed\"/></testcase>\n" : "\"/></testcase>\n");
    return TV_OK;
}

/* A case that is about no single method, with the message. */
static void put_whole(struct report *report, const char *suite, const char *name,
                      enum outcome outcome)
{
    put(report, "  <testcase classname=\"");
    tv_junit_suite_name(report->out, report->of, suite);
    tv_out_add(report->out, "\" name=\"%s\"><%s message=\"", name,
               outcome == OUTCOME_FAILURE ? "failure" : "skipped");
    put_message(report);
    put(report,
        outcome == OUTCOME_FAILURE ? "\" type=\"changed\"/></testcase>\n" : "\"/></testcase>\n");
}

/* A change of the median method is no change of a single method, and not "the same" either. */
static void put_median(struct report *report)
{
    tv_diff_add_totals(&report->message, report->diff);
    put_whole(report, "time", "the median method", OUTCOME_SKIPPED);
}

/* A suite of one failure. */
static void put_failure(struct report *report, const char *suite, const char *name)
{
    put(report, " <testsuite name=\"");
    tv_junit_suite_name(report->out, report->of, suite);
    put(report, "\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n");
    put_whole(report, suite, name, OUTCOME_FAILURE);
    put(report, " </testsuite>\n");
}

/* A suite, whose summary is the case that passes, or with `why_not` the one that is skipped. */
static enum tv_code put_suite(struct report *report, const char *suite, const struct cases *cases,
                              size_t count, struct tv_str why_not, struct tv_error *err)
{
    const struct tv_diff *diff = report->diff;
    const bool has_median = strcmp(suite, "time") == 0 && tv_diff_is_all_moved(diff);
    size_t of[] = {[OUTCOME_FAILURE] = 0, [OUTCOME_SKIPPED] = has_median};
    size_t left_out = 0;
    of[OUTCOME_SKIPPED] += why_not.len > 0;
    for (size_t i = 0; i < count; i++) {
        of[cases[i].outcome] += tv_comparison_shown(&diff->of, cases[i].list);
        left_out += cases[i].list->count - tv_comparison_shown(&diff->of, cases[i].list);
    }
    size_t tests = of[OUTCOME_FAILURE] + of[OUTCOME_SKIPPED] + (why_not.len ? 0 : 1);
    put(report, " <testsuite name=\"");
    tv_junit_suite_name(report->out, report->of, suite);
    tv_out_add(report->out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
               tests, of[OUTCOME_FAILURE], of[OUTCOME_SKIPPED]);
    put(report, "  <testcase classname=\"");
    tv_junit_suite_name(report->out, report->of, suite);
    put(report, "\" name=\"all methods\">");
    if (why_not.len)
        TV_MARKUP(report->out, "<skipped message=\"{}\"/>", why_not);
    else
        TV_MARKUP(report->out, "<system-out>{}</system-out>", tv_text_view(&report->message));
    put(report, "</testcase>\n");
    report->message.buffer.len = 0;
    if (has_median)
        put_median(report);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < tv_comparison_shown(&diff->of, cases[i].list); k++)
            TV_TRY(put_case(report, suite, cases[i].list->of[k], cases[i].outcome, err));
    }
    if (left_out)
        tv_out_add(report->out, "  <system-out>and %zu more: -n 0 shows all</system-out>\n",
                   left_out);
    put(report, " </testsuite>\n");
    return TV_OK;
}

static enum tv_code put_calls(struct report *report, struct tv_error *err)
{
    const struct tv_diff *diff = report->diff;
    const struct cases calls[] = {{&diff->of.calls, OUTCOME_FAILURE},
                                  {&diff->of.mapped, OUTCOME_SKIPPED}};
    struct tv_text *message = &report->message;
    if (diff->of.no_counts.code == TV_OK) {
        tv_diff_add_calls_summary(message, diff);
        return put_suite(report, "calls", calls, TV_COUNT_OF(calls), TV_STR(""), err);
    }
    tv_text_add_name(message, diff->of.no_counts_of);
    tv_text_add(message, " %s", diff->of.no_counts.text);
    return put_suite(report, "calls", NULL, 0, tv_text_view(message), err);
}

static enum tv_code put_times(struct report *report, struct tv_error *err)
{
    const struct tv_diff *diff = report->diff;
    const struct cases times[] = {{&diff->of.times, OUTCOME_FAILURE},
                                  {&diff->of.open, OUTCOME_SKIPPED}};
    tv_diff_add_time_summary(&report->message, diff);
    if (tv_comparison_is_tested(&diff->of))
        return put_suite(report, "time", times, TV_COUNT_OF(times), TV_STR(""), err);
    return put_suite(report, "time", NULL, 0, tv_text_view(&report->message), err);
}

/* With rules the cases are theirs alone. */
static enum tv_code put_suites(struct report *report, struct tv_error *err)
{
    if (report->diff->rules.file)
        return tv_rule_file_junit(&report->diff->rules, report->of, report->out, err);
    TV_TRY(put_calls(report, err));
    if (tv_diff_has_other_places(report->diff)) {
        tv_diff_add_tree_summary(&report->message, report->diff);
        put_failure(report, "callers", "all paths");
    }
    if (tv_diff_has_threads(report->diff)) {
        tv_diff_add_threads_summary(&report->message, report->diff);
        put_failure(report, "threads", "all threads");
    }
    return put_times(report, err);
}

enum tv_code tv_diff_junit_suites(const struct tv_diff *diff, struct tv_str of, struct tv_out *out,
                                  struct tv_error *err)
{
    struct report report = {.diff = diff, .of = of, .out = out};
    tv_text_init(&report.message, diff->cli->alloc);
    tv_buffer_init(&report.name, diff->cli->alloc);
    enum tv_code code = put_suites(&report, err);
    if (code == TV_OK && report.message.code != TV_OK)
        code = tv_fail_memory(err, report.message.buffer.len);
    tv_buffer_release(&report.name);
    tv_text_release(&report.message);
    return code;
}

enum tv_code tv_diff_junit(const struct tv_diff *diff, struct tv_buffer *body, struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(body));
    tv_out_text(&out, TV_STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<testsuites name=\"traceview diff\">\n"));
    TV_TRY(tv_diff_junit_suites(diff, TV_STR(""), &out, err));
    tv_out_text(&out, TV_STR("</testsuites>\n"));
    return tv_out_finish(&out, err);
}
