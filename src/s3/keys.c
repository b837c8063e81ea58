/*
 * Where keys stand, and reading them; see s3/keys.h. A value becomes a header of requests, so it is
 * held to printable signs without blanks.
 */
#include "s3/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/buffer.h"

#define FILE_MOST ((size_t)256 * 1024)

void tv_s3_keys_forget(struct tv_s3_keys *keys)
{
    explicit_bzero(keys, sizeof(*keys));
}

static bool take(char *to, size_t cap, struct tv_str value)
{
    if (!value.len || value.len >= cap)
        return false;
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] <= ' ' || value.at[i] > '~')
            return false;
    memcpy(to, value.at, value.len);
    to[value.len] = '\0';
    return true;
}

/* Takes a line of the profile. False: its value cannot be a key. */
static bool take_line(struct tv_s3_keys *keys, struct tv_str line)
{
    struct tv_str name;
    if (!tv_str_split(&line, '=', &name))
        return true;
    name = tv_str_trim(name);
    line = tv_str_trim(line);
    if (tv_str_equal_folded(name, TV_STR("aws_access_key_id")))
        return take(keys->id, sizeof(keys->id), line);
    if (tv_str_equal_folded(name, TV_STR("aws_secret_access_key")))
        return take(keys->secret, sizeof(keys->secret), line);
    if (tv_str_equal_folded(name, TV_STR("aws_session_token")))
        return take(keys->token, sizeof(keys->token), line);
    return true;
}

enum tv_code tv_s3_keys_parse(struct tv_s3_keys *keys, struct tv_str text, const char *profile,
                              struct tv_error *err)
{
    struct tv_str line;
    bool is_profile = true; /* lines before the first profile are of any */
    bool is_fine = true;
    unsigned number = 0;
    *keys = (struct tv_s3_keys){.id = ""};
    while (is_fine && tv_str_split(&text, '\n', &line)) {
        line = tv_str_trim(line);
        number++;
        if (!line.len || line.at[0] == '#' || line.at[0] == ';')
            continue;
        if (line.at[0] == '[') {
            struct tv_str rest = {line.at + 1, line.len - 1};
            struct tv_str name = {NULL, 0};
            (void)tv_str_split(&rest, ']', &name);
            is_profile = tv_str_equal(tv_str_trim(name), tv_str_from(profile));
        } else if (is_profile) {
            is_fine = take_line(keys, line);
        }
    }
    if (!is_fine)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "line %u: a key has printable signs without blanks", number);
    if (!keys->id[0] || !keys->secret[0])
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "the profile %s has no aws_access_key_id and aws_secret_access_key",
                       profile);
    return TV_OK;
}

static enum tv_code read_file(struct tv_s3_keys *keys, const char *path, const char *profile,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_buffer text;
    struct tv_error inner = {.code = TV_OK};
    tv_buffer_init(&text, alloc);
    enum tv_code code = tv_file_read_small(path, FILE_MOST, &text, &inner);
    if (code != TV_OK)
        code = tv_fail(err, code, TV_NO_OFFSET, "the keys of S3: %s", inner.text);
    else if ((code = tv_s3_keys_parse(keys, tv_buffer_view(&text), profile, &inner)) != TV_OK)
        code = tv_fail(err, code, TV_NO_OFFSET, "the keys of S3: %.90s: %s", path, inner.text);
    if (text.len)
        explicit_bzero(text.bytes, text.len);
    tv_buffer_release(&text);
    return code;
}

/* Whether the environment has a key; a half of one counts as none. */
static bool read_environment(struct tv_s3_keys *keys)
{
    const char *id = getenv("AWS_ACCESS_KEY_ID");
    const char *secret = getenv("AWS_SECRET_ACCESS_KEY");
    const char *token = getenv("AWS_SESSION_TOKEN");
    *keys = (struct tv_s3_keys){.id = ""};
    if (!id || !secret || !take(keys->id, sizeof(keys->id), tv_str_from(id)) ||
        !take(keys->secret, sizeof(keys->secret), tv_str_from(secret)))
        return false;
    return !token || !token[0] || take(keys->token, sizeof(keys->token), tv_str_from(token));
}

enum tv_code tv_s3_keys_read(struct tv_s3_keys *keys, const struct tv_s3_place *place,
                             const struct tv_alloc *alloc, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    const char *shared = getenv("AWS_SHARED_CREDENTIALS_FILE");
    const char *home = getenv("HOME");
    if (place->keys[0])
        return read_file(keys, place->keys, place->profile, alloc, err);
    if (read_environment(keys))
        return TV_OK;
    int len = shared && shared[0] ? snprintf(path, sizeof(path), "%s", shared)
                                  : snprintf(path, sizeof(path), "%s/.aws/credentials",
                                             home && home[0] ? home : "");
    enum tv_code code = len > 0 && (size_t)len < sizeof(path)
                            ? read_file(keys, path, place->profile, alloc, err)
                            : TV_ERR_NOT_FOUND;
    if (code == TV_ERR_NOT_FOUND)
        return tv_fail(err, code, TV_NO_OFFSET,
                       "there is no key for S3: name a file by keys=FILE behind the bucket, or set "
                       "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials");
    return code;
}

enum tv_code tv_s3_keyring_init(struct tv_s3_keyring *ring, const struct tv_s3_place *place,
                                const struct tv_alloc *alloc, struct tv_error *err)
{
    *ring = (struct tv_s3_keyring){.alloc = alloc, .place = place};
    (void)pthread_mutex_init(&ring->lock, NULL);
    return tv_s3_keys_read(&ring->keys, place, alloc, err);
}

void tv_s3_keyring_release(struct tv_s3_keyring *ring)
{
    tv_s3_keys_forget(&ring->keys);
    (void)pthread_mutex_destroy(&ring->lock);
}

void tv_s3_keyring_get(struct tv_s3_keyring *ring, struct tv_s3_keys *keys)
{
    (void)pthread_mutex_lock(&ring->lock);
    *keys = ring->keys;
    (void)pthread_mutex_unlock(&ring->lock);
}

/* A file that is being written, or is gone, leaves the key that was there. */
bool tv_s3_keyring_renew(struct tv_s3_keyring *ring)
{
    struct tv_s3_keys keys;
    bool is_other = false;
    if (tv_s3_keys_read(&keys, ring->place, ring->alloc, NULL) == TV_OK) {
        (void)pthread_mutex_lock(&ring->lock);
        is_other = strcmp(keys.id, ring->keys.id) != 0 ||
                   strcmp(keys.secret, ring->keys.secret) != 0 ||
                   strcmp(keys.token, ring->keys.token) != 0;
        if (is_other)
            ring->keys = keys;
        (void)pthread_mutex_unlock(&ring->lock);
    }
    tv_s3_keys_forget(&keys);
    return is_other;
}
