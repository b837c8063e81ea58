/*
 * A graph of who calls whom, in graphviz' language, as dmtracedump -g draws it: a method's node
 * says its rank, its inclusive and exclusive time and its outermost calls; an edge leads to
 * a callee whose inclusive time is a given share of its caller's. Methods that no such edge leads
 * to from the root are left out.
 */
#ifndef TV_EXPORT_REPORT_DOT_H
#define TV_EXPORT_REPORT_DOT_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "export/report/report.h"

/* More would be neither drawn in bearable time nor read. The methods nearest to the root stay, and
 * the graph says that others were left out. */
#define TV_DOT_NODES 1000u
#define TV_DOT_EDGES 4000u

/* How a node tells its numbers: as dmtracedump does, "(10, 3, 1)" in whole milliseconds, or on a
 * line of their own with all digits and units, "10.25 ms, 3 ms exclusive, 1 call". */
enum tv_dot_numbers { TV_DOT_WHOLE_MS, TV_DOT_WITH_UNITS };

/* `report` has the row "(toplevel)", which is the root. `percent` is 0 to 99. */
enum tv_code tv_dot_write(const struct tv_report *report, unsigned percent,
                          enum tv_dot_numbers numbers, struct tv_sink sink,
                          struct tv_error *err) TV_MUST_CHECK;

#endif
