/*
 * Paths with texts for parts in braces; see http/path_pattern.h.
 *
 * A pattern is compared from left to right without going back: each part in braces takes as many
 * letters of its kind as there are, and the next letter must be the pattern's.
 */
#include "http/path_pattern.h"

#include <string.h>

#include "base/hex.h"

#define ID_LEN 32u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return tv_hex_value(c) >= 0;
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_-.", c));
}

/* What clients leave of a file's name when they put it into a path: all else is escaped. */
static bool is_escaped_word(char c)
{
    return is_word(c) || c == '%' || c == '~';
}

static size_t run_of(struct tv_str text, bool (*is_of)(char))
{
    size_t len = 0;
    while (len < text.len && is_of(text.at[len]))
        len++;
    return len;
}

/* Finds how much of the path, at its start, the kind of text in braces takes. False: the path does
 * not have it. A name must not begin with a dot, so that it is never ".." or a hidden file; {rest}
 * takes whatever is left. */
static bool take_part(const char *kind, struct tv_str path, struct tv_path_parts *parts,
                      size_t *len)
{
    if (!strncmp(kind, "{id}", 4)) {
        *len = run_of(path, is_hex);
        parts->id = (struct tv_str){path.at, *len};
        return *len == ID_LEN;
    }
    bool is_rest = !strncmp(kind, "{rest}", 6);
    bool is_thread = !strncmp(kind, "{thread}", 8);
    bool is_name = !strncmp(kind, "{name}", 6);
    *len = is_rest ? path.len
                   : run_of(path, is_thread ? is_digit
                                  : is_name ? is_escaped_word
                                            : is_word);
    parts->name = (struct tv_str){path.at, *len};
    return is_rest || (*len && path.at[0] != '.');
}

bool tv_path_matches(const char *pattern, struct tv_str path, struct tv_path_parts *parts)
{
    *parts = (struct tv_path_parts){.id = {NULL, 0}, .name = {NULL, 0}};
    while (*pattern) {
        size_t len = 1;
        if (*pattern == '{') {
            if (!take_part(pattern, path, parts, &len))
                return false;
            pattern = strchr(pattern, '}');
        } else if (!path.len || path.at[0] != *pattern) {
            return false;
        }
        path.at += len;
        path.len -= len;
        pattern++;
    }
    return !path.len;
}
