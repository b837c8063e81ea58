/*
 * The four reports of dmtracedump as one HTML file; see export/report/html.h. Classes are opened
 * and closed by the browser itself, so the file needs no script.
 */
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/markup.h"
#include "export/report/html.h"

/* The most rows of each kind in a report, the longest first. That of a large trace then has some
 * megabytes. */
#define ROWS_MOST 2000u
#define BLOCKS_MOST 1000u
#define RELATIVES_MOST 25u /* callers, or callees, in a block */
#define GROUPS_MOST 500u
#define MEMBERS_MOST 50u /* methods in a group */

struct report_writer {
    struct tv_html html;
    const struct tv_report *report;
    const struct tv_scope_part *part;
    enum tv_clock clock; /* what shares are of, and rows stand by */
};

/* Says how many are not in the report; nothing where all are. */
static void put_rest(struct report_writer *writer, size_t left_out, const char *what)
{
    if (!left_out)
        return;
    tv_out_text(&writer->html.out, TV_STR("<p>"));
    tv_out_count(&writer->html.out, left_out);
    tv_out_add(&writer->html.out, " more %s are not in this page.</p>\n", what);
}

/* "[12]", a link to the block of the row if the report has a block for it. */
static void put_rank(struct report_writer *writer, const struct tv_report_row *row)
{
    bool has_block = row->rank < BLOCKS_MOST && row->inclusive_ns[writer->clock];
    if (has_block)
        tv_out_add(&writer->html.out, "<a href=\"#m%u\">[%u]</a> ", row->rank, row->rank);
    else
        tv_out_add(&writer->html.out, "[%u] ", row->rank);
}

/* Headings of columns of times: one for each clock, of a kind. */
static void put_time_headings(struct report_writer *writer, const char *kind)
{
    for (unsigned i = 0; i < writer->html.clock_count; i++)
        tv_out_add(&writer->html.out, "<th>%s %s ms", kind,
                   tv_html_clock_name(writer->html.clocks[i]));
}

/* Rows beyond ROWS_MOST are only counted; put_rest says how many these are. */
static void put_exclusive(struct report_writer *writer)
{
    const struct tv_report *report = writer->report;
    struct tv_out *out = &writer->html.out;
    uint64_t total_ns = report->total_ns[writer->clock];
    uint64_t sum_ns = 0;
    uint32_t count = 0;
    tv_out_text(out, TV_STR("<h2 id=\"exclusive\">Exclusive</h2>\n<p>Time in each method itself, "
                            "without the methods that it called.</p>\n<table>\n<thead><tr>"
                            "<th>Self %<th>Sum %"));
    put_time_headings(writer, "Excl");
    tv_out_text(out, TV_STR("<th>Calls<th>Method</thead>\n<tbody>\n"));
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct tv_report_row *row = &report->rows[report->by_exclusive[i]];
        if (!row->exclusive_ns[writer->clock])
            break;
        if (count++ >= ROWS_MOST)
            continue;
        sum_ns += row->exclusive_ns[writer->clock];
        tv_out_text(out, TV_STR("<tr>"));
        tv_html_share(&writer->html, row->exclusive_ns[writer->clock], total_ns);
        tv_out_text(out, TV_STR("<td>"));
        tv_html_percent(&writer->html, (int64_t)sum_ns, total_ns);
        tv_html_times(&writer->html, row->exclusive_ns);
        tv_out_text(out, TV_STR("<td>"));
        tv_html_calls(&writer->html, row->calls, row->recursive_calls);
        tv_out_text(out, TV_STR("<td>"));
        put_rank(writer, row);
        tv_html_method(&writer->html, row->method, true);
        tv_out_text(out, TV_STR("\n"));
    }
    tv_out_text(out, TV_STR("</tbody>\n</table>\n"));
    put_rest(writer, count > ROWS_MOST ? count - ROWS_MOST : 0, "methods");
}

/* The calls of a pair are shown as a part of all calls of the callee. */
static void put_relative(struct report_writer *writer, const struct tv_report_row *row,
                         const struct tv_report_relative *relative, bool is_caller, bool is_first)
{
    struct tv_out *out = &writer->html.out;
    const struct tv_report_row *other = &writer->report->rows[relative->other];
    const struct tv_report_row *of = is_caller ? row : other;
    tv_out_text(out, relative->is_recursive && is_first ? TV_STR("<tr class=\"line\">")
                                                        : TV_STR("<tr>"));
    if (relative->is_recursive)
        tv_out_text(out, TV_STR("<td>recursive"));
    else
        tv_html_share(&writer->html, relative->inclusive_ns[writer->clock],
                      row->inclusive_ns[writer->clock]);
    tv_html_times(&writer->html, relative->inclusive_ns);
    tv_out_text(out, TV_STR("<td>"));
    tv_out_count(&writer->html.out, relative->calls);
    tv_out_text(out, TV_STR("/"));
    tv_out_count(&writer->html.out, of->calls + of->recursive_calls);
    tv_out_text(out, is_caller ? TV_STR("<td>\u2191 ") : TV_STR("<td>\u2193 "));
    put_rank(writer, other);
    tv_html_method(&writer->html, other->method, true);
    tv_out_text(out, TV_STR("\n"));
}

/* The callers or the callees of a row, and how many more there are. */
static void put_relatives(struct report_writer *writer, uint32_t row_ix,
                          const struct tv_report_relatives *relatives)
{
    bool are_callers = relatives == &writer->report->callers;
    bool was_recursive = false;
    size_t first = relatives->first[row_ix];
    size_t end = relatives->first[row_ix + 1];
    size_t shown = end - first < RELATIVES_MOST ? end : first + RELATIVES_MOST;
    for (size_t i = first; i < shown; i++) {
        put_relative(writer, &writer->report->rows[row_ix], &relatives->of[i], are_callers,
                     !was_recursive);
        was_recursive = relatives->of[i].is_recursive;
    }
    if (shown == end)
        return;
    tv_out_text(&writer->html.out, TV_STR("<tr class=\"part\"><td>"));
    for (unsigned i = 0; i < writer->html.clock_count; i++)
        tv_out_text(&writer->html.out, TV_STR("<td>"));
    tv_out_add(&writer->html.out, "<td><td>and %zu more %s\n", end - shown,
               are_callers ? "callers" : "callees");
}

/* A method between its callers above and its callees below. Percent of callers and callees are of
 * the method's own time, so that the block can be read alone. */
static void put_block(struct report_writer *writer, uint32_t row_ix)
{
    const struct tv_report_row *row = &writer->report->rows[row_ix];
    struct tv_out *out = &writer->html.out;
    tv_out_add(out, "<section id=\"m%u\"><table>\n<thead><tr><th>%%", row->rank);
    put_time_headings(writer, "Incl");
    tv_out_text(out, TV_STR("<th>Calls<th>Callers, method, callees</thead>\n<tbody>\n"));
    put_relatives(writer, row_ix, &writer->report->callers);
    tv_out_text(out, TV_STR("<tr class=\"own\">"));
    tv_html_share(&writer->html, row->inclusive_ns[writer->clock],
                  writer->report->total_ns[writer->clock]);
    tv_html_times(&writer->html, row->inclusive_ns);
    tv_out_text(out, TV_STR("<td>"));
    tv_html_calls(&writer->html, row->calls, row->recursive_calls);
    tv_out_add(out, "<td>[%u] ", row->rank);
    tv_html_method(&writer->html, row->method, true);
    tv_out_text(out, TV_STR("\n<tr class=\"part\">"));
    tv_html_share(&writer->html, row->outermost_exclusive_ns[writer->clock],
                  row->inclusive_ns[writer->clock]);
    tv_html_times(&writer->html, row->outermost_exclusive_ns);
    tv_out_text(out, TV_STR("<td><td>exclusive\n"));
    put_relatives(writer, row_ix, &writer->report->callees);
    tv_out_text(out, TV_STR("</tbody></table></section>\n"));
}

/* The order is by inclusive time, so the first method without any ends the list. */
static void put_inclusive(struct report_writer *writer)
{
    const struct tv_report *report = writer->report;
    uint32_t count = 0;
    tv_out_text(&writer->html.out,
                TV_STR("<h2 id=\"inclusive\">Inclusive</h2>\n<p>Each method between its callers "
                       "(\u2191) and its callees (\u2193), longest first. The share of a method is "
                       "of the whole; the shares around it are of its own time.</p>\n"));
    for (uint32_t i = 0; i < report->row_count; i++) {
        if (!report->rows[report->by_inclusive[i]].inclusive_ns[writer->clock])
            break;
        if (count++ < BLOCKS_MOST)
            put_block(writer, report->by_inclusive[i]);
    }
    put_rest(writer, count > BLOCKS_MOST ? count - BLOCKS_MOST : 0, "methods");
}

/* Below a name each row says its class; below a class it would repeat the heading. */
static void put_member(struct report_writer *writer, const struct tv_report_groups *groups,
                       const struct tv_report_group *group, uint32_t i)
{
    struct tv_out *out = &writer->html.out;
    const struct tv_report_row *row = &writer->report->rows[groups->members[group->first + i]];
    tv_out_text(out, TV_STR("<tr>"));
    tv_html_share(&writer->html, row->exclusive_ns[writer->clock],
                  group->exclusive_ns[writer->clock]);
    tv_html_times(&writer->html, row->exclusive_ns);
    tv_html_times(&writer->html, row->inclusive_ns);
    tv_out_text(out, TV_STR("<td>"));
    tv_html_calls(&writer->html, row->calls, row->recursive_calls);
    tv_out_text(out, TV_STR("<td>"));
    put_rank(writer, row);
    tv_html_method(&writer->html, row->method, groups == &writer->report->names);
    tv_out_text(out, TV_STR("\n"));
}

/* A class, or a name: a line that opens the table of its methods. */
static void put_group(struct report_writer *writer, const struct tv_report_groups *groups,
                      const struct tv_report_group *group)
{
    struct tv_out *out = &writer->html.out;
    uint64_t total_ns = writer->report->total_ns[writer->clock];
    uint64_t group_ns = group->exclusive_ns[writer->clock];
    uint32_t shown = group->count < MEMBERS_MOST ? group->count : MEMBERS_MOST;
    tv_out_text(out, TV_STR("<details><summary><span>"));
    tv_html_percent(&writer->html, (int64_t)group_ns, total_ns);
    tv_out_text(out, TV_STR("</span>"));
    for (unsigned i = 0; i < writer->html.clock_count; i++) {
        tv_out_text(out, TV_STR("<span>"));
        tv_html_ms(&writer->html, (int64_t)group->exclusive_ns[writer->html.clocks[i]]);
        tv_out_text(out, TV_STR("</span>"));
    }
    tv_out_text(out, TV_STR("<span>"));
    tv_html_calls(&writer->html, group->calls, group->recursive_calls);
    tv_out_text(out, TV_STR("</span><b>"));
    tv_html_text(&writer->html, group->name);
    tv_out_text(out, TV_STR("</b></summary>\n<table>\n<thead><tr><th>Self %"));
    put_time_headings(writer, "Excl");
    put_time_headings(writer, "Incl");
    tv_out_text(out, TV_STR("<th>Calls<th>Method</thead>\n<tbody>\n"));
    for (uint32_t i = 0; i < shown; i++)
        put_member(writer, groups, group, i);
    tv_out_text(out, TV_STR("</tbody></table>\n"));
    put_rest(writer, group->count - shown, "methods");
    tv_out_text(out, TV_STR("</details>\n"));
}

/* Headings of the columns of groups. */
static void put_group_headings(struct report_writer *writer, const char *what)
{
    struct tv_out *out = &writer->html.out;
    tv_out_text(out, TV_STR("<div class=\"head\"><span>Self %</span>"));
    for (unsigned i = 0; i < writer->html.clock_count; i++)
        tv_out_add(out, "<span>Excl %s ms</span>", tv_html_clock_name(writer->html.clocks[i]));
    tv_out_add(out, "<span>Calls</span><b>%s</b></div>\n", what);
}

/* Groups are sorted by exclusive time, so the first without any ends the list. */
static void put_groups(struct report_writer *writer, const struct tv_report_groups *groups,
                       const char *what)
{
    size_t count = 0;
    for (size_t i = 0; i < groups->count; i++) {
        if (!groups->of[i].exclusive_ns[writer->clock])
            break;
        if (count++ < GROUPS_MOST)
            put_group(writer, groups, &groups->of[i]);
    }
    put_rest(writer, count > GROUPS_MOST ? count - GROUPS_MOST : 0, what);
}

/* What the report lacks of its trace, so that nobody searches it for that in vain. */
static enum tv_code put_part(struct report_writer *writer, struct tv_error *err)
{
    struct tv_buffer words;
    tv_buffer_init(&words, writer->report->alloc);
    enum tv_code code = tv_scope_word_part(writer->part, TV_SCOPE_ALL, &words, err);
    if (words.len) {
        tv_out_text(&writer->html.out, TV_STR("<p>A part of the trace: "));
        tv_markup_text(&writer->html.out, tv_buffer_view(&words));
        tv_out_text(&writer->html.out, TV_STR("</p>\n"));
    }
    tv_buffer_release(&words);
    return code;
}

/* What 100 % is differs between reports, so it is written where the eye falls first. */
static enum tv_code put_top(struct report_writer *writer, struct tv_str file, struct tv_error *err)
{
    struct tv_out *out = &writer->html.out;
    tv_out_text(out, TV_STR("<nav><a href=\"#top\">Top</a><a href=\"#exclusive\">Exclusive</a>"
                            "<a href=\"#inclusive\">Inclusive</a><a href=\"#class\">Class</a>"
                            "<a href=\"#method\">Method</a></nav>\n<main>\n<h1 id=\"top\">"));
    tv_html_text(&writer->html, file);
    tv_out_text(out, TV_STR("</h1>\n<p>100 % is "));
    for (unsigned i = 0; i < writer->html.clock_count; i++) {
        uint64_t time_us = writer->report->total_ns[writer->html.clocks[i]] / 1000;
        tv_out_text(out, i ? TV_STR(", and ") : TV_STR(""));
        tv_out_count(&writer->html.out, time_us / 1000);
        tv_out_add(out, ".%03u ms of %s time", (unsigned)(time_us % 1000),
                   writer->html.clocks[i] == TV_CLOCK_WALL ? "wall" : "CPU");
    }
    tv_out_text(out, TV_STR(": "));
    if (writer->report->opts.has_toplevel)
        tv_out_text(out, TV_STR("the threads from their first record to their last"));
    else
        tv_scope_put_whole(out, &writer->part->scope.selection);
    tv_out_add(out,
               ". Shares and orders are of %s time. The number in brackets is a method's place by "
               "inclusive time.</p>\n",
               writer->clock == TV_CLOCK_WALL ? "wall" : "CPU");
    return put_part(writer, err);
}

/* The four orders of dmtracedump's report, each under its own heading. */
enum tv_code tv_report_write_html(const struct tv_report *report, struct tv_str file,
                                  const struct tv_scope_part *part, struct tv_sink sink,
                                  struct tv_error *err)
{
    struct report_writer writer = {.report = report, .part = part, .clock = report->opts.clock};
    tv_html_begin(&writer.html, report, &(struct tv_html_head){.title = file}, sink);
    TV_TRY(put_top(&writer, file, err));
    put_exclusive(&writer);
    put_inclusive(&writer);
    tv_out_text(&writer.html.out,
                TV_STR("<h2 id=\"class\">Class</h2>\n<p>Exclusive time of each class, summed over "
                       "its methods.</p>\n"));
    put_group_headings(&writer, "Class");
    put_groups(&writer, &report->classes, "classes");
    tv_out_text(&writer.html.out,
                TV_STR("<h2 id=\"method\">Method</h2>\n<p>Exclusive time of each method name, "
                       "summed over all classes that have such a method.</p>\n"));
    put_group_headings(&writer, "Name");
    put_groups(&writer, &report->names, "names");
    tv_out_text(&writer.html.out, TV_STR("</main>\n"));
    return tv_html_end(&writer.html, err);
}
