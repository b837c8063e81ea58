/*
 * How a table is laid out on its terminal: which columns it has, and how wide they are.
 */
#ifndef TV_CLI_TERMINAL_TABLE_FIT_H
#define TV_CLI_TERMINAL_TABLE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "cli/terminal/table.h"

/* Columns between two columns. */
#define TV_TABLE_GAP 2u
/* Columns of a bar. */
#define TV_BAR_WIDTH 6u

struct tv_table_fit {
    size_t widths[TV_TABLE_COLUMNS]; /* as wide as the widest cell, or cut */
    bool is_spared[TV_TABLE_COLUMNS];
    double largest_share; /* of all bars */
    size_t last_width;    /* room of the last column; 0: as much as it needs */
};

void tv_table_fit(const struct tv_text_table *table, struct tv_table_fit *fit);
/* How a column is called in this layout. */
struct tv_str tv_table_header(const struct tv_text_table *table, const struct tv_table_fit *fit,
                              size_t column);
/* The text of cell i. */
struct tv_str tv_table_cell_text(const struct tv_text_table *table, size_t i);

#endif
