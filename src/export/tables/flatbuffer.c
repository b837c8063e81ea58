/*
 * FlatBuffers; see export/tables/flatbuffer.h.
 *
 * The buffer is written front to back. A pointer to a part that comes later is left as 0, and
 * `point` sets it once that part has been written. A pointer counts bytes from its own place, so
 * parts may stand in any order. Every part is aligned to its largest number, and gaps are zero.
 */
#include "export/tables/flatbuffer.h"

#include <string.h>

#include "base/bytes.h"

#define POINTER_LEN 4u
#define MOST_FIELDS 8u

/* Appends zeros; NULL after a failure. */
static uint8_t *extend(struct tv_flat *flat, size_t len)
{
    uint8_t *at = NULL;
    if (flat->error.code == TV_OK)
        flat->error.code = tv_buffer_extend(flat->out, len, &at, &flat->error);
    if (flat->error.code != TV_OK)
        return NULL;
    memset(at, 0, len);
    return at;
}

/* Appends zeros until the length of the buffer plus `ahead` is a multiple of `multiple`. */
static void align(struct tv_flat *flat, size_t ahead, size_t multiple)
{
    size_t over = (flat->out->len + ahead) % multiple;
    if (over)
        (void)extend(flat, multiple - over);
}

/* Lets the pointer at `from` lead to `to`; both are offsets in the buffer. */
static void point(struct tv_flat *flat, size_t from, size_t to)
{
    if (flat->error.code == TV_OK)
        tv_store_le32(flat->out->bytes + from, (uint32_t)(to - from));
}

static void store(uint8_t *at, unsigned len, uint64_t value)
{
    for (unsigned i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

void tv_flat_begin(struct tv_flat *flat, struct tv_buffer *out)
{
    *flat = (struct tv_flat){.out = out, .error = {.code = TV_OK, .offset = TV_NO_OFFSET}};
    out->len = 0;
    (void)extend(flat, POINTER_LEN);
}

/* In front of the table stands its list of fields: the lengths of the list and of the table, and
 * for each field how far behind the table's beginning it stands, 0 for none. The table begins with
 * the way back to the list. */
void tv_flat_table(struct tv_flat *flat, size_t from, const struct tv_flat_field *fields,
                   size_t count, size_t *places)
{
    unsigned id_count = 0;
    size_t table_len = POINTER_LEN;
    tv_assert(count <= MOST_FIELDS);
    for (size_t i = 0; i < count; i++) {
        id_count = fields[i].id + 1 > id_count ? fields[i].id + 1 : id_count;
        table_len += fields[i].len;
    }
    size_t list_len = 2 * sizeof(uint16_t) + id_count * sizeof(uint16_t);
    align(flat, list_len + POINTER_LEN, sizeof(uint64_t));
    size_t list_at = flat->out->len;
    size_t table_at = list_at + list_len;
    uint8_t *list = extend(flat, list_len + table_len);
    size_t place = table_at + POINTER_LEN;
    for (size_t i = 0; i < count; i++) {
        tv_assert(i == 0 || fields[i].len <= fields[i - 1].len);
        places[i] = place;
        if (list) {
            tv_store_le16(list + 4 + 2 * fields[i].id, (uint16_t)(place - table_at));
            store(list + (place - list_at), fields[i].len, fields[i].value);
        }
        place += fields[i].len;
    }
    if (!list)
        return;
    tv_store_le16(list, (uint16_t)list_len);
    tv_store_le16(list + 2, (uint16_t)table_len);
    tv_store_le32(list + list_len, (uint32_t)list_len);
    point(flat, from, table_at);
}

void tv_flat_string(struct tv_flat *flat, size_t from, struct tv_str text)
{
    align(flat, 0, POINTER_LEN);
    size_t to = flat->out->len;
    uint8_t *at = extend(flat, POINTER_LEN + text.len + 1); /* a string ends with a zero */
    if (!at)
        return;
    tv_store_le32(at, (uint32_t)text.len);
    memcpy(at + POINTER_LEN, text.at, text.len);
    point(flat, from, to);
}

/* The count goes before the words, and the words are aligned to their own size, which the format
 * demands. */
void tv_flat_words(struct tv_flat *flat, size_t from, size_t count, const uint64_t *words,
                   size_t len)
{
    align(flat, POINTER_LEN, sizeof(uint64_t));
    size_t to = flat->out->len;
    uint8_t *at = extend(flat, POINTER_LEN + len * sizeof(uint64_t));
    if (!at)
        return;
    tv_store_le32(at, (uint32_t)count);
    for (size_t i = 0; i < len; i++)
        tv_store_le64(at + POINTER_LEN + i * sizeof(uint64_t), words[i]);
    point(flat, from, to);
}

/* A vector of tables: the pointers are filled in when the tables are written, from *first on. */
void tv_flat_pointers(struct tv_flat *flat, size_t from, size_t count, size_t *first)
{
    align(flat, 0, POINTER_LEN);
    size_t to = flat->out->len;
    uint8_t *at = extend(flat, POINTER_LEN + count * POINTER_LEN);
    *first = to + POINTER_LEN;
    if (!at)
        return;
    tv_store_le32(at, (uint32_t)count);
    point(flat, from, to);
}

enum tv_code tv_flat_end(struct tv_flat *flat, struct tv_error *err)
{
    align(flat, 0, sizeof(uint64_t));
    if (flat->error.code != TV_OK && err)
        *err = flat->error;
    return flat->error.code;
}
