/*
 * Verdicts of rules for reports of continuous integration, as Markdown and as JUnit XML; see
 * cli/compare/rule_file.h. Rules and names are hostile text in both.
 */
#include "base/text/markup.h"
#include "cli/compare/rule_file.h"

/* What is written, and room for a sentence and a name. */
struct page {
    const struct tv_rule_file *rules;
    struct tv_str of; /* what stands before the name of a suite */
    struct tv_out *out;
    struct tv_text cell;
    struct tv_buffer name;
};

static void begin(struct page *page, const struct tv_rule_file *rules, struct tv_out *out)
{
    *page = (struct page){.rules = rules, .out = out};
    tv_text_init(&page->cell, rules->cli->alloc);
    tv_buffer_init(&page->name, rules->cli->alloc);
}

static enum tv_code end(struct page *page, enum tv_code code, struct tv_error *err)
{
    if (code == TV_OK && page->cell.code != TV_OK)
        code = tv_fail_memory(err, page->cell.buffer.len);
    tv_buffer_release(&page->name);
    tv_text_release(&page->cell);
    return code;
}

static void put(struct page *page, const char *markup)
{
    tv_out_text(page->out, tv_str_from(markup));
}

static void put_cell(struct page *page)
{
    tv_markup_text(page->out, tv_text_view(&page->cell));
    page->cell.buffer.len = 0;
}

static void put_name(struct page *page, struct tv_str name)
{
    put(page, "<code>");
    tv_markup_name(page->out, name);
    put(page, "</code>");
}

/* The thread of a call, by its name where it has one. */
static void put_thread(struct page *page, const struct tv_rule_call *call)
{
    if (call->thread.len)
        put_name(page, call->thread);
    else
        tv_out_add(page->out, "thread %u", (unsigned)call->thread_id);
}

/* The calls that broke a rule and the command that shows them, a line of the cell each. */
static void put_calls(struct page *page, const struct tv_rule_calls *calls)
{
    struct tv_str rest = calls->command;
    struct tv_str line;
    for (size_t i = 0; i < calls->count; i++) {
        put(page, "<br>");
        tv_rule_call_add_times(&page->cell, &calls->of[i]);
        put_cell(page);
        put_thread(page, &calls->of[i]);
        if (calls->of[i].caller.len) {
            put(page, ", called by ");
            put_name(page, calls->of[i].caller);
        }
    }
    while (calls->count && tv_str_split(&rest, '\n', &line)) {
        line = tv_str_trim(line);
        if (line.len) {
            put(page, "<br>");
            put_name(page, line);
        }
    }
}

static enum tv_code put_row(struct page *page, size_t place, struct tv_error *err)
{
    const struct tv_rule *rule = &page->rules->of.rules.of[place];
    const struct tv_rule_verdict *verdict = &page->rules->of.verdicts[place];
    tv_out_add(page->out, "<tr><td align=\"right\">%llu</td><td>%s</td><td>%s</td><td>",
               (unsigned long long)rule->line, tv_ruling_level(&page->rules->of, place),
               tv_rule_state_words[verdict->state]);
    put_name(page, rule->text);
    put(page, "</td><td>");
    tv_rule_file_add_why(&page->cell, page->rules, place);
    put_cell(page);
    TV_TRY(tv_ruling_method(&page->rules->of, place, &page->name, err));
    if (page->name.len || verdict->state == TV_RULE_ALLOWED)
        put(page, ": ");
    if (verdict->state == TV_RULE_ALLOWED)
        put_name(page, verdict->allow->reason);
    else if (page->name.len)
        put_name(page, tv_buffer_view(&page->name));
    put_calls(page, &page->rules->of.calls[place]);
    put(page, "</td></tr>\n");
    return TV_OK;
}

static enum tv_code put_table(struct page *page, struct tv_error *err)
{
    const struct tv_rule_file *rules = page->rules;
    put(page, "<p><b>");
    tv_rule_file_add_summary(&page->cell, rules);
    put_cell(page);
    put(page, "</b></p>\n\n");
    if (!(rules->of.counts[TV_RULE_BROKEN] + rules->of.counts[TV_RULE_NO_DATA] +
          rules->of.counts[TV_RULE_ALLOWED]))
        return TV_OK;
    put(page,
        "<table>\n<tr><th>Line</th><th>Level</th><th>Is</th><th>Rule</th><th>Why</th></tr>\n");
    for (size_t i = 0; i < rules->of.rules.count; i++) {
        if (tv_ruling_is_told(&rules->of, i))
            TV_TRY(put_row(page, i, err));
    }
    put(page, "</table>\n\n");
    return TV_OK;
}

enum tv_code tv_rule_file_markdown(const struct tv_rule_file *rules, struct tv_out *out,
                                   struct tv_error *err)
{
    struct page page;
    if (!rules->file)
        return TV_OK;
    begin(&page, rules, out);
    return end(&page, put_table(&page, err), err);
}

void tv_junit_suite_name(struct tv_out *out, struct tv_str of, const char *suite)
{
    tv_markup_name(out, of);
    tv_out_text(out, of.len ? TV_STR(": ") : TV_STR(""));
    tv_out_text(out, tv_str_from(suite));
}

/* The calls that broke a rule as lines of text in an element, each indented, so that no name begins
 * one. */
static void put_call_lines(struct page *page, const struct tv_rule_calls *calls)
{
    struct tv_str rest = calls->command;
    struct tv_str line;
    for (size_t i = 0; i < calls->count; i++) {
        const struct tv_rule_call *call = &calls->of[i];
        put(page, "\n    ");
        tv_rule_call_add_times(&page->cell, call);
        put_cell(page);
        if (call->thread.len)
            tv_markup_name(page->out, call->thread);
        else
            tv_out_add(page->out, "thread %u", (unsigned)call->thread_id);
        put(page, call->caller.len ? ", called by " : "");
        tv_markup_name(page->out, call->caller);
    }
    while (calls->count && tv_str_split(&rest, '\n', &line)) {
        line = tv_str_trim(line);
        put(page, line.len ? "\n    " : "");
        tv_markup_name(page->out, line);
    }
    put(page, "\n  ");
}

/* A rule that only warns is skipped where it is not kept, since a failure fails the build; so is
 * one that may be broken. */
static enum tv_code put_case(struct page *page, size_t place, struct tv_error *err)
{
    const struct tv_rule *rule = &page->rules->of.rules.of[place];
    const struct tv_rule_verdict *verdict = &page->rules->of.verdicts[place];
    bool is_failure = verdict->is_error && tv_ruling_is_missed(&page->rules->of, place);
    put(page, "  <testcase classname=\"");
    tv_junit_suite_name(page->out, page->of, "rules");
    tv_out_add(page->out, "\" name=\"line %llu: ", (unsigned long long)rule->line);
    tv_markup_name(page->out, rule->text);
    put(page, "\">");
    if (verdict->state == TV_RULE_LEFT_OUT) {
        put(page, "<skipped message=\"");
        tv_rule_file_add_why(&page->cell, page->rules, place);
        put_cell(page);
        put(page, "\"/>");
    } else if (tv_ruling_is_told(&page->rules->of, place)) {
        TV_TRY(tv_ruling_method(&page->rules->of, place, &page->name, err));
        put(page, is_failure ? "<failure message=\"" : "<skipped message=\"");
        tv_rule_file_add_why(&page->cell, page->rules, place);
        put_cell(page);
        struct tv_str more = verdict->state == TV_RULE_ALLOWED ? verdict->allow->reason
                                                               : tv_buffer_view(&page->name);
        put(page, more.len ? ": " : "");
        tv_markup_name(page->out, more);
        if (is_failure)
            tv_out_add(page->out, "\" type=\"%s", tv_rule_state_words[verdict->state]);
        if (page->rules->of.calls[place].count) {
            put(page, "\">");
            put_call_lines(page, &page->rules->of.calls[place]);
            put(page, is_failure ? "</failure>" : "</skipped>");
        } else {
            put(page, "\"/>");
        }
    }
    put(page, "</testcase>\n");
    return TV_OK;
}

/* A file that says no rule is a case that fails. */
static enum tv_code put_suite(struct page *page, struct tv_error *err)
{
    const struct tv_rule_file *rules = page->rules;
    const size_t cases = rules->of.judged + rules->of.uncompared;
    size_t failed = cases ? rules->of.failed : 1;
    size_t skipped = rules->of.uncompared + rules->of.counts[TV_RULE_BROKEN] +
                     rules->of.counts[TV_RULE_NO_DATA] + rules->of.counts[TV_RULE_ALLOWED] -
                     rules->of.failed;
    put(page, " <testsuite name=\"");
    tv_junit_suite_name(page->out, page->of, "rules");
    tv_out_add(page->out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
               cases ? cases : 1, failed, skipped);
    if (!cases) {
        put(page, "  <testcase classname=\"");
        tv_junit_suite_name(page->out, page->of, "rules");
        put(page, "\" name=\"the file\"><failure message=\"it says no rule\" type=\"no data\"/>"
                  "</testcase>\n");
    }
    for (size_t i = 0; i < rules->of.rules.count; i++) {
        if (rules->of.verdicts[i].state != TV_RULE_LEFT_OUT || rules->of.verdicts[i].reason)
            TV_TRY(put_case(page, i, err));
    }
    put(page, " </testsuite>\n");
    return TV_OK;
}

enum tv_code tv_rule_file_junit(const struct tv_rule_file *rules, struct tv_str of,
                                struct tv_out *out, struct tv_error *err)
{
    struct page page;
    if (!rules->file)
        return TV_OK;
    begin(&page, rules, out);
    page.of = of;
    return end(&page, put_suite(&page, err), err);
}
