/*
 * Two stored traces beside each other; see site/stored/compare.h.
 *
 * Both indexes are held, each is made into a report of all its methods, and the two reports are
 * compared as dmtracedump does (docs/dmtracedump.md). Memory is bounded by what an answer of either
 * trace may take. The indexes are mapped files, so all of it runs under tv_mapping_run.
 */
#include "site/stored/compare.h"

#include "analysis/selection/sums.h"
#include "base/memory/limit.h"
#include "export/names.h"
#include "export/report/report.h"
#include "export/report/report_diff.h"
#include "index/memory.h"
#include "os/memory/mapping.h"

/* The document has its style and its script in itself. It runs as a document of no origin, so a
 * script that got into it would reach nothing of the site. */
static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts";

struct run {
    struct tv_stored_index *held;
    struct tv_export_names names;
    struct tv_report report;
};

struct comparison {
    const struct tv_diff_sources *sources;
    const struct tv_pool *pool;
    struct tv_sink sink;
    struct tv_limit limit; /* what both runs may take together */
    struct run runs[2];
    struct tv_report_diff diff;
    struct tv_error err;
};

/* Chooses the default clock of both traces if it is the same, else wall time. */
static enum tv_code choose_clock(const struct run runs[2], enum tv_clock *clock,
                                 struct tv_error *err)
{
    const struct tv_index *a = &runs[0].held->index;
    const struct tv_index *b = &runs[1].held->index;
    *clock = tv_index_default_clock(a);
    if (tv_index_default_clock(b) != *clock)
        *clock = TV_CLOCK_WALL;
    if (a->info->has_clock[*clock] && b->info->has_clock[*clock])
        return TV_OK;
    return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                   "the two traces have no clock in common, so they cannot be compared");
}

/* The report of the whole trace, by the clock that both have. */
static enum tv_code make_run(const struct comparison *comparison, struct run *run,
                             const struct tv_report_opts *opts, struct tv_error *err)
{
    const struct tv_selection all = {.has_range = false};
    struct tv_sums sums;
    TV_TRY(tv_export_names_make(&run->names, &run->held->index, TV_STR(""), NULL, err));
    tv_sums_init(&sums, run->report.alloc);
    enum tv_code code = tv_sums_compute(&sums, &run->held->index, &all, comparison->pool, err);
    if (code == TV_OK)
        code = tv_report_make(&run->report, &sums, &run->names, opts, err);
    tv_sums_release(&sums);
    return code;
}

static enum tv_code make(struct comparison *comparison, struct tv_error *err)
{
    struct run *runs = comparison->runs;
    struct tv_report_opts opts = {.has_toplevel = true};
    TV_TRY(choose_clock(runs, &opts.clock, err));
    for (size_t i = 0; i < 2; i++)
        TV_TRY(make_run(comparison, &runs[i], &opts, err));
    TV_TRY(tv_report_diff_make(&comparison->diff, &runs[0].report, &runs[1].report, err));
    return tv_report_diff_write_html(&comparison->diff, comparison->sources, comparison->sink, err);
}

static void run_body(void *ctx)
{
    struct comparison *comparison = ctx;
    struct tv_error err = {.code = TV_OK};
    (void)make(comparison, &err);
    comparison->err = err;
}

/* Makes the document of two indexes that are held. When a mapped file went missing below the work,
 * the structs are in an unknown state, so they are not released: their memory is lost. */
static enum tv_code compare(struct comparison *comparison, const struct tv_alloc *alloc,
                            struct tv_error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t of_run = tv_memory_of_answer(&comparison->runs[i].held->index);
        if (!tv_size_add(most, of_run, &most))
            most = SIZE_MAX;
    }
    tv_limit_init(&comparison->limit, alloc, most);
    comparison->limit.is_unwanted = comparison->pool->is_unwanted;
    for (size_t i = 0; i < 2; i++) {
        tv_export_names_init(&comparison->runs[i].names, &comparison->limit.alloc);
        tv_report_init(&comparison->runs[i].report, &comparison->limit.alloc);
    }
    tv_report_diff_init(&comparison->diff, &comparison->limit.alloc);
    enum tv_code code = tv_mapping_run(run_body, comparison, err);
    if (code == TV_OK && comparison->err.code != TV_OK) {
        *err = comparison->err;
        code = err->code;
    }
    if (code == TV_OK || comparison->err.code != TV_OK) {
        tv_report_diff_release(&comparison->diff);
        for (size_t i = 2; i-- > 0;) {
            tv_report_release(&comparison->runs[i].report);
            tv_export_names_release(&comparison->runs[i].names);
        }
    }
    return tv_limit_tell(&comparison->limit, code, "the comparison takes too much memory", err);
}

/* What is wrong with the traces is the request's fault, all else the site's. */
static int status_of(enum tv_code code)
{
    switch ((int)code) {
    case TV_ERR_FORMAT:
    case TV_ERR_LIMIT:
        return 422;
    case TV_ERR_NOT_FOUND:
        return 404;
    case TV_ERR_CANCELLED:
        return 503;
    default:
        return 500;
    }
}

/* Both indexes are held while the document is made. */
void tv_compare_send(struct tv_stored *stored, const struct tv_stored_trace traces[2],
                     const struct tv_diff_sources *sources, const struct tv_pool *pool,
                     const atomic_bool *is_unwanted, struct tv_http_response *response)
{
    const struct tv_pool watched = tv_pool_until(pool, is_unwanted);
    struct comparison comparison = {
        .sources = sources, .pool = &watched, .sink = tv_buffer_sink(&response->owned)};
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = TV_OK;
    for (size_t i = 0; i < 2 && code == TV_OK; i++)
        code = tv_stored_hold(stored, &traces[i], &comparison.runs[i].held, &err);
    if (code == TV_OK)
        code = compare(&comparison, response->owned.alloc, &err);
    for (size_t i = 0; i < 2; i++)
        tv_stored_let_go(stored, comparison.runs[i].held);
    if (code != TV_OK) {
        tv_http_drop_body(response);
        tv_http_refuse(response, status_of(code), err.text);
        return;
    }
    tv_http_set(response, "Content-Security-Policy", policy);
    tv_http_send(response, 200, "text/html; charset=utf-8", "no-store");
}
