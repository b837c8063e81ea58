/*
 * Text in XML 1.0; see base/text/markup.h.
 *
 * Text may come from a trace or a request, so nothing of it may become markup: five characters are
 * written as entities, in content and in attributes alike, and what XML does not allow at all is
 * escaped or replaced.
 */
#include "base/text/markup.h"

#include <string.h>

#include "base/compiler.h"
#include "base/text/utf8.h"

struct tv_str tv_markup_entity(uint32_t character)
{
    switch (character) {
    case '<':
        return TV_STR("&lt;");
    case '>':
        return TV_STR("&gt;");
    case '&':
        return TV_STR("&amp;");
    case '"':
        return TV_STR("&quot;");
    case '\'':
        return TV_STR("&#39;");
    default:
        return TV_STR("");
    }
}

/* XML 1.0 cannot hold U+FFFE and U+FFFF, not even as references. tv_utf8_put_shown escapes all
 * other characters that it cannot hold. */
static void put_character(struct tv_out *out, uint32_t character)
{
    char bytes[TV_UTF8_SHOWN_MOST];
    struct tv_str written = tv_markup_entity(character);
    if (character == 0xfffe || character == 0xffff)
        character = TV_UTF8_REPLACEMENT;
    if (!written.len)
        written = (struct tv_str){bytes, tv_utf8_put_shown(bytes, character)};
    tv_out_text(out, written);
}

void tv_markup_text(struct tv_out *out, struct tv_str text)
{
    for (size_t at = 0; at < text.len;)
        put_character(out, tv_utf8_next(text, &at));
}

void tv_markup_lines(struct tv_out *out, struct tv_str text)
{
    struct tv_str line;
    while (tv_str_split(&text, '\n', &line)) {
        tv_markup_text(out, tv_str_ends_with(line, TV_STR("\r"))
                                ? (struct tv_str){line.at, line.len - 1}
                                : line);
        if (text.at)
            tv_out_text(out, TV_STR("\n"));
    }
}

/* A pattern with more or fewer holes than texts is our own mistake, so it is asserted; even then no
 * text is read that is not there. */
void tv_markup_fill(struct tv_out *out, const char *pattern, size_t count,
                    const struct tv_str *texts)
{
    size_t used = 0;
    struct tv_str rest = tv_str_from(pattern);
    for (size_t hole; (hole = tv_str_find(rest, TV_STR("{}"), TV_CASE_EXACT)) != SIZE_MAX;) {
        tv_assert(used < count);
        tv_out_bytes(out, rest.at, hole);
        if (used < count)
            tv_markup_text(out, texts[used]);
        used++;
        rest = (struct tv_str){rest.at + hole + 2, rest.len - hole - 2};
    }
    tv_assert(used == count);
    tv_out_text(out, rest);
}

void tv_markup_name(struct tv_out *out, struct tv_str name)
{
    size_t at = 0;
    const uint64_t most = out->total + TV_MARKUP_NAME_SHOWN;
    while (at < name.len && (out->total < most || name.len <= TV_MARKUP_NAME_SHOWN))
        put_character(out, tv_utf8_next(name, &at));
    if (at == name.len)
        return;
    tv_out_text(out, TV_STR(" (+"));
    tv_out_count(out, name.len - at);
    tv_out_text(out, TV_STR(" bytes)"));
}
