/*
 * Names of methods; see analysis/selection/names.h.
 *
 * A whole name stands nowhere in the index. It is a list of parts that are written one after the
 * other, so two names can be compared, as sorting does a million times, without joining them.
 */
#include "analysis/selection/names.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/names/ambiguous_name.h"
#include "base/names/source_names.h"

struct tv_str tv_method_class(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->class_off, method->class_len);
}

struct tv_str tv_method_name(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->name_off, method->name_len);
}

struct tv_str tv_method_signature(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->signature_off, method->signature_len);
}

struct tv_str tv_method_file(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->file_off, method->file_len);
}

struct tv_str tv_method_written(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->written_off, method->written_len);
}

static bool has_source_names(const struct tv_index *index)
{
    return tv_str_equal(tv_index_property_of(index, TV_SOURCE_NAMES_KEY), TV_SOURCE_NAMES);
}

struct tv_str tv_method_build(const struct tv_index *index, uint32_t method_ix)
{
    struct tv_str id;
    if (!tv_map_id_of(tv_method_file(index, method_ix), &id) || has_source_names(index))
        return TV_STR("");
    return id;
}

/* A method that was matched by hand has another name than what stands in the text of its own. */
struct tv_str tv_method_alternatives(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    const struct tv_str name = tv_method_name(index, method_ix);
    const uint64_t file_end = method->file_off + method->file_len;
    const uint64_t end = method->written_off - method->inlined_len;
    if (!tv_name_is_ambiguous(name) || !(method->written_len || has_source_names(index)))
        return TV_STR("");
    if (!method->written_len || end <= file_end || !tv_str_ends_with(name, TV_STR(" | more")))
        return name;
    return tv_index_text(index, file_end, end - file_end);
}

struct tv_str tv_method_inlined(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->written_off - method->inlined_len, method->inlined_len);
}

bool tv_inlined_next(struct tv_str *rest, struct tv_inlined_name *inlined)
{
    struct tv_str line;
    if (!rest->len || !tv_str_split(rest, '\n', &line))
        return false;
    *inlined = (struct tv_inlined_name){.name = line};
    for (size_t i = 0; i < line.len; i++) {
        if (line.at[i] == ' ') {
            inlined->name.len = i;
            inlined->signature = (struct tv_str){line.at + i + 1, line.len - i - 1};
            break;
        }
    }
    size_t end = inlined->name.len;
    while (end && line.at[end - 1] != '.')
        end--;
    if (end) {
        inlined->class_name = (struct tv_str){line.at, end - 1};
        inlined->name = (struct tv_str){line.at + end, inlined->name.len - end};
    }
    return true;
}

uint64_t tv_renamed_methods(const struct tv_index *index)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < index->method_count; i++)
        count += index->methods[i].written_len > 0;
    return count;
}

bool tv_method_shares_name(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    const struct tv_str class_name = tv_method_class(index, method_ix);
    const struct tv_str name = tv_method_name(index, method_ix);
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *other = &index->methods[i];
        if (i != method_ix && other->name_len == method->name_len &&
            other->class_len == method->class_len && tv_str_equal(tv_method_name(index, i), name) &&
            tv_str_equal(tv_method_class(index, i), class_name))
            return true;
    }
    return false;
}

/* The parts of a whole name, separators included: at most class, point, name, space, signature. */
struct parts {
    struct tv_str of[5];
    size_t count;
    char hex[24]; /* "(0x...)", when that is the name */
};

/* Adds a part and, unless it is the first, a separator before it; nothing for an empty part. */
static void add_part(struct parts *parts, struct tv_str separator, struct tv_str part)
{
    if (!part.len)
        return;
    if (parts->count)
        parts->of[parts->count++] = separator;
    parts->of[parts->count++] = part;
}

static void split_name(const struct tv_index *index, uint32_t method_ix, struct parts *parts)
{
    parts->count = 0;
    add_part(parts, TV_STR(""), tv_method_class(index, method_ix));
    add_part(parts, TV_STR("."), tv_method_name(index, method_ix));
    add_part(parts, TV_STR(" "), tv_method_signature(index, method_ix));
    if (parts->count)
        return;
    int len = snprintf(parts->hex, sizeof(parts->hex), "(0x%llx)",
                       (unsigned long long)index->methods[method_ix].id);
    add_part(parts, TV_STR(""), (struct tv_str){parts->hex, (size_t)len});
}

enum tv_code tv_method_text(const struct tv_index *index, uint32_t method_ix, struct tv_buffer *out,
                            struct tv_error *err)
{
    struct parts parts;
    split_name(index, method_ix, &parts);
    out->len = 0;
    for (size_t i = 0; i < parts.count; i++)
        TV_TRY(tv_buffer_append(out, parts.of[i].at, parts.of[i].len, err));
    return TV_OK;
}

/* A name while it is compared: parts before `part`, and `pos` bytes of that one, are read. */
struct unread_name {
    struct parts parts;
    size_t part;
    size_t pos; /* bytes read of that part */
};

/* What is left of the current part; empty at the end of the name only, since no part is empty. */
static struct tv_str unread_part(const struct unread_name *name)
{
    if (name->part == name->parts.count)
        return (struct tv_str){NULL, 0};
    struct tv_str part = name->parts.of[name->part];
    return (struct tv_str){part.at + name->pos, part.len - name->pos};
}

static void advance(struct unread_name *name, size_t len)
{
    name->pos += len;
    if (name->pos < name->parts.of[name->part].len)
        return;
    name->part++;
    name->pos = 0;
}

/* Compares as much as both current parts have, then reads on: parts of the two names need not
 * end together. */
int tv_method_compare_texts(const struct tv_index *index, uint32_t a, uint32_t b)
{
    struct unread_name left = {.part = 0};
    struct unread_name right = {.part = 0};
    split_name(index, a, &left.parts);
    split_name(index, b, &right.parts);
    for (;;) {
        struct tv_str text_a = unread_part(&left);
        struct tv_str text_b = unread_part(&right);
        size_t len = text_a.len < text_b.len ? text_a.len : text_b.len;
        if (!len)
            return (text_a.len > text_b.len) - (text_a.len < text_b.len);
        int order = memcmp(text_a.at, text_b.at, len);
        if (order)
            return order;
        advance(&left, len);
        advance(&right, len);
    }
}
