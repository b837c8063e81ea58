/*
 * Aligned columns; see cli/table.h. All cells are kept as text until the table is written, since
 * the last row may have the widest cell. Cells are counted, not rows: cell i stands in column i
 * modulo the number of columns.
 */
#include "cli/table.h"

#include "base/alloc.h"
#include "base/error.h"

#define GAP "  "

void tv_table_init(struct tv_table *table, const struct tv_alloc *alloc)
{
    *table = (struct tv_table){.alloc = alloc};
    tv_text_init(&table->cells, alloc);
}

void tv_table_release(struct tv_table *table)
{
    tv_text_release(&table->cells);
    tv_alloc_release(table->alloc, &table->ends, table->end_cap, sizeof(*table->ends));
    tv_table_init(table, table->alloc);
}

void tv_table_column(struct tv_table *table, const char *header, enum tv_align align)
{
    tv_assert(table->column_count < TV_TABLE_COLUMNS);
    table->headers[table->column_count] = header;
    table->aligns[table->column_count++] = align;
}

void tv_table_end_cell(struct tv_table *table)
{
    struct tv_text *cells = &table->cells;
    if (cells->code == TV_OK)
        cells->code = tv_alloc_grow(table->alloc, &table->ends, &table->end_cap,
                                    table->end_count + 1, sizeof(*table->ends), NULL);
    if (cells->code == TV_OK)
        table->ends[table->end_count++] = cells->buffer.len;
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

void tv_table_percent(struct tv_table *table, int64_t part, uint64_t total)
{
    tv_text_add_percent(&table->cells, part, total);
    tv_table_end_cell(table);
}

void tv_table_name(struct tv_table *table, struct tv_str name)
{
    tv_text_add_name(&table->cells, name);
    tv_table_end_cell(table);
}

/* The text of cell i: it begins where the cell before ends. */
static struct tv_str cell_at(const struct tv_table *table, size_t i)
{
    struct tv_str all = tv_text_view(&table->cells);
    size_t from = i ? table->ends[i - 1] : 0;
    return (struct tv_str){all.at + from, table->ends[i] - from};
}

/* Writes a cell with its blanks. The last column ends the line, and gets no blanks behind it. */
static void write_padded(const struct tv_table *table, size_t column, struct tv_str cell,
                         size_t width, struct tv_text *out)
{
    bool is_last = column + 1 == table->column_count;
    size_t used = tv_text_width(cell);
    int padding = used < width ? (int)(width - used) : 0;
    if (table->aligns[column] == TV_ALIGN_RIGHT)
        tv_text_add(out, "%*s", padding, "");
    tv_text_add_str(out, cell);
    if (table->aligns[column] == TV_ALIGN_LEFT && !is_last)
        tv_text_add(out, "%*s", padding, "");
    tv_text_add_str(out, is_last ? TV_STR("\n") : TV_STR(GAP));
}

/* Two passes over the cells: the widths of the columns, then the lines. */
enum tv_code tv_table_write(const struct tv_table *table, const struct tv_cli *cli,
                            struct tv_text *out, struct tv_error *err)
{
    size_t widths[TV_TABLE_COLUMNS];
    if (table->cells.code != TV_OK)
        return tv_fail_memory(err, table->cells.buffer.len);
    for (size_t column = 0; column < table->column_count; column++)
        widths[column] = tv_text_width(tv_str_from(table->headers[column]));
    tv_assert(table->column_count > 0);
    for (size_t i = 0; i < table->end_count; i++) {
        size_t width = tv_text_width(cell_at(table, i));
        size_t *widest = &widths[i % table->column_count];
        *widest = width > *widest ? width : *widest;
    }
    tv_text_add(out, "%s", cli->has_colour ? "\033[1m" : "");
    for (size_t column = 0; column < table->column_count; column++)
        write_padded(table, column, tv_str_from(table->headers[column]), widths[column], out);
    tv_text_add(out, "%s", cli->has_colour ? "\033[0m" : "");
    for (size_t i = 0; i < table->end_count; i++)
        write_padded(table, i % table->column_count, cell_at(table, i),
                     widths[i % table->column_count], out);
    return out->code == TV_OK ? TV_OK : tv_fail_memory(err, out->buffer.len);
}
