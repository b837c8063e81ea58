/*
 * What reports have in them, where the command is WebAssembly: contents.S has the bytes; see
 * served/page.h.
 */
#include "served/page.h"

#define DECLARE(name) extern const char tv_page_##name[], tv_page_##name##_end[];

DECLARE(template)
DECLARE(engine_bytes)
DECLARE(zstd_bytes)

/* The length is the difference of two symbols, which is no constant for the compiler. */
#define PART(name)                                                                                 \
    (struct tv_str)                                                                                \
    {                                                                                              \
        tv_page_##name, (size_t)(tv_page_##name##_end - tv_page_##name)                            \
    }

struct tv_str tv_page_of_reports(void)
{
    return PART(template);
}

struct tv_str tv_page_engine(void)
{
    return PART(engine_bytes);
}

struct tv_str tv_page_zstd(void)
{
    return PART(zstd_bytes);
}
