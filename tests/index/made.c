/* See made.h. */
#include "index/made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/trace.h"

/* Chunks of one record cost half a megabyte each; so many bytes of file may be cut as small. */
#define MOST_BYTES_PER_CHUNK_RECORD 900u

enum tv_code build_index(struct tv_index *index, const struct tv_buffer *bytes,
                         const struct tv_read_opts *read_opts, const struct tv_build_opts *opts,
                         const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_trace trace;
    tv_index_init(index);
    tv_trace_init(&trace, alloc);
    enum tv_code code = tv_trace_open(&trace, bytes->bytes, bytes->len, read_opts, err);
    if (code == TV_OK)
        code = tv_index_build(index, &trace, opts, err);
    tv_trace_release(&trace);
    return code;
}

void expect_same_block(const struct tv_index *a, const struct tv_index *b, const char *what)
{
    size_t len = a->block_len < b->block_len ? a->block_len : b->block_len;
    size_t at = 0;
    while (at < len && a->block[at] == b->block[at])
        at++;
    if (at < len || a->block_len != b->block_len)
        fail_msg("%s: blocks of %zu and %zu bytes differ at %zu (%02x, %02x)", what, a->block_len,
                 b->block_len, at, at < len ? a->block[at] : 0u, at < len ? b->block[at] : 0u);
}

static void build_one_way(struct tv_index *index, const struct tv_buffer *bytes,
                          const struct tv_read_opts *read_opts, const struct tv_build_opts *opts)
{
    struct tv_error err = {.text = ""};
    enum tv_code code = build_index(index, bytes, read_opts, opts, tv_alloc_libc(), &err);
    if (code != TV_OK)
        fail_msg("%s at %lld: %s", tv_code_name(code), (long long)err.offset, err.text);
}

void make_index(struct tv_index *index, struct trace_builder *t)
{
    static const size_t batches[] = {1, 7};
    static const size_t chunks[] = {0, 1, 2, 3, 7, 64, 1000};
    const struct tv_build_opts in_batches = {.way = TV_BUILD_SERIAL};
    build_one_way(index, &t->bytes, NULL, &in_batches);
    for (size_t i = 0; i < TV_COUNT_OF(batches); i++) {
        struct tv_index other;
        build_one_way(&other, &t->bytes, &(struct tv_read_opts){.batch_len = batches[i]},
                      &in_batches);
        expect_same_block(index, &other, "short batches");
        tv_index_release(&other);
    }
    for (size_t i = 0; i < TV_COUNT_OF(chunks); i++) {
        struct tv_index other;
        if (chunks[i] && t->bytes.len > chunks[i] * MOST_BYTES_PER_CHUNK_RECORD)
            continue;
        build_one_way(&other, &t->bytes, NULL, &(struct tv_build_opts){.chunk_records = chunks[i]});
        expect_same_block(index, &other, chunks[i] ? "chunks" : "one chunk");
        tv_index_release(&other);
    }
    build_release(t);
}

/* What next gives of. */
struct listing {
    const struct listed_record *records;
    size_t left;
};

static enum tv_code next_listed(struct tv_trace *trace, struct tv_batch *batch,
                                struct tv_error *err)
{
    struct listing *listing = trace->reader;
    (void)err;
    batch->offset_step = 0;
    for (; listing->left && batch->count < TV_BATCH_CAP; listing->left--, listing->records++) {
        const struct listed_record *record = listing->records;
        size_t i = batch->count++;
        batch->thread_id[i] = record->thread;
        batch->key_action[i] = record->method | record->action;
        batch->time[TV_CLOCK_WALL][i] = record->wall;
        batch->time[TV_CLOCK_CPU][i] = record->cpu;
        batch->offsets[i] = record->offset;
    }
    return TV_OK;
}

static enum tv_code list_nothing(struct tv_trace *trace, struct tv_error *err)
{
    (void)trace;
    (void)err;
    return TV_OK;
}

static bool match_nothing(const uint8_t *bytes, size_t len)
{
    (void)bytes;
    (void)len;
    return false;
}

void make_listed(struct tv_index *index, const struct listed_facts *facts,
                 const struct listed_record *records, size_t count)
{
    static const struct tv_format format = {
        .family = "listed", .matches = match_nothing, .open = list_nothing, .next = next_listed};
    struct listing listing = {.records = records, .left = count};
    struct tv_trace trace;
    struct tv_error err = {.text = ""};
    tv_trace_init(&trace, tv_alloc_libc());
    trace.format = &format;
    trace.reader = &listing;
    memcpy(trace.has_clock, facts->has_clock, sizeof(trace.has_clock));
    trace.has_common_axis = facts->has_common_axis;
    trace.clock_bits = facts->clock_bits;
    trace.unit_ns = facts->unit_ns;
    trace.has_elapsed = facts->has_elapsed;
    trace.elapsed_ns = facts->elapsed_ns;
    if (tv_index_build(index, &trace, NULL, &err) != TV_OK)
        fail_msg("%s", err.text);
    tv_trace_release(&trace);
}

/* Text that grows; longer than any test expects is cut and so differs. */
struct line {
    char text[4000];
    size_t len;
};

TV_PRINTF(2, 3) static void say(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line->text + line->len, sizeof(line->text) - line->len, format, args);
    va_end(args);
    line->len += (size_t)len;
    assert_true(line->len < sizeof(line->text));
}

static void say_method(struct line *line, const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    struct tv_str name = tv_index_text(index, method->name_off, method->name_len);
    if (name.len)
        say(line, "%.*s", (int)name.len, name.at);
    else
        say(line, "0x%llx", (unsigned long long)method->id);
}

const struct tv_index_thread *thread_of(const struct tv_index *index, uint32_t thread_id)
{
    uint32_t thread_ix = tv_index_thread_of_id(index, thread_id);
    if (thread_ix == TV_NONE)
        fail_msg("thread %u is missing", thread_id);
    return &index->threads[thread_ix];
}

void expect_calls(const struct tv_index *index, uint32_t thread_id, enum tv_clock clock,
                  const char *expected)
{
    const struct tv_index_thread *thread = thread_of(index, thread_id);
    struct line line = {.text = ""};
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        const struct tv_index_row *row = &index->rows[thread->row_first + depth];
        say(&line, "%s", depth ? " | " : "");
        for (uint64_t i = 0; i < row->call_count; i++) {
            uint64_t call = row->call_first + i;
            say(&line, "%s", i ? ", " : "");
            say_method(&line, index, index->node_method[index->call_node[call]]);
            say(&line, " %llu+%llu", (unsigned long long)tv_index_start(index, thread, clock, call),
                (unsigned long long)tv_index_duration(index, thread, clock, call));
        }
    }
    assert_string_equal(line.text, expected);
}

static void say_path(struct line *line, const struct tv_index *index, uint32_t node)
{
    uint32_t path[32];
    size_t len = 0;
    for (; node != TV_NONE && len < TV_COUNT_OF(path); node = index->node_parent[node])
        path[len++] = node;
    while (len--) {
        say_method(line, index, index->node_method[path[len]]);
        say(line, "%s", len ? "." : "");
    }
}

void expect_nodes(const struct tv_index *index, uint32_t thread_id, enum tv_clock clock,
                  const char *expected)
{
    const struct tv_index_thread *thread = thread_of(index, thread_id);
    struct line line = {.text = ""};
    for (uint32_t i = 0; i < thread->node_count; i++) {
        uint32_t node = thread->node_first + i;
        say(&line, "%s", i ? ", " : "");
        say_path(&line, index, node);
        say(&line, "%s x%llu %llu-%llu", index->node_flags[node] & TV_NODE_RECURSIVE ? "*" : "",
            (unsigned long long)tv_index_node_calls(index, node),
            (unsigned long long)tv_index_node_inclusive(index, clock, node),
            (unsigned long long)tv_index_node_exclusive(index, clock, node));
    }
    assert_string_equal(line.text, expected);
}

void expect_profile(const struct tv_index *index, enum tv_clock clock, const char *expected)
{
    struct line line = {.text = ""};
    for (uint32_t rank = 0; rank < index->info->ranked_count; rank++) {
        uint32_t method_ix = index->method_of_rank[rank];
        const struct tv_index_method *method = &index->methods[method_ix];
        expect_number("rank", method->rank, rank);
        say(&line, "%s", rank ? ", " : "");
        say_method(&line, index, method_ix);
        say(&line, " %llu+%llu %llu-%llu", (unsigned long long)method->calls,
            (unsigned long long)method->recursive_calls,
            (unsigned long long)method->inclusive[clock],
            (unsigned long long)method->exclusive[clock]);
    }
    assert_string_equal(line.text, expected);
}

void expect_number(const char *what, uint64_t found, uint64_t expected)
{
    if (found != expected)
        fail_msg("%s: expected %llu, found %llu", what, (unsigned long long)expected,
                 (unsigned long long)found);
}

void expect_finding(const struct tv_index *index, enum tv_finding_kind kind, uint64_t count,
                    uint64_t offset)
{
    const struct tv_finding *found = &index->info->findings.of[kind];
    if (found->count != count || (count && found->offset != offset))
        fail_msg("%s: expected %llu at %lld, found %llu at %lld", tv_finding_name(kind),
                 (unsigned long long)count, (long long)offset, (unsigned long long)found->count,
                 (long long)found->offset);
}

void expect_only(const struct tv_index *index, ...)
{
    bool is_expected[TV_FINDING_KIND_COUNT] = {false};
    va_list list;
    va_start(list, index);
    for (int kind = va_arg(list, int); kind < TV_FINDING_KIND_COUNT; kind = va_arg(list, int))
        is_expected[kind] = true;
    va_end(list);
    for (size_t kind = 0; kind < TV_FINDING_KIND_COUNT; kind++) {
        const struct tv_finding *found = &index->info->findings.of[kind];
        if ((found->count > 0) != is_expected[kind])
            fail_msg("%s: found %llu, expected %s", tv_finding_name((enum tv_finding_kind)kind),
                     (unsigned long long)found->count, is_expected[kind] ? "some" : "none");
    }
}
