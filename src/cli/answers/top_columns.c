/*
 * Columns of top; see cli/answers/top_columns.h. A row is a method, a class or a package.
 *
 * The table `all` has everything about a column: its word for --columns, its header, for which rows
 * it is, what it costs, and the function that writes a cell. A new column is a line there. The
 * others work on places in this table: check the user's list before the file is read, take the
 * columns of a question, and write headers and rows.
 *
 * Cells that have nothing to say are ended empty, never left out: a table counts cells
 * (cli/terminal/table.h).
 */
#include "cli/answers/top_columns.h"

#include <stdio.h>

#include "analysis/selection/names.h"
#include "base/str.h"

#define LIST_CAP sizeof(((struct tv_error *)0)->text) /* a message has no room for more */

/* A terminal with less room for names does not show these columns (tv_table_spare_below). */
#define WALL_NAME_WIDTH 48u
#define DETAIL_NAME_WIDTH 20u
#define DETAIL_SHARE_NAME_WIDTH 22u
#define DETAIL_INCLUSIVE_NAME_WIDTH 26u

/* A row while its cells are written. */
struct row {
    struct tv_profile_table *table;
    struct tv_numbers numbers;
    uint64_t recursive_calls;
    uint32_t method;       /* TV_NONE for a group */
    struct tv_str name;    /* of a group */
    uint64_t method_count; /* of a group */
    /* Of this row and all before it. Sums of times wrap, as those of nodes do: a damaged file may
     * have times of 292 years. */
    uint64_t exclusive_sum_ns;
    const struct tv_percentiles *per_call; /* NULL: not made, or no calls */
    const struct tv_overhead *overhead;    /* NULL: not made, or the file does not say it */
    bool has_margin;
    const struct tv_allocated *allocated; /* NULL: not made, or not told */
    const uint64_t *stayed_ns;            /* NULL: not made, or not told of this trace */
    bool is_bar_inclusive; /* the bar is of the time that sorts; else, or by no time, exclusive */
};

/* What rows a column has something to say about. */
enum column_rows { ALL_ROWS, METHODS_ONLY, GROUPS_ONLY };

/* A row of the table of columns: everything that `top` knows of a column stands here. */
struct column {
    const char *word;
    const char *header;
    const char *header_alone; /* where the column before has no room */
    enum tv_align align;
    enum column_rows rows;
    unsigned needs; /* TV_TOP_NEEDS_... */
    unsigned spared_below;
    void (*write)(const struct row *row); /* writes and ends the cell */
};

static void write_exclusive(const struct row *row)
{
    tv_profile_table_ms(row->table, tv_profile_table_exclusive(row->table, &row->numbers));
}

static void write_exclusive_share(const struct row *row)
{
    tv_table_percent(&row->table->table, tv_profile_table_exclusive(row->table, &row->numbers),
                     row->table->total_ns);
}

/* The share of all rows up to this one: it tells how much of the time one has seen by reading so
 * far. */
static void write_sum_share(const struct row *row)
{
    tv_table_percent(&row->table->table, (int64_t)row->exclusive_sum_ns, row->table->total_ns);
}

static void write_inclusive(const struct row *row)
{
    tv_profile_table_ms(row->table, tv_profile_table_inclusive(row->table, &row->numbers));
}

static void write_inclusive_share(const struct row *row)
{
    tv_table_percent(&row->table->table, tv_profile_table_inclusive(row->table, &row->numbers),
                     row->table->total_ns);
}

static void write_wall(const struct row *row)
{
    tv_table_ms(&row->table->table, (int64_t)row->numbers.inclusive_ns[TV_CLOCK_WALL]);
}

static void write_calls(const struct row *row)
{
    const struct tv_method_row method = {.numbers = row->numbers,
                                         .recursive_calls = row->recursive_calls};
    tv_profile_table_calls(row->table, &method);
}

/* What rows are sorted by with --sort per-call. */
static void write_mean(const struct row *row)
{
    struct tv_text *cells = &row->table->table.cells;
    uint64_t calls = row->numbers.calls + row->recursive_calls;
    if (calls)
        tv_text_add_mean_ms(cells, tv_profile_table_inclusive(row->table, &row->numbers), calls);
    tv_table_end_cell(&row->table->table);
}

/* `time_ns` counts only with `per_call`; a method without calls in the range has an empty cell
 * rather than 0, which would be a time. */
static void write_duration(const struct row *row, uint64_t time_ns)
{
    if (row->per_call)
        tv_text_add_ms(&row->table->table.cells, (int64_t)time_ns);
    tv_table_end_cell(&row->table->table);
}

static void write_min(const struct row *row)
{
    write_duration(row, row->per_call ? row->per_call->min_ns : 0);
}

static void write_p50(const struct row *row)
{
    write_duration(row, row->per_call ? row->per_call->p50_ns : 0);
}

static void write_p95(const struct row *row)
{
    write_duration(row, row->per_call ? row->per_call->p95_ns : 0);
}

static void write_max(const struct row *row)
{
    write_duration(row, row->per_call ? row->per_call->max_ns : 0);
}

static void write_tracing(const struct row *row)
{
    if (row->overhead)
        tv_text_add_ms(&row->table->table.cells, (int64_t)row->overhead->ns);
    tv_table_end_cell(&row->table->table);
}

/* Empty where the estimate has no margin: a single number would look certain. */
static void write_margin(const struct row *row)
{
    struct tv_text *cells = &row->table->table.cells;
    if (row->overhead && row->has_margin) {
        tv_text_add_ms(cells, (int64_t)row->overhead->least_ns);
        tv_text_add(cells, " to ");
        tv_text_add_ms(cells, (int64_t)row->overhead->most_ns);
    }
    tv_table_end_cell(&row->table->table);
}

/* Exclusive time less what tracing took of it. It may be below 0, since the cost is an estimate. */
static void write_net(const struct row *row)
{
    int64_t exclusive_ns = tv_profile_table_exclusive(row->table, &row->numbers);
    if (row->overhead)
        tv_text_add_ms(&row->table->table.cells,
                       (int64_t)((uint64_t)exclusive_ns - row->overhead->ns));
    tv_table_end_cell(&row->table->table);
}

static void write_stayed(const struct row *row)
{
    if (row->stayed_ns)
        tv_text_add_ms(&row->table->table.cells, (int64_t)*row->stayed_ns);
    tv_table_end_cell(&row->table->table);
}

/* In kB, so that columns of large and small programs are read alike. */
static void write_kilobytes(const struct row *row, uint64_t bytes)
{
    if (row->allocated)
        tv_table_count(&row->table->table, bytes / 1000 + (bytes % 1000 >= 500));
    else
        tv_table_end_cell(&row->table->table);
}

static void write_allocated(const struct row *row)
{
    write_kilobytes(row, row->allocated ? row->allocated->own : 0);
}

static void write_all_allocated(const struct row *row)
{
    write_kilobytes(row, row->allocated ? row->allocated->all : 0);
}

/* Only for columns of METHODS_ONLY: a group has no method, and the index of TV_NONE would be out of
 * bounds. */
static const struct tv_index_method *method_of(const struct row *row)
{
    return &row->table->asking->index->methods[row->method];
}

/* The rank is that in the whole trace, whatever part is asked for, so that it names a method. */
static void write_rank(const struct row *row)
{
    tv_table_count(&row->table->table, method_of(row)->rank);
}

static void write_id(const struct row *row)
{
    tv_text_add(&row->table->table.cells, "0x%llx", (unsigned long long)method_of(row)->id);
    tv_table_end_cell(&row->table->table);
}

/* The line is that of the method, as the file tells it; 0 and less stand for unknown. */
static void write_file(const struct row *row)
{
    struct tv_text *cells = &row->table->table.cells;
    struct tv_str file = tv_method_file(row->table->asking->index, row->method);
    tv_text_add_name(cells, file);
    if (file.len && method_of(row)->line > 0)
        tv_text_add(cells, ":%d", (int)method_of(row)->line);
    tv_table_end_cell(&row->table->table);
}

static void write_method_count(const struct row *row)
{
    tv_table_count(&row->table->table, row->method_count);
}

static const struct column all[] = {
    {.word = "excl", .header = "Excl ms", .align = TV_ALIGN_RIGHT, .write = write_exclusive},
    {.word = "excl%",
     .header = "%",
     .header_alone = "Excl %",
     .align = TV_ALIGN_RIGHT,
     .write = write_exclusive_share},
    {.word = "cum%", .header = "Cum %", .align = TV_ALIGN_RIGHT, .write = write_sum_share},
    {.word = "incl",
     .header = "Incl ms",
     .align = TV_ALIGN_RIGHT,
     .write = write_inclusive,
     .spared_below = TV_INCLUSIVE_NAME_WIDTH},
    {.word = "incl%",
     .header = "%",
     .header_alone = "Incl %",
     .align = TV_ALIGN_RIGHT,
     .write = write_inclusive_share},
    {.word = "wall",
     .header = "Incl wall ms",
     .align = TV_ALIGN_RIGHT,
     .write = write_wall,
     .spared_below = WALL_NAME_WIDTH},
    {.word = "calls",
     .header = "Calls",
     .align = TV_ALIGN_RIGHT,
     .write = write_calls,
     .spared_below = TV_CALLS_NAME_WIDTH},
    {.word = "mean",
     .header = "Mean ms",
     .align = TV_ALIGN_RIGHT,
     .write = write_mean,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "min",
     .header = "Min ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_PERCENTILES,
     .write = write_min,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "p50",
     .header = "p50 ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_PERCENTILES,
     .write = write_p50,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "p95",
     .header = "p95 ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_PERCENTILES,
     .write = write_p95,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "max",
     .header = "Max ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_PERCENTILES,
     .write = write_max,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "tracing",
     .header = "Tracing ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_OVERHEAD,
     .write = write_tracing},
    {.word = "margin",
     .header = "Margin ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_OVERHEAD,
     .write = write_margin,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "net",
     .header = "Net ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_OVERHEAD,
     .write = write_net},
    {.word = "stayed",
     .header = "Stayed ms",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_STAYED,
     .write = write_stayed,
     .spared_below = TV_INCLUSIVE_NAME_WIDTH},
    {.word = "alloc",
     .header = "Alloc kB",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_ALLOCATED,
     .write = write_allocated},
    {.word = "alloc-incl",
     .header = "Incl alloc kB",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .needs = TV_TOP_NEEDS_ALLOCATED,
     .write = write_all_allocated,
     .spared_below = DETAIL_NAME_WIDTH},
    {.word = "rank",
     .header = "Rank",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .write = write_rank},
    {.word = "id",
     .header = "Id",
     .align = TV_ALIGN_RIGHT,
     .rows = METHODS_ONLY,
     .write = write_id},
    {.word = "file",
     .header = "File",
     .align = TV_ALIGN_LEFT,
     .rows = METHODS_ONLY,
     .write = write_file},
    {.word = "methods",
     .header = "Methods",
     .align = TV_ALIGN_RIGHT,
     .rows = GROUPS_ONLY,
     .write = write_method_count},
};

/* The place of a word in the list of all columns; TV_COUNT_OF(all) where there is none. */
static size_t place_of(struct tv_str word)
{
    size_t i = 0;
    while (i < TV_COUNT_OF(all) && !tv_str_equal(word, tv_str_from(all[i].word)))
        i++;
    return i;
}

/* The words of a list, without the "+" that may stand before it. */
static struct tv_str words_of(const char *list)
{
    return tv_str_from(list + (list[0] == '+'));
}

/* The words of the table with commas between, as help has them (TV_TOP_COLUMN_WORDS). */
static const char *list_words(char list[LIST_CAP])
{
    size_t len = 0;
    for (size_t i = 0; i < TV_COUNT_OF(all) && len < LIST_CAP; i++)
        len += (size_t)snprintf(list + len, LIST_CAP - len, "%s%s", i ? ", " : "", all[i].word);
    return list;
}

/* The word is quoted as it was given; a column that exists but not for these rows has a message of
 * its own. */
static enum tv_code check_word(struct tv_str word, enum tv_top_rows rows, bool *is_there,
                               struct tv_error *err)
{
    size_t place = place_of(word);
    bool is_of_groups = rows != TV_TOP_METHODS;
    char list[LIST_CAP];
    if (place == TV_COUNT_OF(all))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--columns '%.*s': must be one of %s",
                       tv_str_shown_len(word), word.at, list_words(list));
    if (all[place].rows == (is_of_groups ? METHODS_ONLY : GROUPS_ONLY))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--columns '%s': %s have none",
                       all[place].word, is_of_groups ? "classes and packages" : "methods");
    if (is_there[place])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--columns '%s': given twice",
                       all[place].word);
    is_there[place] = true;
    return TV_OK;
}

/* Words are checked before the file is read, which may take seconds. */
enum tv_code tv_top_columns_check(const char *list, enum tv_top_rows rows, struct tv_error *err)
{
    bool is_there[TV_COUNT_OF(all)] = {false};
    if (!list)
        return TV_OK;
    struct tv_str words = words_of(list);
    struct tv_str word;
    while (tv_str_split(&words, ',', &word))
        TV_TRY(check_word(word, rows, is_there, err));
    return TV_OK;
}

/* Adds a column that is not there yet. No kind of rows has more columns than there is room for,
 * with the bar and the name. */
static enum tv_code add_column(struct tv_top_columns *columns, struct tv_str word,
                               const struct tv_top_columns_for *what, struct tv_error *err)
{
    size_t place = place_of(word);
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->of[i] == place)
            return TV_OK;
    }
    if (all[place].needs == TV_TOP_NEEDS_PERCENTILES && what->measure == TV_MEASURE_WAIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "single calls are told on a clock: --clock wall or cpu");
    if (all[place].needs == TV_TOP_NEEDS_OVERHEAD && what->measure == TV_MEASURE_WAIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "tracing is a part of time on a clock: --clock wall or cpu");
    tv_assert(columns->count < TV_TOP_COLUMN_LIMIT - 2);
    columns->of[columns->count++] = (uint8_t)place;
    return TV_OK;
}

static enum tv_code add_list(struct tv_top_columns *columns, struct tv_str list,
                             const struct tv_top_columns_for *what, struct tv_error *err)
{
    struct tv_str word;
    while (tv_str_split(&list, ',', &word))
        TV_TRY(add_column(columns, word, what, err));
    return TV_OK;
}

/* The columns without --columns are written as a list for --columns, so that one function adds
 * both. */
static enum tv_code add_standard(struct tv_top_columns *columns,
                                 const struct tv_top_columns_for *what, struct tv_error *err)
{
    TV_TRY(add_list(columns, TV_STR("excl,excl%"), what, err));
    if (what->has_stayed)
        TV_TRY(add_list(columns, TV_STR("stayed"), what, err));
    TV_TRY(add_list(columns, TV_STR("incl,incl%"), what, err));
    if (what->has_wall)
        TV_TRY(add_list(columns, TV_STR("wall"), what, err));
    TV_TRY(add_list(columns, TV_STR("calls"), what, err));
    if (what->has_allocated)
        TV_TRY(add_list(columns, TV_STR("alloc,alloc-incl"), what, err));
    if (what->rows != TV_TOP_METHODS)
        TV_TRY(add_list(columns, TV_STR("methods"), what, err));
    if (what->has_per_call)
        TV_TRY(add_list(columns, TV_STR("mean,min,p50,p95,max"), what, err));
    return what->has_overhead ? add_list(columns, TV_STR("tracing,margin,net"), what, err) : TV_OK;
}

enum tv_code tv_top_columns_take(struct tv_top_columns *columns, const char *list,
                                 const struct tv_top_columns_for *what, struct tv_error *err)
{
    *columns = (struct tv_top_columns){.count = 0};
    if (!list || list[0] == '+')
        TV_TRY(add_standard(columns, what, err));
    return list ? add_list(columns, words_of(list), what, err) : TV_OK;
}

unsigned tv_top_columns_needs(const struct tv_top_columns *columns)
{
    unsigned needs = 0;
    for (size_t i = 0; i < columns->count; i++)
        needs |= all[columns->of[i]].needs;
    return needs;
}

/* The bar follows the column by which rows are ordered, so that bars get shorter from row to row.
 */
static void write_row(const struct tv_top_columns *columns, const struct row *row)
{
    for (size_t i = 0; i < columns->count; i++)
        all[columns->of[i]].write(row);
    tv_profile_table_bar(row->table, row->is_bar_inclusive
                                         ? tv_profile_table_inclusive(row->table, &row->numbers)
                                         : tv_profile_table_exclusive(row->table, &row->numbers));
    if (row->method != TV_NONE)
        tv_profile_table_method(row->table, row->method);
    else
        tv_table_name_by_end(&row->table->table,
                             row->name.len ? row->name : TV_STR("(no package)"));
}

/* Takes row `i` of the answer, which is a method or a group. The sum of exclusive times goes on
 * from row to row, so rows must be taken in order. */
static void take_row(struct row *row, const struct tv_top *top,
                     const struct tv_top_question *question, size_t i)
{
    size_t at = top->slice.first + i;
    enum tv_measure measure = question->scope.measure;
    row->per_call = NULL;
    row->stayed_ns = NULL;
    row->allocated = NULL;
    row->overhead = top->overhead ? &top->overhead[i].part : NULL;
    row->has_margin = top->record_cost.has_margin;
    if (question->rows == TV_TOP_METHODS) {
        row->method = top->methods[at];
        row->numbers = top->profile.rows[row->method].numbers;
        row->recursive_calls = top->profile.rows[row->method].recursive_calls;
        row->allocated = top->allocated ? &top->allocated[row->method] : NULL;
        row->stayed_ns = top->stayed_ns ? &top->stayed_ns[row->method] : NULL;
        if (top->percentiles && top->percentiles[i].calls && measure != TV_MEASURE_WAIT)
            row->per_call =
                &top->percentiles[i].of[measure == TV_MEASURE_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU];
    } else {
        row->method = TV_NONE;
        row->numbers = top->groups.rows[at].numbers;
        row->name = top->groups.rows[at].name;
        row->method_count = top->groups.rows[at].methods;
    }
    row->exclusive_sum_ns += (uint64_t)tv_profile_table_exclusive(row->table, &row->numbers);
}

/* The room for names below which a column goes. Where columns of single calls or of tracing were
 * asked for, the usual ones go before them. */
static unsigned spared_below(const struct tv_top_columns *columns, const struct column *column)
{
    const bool has_detail =
        tv_top_columns_needs(columns) & (TV_TOP_NEEDS_PERCENTILES | TV_TOP_NEEDS_OVERHEAD);
    if (has_detail && (column->write == write_inclusive || column->write == write_inclusive_share))
        return DETAIL_INCLUSIVE_NAME_WIDTH;
    if (has_detail && column->write == write_exclusive_share)
        return DETAIL_SHARE_NAME_WIDTH;
    return column->spared_below;
}

/* Adds a column, which stays where it is what the rows are ordered by. */
static void add_header(const struct tv_top_columns *columns, struct tv_profile_table *table,
                       const struct column *column, enum tv_sort_key key)
{
    const bool is_key = (key == TV_SORT_INCLUSIVE && column->write == write_inclusive) ||
                        (key == TV_SORT_EXCLUSIVE && column->write == write_exclusive) ||
                        (key == TV_SORT_CALLS && column->write == write_calls);
    if (column->write == write_calls) {
        tv_profile_table_calls_column(table);
    } else {
        tv_table_column(&table->table, column->header, column->align);
        tv_table_header_alone(&table->table, column->header_alone);
        tv_table_spare_below(&table->table, spared_below(columns, column));
    }
    if (is_key)
        tv_table_keep(&table->table);
}

/* Writes headers, then rows. The bar and the name are no columns of the list: they are always the
 * last two. */
void tv_top_columns_write(const struct tv_top_columns *columns, struct tv_profile_table *table,
                          const struct tv_top *top, const struct tv_top_question *question)
{
    static const char *const names[] = {
        [TV_TOP_METHODS] = "Method", [TV_TOP_CLASSES] = "Class", [TV_TOP_PACKAGES] = "Package"};
    const bool is_bar_inclusive = question->sort.key == TV_SORT_INCLUSIVE;
    struct row row = {.table = table, .is_bar_inclusive = is_bar_inclusive};
    for (size_t i = 0; i < columns->count; i++)
        add_header(columns, table, &all[columns->of[i]], question->sort.key);
    tv_profile_table_bar_column(table);
    tv_table_column(&table->table, names[question->rows], TV_ALIGN_LEFT);
    for (size_t i = 0; i < top->slice.len; i++) {
        take_row(&row, top, question, i);
        write_row(columns, &row);
    }
}
