/*
 * From Java's types to descriptors; see retrace/types.h.
 *
 * Brackets at the end become "[" in front, a primitive type becomes its letter, and everything else
 * becomes the name of a class. Nothing is refused: a type that no program has gives a descriptor
 * that no method has, and is then simply not found.
 */
#include "retrace/types.h"

#include <string.h>

#include "base/names/descriptor.h"
#include "retrace/member_line.h"

/* The letter of the only primitive type that a text may be, by how it begins; or of void. */
static char likely_letter(struct tv_str type)
{
    static const char letters[][2] = {{'i', 'I'}, {'v', 'V'}, {'l', 'J'}, {'c', 'C'},
                                      {'s', 'S'}, {'f', 'F'}, {'d', 'D'}};
    if (type.at[0] == 'b')
        return type.len == 4 ? 'B' : 'Z'; /* byte, boolean */
    for (size_t i = 0; i < TV_COUNT_OF(letters); i++) {
        if (letters[i][0] == type.at[0])
            return letters[i][1];
    }
    return 0;
}

/* The letter of a primitive type or of void; 0: the type is a class. */
static char letter_of(struct tv_str type)
{
    const char letter = type.len && type.len <= 7 ? likely_letter(type) : 0;
    return letter && tv_str_equal(type, tv_descriptor_primitive(letter)) ? letter : 0;
}

static void write_class(struct tv_str class_name, uint8_t *to)
{
    for (size_t i = 0; i < class_name.len; i++)
        to[i] = (uint8_t)(class_name.at[i] == '.' ? '/' : class_name.at[i]);
}

enum tv_code tv_class_add(struct tv_buffer *out, struct tv_str class_name, struct tv_error *err)
{
    uint8_t *to;
    TV_TRY(tv_buffer_extend(out, class_name.len, &to, err));
    write_class(class_name, to);
    return TV_OK;
}

/* Made in one piece: a mapping has a million types. */
enum tv_code tv_type_add(struct tv_buffer *out, struct tv_str type, struct tv_error *err)
{
    size_t dimensions = 0;
    uint8_t *to;
    while (tv_str_ends_with(type, TV_STR("[]"))) {
        dimensions++;
        type.len -= 2;
    }
    char letter = letter_of(type);
    TV_TRY(tv_buffer_extend(out, dimensions + (letter ? 1 : type.len + 2), &to, err));
    memset(to, '[', dimensions);
    to += dimensions;
    *to++ = (uint8_t)(letter ? letter : 'L');
    if (letter)
        return TV_OK;
    write_class(type, to);
    to[type.len] = ';';
    return TV_OK;
}

enum tv_code tv_signature_add(struct tv_buffer *out, struct tv_str parameters, struct tv_str type,
                              struct tv_error *err)
{
    struct tv_str parameter;
    TV_TRY(tv_buffer_append(out, "(", 1, err));
    while (parameters.len && tv_str_split(&parameters, ',', &parameter))
        TV_TRY(tv_type_add(out, tv_str_trim(parameter), err));
    TV_TRY(tv_buffer_append(out, ")", 1, err));
    return tv_type_add(out, type, err);
}

bool tv_signature_is_whole(struct tv_str signature)
{
    struct tv_descriptor type;
    if (!signature.len || signature.at[0] != '(')
        return false;
    struct tv_str rest = {signature.at + 1, signature.len - 1};
    while (rest.len && rest.at[0] != ')') {
        if (!tv_descriptor_take(&rest, &type))
            return false;
    }
    if (!rest.len)
        return false;
    rest = (struct tv_str){rest.at + 1, rest.len - 1};
    return tv_descriptor_take(&rest, &type) && !rest.len;
}
