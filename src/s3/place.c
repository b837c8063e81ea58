/*
 * Reading the place of a bucket; see s3/place.h. Bucket and prefix are held to letters that stand
 * in a path as they are, so that what is signed is what is sent, whoever encodes it. The text comes
 * from whoever runs the site.
 */
#include "s3/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text/percent.h"

#define SCHEME "s3://"
#define LETTERS "abcdefghijklmnopqrstuvwxyz0123456789"
#define BUCKET_LEAST 3u

bool tv_s3_is_place(const char *text)
{
    return tv_str_starts_with(tv_str_from(text), TV_STR(SCHEME));
}

static bool has_only(const char *text, const char *signs)
{
    return text[strspn(text, signs)] == '\0';
}

/* Whether a text has only these characters and capital letters. */
static bool has_only_or_capitals(const char *text, const char *signs)
{
    while (*text && ((*text >= 'A' && *text <= 'Z') || strchr(signs, *text)))
        text++;
    return *text == '\0';
}

static enum tv_code refuse(struct tv_error *err, const char *what)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "the place of the bucket: %s; it is s3://BUCKET/PREFIX?endpoint=URL&region=NAME",
                   what);
}

/* Copies a text; false: it is too long. */
static bool copy(char *to, size_t cap, struct tv_str text)
{
    if (text.len >= cap)
        return false;
    if (text.len)
        memcpy(to, text.at, text.len);
    to[text.len] = '\0';
    return true;
}

/* Copies a value of the query, where %2F is a slash. */
static bool decode(char *to, size_t cap, struct tv_str raw)
{
    size_t len = 0;
    for (size_t at = 0; at < raw.len;) {
        char byte;
        if (len + 1 >= cap || !tv_percent_next(raw, &at, &byte) || (unsigned char)byte < ' ' ||
            byte == 0x7f)
            return false;
        to[len++] = byte;
    }
    to[len] = '\0';
    return true;
}

/* Scheme and host alone; a port, brackets of IPv6, no path, no name of a user. */
static bool is_endpoint(char *endpoint)
{
    size_t len = strlen(endpoint);
    const struct tv_str text = tv_str_from(endpoint);
    const size_t scheme = tv_str_starts_with(text, TV_STR("https://"))  ? 8
                          : tv_str_starts_with(text, TV_STR("http://")) ? 7
                                                                        : 0;
    if (len && endpoint[len - 1] == '/')
        endpoint[--len] = '\0';
    return scheme && len > scheme && has_only_or_capitals(endpoint + scheme, LETTERS ".-:[]");
}

static enum tv_code read_parameter(struct tv_s3_place *place, struct tv_str name,
                                   struct tv_str value, struct tv_error *err)
{
    char style[8] = "";
    bool is_fine = false;
    if (tv_str_equal(name, TV_STR("endpoint")))
        is_fine = decode(place->endpoint, TV_S3_ENDPOINT_CAP, value);
    else if (tv_str_equal(name, TV_STR("region")))
        is_fine = decode(place->region, TV_S3_NAME_CAP, value);
    else if (tv_str_equal(name, TV_STR("keys")))
        is_fine = decode(place->keys, TV_PATH_CAP, value) && place->keys[0];
    else if (tv_str_equal(name, TV_STR("profile")))
        is_fine = decode(place->profile, TV_S3_NAME_CAP, value);
    else if (tv_str_equal(name, TV_STR("style")))
        is_fine = decode(style, sizeof(style), value) &&
                  (strcmp(style, "path") == 0 || strcmp(style, "host") == 0);
    else
        return refuse(err, "it takes endpoint, region, style, keys and profile");
    if (style[0])
        place->is_by_host = style[0] == 'h';
    return is_fine ? TV_OK : refuse(err, "a value is not as it should be");
}

/* The first of the variables that is set, unless the place had a value. */
static bool fill(char *value, size_t cap, const char *first, const char *second)
{
    const char *given = value[0] ? NULL : getenv(first);
    if (!value[0] && !(given && given[0]) && second)
        given = getenv(second);
    return !given || !given[0] || copy(value, cap, tv_str_from(given));
}

/* What the place leaves open. Amazon's addresses have the region in them. */
static enum tv_code fill_rest(struct tv_s3_place *place, struct tv_error *err)
{
    bool is_filled =
        fill(place->endpoint, TV_S3_ENDPOINT_CAP, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") &&
        fill(place->region, TV_S3_NAME_CAP, "AWS_REGION", "AWS_DEFAULT_REGION") &&
        fill(place->profile, TV_S3_NAME_CAP, "AWS_PROFILE", NULL);
    place->authorities = getenv("SSL_CERT_FILE");
    if (!place->region[0])
        memcpy(place->region, "us-east-1", sizeof("us-east-1"));
    if (!place->profile[0])
        memcpy(place->profile, "default", sizeof("default"));
    if (!is_filled || !has_only(place->region, LETTERS "-"))
        return refuse(err, "the region is a name like us-east-1");
    if (!place->endpoint[0])
        (void)snprintf(place->endpoint, TV_S3_ENDPOINT_CAP, "https://s3.%s.amazonaws.com",
                       place->region);
    if (!is_endpoint(place->endpoint))
        return refuse(err, "the endpoint is http://HOST:PORT or https://HOST");
    return TV_OK;
}

/* Whether a part between slashes is ".", which libcurl takes out of an address, and not out of the
 * prefix of a list: files would be kept, and never be found. */
static bool has_point_alone(struct tv_str path)
{
    struct tv_str part;
    while (tv_str_split(&path, '/', &part)) {
        if (tv_str_equal(part, TV_STR(".")))
            return true;
    }
    return false;
}

static enum tv_code read_path(struct tv_s3_place *place, struct tv_str path, struct tv_error *err)
{
    struct tv_str bucket = {NULL, 0};
    (void)tv_str_split(&path, '/', &bucket);
    if (bucket.len < BUCKET_LEAST || !copy(place->bucket, TV_S3_NAME_CAP, bucket) ||
        !has_only(place->bucket, LETTERS ".-"))
        return refuse(err, "a bucket's name has 3 to 63 small letters, digits, points and dashes");
    while (path.len && path.at[path.len - 1] == '/')
        path.len--;
    if (!copy(place->prefix, TV_S3_PREFIX_CAP - 1, path) ||
        !has_only_or_capitals(place->prefix, LETTERS "/._-") || strstr(place->prefix, "//") ||
        strstr(place->prefix, "..") || has_point_alone(path))
        return refuse(err, "a prefix has up to 126 letters, digits, dashes and slashes");
    if (path.len)
        memcpy(place->prefix + path.len, "/", 2);
    return TV_OK;
}

enum tv_code tv_s3_place_read(struct tv_s3_place *place, const char *text, struct tv_error *err)
{
    struct tv_str rest = tv_str_from(text);
    struct tv_str path = {NULL, 0};
    struct tv_str parameter;
    *place = (struct tv_s3_place){.bucket = ""};
    if (!tv_s3_is_place(text))
        return refuse(err, "it begins with s3://");
    rest = (struct tv_str){rest.at + strlen(SCHEME), rest.len - strlen(SCHEME)};
    if (memchr(rest.at, '@', rest.len))
        return refuse(err, "keys have no place in it, since logs and lists of processes show it");
    (void)tv_str_split(&rest, '?', &path);
    TV_TRY(read_path(place, path, err));
    while (tv_str_split(&rest, '&', &parameter)) {
        struct tv_str name;
        if (!tv_str_split(&parameter, '=', &name))
            continue;
        TV_TRY(read_parameter(place, name, parameter, err));
    }
    return fill_rest(place, err);
}
