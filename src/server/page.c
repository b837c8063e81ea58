/* What stands in page.S, by name. */
#include "server/page.h"

#include "base/compiler.h"

#ifdef TV_HAS_PAGE

#define DECLARE(name) extern const char tv_page_##name[], tv_page_##name##_end[];

DECLARE(index)
DECLARE(index_etag)
DECLARE(policy_text)
DECLARE(script)
DECLARE(script_etag)

/* Addresses are known, but lengths only at run time, to the compiler. */
#define PART(name)                                                                                 \
    (struct tv_str)                                                                                \
    {                                                                                              \
        tv_page_##name, (size_t)(tv_page_##name##_end - tv_page_##name)                            \
    }

bool tv_page_is_built(void)
{
    return true;
}

const char *tv_page_policy(void)
{
    return tv_page_policy_text;
}

bool tv_page_find(struct tv_str name, struct tv_page_file *file)
{
    if (!name.len)
        *file = (struct tv_page_file){"text/html; charset=utf-8", PART(index), PART(index_etag)};
    else if (tv_str_equal(name, TV_STR("app.js")))
        *file = (struct tv_page_file){"text/javascript; charset=utf-8", PART(script),
                                      PART(script_etag)};
    else
        return false;
    return true;
}

#else

bool tv_page_is_built(void)
{
    return false;
}

const char *tv_page_policy(void)
{
    return "default-src 'none'; frame-ancestors 'none'";
}

bool tv_page_find(struct tv_str name, struct tv_page_file *file)
{
    (void)name;
    (void)file;
    return false;
}

#endif
