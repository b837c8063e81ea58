/*
 * Shortened names; see analysis/selection/shortened.h. A text is pieces with something left out
 * between them. Of each piece the first place is taken behind the piece before, which leaves the
 * most room for the others.
 */
#include "analysis/selection/shortened.h"

#include <string.h>

#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "base/names/java_names.h"

/* The length of the sign at the beginning of a text that something is left out; 0: there is none.
 */
static size_t sign_len(struct tv_str text)
{
    static const char ellipsis[] = "\u2026";
    size_t points = 0;
    if (tv_str_starts_with(text, TV_STR(ellipsis)))
        return sizeof(ellipsis) - 1;
    while (points < text.len && text.at[points] == '.')
        points++;
    return points > 1 ? points : 0;
}

static struct tv_str from(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at + at, text.len - at};
}

/* Takes the piece before the next sign, and that sign. Returns whether there was one. */
static bool take_piece(struct tv_str *rest, struct tv_str *piece)
{
    size_t len = 0;
    while (len < rest->len && !sign_len(from(*rest, len)))
        len++;
    *piece = (struct tv_str){rest->at, len};
    size_t sign = len < rest->len ? sign_len(from(*rest, len)) : 0;
    *rest = from(*rest, len + sign);
    return sign > 0;
}

bool tv_is_shortened(struct tv_str text)
{
    struct tv_str piece;
    return take_piece(&text, &piece);
}

static bool begins_a_part(struct tv_str whole, size_t at)
{
    return !at || memchr(".$", whole.at[at - 1], 2);
}

/* The first place of a piece, SIZE_MAX: there is none. One that has to end the name has one place.
 */
static size_t place_of(struct tv_str whole, struct tv_str piece, bool is_last, bool is_at_part)
{
    if (piece.len > whole.len)
        return SIZE_MAX;
    if (is_last) {
        size_t at = whole.len - piece.len;
        bool fits = tv_str_ends_with(whole, piece) && (!is_at_part || begins_a_part(whole, at));
        return fits ? at : SIZE_MAX;
    }
    for (size_t at = 0; at <= whole.len;) {
        size_t found = tv_str_find(from(whole, at), piece, TV_CASE_EXACT);
        if (found == SIZE_MAX || !is_at_part || begins_a_part(whole, at + found))
            return found == SIZE_MAX ? SIZE_MAX : at + found;
        at += found + 1;
    }
    return SIZE_MAX;
}

/* Whether the pieces stand in the name one behind the other; with `is_at_part` the first of them
 * must begin a part of it, behind a "." or a "$". */
static bool fits(struct tv_str text, struct tv_str whole, bool is_at_part)
{
    struct tv_str rest = whole;
    struct tv_str piece;
    bool is_first = true;
    for (bool has_more = true; has_more;) {
        has_more = take_piece(&text, &piece);
        /* A text that begins with a sign has nothing before it. */
        if (has_more && !piece.len)
            continue;
        bool is_last = !has_more;
        if (is_last && !piece.len)
            return true;
        size_t at = place_of(rest, piece, is_last, is_first && is_at_part);
        if (at == SIZE_MAX)
            return false;
        rest = from(rest, at + piece.len);
        is_first = false;
    }
    return true;
}

enum tv_shortened tv_shortened_fits(struct tv_str text, struct tv_str whole)
{
    if (fits(text, whole, true))
        return TV_SHORTENED_AT_A_PART;
    return sign_len(text) && fits(text, whole, false) ? TV_SHORTENED_IN_A_PART : TV_SHORTENED_NO;
}

static enum tv_shortened better(enum tv_shortened a, enum tv_shortened b)
{
    return a > b ? a : b;
}

/* Compares the name as Java writes it with the text, and its beginning without parameters. */
static enum tv_shortened fits_java(struct tv_str text, struct tv_str whole, size_t both_len)
{
    struct tv_str both = {whole.at, both_len < whole.len ? both_len : whole.len};
    return better(tv_shortened_fits(text, whole), tv_shortened_fits(text, both));
}

/* The name of a lambda's class may end with an address, which tables leave out; so the name is also
 * compared without it. */
enum tv_code tv_shortened_fits_method(struct tv_str text, const struct tv_index *index,
                                      uint32_t method_ix, struct tv_buffer *room,
                                      enum tv_shortened *fit, struct tv_error *err)
{
    struct tv_str class_name = tv_method_class(index, method_ix);
    struct tv_str name = tv_method_name(index, method_ix);
    size_t address_len = class_name.len - tv_java_class_named_len(class_name);
    size_t both_len = class_name.len + (class_name.len && name.len) + name.len;
    *fit = TV_SHORTENED_NO;
    if (!address_len && !tv_is_shortened(text))
        return TV_OK;
    TV_TRY(tv_method_text(index, method_ix, room, err));
    *fit = tv_shortened_fits(text, tv_buffer_view(room));
    TV_TRY(tv_method_java_text(index, method_ix, room, err));
    *fit = better(*fit, fits_java(text, tv_buffer_view(room), both_len));
    if (!address_len)
        return TV_OK;
    memmove(room->bytes + class_name.len - address_len, room->bytes + class_name.len,
            room->len - class_name.len);
    room->len -= address_len;
    *fit = better(*fit, fits_java(text, tv_buffer_view(room), both_len - address_len));
    return TV_OK;
}
