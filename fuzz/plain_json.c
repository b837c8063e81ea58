/* See plain_json.h. Each function reads what its rule names, and returns NULL where that is not
 * what stands there. */
#include "plain_json.h"

#include <stddef.h>
#include <string.h>

struct text {
    const char *end;
    unsigned level_count;
};

static const char *blanks(const struct text *text, const char *at)
{
    while (at < text->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const char *literal(const struct text *text, const char *at, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(text->end - at) >= len && memcmp(at, word, len) == 0 ? at + len : NULL;
}

static const char *digits(const struct text *text, const char *at)
{
    const char *from = at;
    while (at < text->end && *at >= '0' && *at <= '9')
        at++;
    return at > from ? at : NULL;
}

static const char *number(const struct text *text, const char *at)
{
    if (at < text->end && *at == '-')
        at++;
    bool is_zero = at < text->end && *at == '0';
    at = is_zero ? at + 1 : digits(text, at);
    if (at && at < text->end && *at == '.')
        at = digits(text, at + 1);
    if (at && at < text->end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < text->end && (*at == '+' || *at == '-'))
            at++;
        at = digits(text, at);
    }
    return at;
}

static bool is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

static const char *escape(const struct text *text, const char *at)
{
    if (at == text->end)
        return NULL;
    if (*at != 'u')
        return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : NULL;
    for (unsigned i = 1; i <= 4; i++) {
        if (text->end - at <= (ptrdiff_t)i || !is_hex(at[i]))
            return NULL;
    }
    return at + 5;
}

static const char *string(const struct text *text, const char *at)
{
    if (at == text->end || *at != '"')
        return NULL;
    at++;
    while (at && at < text->end && *at != '"') {
        if ((unsigned char)*at < 0x20)
            return NULL;
        at = *at == '\\' ? escape(text, at + 1) : at + 1;
    }
    return at && at < text->end ? at + 1 : NULL;
}

static const char *value(const struct text *text, const char *at, unsigned level);

/* NOLINTNEXTLINE(misc-no-recursion) */
static const char *member(const struct text *text, const char *at, unsigned level)
{
    at = string(text, at);
    if (!at)
        return NULL;
    at = blanks(text, at);
    if (at == text->end || *at != ':')
        return NULL;
    return value(text, blanks(text, at + 1), level);
}

/* An object of members, or an array of values. NOLINTNEXTLINE(misc-no-recursion) */
static const char *list(const struct text *text, const char *at, unsigned level)
{
    bool is_object = *at == '{';
    char closer = is_object ? '}' : ']';
    if (level > text->level_count)
        return NULL;
    at = blanks(text, at + 1);
    if (at < text->end && *at == closer)
        return at + 1;
    while (at) {
        at = is_object ? member(text, at, level) : value(text, at, level);
        if (!at)
            return NULL;
        at = blanks(text, at);
        if (at < text->end && *at == closer)
            return at + 1;
        if (at == text->end || *at != ',')
            return NULL;
        at = blanks(text, at + 1);
    }
    return NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static const char *value(const struct text *text, const char *at, unsigned level)
{
    if (at == text->end)
        return NULL;
    switch (*at) {
    case '{':
    case '[':
        return list(text, at, level + 1);
    case '"':
        return string(text, at);
    case 't':
        return literal(text, at, "true");
    case 'f':
        return literal(text, at, "false");
    case 'n':
        return literal(text, at, "null");
    default:
        return number(text, at);
    }
}

static bool is_list(struct tv_str bytes, char opener, unsigned level_count)
{
    const struct text text = {.end = bytes.len ? bytes.at + bytes.len : bytes.at,
                              .level_count = level_count};
    const char *at = bytes.len ? blanks(&text, bytes.at) : bytes.at;
    if (at == text.end || *at != opener)
        return false;
    at = list(&text, at, 1);
    return at && blanks(&text, at) == text.end;
}

bool fuzz_is_json_object(struct tv_str text, unsigned level_count)
{
    return is_list(text, '{', level_count);
}

bool fuzz_is_json_array(struct tv_str text, unsigned level_count)
{
    return is_list(text, '[', level_count);
}
