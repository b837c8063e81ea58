/*
 * A Parquet file while it is written: what its data (parquet_file.c) and its descriptions
 * (parquet_file_describe.c) share. Inside the room alone.
 */
#ifndef TV_EXPORT_TABLES_PARQUET_PARTS_H
#define TV_EXPORT_TABLES_PARQUET_PARTS_H

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "export/tables/parquet_file.h"

enum {
    TV_PARQUET_ENCODING_PLAIN = 0,
    TV_PARQUET_ENCODING_RLE = 3,
    TV_PARQUET_ENCODING_RLE_DICTIONARY = 8
};
enum { TV_PARQUET_CODEC_NONE = 0, TV_PARQUET_CODEC_ZSTD = 6 };

/* What a group has of one column. */
struct tv_parquet_chunk {
    const struct tv_column *column;
    struct tv_buffer values; /* words of word_len bytes: numbers, truths, places in `texts` */
    size_t word_len;
    struct tv_buffer texts;   /* the dictionary page: each text behind its length */
    uint32_t *place_of_entry; /* NO_ENTRY of parquet_file.c: the text is not in the group */
    uint32_t *entries;        /* entry of each place */
    size_t entry_count, entry_cap;
};

/* Where a column of a group went in the file; 0 for no dictionary page. */
struct tv_parquet_written {
    uint64_t dictionary_off, data_off;
    uint64_t plain_len, packed_len; /* with the heads of the pages */
    uint64_t absent_count;
};

struct tv_parquet {
    const struct tv_table *table;
    struct tv_table_target target;
    struct tv_parquet_chunk chunks[TV_COLUMN_LIMIT];
    size_t group_len;        /* rows that wait */
    size_t texts_len;        /* bytes of their dictionaries */
    uint64_t row_count;      /* rows that are written */
    size_t group_count;      /* groups that are written */
    uint64_t file_len;       /* bytes that are written */
    struct tv_buffer groups; /* their descriptions */
    struct tv_buffer page, packed, head;
};

/* Appends the description of a group, whose columns were written, to file->groups. */
enum tv_code tv_parquet_describe_group(struct tv_parquet *file,
                                       const struct tv_parquet_written *written,
                                       struct tv_error *err) TV_MUST_CHECK;
/* Fills file->page with the description of the file, which stands at its end. */
enum tv_code tv_parquet_describe_file(struct tv_parquet *file, struct tv_error *err) TV_MUST_CHECK;

#endif
