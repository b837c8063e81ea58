/*
 * Rows in aligned columns. A cell is written as text and ended; after the last column a row begins
 * anew. What is right-aligned is padded on its left; a left-aligned last column gets no blanks
 * behind it.
 */
#ifndef TV_CLI_TABLE_H
#define TV_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/text.h"

#define TV_TABLE_COLUMNS 16u

enum tv_align { TV_ALIGN_LEFT, TV_ALIGN_RIGHT };

struct tv_table {
    const struct tv_alloc *alloc;
    const char *headers[TV_TABLE_COLUMNS];
    enum tv_align aligns[TV_TABLE_COLUMNS];
    size_t column_count;
    struct tv_text cells; /* all of them, one after another */
    size_t *ends;         /* of each cell in `cells` */
    size_t end_count;
    size_t end_cap;
};

void tv_table_init(struct tv_table *table, const struct tv_alloc *alloc);
void tv_table_release(struct tv_table *table);
/* Adds a column, before the first cell. `header` is static. */
void tv_table_column(struct tv_table *table, const char *header, enum tv_align align);
/* Ends the cell that was written to table->cells. */
void tv_table_end_cell(struct tv_table *table);
/* A cell in one go. */
void tv_table_count(struct tv_table *table, uint64_t count);
void tv_table_ms(struct tv_table *table, int64_t time_ns);
void tv_table_percent(struct tv_table *table, int64_t part, uint64_t total);
void tv_table_name(struct tv_table *table, struct tv_str name);
/* Appends the table, its header first, bold where there is colour. */
enum tv_code tv_table_write(const struct tv_table *table, const struct tv_cli *cli,
                            struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;

#endif
