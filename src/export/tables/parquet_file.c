/*
 * Parquet files; see export/tables/parquet_file.h.
 *
 * Rows are gathered by column until a group is full, then each column is written as one page
 * (texts: a page with their dictionary, then a page with places in it). Where the pages lie is kept
 * as a description, which grows with the number of groups, and goes out at the end of the file. The
 * numbers of fields, types and encodings are those of parquet.thrift.
 */
#include "export/tables/parquet_file.h"

#include "base/bytes.h"
#include "base/memory/buffer.h"
#include "export/formats.h"
#include "export/tables/bit_pack.h"
#include "export/tables/parquet_parts.h"
#include "export/tables/thrift.h"
#include "export/tables/trace_tables.h"

static const char MAGIC[4] = {'P', 'A', 'R', '1'};

enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

#define NO_ENTRY UINT32_MAX

/* Bytes of a value while it waits; truth values are packed to bits when they are written. */
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

static enum tv_code put(struct tv_parquet *file, const void *bytes, size_t len,
                        struct tv_error *err)
{
    file->file_len += len;
    return file->target.sink.write(file->target.sink.ctx, bytes, len, err);
}

static void release_chunk(struct tv_parquet_chunk *chunk, const struct tv_alloc *alloc)
{
    tv_buffer_release(&chunk->values);
    tv_buffer_release(&chunk->texts);
    tv_alloc_release(alloc, &chunk->place_of_entry, chunk->column->dictionary.count,
                     sizeof(*chunk->place_of_entry));
    tv_alloc_release(alloc, &chunk->entries, chunk->entry_cap, sizeof(*chunk->entries));
}

/* Releases a file at any stage: buffers that were never allocated are empty. */
static void release(void *state)
{
    struct tv_parquet *file = state;
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

/* Nothing is taken yet, so release is safe from here on. */
static void init(struct tv_parquet *file, const struct tv_table *table,
                 const struct tv_table_target *target)
{
    file->table = table;
    file->target = *target;
    tv_buffer_init(&file->groups, target->alloc);
    tv_buffer_init(&file->page, target->alloc);
    tv_buffer_init(&file->packed, target->alloc);
    tv_buffer_init(&file->head, target->alloc);
    for (size_t c = 0; c < table->column_count; c++) {
        struct tv_parquet_chunk *chunk = &file->chunks[c];
        chunk->column = &table->columns[c];
        chunk->word_len = word_len_of(chunk->column->type);
        tv_buffer_init(&chunk->values, target->alloc);
        tv_buffer_init(&chunk->texts, target->alloc);
    }
}

/* For each entry of a column's dictionary, its place in the group's own dictionary. A group lists
 * only texts that its rows have. */
static enum tv_code make_places(struct tv_parquet *file, struct tv_error *err)
{
    for (size_t c = 0; c < file->table->column_count; c++) {
        struct tv_parquet_chunk *chunk = &file->chunks[c];
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

/* The file begins with the magic word, which is written at once; the same word ends it. */
static enum tv_code begin(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err)
{
    struct tv_parquet *file;
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

/* A text enters the dictionary of the group when its first row comes. Its length counts towards the
 * end of the group. */
static enum tv_code add_text(struct tv_parquet *file, struct tv_parquet_chunk *chunk,
                             uint32_t entry, struct tv_error *err)
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
static enum tv_code add_texts(struct tv_parquet *file, const struct tv_rows *rows, size_t first,
                              size_t *end, struct tv_error *err)
{
    size_t most = first + (TV_PARQUET_GROUP_ROWS - file->group_len);
    size_t row = first;
    for (; row < rows->len && row < most && file->texts_len < TV_PARQUET_GROUP_TEXT; row++) {
        for (size_t c = 0; c < file->table->column_count; c++) {
            struct tv_parquet_chunk *chunk = &file->chunks[c];
            if (chunk->place_of_entry && chunk->place_of_entry[rows->cells[c][row]] == NO_ENTRY)
                TV_TRY(add_text(file, chunk, (uint32_t)rows->cells[c][row], err));
        }
    }
    *end = row;
    return TV_OK;
}

/* Texts are kept as their places in the group's dictionary, which is what is written. */
static enum tv_code add_values(struct tv_parquet_chunk *chunk, const int64_t *cells, size_t count,
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
static enum tv_code write_page(struct tv_parquet *file, struct tv_parquet_written *written,
                               int32_t kind, const struct tv_buffer *page, uint32_t count,
                               struct tv_error *err)
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
        tv_thrift_i32(&head, 2,
                      has_texts ? TV_PARQUET_ENCODING_RLE_DICTIONARY : TV_PARQUET_ENCODING_PLAIN);
        tv_thrift_i32(&head, 3,
                      TV_PARQUET_ENCODING_RLE); /* of the levels that say which cells are absent */
        tv_thrift_i32(&head, 4,
                      TV_PARQUET_ENCODING_RLE); /* of levels of nesting, of which there are none */
    } else {
        tv_thrift_i32(&head, 2, TV_PARQUET_ENCODING_PLAIN);
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
    uint8_t bytes[TV_LEB_MOST];
    return tv_buffer_append(out, bytes, tv_store_uleb(bytes, value), err);
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

static enum tv_code make_text_page(struct tv_parquet *file, const struct tv_parquet_chunk *chunk,
                                   struct tv_error *err)
{
    unsigned width = tv_bit_width((uint32_t)(chunk->entry_count - 1));
    uint8_t width_byte = (uint8_t)width;
    TV_TRY(tv_buffer_append(&file->page, &width_byte, 1, err));
    return put_hybrid(&file->page, chunk->values.bytes, chunk->word_len, file->group_len, width,
                      err);
}

/* A level for each cell, 1 where it has a value, and then the values that there are. */
static enum tv_code make_sparse_page(struct tv_parquet *file, const struct tv_parquet_chunk *chunk,
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

/* Columns of numbers without absent cells are written from where they were gathered; all other
 * kinds are encoded into the page first. */
static enum tv_code write_chunk(struct tv_parquet *file, const struct tv_parquet_chunk *chunk,
                                struct tv_parquet_written *written, struct tv_error *err)
{
    const struct tv_buffer *page = &file->page;
    file->page.len = 0;
    *written = (struct tv_parquet_written){0};
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

/* Groups */

static void empty_chunk(struct tv_parquet_chunk *chunk)
{
    for (size_t i = 0; i < chunk->entry_count; i++)
        chunk->place_of_entry[chunk->entries[i]] = NO_ENTRY;
    chunk->entry_count = 0;
    chunk->texts.len = 0;
    chunk->values.len = 0;
}

/* Chunk after chunk, then the group is described by what was written, and emptied. */
static enum tv_code write_group(struct tv_parquet *file, struct tv_error *err)
{
    struct tv_parquet_written written[TV_COLUMN_LIMIT];
    for (size_t c = 0; c < file->table->column_count; c++)
        TV_TRY(write_chunk(file, &file->chunks[c], &written[c], err));
    TV_TRY(tv_parquet_describe_group(file, written, err));
    for (size_t c = 0; c < file->table->column_count; c++)
        empty_chunk(&file->chunks[c]);
    file->row_count += file->group_len;
    file->group_count++;
    file->group_len = 0;
    file->texts_len = 0;
    return TV_OK;
}

/* A group may end in the middle of the given rows, when its texts have become long enough. */
static enum tv_code take(void *state, const struct tv_rows *rows, struct tv_error *err)
{
    struct tv_parquet *file = state;
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

/* The description has its length behind it and not before it, since readers come from the end. */
static enum tv_code finish(void *state, struct tv_error *err)
{
    struct tv_parquet *file = state;
    uint8_t len[sizeof(uint32_t)];
    if (file->group_len)
        TV_TRY(write_group(file, err));
    TV_TRY(tv_parquet_describe_file(file, err));
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

static enum tv_code write_parquet(struct tv_export_context *context, struct tv_error *err)
{
    return tv_trace_table_export(context, &tv_parquet_file, err);
}

const struct tv_export tv_export_parquet = {
    .name = "parquet",
    .suffix = ".parquet",
    .media_type = "application/vnd.apache.parquet",
    .summary = "a table as Parquet: DuckDB, pandas, Polars, Spark",
    .has_tables = true,
    .held_names = TV_HELD_UTF8_WITHOUT_NUL,
    .names_files = true,
    .write = write_parquet,
};
