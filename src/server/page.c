/* The bytes that page.S put into the binary, by name. */
#include "server/page.h"

#ifdef TV_HAS_PAGE

#define DECLARE(name) extern const char tv_page_##name[], tv_page_##name##_end[];

DECLARE(index)
DECLARE(index_etag)
DECLARE(policy_text)

/* The compiler knows the addresses, and the program their distance only when it runs. */
#define PART(name)                                                                                 \
    (struct tv_str)                                                                                \
    {                                                                                              \
        tv_page_##name, (size_t)(tv_page_##name##_end - tv_page_##name)                            \
    }

bool tv_page_is_built(void)
{
    return true;
}

struct tv_page tv_page_view(void)
{
    return (struct tv_page){.packed = PART(index), .etag = PART(index_etag)};
}

const char *tv_page_policy(void)
{
    return tv_page_policy_text;
}

#else

bool tv_page_is_built(void)
{
    return false;
}

struct tv_page tv_page_view(void)
{
    return (struct tv_page){.packed = {NULL, 0}};
}

const char *tv_page_policy(void)
{
    return "default-src 'none'; frame-ancestors 'none'";
}

#endif
