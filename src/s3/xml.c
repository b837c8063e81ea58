/* Finding elements in what S3 answers; see s3/xml.h. Each search goes on where the last one ended,
 * so that a walk over a list looks at each byte once or twice. */
#include "s3/xml.h"

#include <string.h>

/* Whether a tag of that name begins at `at`, and where it ends. */
static bool is_tag(struct tv_str text, size_t at, const char *name, size_t *end)
{
    size_t len = strlen(name);
    if (text.len - at < len + 2 || memcmp(text.at + at + 1, name, len) != 0)
        return false;
    char next = text.at[at + 1 + len];
    if (next != '>' && next != ' ')
        return false;
    const char *close = memchr(text.at + at, '>', text.len - at);
    *end = close ? (size_t)(close - text.at) + 1 : text.len;
    return close != NULL;
}

/* The end tag of that name, from `at` on; SIZE_MAX: there is none. */
static size_t find_end(struct tv_str text, size_t at, const char *name)
{
    size_t len = strlen(name);
    for (; at < text.len; at++) {
        const char *open = memchr(text.at + at, '<', text.len - at);
        if (!open)
            return SIZE_MAX;
        at = (size_t)(open - text.at);
        if (text.len - at >= len + 3 && open[1] == '/' && memcmp(open + 2, name, len) == 0 &&
            open[2 + len] == '>')
            return at;
    }
    return SIZE_MAX;
}

bool tv_s3_xml_next(struct tv_str *text, const char *name, struct tv_str *inner)
{
    for (size_t at = 0; at < text->len; at++) {
        const char *open = memchr(text->at + at, '<', text->len - at);
        size_t begin;
        if (!open)
            return false;
        at = (size_t)(open - text->at);
        if (!is_tag(*text, at, name, &begin))
            continue;
        size_t end = find_end(*text, begin, name);
        if (end == SIZE_MAX)
            return false;
        size_t behind = end + strlen(name) + 3;
        *inner = (struct tv_str){text->at + begin, end - begin};
        *text = (struct tv_str){text->at + behind, text->len - behind};
        return true;
    }
    return false;
}

static const struct entity {
    struct tv_str spelled;
    char sign;
} entities[] = {{{"&quot;", 6}, '"'}, {{"&amp;", 5}, '&'},   {{"&lt;", 4}, '<'},
                {{"&gt;", 4}, '>'},   {{"&apos;", 6}, '\''}, {{"&#34;", 5}, '"'}};

void tv_s3_xml_copy(struct tv_str text, const char *name, char *to, size_t cap)
{
    struct tv_str inner = {NULL, 0};
    size_t len = 0;
    (void)tv_s3_xml_next(&text, name, &inner);
    while (inner.len && len + 1 < cap) {
        char sign = inner.at[0];
        size_t taken = 1;
        for (size_t i = 0; sign == '&' && i < sizeof(entities) / sizeof(*entities); i++)
            if (tv_str_starts_with(inner, entities[i].spelled)) {
                sign = entities[i].sign;
                taken = entities[i].spelled.len;
                break;
            }
        to[len++] = (unsigned char)sign < ' ' || sign == 0x7f ? ' ' : sign;
        inner = (struct tv_str){inner.at + taken, inner.len - taken};
    }
    to[len] = '\0';
}
