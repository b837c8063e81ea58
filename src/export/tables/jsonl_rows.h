/*
 * A table as lines of JSON (jsonlines.org): an object a line, its keys the names of the columns.
 * Numbers are integers of up to 64 bits, texts are escaped as in the answers of the api, an absent
 * cell is null.
 */
#ifndef TV_EXPORT_TABLES_JSONL_ROWS_H
#define TV_EXPORT_TABLES_JSONL_ROWS_H

#include "export/tables/table.h"

extern const struct tv_table_form tv_jsonl_rows;

#endif
