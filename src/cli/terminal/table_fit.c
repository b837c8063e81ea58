/*
 * Fitting a table to its terminal; see cli/terminal/table_fit.h. Names come first: a row of numbers
 * whose name cannot be recognised tells nothing.
 *
 * Columns of text share the room that columns of numbers leave. While the last column has less than
 * it wants, one column of numbers after the other is spared, those first that go with the most room
 * left for names; each that goes changes the shares, so the room is shared anew. Headers say which
 * columns went (table.c).
 */
#include "cli/terminal/table_fit.h"

#include "base/compiler.h"
#include "cli/terminal/branches.h"

/* A column without a limit of its own is shown while the last column has at least this width. */
#define USUAL_LAST_WIDTH 16u
/* On a terminal so narrow that the last column would have less, everything is cut. */
#define LEAST_LAST_WIDTH 8u

struct tv_str tv_table_cell_text(const struct tv_text_table *table, size_t i)
{
    struct tv_str all = tv_text_view(&table->cells);
    size_t from = i ? table->of[i - 1].end : 0;
    return (struct tv_str){all.at + from, table->of[i].end - from};
}

struct tv_str tv_table_header(const struct tv_text_table *table, const struct tv_table_fit *fit,
                              size_t column)
{
    const struct tv_table_column *of = &table->columns[column];
    bool is_alone = column && fit->is_spared[column - 1] && of->header_alone;
    return tv_str_from(is_alone ? of->header_alone : of->header);
}

/* Finds out how wide each column would be, and the largest share of a bar. */
static void measure(const struct tv_text_table *table, struct tv_table_fit *fit)
{
    for (size_t column = 0; column < table->column_count; column++)
        fit->widths[column] = tv_text_width(tv_table_header(table, fit, column));
    for (size_t i = 0; i < table->cell_count; i++) {
        const struct tv_table_cell *cell = &table->of[i];
        size_t width =
            cell->kind == TV_CELL_BAR ? TV_BAR_WIDTH : tv_text_width(tv_table_cell_text(table, i));
        size_t *widest = &fit->widths[i % table->column_count];
        width += table->is_tree ? TV_BRANCH_WIDTH * (size_t)cell->level : 0;
        *widest = width > *widest ? width : *widest;
        if (cell->share > fit->largest_share)
            fit->largest_share = cell->share;
    }
}

/* What the columns before the last take, with the gaps behind them, but for those of text. */
static size_t width_of_numbers(const struct tv_text_table *table, const struct tv_table_fit *fit)
{
    size_t used = 0;
    for (size_t column = 0; column + 1 < table->column_count; column++) {
        if (!fit->is_spared[column])
            used += TV_TABLE_GAP + (table->columns[column].is_text ? 0 : fit->widths[column]);
    }
    return used;
}

/* Shares `room` among the columns of text and the last one, and writes what each gets. A column
 * that needs less than its part leaves the rest to the columns behind it, and one takes more than
 * its part where those need less. Returns the last one's part. */
static size_t share_room(const struct tv_text_table *table, const struct tv_table_fit *fit,
                         size_t room, size_t widths[TV_TABLE_COLUMNS])
{
    size_t last = table->column_count - 1;
    size_t sharing = 1;
    for (size_t column = 0; column < last; column++)
        sharing += table->columns[column].is_text;
    for (size_t column = 0; column < last; column++) {
        size_t behind = fit->widths[last];
        if (!table->columns[column].is_text)
            continue;
        for (size_t next = column + 1; next < last; next++)
            behind += table->columns[next].is_text ? fit->widths[next] : 0;
        size_t part = room / sharing--;
        part = room > behind && room - behind > part ? room - behind : part;
        widths[column] = fit->widths[column] < part ? fit->widths[column] : part;
        room -= widths[column];
    }
    return room;
}

/* How little the last column may have before the column goes; 0: it never goes. */
static unsigned spared_below(const struct tv_text_table *table, size_t column)
{
    const struct tv_table_column *of = &table->columns[column];
    bool is_any_kept = false;
    for (size_t i = 0; i < table->column_count; i++)
        is_any_kept = is_any_kept || table->columns[i].is_kept;
    if (of->is_kept || of->is_text || (!column && !is_any_kept))
        return 0;
    return of->spared_below ? of->spared_below : USUAL_LAST_WIDTH;
}

/* The column that can be spared first, of those that the last column needs the room of; SIZE_MAX:
 * there is none. Of columns with the same limit, those without a limit of their own go from the
 * right. */
static size_t next_spared(const struct tv_text_table *table, const struct tv_table_fit *fit,
                          size_t room)
{
    size_t next = SIZE_MAX;
    unsigned most = 0;
    for (size_t column = 0; column + 1 < table->column_count; column++) {
        unsigned below = spared_below(table, column);
        bool is_usual = !table->columns[column].spared_below;
        if (fit->is_spared[column] || room >= below || below < most + !is_usual)
            continue;
        next = column;
        most = below;
    }
    return next;
}

/* A column whose header says more where it stands alone may be wider for it. */
static void spare(const struct tv_text_table *table, struct tv_table_fit *fit, size_t column)
{
    fit->is_spared[column] = true;
    if (column + 1 < table->column_count) {
        size_t width = tv_text_width(tv_table_header(table, fit, column + 1));
        size_t *widest = &fit->widths[column + 1];
        *widest = width > *widest ? width : *widest;
    }
}

/* Columns are spared one by one, the least important first, until names have the room that they
 * want; then texts share what is left. Without a width (a file, a pipe) nothing is spared and
 * nothing cut. */
void tv_table_fit(const struct tv_text_table *table, struct tv_table_fit *fit)
{
    size_t all = table->cli->terminal.width;
    size_t wanted, spared;
    *fit = (struct tv_table_fit){.largest_share = 0};
    measure(table, fit);
    if (!all)
        return;
    wanted = fit->widths[table->column_count - 1];
    size_t widths[TV_TABLE_COLUMNS] = {0};
    size_t room;
    do {
        size_t used = width_of_numbers(table, fit);
        room = share_room(table, fit, all > used ? all - used : 0, widths);
        spared = room < wanted ? next_spared(table, fit, room) : SIZE_MAX;
        if (spared != SIZE_MAX)
            spare(table, fit, spared);
    } while (spared != SIZE_MAX);
    for (size_t column = 0; column < table->column_count; column++) {
        if (table->columns[column].is_text)
            fit->widths[column] = widths[column];
    }
    fit->last_width = room > LEAST_LAST_WIDTH ? room : LEAST_LAST_WIDTH;
}
