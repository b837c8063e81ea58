/*
 * window: the boxes of the timeline for a range of time, a width in pixels, and the rows that are
 * on the screen. A row is a thread folded into one line (ID:f), one depth of a thread (ID:LOW-HIGH
 * asks for several), or the extents of the calls of one method or of a set (ID:x). Where packages
 * are hidden, depths count the calls that are shown.
 */
#include "analysis/selection/range.h"
#include "analysis/timeline/window.h"
#include "api/lean_query.h"
#include "api/pack_window.h"
#include "api/query.h"
#include "api/route.h"
#include "api/set_query.h"
#include "base/alloc.h"
#include "base/error.h"

/* Widest picture: three viewports at 8K. */
#define WIDTH_LIMIT 32768u

/* The rows that were read so far, of threads as deep as they are shown. */
struct row_list {
    const struct tv_index *shown;
    struct tv_window_row *rows;
    size_t count;
    size_t cap;
};

/* The limit is far above the rows of a screen. It bounds what a request that no page sends can make
 * the server do. */
static enum tv_code add_row(struct tv_request *request, struct row_list *list,
                            const struct tv_window_row *row, struct tv_error *err)
{
    if (list->count == TV_WINDOW_ROW_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u rows in one window",
                       TV_WINDOW_ROW_LIMIT);
    TV_TRY(tv_alloc_grow(request->alloc, &list->rows, &list->cap, list->count + 1,
                         sizeof(*list->rows), err));
    list->rows[list->count++] = *row;
    return TV_OK;
}

static enum tv_code bad_row(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "rows must be THREAD:f, THREAD:LOW-HIGH or THREAD:x, separated by commas");
}

/* Adds a row for each depth of "LOW-HIGH" that the thread has. */
static enum tv_code add_depths(struct tv_request *request, struct row_list *list,
                               uint32_t thread_ix, struct tv_str text, struct tv_error *err)
{
    struct tv_str low_text;
    uint64_t low;
    uint64_t high;
    if (!tv_str_split(&text, '-', &low_text) || !tv_str_to_u64(low_text, 10, &low) ||
        !tv_str_to_u64(text, 10, &high) || low > high)
        return bad_row(err);
    uint32_t max_depth = list->shown->threads[thread_ix].max_depth;
    for (uint64_t depth = low; depth <= high && depth < max_depth; depth++) {
        struct tv_window_row row = {
            .thread_ix = thread_ix, .kind = TV_ROW_DEPTH, .depth = (uint32_t)depth};
        TV_TRY(add_row(request, list, &row, err));
    }
    return TV_OK;
}

/* Reads one row and adds it, or all rows of a list of depths. */
static enum tv_code take_row(struct tv_request *request, struct row_list *list, struct tv_str text,
                             bool *has_extents, struct tv_error *err)
{
    struct tv_str id_text;
    uint64_t id;
    uint32_t thread_ix;
    if (!tv_str_split(&text, ':', &id_text) || !tv_str_to_u64(id_text, 10, &id) || !text.len)
        return bad_row(err);
    TV_TRY(tv_query_thread_of_id(request->index, id, &thread_ix, err));
    struct tv_window_row row = {.thread_ix = thread_ix, .kind = TV_ROW_FOLDED};
    if (tv_str_equal(text, TV_STR("f")))
        return add_row(request, list, &row, err);
    if (!tv_str_equal(text, TV_STR("x")))
        return add_depths(request, list, thread_ix, text, err);
    *has_extents = true;
    row.kind = TV_ROW_EXTENTS;
    /* A row of extents costs a scan of its thread, so the same row is not made twice. */
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].kind == TV_ROW_EXTENTS && list->rows[i].thread_ix == thread_ix)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "rows has the extents of thread %llu twice", (unsigned long long)id);
    }
    return add_row(request, list, &row, err);
}

/* Rows are taken in the order of the query, and answered in the same order: the page finds a row by
 * its place. */
static enum tv_code take_rows(struct tv_request *request, struct row_list *list, bool *has_extents,
                              struct tv_error *err)
{
    struct tv_str text;
    struct tv_str part;
    if (!tv_params_find(&request->params, "rows", &text) || !text.len)
        return tv_params_missing("rows", err);
    while (tv_str_split(&text, ',', &part))
        TV_TRY(take_row(request, list, part, has_extents, err));
    return TV_OK;
}

/* Reads the range and the width. The range is the whole axis unless it is given; an axis of no
 * length counts as 1 ns, so that there is something to divide. */
static enum tv_code take_opts(struct tv_request *request, struct tv_window_opts *opts,
                              struct tv_error *err)
{
    const struct tv_params *params = &request->params;
    struct tv_str text;
    uint64_t width = 0;
    uint64_t axis_len = tv_axis_len_ns(request->index);
    opts->to_ns = axis_len ? axis_len : 1;
    TV_TRY(tv_params_u64(params, "from", 0, INT64_MAX, &opts->from_ns, err));
    TV_TRY(tv_params_u64(params, "to", 0, INT64_MAX, &opts->to_ns, err));
    if (opts->from_ns >= opts->to_ns)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "from must be below to");
    if (!tv_params_find(params, "width", &text))
        return tv_params_missing("width", err);
    TV_TRY(tv_params_u64(params, "width", 1, WIDTH_LIMIT, &width, err));
    opts->width = (uint32_t)width;
    return tv_params_truth(params, "cpu", &opts->has_cpu, err);
}

/* Extents are those of the calls of a set where one is given, else of a method. */
static enum tv_code take_extents(struct tv_request *request, struct tv_scope *scope,
                                 struct tv_window_opts *opts, struct tv_error *err)
{
    tv_scope_init(scope, request->index);
    TV_TRY(tv_query_set(&request->params, request->index, scope, err));
    if (scope->selection.set) {
        opts->extents_of = &scope->selection;
        return TV_OK;
    }
    return tv_query_method(&request->params, "extents", request->index, &opts->extents_method, err);
}

/* The limit of boxes depends on the number of rows, because rows take room in the answer, too. */
static enum tv_code compute(struct tv_request *request, struct row_list *list,
                            const struct tv_lean *lean, struct tv_window *window,
                            struct tv_error *err)
{
    struct tv_window_opts opts = {.lean = lean};
    struct tv_scope scope;
    bool has_extents = false;
    list->shown = lean ? &lean->index : request->index;
    TV_TRY(take_opts(request, &opts, err));
    TV_TRY(take_rows(request, list, &has_extents, err));
    if (has_extents)
        TV_TRY(take_extents(request, &scope, &opts, err));
    opts.pool = request->api->pool;
    opts.box_limit = tv_pack_window_room((uint32_t)list->count);
    TV_TRY(
        tv_window_compute(window, request->index, list->rows, (uint32_t)list->count, &opts, err));
    return tv_pack_window(request, window, &opts, err);
}

/* The list of rows grows while the query is read, and is released here whether the window could be
 * computed or not. */
static enum tv_code answer(struct tv_request *request, const struct tv_lean *lean,
                           struct tv_error *err)
{
    struct row_list list = {.rows = NULL};
    struct tv_window window;
    tv_window_init(&window, request->alloc);
    enum tv_code code = compute(request, &list, lean, &window, err);
    tv_window_release(&window);
    tv_alloc_release(request->alloc, &list.rows, list.cap, sizeof(*list.rows));
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_lean_query_run(request, answer, err);
}

static const char *const params[] = {"from", "to",    "width",       "rows", "extents",
                                     "cpu",  "calls", TV_HIDE_PARAM, NULL};

const struct tv_route tv_route_window = {"window", TV_TYPE_PACKED, params, run};
