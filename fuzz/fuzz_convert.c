/*
 * What is written from any trace that can be read is a trace again, and says the same: as many
 * records, threads, methods and calls, on the same clocks, for as long, unless the writer told
 * what it changed. The trace and what was written of it are compared through the index, which is
 * what people see.
 */
#include "all_builders.h"
#include "check.h"

#include "base/memory/buffer.h"
#include "format/write/write.h"
#include "index/index.h"

static const struct tv_read_opts as_it_is = {.batch_len = 0};

/* Findings that come from the source or from what the source leaves unsaid. */
static bool is_excused(enum tv_finding_kind kind)
{
    return kind == TV_FINDING_OVERFLOW || kind == TV_FINDING_BAD_LINE ||
           kind == TV_FINDING_DUPLICATE_METHOD || kind == TV_FINDING_DUPLICATE_THREAD;
}

static void check_readable(const struct tv_buffer *output, const struct fuzz_reading *source,
                           const struct tv_write_result *result)
{
    const uint64_t *changes = result->changes;
    uint64_t left_out = changes[TV_WRITE_EMPTY_LEFT_OUT] + changes[TV_WRITE_EXITS_LEFT_OUT] +
                        changes[TV_WRITE_RESERVED_LEFT_OUT];
    uint64_t added = changes[TV_WRITE_CALLS_CLOSED] + changes[TV_WRITE_CALLS_OPENED] +
                     changes[TV_WRITE_EXITS_ADDED];
    struct fuzz_reading reading;
    fuzz_read(output->bytes, output->len, &as_it_is, &reading);
    FUZZ_CHECK(reading.code == TV_OK);
    FUZZ_CHECK(reading.records == result->records);
    FUZZ_CHECK(reading.records == source->records - left_out + added);
    for (size_t kind = 0; kind < TV_FINDING_KIND_COUNT; kind++)
        FUZZ_CHECK(is_excused((enum tv_finding_kind)kind) || !reading.findings.of[kind].count);
}

/* What people see of a trace. Sums and hashes are modulo 2^64, and do not depend on the order of
 * threads and methods, nor on their ids, which may be new. */
struct view {
    uint64_t calls, nodes;
    uint64_t threads_with_records;
    uint64_t shapes; /* of all nodes: depth, calls, whether recursive */
    uint64_t names;  /* of methods with calls */
    uint64_t times[TV_CLOCK_COUNT];
};

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
    return (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
}

static uint64_t hash_text(const struct tv_index *index, uint64_t off, uint64_t len)
{
    struct tv_str text = tv_index_text(index, off, len);
    return tv_hash_bytes(text.at, text.len);
}

static void view_threads(const struct tv_index *index, struct view *view)
{
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        view->threads_with_records += thread->records > 0;
        view->shapes += mixed(thread->calls, thread->max_depth);
        for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++)
            view->times[clock] += mixed(thread->root_total[clock] * index->info->unit_ns, 1);
    }
}

static void view_nodes(const struct tv_index *index, struct view *view)
{
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint64_t shape = mixed(index->node_depth[node], tv_index_node_calls(index, node));
        view->shapes += mixed(shape, index->node_flags[node]);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            uint64_t inclusive = tv_index_node_inclusive(index, clock, node);
            view->times[clock] += mixed(shape, inclusive * index->info->unit_ns);
        }
    }
}

static void view_methods(const struct tv_index *index, struct view *view)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        if (!method->calls || !method->is_known)
            continue;
        uint64_t name = mixed(hash_text(index, method->class_off, method->class_len),
                              hash_text(index, method->name_off, method->name_len));
        name = mixed(name, hash_text(index, method->signature_off, method->signature_len));
        view->names += mixed(name, method->calls);
    }
}

static struct view view_of(const struct tv_index *index)
{
    struct view view = {.calls = index->call_count, .nodes = index->node_count};
    view_threads(index, &view);
    view_nodes(index, &view);
    view_methods(index, &view);
    return view;
}

/* Whether the writer says that numbers of calls are others than in the trace. */
static bool is_told(const struct tv_write_result *result)
{
    for (size_t i = 0; i < TV_WRITE_CHANGE_COUNT; i++) {
        enum tv_severity severity = tv_write_change_severity((enum tv_write_change)i);
        if (severity != TV_SEVERITY_NOTE && result->changes[i])
            return true;
    }
    return false;
}

static void compare_facts(const struct tv_index *from, const struct tv_index *to,
                          const struct tv_write_result *result)
{
    const uint64_t *changes = result->changes;
    FUZZ_CHECK(to->info->has_elapsed <= from->info->has_elapsed);
    if (to->info->has_elapsed)
        FUZZ_CHECK(to->info->elapsed_ns == from->info->elapsed_ns ||
                   (to->info->unit_ns > 1 &&
                    to->info->elapsed_ns / 1000 == from->info->elapsed_ns / 1000));
    FUZZ_CHECK(from->info->has_elapsed == to->info->has_elapsed ||
               from->info->elapsed_ns < to->info->unit_ns);
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t left_out =
            changes[clock == TV_CLOCK_CPU ? TV_WRITE_CPU_LEFT_OUT : TV_WRITE_WALL_LEFT_OUT];
        FUZZ_CHECK(from->info->has_clock[clock] == to->info->has_clock[clock] || left_out ||
                   !result->records);
    }
    FUZZ_CHECK(from->thread_count == to->thread_count + changes[TV_WRITE_THREADS_LEFT_OUT]);
}

static void compare(const struct tv_index *from, const struct tv_index *to,
                    const struct tv_write_result *result)
{
    struct view before = view_of(from);
    struct view after = view_of(to);
    compare_facts(from, to, result);
    FUZZ_CHECK(before.calls == after.calls && before.nodes == after.nodes);
    FUZZ_CHECK(before.shapes == after.shapes);
    FUZZ_CHECK(before.names == after.names || result->changes[TV_WRITE_NAMES_CHANGED]);
    FUZZ_CHECK(before.threads_with_records == after.threads_with_records || is_told(result));
    if (is_told(result) || result->changes[TV_WRITE_TIMES_ROUNDED])
        return;
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++)
        FUZZ_CHECK(before.times[clock] == after.times[clock] || !to->info->has_clock[clock]);
}

static void check_as(const char *name, struct fuzz_input input, const struct fuzz_reading *source,
                     const struct tv_index *index)
{
    struct tv_buffer output;
    struct tv_error err;
    struct tv_write_result result;
    struct tv_write_opts opts = {.as = tv_str_from(name), .result = &result};
    tv_buffer_init(&output, tv_alloc_libc());
    if (tv_write_trace(tv_alloc_libc(), (const uint8_t *)input.trace.at, input.trace.len, &opts,
                       tv_buffer_sink(&output), &err) == TV_OK &&
        !result.changes[TV_WRITE_LAYOUT_UNTOLD]) {
        struct fuzz_input back = {.trace = tv_buffer_view(&output)};
        struct tv_index written;
        check_readable(&output, source, &result);
        if (fuzz_build(tv_alloc_libc(), back, NULL, &written) == TV_OK && index->block)
            compare(index, &written, &result);
        tv_index_release(&written);
    }
    tv_buffer_release(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_reading source;
    struct fuzz_input input = {.trace = {(const char *)bytes, len}};
    struct tv_index index;
    fuzz_read(bytes, len, &as_it_is, &source);
    if (source.code != TV_OK)
        return 0;
    (void)fuzz_build(tv_alloc_libc(), input, NULL, &index);
    for (size_t ix = 0; tv_write_format_name(ix); ix++)
        check_as(tv_write_format_name(ix), input, &source, &index);
    tv_index_release(&index);
    return 0;
}
