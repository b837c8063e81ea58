/*
 * What a Parquet file says of its groups, in Thrift; see export/tables/parquet_parts.h.
 *
 * The description of a group is appended when the group is written, so that only these few bytes
 * stay in memory. At the end they are copied as they stand into the description of the file.
 * Numbers of fields are those of parquet.thrift, in ascending order.
 */
#include "base/bytes.h"
#include "export/tables/parquet_parts.h"
#include "export/tables/thrift.h"

enum { TYPE_BOOLEAN = 0, TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_32 = 13 };
enum { REQUIRED = 0, OPTIONAL = 1 };

/* 32 bits are stored as INT32; that they have no sign is said in the description of the column. */
static int32_t physical_type(enum tv_column_type type)
{
    switch (type) {
    case TV_COLUMN_I64:
        return TYPE_INT64;
    case TV_COLUMN_U32:
        return TYPE_INT32;
    case TV_COLUMN_TEXT:
        return TYPE_BYTE_ARRAY;
    case TV_COLUMN_TRUTH:
        return TYPE_BOOLEAN;
    }
    return TYPE_BYTE_ARRAY;
}

/* The least and greatest number of a chunk. False where there is none. */
static bool find_extremes(const struct tv_parquet_chunk *chunk, size_t count, int64_t *least,
                          int64_t *greatest)
{
    const uint8_t *at = chunk->values.bytes;
    *least = INT64_MAX;
    *greatest = INT64_MIN;
    if (chunk->column->type != TV_COLUMN_I64 && chunk->column->type != TV_COLUMN_U32)
        return false;
    for (size_t i = 0; i < count; i++, at += chunk->word_len) {
        int64_t value = chunk->word_len == sizeof(uint64_t) ? (int64_t)tv_load_le64(at)
                                                            : (int64_t)tv_load_le32(at);
        if (value == TV_ABSENT)
            continue;
        *least = value < *least ? value : *least;
        *greatest = value > *greatest ? value : *greatest;
    }
    return *least <= *greatest;
}

/* Texts and truth values have no extremes here, only the number of absent cells. */
static void describe_statistics(struct tv_thrift *thrift, const struct tv_parquet_chunk *chunk,
                                size_t count, uint64_t absent_count)
{
    int64_t least, greatest;
    uint8_t bytes[sizeof(uint64_t)];
    struct tv_str text = {(const char *)bytes, chunk->word_len};
    tv_thrift_open_struct(thrift, 12);
    tv_thrift_i64(thrift, 3, (int64_t)absent_count);
    if (find_extremes(chunk, count, &least, &greatest)) {
        tv_store_le64(bytes, (uint64_t)greatest);
        tv_thrift_binary(thrift, 5, text);
        tv_store_le64(bytes, (uint64_t)least);
        tv_thrift_binary(thrift, 6, text);
    }
    tv_thrift_close_struct(thrift);
}

/* Encodings are listed as the format wants them, all that occur in the chunk, also that of the
 * levels. */
static void describe_chunk(struct tv_thrift *thrift, const struct tv_parquet *file,
                           const struct tv_parquet_chunk *chunk,
                           const struct tv_parquet_written *written)
{
    bool has_texts = chunk->column->type == TV_COLUMN_TEXT;
    tv_thrift_open_item(thrift);
    tv_thrift_i64(thrift, 2, 0); /* the offset of a second description, which there is not */
    tv_thrift_open_struct(thrift, 3);
    tv_thrift_i32(thrift, 1, physical_type(chunk->column->type));
    tv_thrift_list(thrift, 2, TV_THRIFT_I32, has_texts ? 3 : 2);
    tv_thrift_i32_item(thrift, TV_PARQUET_ENCODING_PLAIN);
    tv_thrift_i32_item(thrift, TV_PARQUET_ENCODING_RLE);
    if (has_texts)
        tv_thrift_i32_item(thrift, TV_PARQUET_ENCODING_RLE_DICTIONARY);
    tv_thrift_list(thrift, 3, TV_THRIFT_BINARY, 1);
    tv_thrift_binary_item(thrift, tv_str_from(chunk->column->name));
    tv_thrift_i32(thrift, 4, file->target.packer ? TV_PARQUET_CODEC_ZSTD : TV_PARQUET_CODEC_NONE);
    tv_thrift_i64(thrift, 5, (int64_t)file->group_len);
    tv_thrift_i64(thrift, 6, (int64_t)written->plain_len);
    tv_thrift_i64(thrift, 7, (int64_t)written->packed_len);
    tv_thrift_i64(thrift, 9, (int64_t)written->data_off);
    if (has_texts)
        tv_thrift_i64(thrift, 11, (int64_t)written->dictionary_off);
    describe_statistics(thrift, chunk, file->group_len, written->absent_count);
    tv_thrift_close_struct(thrift);
    tv_thrift_close_struct(thrift);
}

/* Kept in file->groups until the end, since the description of the file has all of them in one
 * list. */
enum tv_code tv_parquet_describe_group(struct tv_parquet *file,
                                       const struct tv_parquet_written *written,
                                       struct tv_error *err)
{
    struct tv_thrift thrift;
    uint64_t plain_len = 0;
    uint64_t packed_len = 0;
    tv_thrift_begin(&thrift, &file->groups);
    tv_thrift_list(&thrift, 1, TV_THRIFT_STRUCT, file->table->column_count);
    for (size_t c = 0; c < file->table->column_count; c++) {
        describe_chunk(&thrift, file, &file->chunks[c], &written[c]);
        plain_len += written[c].plain_len;
        packed_len += written[c].packed_len;
    }
    tv_thrift_i64(&thrift, 2, (int64_t)plain_len);
    tv_thrift_i64(&thrift, 3, (int64_t)file->group_len);
    tv_thrift_i64(&thrift, 6, (int64_t)packed_len);
    return tv_thrift_end(&thrift, err);
}

/* Both the old and the new way to say what a column means are written (ConvertedType and
 * LogicalType), because readers know one or the other. */
static void describe_column(struct tv_thrift *thrift, const struct tv_column *column)
{
    tv_thrift_open_item(thrift);
    tv_thrift_i32(thrift, 1, physical_type(column->type));
    tv_thrift_i32(thrift, 3, column->may_be_absent ? OPTIONAL : REQUIRED);
    tv_thrift_binary(thrift, 4, tv_str_from(column->name));
    if (column->type == TV_COLUMN_TEXT) {
        tv_thrift_i32(thrift, 6, CONVERTED_UTF8);
        tv_thrift_open_struct(thrift, 10); /* a union, of which STRING is the first */
        tv_thrift_open_struct(thrift, 1);
        tv_thrift_close_struct(thrift);
        tv_thrift_close_struct(thrift);
    } else if (column->type == TV_COLUMN_U32) {
        tv_thrift_i32(thrift, 6, CONVERTED_UINT_32);
        tv_thrift_open_struct(thrift, 10);
        tv_thrift_open_struct(thrift, 10); /* INTEGER */
        tv_thrift_byte(thrift, 1, 32);
        tv_thrift_truth(thrift, 2, false); /* not signed */
        tv_thrift_close_struct(thrift);
        tv_thrift_close_struct(thrift);
    }
    tv_thrift_close_struct(thrift);
}

/* The schema is a tree whose only inner element is the root. */
enum tv_code tv_parquet_describe_file(struct tv_parquet *file, struct tv_error *err)
{
    size_t count = file->table->column_count;
    struct tv_thrift thrift;
    file->page.len = 0;
    tv_thrift_begin(&thrift, &file->page);
    tv_thrift_i32(&thrift, 1, 2); /* the version of the format */
    tv_thrift_list(&thrift, 2, TV_THRIFT_STRUCT, count + 1);
    tv_thrift_open_item(&thrift); /* the root, of which the columns are the children */
    tv_thrift_binary(&thrift, 4, tv_str_from(file->table->name));
    tv_thrift_i32(&thrift, 5, (int32_t)count);
    tv_thrift_close_struct(&thrift);
    for (size_t c = 0; c < count; c++)
        describe_column(&thrift, &file->table->columns[c]);
    tv_thrift_i64(&thrift, 3, (int64_t)file->row_count);
    tv_thrift_list(&thrift, 4, TV_THRIFT_STRUCT, file->group_count);
    tv_thrift_items(&thrift, &file->groups);
    tv_thrift_binary(&thrift, 6, TV_STR("traceview"));
    /* Least and greatest values are in the order of their type; without a word for each column
     * readers do not trust those of numbers without a sign. */
    tv_thrift_list(&thrift, 7, TV_THRIFT_STRUCT, count);
    for (size_t c = 0; c < count; c++) {
        tv_thrift_open_item(&thrift);
        tv_thrift_open_struct(&thrift, 1);
        tv_thrift_close_struct(&thrift);
        tv_thrift_close_struct(&thrift);
    }
    return tv_thrift_end(&thrift, err);
}
