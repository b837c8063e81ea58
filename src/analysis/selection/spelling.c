/*
 * Spellings of names; see analysis/selection/spelling.h.
 *
 * A text may be a part of a name, so every step looks only at what stands beside the characters
 * that it changes.
 */
#include "analysis/selection/spelling.h"

#include <string.h>

#include "base/names/descriptor.h"

/* The piece at the beginning of the text that is written otherwise in tv_method_text: how long it
 * is, and what stands for it. A length of 0: there is none. */
struct piece {
    size_t len;
    const char *as;
};

static struct piece piece_at(struct tv_str rest, bool is_first)
{
    static const struct piece pieces[] = {{3, ";->"}, {2, "->"}, {2, "::"}, {1, "#"}, {1, "/"}};
    for (size_t i = 0; i < TV_COUNT_OF(pieces); i++) {
        if (tv_str_starts_with(rest, (struct tv_str){pieces[i].as, pieces[i].len}))
            return (struct piece){pieces[i].len, "."};
    }
    /* The L of a descriptor that goes on to a method. */
    if (is_first && rest.at[0] == 'L' &&
        tv_str_find(rest, TV_STR(";->"), TV_CASE_EXACT) != SIZE_MAX)
        return (struct piece){1, ""};
    return (struct piece){0, ""};
}

/* A signature stays as it is written; only a blank is put in front of it. */
enum tv_code tv_spelling_of(struct tv_str text, struct tv_buffer *out, struct tv_error *err)
{
    size_t signature = tv_str_find(text, TV_STR("("), TV_CASE_EXACT);
    struct tv_str name = {text.at, signature == SIZE_MAX ? text.len : signature};
    struct tv_str rest = name;
    out->len = 0;
    while (rest.len) {
        struct piece piece = piece_at(rest, rest.len == name.len);
        size_t len = piece.len ? piece.len : 1;
        if (piece.len)
            TV_TRY(tv_buffer_append(out, piece.as, strlen(piece.as), err));
        else
            TV_TRY(tv_buffer_append(out, rest.at, 1, err));
        rest = (struct tv_str){rest.at + len, rest.len - len};
    }
    if (signature == SIZE_MAX)
        return TV_OK;
    if (name.len && name.at[name.len - 1] != ' ')
        TV_TRY(tv_buffer_append(out, " ", 1, err));
    return tv_buffer_append(out, text.at + signature, text.len - signature, err);
}

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

/* Whether `written` is the class name, or the end of it behind a slash, a point or a "$". */
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

bool tv_spelling_is_signature(struct tv_str signature, struct tv_str written)
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
