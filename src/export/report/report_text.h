/*
 * The reports as dmtracedump prints them on standard output, in microseconds, and the differences
 * of two traces. docs/dmtracedump.md has an example of each, and what differs from the old tool.
 */
#ifndef TV_EXPORT_REPORT_REPORT_TEXT_H
#define TV_EXPORT_REPORT_REPORT_TEXT_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "export/report/report.h"
#include "export/report/report_diff.h"

/* Writes the four reports: exclusive, inclusive, class/method, method/class. */
enum tv_code tv_report_write_text(const struct tv_report *report, struct tv_sink sink,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Writes the tables of a comparison. */
enum tv_code tv_report_diff_write_text(const struct tv_report_diff *diff, struct tv_sink sink,
                                       struct tv_error *err) TV_MUST_CHECK;

#endif
