/*
 * From Java's types to descriptors; see retrace/types.h.
 *
 * Brackets at the end become "[" in front, a primitive type becomes its letter, and everything else
 * becomes the name of a class. Nothing is refused: a type that no program has gives a descriptor
 * that no method has, and is then simply not found.
 */
#include "retrace/types.h"

#include "base/names/descriptor.h"
#include "retrace/member_line.h"

/* The letter of a primitive type or of void; 0: the type is a class. */
static char letter_of(struct tv_str type)
{
    static const char letters[] = "ZBCSIJFDV";
    for (size_t i = 0; letters[i]; i++) {
        if (tv_str_equal(type, tv_descriptor_primitive(letters[i])))
            return letters[i];
    }
    return 0;
}

enum tv_code tv_class_add(struct tv_buffer *out, struct tv_str class_name, struct tv_error *err)
{
    uint8_t *to;
    TV_TRY(tv_buffer_extend(out, class_name.len, &to, err));
    for (size_t i = 0; i < class_name.len; i++)
        to[i] = (uint8_t)(class_name.at[i] == '.' ? '/' : class_name.at[i]);
    return TV_OK;
}

enum tv_code tv_type_add(struct tv_buffer *out, struct tv_str type, struct tv_error *err)
{
    while (tv_str_ends_with(type, TV_STR("[]"))) {
        TV_TRY(tv_buffer_append(out, "[", 1, err));
        type.len -= 2;
    }
    char letter = letter_of(type);
    if (letter)
        return tv_buffer_append(out, &letter, 1, err);
    TV_TRY(tv_buffer_append(out, "L", 1, err));
    TV_TRY(tv_class_add(out, type, err));
    return tv_buffer_append(out, ";", 1, err);
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
