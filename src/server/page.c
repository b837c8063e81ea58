/* The table of the page's files; their bytes are in page.S. */
#include "server/page.h"

#include "base/compiler.h"

#ifdef TV_HAS_PAGE

#define DECLARE(name)                                                                              \
    extern const char tv_page_##name[], tv_page_##name##_end[], tv_page_##name##_etag[],           \
        tv_page_##name##_etag_end[];

DECLARE(index)
DECLARE(script)
DECLARE(style)

/* Addresses are known, but lengths only at run time, to the compiler. */
#define FILE_OF(file_name, type, symbol)                                                           \
    {                                                                                              \
        .name = (file_name), .content_type = (type), .begin = tv_page_##symbol,                    \
        .end = tv_page_##symbol##_end, .etag = tv_page_##symbol##_etag,                            \
        .etag_end = tv_page_##symbol##_etag_end                                                    \
    }

static const struct {
    const char *name;
    const char *content_type;
    const char *begin;
    const char *end;
    const char *etag;
    const char *etag_end;
} embedded[] = {
    FILE_OF("", "text/html; charset=utf-8", index),
    FILE_OF("app.js", "text/javascript; charset=utf-8", script),
    FILE_OF("app.css", "text/css; charset=utf-8", style),
};

bool tv_page_is_built(void)
{
    return true;
}

bool tv_page_find(struct tv_str name, struct tv_page_file *file)
{
    for (size_t i = 0; i < TV_COUNT_OF(embedded); i++) {
        if (!tv_str_equal(name, tv_str_from(embedded[i].name)))
            continue;
        file->content_type = embedded[i].content_type;
        file->packed.at = embedded[i].begin;
        file->packed.len = (size_t)(embedded[i].end - embedded[i].begin);
        file->etag.at = embedded[i].etag;
        file->etag.len = (size_t)(embedded[i].etag_end - embedded[i].etag);
        return true;
    }
    return false;
}

#else

bool tv_page_is_built(void)
{
    return false;
}

bool tv_page_find(struct tv_str name, struct tv_page_file *file)
{
    (void)name;
    (void)file;
    return false;
}

#endif
