/*
 * The bundled example as a trace of the site; see site/run/sample.h.
 *
 * The example is kept like an upload, once: it is looked for by its owner, a hash that no token
 * has, and by its bytes. Another version of the program may bring another example, which is another
 * trace.
 */
#include "site/run/sample.h"

#include <string.h>

#include "os/clock.h"
#include "os/file/paths.h"
#include "site/request/tokens.h"
#include "store/trace_id.h"

#define EXAMPLE "recipes.trace.zst"
#define EXAMPLE_MOST ((size_t)16 << 20)

/* The owner is the hash of a text that is no token, so nobody can change or delete the example. A
 * user's own upload of the same bytes is another trace, whose link may be a secret. */
static void owner_of_example(struct tv_hash *owner)
{
    tv_token_hash(TV_STR("the bundled example"), owner);
}

/* The example is the one trace that this owner has. */
static enum tv_code find(const struct tv_site *site, const struct tv_hash *raw, struct tv_id *id,
                         struct tv_error *err)
{
    const struct tv_store_db *db = &site->store->db;
    struct tv_hash owner;
    struct tv_trace_row row = {.bytes = 0};
    struct tv_arena arena;
    size_t count = 0;
    owner_of_example(&owner);
    tv_arena_init(&arena, site->alloc);
    const struct tv_trace_query query = {
        .owners = &owner, .owner_count = 1, .now = site->now(), .most = 1};
    enum tv_code code = db->list_traces(db->ctx, &query, &arena, &row, &count, err);
    tv_arena_release(&arena);
    /* The example of another version of the program is another one. */
    if (code == TV_OK && (!count || strcmp(row.raw.hex, raw->hex) != 0))
        code = TV_ERR_NOT_FOUND;
    *id = row.id;
    return code;
}

/* No quota: the site itself brings it. */
static enum tv_code add(const struct tv_site *site, struct tv_arrival *arrival,
                        const struct tv_hash *raw, const char md5[33], struct tv_id *id,
                        struct tv_error *err)
{
    struct tv_trace_row row = {.raw = *raw,
                               .bytes = arrival->bytes,
                               .file_name = TV_STR(EXAMPLE),
                               .title = TV_STR("The example"),
                               .created = site->now(),
                               .is_raw_shared = true,
                               .is_listed = true};
    const struct tv_quota no_quota = {.bytes = {0}};
    memcpy(row.md5, md5, sizeof(row.md5));
    owner_of_example(&row.owner);
    TV_TRY(tv_trace_id_make(&row.id, row.created, tv_real_ns(), err));
    *id = row.id;
    return tv_store_keep_trace(site->store, arrival, &row, site->build, &no_quota, row.created,
                               NULL, err);
}

static enum tv_code keep(const struct tv_site *site, const struct tv_buffer *content,
                         struct tv_arrival *arrival, struct tv_id *id, struct tv_error *err)
{
    struct tv_hash raw;
    char md5[33];
    TV_TRY(tv_arrival_write(arrival, content->bytes, content->len, err));
    tv_arrival_end(arrival, &raw, md5);
    enum tv_code code = find(site, &raw, id, err);
    return code == TV_ERR_NOT_FOUND ? add(site, arrival, &raw, md5, id, err) : code;
}

/* Done at each start; where the example is there already, nothing is written. */
enum tv_code tv_sample_keep(const struct tv_site *site, struct tv_id *id, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct tv_buffer content;
    struct tv_arrival arrival;
    TV_TRY(tv_path_shared(path, EXAMPLE, err));
    TV_TRY(tv_arrival_begin(&arrival, site->store, TV_DIGEST_SHA256_AND_MD5, err));
    tv_buffer_init(&content, site->alloc);
    enum tv_code code = tv_file_read_small(path, EXAMPLE_MOST, &content, err);
    if (code == TV_OK)
        code = keep(site, &content, &arrival, id, err);
    tv_buffer_release(&content);
    tv_arrival_release(&arrival);
    return code;
}
