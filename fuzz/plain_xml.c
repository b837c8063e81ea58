/* See plain_xml.h. Each function reads what its name says, and returns NULL where that is not what
 * stands there. */
#include "plain_xml.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LEVELS 16u

struct text {
    const char *end;
    struct tv_str open[LEVELS]; /* names of the elements around */
    unsigned level;
};

static const char *literal(const struct text *text, const char *at, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(text->end - at) >= len && memcmp(at, word, len) == 0 ? at + len : NULL;
}

/* What stands behind the next such word. */
static const char *behind(const struct text *text, const char *at, const char *word)
{
    for (; at < text->end; at++) {
        const char *end = literal(text, at, word);
        if (end)
            return end;
    }
    return NULL;
}

static const char *blanks(const struct text *text, const char *at)
{
    while (at < text->end && (*at == ' ' || *at == '\n'))
        at++;
    return at;
}

static const char *name(const struct text *text, const char *at)
{
    const char *from = at;
    while (at < text->end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                              (at > from && ((*at >= '0' && *at <= '9') || *at == '-'))))
        at++;
    return at > from ? at : NULL;
}

static const char *reference(const struct text *text, const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"};
    const char *end = NULL;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !end; i++)
        end = literal(text, at, known[i]);
    return end;
}

/* Text up to the byte `last`. */
static const char *characters(const struct text *text, const char *at, char last)
{
    while (at && at < text->end && *at != last) {
        if (*at == '<' || literal(text, at, "]]>"))
            return NULL;
        at = *at == '&' ? reference(text, at) : at + 1;
    }
    return at;
}

static const char *attributes(const struct text *text, const char *at)
{
    for (;;) {
        const char *next = blanks(text, at);
        if (next == at || !name(text, next))
            return next;
        at = literal(text, name(text, next), "=\"");
        at = at ? characters(text, at, '"') : NULL;
        at = at ? literal(text, at, "\"") : NULL;
        if (!at)
            return NULL;
    }
}

static const char *begin_tag(struct text *text, const char *at)
{
    const char *end = name(text, at + 1);
    const char *next = end ? attributes(text, end) : NULL;
    if (!next || text->level == LEVELS)
        return NULL;
    const char *empty = literal(text, next, "/>");
    if (empty)
        return empty;
    text->open[text->level++] = (struct tv_str){at + 1, (size_t)(end - at - 1)};
    return literal(text, next, ">");
}

static const char *end_tag(struct text *text, const char *at)
{
    const char *from = at + 2;
    const char *end = name(text, from);
    if (!end || !text->level ||
        !tv_str_equal(text->open[text->level - 1], (struct tv_str){from, (size_t)(end - from)}))
        return NULL;
    text->level--;
    return literal(text, end, ">");
}

static const char *element(struct text *text, const char *at)
{
    at = begin_tag(text, at);
    while (at && at < text->end && text->level) {
        const char *raw = literal(text, at, "<![CDATA[");
        if (raw)
            at = behind(text, raw, "]]>");
        else if (literal(text, at, "</"))
            at = end_tag(text, at);
        else if (*at == '<')
            at = begin_tag(text, at);
        else
            at = characters(text, at, '<');
    }
    return text->level ? NULL : at;
}

/* Reads a character of UTF-8 that XML can hold: no control characters but tab and line end. */
static size_t character(const uint8_t *at, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t value = len == 1 ? at[0] : at[0] & (0x7fu >> len);
    if (len > left || (len > 1 && at[0] < 0xc0) || at[0] > 0xf7)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    bool is_whole = value >= least[len] && value <= 0x10ffff;
    bool is_held = value >= 0x20
                       ? value < 0xd800 || (value > 0xdfff && value < 0xfffe) || value > 0xffff
                       : value == '\n' || value == '\t';
    return is_whole && is_held ? len : 0;
}

static bool is_held(struct tv_str text)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i += len) {
        len = character((const uint8_t *)text.at + i, text.len - i);
        if (!len)
            return false;
    }
    return true;
}

bool fuzz_is_xml(struct tv_str bytes)
{
    struct text text = {.end = bytes.at + bytes.len};
    if (!is_held(bytes))
        return false;
    const char *at = literal(&text, bytes.at, "<?xml ");
    at = at ? behind(&text, at, "?>") : NULL;
    at = at ? blanks(&text, at) : NULL;
    at = at && at < text.end && *at == '<' ? element(&text, at) : NULL;
    return at && blanks(&text, at) == text.end;
}
