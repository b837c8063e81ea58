/*
 * Signatures as people write them; see base/names/signature_spelling.h. The signature of a trace is
 * read part by part beside the written one, so nothing is allocated.
 */
#include "base/names/signature_spelling.h"

#include <string.h>

#include "base/names/descriptor.h"

/* Takes a type as Java writes it, "java.lang.String[]" or "String[]", with the comma behind it. */
static struct tv_str take_written(struct tv_str *rest, size_t *dimensions)
{
    struct tv_str type = {NULL, 0};
    (void)tv_str_split(rest, ',', &type);
    while (rest->len && rest->at[0] == ' ')
        *rest = (struct tv_str){rest->at + 1, rest->len - 1};
    for (*dimensions = 0; type.len > 2 && memcmp(type.at + type.len - 2, "[]", 2) == 0;
         ++*dimensions)
        type.len -= 2;
    return type;
}

/* Whether `written` is the class name, or the end of it behind a slash or a "$". */
static bool is_class(struct tv_str name, struct tv_str written)
{
    if (!written.len || written.len > name.len)
        return false;
    size_t before = name.len - written.len;
    if (before && !memchr("/$", name.at[before - 1], 2))
        return false;
    for (size_t i = 0; i < written.len; i++) {
        char c = name.at[before + i];
        if (written.at[i] != c && !(written.at[i] == '.' && (c == '/' || c == '$')))
            return false;
    }
    return true;
}

/* Compares parameter after parameter; both lists must end together. */
static bool are_parameters(struct tv_str types, struct tv_str written)
{
    while (types.len && written.len) {
        struct tv_descriptor type;
        size_t written_dimensions;
        if (!tv_descriptor_take(&types, &type))
            return false;
        struct tv_str name = take_written(&written, &written_dimensions);
        if (type.dimensions != written_dimensions || !is_class(type.name, name))
            return false;
    }
    return !types.len && !written.len;
}

bool tv_signature_is_spelled(struct tv_str signature, struct tv_str written)
{
    size_t end = tv_str_find(signature, TV_STR(")"), TV_CASE_EXACT);
    if (tv_str_equal(signature, written))
        return true;
    if (end == SIZE_MAX || signature.at[0] != '(' || written.len < 2 || written.at[0] != '(' ||
        written.at[written.len - 1] != ')')
        return false;
    struct tv_str parameters = {signature.at + 1, end - 1};
    struct tv_str asked = {written.at + 1, written.len - 2};
    return tv_str_equal(parameters, asked) || are_parameters(parameters, asked);
}
