/*
 * The answer of diff as Markdown, for a comment in a pull request: what matters most, and the rest
 * folded.
 *
 * Tables are HTML, and every line that can hold a name begins with a tag. Markdown passes such a
 * block on as it is until an empty line, so no pipe, backtick or @ of a name has a meaning in it,
 * and a name has no line end of its own (base/text/markup.h). GitHub looks for people to tell in
 * text outside of <code>, where no name stands.
 */
#include <math.h>

#include "base/text/markup.h"
#include "base/text/out.h"
#include "cli/compare/diff.h"
#include "cli/file/load.h"

/* Rows of a list that are not folded. */
#define UNFOLDED 5u

enum columns { OF_CALLS, OF_TESTED_TIMES, OF_SAMPLES, OF_WHOLE_SAMPLES, OF_UNDECIDED };

struct page {
    const struct tv_diff *diff;
    struct tv_out *out;
    struct tv_text cell; /* of a table, or a sentence */
    struct tv_buffer name;
};

static void put(struct page *page, const char *markup)
{
    tv_out_text(page->out, tv_str_from(markup));
}

/* Puts what stands in `cell`, between tags, and empties it. */
static void put_cell(struct page *page, const char *before, const char *behind)
{
    put(page, before);
    tv_markup_text(page->out, tv_text_view(&page->cell));
    put(page, behind);
    page->cell.buffer.len = 0;
}

static void put_number(struct page *page)
{
    put_cell(page, "<td align=\"right\">", "</td>");
}

static void put_name(struct page *page, struct tv_str name)
{
    put(page, "<code>");
    tv_markup_name(page->out, name);
    put(page, "</code>");
}

static void put_side(struct page *page, enum tv_side side)
{
    const struct tv_diff *diff = page->diff;
    size_t first = side == TV_SIDE_NEW ? diff->of.opts.run_counts[TV_SIDE_OLD] : 0;
    size_t count = diff->of.opts.run_counts[side];
    put(page, side == TV_SIDE_OLD ? "<tr><th>old</th>" : "<tr><th>new</th>");
    tv_text_add_count(&page->cell, count);
    put_number(page);
    tv_text_add_count(&page->cell, tv_comparison_calls(&diff->of, side));
    put_number(page);
    tv_text_add_ms(&page->cell, (int64_t)tv_comparison_total(&diff->of, side));
    put_number(page);
    put(page, "<td>");
    put_name(page, diff->of.runs[first].file);
    if (count > 1)
        tv_out_add(page->out, " and %zu more", count - 1);
    put(page, "</td></tr>\n");
}

static void put_sides(struct page *page)
{
    put(page, "<table>\n<tr><th>Side</th><th>Runs</th><th>Calls</th><th>");
    put(page, page->diff->of.clock == TV_CLOCK_CPU ? "CPU" : "Wall");
    put(page, " ms</th><th>File</th></tr>\n");
    put_side(page, TV_SIDE_OLD);
    put_side(page, TV_SIDE_NEW);
    put(page, "</table>\n\n");
    tv_diff_add_totals(&page->cell, page->diff);
    put_cell(page, "<p>", "</p>\n\n");
}

static const char *const heads[] = {
    [OF_CALLS] = "<th>Old calls</th><th>New calls</th><th>Change ms</th>",
    [OF_TESTED_TIMES] = "<th>Old ms</th><th>New ms</th><th>Change</th><th>p</th>",
    [OF_SAMPLES] = "<th>Old ms</th><th>New ms</th><th>All ms</th><th>By calls</th><th>By cost</th>",
    [OF_WHOLE_SAMPLES] = "<th>Old ms</th><th>New ms</th><th>All ms</th>",
    [OF_UNDECIDED] = "<th>Old ms</th><th>New ms</th><th>Change</th><th>Runs to decide</th>",
};

static void put_test(struct page *page, const struct tv_change *change, enum columns columns)
{
    if (change->is_apart) {
        put_number(page);
        tv_text_add(&page->cell, "no test");
        put_number(page);
        return;
    }
    const struct tv_significance_row *row =
        &page->diff->of.changes.significance.rows[change->tested];
    tv_diff_add_ratio(&page->cell, exp(row->change));
    put_number(page);
    if (columns == OF_TESTED_TIMES)
        tv_text_add(&page->cell, "%.2g", row->p_adjusted);
    else if (row->runs)
        tv_text_add_count(&page->cell, row->runs);
    else
        tv_text_add(&page->cell, "over %u", TV_MOST_RUNS_PROPOSED);
    put_number(page);
}

/* Which columns a row has follows from what its list is about: calls, times of one sample, times
 * that were tested, or those that are undecided. */
static enum tv_code put_row(struct page *page, uint32_t place, enum columns columns,
                            struct tv_error *err)
{
    const struct tv_diff *diff = page->diff;
    const struct tv_change *change = &diff->of.changes.of[place];
    put(page, "<tr>");
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        if (columns == OF_CALLS)
            tv_text_add_range(&page->cell, change->sides[side].least_calls,
                              change->sides[side].most_calls);
        else
            tv_text_add_ms(&page->cell, (int64_t)change->sides[side].median.time_ns);
        put_number(page);
    }
    if (columns == OF_TESTED_TIMES || columns == OF_UNDECIDED) {
        put_test(page, change, columns);
    } else {
        tv_diff_add_signed_ms(&page->cell, tv_change_ns(change));
        put_number(page);
    }
    if (columns == OF_SAMPLES) {
        tv_diff_add_signed_ms(&page->cell, change->cause.by_calls_ns);
        put_number(page);
        tv_diff_add_signed_ms(&page->cell, change->cause.by_cost_ns);
        put_number(page);
    }
    TV_TRY(tv_joined_text(&diff->of.join.methods[place], &page->name, err));
    put(page, "<td>");
    put_name(page, tv_buffer_view(&page->name));
    put(page, "</td></tr>\n");
    return TV_OK;
}

static enum tv_code put_rows(struct page *page, const struct tv_compared_list *list, size_t from,
                             size_t until, enum columns columns, struct tv_error *err)
{
    put(page, "<table>\n<tr>");
    put(page, heads[columns]);
    put(page, "<th>Method</th></tr>\n");
    for (size_t i = from; i < until; i++)
        TV_TRY(put_row(page, list->of[i], columns, err));
    put(page, "</table>\n");
    return TV_OK;
}

static void put_rest(struct page *page, size_t count)
{
    if (count)
        tv_out_add(page->out, "<p>and %zu more: <code>traceview diff -n 0</code> shows all</p>\n",
                   count);
}

static enum tv_code put_list(struct page *page, const struct tv_compared_list *list,
                             enum columns columns, struct tv_error *err)
{
    size_t shown = tv_comparison_shown(&page->diff->of, list);
    size_t unfolded = shown < UNFOLDED ? shown : UNFOLDED;
    if (!shown)
        return TV_OK;
    TV_TRY(put_rows(page, list, 0, unfolded, columns, err));
    if (unfolded < shown) {
        tv_out_add(page->out, "<details><summary>%zu more</summary>\n", shown - unfolded);
        TV_TRY(put_rows(page, list, unfolded, shown, columns, err));
        put(page, "</details>\n");
    }
    put_rest(page, list->count - shown);
    put(page, "\n");
    return TV_OK;
}

static void put_words(void *ctx, struct tv_str words)
{
    const struct page *page = ctx;
    tv_markup_text(page->out, words);
}

static enum tv_code put_method(void *ctx, uint32_t method, struct tv_error *err)
{
    struct page *page = ctx;
    TV_TRY(tv_joined_text(&page->diff->of.join.methods[method], &page->name, err));
    put_name(page, tv_buffer_view(&page->name));
    return TV_OK;
}

/* Sentences about calls that moved, the first few unfolded. */
static enum tv_code put_moved(struct page *page, size_t from, size_t until, struct tv_error *err)
{
    const struct tv_diff_pieces pieces = {put_words, put_method, page};
    for (size_t i = from; i < until; i++) {
        put(page, "<p>");
        TV_TRY(tv_diff_tell_moved(page->diff, i, &pieces, err));
        put(page, "</p>\n");
    }
    return TV_OK;
}

static enum tv_code put_began(struct page *page, size_t from, size_t until, struct tv_error *err)
{
    const struct tv_context_join *contexts = &page->diff->of.contexts;
    const struct tv_diff_pieces pieces = {put_words, put_method, page};
    put(page, "<table>\n<tr><th>Old calls</th><th>New calls</th><th>Path</th></tr>\n");
    for (size_t i = from; i < until; i++) {
        const uint32_t place = page->diff->of.moves.began[i];
        const struct tv_context_side *sides = contexts->of[place].sides;
        put(page, "<tr>");
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            tv_text_add_range(&page->cell, sides[side].least_calls, sides[side].most_calls);
            put_number(page);
        }
        put(page, "<td>");
        TV_TRY(tv_diff_tell_path(page->diff, place, &pieces, err));
        put(page, "</td></tr>\n");
    }
    put(page, "</table>\n");
    return TV_OK;
}

/* Writes a list of `count` rows by calling `rows`, and folds all but the first UNFOLDED. */
static enum tv_code put_folded(struct page *page, size_t count,
                               enum tv_code (*rows)(struct page *page, size_t from, size_t until,
                                                    struct tv_error *err),
                               struct tv_error *err)
{
    const size_t shown = tv_diff_shown(page->diff, count);
    const size_t unfolded = shown < UNFOLDED ? shown : UNFOLDED;
    if (!shown)
        return TV_OK;
    TV_TRY(rows(page, 0, unfolded, err));
    if (unfolded < shown) {
        tv_out_add(page->out, "<details><summary>%zu more</summary>\n", shown - unfolded);
        TV_TRY(rows(page, unfolded, shown, err));
        put(page, "</details>\n");
    }
    put_rest(page, count - shown);
    put(page, "\n");
    return TV_OK;
}

static enum tv_code put_tree(struct page *page, struct tv_error *err)
{
    const struct tv_context_changes *moves = &page->diff->of.moves;
    if (!tv_diff_has_tree(page->diff))
        return TV_OK;
    tv_diff_add_tree_summary(&page->cell, page->diff);
    put_cell(page, "<p><b>", "</b></p>\n\n");
    TV_TRY(put_folded(page, moves->moved_count, put_moved, err));
    return put_folded(page, moves->began_count, put_began, err);
}

static enum tv_code put_thread_rows(struct page *page, size_t from, size_t until,
                                    struct tv_error *err)
{
    const struct tv_thread_join *threads = &page->diff->of.threads;
    (void)err;
    put(page, "<table>\n<tr><th>Old calls</th><th>New calls</th><th>Old ms</th><th>New ms</th>"
              "<th>Threads of the name</th></tr>\n");
    for (size_t i = from; i < until; i++) {
        const uint32_t place = threads->changed[i];
        const struct tv_thread_side *sides = threads->of[place].sides;
        put(page, "<tr>");
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            tv_text_add_range(&page->cell, sides[side].least.calls, sides[side].most.calls);
            put_number(page);
        }
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
            tv_text_add_ms(&page->cell, (int64_t)tv_thread_time(threads, place, (enum tv_side)side,
                                                                page->diff->of.clock));
            put_number(page);
        }
        put(page, "<td>");
        put_name(page, threads->of[place].name);
        put(page, "</td></tr>\n");
    }
    put(page, "</table>\n");
    return TV_OK;
}

static enum tv_code put_threads(struct page *page, struct tv_error *err)
{
    if (!tv_diff_has_threads(page->diff))
        return TV_OK;
    tv_diff_add_threads_summary(&page->cell, page->diff);
    put_cell(page, "<p><b>", "</b></p>\n\n");
    return put_folded(page, page->diff->of.threads.changed_count, put_thread_rows, err);
}

static void put_notes(struct page *page)
{
    struct tv_str line;
    tv_diff_add_notes(&page->cell, page->diff);
    struct tv_str notes = tv_text_view(&page->cell);
    while (tv_str_split(&notes, '\n', &line)) {
        if (line.len)
            TV_MARKUP(page->out, "<p>{}</p>\n\n", line);
    }
    page->cell.buffer.len = 0;
}

/* Rules come before all lists, since they decide about a build, then calls, which are exact, then
 * times. Where times are not tested, the list has differences of samples, and no verdicts. */
static enum tv_code put_page(struct page *page, struct tv_error *err)
{
    const struct tv_diff *diff = page->diff;
    put_sides(page);
    put_notes(page);
    TV_TRY(tv_rule_file_markdown(&diff->rules, page->out, err));
    if (diff->of.no_counts.code == TV_OK) {
        tv_diff_add_calls_summary(&page->cell, diff);
        put_cell(page, "<p><b>", "</b></p>\n\n");
        TV_TRY(put_list(page, &diff->of.calls, OF_CALLS, err));
        TV_TRY(put_tree(page, err));
        TV_TRY(put_threads(page, err));
    } else {
        put(page, "<p>Calls are not compared: ");
        put_name(page, diff->of.no_counts_of);
        TV_MARKUP(page->out, " {}.</p>\n\n", tv_str_from(diff->of.no_counts.text));
    }
    tv_diff_add_time_summary(&page->cell, diff);
    put_cell(page, "<p><b>", "</b></p>\n\n");
    if (!tv_comparison_is_tested(&diff->of))
        return put_list(page, &diff->of.times,
                        diff->of.no_counts.code == TV_OK ? OF_SAMPLES : OF_WHOLE_SAMPLES, err);
    TV_TRY(put_list(page, &diff->of.times, OF_TESTED_TIMES, err));
    if (!diff->of.open.count)
        return TV_OK;
    put(page, "<p>Undecided, those with the largest difference:</p>\n\n");
    return put_list(page, &diff->of.open, OF_UNDECIDED, err);
}

enum tv_code tv_diff_markdown_body(const struct tv_diff *diff, struct tv_out *out,
                                   struct tv_error *err)
{
    struct page page = {.diff = diff, .out = out};
    tv_text_init(&page.cell, diff->cli->alloc);
    tv_buffer_init(&page.name, diff->cli->alloc);
    enum tv_code code = put_page(&page, err);
    if (code == TV_OK && page.cell.code != TV_OK)
        code = tv_fail_memory(err, page.cell.buffer.len);
    tv_buffer_release(&page.name);
    tv_text_release(&page.cell);
    return code;
}

enum tv_code tv_diff_markdown(const struct tv_diff *diff, struct tv_buffer *body,
                              struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(body));
    tv_out_text(&out, TV_STR("### What changed\n\n"));
    TV_TRY(tv_diff_markdown_body(diff, &out, err));
    return tv_out_finish(&out, err);
}
