/*
 * The answer of diff for people: both sides, what is certain, and then what is not. Counts of calls
 * come first, since they decide from one run a side; times follow, tested where there are enough
 * runs, else shown as samples that decide nothing. Names, ratios and verdicts come from
 * compare/change.h; here is only the layout.
 */
#include <math.h>

#include "cli/compare/diff.h"
#include "cli/file/load.h"
#include "cli/terminal/table.h"

/* A table of methods. */
enum columns { OF_CALLS, OF_TESTED_TIMES, OF_SAMPLES, OF_UNDECIDED };

/* One table of the answer while it is filled. */
struct listing {
    const struct tv_diff *diff;
    enum columns columns;
    struct tv_text_table table;
    struct tv_buffer name;
};

static void add_signed_ms(struct tv_text_table *table, int64_t time_ns)
{
    tv_diff_add_signed_ms(&table->cells, time_ns);
    tv_table_end_cell(table);
}

/* The columns of both sides, which stay where a terminal is narrow. */
static void add_side_columns(const struct tv_diff *diff, struct tv_text_table *table, bool is_calls)
{
    static const char *const headers[2][2][TV_SIDE_COUNT] = {
        {{"Old ms", "New ms"}, {"Old calls", "New calls"}},
        {{"Other ms", "This ms"}, {"Other calls", "This calls"}}};
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        tv_table_column(table, headers[diff->is_of_calls][is_calls][side], TV_ALIGN_RIGHT);
        tv_table_keep(table);
    }
}

/* Columns depend on what is known: a difference has parts where counts are, a tested time has a p
 * value, an undecided one the number of runs that would decide it. */
static void add_columns(struct listing *listing)
{
    struct tv_text_table *table = &listing->table;
    bool is_calls = listing->columns == OF_CALLS;
    add_side_columns(listing->diff, table, is_calls);
    if (listing->columns == OF_TESTED_TIMES || listing->columns == OF_UNDECIDED)
        tv_table_column(table, "Change", TV_ALIGN_RIGHT);
    if (listing->columns == OF_TESTED_TIMES) {
        tv_table_column(table, "p", TV_ALIGN_RIGHT);
        tv_table_column(table, "Rank p", TV_ALIGN_RIGHT);
    }
    if (listing->columns == OF_UNDECIDED) {
        tv_table_column(table, "Runs to decide", TV_ALIGN_RIGHT);
    } else {
        tv_table_column(table, is_calls ? "Change ms" : "All ms", TV_ALIGN_RIGHT);
        if (listing->diff->of.no_counts.code == TV_OK) {
            tv_table_column(table, "By calls", TV_ALIGN_RIGHT);
            tv_table_column(table, "By cost", TV_ALIGN_RIGHT);
        }
    }
    tv_table_column(table, "Method", TV_ALIGN_LEFT);
}

/* The ratio is of geometric means, and beside the median method's where that is the machine's. */
static void add_test(struct listing *listing, const struct tv_change *change)
{
    struct tv_text_table *table = &listing->table;
    if (change->is_apart) {
        tv_table_end_cell(table);
        tv_text_add(&table->cells, "no test");
        tv_table_end_cell(table);
        return;
    }
    const struct tv_significance_row *row =
        &listing->diff->of.changes.significance.rows[change->tested];
    tv_diff_add_ratio(&table->cells, exp(row->change));
    tv_table_end_cell(table);
    if (listing->columns == OF_TESTED_TIMES) {
        tv_text_add(&table->cells, "%.2g", row->p_adjusted);
        tv_table_end_cell(table);
        tv_text_add(&table->cells, "%.2g", row->p_rank);
        tv_table_end_cell(table);
    } else if (row->runs) {
        tv_table_count(table, row->runs);
    } else {
        tv_text_add(&table->cells, "over %u", TV_MOST_RUNS_PROPOSED);
        tv_table_end_cell(table);
    }
}

/* The order of the cells is that of add_columns. */
static enum tv_code add_row(struct listing *listing, uint32_t place, struct tv_error *err)
{
    const struct tv_diff *diff = listing->diff;
    const struct tv_change *change = &diff->of.changes.of[place];
    struct tv_text_table *table = &listing->table;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        if (listing->columns == OF_CALLS)
            tv_table_range(table, change->sides[side].least_calls, change->sides[side].most_calls);
        else
            tv_table_ms(table, (int64_t)change->sides[side].median.time_ns);
    }
    if (listing->columns == OF_TESTED_TIMES || listing->columns == OF_UNDECIDED)
        add_test(listing, change);
    if (listing->columns != OF_UNDECIDED) {
        add_signed_ms(table, tv_change_ns(change));
        if (diff->of.no_counts.code == TV_OK) {
            add_signed_ms(table, change->cause.by_calls_ns);
            add_signed_ms(table, change->cause.by_cost_ns);
        }
    }
    TV_TRY(tv_joined_text(&diff->of.join.methods[place], &listing->name, err));
    tv_table_method(table, tv_buffer_view(&listing->name));
    return TV_OK;
}

/* Says how many rows -n left out. */
static void add_rest(struct tv_text *out, size_t count)
{
    if (!count)
        return;
    tv_text_add(out, "\nand ");
    tv_text_add_count(out, count);
    tv_text_add(out, " more: -n 0 shows all\n");
}

static enum tv_code add_list(const struct tv_diff *diff, const struct tv_compared_list *list,
                             enum columns columns, struct tv_text *out, struct tv_error *err)
{
    struct listing listing = {.diff = diff, .columns = columns};
    size_t shown = tv_comparison_shown(&diff->of, list);
    enum tv_code code = TV_OK;
    tv_table_init(&listing.table, diff->cli);
    tv_buffer_init(&listing.name, diff->cli->alloc);
    add_columns(&listing);
    for (size_t i = 0; code == TV_OK && i < shown; i++)
        code = add_row(&listing, list->of[i], err);
    if (code == TV_OK)
        code = tv_table_write(&listing.table, out, err);
    add_rest(out, list->count - shown);
    tv_buffer_release(&listing.name);
    tv_table_release(&listing.table);
    return code;
}

/* The first file stands for its side; the others are counted. */
static void add_side(const struct tv_diff *diff, enum tv_side side, struct tv_text_table *table)
{
    size_t first = side == TV_SIDE_NEW ? diff->of.opts.run_counts[TV_SIDE_OLD] : 0;
    size_t count = diff->of.opts.run_counts[side];
    tv_table_count(table, count);
    tv_table_count(table, tv_comparison_calls(&diff->of, side));
    tv_table_ms(table, (int64_t)tv_comparison_total(&diff->of, side));
    tv_text_add(&table->cells, side == TV_SIDE_OLD ? "old: " : "new: ");
    tv_text_add_name(&table->cells, diff->of.runs[first].file);
    if (count > 1) {
        tv_text_add(&table->cells, " and ");
        tv_text_add_count(&table->cells, count - 1);
        tv_text_add(&table->cells, " more");
    }
    tv_table_end_cell(table);
}

/* Writes both totals as they were measured, and the change of the median method where enough
 * methods were tested: that change is the machine's, or of everything, and the changes below are
 * beside it. */
static enum tv_code add_sides(const struct tv_diff *diff, struct tv_text *out, struct tv_error *err)
{
    struct tv_text_table table;
    tv_table_init(&table, diff->cli);
    tv_table_column(&table, "Runs", TV_ALIGN_RIGHT);
    tv_table_column(&table, "Calls", TV_ALIGN_RIGHT);
    tv_table_column(&table, diff->of.clock == TV_CLOCK_CPU ? "CPU ms" : "Wall ms", TV_ALIGN_RIGHT);
    tv_table_column(&table, "Side", TV_ALIGN_LEFT);
    add_side(diff, TV_SIDE_OLD, &table);
    add_side(diff, TV_SIDE_NEW, &table);
    enum tv_code code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    tv_text_add(out, "\n");
    tv_diff_add_totals(out, diff);
    tv_text_add(out, "\n");
    return code;
}

/* Counts that are not those of the program are named with the file that they come from, and not
 * compared. */
static enum tv_code add_call_changes(const struct tv_diff *diff, struct tv_text *out,
                                     struct tv_error *err)
{
    if (diff->of.no_counts.code != TV_OK) {
        tv_text_add(out, "\n");
        tv_text_add_not_compared(out, "Calls", diff->of.no_counts_of, diff->of.no_counts.text);
        return TV_OK;
    }
    tv_text_add(out, "\n");
    tv_diff_add_calls_summary(out, diff);
    tv_text_add(out, "\n");
    if (!diff->of.calls.count)
        return TV_OK;
    tv_text_add(out, "\n");
    return add_list(diff, &diff->of.calls, OF_CALLS, out, err);
}

/* What has names in it, as they stand in the trace, until it is put out. */
struct written {
    const struct tv_diff *diff;
    struct tv_buffer text;
    struct tv_buffer name;
    enum tv_code code; /* of words, which cannot fail by themselves */
};

static void write_words(void *ctx, struct tv_str words)
{
    struct written *written = ctx;
    if (written->code == TV_OK)
        written->code = tv_buffer_append(&written->text, words.at, words.len, NULL);
}

static enum tv_code write_name(void *ctx, uint32_t method, struct tv_error *err)
{
    struct written *written = ctx;
    TV_TRY(tv_joined_text(&written->diff->of.join.methods[method], &written->name, err));
    write_words(written, tv_buffer_view(&written->name));
    return TV_OK;
}

/* Which calls moved, a sentence for each. */
static enum tv_code add_moved(const struct tv_diff *diff, struct written *written,
                              struct tv_text *out, struct tv_error *err)
{
    const struct tv_diff_pieces pieces = {write_words, write_name, written};
    const size_t count = diff->of.moves.moved_count;
    const size_t shown = tv_diff_shown(diff, count);
    for (size_t i = 0; i < shown; i++) {
        written->text.len = 0;
        TV_TRY(tv_diff_tell_moved(diff, i, &pieces, err));
        tv_text_add(out, i ? "" : "\n");
        tv_text_add_name(out, tv_buffer_view(&written->text));
        tv_text_add(out, "\n");
    }
    add_rest(out, count - shown);
    return TV_OK;
}

/* The contexts where a change began. Of a path the end tells most. */
static enum tv_code fill_began(const struct tv_diff *diff, struct written *written,
                               struct tv_text_table *table, struct tv_error *err)
{
    const struct tv_context_join *contexts = &diff->of.contexts;
    const struct tv_diff_pieces pieces = {write_words, write_name, written};
    add_side_columns(diff, table, true);
    tv_table_column(table, "Change ms", TV_ALIGN_RIGHT);
    tv_table_column(table, "Path", TV_ALIGN_LEFT);
    for (size_t i = 0; i < tv_diff_shown(diff, diff->of.moves.began_count); i++) {
        const uint32_t place = diff->of.moves.began[i];
        const struct tv_context_side *sides = contexts->of[place].sides;
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            tv_table_range(table, sides[side].least_calls, sides[side].most_calls);
        add_signed_ms(table,
                      (int64_t)(tv_context_time(contexts, place, TV_SIDE_NEW, diff->of.clock) -
                                tv_context_time(contexts, place, TV_SIDE_OLD, diff->of.clock)));
        written->text.len = 0;
        TV_TRY(tv_diff_tell_path(diff, place, &pieces, err));
        tv_table_name_by_end(table, tv_buffer_view(&written->text));
    }
    return TV_OK;
}

static enum tv_code add_began(const struct tv_diff *diff, struct written *written,
                              struct tv_text *out, struct tv_error *err)
{
    const size_t count = diff->of.moves.began_count;
    struct tv_text_table table;
    if (!count)
        return TV_OK;
    tv_table_init(&table, diff->cli);
    enum tv_code code = fill_began(diff, written, &table, err);
    tv_text_add(out, "\n");
    if (code == TV_OK)
        code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    add_rest(out, count - tv_diff_shown(diff, count));
    return code;
}

/* Where in the tree the calls changed, which the methods alone do not say. */
static enum tv_code add_tree(const struct tv_diff *diff, struct tv_text *out, struct tv_error *err)
{
    struct written written = {.diff = diff, .code = TV_OK};
    if (!tv_diff_has_tree(diff))
        return TV_OK;
    tv_text_add(out, "\n");
    tv_diff_add_tree_summary(out, diff);
    tv_text_add(out, "\n");
    tv_buffer_init(&written.text, diff->cli->alloc);
    tv_buffer_init(&written.name, diff->cli->alloc);
    enum tv_code code = add_moved(diff, &written, out, err);
    if (code == TV_OK)
        code = add_began(diff, &written, out, err);
    if (code == TV_OK && written.code != TV_OK)
        code = tv_fail_memory(err, written.text.len);
    tv_buffer_release(&written.name);
    tv_buffer_release(&written.text);
    return code;
}

static void fill_threads(const struct tv_diff *diff, struct tv_text_table *table)
{
    const struct tv_thread_join *threads = &diff->of.threads;
    add_side_columns(diff, table, true);
    tv_table_column(table, "Old ms", TV_ALIGN_RIGHT);
    tv_table_column(table, "New ms", TV_ALIGN_RIGHT);
    tv_table_column(table, "Old", TV_ALIGN_RIGHT);
    tv_table_column(table, "New", TV_ALIGN_RIGHT);
    tv_table_column(table, "Threads of the name", TV_ALIGN_LEFT);
    for (size_t i = 0; i < tv_diff_shown(diff, threads->changed_count); i++) {
        const uint32_t place = threads->changed[i];
        const struct tv_thread_side *sides = threads->of[place].sides;
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            tv_table_range(table, sides[side].least.calls, sides[side].most.calls);
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            tv_table_ms(
                table, (int64_t)tv_thread_time(threads, place, (enum tv_side)side, diff->of.clock));
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            tv_table_range(table, sides[side].least.threads, sides[side].most.threads);
        tv_table_name_by_end(table, threads->of[place].name);
    }
}

/* Threads are told of where they differ: most recordings have the same ones. */
static enum tv_code add_threads(const struct tv_diff *diff, struct tv_text *out,
                                struct tv_error *err)
{
    const size_t count = diff->of.threads.changed_count;
    struct tv_text_table table;
    if (!tv_diff_has_threads(diff))
        return TV_OK;
    tv_text_add(out, "\n");
    tv_diff_add_threads_summary(out, diff);
    tv_text_add(out, "\n\n");
    tv_table_init(&table, diff->cli);
    fill_threads(diff, &table);
    enum tv_code code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    add_rest(out, count - tv_diff_shown(diff, count));
    return code;
}

static enum tv_code add_tested(const struct tv_diff *diff, struct tv_text *out,
                               struct tv_error *err)
{
    if (diff->of.times.count) {
        tv_text_add(out, "\n");
        TV_TRY(add_list(diff, &diff->of.times, OF_TESTED_TIMES, out, err));
    }
    if (!diff->of.open.count)
        return TV_OK;
    tv_text_add(out, "\nUndecided, those with the largest difference:\n\n");
    return add_list(diff, &diff->of.open, OF_UNDECIDED, out, err);
}

/* With one run a side there is a list, too, but under words that say what it is. */
static enum tv_code add_time_changes(const struct tv_diff *diff, struct tv_text *out,
                                     struct tv_error *err)
{
    tv_text_add(out, "\n");
    tv_diff_add_time_summary(out, diff);
    tv_text_add(out, "\n");
    if (tv_comparison_is_tested(&diff->of))
        return add_tested(diff, out, err);
    if (!diff->of.times.count)
        return TV_OK;
    tv_text_add(out, "\n");
    return add_list(diff, &diff->of.times, OF_SAMPLES, out, err);
}

/* What is certain comes before what is not. */
enum tv_code tv_diff_text(const struct tv_diff *diff, struct tv_text *out, struct tv_error *err)
{
    TV_TRY(add_sides(diff, out, err));
    if (!diff->of.changes.common_count || diff->of.join.merged_count) {
        tv_text_add(out, "\n");
        tv_diff_add_notes(out, diff);
    }
    TV_TRY(add_call_changes(diff, out, err));
    TV_TRY(add_tree(diff, out, err));
    TV_TRY(add_threads(diff, out, err));
    TV_TRY(add_time_changes(diff, out, err));
    if (diff->rules.file)
        tv_text_add(out, "\n");
    return tv_rule_file_text(&diff->rules, out, err);
}

/* --- two calls of one trace --- */

static enum tv_code add_call_rows(const struct tv_diff *diff, const struct tv_asking *asking,
                                  struct tv_text_table *table, struct tv_error *err)
{
    static const char *const words[] = {[TV_SIDE_OLD] = "other: ", [TV_SIDE_NEW] = "this: "};
    tv_table_column(table, "Calls", TV_ALIGN_RIGHT);
    tv_table_column(table, diff->of.clock == TV_CLOCK_CPU ? "CPU ms" : "Wall ms", TV_ALIGN_RIGHT);
    tv_table_column(table, "Call", TV_ALIGN_LEFT);
    for (unsigned side = TV_SIDE_COUNT; side-- > 0;) {
        tv_table_count(table, tv_comparison_calls(&diff->of, (enum tv_side)side));
        tv_table_ms(table, (int64_t)tv_comparison_total(&diff->of, (enum tv_side)side));
        tv_text_add(&table->cells, "%s", words[side]);
        TV_TRY(
            tv_call_pair_tell(&diff->pair, (enum tv_side)side, asking->index, &table->cells, err));
        tv_table_end_cell(table);
    }
    return TV_OK;
}

static enum tv_code add_both_calls(const struct tv_diff *diff, const struct tv_asking *asking,
                                   struct tv_text *out, struct tv_error *err)
{
    struct tv_text_table table;
    tv_table_init(&table, diff->cli);
    enum tv_code code = add_call_rows(diff, asking, &table, err);
    if (code == TV_OK)
        code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    return code;
}

/* The difference, never without what it is a difference of. */
static void add_difference(const struct tv_diff *diff, struct tv_text *out)
{
    const uint64_t other_ns = tv_comparison_total(&diff->of, TV_SIDE_OLD);
    const uint64_t this_ns = tv_comparison_total(&diff->of, TV_SIDE_NEW);
    tv_text_add(out, "\nThis call took ");
    tv_text_add_time(out, this_ns);
    tv_text_add(out, " of %s time, the other one ", tv_diff_clock_word(diff));
    tv_text_add_time(out, other_ns);
    if (other_ns) {
        tv_text_add(out, ": ");
        tv_diff_add_ratio(out, (double)this_ns / (double)other_ns);
    }
    tv_text_add(out, ".\n");
}

/* Times of two calls are what these took, and no sample of anything. */
static enum tv_code add_call_times(const struct tv_diff *diff, struct tv_text *out,
                                   struct tv_error *err)
{
    if (!diff->of.times.count)
        return TV_OK;
    tv_text_add(out, "\n%s time, what differs most:\n\n",
                diff->of.opts.kind == TV_TIME_INCLUSIVE ? "Inclusive" : "Exclusive");
    return add_list(diff, &diff->of.times, OF_SAMPLES, out, err);
}

enum tv_code tv_diff_calls_text(const struct tv_diff *diff, const struct tv_asking *asking,
                                struct tv_text *out, struct tv_error *err)
{
    TV_TRY(add_both_calls(diff, asking, out, err));
    add_difference(diff, out);
    tv_call_pair_notes(&diff->pair, asking->index, out);
    TV_TRY(tv_call_pair_waits(&diff->pair, asking, out, err));
    if (!diff->of.changes.common_count || diff->of.join.merged_count) {
        tv_text_add(out, "\n");
        tv_diff_add_notes(out, diff);
    }
    TV_TRY(add_call_changes(diff, out, err));
    TV_TRY(add_tree(diff, out, err));
    return add_call_times(diff, out, err);
}
