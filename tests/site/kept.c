/* See site/kept.h. */
#include "site/kept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/sha256.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/saved/saved.h"
#include "os/memory/alloc.h"
#include "site/jobs/index_job.h"
#include "support/trace_builder.h"

void build_kept(struct trace_builder *t, unsigned number)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(t, MAIN, FOO, 0);
    leave(t, MAIN, FOO, 100 * (number + 1));
}

static struct tv_hash hash_of(const void *bytes, size_t len)
{
    struct tv_hash hash;
    uint8_t digest[TV_SHA256_LEN];
    tv_sha256((struct tv_str){bytes, len}, digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        (void)snprintf(hash.hex + 2 * i, 3, "%02x", digest[i]);
    return hash;
}

void keep_bytes(struct kept *kept, const struct tv_hash *name, const void *bytes, size_t len)
{
    const struct tv_store_files *files = &kept->store.files;
    int draft;
    assert_int_equal(files->draft(files->ctx, &draft, NULL), TV_OK);
    assert_int_equal(write(draft, bytes, len), len);
    assert_int_equal(files->keep(files->ctx, draft, name, NULL), TV_OK);
    (void)close(draft);
}

static struct tv_hash keep_index(struct kept *kept, const struct trace_builder *t,
                                 const struct tv_hash *raw)
{
    const struct tv_saved_source source = tv_index_job_source(raw->hex, "");
    struct tv_buffer file;
    struct tv_trace trace;
    struct tv_index index;
    uint8_t head[TV_SAVED_HEAD_LEN];
    tv_trace_init(&trace, tv_os_alloc());
    tv_index_init(&index);
    tv_buffer_init(&file, tv_os_alloc());
    assert_int_equal(tv_trace_open(&trace, t->bytes.bytes, t->bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(tv_index_build(&index, &trace, &(struct tv_build_opts){.pool = NULL}, NULL),
                     TV_OK);
    assert_int_equal(tv_saved_seal(&index, &source, tv_os_alloc(), tv_pool_serial(), head, NULL),
                     TV_OK);
    assert_int_equal(tv_buffer_append(&file, head, sizeof(head), NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&file, index.block, index.block_len, NULL), TV_OK);
    struct tv_hash name = hash_of(file.bytes, file.len);
    keep_bytes(kept, &name, file.bytes, file.len);
    tv_buffer_release(&file);
    tv_index_release(&index);
    tv_trace_release(&trace);
    return name;
}

void keep_built(struct kept *kept, const struct trace_builder *t)
{
    unsigned i = kept->count++;
    assert_true(i < KEPT_MOST);
    kept->of[i].raw = hash_of(t->bytes.bytes, t->bytes.len);
    keep_bytes(kept, &kept->of[i].raw, t->bytes.bytes, t->bytes.len);
    kept->of[i].index = keep_index(kept, t, &kept->of[i].raw);
    kept->of[i].trace = (struct tv_stored_trace){.raw_hash = kept->of[i].raw.hex,
                                                 .index_hash = kept->of[i].index.hex,
                                                 .mappings = "",
                                                 .raw_len = t->bytes.len,
                                                 .file_name = "caf\xc3\xa9.trace"};
}

static void add(struct kept *kept)
{
    struct trace_builder t;
    build_kept(&t, kept->count);
    keep_built(kept, &t);
    build_release(&t);
}

void keep(struct kept *kept, unsigned count, unsigned open_most)
{
    struct tv_error err;
    *kept = (struct kept){.folder = "/tmp/traceview-kept-XXXXXX"};
    assert_non_null(mkdtemp(kept->folder));
    if (tv_store_open_place(&kept->store, &(struct tv_store_place){.rows = kept->folder},
                            TV_STORE_MAKE, tv_os_alloc(), &err) != TV_OK)
        fail_msg("%s", err.text);
    const struct tv_stored_opts opts = {.alloc = tv_os_alloc(),
                                        .pool = tv_pool_serial(),
                                        .files = &kept->store.files,
                                        .build = "0123456789abcdef",
                                        .open_most = open_most};
    assert_int_equal(tv_stored_new(&kept->stored, &opts, NULL), TV_OK);
    while (kept->count < count)
        add(kept);
}

void release_kept(struct kept *kept)
{
    char command[64];
    if (kept->stored)
        tv_stored_end(kept->stored);
    tv_stored_free(kept->stored);
    tv_store_close(&kept->store);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", kept->folder);
    assert_int_equal(system(command), 0);
}
