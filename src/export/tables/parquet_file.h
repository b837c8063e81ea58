/*
 * A table as a Parquet file (the repository apache/parquet-format describes the bytes): groups of
 * rows, in each group one page a column, and the description of them all at the end of the file.
 *
 * Numbers are PLAIN. Texts are dictionary encoded; the dictionary of a group has only the texts of
 * its rows. Numbers have their least and greatest value in the description, so that readers can
 * skip groups. A group ends with TV_PARQUET_GROUP_ROWS rows, or earlier where its texts are long,
 * so memory is bounded.
 */
#ifndef TV_EXPORT_TABLES_PARQUET_FILE_H
#define TV_EXPORT_TABLES_PARQUET_FILE_H

#include "export/tables/table.h"

#define TV_PARQUET_GROUP_ROWS 131072u
/* A row group ends with the row at which its dictionaries reach this many bytes. */
#define TV_PARQUET_GROUP_TEXT ((size_t)4 << 20)

extern const struct tv_table_form tv_parquet_file;

#endif
