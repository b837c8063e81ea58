/* Text in XML 1.0; see export/markup.h. */
#include "export/markup.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

void tv_markup_print(struct tv_out *out, const char *format, ...)
{
    char room[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(room, sizeof(room), format, args);
    va_end(args);
    tv_assert(len >= 0 && (size_t)len < sizeof(room));
    tv_out_text(out, (struct tv_str){room, (size_t)len});
}

/* XML 1.0 cannot hold U+FFFE and U+FFFF, not even as references; all others that it cannot hold
 * need an escape wherever they are written. */
static void put_character(struct tv_out *out, uint32_t character)
{
    char bytes[4];
    if (character == '<')
        tv_out_text(out, TV_STR("&lt;"));
    else if (character == '>')
        tv_out_text(out, TV_STR("&gt;"));
    else if (character == '&')
        tv_out_text(out, TV_STR("&amp;"));
    else if (character == '"')
        tv_out_text(out, TV_STR("&quot;"));
    else if (character == '\'')
        tv_out_text(out, TV_STR("&#39;"));
    else if (character == '\n')
        tv_out_text(out, TV_STR("\\n"));
    else if (character == '\t')
        tv_out_text(out, TV_STR("\\t"));
    else if (tv_utf8_needs_escape(character))
        tv_markup_print(out,
                        character < 0x100     ? "\\x%02x"
                        : character < 0x10000 ? "\\u%04x"
                                              : "\\U%08x",
                        (unsigned)character);
    else {
        if (character == 0xfffe || character == 0xffff)
            character = TV_UTF8_REPLACEMENT;
        tv_out_text(out, (struct tv_str){bytes, tv_utf8_put(bytes, character)});
    }
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
    tv_markup_count(out, name.len - at);
    tv_out_text(out, TV_STR(" bytes)"));
}

void tv_markup_count(struct tv_out *out, uint64_t count)
{
    char room[32];
    size_t at = sizeof(room);
    unsigned digits = 0;
    do {
        if (digits && digits % 3 == 0)
            room[--at] = ',';
        room[--at] = (char)('0' + count % 10);
        count /= 10;
        digits++;
    } while (count);
    tv_out_text(out, (struct tv_str){room + at, sizeof(room) - at});
}
