/*
 * Taking a member's line apart; see retrace/member_line.h. The line is cut at its arrow first,
 * because no part has a blank but the type and the name, which one blank divides.
 */
#include "retrace/member_line.h"

#include <string.h>

#define ARROW_LEN 4u /* " -> " */

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

/* Cuts "pkg.Class.name" before its last point. False: the name is empty, or has a blank. */
static bool cut_class(struct tv_member_line *member)
{
    struct tv_str whole = member->name;
    size_t at = whole.len;
    for (; at && whole.at[at - 1] != '.'; at--) {
        if (whole.at[at - 1] == ' ')
            return false;
    }
    member->class_name = until(whole, at ? at - 1 : 0);
    member->name = from(whole, at);
    return member->name.len;
}

/* Takes "name(parameters):20:24" apart; a field has its name alone. */
static bool take_name(struct tv_str text, struct tv_member_line *member)
{
    const char *open = text.len ? memchr(text.at, '(', text.len) : NULL;
    member->is_method = open != NULL;
    member->name = open ? until(text, (size_t)(open - text.at)) : text;
    member->parameters = until(text, 0);
    member->source_range = member->parameters;
    if (open) {
        struct tv_str rest = from(text, member->name.len + 1);
        const char *close = rest.len ? memchr(rest.at, ')', rest.len) : NULL;
        if (!close)
            return false;
        member->parameters = until(rest, (size_t)(close - rest.at));
        rest = from(rest, member->parameters.len + 1);
        if (!is_source_range(rest))
            return false;
        member->source_range = from(rest, rest.len ? 1 : 0);
    }
    return cut_class(member);
}

/* The arrow before the last word of the line, which is short as a rule, and which no trimmed line
 * lacks. False: there is none. */
static bool find_arrow(struct tv_str line, size_t *at)
{
    size_t word = line.len;
    while (word && line.at[word - 1] != ' ')
        word--;
    if (word < ARROW_LEN || word == line.len || line.at[word - 2] != '>' ||
        line.at[word - 3] != '-' || line.at[word - 4] != ' ')
        return false;
    *at = word - ARROW_LEN;
    return true;
}

/* The parts are written where the caller wants them: clearing and copying them takes as long as
 * finding them. */
bool tv_member_line_parse(struct tv_str line, struct tv_member_line *member)
{
    size_t end;
    if (line.len && (tv_is_blank(line.at[0]) || tv_is_blank(line.at[line.len - 1])))
        line = tv_str_trim(line);
    if (!find_arrow(line, &end))
        return false;
    member->written = from(line, end + ARROW_LEN);
    struct tv_str left = until(line, end);
    if (!take_range(&left, &member->range))
        return false;
    const char *blank = left.len ? memchr(left.at, ' ', left.len) : NULL;
    if (!blank || blank == left.at)
        return false;
    member->type = until(left, (size_t)(blank - left.at));
    return take_name(from(left, member->type.len + 1), member);
}
