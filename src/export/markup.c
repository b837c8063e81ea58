/* Text in XML 1.0; see export/markup.h. */
#include "export/markup.h"

#include "base/utf8.h"

/* What a character with a meaning in markup is written as; nothing for others. */
static struct tv_str entity_of(uint32_t character)
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

/* XML 1.0 cannot hold U+FFFE and U+FFFF, not even as references; all others that it cannot hold
 * need an escape wherever they are written. */
static void put_character(struct tv_out *out, uint32_t character)
{
    char bytes[TV_UTF8_SHOWN_MOST];
    struct tv_str written = entity_of(character);
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

void tv_markup_name(struct tv_out *out, struct tv_str name)
{
    size_t at = 0;
    while (at < name.len && (at < TV_MARKUP_NAME_SHOWN || name.len <= TV_MARKUP_NAME_SHOWN))
        put_character(out, tv_utf8_next(name, &at));
    if (at == name.len)
        return;
    tv_out_text(out, TV_STR(" (+"));
    tv_out_count(out, name.len - at);
    tv_out_text(out, TV_STR(" bytes)"));
}
