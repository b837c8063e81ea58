/*
 * What an object store answers, the file with its key, and the place of a bucket, of any bytes: an
 * element that is found lies in the text, and each search moves on; a text that was copied ends,
 * and has no control character; a key has nothing that could begin another header; a place has only
 * what stands in an address as it is.
 */
#include <string.h>

#include "check.h"
#include "s3/keys.h"
#include "s3/place.h"
#include "s3/xml.h"

#define PLACE_MOST 8192u

static void check_text(const char *text, size_t cap, char least)
{
    const char *end = memchr(text, '\0', cap);
    FUZZ_CHECK(end != NULL);
    for (const char *at = text; at < end; at++)
        FUZZ_CHECK((unsigned char)*at >= (unsigned char)least && *at != 0x7f);
}

static void walk(struct tv_str text)
{
    struct tv_str rest = text;
    struct tv_str inner;
    while (tv_s3_xml_next(&rest, "Contents", &inner)) {
        char key[80];
        FUZZ_CHECK(inner.at >= text.at && inner.len <= text.len);
        FUZZ_CHECK(inner.at + inner.len < rest.at && rest.at + rest.len == text.at + text.len);
        tv_s3_xml_copy(inner, "Key", key, sizeof(key));
        check_text(key, sizeof(key), ' ');
    }
    char code[8];
    tv_s3_xml_copy(text, "Code", code, sizeof(code));
    check_text(code, sizeof(code), ' ');
}

static void read_keys(struct tv_str text)
{
    struct tv_s3_keys keys;
    struct tv_error err;
    if (tv_s3_keys_parse(&keys, text, "default", &err) != TV_OK)
        return;
    FUZZ_CHECK(keys.id[0] && keys.secret[0]);
    check_text(keys.id, sizeof(keys.id), '!');
    check_text(keys.secret, sizeof(keys.secret), '!');
    check_text(keys.token, sizeof(keys.token), '!');
}

static void read_place(const uint8_t *bytes, size_t len)
{
    char text[PLACE_MOST + 1];
    struct tv_s3_place place;
    struct tv_error err;
    if (len > PLACE_MOST)
        return;
    memcpy(text, bytes, len);
    text[len] = '\0';
    if (tv_s3_place_read(&place, text, &err) != TV_OK)
        return;
    FUZZ_CHECK(strlen(place.bucket) >= 3 && strncmp(place.endpoint, "http", 4) == 0);
    FUZZ_CHECK(!place.prefix[0] || place.prefix[strlen(place.prefix) - 1] == '/');
    FUZZ_CHECK(!strpbrk(place.bucket, "/?@# %") && !strpbrk(place.prefix, "?@# %"));
    FUZZ_CHECK(!strpbrk(strstr(place.endpoint, "://") + 3, "/?@# %"));
    check_text(place.keys, sizeof(place.keys), ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct tv_str text = {(const char *)bytes, len};
    if (!len)
        return 0;
    walk(text);
    read_keys(text);
    read_place(bytes, len);
    return 0;
}
