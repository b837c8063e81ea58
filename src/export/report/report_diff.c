/*
 * Comparing two reports; see export/report/report_diff.h.
 *
 * Methods are matched by a join of both runs (compare/method_join.h), by class, name and signature
 * as they stand: dmtracedump knows no stable part of a name, and a row of each method, also where
 * several have the same names. The old tool looked for each method in the whole other list.
 */
#include "export/report/report_diff.h"

#include "base/memory/sort.h"
#include "compare/method_join.h"

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

/* The rows of both runs in the order of their names, and where the join has each. */
struct matching {
    struct tv_report_diff *diff;
    struct tv_join join;
    uint32_t *rows[2];   /* by place among the names */
    uint32_t *places[2]; /* the same: where the row stands in the join */
    uint32_t *row_of[2]; /* by method of the join; TV_NONE: the run has none */
};

/* Adds the rows of a run in the order of their names, so equal ones stand side by side. */
static enum tv_code add_run(struct matching *matching, unsigned run, struct tv_row_names *names,
                            struct tv_error *err)
{
    const struct tv_report *report = matching->diff->runs[run];
    for (uint32_t i = 0; i < report->row_count; i++)
        matching->rows[run][report->rows[i].name_place] = i;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const struct tv_export_method *method = report->rows[matching->rows[run][i]].method;
        names[i] = (struct tv_row_names){method->class_name, method->name, method->signature};
    }
    return tv_join_add_named(&matching->join, run, names, report->row_count, matching->places[run],
                             err);
}

static enum tv_code join_run(struct matching *matching, unsigned run, struct tv_error *err)
{
    const struct tv_alloc *alloc = matching->diff->alloc;
    const uint32_t count = matching->diff->runs[run]->row_count;
    struct tv_row_names *names;
    TV_TRY(tv_alloc_new(alloc, &matching->rows[run], count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &matching->places[run], count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(alloc, &names, count, sizeof(*names), err));
    enum tv_code code = add_run(matching, run, names, err);
    tv_alloc_release(alloc, &names, count, sizeof(*names));
    return code;
}

/* Lists which row of a run each method of the finished join is. */
static enum tv_code list_rows(struct matching *matching, unsigned run, struct tv_error *err)
{
    const size_t count = matching->join.count;
    TV_TRY(
        tv_alloc_new(matching->diff->alloc, &matching->row_of[run], count, sizeof(uint32_t), err));
    for (size_t i = 0; i < count; i++)
        matching->row_of[run][i] = TV_NONE;
    for (uint32_t i = 0; i < matching->diff->runs[run]->row_count; i++)
        matching->row_of[run][matching->join.sorted[matching->places[run][i]]] =
            matching->rows[run][i];
    return TV_OK;
}

static enum tv_code match_rows(struct matching *matching, struct tv_error *err)
{
    for (unsigned run = 0; run < 2; run++)
        TV_TRY(join_run(matching, run, err));
    TV_TRY(tv_join_finish(&matching->join, err));
    for (unsigned run = 0; run < 2; run++)
        TV_TRY(list_rows(matching, run, err));
    for (size_t i = 0; i < matching->join.count; i++) {
        const uint32_t before = matching->row_of[0][i];
        const uint32_t after = matching->row_of[1][i];
        if (before != TV_NONE && after != TV_NONE)
            TV_TRY(add_pair(matching->diff, before, after, err));
        else if (before != TV_NONE)
            TV_TRY(add_only(matching->diff, 0, before, err));
        else
            TV_TRY(add_only(matching->diff, 1, after, err));
    }
    return TV_OK;
}

static enum tv_code match(struct tv_report_diff *diff, struct tv_error *err)
{
    struct matching matching = {.diff = diff};
    tv_join_init(&matching.join, diff->alloc);
    tv_join_begin(&matching.join, 2);
    enum tv_code code = match_rows(&matching, err);
    for (unsigned run = 0; run < 2; run++) {
        const uint32_t count = diff->runs[run]->row_count;
        tv_alloc_release(diff->alloc, &matching.row_of[run], matching.join.count, sizeof(uint32_t));
        tv_alloc_release(diff->alloc, &matching.places[run], count, sizeof(uint32_t));
        tv_alloc_release(diff->alloc, &matching.rows[run], count, sizeof(uint32_t));
    }
    tv_join_release(&matching.join);
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
