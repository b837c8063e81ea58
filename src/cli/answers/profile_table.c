/*
 * Shared columns of top, tree and callers; see cli/answers/profile_table.h. Times are on the clock
 * of the question's scope, and shares are of one total, which the caption names.
 *
 * Columns are added once, then cells row by row. A failure on the way is kept in table->code until
 * the table is written, so that the functions of cells return nothing.
 */
#include "cli/answers/profile_table.h"

#include "analysis/profile/overhead.h"
#include "analysis/question/scope_wording.h"
#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/text/out.h"

/* A terminal does not show these columns if less than this width is left for names
 * (tv_table_spare_below). The names of a tree need more. */
#define TREE_CALLS_NAME_WIDTH 44u
#define TREE_EXCLUSIVE_NAME_WIDTH 20u
#define BAR_NAME_WIDTH 26u

static const char *const measure_words[] = {"Wall", "CPU", "Wait"};

/* The clock and the total hold for every share and bar of the table. */
void tv_profile_table_init(struct tv_profile_table *table, const struct tv_asking *asking,
                           const struct tv_scope *scope, const uint64_t total_ns[TV_CLOCK_COUNT])
{
    *table = (struct tv_profile_table){.asking = asking, .scope = scope};
    /* The total may be below 0 where it is wait: shares of it would say nothing. */
    table->whole_ns = tv_measure_of(total_ns, scope->measure);
    table->total_ns = table->whole_ns > 0 ? (uint64_t)table->whole_ns : 0;
    tv_table_init(&table->table, asking->cli);
    tv_buffer_init(&table->name, asking->cli->alloc);
}

void tv_profile_table_release(struct tv_profile_table *table)
{
    tv_alloc_release(table->asking->cli->alloc, &table->is_mostly_tracing,
                     table->asking->index->method_count, 1);
    tv_buffer_release(&table->name);
    tv_table_release(&table->table);
}

/* Which columns go first on a narrow terminal depends on the table: in a tree the inclusive time
 * orders the branches and stays longest, in a list the exclusive time does. */
void tv_profile_table_time_columns(struct tv_profile_table *table)
{
    const bool is_tree = table->table.is_tree;
    tv_table_column(&table->table, "Excl ms", TV_ALIGN_RIGHT);
    if (is_tree)
        tv_table_spare_below(&table->table, TREE_EXCLUSIVE_NAME_WIDTH);
    else
        tv_table_keep(&table->table);
    tv_table_column(&table->table, "%", TV_ALIGN_RIGHT);
    tv_table_header_alone(&table->table, "Excl %");
    if (is_tree)
        tv_table_spare_below(&table->table, TREE_EXCLUSIVE_NAME_WIDTH);
    tv_table_column(&table->table, "Incl ms", TV_ALIGN_RIGHT);
    tv_table_spare_below(&table->table, TV_INCLUSIVE_NAME_WIDTH);
    tv_table_column(&table->table, "%", TV_ALIGN_RIGHT);
    tv_table_header_alone(&table->table, "Incl %");
    if (is_tree)
        tv_table_keep(&table->table);
}

void tv_profile_table_calls_column(struct tv_profile_table *table)
{
    bool is_sampled = table->asking->index->info->is_sampled;
    tv_table_column(&table->table, is_sampled ? "Runs" : "Calls", TV_ALIGN_RIGHT);
    tv_table_spare_below(&table->table,
                         table->table.is_tree ? TREE_CALLS_NAME_WIDTH : TV_CALLS_NAME_WIDTH);
}

void tv_profile_table_bar_column(struct tv_profile_table *table)
{
    if (!table->asking->cli->terminal.width)
        return;
    tv_table_column(&table->table, "", TV_ALIGN_LEFT);
    tv_table_spare_below(&table->table, BAR_NAME_WIDTH);
}

void tv_profile_table_bar(struct tv_profile_table *table, int64_t time_ns)
{
    if (table->asking->cli->terminal.width)
        tv_table_bar(&table->table, time_ns, table->total_ns);
}

int64_t tv_profile_table_shown(const struct tv_profile_table *table,
                               const uint64_t time_ns[TV_CLOCK_COUNT])
{
    int64_t shown_ns = tv_measure_of(time_ns, table->scope->measure);
    return shown_ns > 0 ? shown_ns : 0;
}

int64_t tv_profile_table_inclusive(const struct tv_profile_table *table,
                                   const struct tv_numbers *numbers)
{
    return (int64_t)tv_inclusive_on(numbers, table->scope->measure);
}

int64_t tv_profile_table_exclusive(const struct tv_profile_table *table,
                                   const struct tv_numbers *numbers)
{
    return (int64_t)tv_exclusive_on(numbers, table->scope->measure);
}

static bool has_times(const struct tv_profile_table *table)
{
    const uint32_t *has = table->asking->index->info->has_clock;
    return has[TV_CLOCK_WALL] || has[TV_CLOCK_CPU];
}

void tv_profile_table_ms(struct tv_profile_table *table, int64_t time_ns)
{
    if (has_times(table)) {
        tv_table_ms(&table->table, time_ns);
        return;
    }
    tv_text_add(&table->table.cells, "-");
    tv_table_end_cell(&table->table);
}

static void add_time(struct tv_profile_table *table, int64_t shown_ns)
{
    tv_profile_table_ms(table, shown_ns);
    tv_table_percent(&table->table, shown_ns, table->total_ns);
}

void tv_profile_table_time(struct tv_profile_table *table, const uint64_t time_ns[TV_CLOCK_COUNT])
{
    add_time(table, tv_profile_table_shown(table, time_ns));
}

void tv_profile_table_times(struct tv_profile_table *table, const struct tv_numbers *numbers)
{
    add_time(table, tv_profile_table_exclusive(table, numbers));
    add_time(table, tv_profile_table_inclusive(table, numbers));
}

/* Recursive calls stand behind a plus, as in dmtracedump: they are inside others of the same
 * method. */
void tv_profile_table_calls(struct tv_profile_table *table, const struct tv_method_row *row)
{
    tv_text_add_count(&table->table.cells, row->numbers.calls);
    if (row->recursive_calls) {
        tv_text_add(&table->table.cells, "+");
        tv_text_add_count(&table->table.cells, row->recursive_calls);
    }
    tv_table_end_cell(&table->table);
}

/* Java's form is shorter and what people know; the trace's own form has the whole descriptor
 * (--full), and is taken for signatures that would not be shown whole in any case. */
enum tv_code tv_asking_method_name(const struct tv_asking *asking, uint32_t method_ix,
                                   struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_index *index = asking->index;
    bool is_long = tv_method_signature(index, method_ix).len > TV_NAME_SHOWN;
    if (asking->cli->shared.full || is_long)
        return tv_method_text(index, method_ix, name, err);
    return tv_method_java_text(index, method_ix, name, err);
}

/* Makes the name of a method as it is shown: as Java writes it, or raw with --full. What is too
 * long to be shown whole is not worth explaining. */
static enum tv_code make_name(struct tv_profile_table *table, uint32_t method_ix)
{
    return tv_asking_method_name(table->asking, method_ix, &table->name, NULL);
}

/* The clock that the table is about; of wait, the one that the trace's default is. */
static enum tv_clock clock_of(const struct tv_profile_table *table)
{
    if (table->scope->measure == TV_MEASURE_WAIT)
        return tv_index_default_clock(table->asking->index);
    return table->scope->measure == TV_MEASURE_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL;
}

/* Without colours nothing is faint, and nothing is to be known. */
static enum tv_code find_mostly_tracing(struct tv_profile_table *table)
{
    const struct tv_asking *asking = table->asking;
    if (table->is_mostly_tracing || !asking->cli->terminal.has_colour)
        return TV_OK;
    TV_TRY(tv_alloc_new(asking->cli->alloc, &table->is_mostly_tracing, asking->index->method_count,
                        1, NULL));
    return tv_overhead_mark(asking->index, clock_of(table), asking->cli->alloc,
                            table->is_mostly_tracing, NULL);
}

/* A method that is mostly tracing is drawn faint, and the table explains that once below. */
void tv_profile_table_method(struct tv_profile_table *table, uint32_t method_ix)
{
    if (table->code == TV_OK)
        table->code = make_name(table, method_ix);
    if (table->code == TV_OK)
        table->code = find_mostly_tracing(table);
    tv_table_method(&table->table, tv_buffer_view(&table->name));
    if (table->is_mostly_tracing && table->is_mostly_tracing[method_ix]) {
        tv_table_faint(&table->table);
        table->has_faint = true;
    }
}

/* The caption of a table. */
/* Names of idle threads in the caption. */
#define IDLE_NAMED 3u

/* Writes which threads are left out for having nothing to do. */
static void write_idle(const struct tv_profile_table *table, struct tv_text *out)
{
    const struct tv_index *index = table->asking->index;
    const struct tv_scope *scope = table->scope;
    uint64_t wait_ns = 0;
    uint64_t unrecorded_ns = 0;
    if (!scope->idle_count)
        return;
    tv_text_add(out, "without %u that only waited: ", scope->idle_count);
    for (uint32_t i = 0; i < scope->idle_count && i < IDLE_NAMED; i++) {
        const struct tv_index_thread *thread = &index->threads[scope->idle[i].thread_ix];
        tv_text_add(out, "%s", i ? ", " : "");
        tv_text_add_name(out, tv_index_text(index, thread->name_off, thread->name_len));
        tv_text_add(out, " ");
        tv_text_add_ms(out, (int64_t)scope->idle[i].wait_ns);
        tv_text_add(out, " ms");
    }
    if (scope->idle_count > IDLE_NAMED)
        tv_text_add(out, " and others");
    tv_text_add(out, "; --idle counts them\n");
    for (uint32_t i = 0; i < scope->idle_count; i++) {
        wait_ns += scope->idle[i].wait_ns;
        unrecorded_ns += scope->idle[i].unrecorded_ns;
    }
    if (!tv_unrecorded_is_told(unrecorded_ns, wait_ns))
        return;
    tv_text_add_ms(out, (int64_t)unrecorded_ns);
    tv_text_add(out, " ms of theirs after their last records, where nothing tells work from "
                     "waiting\n");
}

/* Of what the 100 % are: of root calls, of the outermost calls of a set, or of one call, which
 * alone brings edges of its own. A later step may have taken others from that call. */
static void write_whole(const struct tv_selection *selection, const struct tv_index *index,
                        struct tv_text *out)
{
    if (selection->set && selection->edges &&
        selection->set->place[index->call_node[selection->edges->call]] == TV_CALL_OF_SET) {
        tv_text_add(out, "this call\n");
        return;
    }
    struct tv_out words;
    struct tv_error err = {.code = TV_OK};
    tv_out_init(&words, tv_buffer_sink(&out->buffer));
    tv_scope_put_whole(&words, selection);
    const enum tv_code code = tv_out_finish(&words, &err);
    if (out->code == TV_OK)
        out->code = code;
    tv_text_add(out, "\n");
}

/* Writes why nothing is 100 %, as "CPU time is 0.100 ms longer than wall time". */
static void write_no_whole(const struct tv_profile_table *table, struct tv_text *out)
{
    if (table->scope->measure != TV_MEASURE_WAIT) {
        tv_text_add(out, "there is none");
    } else if (table->whole_ns == 0) {
        tv_text_add(out, "CPU time is as long as wall time");
    } else {
        tv_text_add(out, "CPU time is ");
        tv_text_add_ms(out, -table->whole_ns);
        tv_text_add(out, " ms longer than wall time");
    }
}

void tv_profile_table_share(const struct tv_profile_table *table, int64_t time_ns,
                            struct tv_text *out)
{
    if (!table->total_ns)
        return;
    tv_text_add(out, " (");
    tv_text_add_percent(out, time_ns, table->total_ns);
    tv_text_add(out, " %%)");
}

/* Whether a thread worked or waited after its last record, nothing tells. */
static void write_unrecorded(const struct tv_profile_table *table, struct tv_text *out)
{
    if (table->scope->measure != TV_MEASURE_WAIT)
        return;
    const uint64_t ns = tv_unrecorded_ns(table->asking->index, &table->scope->selection);
    if (!tv_unrecorded_is_told(ns, table->total_ns))
        return;
    tv_text_add_ms(out, (int64_t)ns);
    tv_text_add(
        out,
        " ms of that after the last records of threads, where nothing tells work from waiting\n");
}

/* Says what 100 % is, since a range or a choice of threads changes it. */
void tv_profile_table_caption(const struct tv_profile_table *table, struct tv_text *out)
{
    const struct tv_selection *selection = &table->scope->selection;
    const bool is_wall_instead =
        table->scope->measure == TV_MEASURE_WALL && tv_index_has_idle_cpu(table->asking->index);
    if (!has_times(table)) {
        tv_text_add(out, "No times, since this trace has no clock\n\n");
        return;
    }
    tv_text_add(out, "%s time", measure_words[table->scope->measure]);
    if (is_wall_instead)
        tv_text_add(out, " (the CPU clock of this trace never moves)");
    if (selection->has_range) {
        tv_text_add(out, " from ");
        tv_text_add_exact_time(out, selection->from_ns);
        tv_text_add(out, " to ");
        tv_text_add_exact_time(out, selection->to_ns);
    }
    if (table->total_ns) {
        tv_text_add(out, "; 100 %% is ");
        tv_text_add_ms(out, (int64_t)table->total_ns);
        tv_text_add(out, " ms, ");
    } else {
        tv_text_add(out, "; no percentages, since ");
        write_no_whole(table, out);
        tv_text_add(out, " in ");
    }
    write_whole(selection, table->asking->index, out);
    write_idle(table, out);
    write_unrecorded(table, out);
    tv_text_add(out, "\n");
}

/* Time of hidden methods is their caller's; what had no shown caller is told here, or the column
 * would not add up. */
void tv_profile_table_hidden(const struct tv_profile_table *table,
                             const uint64_t hidden_ns[TV_CLOCK_COUNT], struct tv_text *out)
{
    int64_t time_ns = tv_profile_table_shown(table, hidden_ns);
    if (!time_ns)
        return;
    tv_text_add(out, "\nand ");
    tv_text_add_ms(out, time_ns);
    tv_text_add(out, " ms");
    tv_profile_table_share(table, time_ns, out);
    tv_text_add(out, " in hidden methods that no shown method called\n");
}

/* A failure to make a name was kept in table->code, so that the writers of rows need not look at
 * each cell. */
enum tv_code tv_profile_table_write(const struct tv_profile_table *table, struct tv_text *out,
                                    struct tv_error *err)
{
    if (table->code != TV_OK)
        return tv_fail_memory(err, table->name.len);
    TV_TRY(tv_table_write(&table->table, out, err));
    if (table->has_faint)
        tv_text_add(out,
                    "%s(faint: at least half of the exclusive time in the whole trace is tracing "
                    "itself)%s\n",
                    tv_terminal_style(&table->asking->cli->terminal, TV_STYLE_FAINT),
                    tv_terminal_style(&table->asking->cli->terminal, TV_STYLE_PLAIN));
    return TV_OK;
}
