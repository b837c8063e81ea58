/*
 * The comparison of dmtracedump -d as one HTML file; see export/report/html.h.
 *
 * Pairs are shown by their difference of exclusive and of inclusive time, then the methods of one
 * run alone; each table has at most ROWS_MOST rows and tells how many are left out. A few lines of
 * script sort a table by the column whose heading is pressed; without them the tables are in their
 * order.
 */
#include "export/report/html.h"

#define ROWS_MOST 5000u

static const char script[] =
    "for (const button of document.querySelectorAll('th button')) button.onclick = () => {\n"
    "  const cell = button.parentNode, table = cell.closest('table'), body = table.tBodies[0];\n"
    "  const key = row => { const text = row.cells[cell.cellIndex].textContent;\n"
    "    const number = parseFloat(text.replace(/[<>,]/g, '')); return isNaN(number) ? text : "
    "number; };\n"
    "  const up = cell.ariaSort === 'descending' ? 1 : -1;\n"
    "  for (const other of table.tHead.rows[0].cells) other.ariaSort = null;\n"
    "  cell.ariaSort = up > 0 ? 'ascending' : 'descending';\n"
    "  const rows = [...body.rows].sort((a, b) => { const x = key(a), y = key(b);\n"
    "    return up * (typeof x !== typeof y ? (typeof x > typeof y ? -1 : 1) : x < y ? -1 : x > y "
    "? 1 : 0); });\n"
    "  body.append(...rows);\n"
    "};\n";

struct report_writer {
    struct tv_html html;
    const struct tv_report_diff *diff;
    enum tv_clock clock;
};

static void put_headings(struct report_writer *writer, const char *const *headings)
{
    tv_out_text(&writer->html.out, TV_STR("<table>\n<thead><tr>"));
    for (; *headings; headings++)
        tv_out_add(&writer->html.out, "<th><button>%s</button>", *headings);
    tv_out_text(&writer->html.out, TV_STR("</thead>\n<tbody>\n"));
}

static void put_ms(struct report_writer *writer, uint64_t time_ns)
{
    tv_out_text(&writer->html.out, TV_STR("<td>"));
    tv_html_ms(&writer->html, (int64_t)time_ns);
}

/* A change in percent needs something before: where there was nothing, the cell is empty. */
static void put_difference(struct report_writer *writer, uint64_t before_ns, uint64_t after_ns)
{
    struct tv_out *out = &writer->html.out;
    int64_t more_ns = (int64_t)after_ns - (int64_t)before_ns;
    struct tv_str sign = more_ns < 0 ? TV_STR("") : TV_STR("+");
    tv_out_text(out, TV_STR("<td>"));
    tv_out_text(out, sign);
    tv_html_ms(&writer->html, more_ns);
    tv_out_text(out, TV_STR("<td>"));
    tv_out_text(out, before_ns ? sign : TV_STR(""));
    tv_html_percent(&writer->html, more_ns, before_ns);
}

static void put_method(struct report_writer *writer, const struct tv_report_row *row)
{
    tv_out_text(&writer->html.out, TV_STR("<td>"));
    tv_html_method(&writer->html, row->method, true);
    tv_out_text(&writer->html.out, TV_STR("\n"));
}

/* Both runs' numbers stand side by side, and the method is named once, as run 1 spells it. */
static void put_pair(struct report_writer *writer, const struct tv_report_pair *pair,
                     bool is_inclusive)
{
    const struct tv_report_row *rows[2];
    uint64_t times_ns[2];
    for (unsigned run = 0; run < 2; run++) {
        rows[run] = &writer->diff->runs[run]->rows[pair->rows[run]];
        times_ns[run] =
            (is_inclusive ? rows[run]->inclusive_ns : rows[run]->exclusive_ns)[writer->clock];
    }
    tv_out_text(&writer->html.out, TV_STR("<tr>"));
    put_ms(writer, times_ns[0]);
    put_ms(writer, times_ns[1]);
    put_difference(writer, times_ns[0], times_ns[1]);
    for (unsigned run = 0; run < 2; run++) {
        tv_out_text(&writer->html.out, TV_STR("<td>"));
        tv_out_count(&writer->html.out, rows[run]->calls);
    }
    put_method(writer, rows[0]);
}

/* The end of a table, and how many rows are not in the report. */
static void end_table(struct report_writer *writer, size_t count)
{
    tv_out_text(&writer->html.out, TV_STR("</tbody></table>\n"));
    if (count > ROWS_MOST)
        tv_out_add(&writer->html.out, "<p>%zu more methods are not in this page.</p>\n",
                   count - ROWS_MOST);
}

/* Rows beyond ROWS_MOST are counted at the end: a table of a hundred thousand rows would open in no
 * browser. */
static void put_pairs(struct report_writer *writer, const uint32_t *order, bool is_inclusive)
{
    static const char *const headings[] = {"Run 1 ms", "Run 2 ms", "Diff ms", "Diff %",
                                           "1: calls", "2: calls", "Method",  NULL};
    size_t count = writer->diff->pair_count;
    tv_out_text(&writer->html.out, is_inclusive ? TV_STR("<h2 id=\"inclusive\">Inclusive</h2>\n")
                                                : TV_STR("<h2 id=\"exclusive\">Exclusive</h2>\n"));
    put_headings(writer, headings);
    for (size_t i = 0; i < count && i < ROWS_MOST; i++)
        put_pair(writer, &writer->diff->pairs[order[i]], is_inclusive);
    end_table(writer, count);
}

/* Methods of one run alone: a rename looks like one method that is gone and another that is new. */
static void put_only(struct report_writer *writer, unsigned run)
{
    static const char *const headings[] = {"Excl ms", "Incl ms", "Calls", "Method", NULL};
    size_t count = writer->diff->only_count[run];
    tv_out_add(&writer->html.out, "<h2 id=\"only%u\">Run %u methods not found in Run %u</h2>\n",
               run + 1, run + 1, 2 - run);
    put_headings(writer, headings);
    for (size_t i = 0; i < count && i < ROWS_MOST; i++) {
        const struct tv_report_row *row =
            &writer->diff->runs[run]->rows[writer->diff->only[run][i]];
        tv_out_text(&writer->html.out, TV_STR("<tr>"));
        put_ms(writer, row->exclusive_ns[writer->clock]);
        put_ms(writer, row->inclusive_ns[writer->clock]);
        tv_out_text(&writer->html.out, TV_STR("<td>"));
        tv_html_calls(&writer->html, row->calls, row->recursive_calls);
        put_method(writer, row);
    }
    end_table(writer, count);
}

/* "Run 1: before.trace" */
static void put_source(struct report_writer *writer, const struct tv_diff_sources *sources,
                       unsigned run)
{
    struct tv_out *out = &writer->html.out;
    tv_out_add(out, "<p>Run %u: ", run + 1);
    tv_html_text(&writer->html, sources->names[run]);
    tv_out_text(out, TV_STR("</p>\n"));
}

/* One file with everything in it, which can be saved and mailed. */
enum tv_code tv_report_diff_write_html(const struct tv_report_diff *diff,
                                       const struct tv_diff_sources *sources, struct tv_sink sink,
                                       struct tv_error *err)
{
    struct report_writer writer = {.diff = diff, .clock = diff->runs[0]->opts.clock};
    struct tv_out *out = &writer.html.out;
    const struct tv_html_head head = {.title = TV_STR("Two traces"), .script = tv_str_from(script)};
    tv_html_begin(&writer.html, diff->runs[0], &head, sink);
    tv_out_text(out,
                TV_STR("<nav><a href=\"#top\">Top</a><a href=\"#exclusive\">Exclusive</a>"
                       "<a href=\"#inclusive\">Inclusive</a><a href=\"#only1\">Only in run 1</a>"
                       "<a href=\"#only2\">Only in run 2</a></nav>\n<main>\n"
                       "<h1 id=\"top\">Two traces</h1>\n"));
    for (unsigned run = 0; run < 2; run++)
        put_source(&writer, sources, run);
    tv_out_add(out,
               "<p>%s time. Differences are run 2 less run 1, changes in percent of run 1.</p>\n",
               tv_html_clock_name(writer.clock));
    put_pairs(&writer, diff->by_exclusive, false);
    put_pairs(&writer, diff->by_inclusive, true);
    put_only(&writer, 0);
    put_only(&writer, 1);
    tv_out_text(out, TV_STR("</main>\n<script>"));
    tv_out_text(out, head.script);
    tv_out_text(out, TV_STR("</script>\n"));
    return tv_html_end(&writer.html, err);
}
