/*
 * The objects of a bucket: a request for each call, but for files from TV_S3_PARTS_FROM on, which
 * go in parts (s3/multipart.h), and for lists, which come in pages. What a server says in XML is
 * read in s3/xml.c, and is trusted for nothing but what was asked.
 */
#include "s3/bucket.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/text/percent.h"
#include "s3/multipart.h"
#include "s3/request_errand.h"
#include "s3/xml.h"

struct tv_s3_bucket {
    const struct tv_alloc *alloc;
    struct tv_s3_place place;
    struct tv_s3_keyring keys;
    struct tv_s3_asker asker;
    struct tv_errands *errands;
    _Atomic int64_t ahead_s;
};

bool tv_s3_is_file_name(const char *key)
{
    return strlen(key) == 64 && tv_hex_is(tv_str_from(key));
}

enum tv_code tv_s3_bucket_open(struct tv_s3_bucket **bucket, const struct tv_s3_place *place,
                               const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_s3_bucket *made = NULL;
    *bucket = NULL;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    made->place = *place;
    made->asker = (struct tv_s3_asker){alloc, &made->place, &made->keys, &made->ahead_s};
    enum tv_code code = tv_s3_keyring_init(&made->keys, &made->place, alloc, err);
    if (code == TV_OK)
        code = tv_errands_start(&made->errands, alloc, err);
    if (code != TV_OK)
        tv_s3_bucket_close(made);
    else
        *bucket = made;
    return code;
}

void tv_s3_bucket_close(struct tv_s3_bucket *bucket)
{
    if (!bucket)
        return;
    const struct tv_alloc *alloc = bucket->alloc;
    tv_errands_stop(bucket->errands);
    tv_s3_keyring_release(&bucket->keys);
    tv_alloc_release(alloc, &bucket, 1, sizeof(*bucket));
}

struct tv_errands *tv_s3_bucket_errands(struct tv_s3_bucket *bucket)
{
    return bucket->errands;
}

int64_t tv_s3_bucket_ahead_s(const struct tv_s3_bucket *bucket)
{
    return atomic_load(&bucket->ahead_s);
}

static struct tv_s3_request_errand ask_for(const struct tv_s3_bucket *bucket,
                                           enum tv_s3_method method, const char *key)
{
    return (struct tv_s3_request_errand){
        .asker = &bucket->asker,
        .request = {.method = method, .patience = TV_S3_SHORT, .key = key, .query = ""}};
}

static enum tv_code ask(const struct tv_s3_bucket *bucket, struct tv_s3_request_errand *asked,
                        struct tv_error *err)
{
    enum tv_code code = tv_s3_ask_once(bucket->errands, asked, err);
    tv_buffer_release(&asked->answer.text);
    return code;
}

enum tv_code tv_s3_bucket_len(struct tv_s3_bucket *bucket, const char *key, uint64_t *len,
                              struct tv_error *err)
{
    struct tv_s3_request_errand asked = ask_for(bucket, TV_S3_HEAD, key);
    TV_TRY(ask(bucket, &asked, err));
    *len = asked.answer.len;
    return TV_OK;
}

/* A range behind the end is refused with 416, as is any range of an empty object. */
enum tv_code tv_s3_bucket_read(struct tv_s3_bucket *bucket, const char *key, uint64_t off,
                               void *into, size_t cap, size_t *len, struct tv_error *err)
{
    struct tv_s3_request_errand asked = ask_for(bucket, TV_S3_GET, key);
    *len = 0;
    if (!cap || off > (uint64_t)INT64_MAX - cap)
        return tv_s3_bucket_len(bucket, key, &off, err);
    asked.request.range_off = off;
    asked.request.range_len = cap;
    asked.request.into = into;
    enum tv_code code = ask(bucket, &asked, err);
    if (code != TV_OK && asked.answer.status == 416)
        return TV_OK;
    if (code == TV_OK && asked.answer.status != 206)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 does not answer with ranges");
    *len = (size_t)asked.answer.got;
    return code;
}

/* --- bringing an object --- */

struct fetching {
    const char *key;
    int fd;
    uint64_t len, part_len;
};

static void fill_range(void *ctx, uint64_t number, struct tv_s3_request_errand *asked)
{
    const struct fetching *fetching = ctx;
    uint64_t off = number * fetching->part_len;
    uint64_t left = fetching->len - off;
    asked->request =
        (struct tv_s3_request){.method = TV_S3_GET,
                               .patience = TV_S3_SHORT,
                               .key = fetching->key,
                               .query = "",
                               .range_off = off,
                               .range_len = left < fetching->part_len ? left : fetching->part_len,
                               .into_fd = fetching->fd};
}

/* An object never changes, so all ranges are of one length of it. */
static enum tv_code take_fetched(void *ctx, uint64_t number,
                                 const struct tv_s3_request_errand *asked, struct tv_error *err)
{
    const struct fetching *fetching = ctx;
    (void)number;
    if (asked->answer.status != 206 || asked->answer.whole != fetching->len ||
        asked->answer.got != asked->request.range_len)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 does not answer with ranges");
    return TV_OK;
}

enum tv_code tv_s3_bucket_fetch(struct tv_s3_bucket *bucket, const char *key, int fd, uint64_t *len,
                                struct tv_error *err)
{
    struct fetching fetching = {.key = key, .fd = fd};
    TV_TRY(tv_s3_bucket_len(bucket, key, &fetching.len, err));
    fetching.part_len = tv_s3_part_len(fetching.len);
    const struct tv_s3_series series = {.count = (fetching.len + fetching.part_len - 1) /
                                                 fetching.part_len,
                                        .fill = fill_range,
                                        .take = take_fetched,
                                        .ctx = &fetching};
    *len = fetching.len;
    return tv_s3_ask_all(bucket->errands, &bucket->asker, &series, err);
}

/* --- sending, removing, listing --- */

enum tv_code tv_s3_bucket_send(struct tv_s3_bucket *bucket, const char *key, int fd, uint64_t len,
                               const char *sha256, struct tv_error *err)
{
    struct tv_s3_request_errand asked = ask_for(bucket, TV_S3_PUT, key);
    if (len >= TV_S3_PARTS_FROM)
        return tv_s3_send_in_parts(bucket->errands, &bucket->asker, key, fd, len, err);
    asked.errand.is_bulky = true;
    asked.request.patience = TV_S3_LONG;
    asked.request.fd = fd;
    asked.request.len = len;
    asked.request.sha256 = sha256;
    return ask(bucket, &asked, err);
}

enum tv_code tv_s3_bucket_join(struct tv_s3_bucket *bucket, const char *key,
                               const struct tv_s3_piece *pieces, size_t count, struct tv_error *err)
{
    return tv_s3_join_pieces(bucket->errands, &bucket->asker, key, pieces, count, err);
}

enum tv_code tv_s3_bucket_remove(struct tv_s3_bucket *bucket, const char *key, struct tv_error *err)
{
    struct tv_s3_request_errand asked = ask_for(bucket, TV_S3_DELETE, key);
    enum tv_code code = ask(bucket, &asked, err);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

struct listing {
    struct tv_s3_bucket *bucket;
    char last[TV_S3_PREFIX_CAP +
              160]; /* the key behind which the next page begins, with the prefix */
    bool (*take)(void *ctx, const char *key);
    void *ctx;
    bool has_more;
};

static bool spell_query(const struct listing *listing, char *query, size_t cap)
{
    struct tv_buffer buffer;
    struct tv_out out;
    tv_buffer_init(&buffer, listing->bucket->alloc);
    tv_out_init(&out, tv_buffer_sink(&buffer));
    tv_out_text(&out, TV_STR("list-type=2&max-keys=1000&prefix="));
    tv_percent_put(&out, tv_str_from(listing->bucket->place.prefix));
    if (listing->last[0]) {
        tv_out_text(&out, TV_STR("&start-after="));
        tv_percent_put(&out, tv_str_from(listing->last));
    }
    bool is_written = tv_out_finish(&out, NULL) == TV_OK && buffer.len < cap;
    if (is_written) {
        memcpy(query, buffer.bytes, buffer.len);
        query[buffer.len] = '\0';
    }
    tv_buffer_release(&buffer);
    return is_written;
}

static enum tv_code out_of_order(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "S3 lists names that are not in order");
}

/* An object of somebody else, whose key may be cut, and has other signs where a list does not have
 * them as they are. All of these are below the digits of names, or are left out behind: no name of
 * a file that is still to come is before what is noted here. */
static void pass_over(struct listing *listing, const char *key)
{
    if (strcmp(key, listing->last) > 0)
        memcpy(listing->last, key, strlen(key) + 1);
}

static enum tv_code take_object(struct listing *listing, struct tv_str object, struct tv_error *err)
{
    const char *prefix = listing->bucket->place.prefix;
    const size_t prefix_len = strlen(prefix);
    char key[sizeof(listing->last)];
    tv_s3_xml_copy(object, "Key", key, sizeof(key));
    if (strncmp(key, prefix, prefix_len) != 0)
        return out_of_order(err);
    if (!tv_s3_is_file_name(key + prefix_len)) {
        pass_over(listing, key);
        return TV_OK;
    }
    if (strcmp(key, listing->last) <= 0)
        return out_of_order(err);
    memcpy(listing->last, key, sizeof(key));
    listing->has_more = listing->take(listing->ctx, key + prefix_len);
    return TV_OK;
}

/* Keys come in order, and each page goes beyond the last one: a server that does not keep to that
 * would be listed for ever. */
static enum tv_code take_page(struct listing *listing, struct tv_str text, struct tv_error *err)
{
    struct tv_str object;
    char before[sizeof(listing->last)];
    char word[8];
    bool has_any = false;
    tv_s3_xml_copy(text, "IsTruncated", word, sizeof(word));
    memcpy(before, listing->last, sizeof(before));
    while (listing->has_more && tv_s3_xml_next(&text, "Contents", &object)) {
        TV_TRY(take_object(listing, object, err));
        has_any = true;
    }
    listing->has_more = listing->has_more && has_any && strcmp(word, "true") == 0;
    return listing->has_more && strcmp(before, listing->last) == 0 ? out_of_order(err) : TV_OK;
}

enum tv_code tv_s3_bucket_list(struct tv_s3_bucket *bucket, const char *after,
                               bool (*take)(void *ctx, const char *key), void *ctx,
                               struct tv_error *err)
{
    struct listing listing = {.bucket = bucket, .take = take, .ctx = ctx, .has_more = true};
    if (after[0])
        (void)snprintf(listing.last, sizeof(listing.last), "%s%s", bucket->place.prefix, after);
    while (listing.has_more) {
        struct tv_s3_request_errand asked = ask_for(bucket, TV_S3_GET, "");
        if (!spell_query(&listing, asked.query, sizeof(asked.query)))
            return tv_fail_memory(err, sizeof(asked.query));
        asked.request.query = asked.query;
        enum tv_code code = tv_s3_ask_once(bucket->errands, &asked, err);
        if (code == TV_OK)
            code = take_page(&listing, tv_buffer_view(&asked.answer.text), err);
        tv_buffer_release(&asked.answer.text);
        TV_TRY(code);
    }
    return TV_OK;
}

void tv_s3_bucket_sweep(struct tv_s3_bucket *bucket, const char *before)
{
    tv_s3_give_up_parts(bucket->errands, &bucket->asker, before);
}
