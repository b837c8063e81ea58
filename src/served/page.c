/*
 * The viewer's page: the bytes that page.S put into the binary, and the answer that sends them; see
 * served/page.h. The page is kept packed by gzip and sent so. A program that was built without node
 * has no page, and says so.
 */
#include "served/page.h"

#include "http/content_encoding.h"
#include "http/ranges.h"
#include "os/file/inflate.h"

#ifdef TV_HAS_PAGE

#define DECLARE(name) extern const char tv_page_##name[], tv_page_##name##_end[];

DECLARE(index)
DECLARE(index_etag)
DECLARE(policy_text)
DECLARE(template)
DECLARE(zstd_bytes)

/* The length is the difference of two symbols, which is no constant for the compiler. */
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

struct tv_str tv_page_of_reports(void)
{
    return PART(template);
}

struct tv_str tv_page_zstd(void)
{
    return PART(zstd_bytes);
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

struct tv_str tv_page_of_reports(void)
{
    return (struct tv_str){NULL, 0};
}

struct tv_str tv_page_zstd(void)
{
    return (struct tv_str){NULL, 0};
}

#endif

#ifdef TV_HAS_ENGINE

extern const char tv_page_engine_bytes[], tv_page_engine_bytes_end[];

struct tv_str tv_page_engine(void)
{
    return (struct tv_str){tv_page_engine_bytes,
                           (size_t)(tv_page_engine_bytes_end - tv_page_engine_bytes)};
}

#else

struct tv_str tv_page_engine(void)
{
    return (struct tv_str){NULL, 0};
}

#endif

/* For a client that does not take gzip; every browser does. */
static void send_unpacked(struct tv_str packed, struct tv_http_response *response)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)packed.at;
    bool is_cut;
    response->kind = TV_HTTP_BODY_OWNED;
    if (tv_inflate(bytes, packed.len, NULL, &response->owned, &is_cut, NULL) != TV_OK)
        tv_http_refuse(response, 500, "out of memory");
}

/* The tag is the hash of the page, so a browser that asks again gets no bytes as long as the
 * program is the same. */
void tv_page_send(const struct tv_http_request *request, struct tv_http_response *response)
{
    const struct tv_page page = tv_page_view();
    response->status = 200;
    tv_http_add(response, "Cache-Control", "no-cache");
    tv_http_add(response, "Vary", "Accept-Encoding");
    if (tv_http_is_known(request, response, page.etag.at))
        return;
    tv_http_add(response, "Content-Type", "text/html; charset=utf-8");
    if (!tv_http_takes(request, TV_PACKING_GZIP)) {
        send_unpacked(page.packed, response);
        return;
    }
    response->fixed = page.packed;
    tv_http_add(response, "Content-Encoding", "gzip");
}
