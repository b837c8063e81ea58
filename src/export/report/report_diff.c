/*
 * Comparing two reports; see export/report/report_diff.h.
 *
 * The rows of both reports are listed by class, name and signature. The two lists are then walked
 * together: equal names are a pair, and a name that only one list has is listed as such. So the
 * work is that of sorting; the old tool looked for each method in the whole other list.
 */
#include "export/report/report_diff.h"

#include "base/memory/sort.h"

void tv_report_diff_init(struct tv_report_diff *diff, const struct tv_alloc *alloc)
{
    *diff = (struct tv_report_diff){.alloc = alloc};
}

void tv_report_diff_release(struct tv_report_diff *diff)
{
    for (unsigned run = 0; run < 2; run++)
        tv_alloc_release(diff->alloc, &diff->only[run], diff->only_cap[run], sizeof(uint32_t));
    tv_alloc_release(diff->alloc, &diff->by_inclusive, diff->order_count, sizeof(uint32_t));
    tv_alloc_release(diff->alloc, &diff->by_exclusive, diff->order_count, sizeof(uint32_t));
    tv_alloc_release(diff->alloc, &diff->pairs, diff->pair_cap, sizeof(*diff->pairs));
    tv_report_diff_init(diff, diff->alloc);
}

/* Differences are signed, and of the clock that both reports were made for. */
static enum tv_code add_pair(struct tv_report_diff *diff, uint32_t row_1, uint32_t row_2,
                             struct tv_error *err)
{
    enum tv_clock clock = diff->runs[0]->opts.clock;
    const struct tv_report_row *before = &diff->runs[0]->rows[row_1];
    const struct tv_report_row *after = &diff->runs[1]->rows[row_2];
    TV_TRY(tv_alloc_grow(diff->alloc, &diff->pairs, &diff->pair_cap, diff->pair_count + 1,
                         sizeof(*diff->pairs), err));
    diff->pairs[diff->pair_count++] = (struct tv_report_pair){
        .rows = {row_1, row_2},
        .exclusive_ns = (int64_t)(after->exclusive_ns[clock] - before->exclusive_ns[clock]),
        .inclusive_ns = (int64_t)(after->inclusive_ns[clock] - before->inclusive_ns[clock]),
    };
    return TV_OK;
}

static enum tv_code add_only(struct tv_report_diff *diff, unsigned run, uint32_t row,
                             struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(diff->alloc, &diff->only[run], &diff->only_cap[run],
                         diff->only_count[run] + 1, sizeof(uint32_t), err));
    diff->only[run][diff->only_count[run]++] = row;
    return TV_OK;
}

/* Goes through both runs in the order of names. rows[run] lists a run's rows so. */
static enum tv_code match_rows(struct tv_report_diff *diff, const uint32_t *const rows[2],
                               struct tv_error *err)
{
    const struct tv_report *before = diff->runs[0];
    const struct tv_report *after = diff->runs[1];
    uint32_t i = 0;
    uint32_t k = 0;
    while (i < before->row_count || k < after->row_count) {
        int order = i == before->row_count  ? 1
                    : k == after->row_count ? -1
                                            : tv_report_compare_names(&before->rows[rows[0][i]],
                                                                      &after->rows[rows[1][k]]);
        if (!order)
            TV_TRY(add_pair(diff, rows[0][i++], rows[1][k++], err));
        else if (order < 0)
            TV_TRY(add_only(diff, 0, rows[0][i++], err));
        else
            TV_TRY(add_only(diff, 1, rows[1][k++], err));
    }
    return TV_OK;
}

/* Lists a report's rows in the order of their names. */
static enum tv_code list_by_name(const struct tv_report *report, uint32_t **rows,
                                 struct tv_error *err)
{
    TV_TRY(tv_alloc_new(report->alloc, rows, report->row_count, sizeof(uint32_t), err));
    for (uint32_t i = 0; i < report->row_count; i++)
        (*rows)[report->rows[i].name_place] = i;
    return TV_OK;
}

/* Both lists are ordered by name, so matching takes one pass over both. */
static enum tv_code match(struct tv_report_diff *diff, struct tv_error *err)
{
    uint32_t *rows[2] = {NULL, NULL};
    enum tv_code code = list_by_name(diff->runs[0], &rows[0], err);
    if (code == TV_OK)
        code = list_by_name(diff->runs[1], &rows[1], err);
    if (code == TV_OK)
        code = match_rows(diff, (const uint32_t *const[2]){rows[0], rows[1]}, err);
    for (unsigned run = 0; run < 2; run++)
        tv_alloc_release(diff->runs[run]->alloc, &rows[run], diff->runs[run]->row_count,
                         sizeof(uint32_t));
    return code;
}

static int compare_pair_ranks(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report_diff *diff = ctx;
    uint32_t rank_a = diff->runs[0]->rows[diff->pairs[a].rows[0]].rank;
    uint32_t rank_b = diff->runs[0]->rows[diff->pairs[b].rows[0]].rank;
    return (rank_a > rank_b) - (rank_a < rank_b);
}

static int compare_ranks(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report_row *rows = ctx;
    return (rows[a].rank > rows[b].rank) - (rows[a].rank < rows[b].rank);
}

static int compare_exclusive(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report_pair *pairs = ctx;
    return (pairs[a].exclusive_ns < pairs[b].exclusive_ns) -
           (pairs[a].exclusive_ns > pairs[b].exclusive_ns);
}

static int compare_inclusive(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report_pair *pairs = ctx;
    return (pairs[a].inclusive_ns < pairs[b].inclusive_ns) -
           (pairs[a].inclusive_ns > pairs[b].inclusive_ns);
}

/* Sorts everything. Equal differences stay in the order of ranks. */
static enum tv_code order(struct tv_report_diff *diff, struct tv_error *err)
{
    const struct tv_alloc *alloc = diff->alloc;
    size_t count = diff->pair_count;
    for (unsigned run = 0; run < 2; run++)
        TV_TRY(tv_sort(alloc, diff->only[run], diff->only_count[run], compare_ranks,
                       diff->runs[run]->rows, err));
    TV_TRY(tv_sort_rows(alloc, diff->pairs, count, sizeof(*diff->pairs), compare_pair_ranks, diff,
                        err));
    diff->order_count = count;
    TV_TRY(tv_alloc_new(alloc, &diff->by_exclusive, count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &diff->by_inclusive, count, sizeof(uint32_t), err));
    for (uint32_t i = 0; i < count; i++)
        diff->by_exclusive[i] = diff->by_inclusive[i] = i;
    TV_TRY(tv_sort(alloc, diff->by_exclusive, count, compare_exclusive, diff->pairs, err));
    return tv_sort(alloc, diff->by_inclusive, count, compare_inclusive, diff->pairs, err);
}

/* The two reports stay the caller's, and must live as long as the difference. */
enum tv_code tv_report_diff_make(struct tv_report_diff *diff, const struct tv_report *run_1,
                                 const struct tv_report *run_2, struct tv_error *err)
{
    tv_report_diff_release(diff);
    diff->runs[0] = run_1;
    diff->runs[1] = run_2;
    enum tv_code code = match(diff, err);
    if (code == TV_OK)
        code = order(diff, err);
    if (code != TV_OK)
        tv_report_diff_release(diff);
    return code;
}
