/*
 * Escaping commands of runners; see cli/terminal/log_commands.h. GitHub documents "workflow
 * commands", Azure Pipelines "logging commands", TeamCity "service messages"; the runners' sources
 * say where in a line they look for them. More is escaped than any of them obeys, so that nobody
 * has to know their lists.
 */
#include "cli/terminal/log_commands.h"

#include <stdbool.h>

/* A sign as a language writes it. */
struct escapes {
    const char *number_sign, *colon;
};

static struct escapes escapes_of(struct tv_str text)
{
    if (tv_str_starts_with(text, TV_STR("{")))
        return (struct escapes){"\\u0023", "\\u003a"};
    if (tv_str_starts_with(text, TV_STR("<")))
        return (struct escapes){"&#35;", "&#58;"};
    return (struct escapes){"\\x23", "\\x3a"};
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* "##[", with any letters before the bracket. */
static bool is_bracketed(struct tv_str text, size_t at)
{
    size_t end = at + 2;
    if (text.len - at < 3 || text.at[at] != '#' || text.at[at + 1] != '#')
        return false;
    while (end < text.len && is_letter(text.at[end]))
        end++;
    return end < text.len && text.at[end] == '[';
}

/* Runners skip blanks before "::", also those that are no ASCII. */
static bool may_be_blank(char byte)
{
    return byte <= ' ' || byte >= 0x7f;
}

static bool is_doubled_colon(struct tv_str text, size_t at)
{
    return text.len - at >= 2 && text.at[at] == ':' && text.at[at + 1] == ':';
}

void tv_log_add(struct tv_text *out, struct tv_str text)
{
    const struct escapes escapes = escapes_of(text);
    bool is_begin = true; /* of a line */
    size_t from = 0;
    for (size_t at = 0; at < text.len; at++) {
        const bool is_command = is_bracketed(text, at);
        if (is_command || (is_begin && is_doubled_colon(text, at))) {
            tv_text_add_str(out, (struct tv_str){text.at + from, at - from});
            tv_text_add_str(out, tv_str_from(is_command ? escapes.number_sign : escapes.colon));
            from = at + 1;
        }
        is_begin = text.at[at] == '\n' || (is_begin && may_be_blank(text.at[at]));
    }
    tv_text_add_str(out, (struct tv_str){text.at + from, text.len - from});
}
