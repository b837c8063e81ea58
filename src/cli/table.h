/*
 * Rows in aligned columns. A caller adds all columns first, then cell after cell: it writes the
 * text of a cell into `cells` and ends the cell. After the cell of the last column the next cell
 * begins a new row.
 */
#ifndef TV_CLI_TABLE_H
#define TV_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/wording.h"

#define TV_TABLE_COLUMNS 16u

enum tv_align { TV_ALIGN_LEFT, TV_ALIGN_RIGHT };

struct tv_table {
    const struct tv_alloc *alloc;
    const char *headers[TV_TABLE_COLUMNS];
    enum tv_align aligns[TV_TABLE_COLUMNS];
    size_t column_count;
    struct tv_text cells; /* the text of all cells, one after another */
    size_t *ends;         /* where each cell ends in `cells` */
    size_t end_count;
    size_t end_cap;
};

void tv_table_init(struct tv_table *table, const struct tv_alloc *alloc);
void tv_table_release(struct tv_table *table);
/* Adds a column, before the first cell. `header` is static. */
void tv_table_column(struct tv_table *table, const char *header, enum tv_align align);
/* Ends the cell that was written to table->cells. */
void tv_table_end_cell(struct tv_table *table);
/* Each of these adds and ends a cell. */
void tv_table_count(struct tv_table *table, uint64_t count);
void tv_table_ms(struct tv_table *table, int64_t time_ns);
void tv_table_percent(struct tv_table *table, int64_t part, uint64_t total);
void tv_table_name(struct tv_table *table, struct tv_str name);
/* Appends the table to `out`, its header first and bold where there is colour. */
enum tv_code tv_table_write(const struct tv_table *table, const struct tv_cli *cli,
                            struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;

#endif
