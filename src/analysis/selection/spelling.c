/*
 * Spellings of names; see analysis/selection/spelling.h.
 *
 * A text may be a part of a name, so every step looks only at what stands beside the characters
 * that it changes.
 */
#include "analysis/selection/spelling.h"

#include <string.h>

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
