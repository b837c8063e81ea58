/*
 * Places in markup; see site/document/escape_context.h.
 *
 * A state machine goes over the template's own markup, letter by letter, and knows at each hole
 * whether it stands in text, in a quoted attribute, in an address or where no hole may stand. It
 * understands a strict part of HTML (quoted values, ASCII names, no comments); anything else is
 * BROKEN, which no hole accepts, so a template that the machine does not understand is refused by
 * its check and never served.
 */
#include "site/document/escape_context.h"

#include <string.h>

#include "base/compiler.h"
#include "base/text/markup.h"
#include "base/text/percent.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\n';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* Elements whose text is code, or is read by other rules where scripts run than where they do not.
 */
static bool is_raw(const char *element)
{
    static const char *const names[] = {"script",  "style",    "noscript", "iframe",   "xmp",
                                        "noembed", "noframes", "template", "plaintext"};
    return is_one_of(element, names, TV_COUNT_OF(names));
}

static bool is_address(const char *attribute)
{
    static const char *const names[] = {"action", "data", "href", "src"};
    return is_one_of(attribute, names, TV_COUNT_OF(names));
}

static bool is_text(const char *attribute)
{
    static const char *const names[] = {"alt",   "class", "datetime", "for",  "id",
                                        "label", "name",  "title",    "value"};
    return strncmp(attribute, "data-", 5) == 0 || strncmp(attribute, "aria-", 5) == 0 ||
           is_one_of(attribute, names, TV_COUNT_OF(names));
}

/* Adds a letter to a name, in lower case, as all names are compared. */
static enum tv_escape_context_state add_to_name(char name[TV_ESCAPE_NAME_CAP], char c,
                                                enum tv_escape_context_state state)
{
    size_t len = strlen(name);
    if (!is_name(c) || len + 1 >= TV_ESCAPE_NAME_CAP)
        return TV_ESCAPE_BROKEN;
    name[len] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    return state;
}

/* Behind the end of a script or style there is text again; inside of one no hole is allowed. */
static enum tv_escape_context_state end_tag(struct tv_escape_context *place)
{
    bool is_begin = !place->is_end_tag;
    memset(place->attribute, 0, sizeof(place->attribute));
    place->is_end_tag = false;
    if (is_begin && is_raw(place->element))
        return TV_ESCAPE_RAW;
    enum tv_escape_context_state state =
        is_begin && strcmp(place->element, "textarea") == 0 ? TV_ESCAPE_LINES : TV_ESCAPE_TEXT;
    memset(place->element, 0, sizeof(place->element));
    return state;
}

/* The name of an element is being read; what ends it decides what follows. */
static enum tv_escape_context_state pass_element(struct tv_escape_context *place, char c)
{
    if (!place->element[0] && !place->is_end_tag && c == '!')
        return TV_ESCAPE_DECLARATION;
    if (!place->element[0] && !place->is_end_tag && c == '/') {
        place->is_end_tag = true;
        return TV_ESCAPE_ELEMENT;
    }
    if (place->element[0] && is_space(c))
        return TV_ESCAPE_TAG;
    if (place->element[0] && c == '>')
        return end_tag(place);
    if (place->element[0] && c == '/')
        return TV_ESCAPE_TAG;
    return add_to_name(place->element, c, TV_ESCAPE_ELEMENT);
}

static enum tv_escape_context_state pass_tag(struct tv_escape_context *place, char c)
{
    if (is_space(c) || c == '/')
        return TV_ESCAPE_TAG;
    if (c == '>')
        return end_tag(place);
    memset(place->attribute, 0, sizeof(place->attribute));
    return add_to_name(place->attribute, c, TV_ESCAPE_ATTRIBUTE);
}

static enum tv_escape_context_state pass_attribute(struct tv_escape_context *place, char c)
{
    if (c == '=')
        return TV_ESCAPE_EQUALS;
    if (c == '>' || is_space(c) || c == '/')
        return pass_tag(place, c);
    return add_to_name(place->attribute, c, TV_ESCAPE_ATTRIBUTE);
}

/* A letter of an attribute's value. Of an address the first two letters are noted: they tell
 * whether it stays on this site. */
static enum tv_escape_context_state pass_value(struct tv_escape_context *place, char c)
{
    if (c == '"') {
        place->has_hole = place->leads_away = false;
        place->address_len = 0;
        memset(place->attribute, 0, sizeof(place->attribute));
        return TV_ESCAPE_TAG;
    }
    if (!is_address(place->attribute))
        return TV_ESCAPE_VALUE;
    if (place->address_len == 0)
        place->leads_away = c != '/' && c != '?' && c != '#';
    else if (place->address_len == 1)
        place->leads_away |= c == '/' || c == '\\';
    if (place->address_len < 2)
        place->address_len++;
    return TV_ESCAPE_VALUE;
}

/* Raw text ends only with the end tag of its own element; `matched` counts the letters of that tag.
 */
static enum tv_escape_context_state pass_raw(struct tv_escape_context *place, char c)
{
    const char *wanted = place->matched == 0   ? "<"
                         : place->matched == 1 ? "/"
                                               : &place->element[place->matched - 2];
    if (c == *wanted)
        place->matched++;
    else
        place->matched = c == '<';
    if (place->matched < strlen(place->element) + 2)
        return TV_ESCAPE_RAW;
    place->matched = 0;
    place->is_end_tag = true;
    return TV_ESCAPE_TAG;
}

/* One character at a time, by a machine with a state for each kind of place; markup that is
 * stricter than HTML allows is all that it accepts. */
static enum tv_escape_context_state next_state(struct tv_escape_context *place, char c)
{
    switch (place->state) {
    case TV_ESCAPE_TEXT:
    case TV_ESCAPE_LINES:
        return c == '<' ? TV_ESCAPE_ELEMENT : place->state;
    case TV_ESCAPE_RAW:
        return pass_raw(place, c);
    case TV_ESCAPE_DECLARATION:
        return c == '-' ? TV_ESCAPE_BROKEN : c == '>' ? TV_ESCAPE_TEXT : TV_ESCAPE_DECLARATION;
    case TV_ESCAPE_ELEMENT:
        return pass_element(place, c);
    case TV_ESCAPE_TAG:
        return pass_tag(place, c);
    case TV_ESCAPE_ATTRIBUTE:
        return pass_attribute(place, c);
    case TV_ESCAPE_EQUALS:
        return c == '"' ? TV_ESCAPE_VALUE : TV_ESCAPE_BROKEN;
    case TV_ESCAPE_VALUE:
        return pass_value(place, c);
    case TV_ESCAPE_BROKEN:
        break;
    }
    return TV_ESCAPE_BROKEN;
}

void tv_escape_context_pass(struct tv_escape_context *place, struct tv_str markup)
{
    for (size_t i = 0; i < markup.len; i++)
        place->state = next_state(place, markup.at[i]);
}

void tv_escape_context_end_attribute(struct tv_escape_context *place, char next)
{
    if (place->state != TV_ESCAPE_ATTRIBUTE || (next != '>' && !is_space(next)))
        return;
    memset(place->attribute, 0, sizeof(place->attribute));
    place->state = TV_ESCAPE_TAG;
}

bool tv_escape_context_is_equal(const struct tv_escape_context *a,
                                const struct tv_escape_context *b)
{
    return a->state == b->state && strcmp(a->element, b->element) == 0 &&
           strcmp(a->attribute, b->attribute) == 0 && a->is_end_tag == b->is_end_tag &&
           a->matched == b->matched && a->has_hole == b->has_hole &&
           a->leads_away == b->leads_away && a->address_len == b->address_len;
}

/* Whether what others say could lead an address away from this site. Behind a single slash it could
 * make "//host", and so could a hole right behind another one. "{{base}}/trace/{{id}}" is safe. */
static const char *address_fault(const struct tv_escape_context *place)
{
    if (place->leads_away)
        return "an address with a hole in it begins with a hole, one slash, ? or #";
    if (place->has_hole ? place->address_len < 2 : place->address_len == 1)
        return "the first part of an address is the template's own";
    return NULL;
}

/* Asked at each hole of a template. Where no escape makes any text safe the hole is refused, which
 * the test of the templates finds. */
const char *tv_escape_context_fault(const struct tv_escape_context *place)
{
    switch (place->state) {
    case TV_ESCAPE_TEXT:
    case TV_ESCAPE_LINES:
        return NULL;
    case TV_ESCAPE_RAW:
        return "no hole may stand in a script, a style or the like";
    case TV_ESCAPE_VALUE:
        if (is_address(place->attribute))
            return address_fault(place);
        return is_text(place->attribute) ? NULL : "no hole may stand in this attribute";
    case TV_ESCAPE_BROKEN:
        return "the markup before the hole is not strict";
    case TV_ESCAPE_DECLARATION:
    case TV_ESCAPE_ELEMENT:
    case TV_ESCAPE_TAG:
    case TV_ESCAPE_ATTRIBUTE:
    case TV_ESCAPE_EQUALS:
        break;
    }
    return "a hole in a tag stands in a quoted value";
}

/* Whether a text is a path of this site, as the base path is: "/a/b", or nothing. */
static bool is_path(struct tv_str text)
{
    char last = '\0';
    for (size_t i = 0; i < text.len; i++) {
        bool is_slash = text.at[i] == '/';
        if (is_slash ? last == '/' : i == 0)
            return false;
        last = text.at[i];
    }
    return last != '/';
}

static void put_path(struct tv_out *out, struct tv_str path)
{
    struct tv_str rest = {path.at + 1, path.len - 1};
    struct tv_str part;
    while (path.len && tv_str_split(&rest, '/', &part)) {
        tv_out_text(out, TV_STR("/"));
        tv_percent_put(out, part);
    }
}

/* Escapes by place: text, lines of a text area, or percent-encoding in addresses. Without `out` (a
 * check) only the hole is noted. */
void tv_escape_context_put(struct tv_escape_context *place, struct tv_out *out, struct tv_str text)
{
    bool is_of_address = place->state == TV_ESCAPE_VALUE && is_address(place->attribute);
    bool is_first = !place->has_hole && place->address_len == 0;
    place->has_hole |= is_of_address;
    if (!out)
        return;
    if (place->state == TV_ESCAPE_LINES) {
        tv_markup_lines(out, text);
    } else if (!is_of_address) {
        tv_markup_text(out, text);
    } else if (is_first && is_path(text)) {
        put_path(out, text);
    } else {
        tv_percent_put(out, text);
    }
}
