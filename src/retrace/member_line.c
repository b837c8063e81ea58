/*
 * Taking a member's line apart; see retrace/member_line.h. The line is cut at its arrow first,
 * because no part has a blank but the type and the name, which one blank divides.
 */
#include "retrace/member_line.h"

#include <string.h>

static const struct tv_str arrow = {" -> ", 4};

static struct tv_str from(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at + at, text.len - at};
}

static struct tv_str until(struct tv_str text, size_t end)
{
    return (struct tv_str){text.at, end};
}

/* How many digits the text begins with. */
static size_t digits(struct tv_str text)
{
    size_t len = 0;
    while (len < text.len && text.at[len] >= '0' && text.at[len] <= '9')
        len++;
    return len;
}

/* Takes "1:5:" or "1:" from the front, if the text begins with a digit. False: it begins with a
 * digit and has no such numbers. */
static bool take_range(struct tv_str *text, struct tv_str *range)
{
    size_t first = digits(*text);
    *range = until(*text, 0);
    if (!first)
        return true;
    size_t end = first;
    if (end < text->len && text->at[end] == ':') {
        size_t second = digits(from(*text, end + 1));
        end += second ? 1 + second : 0;
    }
    if (end == text->len || text->at[end] != ':')
        return false;
    *range = until(*text, end);
    *text = from(*text, end + 1);
    return true;
}

/* Whether the text behind the parameters is ":20", ":20:24" or nothing. */
static bool is_source_range(struct tv_str text)
{
    for (unsigned i = 0; i < 2 && text.len; i++) {
        size_t len = text.at[0] == ':' ? digits(from(text, 1)) : 0;
        if (!len)
            return false;
        text = from(text, 1 + len);
    }
    return !text.len;
}

/* Cuts "pkg.Class.name" before its last point. */
static void cut_class(struct tv_member_line *member)
{
    struct tv_str whole = member->name;
    size_t at = whole.len;
    while (at && whole.at[at - 1] != '.')
        at--;
    member->class_name = until(whole, at ? at - 1 : 0);
    member->name = from(whole, at);
}

/* Takes "name(parameters):20:24" apart; a field has its name alone. */
static bool take_name(struct tv_str text, struct tv_member_line *member)
{
    const char *open = text.len ? memchr(text.at, '(', text.len) : NULL;
    member->is_method = open != NULL;
    member->name = open ? until(text, (size_t)(open - text.at)) : text;
    if (open) {
        struct tv_str rest = from(text, member->name.len + 1);
        const char *close = rest.len ? memchr(rest.at, ')', rest.len) : NULL;
        if (!close)
            return false;
        member->parameters = until(rest, (size_t)(close - rest.at));
        if (!is_source_range(from(rest, member->parameters.len + 1)))
            return false;
    }
    cut_class(member);
    return member->name.len && !memchr(member->name.at, ' ', member->name.len);
}

/* *member is set only where the whole line could be read. */
bool tv_member_line_parse(struct tv_str line, struct tv_member_line *member)
{
    struct tv_member_line found = {.is_method = false};
    line = tv_str_trim(line);
    size_t end = tv_str_find(line, arrow, TV_CASE_EXACT);
    if (end == SIZE_MAX)
        return false;
    found.written = from(line, end + arrow.len);
    struct tv_str left = until(line, end);
    if (!found.written.len || memchr(found.written.at, ' ', found.written.len) ||
        !take_range(&left, &found.range))
        return false;
    const char *blank = left.len ? memchr(left.at, ' ', left.len) : NULL;
    if (!blank || blank == left.at)
        return false;
    found.type = until(left, (size_t)(blank - left.at));
    if (!take_name(from(left, found.type.len + 1), &found))
        return false;
    *member = found;
    return true;
}
