/*
 * The reports as text; see export/report/report_text.h. The widths of the columns, the headings and
 * the lines between blocks are dmtracedump's: scripts that read its output read this one.
 */
#include "export/report/report_text.h"

#include <stdio.h>

#include "base/text/out.h"
#include "base/units.h"

/* A report on its way. */
struct printing {
    const struct tv_report *report;
    enum tv_clock clock;
    struct tv_out out;
};

static unsigned long long us_of(uint64_t time_ns)
{
    return time_ns / TV_NS_PER_US;
}

/* A share in percent, as dmtracedump computes it: in doubles. */
static double percent(uint64_t part_ns, uint64_t whole_ns)
{
    return whole_ns ? 100.0 * (double)part_ns / (double)whole_ns : 0;
}

static void put_name(struct tv_out *out, struct tv_str name)
{
    tv_out_shown(out, name, TV_REPORT_NAME_SHOWN);
}

/* "name signature" and the end of the line, with or without the class before it. */
static void put_method(struct tv_out *out, const struct tv_export_method *method, bool has_class)
{
    if (has_class && method->class_name.len) {
        put_name(out, method->class_name);
        if (method->name.len)
            tv_out_text(out, TV_STR("."));
    }
    put_name(out, method->name);
    if (method->signature.len) {
        tv_out_text(out, TV_STR(" "));
        put_name(out, method->signature);
    }
    tv_out_text(out, TV_STR("\n"));
}

static void put_whole_name(struct tv_out *out, const struct tv_report_row *row)
{
    put_method(out, row->method, true);
}

static void put_us(struct tv_out *out, size_t width, uint64_t time_ns)
{
    tv_out_padded(out, width, (int64_t)us_of(time_ns));
}

/* A blank, and a share of `width` columns. */
static void put_share(struct tv_out *out, size_t width, unsigned decimals, double share)
{
    tv_out_text(out, TV_STR(" "));
    tv_out_real(out, width, decimals, share);
}

static void put_percent(struct tv_out *out, uint64_t part_ns, uint64_t whole_ns)
{
    tv_out_real(out, 5, 1, percent(part_ns, whole_ns));
    tv_out_text(out, TV_STR("%"));
}

/* Blanks up to the end of a column, and one behind it: a piece that is too long moves the rest. */
static void end_column(struct tv_out *out, uint64_t begin, size_t width)
{
    do
        tv_out_text(out, TV_STR(" "));
    while (out->total <= begin + width);
}

/* "     3+1      ": two counts with a sign between them, the second at the left of its column. */
static void put_calls(struct tv_out *out, uint64_t calls, char sign, uint64_t others)
{
    tv_out_padded(out, 6, (int64_t)calls);
    tv_out_bytes(out, &sign, 1);
    const uint64_t begin = out->total;
    tv_out_decimal(out, others);
    end_column(out, begin, 6);
}

/* "[12]   ", at the left of a column that may be 0. */
static void put_rank(struct tv_out *out, uint32_t rank, size_t width)
{
    const uint64_t begin = out->total;
    tv_out_text(out, TV_STR("["));
    tv_out_decimal(out, rank);
    tv_out_text(out, TV_STR("]"));
    end_column(out, begin, width);
}

static void put_separator(struct tv_out *out)
{
    tv_out_text(
        out, TV_STR("\n======================================================================\n"));
}

/* Rows are in descending order, so the first one without time ends the list. */
static void put_exclusive(struct printing *printing)
{
    const struct tv_report *report = printing->report;
    struct tv_out *out = &printing->out;
    uint64_t total_ns = report->total_ns[printing->clock];
    uint64_t sum_ns = 0;
    put_separator(out);
    tv_out_add(out, "Total cycles: %llu\n\n", us_of(total_ns));
    tv_out_text(out, TV_STR("Exclusive elapsed times for each method, not including time spent in\n"
                            "children, sorted by exclusive time.\n\n"
                            "    Usecs  self %  sum %  Method\n"));
    for (uint32_t i = 0; i < report->row_count && out->error.code == TV_OK; i++) {
        const struct tv_report_row *row = &report->rows[report->by_exclusive[i]];
        uint64_t exclusive_ns = row->exclusive_ns[printing->clock];
        if (!exclusive_ns)
            break;
        sum_ns += exclusive_ns;
        put_us(out, 9, exclusive_ns);
        tv_out_text(out, TV_STR(" "));
        put_share(out, 6, 2, percent(exclusive_ns, total_ns));
        put_share(out, 6, 2, percent(sum_ns, total_ns));
        tv_out_text(out, TV_STR("  "));
        put_rank(out, row->rank, 0);
        put_whole_name(out, row);
    }
}

/* A caller or a callee. Recursive ones have no share: their time is part of an outermost call's. */
static void put_relative(struct printing *printing, const struct tv_report_row *row,
                         const struct tv_report_relative *relative, uint64_t of_calls)
{
    struct tv_out *out = &printing->out;
    const struct tv_report_row *other = &printing->report->rows[relative->other];
    uint64_t inclusive_ns = relative->inclusive_ns[printing->clock];
    char rank[16];
    tv_out_text(out, TV_STR("               "));
    if (relative->is_recursive)
        tv_out_text(out, TV_STR("      "));
    else
        put_percent(out, inclusive_ns, row->inclusive_ns[printing->clock]);
    (void)snprintf(rank, sizeof(rank), "[%u]", other->rank);
    tv_out_add(out, " %6s ", rank);
    put_calls(out, relative->calls, '/', of_calls);
    put_us(out, 9, inclusive_ns);
    tv_out_text(out, TV_STR(" "));
    put_whole_name(out, other);
}

/* The callers or the callees of a row, recursive ones behind a line. */
static void put_relatives(struct printing *printing, const struct tv_report_row *row,
                          const struct tv_report_relatives *relatives)
{
    const struct tv_report *report = printing->report;
    size_t row_ix = (size_t)(row - report->rows);
    bool has_line = false;
    for (size_t i = relatives->first[row_ix]; i < relatives->first[row_ix + 1]; i++) {
        const struct tv_report_relative *relative = &relatives->of[i];
        const struct tv_report_row *of =
            relatives == &report->callers ? row : &report->rows[relative->other];
        if (relative->is_recursive && !has_line) {
            tv_out_text(&printing->out, TV_STR("               +++++++++++++++++++++++++\n"));
            has_line = true;
        }
        put_relative(printing, row, relative, of->calls + of->recursive_calls);
    }
}

/* The line of the method itself stands out by its index in brackets at the margin. */
static void put_block(struct printing *printing, const struct tv_report_row *row)
{
    struct tv_out *out = &printing->out;
    uint64_t inclusive_ns = row->inclusive_ns[printing->clock];
    uint64_t exclusive_ns = row->outermost_exclusive_ns[printing->clock];
    tv_out_text(out, TV_STR("----------------------------------------------------\n"));
    put_relatives(printing, row, &printing->report->callers);
    put_rank(out, row->rank, 6);
    put_percent(out, inclusive_ns, printing->report->total_ns[printing->clock]);
    tv_out_text(out, TV_STR("                "));
    put_calls(out, row->calls, '+', row->recursive_calls);
    put_us(out, 9, inclusive_ns);
    tv_out_text(out, TV_STR(" "));
    put_whole_name(out, row);
    tv_out_text(out, TV_STR("               "));
    put_percent(out, exclusive_ns, inclusive_ns);
    tv_out_text(out, TV_STR("   excl               "));
    put_us(out, 9, exclusive_ns);
    tv_out_text(out, TV_STR("\n"));
    put_relatives(printing, row, &printing->report->callees);
}

/* Stops where writing failed: a report may have a hundred thousand blocks, and a full disk should
 * not take minutes to notice. */
static void put_inclusive(struct printing *printing)
{
    const struct tv_report *report = printing->report;
    put_separator(&printing->out);
    tv_out_text(&printing->out,
                TV_STR("\nInclusive elapsed times for each method and its parents and children,\n"
                       "sorted by inclusive time.\n\n"
                       "index  %/total %/self  index     calls         usecs name\n"));
    for (uint32_t i = 0; i < report->row_count && printing->out.error.code == TV_OK; i++) {
        const struct tv_report_row *row = &report->rows[report->by_inclusive[i]];
        if (!row->inclusive_ns[printing->clock])
            break;
        put_block(printing, row);
    }
}

/* A method below its class, or below its name. */
static void put_member(struct printing *printing, const struct tv_report_group *group,
                       const struct tv_report_row *row, uint64_t sum_ns)
{
    struct tv_out *out = &printing->out;
    uint64_t group_ns = group->exclusive_ns[printing->clock];
    uint64_t exclusive_ns = row->exclusive_ns[printing->clock];
    put_us(out, 9, exclusive_ns);
    tv_out_text(out, TV_STR(" "));
    put_us(out, 9, row->inclusive_ns[printing->clock]);
    put_share(out, 7, 1, percent(exclusive_ns, group_ns));
    put_share(out, 7, 1, percent(sum_ns, group_ns));
    tv_out_text(out, TV_STR(" "));
    put_calls(out, row->calls, '+', row->recursive_calls);
    put_rank(out, row->rank, 0);
}

/* The second percentage is cumulative: how much of the whole this group and those above it have. */
static void put_group(struct printing *printing, const struct tv_report_groups *groups,
                      const struct tv_report_group *group, uint64_t sum_ns)
{
    const struct tv_report *report = printing->report;
    struct tv_out *out = &printing->out;
    uint64_t total_ns = report->total_ns[printing->clock];
    uint64_t group_ns = group->exclusive_ns[printing->clock];
    uint64_t members_ns = 0;
    tv_out_text(out, TV_STR("---------------------------------------------\n"));
    put_us(out, 9, group_ns);
    put_share(out, 7, 1, percent(group_ns, total_ns));
    put_share(out, 7, 1, percent(sum_ns, total_ns));
    tv_out_text(out, TV_STR(" "));
    put_calls(out, group->calls, '+', group->recursive_calls);
    put_name(out, group->name);
    tv_out_text(out, TV_STR("\n"));
    for (uint32_t i = 0; i < group->count; i++) {
        const struct tv_report_row *row = &report->rows[groups->members[group->first + i]];
        members_ns += row->exclusive_ns[printing->clock];
        put_member(printing, group, row, members_ns);
        put_method(out, row->method, groups == &report->names || !row->method->name.len);
    }
}

/* sum_ns is the share so far, which each group shows beside its own. */
static void put_groups(struct printing *printing, const struct tv_report_groups *groups)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < groups->count && printing->out.error.code == TV_OK; i++) {
        if (!groups->of[i].exclusive_ns[printing->clock])
            break;
        sum_ns += groups->of[i].exclusive_ns[printing->clock];
        put_group(printing, groups, &groups->of[i], sum_ns);
    }
}

/* The four parts in the order of dmtracedump. */
enum tv_code tv_report_write_text(const struct tv_report *report, struct tv_sink sink,
                                  struct tv_error *err)
{
    struct printing printing = {.report = report, .clock = report->opts.clock};
    struct tv_out *out = &printing.out;
    tv_out_init(out, sink);
    put_exclusive(&printing);
    put_inclusive(&printing);
    put_separator(out);
    tv_out_text(out, TV_STR("\nExclusive elapsed time for each class, summed over all the methods\n"
                            "in the class.\n\n"
                            "   Cycles %/total Cumul.%  Calls+Recur  Class\n"));
    put_groups(&printing, &report->classes);
    put_separator(out);
    tv_out_text(out,
                TV_STR("\nExclusive elapsed time for each method, summed over all the classes\n"
                       "that contain a method with the same name.\n\n"
                       "   Cycles %/total Cumul.%  Calls+Recur  Method\n"));
    put_groups(&printing, &report->names);
    return tv_out_finish(out, err);
}

/* A comparison on its way. */
struct comparing {
    const struct tv_report_diff *diff;
    enum tv_clock clock;
    struct tv_out out;
};

/* What of the two times of a row a table is about. */
enum compared { COMPARED_EXCLUSIVE, COMPARED_INCLUSIVE };

static uint64_t compared_ns(const struct comparing *comparing, unsigned run, uint32_t row,
                            enum compared what)
{
    const struct tv_report_row *of = &comparing->diff->runs[run]->rows[row];
    return (what == COMPARED_EXCLUSIVE ? of->exclusive_ns : of->inclusive_ns)[comparing->clock];
}

/* The change in percent of run 1; nothing where that is 0. */
static void put_change(struct tv_out *out, uint64_t before_ns, uint64_t after_ns)
{
    if (before_ns)
        tv_out_add(out, " %+9.2f",
                   100.0 * ((double)after_ns - (double)before_ns) / (double)before_ns);
    else
        tv_out_add(out, " %9s", "-");
}

/* Times are cut to microseconds first and then subtracted, so that the difference is that of the
 * two printed numbers. */
static void put_pair(struct comparing *comparing, const struct tv_report_pair *pair,
                     enum compared what)
{
    struct tv_out *out = &comparing->out;
    const struct tv_report_row *before = &comparing->diff->runs[0]->rows[pair->rows[0]];
    const struct tv_report_row *after = &comparing->diff->runs[1]->rows[pair->rows[1]];
    uint64_t before_ns = compared_ns(comparing, 0, pair->rows[0], what);
    uint64_t after_ns = compared_ns(comparing, 1, pair->rows[1], what);
    tv_out_add(out, "%12llu %12llu %+12lld", us_of(before_ns), us_of(after_ns),
               (long long)us_of(after_ns) - (long long)us_of(before_ns));
    put_change(out, before_ns, after_ns);
    tv_out_add(out, " %10llu %10llu  ", (unsigned long long)before->calls,
               (unsigned long long)after->calls);
    put_whole_name(out, before);
}

static void put_pairs(struct comparing *comparing, const char *title, const uint32_t *order,
                      enum compared what)
{
    const struct tv_report_diff *diff = comparing->diff;
    tv_out_add(&comparing->out, "\n%s\n", title);
    tv_out_add(&comparing->out, "%12s %12s %12s %9s %10s %10s  %s\n", "Run 1 (us)", "Run 2 (us)",
               "Diff (us)", "Diff (%)", "1: # calls", "2: # calls", "Method");
    for (size_t i = 0; i < diff->pair_count && comparing->out.error.code == TV_OK; i++)
        put_pair(comparing, &diff->pairs[order[i]], what);
}

/* What only one run has cannot be compared, so it is listed apart. */
static void put_only(struct comparing *comparing, unsigned run)
{
    const struct tv_report_diff *diff = comparing->diff;
    struct tv_out *out = &comparing->out;
    tv_out_add(out, "\nRun %u methods not found in Run %u\n", run + 1, 2 - run);
    tv_out_add(out, "%12s %12s %10s  %s\n", "Exclusive", "Inclusive", "# calls", "Method");
    for (size_t i = 0; i < diff->only_count[run] && out->error.code == TV_OK; i++) {
        const struct tv_report_row *row = &diff->runs[run]->rows[diff->only[run][i]];
        tv_out_add(out, "%12llu %12llu %10llu  ", us_of(row->exclusive_ns[comparing->clock]),
                   us_of(row->inclusive_ns[comparing->clock]), (unsigned long long)row->calls);
        put_whole_name(out, row);
    }
}

/* Both orders are written, since a method that got slower itself and one whose callees did stand at
 * different places. */
enum tv_code tv_report_diff_write_text(const struct tv_report_diff *diff, struct tv_sink sink,
                                       struct tv_error *err)
{
    struct comparing comparing = {.diff = diff, .clock = diff->runs[0]->opts.clock};
    tv_out_init(&comparing.out, sink);
    put_pairs(&comparing, "Exclusive", diff->by_exclusive, COMPARED_EXCLUSIVE);
    put_pairs(&comparing, "Inclusive", diff->by_inclusive, COMPARED_INCLUSIVE);
    put_only(&comparing, 0);
    put_only(&comparing, 1);
    return tv_out_finish(&comparing.out, err);
}
