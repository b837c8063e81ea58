/*
 * Parquet files; see export/tables/parquet_file.h. The numbers of fields, types and encodings are
 * those of parquet.thrift.
 */
#include "export/tables/parquet_file.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "export/formats.h"
#include "export/tables/bit_pack.h"
#include "export/tables/thrift.h"
#include "export/tables/trace_tables.h"

static const char MAGIC[4] = {'P', 'A', 'R', '1'};

enum { TYPE_BOOLEAN = 0, TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_32 = 13 };
enum { REQUIRED = 0, OPTIONAL = 1 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CODEC_NONE = 0, CODEC_ZSTD = 6 };

#define NO_ENTRY UINT32_MAX

/* What a group has of one column. */
struct chunk {
    const struct tv_column *column;
    struct tv_buffer values; /* words of word_len bytes: numbers, truths, places in `texts` */
    size_t word_len;
    struct tv_buffer texts;   /* the dictionary page: each text behind its length */
    uint32_t *place_of_entry; /* NO_ENTRY: the text is not in the group */
    uint32_t *entries;        /* entry of each place */
    size_t entry_count, entry_cap;
};

/* Where a column of a group went in the file; 0 for no dictionary page. */
struct written {
    uint64_t dictionary_off, data_off;
    uint64_t plain_len, packed_len; /* with the heads of the pages */
    uint64_t absent_count;
};

struct parquet {
    const struct tv_table *table;
    struct tv_table_target target;
    struct chunk chunks[TV_COLUMN_LIMIT];
    size_t group_len;        /* rows that wait */
    size_t texts_len;        /* bytes of their dictionaries */
    uint64_t row_count;      /* rows that are written */
    size_t group_count;      /* groups that are written */
    uint64_t file_len;       /* bytes that are written */
    struct tv_buffer groups; /* their descriptions */
    struct tv_buffer page, packed, head;
};

static size_t word_len_of(enum tv_column_type type)
{
    switch (type) {
    case TV_COLUMN_I64:
        return sizeof(uint64_t);
    case TV_COLUMN_U32:
    case TV_COLUMN_TEXT:
        return sizeof(uint32_t);
    case TV_COLUMN_TRUTH:
        return 1;
    }
    return 0;
}

static enum tv_code put(struct parquet *file, const void *bytes, size_t len, struct tv_error *err)
{
    file->file_len += len;
    return file->target.sink.write(file->target.sink.ctx, bytes, len, err);
}

static void release_chunk(struct chunk *chunk, const struct tv_alloc *alloc)
{
    tv_buffer_release(&chunk->values);
    tv_buffer_release(&chunk->texts);
    tv_alloc_release(alloc, &chunk->place_of_entry, chunk->column->dictionary.count,
                     sizeof(*chunk->place_of_entry));
    tv_alloc_release(alloc, &chunk->entries, chunk->entry_cap, sizeof(*chunk->entries));
}

static void release(void *state)
{
    struct parquet *file = state;
    if (!file)
        return;
    const struct tv_alloc *alloc = file->target.alloc;
    for (size_t c = 0; c < file->table->column_count; c++)
        release_chunk(&file->chunks[c], alloc);
    tv_buffer_release(&file->groups);
    tv_buffer_release(&file->page);
    tv_buffer_release(&file->packed);
    tv_buffer_release(&file->head);
    tv_alloc_release(alloc, &file, 1, sizeof(*file));
}

static void init(struct parquet *file, const struct tv_table *table,
                 const struct tv_table_target *target)
{
    file->table = table;
    file->target = *target;
    tv_buffer_init(&file->groups, target->alloc);
    tv_buffer_init(&file->page, target->alloc);
    tv_buffer_init(&file->packed, target->alloc);
    tv_buffer_init(&file->head, target->alloc);
    for (size_t c = 0; c < table->column_count; c++) {
        struct chunk *chunk = &file->chunks[c];
        chunk->column = &table->columns[c];
        chunk->word_len = word_len_of(chunk->column->type);
        tv_buffer_init(&chunk->values, target->alloc);
        tv_buffer_init(&chunk->texts, target->alloc);
    }
}

static enum tv_code make_places(struct parquet *file, struct tv_error *err)
{
    for (size_t c = 0; c < file->table->column_count; c++) {
        struct chunk *chunk = &file->chunks[c];
        if (chunk->column->type != TV_COLUMN_TEXT)
            continue;
        uint32_t count = chunk->column->dictionary.count;
        TV_TRY(tv_alloc_new(file->target.alloc, &chunk->place_of_entry, count,
                            sizeof(*chunk->place_of_entry), err));
        for (uint32_t i = 0; i < count; i++)
            chunk->place_of_entry[i] = NO_ENTRY;
    }
    return TV_OK;
}

static enum tv_code begin(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err)
{
    struct parquet *file;
    *state = NULL;
    TV_TRY(tv_alloc_new(target->alloc, &file, 1, sizeof(*file), err));
    init(file, table, target);
    enum tv_code code = make_places(file, err);
    if (code == TV_OK)
        code = put(file, MAGIC, sizeof(MAGIC), err);
    if (code != TV_OK)
        release(file);
    else
        *state = file;
    return code;
}

/* Taking rows */

static enum tv_code add_text(struct parquet *file, struct chunk *chunk, uint32_t entry,
                             struct tv_error *err)
{
    struct tv_str text = chunk->column->dictionary.texts[entry];
    uint8_t len[sizeof(uint32_t)];
    tv_store_le32(len, (uint32_t)text.len);
    TV_TRY(tv_alloc_grow(file->target.alloc, &chunk->entries, &chunk->entry_cap,
                         chunk->entry_count + 1, sizeof(*chunk->entries), err));
    TV_TRY(tv_buffer_append(&chunk->texts, len, sizeof(len), err));
    TV_TRY(tv_buffer_append(&chunk->texts, text.at, text.len, err));
    chunk->place_of_entry[entry] = (uint32_t)chunk->entry_count;
    chunk->entries[chunk->entry_count++] = entry;
    file->texts_len += sizeof(len) + text.len;
    return TV_OK;
}

/* Adds the texts of rows, from `first` on, to the dictionaries of the group, until the group is
 * full; *end is the row behind the last of them. */
static enum tv_code add_texts(struct parquet *file, const struct tv_rows *rows, size_t first,
                              size_t *end, struct tv_error *err)
{
    size_t most = first + (TV_PARQUET_GROUP_ROWS - file->group_len);
    size_t row = first;
    for (; row < rows->len && row < most && file->texts_len < TV_PARQUET_GROUP_TEXT; row++) {
        for (size_t c = 0; c < file->table->column_count; c++) {
            struct chunk *chunk = &file->chunks[c];
            if (chunk->place_of_entry && chunk->place_of_entry[rows->cells[c][row]] == NO_ENTRY)
                TV_TRY(add_text(file, chunk, (uint32_t)rows->cells[c][row], err));
        }
    }
    *end = row;
    return TV_OK;
}

static enum tv_code add_values(struct chunk *chunk, const int64_t *cells, size_t count,
                               struct tv_error *err)
{
    uint8_t *at;
    TV_TRY(tv_buffer_extend(&chunk->values, count * chunk->word_len, &at, err));
    switch (chunk->column->type) {
    case TV_COLUMN_I64:
        for (size_t i = 0; i < count; i++)
            tv_store_le64(at + i * sizeof(uint64_t), (uint64_t)cells[i]);
        break;
    case TV_COLUMN_U32:
        for (size_t i = 0; i < count; i++)
            tv_store_le32(at + i * sizeof(uint32_t), (uint32_t)cells[i]);
        break;
    case TV_COLUMN_TEXT:
        for (size_t i = 0; i < count; i++)
            tv_store_le32(at + i * sizeof(uint32_t), chunk->place_of_entry[cells[i]]);
        break;
    case TV_COLUMN_TRUTH:
        for (size_t i = 0; i < count; i++)
            at[i] = (uint8_t)cells[i];
        break;
    }
    return TV_OK;
}

/* Writing a group */

/* Writes a page: its head, and its bytes as they are packed. `describe` writes the part of the head
 * that its kind has. */
static enum tv_code write_page(struct parquet *file, struct written *written, int32_t kind,
                               const struct tv_buffer *page, uint32_t count, struct tv_error *err)
{
    const struct tv_block_packer *packer = file->target.packer;
    const struct tv_buffer *body = page;
    struct tv_thrift head;
    if (packer) {
        file->packed.len = 0;
        TV_TRY(packer->pack(packer->ctx, page->bytes, page->len, &file->packed, err));
        body = &file->packed;
    }
    file->head.len = 0;
    tv_thrift_begin(&head, &file->head);
    tv_thrift_i32(&head, 1, kind);
    tv_thrift_i32(&head, 2, (int32_t)page->len);
    tv_thrift_i32(&head, 3, (int32_t)body->len);
    tv_thrift_open_struct(&head, kind == PAGE_DATA ? 5 : 7);
    tv_thrift_i32(&head, 1, (int32_t)count);
    if (kind == PAGE_DATA) {
        bool has_texts = written->dictionary_off != 0;
        tv_thrift_i32(&head, 2, has_texts ? ENCODING_RLE_DICTIONARY : ENCODING_PLAIN);
        tv_thrift_i32(&head, 3, ENCODING_RLE); /* of the levels that say which cells are absent */
        tv_thrift_i32(&head, 4, ENCODING_RLE); /* of levels of nesting, of which there are none */
    } else {
        tv_thrift_i32(&head, 2, ENCODING_PLAIN);
    }
    tv_thrift_close_struct(&head);
    TV_TRY(tv_thrift_end(&head, err));
    written->plain_len += file->head.len + page->len;
    written->packed_len += file->head.len + body->len;
    TV_TRY(put(file, file->head.bytes, file->head.len, err));
    return put(file, body->bytes, body->len, err);
}

static enum tv_code put_varint(struct tv_buffer *out, uint64_t value, struct tv_error *err)
{
    uint8_t bytes[10];
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[len++] = (uint8_t)(value | 0x80);
    bytes[len++] = (uint8_t)value;
    return tv_buffer_append(out, bytes, len, err);
}

static bool is_constant(const uint8_t *words, size_t word_len, size_t count)
{
    for (size_t i = word_len; i < count * word_len; i++) {
        if (words[i] != words[i - word_len])
            return false;
    }
    return true;
}

/* Numbers in the format's hybrid of runs and packed bits: as one run of one number, else as one run
 * of packed ones, which come in eights. */
static enum tv_code put_hybrid(struct tv_buffer *out, const uint8_t *words, size_t word_len,
                               size_t count, unsigned width, struct tv_error *err)
{
    if (!is_constant(words, word_len, count)) {
        TV_TRY(put_varint(out, (count + 7) / 8 << 1 | 1, err));
        return tv_bit_pack(out, words, word_len, count, width, width, err);
    }
    TV_TRY(put_varint(out, (uint64_t)count << 1, err));
    return tv_buffer_append(out, words, (width + 7) / 8, err);
}

static enum tv_code make_text_page(struct parquet *file, const struct chunk *chunk,
                                   struct tv_error *err)
{
    unsigned width = tv_bit_width((uint32_t)(chunk->entry_count - 1));
    uint8_t width_byte = (uint8_t)width;
    TV_TRY(tv_buffer_append(&file->page, &width_byte, 1, err));
    return put_hybrid(&file->page, chunk->values.bytes, chunk->word_len, file->group_len, width,
                      err);
}

/* A level for each cell, 1 where it has a value, and then the values that there are. */
static enum tv_code make_sparse_page(struct parquet *file, const struct chunk *chunk,
                                     uint64_t *absent_count, struct tv_error *err)
{
    struct tv_buffer *page = &file->page;
    uint8_t *levels, *len_at;
    size_t count = file->group_len;
    file->packed.len = 0; /* free until the page is packed */
    TV_TRY(tv_buffer_extend(&file->packed, count, &levels, err));
    for (size_t i = 0; i < count; i++)
        levels[i] = tv_load_le64(chunk->values.bytes + i * sizeof(uint64_t)) != (uint64_t)TV_ABSENT;
    TV_TRY(tv_buffer_extend(page, sizeof(uint32_t), &len_at, err));
    TV_TRY(put_hybrid(page, levels, 1, count, 1, err));
    tv_store_le32(page->bytes, (uint32_t)(page->len - sizeof(uint32_t)));
    for (size_t i = 0; i < count; i++) {
        if (!levels[i])
            ++*absent_count;
        else
            TV_TRY(tv_buffer_append(page, chunk->values.bytes + i * sizeof(uint64_t),
                                    sizeof(uint64_t), err));
    }
    return TV_OK;
}

static enum tv_code write_chunk(struct parquet *file, const struct chunk *chunk,
                                struct written *written, struct tv_error *err)
{
    const struct tv_buffer *page = &file->page;
    file->page.len = 0;
    *written = (struct written){0};
    switch (chunk->column->type) {
    case TV_COLUMN_TEXT:
        written->dictionary_off = file->file_len;
        TV_TRY(write_page(file, written, PAGE_DICTIONARY, &chunk->texts,
                          (uint32_t)chunk->entry_count, err));
        TV_TRY(make_text_page(file, chunk, err));
        break;
    case TV_COLUMN_TRUTH:
        TV_TRY(tv_bit_pack(&file->page, chunk->values.bytes, 1, file->group_len, 1, 1, err));
        break;
    case TV_COLUMN_I64:
    case TV_COLUMN_U32:
        if (chunk->column->may_be_absent)
            TV_TRY(make_sparse_page(file, chunk, &written->absent_count, err));
        else
            page = &chunk->values;
        break;
    }
    written->data_off = file->file_len;
    return write_page(file, written, PAGE_DATA, page, (uint32_t)file->group_len, err);
}

/* Describing */

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
static bool find_extremes(const struct chunk *chunk, size_t count, int64_t *least,
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

static void describe_statistics(struct tv_thrift *thrift, const struct chunk *chunk, size_t count,
                                uint64_t absent_count)
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

static void describe_chunk(struct tv_thrift *thrift, const struct parquet *file,
                           const struct chunk *chunk, const struct written *written)
{
    bool has_texts = chunk->column->type == TV_COLUMN_TEXT;
    tv_thrift_open_item(thrift);
    tv_thrift_i64(thrift, 2, 0); /* the offset of a second description, which there is not */
    tv_thrift_open_struct(thrift, 3);
    tv_thrift_i32(thrift, 1, physical_type(chunk->column->type));
    tv_thrift_list(thrift, 2, TV_THRIFT_I32, has_texts ? 3 : 2);
    tv_thrift_i32_item(thrift, ENCODING_PLAIN);
    tv_thrift_i32_item(thrift, ENCODING_RLE);
    if (has_texts)
        tv_thrift_i32_item(thrift, ENCODING_RLE_DICTIONARY);
    tv_thrift_list(thrift, 3, TV_THRIFT_BINARY, 1);
    tv_thrift_binary_item(thrift, tv_str_from(chunk->column->name));
    tv_thrift_i32(thrift, 4, file->target.packer ? CODEC_ZSTD : CODEC_NONE);
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

static enum tv_code describe_group(struct parquet *file, const struct written *written,
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

static void empty_chunk(struct chunk *chunk)
{
    for (size_t i = 0; i < chunk->entry_count; i++)
        chunk->place_of_entry[chunk->entries[i]] = NO_ENTRY;
    chunk->entry_count = 0;
    chunk->texts.len = 0;
    chunk->values.len = 0;
}

static enum tv_code write_group(struct parquet *file, struct tv_error *err)
{
    struct written written[TV_COLUMN_LIMIT];
    for (size_t c = 0; c < file->table->column_count; c++)
        TV_TRY(write_chunk(file, &file->chunks[c], &written[c], err));
    TV_TRY(describe_group(file, written, err));
    for (size_t c = 0; c < file->table->column_count; c++)
        empty_chunk(&file->chunks[c]);
    file->row_count += file->group_len;
    file->group_count++;
    file->group_len = 0;
    file->texts_len = 0;
    return TV_OK;
}

static enum tv_code take(void *state, const struct tv_rows *rows, struct tv_error *err)
{
    struct parquet *file = state;
    size_t first = 0;
    while (first < rows->len) {
        size_t end;
        TV_TRY(add_texts(file, rows, first, &end, err));
        for (size_t c = 0; c < file->table->column_count; c++)
            TV_TRY(add_values(&file->chunks[c], rows->cells[c] + first, end - first, err));
        file->group_len += end - first;
        first = end;
        if (file->group_len == TV_PARQUET_GROUP_ROWS || file->texts_len >= TV_PARQUET_GROUP_TEXT)
            TV_TRY(write_group(file, err));
    }
    return TV_OK;
}

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

static enum tv_code describe_file(struct parquet *file, struct tv_error *err)
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

static enum tv_code finish(void *state, struct tv_error *err)
{
    struct parquet *file = state;
    uint8_t len[sizeof(uint32_t)];
    if (file->group_len)
        TV_TRY(write_group(file, err));
    TV_TRY(describe_file(file, err));
    if (file->page.len > UINT32_MAX)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "too many rows for one Parquet file: export a range or some threads");
    tv_store_le32(len, (uint32_t)file->page.len);
    TV_TRY(put(file, file->page.bytes, file->page.len, err));
    TV_TRY(put(file, len, sizeof(len), err));
    return put(file, MAGIC, sizeof(MAGIC), err);
}

const struct tv_table_form tv_parquet_file = {
    .begin = begin,
    .take = take,
    .finish = finish,
    .release = release,
};

static enum tv_code write_parquet(struct tv_exporting *exporting, struct tv_error *err)
{
    return tv_trace_table_export(exporting, &tv_parquet_file, err);
}

const struct tv_export tv_export_parquet = {
    .name = "parquet",
    .suffix = ".parquet",
    .media_type = "application/vnd.apache.parquet",
    .summary = "a table as Parquet: DuckDB, pandas, Polars, Spark",
    .has_tables = true,
    .write = write_parquet,
};
