/*
 * Reports that hold all they need: no script, font or picture comes from elsewhere, and nothing of
 * a trace is obeyed as markup. Light and dark follow the reader's system. What is said in a report
 * is in html_report.c and html_diff.c.
 */
#ifndef TV_EXPORT_REPORT_HTML_H
#define TV_EXPORT_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/question/scope_wording.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/out.h"
#include "export/report/report.h"
#include "export/report/report_diff.h"

/* A report while it is written: pieces of markup are written to `out` as they are. */
struct tv_html {
    struct tv_out out;
    enum tv_clock clocks[TV_CLOCK_COUNT]; /* columns of times; the first is what rows stand by */
    unsigned clock_count;
};

/* What stands around the tables of a report. */
struct tv_html_head {
    struct tv_str title;
    struct tv_str script; /* the only one that the report's policy lets run; empty: none runs */
};

/* Writes the head of a report. The clocks are those of the report. */
void tv_html_begin(struct tv_html *html, const struct tv_report *report,
                   const struct tv_html_head *head, struct tv_sink sink);
enum tv_code tv_html_end(struct tv_html *html, struct tv_error *err) TV_MUST_CHECK;

/* Text of a trace: markup is escaped, and what tv_out_shown escapes; long text is cut. */
void tv_html_text(struct tv_html *html, struct tv_str text);
/* "class.name signature", the signature fainter; with or without the class. */
void tv_html_method(struct tv_html *html, const struct tv_export_method *method, bool has_class);
/* "CPU" or "Wall". */
const char *tv_html_clock_name(enum tv_clock clock);
/* A cell with 1,234.567, which is milliseconds, for each clock. */
void tv_html_times(struct tv_html *html, const uint64_t times_ns[TV_CLOCK_COUNT]);
/* "1,234" or "1,234+5": outermost and recursive calls. */
void tv_html_calls(struct tv_html *html, uint64_t calls, uint64_t recursive_calls);
/* Milliseconds, and a share in percent, as base/numbers/shown_number.h has them. */
void tv_html_ms(struct tv_html *html, int64_t time_ns);
void tv_html_percent(struct tv_html *html, int64_t part, uint64_t whole);
/* A cell with a share in percent, and a bar of that length. */
void tv_html_share(struct tv_html *html, uint64_t part_ns, uint64_t whole_ns);

/* The four reports as one HTML file. `file` is the name of the trace, `part` what of it they are
 * of. Rows with which the file would be too large are left out, the shortest ones, and counted. */
enum tv_code tv_report_write_html(const struct tv_report *report, struct tv_str file,
                                  const struct tv_scope_part *part, struct tv_sink sink,
                                  struct tv_error *err) TV_MUST_CHECK;
/* What a comparison is of. */
struct tv_diff_sources {
    struct tv_str names[2]; /* names[0] is run 1 */
};

/* A comparison as one HTML file. */
enum tv_code tv_report_diff_write_html(const struct tv_report_diff *diff,
                                       const struct tv_diff_sources *sources, struct tv_sink sink,
                                       struct tv_error *err) TV_MUST_CHECK;

#endif
