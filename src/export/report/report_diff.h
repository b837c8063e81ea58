/*
 * Two reports side by side, as dmtracedump -d compares them: run 1 is the older trace. Methods are
 * the same where class, name and signature are.
 */
#ifndef TV_EXPORT_REPORT_REPORT_DIFF_H
#define TV_EXPORT_REPORT_REPORT_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "export/report/report.h"

/* A method of both runs: its row in either report. */
struct tv_report_pair {
    uint32_t rows[2];
    int64_t exclusive_ns; /* run 2 less run 1 */
    int64_t inclusive_ns;
};

struct tv_report_diff {
    const struct tv_alloc *alloc;
    const struct tv_report *runs[2]; /* of the same clock; borrowed */
    struct tv_report_pair *pairs;    /* by rank in run 1 */
    size_t pair_count, pair_cap;
    uint32_t *by_exclusive; /* places in `pairs`, largest difference first */
    uint32_t *by_inclusive;
    size_t order_count;
    /* Rows of one run that the other lacks, by rank. */
    uint32_t *only[2];
    size_t only_count[2], only_cap[2];
};

void tv_report_diff_init(struct tv_report_diff *diff, const struct tv_alloc *alloc);
void tv_report_diff_release(struct tv_report_diff *diff);
enum tv_code tv_report_diff_make(struct tv_report_diff *diff, const struct tv_report *run_1,
                                 const struct tv_report *run_2, struct tv_error *err) TV_MUST_CHECK;

#endif
