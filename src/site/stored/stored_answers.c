/*
 * Answers from the index of a stored trace, and its raw bytes; see site/stored/stored.h. An answer
 * is a function of the index, of the question and of this build, so its tag is a hash of these, and
 * a reader that shows the tag needs no second answer, and no index is opened for it.
 */
#include "site/stored/stored.h"

#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/diff_query.h"
#include "api/query.h"
#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "base/memory/limit.h"
#include "base/memory/sort.h"
#include "export/flame/flame.h"
#include "http/ranges.h"
#include "index/memory.h"
#include "os/memory/mapping.h"
#include "served/ask.h"
#include "site/stored/stored_cache.h"

/* Browsers may keep answers, proxies may not; a browser asks again each time, since the trace may
 * be deleted. */
#define CACHE_OF_ANSWERS "private, no-cache"

/* A tag: half of a SHA-256 in quotes. */
#define TAG_BYTES 16u
#define TAG_CAP (2 * TAG_BYTES + 3)

/* The ETag of an answer: a hash of everything that the answer depends on. False: memory ran out. */
static bool make_tag(const struct tv_stored *stored, const struct tv_stored_trace *trace,
                     struct tv_str route, struct tv_str query, char tag[TAG_CAP])
{
    const struct tv_str parts[] = {tv_str_from(stored->opts.build), tv_str_from(trace->index_hash),
                                   tv_str_from(trace->file_name), route, query};
    uint8_t digest[TV_SHA256_LEN];
    struct tv_buffer whole;
    enum tv_code code = TV_OK;
    tv_buffer_init(&whole, stored->opts.alloc);
    for (size_t i = 0; i < TV_COUNT_OF(parts) && code == TV_OK; i++) {
        code = tv_buffer_append(&whole, parts[i].at, parts[i].len, NULL);
        if (code == TV_OK)
            code = tv_buffer_append(&whole, "", 1, NULL); /* a NUL is in none of the parts */
    }
    tv_sha256(tv_buffer_view(&whole), digest);
    tv_buffer_release(&whole);
    tag[0] = '"';
    tv_hex_put(tag + 1, digest, TAG_BYTES);
    tag[TAG_CAP - 2] = '"';
    tag[TAG_CAP - 1] = '\0';
    return code == TV_OK;
}

/* Whether the reader has the answer already; then no index is opened. */
static bool is_known(const struct tv_stored *stored, const struct tv_stored_trace *trace,
                     const struct tv_http_request *request, struct tv_str route,
                     struct tv_str query, struct tv_http_response *response)
{
    char tag[TAG_CAP];
    return make_tag(stored, trace, route, query, tag) && tv_http_is_known(request, response, tag);
}

/* --- the routes of the page --- */

static void ask(struct tv_stored *stored, const struct tv_stored_trace *trace,
                const struct tv_stored_index *held, const atomic_bool *is_unwanted,
                struct tv_str route, struct tv_str query, struct tv_http_response *response)
{
    struct tv_limit limit;
    tv_limit_init(&limit, stored->opts.alloc, held->memory_most);
    const struct tv_api_trace context = {
        .index = &held->index, .file = tv_str_from(trace->file_name), .leans = &stored->leans};
    const struct tv_api api = {.alloc = &limit.alloc,
                               .pool = stored->opts.pool,
                               .traces = &context,
                               .trace_count = 1,
                               .is_unwanted = is_unwanted};
    tv_ask_index(&api, route, query, response);
    response->owned.alloc = stored->opts.alloc; /* the bytes outlive the limit */
}

/* An answer about a stored trace never changes, so a browser that has it gets 304 before the index
 * is opened. */
void tv_stored_view(struct tv_stored *stored, const struct tv_stored_trace *trace,
                    const struct tv_http_request *request, struct tv_str route, struct tv_str query,
                    struct tv_http_response *response)
{
    struct tv_stored_index *held;
    struct tv_error err = {.code = TV_OK};
    if (is_known(stored, trace, request, route, query, response))
        return;
    if (tv_stored_hold(stored, trace, &held, &err) == TV_OK) {
        ask(stored, trace, held, request->is_unwanted, route, query, response);
        tv_stored_let_go(stored, held);
    } else {
        tv_stored_refuse(response, &err);
    }
    if (response->status == 200)
        tv_http_set(response, "Cache-Control", CACHE_OF_ANSWERS);
    else
        tv_http_take_out(response, "ETag");
}

/* --- several traces --- */

static enum tv_code hold_all(struct tv_stored *stored, const struct tv_stored_trace *traces,
                             size_t count, struct tv_stored_index **held, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    for (size_t i = 0; i < count; i++)
        tv_stored_wish(stored, &traces[i], &held[i]);
    for (size_t i = 0; code == TV_OK && i < count; i++)
        code = held[i] ? TV_OK : tv_stored_hold(stored, &traces[i], &held[i], err);
    return code;
}

/* All indexes are held while the answer is made, within what an answer from all of them may take.
 */
void tv_stored_diff(struct tv_stored *stored, const struct tv_stored_trace *traces,
                    const struct tv_str *names, size_t count, const struct tv_http_request *request,
                    struct tv_str route, struct tv_str query, struct tv_http_response *response)
{
    struct tv_stored_index *held[TV_DIFF_TRACES_MOST + 1] = {NULL};
    struct tv_api_trace contexts[TV_DIFF_TRACES_MOST + 1];
    struct tv_error err = {.code = TV_OK};
    struct tv_limit limit;
    size_t most = 0;
    if (hold_all(stored, traces, count, held, &err) == TV_OK) {
        for (size_t i = 0; i < count; i++) {
            contexts[i] = (struct tv_api_trace){.index = &held[i]->index,
                                                .file = tv_str_from(traces[i].file_name),
                                                .name = names[i]};
            if (!tv_size_add(most, held[i]->memory_most, &most))
                most = SIZE_MAX;
        }
        tv_limit_init(&limit, stored->opts.alloc, most);
        const struct tv_api api = {.alloc = &limit.alloc,
                                   .pool = stored->opts.pool,
                                   .traces = contexts,
                                   .trace_count = count,
                                   .is_unwanted = request->is_unwanted};
        tv_ask_index(&api, route, query, response);
        response->owned.alloc = stored->opts.alloc; /* the bytes outlive the limit */
    } else {
        tv_stored_refuse(response, &err);
    }
    for (size_t i = 0; i < count; i++)
        tv_stored_let_go(stored, held[i]);
}

/* The answer of the route `info`, without a request. */
enum tv_code tv_stored_info(struct tv_stored *stored, const struct tv_stored_trace *trace,
                            struct tv_buffer *out, struct tv_error *err)
{
    struct tv_stored_index *held;
    struct tv_http_response response;
    TV_TRY(tv_stored_hold(stored, trace, &held, err));
    tv_http_response_init(&response, stored->opts.alloc);
    ask(stored, trace, held, NULL, TV_STR("info"), TV_STR(""), &response);
    tv_stored_let_go(stored, held);
    struct tv_str body = tv_buffer_view(&response.owned);
    enum tv_code code = response.status == 200
                            ? tv_buffer_append(out, body.at, body.len, err)
                            : tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the index cannot be read");
    tv_http_response_release(&response);
    return code;
}

/* --- flame graphs --- */

/* What drawing a picture needs, for tv_mapping_run. */
struct drawing {
    const struct tv_stored_trace *trace;
    const struct tv_stored_index *held;
    uint32_t thread_id;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_buffer *out;
    struct tv_error err;
    enum tv_code code;
};

static enum tv_code choose_thread(const struct drawing *drawing, struct tv_arena *arena,
                                  struct tv_scope *scope, struct tv_error *err)
{
    const struct tv_index *index = &drawing->held->index;
    uint8_t *is_chosen;
    uint32_t thread_ix;
    tv_scope_init(scope, index);
    TV_TRY(tv_query_thread_of_id(index, drawing->thread_id, &thread_ix, err));
    TV_TRY(tv_arena_take(arena, index->thread_count, &is_chosen, err));
    is_chosen[thread_ix] = 1;
    return tv_scope_take_threads(scope, index, is_chosen, arena, err);
}

static enum tv_code draw_in(const struct drawing *drawing, struct tv_arena *arena,
                            struct tv_error *err)
{
    struct tv_export_result result;
    struct tv_trace_flame flame = {.shared = {.file = tv_str_from(drawing->trace->file_name)},
                                   .look = tv_flame_look_usual()};
    TV_TRY(choose_thread(drawing, arena, &flame.shared.scope, err));
    return tv_export_run(&tv_export_flame, &drawing->held->index, &flame.shared, drawing->alloc,
                         drawing->pool, tv_buffer_sink(drawing->out), &result, err);
}

static void draw(void *ctx)
{
    struct drawing *drawing = ctx;
    struct tv_arena arena;
    tv_arena_init(&arena, drawing->alloc);
    drawing->code = draw_in(drawing, &arena, &drawing->err);
    tv_arena_release(&arena);
}

/* A mapped index may be cut while it is read; the check at the end finds that, and the picture is
 * not sent. */
static enum tv_code draw_thread(struct tv_stored *stored, const struct tv_stored_trace *trace,
                                uint32_t thread_id, const atomic_bool *is_unwanted,
                                struct tv_buffer *out, struct tv_error *err)
{
    struct tv_limit limit;
    const struct tv_pool pool = tv_pool_until(stored->opts.pool, is_unwanted);
    struct tv_stored_index *held;
    TV_TRY(tv_stored_hold(stored, trace, &held, err));
    tv_limit_init(&limit, stored->opts.alloc, held->memory_most);
    limit.is_unwanted = is_unwanted;
    struct drawing drawing = {.pool = &pool,
                              .trace = trace,
                              .held = held,
                              .thread_id = thread_id,
                              .alloc = &limit.alloc,
                              .out = out};
    enum tv_code code = tv_mapping_run(draw, &drawing, err);
    if (code == TV_OK) {
        *err = drawing.err;
        code = tv_memory_tell(&limit, drawing.code, &held->index,
                              "the graph takes too much memory: take one of fewer calls", err);
    }
    if (code == TV_OK)
        code = tv_mapping_check(held->index.block, err);
    tv_stored_let_go(stored, held);
    return code;
}

/* A picture is drawn anew for each request that has not seen it, and kept nowhere. */
void tv_stored_flame(struct tv_stored *stored, const struct tv_stored_trace *trace,
                     const struct tv_http_request *request, uint32_t thread_id,
                     struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    char thread[16];
    (void)snprintf(thread, sizeof(thread), "%u", thread_id);
    if (is_known(stored, trace, request, TV_STR("flame.svg"), tv_str_from(thread), response))
        return;
    enum tv_code code =
        draw_thread(stored, trace, thread_id, request->is_unwanted, &response->owned, &err);
    if (code == TV_OK) {
        tv_http_send(response, 200, "image/svg+xml", CACHE_OF_ANSWERS);
        return;
    }
    tv_http_take_out(response, "ETag");
    tv_http_refuse(response, tv_api_status(code), err.text);
}

/* --- the list of threads --- */

/* What tv_mapping_run needs to make the list. */
struct listing {
    const struct tv_alloc *alloc;
    const struct tv_index *index;
    struct tv_arena *arena;
    struct tv_stored_thread *threads;
    size_t count;
    struct tv_error *err;
    enum tv_code code;
};

/* The busiest thread first: by wall time, then CPU time, then id. */
static int compare_busy(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_stored_thread *threads = ctx;
    const struct tv_stored_thread *one = &threads[a];
    const struct tv_stored_thread *other = &threads[b];
    if (one->wall_ns != other->wall_ns)
        return one->wall_ns > other->wall_ns ? -1 : 1;
    if (one->cpu_ns != other->cpu_ns)
        return one->cpu_ns > other->cpu_ns ? -1 : 1;
    return one->id < other->id ? -1 : one->id > other->id;
}

/* Names are copied, since the list outlives the mapping. */
static enum tv_code list(struct listing *listing)
{
    const struct tv_index *index = listing->index;
    const uint64_t unit = index->info->unit_ns;
    struct tv_error *err = listing->err;
    size_t len;
    if (!tv_size_mul(index->thread_count, sizeof(*listing->threads), &len))
        return tv_fail_memory(err, SIZE_MAX);
    TV_TRY(tv_arena_take(listing->arena, len, &listing->threads, err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        struct tv_stored_thread *row = &listing->threads[listing->count];
        if (!thread->calls)
            continue;
        *row = (struct tv_stored_thread){.id = thread->id,
                                         .name = tv_index_thread_name(index, i),
                                         .calls = thread->calls,
                                         .is_sampled = index->info->is_sampled,
                                         .wall_ns = thread->root_total[TV_CLOCK_WALL] * unit,
                                         .cpu_ns = thread->root_total[TV_CLOCK_CPU] * unit};
        TV_TRY(tv_arena_keep(listing->arena, row->name, &row->name, err));
        listing->count++;
    }
    return tv_sort_rows(listing->alloc, listing->threads, listing->count, sizeof(*listing->threads),
                        compare_busy, listing->threads, err);
}

static void run_list(void *ctx)
{
    struct listing *listing = ctx;
    listing->code = list(listing);
}

/* Names are copied into the arena, since they are read after the index was let go. */
enum tv_code tv_stored_threads(struct tv_stored *stored, const struct tv_stored_trace *trace,
                               struct tv_arena *arena, struct tv_stored_thread **threads,
                               size_t *count, struct tv_error *err)
{
    struct tv_stored_index *held;
    *threads = NULL;
    *count = 0;
    TV_TRY(tv_stored_hold(stored, trace, &held, err));
    struct listing listing = {
        .alloc = stored->opts.alloc, .index = &held->index, .arena = arena, .err = err};
    enum tv_code code = tv_mapping_run(run_list, &listing, err);
    if (code == TV_OK)
        code = listing.code;
    if (code == TV_OK)
        code = tv_mapping_check(held->index.block, err);
    tv_stored_let_go(stored, held);
    *threads = listing.threads;
    *count = code == TV_OK ? listing.count : 0;
    return code;
}

/* --- raw bytes --- */

/* A file that is not on this machine, while it is sent. */
struct far_file {
    const struct tv_alloc *alloc;
    const struct tv_store_files *files;
    struct tv_hash name;
};

static ssize_t read_far(void *ctx, uint64_t off, void *into, size_t cap)
{
    const struct far_file *far = ctx;
    size_t len;
    return far->files->read(far->files->ctx, &far->name, off, into, cap, &len, NULL) == TV_OK
               ? (ssize_t)len
               : -1;
}

static void close_far(void *ctx)
{
    struct far_file *far = ctx;
    tv_alloc_release(far->alloc, &far, 1, sizeof(*far));
}

/* Opens a file to send. One that is far is not brought as a whole: its bytes are asked for as the
 * reader takes them. */
static enum tv_code open_part(const struct tv_stored *stored, const struct tv_hash *name,
                              struct tv_http_part *part, struct tv_error *err)
{
    const struct tv_store_files *files = stored->opts.files;
    struct far_file *far = NULL;
    part->fd = -1;
    if (files->open_here(files->ctx, name, &part->fd, &part->len, NULL) == TV_OK)
        return TV_OK;
    TV_TRY(files->len(files->ctx, name, &part->len, err));
    TV_TRY(tv_alloc_new(stored->opts.alloc, &far, 1, sizeof(*far), err));
    *far = (struct far_file){.alloc = stored->opts.alloc, .files = files, .name = *name};
    part->far = (struct tv_http_far_bytes){.read = read_far, .close = close_far, .ctx = far};
    return TV_OK;
}

/* The file is sent as it was uploaded, in ranges if they are asked for. */
void tv_stored_raw(struct tv_stored *stored, const struct tv_stored_trace *trace,
                   const struct tv_http_request *request, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_hash name;
    char tag[sizeof(name.hex) + 2];
    struct tv_http_file file = {
        .etag = tag, .content_type = "application/octet-stream", .cache = CACHE_OF_ANSWERS};
    memcpy(name.hex, trace->raw_hash, sizeof(name.hex));
    (void)snprintf(tag, sizeof(tag), "\"%s\"", name.hex);
    enum tv_code code = open_part(stored, &name, &file.part, &err);
    if (code != TV_OK) {
        tv_stored_refuse(response, &err);
        return;
    }
    tv_http_send_file(request, response, &file);
    tv_http_add_file_name(response, tv_str_from(trace->file_name));
}
