/*
 * Conditions and ranges of requests for files; see http/ranges.h.
 *
 * Conditions are looked at in the order of RFC 9110, 13.2.2. There are no dates: an ETag tells
 * more, so a condition by date is ignored as if the header were not there. One range is served; a
 * request for several gets the whole file, which the RFC allows.
 */
#include "http/ranges.h"

#include <stdio.h>
#include <string.h>

/* Room for "bytes 0-0/0" with the largest numbers. */
#define RANGE_CAP 80

/* Whether a client's tag names this content. A packed answer (http/content_encoding.h) has the name
 * of its packing in the ETag and is the same content. */
static bool is_tag(struct tv_str tag, struct tv_str etag)
{
    static const struct tv_str packings[] = {{"-gzip\"", 6}, {"-zstd\"", 6}};
    if (tv_str_equal(tag, etag))
        return true;
    for (size_t i = 0; i < TV_COUNT_OF(packings); i++) {
        if (tv_str_ends_with(tag, packings[i]) && tag.len == etag.len + packings[i].len - 1 &&
            memcmp(tag.at, etag.at, etag.len - 1) == 0)
            return true;
    }
    return false;
}

/* A weak tag names answers that are alike, and a strong one the same bytes. */
enum tags { TAGS_STRONG, TAGS_WEAK };

/* Whether a list of tags has this one; "*" is any. */
static bool has_tag(struct tv_str list, const char *etag, enum tags tags)
{
    struct tv_str tag;
    while (tv_http_next_word(&list, &tag)) {
        if (tv_str_equal(tag, TV_STR("*")))
            return true;
        if (tags == TAGS_WEAK && tv_str_starts_with(tag, TV_STR("W/")))
            tag = (struct tv_str){tag.at + 2, tag.len - 2};
        if (tags == TAGS_WEAK ? is_tag(tag, tv_str_from(etag))
                              : tv_str_equal(tag, tv_str_from(etag)))
            return true;
    }
    return false;
}

bool tv_http_is_known(const struct tv_http_request *request, struct tv_http_response *response,
                      const char *etag)
{
    struct tv_str wanted = tv_http_header(request, "If-None-Match");
    tv_http_set(response, "ETag", etag);
    if (!wanted.at || !tv_http_is_get(request) || !has_tag(wanted, etag, TAGS_WEAK))
        return false;
    tv_http_drop_body(response);
    response->status = 304;
    return true;
}

/* --- ranges --- */

enum range { RANGE_NONE, RANGE_ONE, RANGE_BEYOND };

/* Reads "first-last", "first-" or "-count", against the length of the whole. A range with a number
 * that does not fit 64 bits is ignored. */
static enum range read_range(struct tv_str text, uint64_t len, uint64_t *off, uint64_t *count)
{
    struct tv_str last = text;
    struct tv_str first;
    uint64_t end = 0;
    if (!memchr(text.at ? text.at : "", '-', text.len) || !tv_str_split(&last, '-', &first))
        return RANGE_NONE;
    if (!first.len) {
        if (!tv_str_to_u64(last, 10, count))
            return RANGE_NONE;
        *count = *count < len ? *count : len;
        *off = len - *count;
        return *count ? RANGE_ONE : RANGE_BEYOND;
    }
    if (!tv_str_to_u64(first, 10, off) || (last.len && !tv_str_to_u64(last, 10, &end)) ||
        (last.len && end < *off))
        return RANGE_NONE;
    if (*off >= len)
        return RANGE_BEYOND;
    *count = last.len && end < len ? end - *off + 1 : len - *off;
    return RANGE_ONE;
}

/* A range counts for GET only, and with If-Range only if the file is still the one that the client
 * has. */
static enum range find_range(const struct tv_http_request *request, const struct tv_http_file *file,
                             uint64_t *off, uint64_t *count)
{
    static const struct tv_str unit = {"bytes=", 6};
    struct tv_str text = tv_http_header(request, "Range");
    struct tv_str condition = tv_http_header(request, "If-Range");
    struct tv_str word;
    struct tv_str second;
    if (request->method != TV_HTTP_GET || !tv_str_starts_with(text, unit) ||
        (condition.at && !tv_str_equal(condition, tv_str_from(file->etag))))
        return RANGE_NONE;
    text = (struct tv_str){text.at + unit.len, text.len - unit.len};
    if (!tv_http_next_word(&text, &word) || tv_http_next_word(&text, &second))
        return RANGE_NONE;
    return read_range(word, file->part.len, off, count);
}

static void refuse(struct tv_http_response *response, int status, const char *why)
{
    tv_http_drop_body(response);
    tv_http_refuse(response, status, why);
}

static void send_range(const struct tv_http_request *request, struct tv_http_response *response,
                       const struct tv_http_file *file)
{
    unsigned long long len = file->part.len;
    char text[RANGE_CAP];
    uint64_t off = 0;
    uint64_t count = 0;
    switch (find_range(request, file, &off, &count)) {
    case RANGE_NONE:
        return;
    case RANGE_ONE:
        (void)snprintf(text, sizeof(text), "bytes %llu-%llu/%llu", (unsigned long long)off,
                       (unsigned long long)(off + count - 1), len);
        tv_http_add(response, "Content-Range", text);
        response->file.off += off;
        response->file.len = count;
        response->status = 206;
        return;
    case RANGE_BEYOND:
        (void)snprintf(text, sizeof(text), "bytes */%llu", len);
        tv_http_add(response, "Content-Range", text);
        refuse(response, 416, "the range begins behind the end of the file");
        return;
    }
}

void tv_http_send_file(const struct tv_http_request *request, struct tv_http_response *response,
                       const struct tv_http_file *file)
{
    struct tv_str match = tv_http_header(request, "If-Match");
    tv_http_drop_body(response);
    response->kind = TV_HTTP_BODY_FILE;
    response->file = file->part;
    response->status = 200;
    tv_http_set(response, "Content-Type", file->content_type);
    tv_http_set(response, "Cache-Control", file->cache);
    tv_http_set(response, "Accept-Ranges", "bytes");
    if (match.at && !has_tag(match, file->etag, TAGS_STRONG)) {
        refuse(response, 412, "the file is another one by now");
        return;
    }
    if (!tv_http_is_known(request, response, file->etag))
        send_range(request, response, file);
}
