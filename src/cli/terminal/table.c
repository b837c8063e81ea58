/*
 * Aligned columns; see cli/terminal/table.h. All cells are kept as text until the table is written,
 * since the last row may have the widest cell. Cells are counted, not rows: cell i stands in column
 * i modulo the number of columns. The last column takes what the others leave; table_fit.c decides
 * the widths, branches.c draws the lines of a tree.
 *
 * A failure of memory while cells are added stays in `cells.code`, so the callers that add cells
 * need not look: tv_table_write() reports it.
 */
#include "cli/terminal/table.h"

#include "base/alloc.h"
#include "base/error.h"
#include "cli/terminal/branches.h"
#include "cli/terminal/name_fit.h"
#include "cli/terminal/table_fit.h"

/* Blanks before a line that goes on. */
#define GOING_ON 4u
/* Each column of a bar is filled in eighths. */
#define EIGHTHS 8u
/* What branches may take of the last column: half of it, and without a terminal this. A tree may be
 * deeper than any line is long. */
#define PLAIN_INDENT 120u

void tv_table_init(struct tv_text_table *table, const struct tv_cli *cli)
{
    *table = (struct tv_text_table){.cli = cli};
    tv_text_init(&table->cells, cli->alloc);
}

void tv_table_release(struct tv_text_table *table)
{
    tv_text_release(&table->cells);
    tv_alloc_release(table->cli->alloc, &table->of, table->cell_cap, sizeof(*table->of));
    tv_table_init(table, table->cli);
}

void tv_table_column(struct tv_text_table *table, const char *header, enum tv_align align)
{
    tv_assert(table->column_count < TV_TABLE_COLUMNS);
    table->columns[table->column_count++] =
        (struct tv_table_column){.header = header, .align = align};
}

void tv_table_spare_below(struct tv_text_table *table, unsigned width)
{
    table->columns[table->column_count - 1].spared_below = width;
}

void tv_table_keep(struct tv_text_table *table)
{
    table->columns[table->column_count - 1].is_kept = true;
}

void tv_table_share(struct tv_text_table *table)
{
    table->columns[table->column_count - 1].is_text = true;
}

void tv_table_header_alone(struct tv_text_table *table, const char *header)
{
    table->columns[table->column_count - 1].header_alone = header;
}

/* A cell is where the text of the one before ended; so cells need no text of their own. */
static void end_cell(struct tv_text_table *table, struct tv_table_cell cell)
{
    struct tv_text *cells = &table->cells;
    if (cells->code == TV_OK)
        cells->code = tv_alloc_grow(table->cli->alloc, &table->of, &table->cell_cap,
                                    table->cell_count + 1, sizeof(*table->of), NULL);
    cell.end = cells->buffer.len;
    if (cells->code == TV_OK)
        table->of[table->cell_count++] = cell;
}

void tv_table_end_cell(struct tv_text_table *table)
{
    end_cell(table, (struct tv_table_cell){.kind = TV_CELL_TEXT});
}

void tv_table_count(struct tv_text_table *table, uint64_t count)
{
    tv_text_add_count(&table->cells, count);
    tv_table_end_cell(table);
}

void tv_table_range(struct tv_text_table *table, uint64_t least, uint64_t most)
{
    tv_text_add_range(&table->cells, least, most);
    tv_table_end_cell(table);
}

void tv_table_ms(struct tv_text_table *table, int64_t time_ns)
{
    tv_text_add_ms(&table->cells, time_ns);
    tv_table_end_cell(table);
}

static double share_of(int64_t part, uint64_t total)
{
    return total ? (double)part / (double)total : 0.0;
}

/* The colour follows the exact share and not the rounded number in the cell. */
void tv_table_percent(struct tv_text_table *table, int64_t part, uint64_t total)
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

void tv_table_bar(struct tv_text_table *table, int64_t part, uint64_t total)
{
    double share = share_of(part, total);
    end_cell(table, (struct tv_table_cell){.kind = TV_CELL_BAR, .share = share > 0 ? share : 0});
}

void tv_table_name(struct tv_text_table *table, struct tv_str name)
{
    tv_text_add_name(&table->cells, name);
    tv_table_end_cell(table);
}

void tv_table_name_by_end(struct tv_text_table *table, struct tv_str name)
{
    tv_text_add_name(&table->cells, name);
    end_cell(table, (struct tv_table_cell){.kind = TV_CELL_NAME_BY_END});
}

void tv_table_method(struct tv_text_table *table, struct tv_str name)
{
    tv_text_add_name(&table->cells, name);
    end_cell(table, (struct tv_table_cell){.kind = TV_CELL_METHOD});
}

void tv_table_faint(struct tv_text_table *table)
{
    if (table->cell_count)
        table->of[table->cell_count - 1].is_faint = true;
}

void tv_table_level(struct tv_text_table *table, uint32_t level)
{
    if (table->cell_count)
        table->of[table->cell_count - 1].level = level;
}

/* Draws a bar and the blanks behind it. A share that is there at all shows an eighth. */
static void add_bar(const struct tv_text_table *table, double share, double largest,
                    struct tv_text *out)
{
    static const char *const parts[EIGHTHS] = {"",       "\u258f", "\u258e", "\u258d",
                                               "\u258c", "\u258b", "\u258a", "\u2589"};
    const struct tv_terminal *terminal = &table->cli->terminal;
    double scaled = largest > 0 ? share / largest * TV_BAR_WIDTH * EIGHTHS : 0;
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
    tv_text_add_blanks(out, TV_BAR_WIDTH - whole);
}

/* Writes the name of a method; one that is faint has one style for all its parts. */
static void add_method(const struct tv_text_table *table, const struct tv_table_cell *cell,
                       struct tv_str name, size_t room, struct tv_text *out)
{
    struct tv_terminal terminal = table->cli->terminal;
    const char *begin = cell->is_faint ? tv_terminal_style(&terminal, TV_STYLE_FAINT) : "";
    const char *end = cell->is_faint ? tv_terminal_style(&terminal, TV_STYLE_PLAIN) : "";
    terminal.has_colour = terminal.has_colour && !cell->is_faint;
    tv_text_add_str(out, tv_str_from(begin));
    if (!table->cli->shared.full)
        tv_name_fit(out, &terminal, name, room);
    else if (room)
        tv_text_fit(out, &terminal, name, room);
    else
        tv_text_add_str(out, name);
    tv_text_add_str(out, tv_str_from(end));
}

/* Writes the text of a cell in at most `room` columns; 0: all of it. */
static void add_cell(const struct tv_text_table *table, size_t i, size_t room, struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    struct tv_str text = tv_table_cell_text(table, i);
    if (table->of[i].kind == TV_CELL_METHOD)
        add_method(table, &table->of[i], text, room, out);
    else if (!room)
        tv_text_add_str(out, text);
    else if (table->of[i].kind == TV_CELL_NAME_BY_END)
        tv_text_fit_end(out, terminal, text, room);
    else
        tv_text_fit(out, terminal, text, room);
}

/* Writes a cell, or the header where there is one, with its blanks and the gap behind it. */
static void add_padded(const struct tv_text_table *table, const struct tv_table_fit *fit, size_t i,
                       const struct tv_str *header, struct tv_text *out)
{
    const struct tv_table_column *column = &table->columns[i % table->column_count];
    size_t used = tv_text_width(header ? *header : tv_table_cell_text(table, i));
    size_t width = fit->widths[i % table->column_count];
    size_t padding = used < width ? width - used : 0;
    if (column->align == TV_ALIGN_RIGHT)
        tv_text_add_blanks(out, padding);
    if (header)
        tv_text_fit(out, &table->cli->terminal, *header, width);
    else
        add_cell(table, i, column->is_text && fit->last_width ? width : 0, out);
    if (column->align == TV_ALIGN_LEFT)
        tv_text_add_blanks(out, padding);
    tv_text_add_blanks(out, TV_TABLE_GAP);
}

/* Writes the last cell of a row, which has no blanks behind it. A column of numbers is padded, too.
 */
static void add_last(const struct tv_text_table *table, const struct tv_table_fit *fit, size_t i,
                     const struct tv_branches *branches, struct tv_text *out)
{
    size_t used = tv_text_width(tv_table_cell_text(table, i));
    size_t column = table->column_count - 1;
    size_t room = fit->last_width;
    size_t indent = 0;
    if (table->is_tree)
        indent = tv_branches_add(branches, out, &table->cli->terminal, i / table->column_count,
                                 room ? room / 2 : PLAIN_INDENT);
    room -= room ? indent : 0;
    if (table->columns[column].align == TV_ALIGN_RIGHT && used < fit->widths[column])
        tv_text_add_blanks(out, fit->widths[column] - used);
    add_cell(table, i, room, out);
}

/* The header goes through the same fit as the rows, so it is cut and aligned with them. The last
 * column has the name and takes what is left. */
static void add_header(const struct tv_text_table *table, const struct tv_table_fit *fit,
                       struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    size_t last = table->column_count - 1;
    tv_text_add(out, "%s", tv_terminal_style(terminal, TV_STYLE_HEADER));
    for (size_t column = 0; column < last; column++) {
        struct tv_str header = tv_table_header(table, fit, column);
        if (!fit->is_spared[column])
            add_padded(table, fit, column, &header, out);
    }
    struct tv_str header = tv_table_header(table, fit, last);
    if (table->columns[last].align == TV_ALIGN_RIGHT)
        tv_text_add_blanks(out, fit->widths[last] - tv_text_width(header));
    tv_text_fit(out, terminal, header, fit->last_width ? fit->last_width : SIZE_MAX);
    tv_text_add(out, "%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
}

/* Says which columns have no room, but for bars, which only draw what a number tells. */
static void add_spared(const struct tv_text_table *table, const struct tv_table_fit *fit,
                       struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    unsigned count = 0;
    struct tv_text line;
    tv_text_init(&line, table->cli->alloc);
    for (size_t column = 0; column < table->column_count; column++) {
        const struct tv_table_column *of = &table->columns[column];
        if (!fit->is_spared[column] || !of->header[0])
            continue;
        if (!count++)
            tv_text_add(&line, "%s(no room for ", tv_terminal_style(terminal, TV_STYLE_FAINT));
        tv_text_add(&line, "%s%s", count > 1 ? ", " : "",
                    of->header_alone ? of->header_alone : of->header);
    }
    if (count)
        tv_text_add(&line, ")%s\n", tv_terminal_style(terminal, TV_STYLE_PLAIN));
    tv_text_break(out, tv_text_view(&line), terminal->width ? terminal->width : SIZE_MAX, GOING_ON);
    tv_text_take_code(out, &line);
    tv_text_release(&line);
}

/* Ends a line: what is too wide even so is cut. */
static void end_line(const struct tv_text_table *table, struct tv_text *line, struct tv_text *out)
{
    const struct tv_terminal *terminal = &table->cli->terminal;
    tv_text_fit(out, terminal, tv_text_view(line), terminal->width ? terminal->width : SIZE_MAX);
    tv_text_add_str(out, TV_STR("\n"));
    tv_text_take_code(out, line);
    line->buffer.len = 0;
}

/* Writes each line beside the others first, so that it can be cut as a whole. */
static void add_rows(const struct tv_text_table *table, const struct tv_table_fit *fit,
                     const struct tv_branches *branches, struct tv_text *out)
{
    struct tv_text line;
    tv_text_init(&line, table->cli->alloc);
    add_header(table, fit, &line);
    end_line(table, &line, out);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        if (column + 1 == table->column_count) {
            add_last(table, fit, i, branches, &line);
            end_line(table, &line, out);
        } else if (fit->is_spared[column]) {
            continue;
        } else if (table->of[i].kind == TV_CELL_BAR) {
            add_bar(table, table->of[i].share, fit->largest_share, &line);
            tv_text_add_blanks(&line, TV_TABLE_GAP);
        } else {
            add_padded(table, fit, i, NULL, &line);
        }
    }
    tv_text_release(&line);
    add_spared(table, fit, out);
}

/* Writes the table. Branches are found before the widths are, since they need the levels of all
 * rows. */
enum tv_code tv_table_write(const struct tv_text_table *table, struct tv_text *out,
                            struct tv_error *err)
{
    struct tv_table_fit fit;
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
    tv_table_fit(table, &fit);
    if (code == TV_OK)
        add_rows(table, &fit, &branches, out);
    tv_branches_release(&branches);
    if (code == TV_OK && out->code != TV_OK)
        code = tv_fail_memory(err, out->buffer.len);
    return code;
}
