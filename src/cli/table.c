/*
 * Aligned columns; see cli/table.h. All cells are kept as text until the table is written, since
 * the last row may have the widest cell. Cells are counted, not rows: cell i stands in column i
 * modulo the number of columns.
 */
#include "cli/table.h"

#include "base/alloc.h"
#include "base/error.h"
#include "cli/branches.h"
#include "cli/name_fit.h"

#define GAP 2u
/* Columns of a bar. Each is filled in eighths. */
#define BAR_WIDTH 6u
#define EIGHTHS 8u
/* On a terminal so narrow that the last column would have less, everything is cut. */
#define LEAST_LAST_WIDTH 8u
/* What branches may take of the last column: half of it, and without a terminal this. A tree may be
 * deeper than any line is long. */
#define PLAIN_INDENT 120u

enum cell_kind { CELL_TEXT, CELL_METHOD, CELL_BAR };

struct tv_table_cell {
    size_t end;     /* of its text */
    double share;   /* of a bar */
    uint32_t level; /* of a row in a tree, in the row's last cell */
    enum cell_kind kind;
    bool is_faint; /* of a method */
};

/* How a table is laid out on its terminal. */
struct layout {
    size_t widths[TV_TABLE_COLUMNS];
    bool is_spared[TV_TABLE_COLUMNS];
    double largest_share; /* of all bars */
    size_t last_width;    /* room of the last column; 0: as much as it needs */
};

void tv_table_init(struct tv_table *table, const struct tv_cli *cli)
{
    *table = (struct tv_table){.cli = cli};
    tv_text_init(&table->cells, cli->alloc);
}

void tv_table_release(struct tv_table *table)
{
    tv_text_release(&table->cells);
    tv_alloc_release(table->cli->alloc, &table->of, table->cell_cap, sizeof(*table->of));
    tv_table_init(table, table->cli);
}

void tv_table_column(struct tv_table *table, const char *header, enum tv_align align)
{
    tv_assert(table->column_count < TV_TABLE_COLUMNS);
    table->columns[table->column_count++] =
        (struct tv_table_column){.header = header, .align = align};
}

void tv_table_spare_below(struct tv_table *table, unsigned width)
{
    table->columns[table->column_count - 1].spared_below = width;
}

static void end_cell(struct tv_table *table, struct tv_table_cell cell)
{
    struct tv_text *cells = &table->cells;
    if (cells->code == TV_OK)
        cells->code = tv_alloc_grow(table->cli->alloc, &table->of, &table->cell_cap,
                                    table->cell_count + 1, sizeof(*table->of), NULL);
    cell.end = cells->buffer.len;
    if (cells->code == TV_OK)
        table->of[table->cell_count++] = cell;
}

void tv_table_end_cell(struct tv_table *table)
{
    end_cell(table, (struct tv_table_cell){.kind = CELL_TEXT});
}

void tv_table_count(struct tv_table *table, uint64_t count)
{
    tv_text_add_count(&table->cells, count);
    tv_table_end_cell(table);
}

void tv_table_ms(struct tv_table *table, int64_t time_ns)
{
    tv_text_add_ms(&table->cells, time_ns);
    tv_table_end_cell(table);
}

static double share_of(int64_t part, uint64_t total)
{
    return total ? (double)part / (double)total : 0.0;
}

void tv_table_percent(struct tv_table *table, int64_t part, uint64_t total)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    enum tv_style style = total ? tv_style_of_share(share_of(part, total)) : TV_STYLE_PLAIN;
    if (style != TV_STYLE_PLAIN)
        tv_text_add(&table->cells, "%s", tv_terminal_style(terminal, style));
    tv_text_add_percent(&table->cells, part, total);
    if (style != TV_STYLE_PLAIN)
        tv_text_add(&table->cells, "%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
    tv_table_end_cell(table);
}

void tv_table_bar(struct tv_table *table, int64_t part, uint64_t total)
{
    double share = share_of(part, total);
    end_cell(table, (struct tv_table_cell){.kind = CELL_BAR, .share = share > 0 ? share : 0});
}

void tv_table_name(struct tv_table *table, struct tv_str name)
{
    tv_text_add_name(&table->cells, name);
    tv_table_end_cell(table);
}

void tv_table_method(struct tv_table *table, struct tv_str name)
{
    tv_text_add_name(&table->cells, name);
    end_cell(table, (struct tv_table_cell){.kind = CELL_METHOD});
}

void tv_table_faint(struct tv_table *table)
{
    if (table->cell_count)
        table->of[table->cell_count - 1].is_faint = true;
}

void tv_table_level(struct tv_table *table, uint32_t level)
{
    if (table->cell_count)
        table->of[table->cell_count - 1].level = level;
}

/* The text of cell i: it begins where the cell before ends. */
static struct tv_str cell_at(const struct tv_table *table, size_t i)
{
    struct tv_str all = tv_text_view(&table->cells);
    size_t from = i ? table->of[i - 1].end : 0;
    return (struct tv_str){all.at + from, table->of[i].end - from};
}

/* Finds out how wide each column would be, and the largest share of a bar. */
static void measure(const struct tv_table *table, struct layout *layout)
{
    for (size_t column = 0; column < table->column_count; column++)
        layout->widths[column] = tv_text_width(tv_str_from(table->columns[column].header));
    for (size_t i = 0; i < table->cell_count; i++) {
        const struct tv_table_cell *cell = &table->of[i];
        size_t width = cell->kind == CELL_BAR ? BAR_WIDTH : tv_text_width(cell_at(table, i));
        size_t *widest = &layout->widths[i % table->column_count];
        width += table->is_tree ? TV_BRANCH_WIDTH * (size_t)cell->level : 0;
        *widest = width > *widest ? width : *widest;
        if (cell->share > layout->largest_share)
            layout->largest_share = cell->share;
    }
}

/* What all columns but the last take, with the gaps behind them. */
static size_t width_before_last(const struct tv_table *table, const struct layout *layout)
{
    size_t used = 0;
    for (size_t column = 0; column + 1 < table->column_count; column++)
        used += layout->is_spared[column] ? 0 : layout->widths[column] + GAP;
    return used;
}

/* The column that can be spared first, of those that the last column needs the room of; SIZE_MAX:
 * there is none. */
static size_t next_spared(const struct tv_table *table, const struct layout *layout, size_t room)
{
    size_t next = SIZE_MAX;
    size_t wanted = layout->widths[table->column_count - 1];
    for (size_t column = 0; column + 1 < table->column_count; column++) {
        unsigned below = table->columns[column].spared_below;
        if (!layout->is_spared[column] && room < wanted && room < below &&
            (next == SIZE_MAX || below > table->columns[next].spared_below))
            next = column;
    }
    return next;
}

/* Fits the columns to the terminal: leaves out what can be spared until the last column has room,
 * and gives it the rest. */
static void fit(const struct tv_table *table, struct layout *layout)
{
    size_t all = table->cli->terminal.width;
    size_t spared;
    if (!all)
        return;
    do {
        size_t used = width_before_last(table, layout);
        layout->last_width = all > used + LEAST_LAST_WIDTH ? all - used : LEAST_LAST_WIDTH;
        spared = next_spared(table, layout, layout->last_width);
        if (spared != SIZE_MAX)
            layout->is_spared[spared] = true;
    } while (spared != SIZE_MAX);
}

static void add_blanks(struct tv_text *out, size_t count)
{
    tv_text_add(out, "%*s", (int)count, "");
}

/* Draws a bar and the blanks behind it. A share that is there at all shows an eighth. */
static void add_bar(const struct tv_table *table, double share, double largest, struct tv_text *out)
{
    static const char *const parts[EIGHTHS] = {"",       "\u258f", "\u258e", "\u258d",
                                               "\u258c", "\u258b", "\u258a", "\u2589"};
    const struct tv_terminal *terminal = &table->cli->terminal;
    double scaled = largest > 0 ? share / largest * BAR_WIDTH * EIGHTHS : 0;
    unsigned eighths = (unsigned)(scaled + 0.5);
    eighths += !eighths && share > 0;
    enum tv_style style = tv_style_of_share(share);
    bool stands_out = style == TV_STYLE_HOT || style == TV_STYLE_WARM;
    tv_text_add(out, "%s", tv_terminal_style(terminal, stands_out ? style : TV_STYLE_BAR));
    unsigned whole = terminal->has_drawing ? eighths / EIGHTHS : (eighths + EIGHTHS / 2) / EIGHTHS;
    for (unsigned i = 0; i < whole; i++)
        tv_text_add(out, "%s", terminal->has_drawing ? "\u2588" : "#");
    if (terminal->has_drawing && eighths % EIGHTHS) {
        tv_text_add(out, "%s", parts[eighths % EIGHTHS]);
        whole++;
    }
    tv_text_add(out, "%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
    add_blanks(out, BAR_WIDTH - whole);
}

/* Writes a cell with its blanks, and the gap behind it. */
static void add_padded(const struct tv_table *table, const struct layout *layout, size_t column,
                       struct tv_str cell, struct tv_text *out)
{
    size_t used = tv_text_width(cell);
    size_t width = layout->widths[column];
    size_t padding = used < width ? width - used : 0;
    if (table->columns[column].align == TV_ALIGN_RIGHT)
        add_blanks(out, padding);
    tv_text_add_str(out, cell);
    if (table->columns[column].align == TV_ALIGN_LEFT)
        add_blanks(out, padding);
    add_blanks(out, GAP);
}

/* Writes the name of a method; one that is faint has one style for all its parts. */
static void add_method(const struct tv_table *table, const struct tv_table_cell *cell,
                       struct tv_str name, size_t room, struct tv_text *out)
{
    struct tv_terminal terminal = table->cli->terminal;
    const char *begin = cell->is_faint ? tv_terminal_style(&terminal, TV_STYLE_FAINT) : "";
    const char *end = cell->is_faint ? tv_terminal_style(&terminal, TV_STYLE_PLAIN) : "";
    terminal.has_colour = terminal.has_colour && !cell->is_faint;
    tv_text_add(out, "%s", begin);
    if (!table->cli->shared.full)
        tv_name_fit(out, &terminal, name, room);
    else if (room)
        tv_text_fit(out, &terminal, name, room);
    else
        tv_text_add_str(out, name);
    tv_text_add(out, "%s", end);
}

/* Writes the last cell of a row, which has no blanks behind it. A column of numbers is padded, too.
 */
static void add_last(const struct tv_table *table, const struct layout *layout, size_t i,
                     const struct tv_branches *branches, struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    struct tv_str text = cell_at(table, i);
    size_t column = table->column_count - 1;
    size_t room = layout->last_width;
    size_t indent = 0;
    if (table->is_tree)
        indent = tv_branches_add(branches, out, terminal, i / table->column_count,
                                 room ? room / 2 : PLAIN_INDENT);
    room -= room ? indent : 0;
    if (table->columns[column].align == TV_ALIGN_RIGHT &&
        tv_text_width(text) < layout->widths[column])
        add_blanks(out, layout->widths[column] - tv_text_width(text));
    if (table->of[i].kind == CELL_METHOD)
        add_method(table, &table->of[i], text, room, out);
    else if (layout->last_width)
        tv_text_fit(out, terminal, text, room);
    else
        tv_text_add_str(out, text);
}

static void add_header(const struct tv_table *table, const struct layout *layout,
                       struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    size_t last = table->column_count - 1;
    tv_text_add(out, "%s", tv_terminal_style(terminal, TV_STYLE_HEADER));
    for (size_t column = 0; column < last; column++) {
        if (!layout->is_spared[column])
            add_padded(table, layout, column, tv_str_from(table->columns[column].header), out);
    }
    struct tv_str header = tv_str_from(table->columns[last].header);
    if (table->columns[last].align == TV_ALIGN_RIGHT)
        add_blanks(out, layout->widths[last] - tv_text_width(header));
    tv_text_fit(out, terminal, header, layout->last_width ? layout->last_width : SIZE_MAX);
    tv_text_add(out, "%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
}

/* Says which columns have no room, but for bars, which only draw what a number tells. */
static void add_spared(const struct tv_table *table, const struct layout *layout,
                       struct tv_text *out)
{
    unsigned count = 0;
    for (size_t column = 0; column < table->column_count; column++) {
        if (!layout->is_spared[column] || !table->columns[column].header[0])
            continue;
        if (!count++)
            tv_text_add(out, "%s(no room for ",
                        tv_terminal_style(&table->cli->terminal, TV_STYLE_FAINT));
        tv_text_add(out, "%s%s", count > 1 ? ", " : "", table->columns[column].header);
    }
    if (count)
        tv_text_add(out, ")%s\n", tv_terminal_style(&table->cli->terminal, TV_STYLE_PLAIN));
}

/* Ends a line: what is too wide even so is cut. */
static void end_line(const struct tv_table *table, struct tv_text *line, struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    tv_text_fit(out, terminal, tv_text_view(line), terminal->width ? terminal->width : SIZE_MAX);
    tv_text_add_str(out, TV_STR("\n"));
    out->code = out->code == TV_OK ? line->code : out->code;
    line->buffer.len = 0;
}

/* Writes each line beside the others first, so that it can be cut as a whole. */
static void add_rows(const struct tv_table *table, const struct layout *layout,
                     const struct tv_branches *branches, struct tv_text *out)
{
    struct tv_text line;
    tv_text_init(&line, table->cli->alloc);
    add_header(table, layout, &line);
    end_line(table, &line, out);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        if (column + 1 == table->column_count) {
            add_last(table, layout, i, branches, &line);
            end_line(table, &line, out);
        } else if (layout->is_spared[column]) {
            continue;
        } else if (table->of[i].kind == CELL_BAR) {
            add_bar(table, table->of[i].share, layout->largest_share, &line);
            add_blanks(&line, GAP);
        } else {
            add_padded(table, layout, column, cell_at(table, i), &line);
        }
    }
    tv_text_release(&line);
    add_spared(table, layout, out);
}

enum tv_code tv_table_write(const struct tv_table *table, struct tv_text *out, struct tv_error *err)
{
    struct layout layout = {.largest_share = 0};
    struct tv_branches branches;
    size_t row_count = table->column_count ? table->cell_count / table->column_count : 0;
    if (table->cells.code != TV_OK)
        return tv_fail_memory(err, table->cells.buffer.len);
    tv_assert(table->column_count > 0);
    tv_branches_init(&branches, table->cli->alloc);
    enum tv_code code = TV_OK;
    for (size_t row = 1; code == TV_OK && table->is_tree && row <= row_count; row++)
        code = tv_branches_row(&branches, table->of[row * table->column_count - 1].level, err);
    if (code == TV_OK)
        code = tv_branches_find(&branches, err);
    measure(table, &layout);
    fit(table, &layout);
    if (code == TV_OK)
        add_rows(table, &layout, &branches, out);
    tv_branches_release(&branches);
    if (code == TV_OK && out->code != TV_OK)
        code = tv_fail_memory(err, out->buffer.len);
    return code;
}
