/*
 * Rows in aligned columns. A caller adds all columns first, then cell after cell: it writes the
 * text of a cell into `cells` and ends the cell. After the cell of the last column the next cell
 * begins a new row.
 *
 * The last column is the name of what a row is about. On a terminal no row is wider than the
 * terminal, and names come first: columns are left out until the names have room, those that say so
 * themselves before the others; then the names are cut. Elsewhere the table has all of them, whole.
 */
#ifndef TV_CLI_TERMINAL_TABLE_H
#define TV_CLI_TERMINAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/wording.h"

#define TV_TABLE_COLUMNS 20u

enum tv_align { TV_ALIGN_LEFT, TV_ALIGN_RIGHT };

struct tv_table_column {
    const char *header;
    const char *header_alone; /* where the column before is left out; NULL: the same */
    enum tv_align align;
    unsigned spared_below; /* left out where the last column would have less than this */
    bool is_kept;          /* never left out */
    bool is_text;          /* never left out, but cut where the last column has no room */
};

enum tv_cell_kind { TV_CELL_TEXT, TV_CELL_NAME_BY_END, TV_CELL_METHOD, TV_CELL_BAR };

struct tv_table_cell {
    size_t end;     /* of its text in `cells` */
    double share;   /* of a bar */
    uint32_t level; /* of a row in a tree, in the row's last cell */
    enum tv_cell_kind kind;
    bool is_faint; /* of a method */
};

struct tv_text_table {
    const struct tv_cli *cli;
    struct tv_table_column columns[TV_TABLE_COLUMNS];
    size_t column_count;
    struct tv_text cells;     /* the text of all cells, one after another */
    struct tv_table_cell *of; /* what each cell is */
    size_t cell_count;
    size_t cell_cap;
    bool is_tree; /* rows have levels, which the last column shows */
};

void tv_table_init(struct tv_text_table *table, const struct tv_cli *cli);
void tv_table_release(struct tv_text_table *table);
/* Adds a column, before the first cell. `header` is static. */
void tv_table_column(struct tv_text_table *table, const char *header, enum tv_align align);
/* The column that was added last is not shown on a terminal where the last column would have less
 * than `width` columns. Without this call a column goes where the last one would have less than a
 * usual width, from the right on. */
void tv_table_spare_below(struct tv_text_table *table, unsigned width);
/* The column that was added last stays, as what the rows are ordered by does. Where no column says
 * so, the first one stays. */
void tv_table_keep(struct tv_text_table *table);
/* The column that was added last is text: it stays, and shares its room with the last column. */
void tv_table_share(struct tv_text_table *table);
/* How the column that was added last is called where the column before it is left out. */
void tv_table_header_alone(struct tv_text_table *table, const char *header);
/* Ends the cell that was written to table->cells. */
void tv_table_end_cell(struct tv_text_table *table);
/* Each of these adds and ends a cell. */
void tv_table_count(struct tv_text_table *table, uint64_t count);
/* "11..14", or the one number where both are equal. */
void tv_table_range(struct tv_text_table *table, uint64_t least, uint64_t most);
void tv_table_ms(struct tv_text_table *table, int64_t time_ns);
/* The share in percent; the hotter, the more it stands out. */
void tv_table_percent(struct tv_text_table *table, int64_t part, uint64_t total);
/* A bar as long as the share, next to the largest share of its column. */
void tv_table_bar(struct tv_text_table *table, int64_t part, uint64_t total);
void tv_table_name(struct tv_text_table *table, struct tv_str name);
/* The name of a method, which is cut as cli/terminal/name_fit.h tells. */
void tv_table_method(struct tv_text_table *table, struct tv_str name);
/* A name whose end tells most: of a class, a package, a process or a file. */
void tv_table_name_by_end(struct tv_text_table *table, struct tv_str name);
/* The last cell that was ended is the name of a method that is to stand out less than others. */
void tv_table_faint(struct tv_text_table *table);
/* Of a table whose rows are a tree, which says so before its first column: the level of the row
 * whose last cell was ended last. The cell is indented, and on a terminal hangs on a branch. */
void tv_table_level(struct tv_text_table *table, uint32_t level);
/* Appends the table to `out`, its header first. */
enum tv_code tv_table_write(const struct tv_text_table *table, struct tv_text *out,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
