/*
 * Arrow streams; see export/tables/arrow_stream.h.
 *
 * Each message has a description, which is a FlatBuffer (flatbuffer.h), and a body of columns one
 * behind the other. The description says where each part of the body lies, so lengths are computed
 * first (struct parts) and the bytes follow in the same order. The numbers of fields and types are
 * those of Message.fbs and Schema.fbs.
 */
#include "export/tables/arrow_stream.h"

#include "base/bytes.h"
#include "base/memory/buffer.h"
#include "export/formats.h"
#include "export/tables/bit_pack.h"
#include "export/tables/flatbuffer.h"
#include "export/tables/trace_tables.h"

#define MARK 0xffffffffu
#define METADATA_V5 4u
#define ALIGNMENT 8u
#define LEN_LEN 4u
/* Texts are written in pieces of at least this. */
#define WRITE_LEN 65536u

enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_ROWS = 3 };
enum { TYPE_INT = 2, TYPE_UTF8 = 5, TYPE_BOOL = 6 };

struct arrow {
    const struct tv_table *table;
    struct tv_table_target target;
    size_t batch_len; /* rows that wait */
    /* The waiting values of each column, as they stand in a batch: words, or a byte for a truth. */
    struct tv_buffer values[TV_COLUMN_LIMIT];
    struct tv_buffer message, bits;
};

/* Where the parts of a batch stand in its body, for the message before it. */
struct parts {
    uint64_t nodes[2 * TV_COLUMN_LIMIT];   /* cells and absent cells of each column */
    uint64_t buffers[4 * TV_COLUMN_LIMIT]; /* offset and length: which cells are there; the cells */
    size_t node_count, buffer_count;
    uint64_t body_len;
};

static enum tv_code put(struct arrow *stream, const void *bytes, size_t len, struct tv_error *err)
{
    return len ? stream->target.sink.write(stream->target.sink.ctx, bytes, len, err) : TV_OK;
}

static uint64_t aligned(uint64_t len)
{
    return (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static enum tv_code put_padding(struct arrow *stream, uint64_t len, struct tv_error *err)
{
    static const uint8_t zeros[ALIGNMENT] = {0};
    return put(stream, zeros, (size_t)(aligned(len) - len), err);
}

static void release(void *state)
{
    struct arrow *stream = state;
    if (!stream)
        return;
    for (size_t c = 0; c < stream->table->column_count; c++)
        tv_buffer_release(&stream->values[c]);
    tv_buffer_release(&stream->message);
    tv_buffer_release(&stream->bits);
    tv_alloc_release(stream->target.alloc, &stream, 1, sizeof(*stream));
}

/* Messages: a mark, the length of the metadata, the metadata, and the body if there is one */

/* Begins a message; its header is to be pointed to from *header. */
static void begin_message(struct arrow *stream, struct tv_flat *flat, unsigned header_kind,
                          uint64_t body_len, size_t *header)
{
    size_t places[4];
    tv_flat_begin(flat, &stream->message);
    tv_flat_table(flat, 0,
                  (struct tv_flat_field[]){
                      {3, 8, body_len}, {2, 4, 0}, {0, 2, METADATA_V5}, {1, 1, header_kind}},
                  4, places);
    *header = places[1];
}

static enum tv_code end_message(struct arrow *stream, struct tv_flat *flat, struct tv_error *err)
{
    uint8_t head[2 * LEN_LEN];
    TV_TRY(tv_flat_end(flat, err));
    tv_store_le32(head, MARK);
    tv_store_le32(head + LEN_LEN, (uint32_t)stream->message.len);
    TV_TRY(put(stream, head, sizeof(head), err));
    return put(stream, stream->message.bytes, stream->message.len, err);
}

/* The schema */

static void describe_int(struct tv_flat *flat, size_t from, unsigned bits, bool is_signed)
{
    size_t places[2];
    tv_flat_table(flat, from, (struct tv_flat_field[]){{0, 4, bits}, {1, 1, is_signed}}, 2, places);
}

/* The numbers of Arrow's union Type (Schema.fbs). */
static unsigned type_of(enum tv_column_type type)
{
    switch (type) {
    case TV_COLUMN_U32:
    case TV_COLUMN_I64:
        return TYPE_INT;
    case TV_COLUMN_TRUTH:
        return TYPE_BOOL;
    case TV_COLUMN_TEXT:
        return TYPE_UTF8;
    }
    return 0;
}

/* Texts are described as Utf8 here; that they are dictionary-encoded is a field of the column and
 * not of its type. */
static void describe_type(struct tv_flat *flat, size_t from, enum tv_column_type type)
{
    switch (type) {
    case TV_COLUMN_U32:
        describe_int(flat, from, 32, false);
        break;
    case TV_COLUMN_I64:
        describe_int(flat, from, 64, true);
        break;
    case TV_COLUMN_TRUTH: /* these two types have no fields */
    case TV_COLUMN_TEXT:
        tv_flat_table(flat, from, NULL, 0, NULL);
        break;
    }
}

/* The dictionary of a column has the number of the column. */
static void describe_column(struct tv_flat *flat, size_t from, const struct tv_column *column,
                            size_t c)
{
    size_t at[6], first;
    struct tv_flat_field fields[] = {{0, 4, 0},
                                     {3, 4, 0},
                                     {5, 4, 0},
                                     {4, 4, 0},
                                     {1, 1, column->may_be_absent},
                                     {2, 1, type_of(column->type)}};
    struct tv_flat_field plain[] = {fields[0], fields[1], fields[2], fields[4], fields[5]};
    bool has_texts = column->type == TV_COLUMN_TEXT;
    tv_flat_table(flat, from, has_texts ? fields : plain, has_texts ? 6 : 5, at);
    size_t dictionary = at[3];
    tv_flat_string(flat, at[0], tv_str_from(column->name));
    describe_type(flat, at[1], column->type);
    tv_flat_pointers(flat, at[2], 0, &first); /* no children, but a list of them */
    if (!has_texts)
        return;
    tv_flat_table(flat, dictionary, (struct tv_flat_field[]){{0, 8, c}, {1, 4, 0}}, 2, at);
    describe_int(flat, at[1], 32, true); /* the type of the entries' numbers */
}

/* The schema is the first message; dictionaries and rows refer to its fields by their order. */
static enum tv_code write_schema(struct arrow *stream, struct tv_error *err)
{
    struct tv_flat flat;
    size_t header, schema, first;
    begin_message(stream, &flat, HEADER_SCHEMA, 0, &header);
    tv_flat_table(&flat, header, (struct tv_flat_field[]){{1, 4, 0}}, 1, &schema);
    tv_flat_pointers(&flat, schema, stream->table->column_count, &first);
    for (size_t c = 0; c < stream->table->column_count; c++)
        describe_column(&flat, first + c * LEN_LEN, &stream->table->columns[c], c);
    return end_message(stream, &flat, err);
}

/* Rows, and dictionaries, which are rows of one column */

static void add_node(struct parts *parts, uint64_t cells, uint64_t absent)
{
    parts->nodes[2 * parts->node_count] = cells;
    parts->nodes[2 * parts->node_count++ + 1] = absent;
}

static void add_buffer(struct parts *parts, uint64_t len)
{
    parts->buffers[2 * parts->buffer_count] = parts->body_len;
    parts->buffers[2 * parts->buffer_count++ + 1] = len;
    parts->body_len += aligned(len);
}

static void describe_rows(struct tv_flat *flat, size_t from, uint64_t len,
                          const struct parts *parts)
{
    size_t at[3];
    tv_flat_table(flat, from, (struct tv_flat_field[]){{0, 8, len}, {1, 4, 0}, {2, 4, 0}}, 3, at);
    tv_flat_words(flat, at[1], parts->node_count, parts->nodes, 2 * parts->node_count);
    tv_flat_words(flat, at[2], parts->buffer_count, parts->buffers, 2 * parts->buffer_count);
}

/* Writes what waits in `out` once it is `most` bytes. */
static enum tv_code flush(struct arrow *stream, struct tv_buffer *out, size_t most,
                          struct tv_error *err)
{
    if (out->len < most)
        return TV_OK;
    size_t len = out->len;
    out->len = 0;
    return put(stream, out->bytes, len, err);
}

/* Writes where the first text begins, and where each text ends. */
static enum tv_code write_ends(struct arrow *stream, const struct tv_dictionary *dictionary,
                               struct tv_error *err)
{
    struct tv_buffer *ends = &stream->bits; /* free before there are rows */
    uint8_t end_bytes[LEN_LEN] = {0};
    uint32_t end = 0;
    ends->len = 0;
    TV_TRY(tv_buffer_append(ends, end_bytes, sizeof(end_bytes), err));
    for (uint32_t entry = 0; entry < dictionary->count; entry++) {
        end += (uint32_t)dictionary->texts[entry].len;
        tv_store_le32(end_bytes, end);
        TV_TRY(tv_buffer_append(ends, end_bytes, sizeof(end_bytes), err));
        TV_TRY(flush(stream, ends, WRITE_LEN, err));
    }
    TV_TRY(flush(stream, ends, 0, err));
    return put_padding(stream, ((uint64_t)dictionary->count + 1) * LEN_LEN, err);
}

/* Texts are written as they are joined, in pieces, so that two gigabytes of names are not held
 * twice. */
static enum tv_code write_texts(struct arrow *stream, const struct tv_dictionary *dictionary,
                                uint64_t len, struct tv_error *err)
{
    struct tv_buffer *room = &stream->bits;
    room->len = 0;
    for (uint32_t entry = 0; entry < dictionary->count; entry++) {
        struct tv_str text = dictionary->texts[entry];
        TV_TRY(tv_buffer_append(room, text.at, text.len, err));
        TV_TRY(flush(stream, room, WRITE_LEN, err));
    }
    TV_TRY(flush(stream, room, 0, err));
    return put_padding(stream, len, err);
}

/* Offsets into the texts have 32 bits and a sign, which is where the limit comes from. */
static enum tv_code write_dictionary(struct arrow *stream, size_t c, struct tv_error *err)
{
    const struct tv_dictionary *dictionary = &stream->table->columns[c].dictionary;
    struct parts parts = {.node_count = 0};
    struct tv_flat flat;
    size_t header, at[2];
    uint64_t len = 0;
    for (uint32_t entry = 0; entry < dictionary->count; entry++)
        len += dictionary->texts[entry].len;
    if (len > INT32_MAX)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "an Arrow dictionary holds 2 GiB of names at most: export a range");
    add_node(&parts, dictionary->count, 0);
    add_buffer(&parts, 0); /* no text is absent */
    add_buffer(&parts, ((uint64_t)dictionary->count + 1) * LEN_LEN);
    add_buffer(&parts, len);
    begin_message(stream, &flat, HEADER_DICTIONARY, parts.body_len, &header);
    tv_flat_table(&flat, header, (struct tv_flat_field[]){{0, 8, c}, {1, 4, 0}}, 2, at);
    describe_rows(&flat, at[1], dictionary->count, &parts);
    TV_TRY(end_message(stream, &flat, err));
    TV_TRY(write_ends(stream, dictionary, err));
    return write_texts(stream, dictionary, len, err);
}

/* Whether each cell of a column is there, a byte each; an absent one becomes 0. */
static enum tv_code mark_present(struct arrow *stream, size_t c, uint64_t *absent_count,
                                 struct tv_error *err)
{
    uint8_t *present;
    uint8_t *at = stream->values[c].bytes;
    stream->bits.len = 0;
    TV_TRY(tv_buffer_extend(&stream->bits, stream->batch_len, &present, err));
    for (size_t i = 0; i < stream->batch_len; i++, at += sizeof(uint64_t)) {
        present[i] = tv_load_le64(at) != (uint64_t)TV_ABSENT;
        *absent_count += !present[i];
        if (!present[i])
            tv_store_le64(at, 0);
    }
    return TV_OK;
}

/* Puts a column into the shape of the body, behind what it already holds in stream->values: bits
 * that say which cells are there, in front of the cells; truths as bits. */
static enum tv_code shape_column(struct arrow *stream, size_t c, struct parts *parts,
                                 struct tv_error *err)
{
    const struct tv_column *column = &stream->table->columns[c];
    struct tv_buffer *values = &stream->values[c];
    uint64_t absent_count = 0;
    size_t cells_len = values->len;
    if (column->may_be_absent) {
        TV_TRY(mark_present(stream, c, &absent_count, err));
        TV_TRY(tv_bit_pack(values, stream->bits.bytes, 1, stream->batch_len, 1, ALIGNMENT, err));
    } else if (column->type == TV_COLUMN_TRUTH) {
        stream->bits.len = 0;
        TV_TRY(tv_bit_pack(&stream->bits, values->bytes, 1, stream->batch_len, 1, ALIGNMENT, err));
        values->len = 0;
        TV_TRY(tv_buffer_append(values, stream->bits.bytes, stream->bits.len, err));
        cells_len = values->len;
    }
    add_node(parts, stream->batch_len, absent_count);
    add_buffer(parts, values->len - cells_len);
    add_buffer(parts, cells_len);
    return TV_OK;
}

static enum tv_code write_column(struct arrow *stream, size_t c, const struct parts *parts,
                                 struct tv_error *err)
{
    const struct tv_buffer *values = &stream->values[c];
    size_t bits_len = (size_t)parts->buffers[4 * c + 1];
    size_t cells_len = (size_t)parts->buffers[4 * c + 3];
    TV_TRY(put(stream, values->bytes + cells_len, bits_len, err));
    TV_TRY(put(stream, values->bytes, cells_len, err));
    return put_padding(stream, cells_len, err);
}

/* Shapes all columns before the first byte is written, because the lengths stand in the
 * description. */
static enum tv_code write_batch(struct arrow *stream, struct tv_error *err)
{
    struct parts parts = {.node_count = 0};
    struct tv_flat flat;
    size_t header;
    for (size_t c = 0; c < stream->table->column_count; c++)
        TV_TRY(shape_column(stream, c, &parts, err));
    begin_message(stream, &flat, HEADER_ROWS, parts.body_len, &header);
    describe_rows(&flat, header, stream->batch_len, &parts);
    TV_TRY(end_message(stream, &flat, err));
    for (size_t c = 0; c < stream->table->column_count; c++) {
        TV_TRY(write_column(stream, c, &parts, err));
        stream->values[c].len = 0;
    }
    stream->batch_len = 0;
    return TV_OK;
}

/* Schema and dictionaries go out at once; only batches of rows remain. */
static enum tv_code begin(const struct tv_table *table, const struct tv_table_target *target,
                          void **state, struct tv_error *err)
{
    struct arrow *stream;
    *state = NULL;
    TV_TRY(tv_alloc_new(target->alloc, &stream, 1, sizeof(*stream), err));
    stream->table = table;
    stream->target = *target;
    tv_buffer_init(&stream->message, target->alloc);
    tv_buffer_init(&stream->bits, target->alloc);
    for (size_t c = 0; c < table->column_count; c++)
        tv_buffer_init(&stream->values[c], target->alloc);
    enum tv_code code = write_schema(stream, err);
    for (size_t c = 0; c < table->column_count && code == TV_OK; c++) {
        if (table->columns[c].type == TV_COLUMN_TEXT)
            code = write_dictionary(stream, c, err);
    }
    if (code != TV_OK)
        release(stream);
    else
        *state = stream;
    return code;
}

/* Values are kept in the width that Arrow writes. Truth values have a byte each here, and are
 * packed to bits when the batch is written. */
static enum tv_code add_values(struct tv_buffer *values, enum tv_column_type type,
                               const int64_t *cells, size_t count, struct tv_error *err)
{
    uint8_t *at;
    size_t len = type == TV_COLUMN_I64     ? sizeof(uint64_t)
                 : type == TV_COLUMN_TRUTH ? 1
                                           : sizeof(uint32_t);
    TV_TRY(tv_buffer_extend(values, count * len, &at, err));
    switch (type) {
    case TV_COLUMN_I64:
        for (size_t i = 0; i < count; i++)
            tv_store_le64(at + i * sizeof(uint64_t), (uint64_t)cells[i]);
        break;
    case TV_COLUMN_U32:
    case TV_COLUMN_TEXT:
        for (size_t i = 0; i < count; i++)
            tv_store_le32(at + i * sizeof(uint32_t), (uint32_t)cells[i]);
        break;
    case TV_COLUMN_TRUTH:
        for (size_t i = 0; i < count; i++)
            at[i] = (uint8_t)cells[i];
        break;
    }
    return TV_OK;
}

/* A batch is written before it could grow too long, so the rows of one call always stay together.
 */
static enum tv_code take(void *state, const struct tv_rows *rows, struct tv_error *err)
{
    struct arrow *stream = state;
    if (stream->batch_len + rows->len > TV_ARROW_BATCH_ROWS)
        TV_TRY(write_batch(stream, err));
    for (size_t c = 0; c < stream->table->column_count; c++)
        TV_TRY(add_values(&stream->values[c], stream->table->columns[c].type, rows->cells[c],
                          rows->len, err));
    stream->batch_len += rows->len;
    return TV_OK;
}

/* A stream ends with a mark and a length of 0; without it readers take the file for one that was
 * cut. */
static enum tv_code finish(void *state, struct tv_error *err)
{
    struct arrow *stream = state;
    uint8_t end[2 * LEN_LEN];
    if (stream->batch_len)
        TV_TRY(write_batch(stream, err));
    tv_store_le32(end, MARK);
    tv_store_le32(end + LEN_LEN, 0);
    return put(stream, end, sizeof(end), err);
}

const struct tv_table_form tv_arrow_stream = {
    .begin = begin,
    .take = take,
    .finish = finish,
    .release = release,
};

static enum tv_code write_arrow(struct tv_export_context *context, struct tv_error *err)
{
    return tv_trace_table_export(context, &tv_arrow_stream, err);
}

const struct tv_export tv_export_arrow = {
    .name = "arrow",
    .suffix = ".arrows",
    .media_type = "application/vnd.apache.arrow.stream",
    .summary = "a table as an Arrow stream: pandas, Polars, R, DuckDB",
    .has_tables = true,
    .held_names = TV_HELD_UTF8_WITHOUT_NUL,
    .names_files = true,
    .write = write_arrow,
};
