/*
 * What dmtracedump reports of a trace, as numbers: methods by exclusive time, methods by inclusive
 * time with their callers and callees, and methods grouped by class and by bare name. Its text
 * (export/report/report_text.h) and its graph (export/report/dot.h) are written from the same
 * report.
 *
 * A *row* is a method of the index, by its ordinal. One more row, the last, is "(toplevel)": the
 * time of the threads outside of all calls. It is there only where it is asked for.
 */
#ifndef TV_EXPORT_REPORT_REPORT_H
#define TV_EXPORT_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection/sums.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "export/names.h"
#include "index/index.h"

/* The most bytes of a name that a report shows in each place that it stands in: a trace can repeat
 * one long name in every row. */
#define TV_REPORT_NAME_SHOWN 1000u

struct tv_report_opts {
    enum tv_clock clock; /* whose times everything is ordered by */
    /* With the row "(toplevel)", 100 % is the time of all threads from their first record to their
     * last; without it, the time of their root calls. */
    bool has_toplevel;
};

struct tv_report_row {
    const struct tv_export_method *method; /* how it is named */
    uint64_t id;
    uint64_t calls; /* outermost calls */
    uint64_t recursive_calls;
    uint64_t inclusive_ns[TV_CLOCK_COUNT]; /* of outermost calls */
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
    uint64_t outermost_exclusive_ns[TV_CLOCK_COUNT]; /* of exclusive_ns, in outermost calls */
    uint32_t rank;       /* place in by_inclusive: reports call the row [rank] */
    uint32_t name_place; /* place among all rows by class, name, signature and id */
};

/* A caller or a callee of a row. */
struct tv_report_relative {
    uint32_t of;
    uint32_t other;
    bool is_recursive; /* the called, or calling, calls of the row are recursive */
    uint64_t calls;
    uint64_t inclusive_ns[TV_CLOCK_COUNT];
};

/* Relatives of all rows: those of row r are [first[r], first[r + 1]), the ones of its outermost
 * calls before the others, and longest first. */
struct tv_report_relatives {
    struct tv_report_relative *of;
    size_t count, cap;
    size_t *first;
};

/* The rows of one class, or of one bare name. */
struct tv_report_group {
    struct tv_str name;
    uint32_t first; /* its members are members[first .. first + count), longest exclusive first */
    uint32_t count;
    uint64_t calls;
    uint64_t recursive_calls;
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
};

/* Groups, longest exclusive time first. */
struct tv_report_groups {
    struct tv_report_group *of;
    size_t count, cap;
    uint32_t *members; /* row_count entries, without "(toplevel)" */
};

struct tv_report {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    struct tv_report_opts opts;
    struct tv_arena texts;             /* names that stand in no file */
    uint64_t total_ns[TV_CLOCK_COUNT]; /* 100 % */
    struct tv_report_row *rows;
    uint32_t row_count;
    uint32_t *by_exclusive;
    uint32_t *by_inclusive;
    struct tv_report_relatives callers;
    struct tv_report_relatives callees;
    struct tv_report_groups classes;
    struct tv_report_groups names;
};

void tv_report_init(struct tv_report *report, const struct tv_alloc *alloc);
void tv_report_release(struct tv_report *report);
/* Makes the report of sums. The index and the names are borrowed for as long as the report lives.
 */
enum tv_code tv_report_make(struct tv_report *report, const struct tv_sums *sums,
                            const struct tv_export_names *names, const struct tv_report_opts *opts,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
