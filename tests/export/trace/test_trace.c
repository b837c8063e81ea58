/*
 * A trace exported as a trace and read again says the same of the part: the same calling contexts
 * with the same calls and times, on random programs, random ranges, threads' odd ends included. A
 * whole trace has, call for call, the calls that `convert` gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/call.h"
#include "analysis/selection/names.h"
#include "base/error.h"
#include "export/export.h"
#include "export/export_context.h"
#include "export/probe.h"
#include "format/write/compose.h"
#include "format/write/write.h"
#include "support/random_trace.h"

/* What an export shows, context by context: collected by a format of the test's own. */
#define CONTEXTS 16384
struct context {
    uint64_t path; /* a hash of thread and methods */
    struct tv_numbers numbers;
};
struct contexts {
    struct context of[CONTEXTS];
    size_t count;
};
static struct contexts *collected;

static int by_path(const void *a, const void *b)
{
    const struct context *one = a, *other = b;
    return (one->path > other->path) - (one->path < other->path);
}

/* Contexts that differ in hidden callers only are one. */
static void merge_contexts(struct contexts *contexts)
{
    size_t kept = 0;
    qsort(contexts->of, contexts->count, sizeof(contexts->of[0]), by_path);
    for (size_t i = 0; i < contexts->count; i++) {
        if (kept && contexts->of[kept - 1].path == contexts->of[i].path)
            tv_numbers_add(&contexts->of[kept - 1].numbers, &contexts->of[i].numbers);
        else
            contexts->of[kept++] = contexts->of[i];
    }
    contexts->count = kept;
}

static uint64_t hash_method(const struct tv_index *index, uint32_t method_ix)
{
    struct tv_buffer text;
    struct tv_error err;
    tv_buffer_init(&text, tv_alloc_libc());
    assert_int_equal(tv_method_text(index, method_ix, &text, &err), TV_OK);
    uint64_t hash = tv_hash_bytes(text.bytes, text.len);
    tv_buffer_release(&text);
    return hash;
}

static void collect_node(const struct tv_export_context *exported, uint32_t thread_id,
                         uint32_t node)
{
    const struct tv_sums *sums = &exported->stacks.sums;
    struct context context = {.path = thread_id + UINT64_C(77),
                              .numbers = tv_sums_numbers(sums, node)};
    if (!tv_sums_is_touched(sums, node))
        return;
    for (uint32_t at = node; at != TV_NONE; at = sums->parent[at])
        context.path = context.path * UINT64_C(6364136223846793005) +
                       hash_method(exported->index, sums->method[at]);
    assert_true(collected->count < CONTEXTS);
    collected->of[collected->count++] = context;
}

static enum tv_code collect_contexts(struct tv_export_context *context, struct tv_error *err)
{
    (void)err;
    collected->count = 0;
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        struct tv_node_range nodes = tv_sums_nodes(&context->stacks.sums, i);
        uint32_t thread_ix = tv_export_context_thread(context, i);
        for (uint32_t node = nodes.first; thread_ix != TV_NONE && node < nodes.end; node++)
            collect_node(context, context->index->threads[thread_ix].id, node);
    }
    merge_contexts(collected);
    return TV_OK;
}

static void collect(const struct world *w, const struct probe_opts *opts, struct contexts *contexts)
{
    static const struct tv_export collector = {.name = "collector", .write = collect_contexts};
    collected = contexts;
    probe_run(w, &collector, opts, NULL);
}

/* Reads bytes as a world without plain calls. */
static void read_bytes(struct world *w, const struct tv_buffer *bytes)
{
    world_begin(w);
    build_release(&w->t);
    build_bytes(&w->t, bytes->bytes, bytes->len);
    world_read(w);
    w->latest = tv_axis_len_ns(&w->index);
}

static void assert_near(uint64_t a, uint64_t b, uint64_t most)
{
    assert_true(a > b ? a - b <= most : b - a <= most);
}

/* Edges of a range have CPU times between microseconds, which v3 cuts: up to a microsecond at
 * either edge for a context, and as much for the contexts in it. */
static void assert_same_times(const struct tv_numbers *a, const struct tv_numbers *b,
                              bool is_rounded)
{
    assert_int_equal(a->inclusive_ns[TV_CLOCK_WALL], b->inclusive_ns[TV_CLOCK_WALL]);
    assert_int_equal(a->exclusive_ns[TV_CLOCK_WALL], b->exclusive_ns[TV_CLOCK_WALL]);
    assert_near(a->inclusive_ns[TV_CLOCK_CPU], b->inclusive_ns[TV_CLOCK_CPU],
                is_rounded ? 2000 : 0);
    assert_near(a->exclusive_ns[TV_CLOCK_CPU], b->exclusive_ns[TV_CLOCK_CPU],
                is_rounded ? 4000 : 0);
}

/* Of stacks with a matching method, sums leave the other callees' time out of their callers, and a
 * caller's single call lasts as long as it did. */
static void assert_no_less(const struct tv_numbers *a, const struct tv_numbers *b)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        assert_true(b->inclusive_ns[clock] + 2000 >= a->inclusive_ns[clock]);
}

static void assert_same_contexts(const struct contexts *part, const struct contexts *again,
                                 bool is_rounded, bool is_matched)
{
    assert_int_equal(part->count, again->count);
    for (size_t i = 0; i < part->count; i++) {
        const struct tv_numbers *a = &part->of[i].numbers, *b = &again->of[i].numbers;
        assert_true(part->of[i].path == again->of[i].path);
        assert_int_equal(a->calls, b->calls);
        if (is_matched)
            assert_no_less(a, b);
        else
            assert_same_times(a, b, is_rounded);
    }
}

/* Exports the part in the format, reads what was written, and compares. */
static void check_part(const struct world *w, const char *format, struct probe_opts opts)
{
    static struct contexts part, again;
    static struct world back;
    const struct probe_opts all = {.levels = 0};
    const bool is_packets = strcmp(format, "packets") == 0;
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    if (!is_packets) {
        opts.from_ns -= opts.from_ns % 1000;
        opts.to_ns -= opts.to_ns % 1000;
        if (opts.to_ns <= opts.from_ns)
            opts.to_ns = 0;
    }
    struct tv_export_result result =
        probe_run(w, tv_export_of_name(tv_str_from(format)), &opts, &bytes);
    read_bytes(&back, &bytes);
    collect(w, &opts, &part);
    collect(&back, &all, &again);
    assert_same_contexts(&part, &again, !is_packets && (opts.from_ns || opts.to_ns),
                         opts.match != NULL);
    assert_int_equal(result.changes[TV_EXPORT_TIMES_AMBIGUOUS], 0);
    world_release(&back);
    tv_buffer_release(&bytes);
}

static void test_parts(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 40; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 6; part++) {
            struct probe_opts opts = probe_random(&w, seed * 6 + part);
            check_part(&w, "trace", opts);
            check_part(&w, "packets", opts);
        }
        world_release(&w);
    }
}

/* A trace with everything that is odd, in a version and with clocks that the seed chooses. */
static void make_odd(struct world *w, uint64_t seed)
{
    static const char *const clocks[] = {"dual", "wall", "thread-cpu"};
    unsigned version = 1 + (unsigned)(seed % 3);
    world_begin(w);
    build_release(&w->t);
    build_text(&w->t, (struct build_opts){
                          .version = version,
                          .clock = clocks[version == 3 ? seed / 3 % 3 : 1 + seed / 3 % 2]});
    build_random(&w->t, (struct random_opts){.seed = seed,
                                             .records = 300,
                                             .lost_enter = 20,
                                             .lost_exit = 20,
                                             .wrong_exit = seed % 4 ? 0 : 10,
                                             .unwind = 50,
                                             .fall = seed % 6 ? 0 : 10});
    world_read(w);
    w->latest = tv_axis_len_ns(&w->index);
}

static void test_odd_traces(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 90; seed++) {
        static struct world w;
        make_odd(&w, seed);
        for (uint32_t part = 0; part < 3; part++) {
            struct probe_opts opts = probe_random(&w, seed * 3 + part);
            opts.measure =
                w.index.info->has_clock[TV_CLOCK_WALL] ? TV_MEASURE_WALL : TV_MEASURE_CPU;
            opts.hidden = opts.match = NULL; /* other methods than those of a world */
            check_part(&w, "trace", opts);
            check_part(&w, "packets", opts);
        }
        world_release(&w);
    }
}

static void assert_same_row(const struct tv_index *a, uint32_t thread_a, const struct tv_index *b,
                            uint32_t thread_b, uint32_t depth)
{
    const struct tv_index_row *row_a = &a->rows[a->threads[thread_a].row_first + depth];
    const struct tv_index_row *row_b = &b->rows[b->threads[thread_b].row_first + depth];
    assert_int_equal(row_a->call_count, row_b->call_count);
    for (uint64_t i = 0; i < row_a->call_count; i++) {
        uint64_t call_a = row_a->call_first + i, call_b = row_b->call_first + i;
        assert_true(hash_method(a, a->node_method[a->call_node[call_a]]) ==
                    hash_method(b, b->node_method[b->call_node[call_b]]));
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            assert_int_equal(a->info->has_clock[clock], b->info->has_clock[clock]);
            if (!a->info->has_clock[clock])
                continue;
            assert_int_equal(tv_index_start(a, &a->threads[thread_a], clock, call_a),
                             tv_index_start(b, &b->threads[thread_b], clock, call_b));
            assert_int_equal(tv_index_duration(a, &a->threads[thread_a], clock, call_a),
                             tv_index_duration(b, &b->threads[thread_b], clock, call_b));
        }
    }
}

/* Threads and methods without calls are not in the export. */
static void assert_same_calls(const struct tv_index *a, const struct tv_index *b, bool is_plain)
{
    assert_int_equal(a->info->elapsed_ns, b->info->elapsed_ns);
    assert_int_equal(a->info->start_time_ns, b->info->start_time_ns);
    assert_int_equal(a->call_count, b->call_count);
    for (uint32_t i = 0; i < b->thread_count; i++) {
        const struct tv_index_thread *other = &b->threads[i];
        uint32_t of_a = tv_index_thread_of_id(a, other->id);
        assert_int_not_equal(of_a, TV_NONE);
        const struct tv_index_thread *one = &a->threads[of_a];
        assert_int_equal(one->max_depth, other->max_depth);
        if (is_plain) {
            assert_int_equal(one->open_depth, other->open_depth);
            assert_int_equal(one->adopted_depth, other->adopted_depth);
        }
        for (uint32_t depth = 0; depth < one->max_depth; depth++)
            assert_same_row(a, of_a, b, i, depth);
    }
}

static void check_whole(const struct world *w, const char *format, const char *version,
                        bool is_plain)
{
    static struct world exported, converted;
    const struct probe_opts all = {
        .measure = w->index.info->has_clock[TV_CLOCK_WALL] ? TV_MEASURE_WALL : TV_MEASURE_CPU};
    struct tv_write_result result;
    const struct tv_write_opts opts = {.as = tv_str_from(version), .result = &result};
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    probe_run(w, tv_export_of_name(tv_str_from(format)), &all, &bytes);
    read_bytes(&exported, &bytes);
    bytes.len = 0;
    assert_int_equal(tv_write_trace(tv_alloc_libc(), w->t.bytes.bytes, w->t.bytes.len, &opts,
                                    tv_buffer_sink(&bytes), &err),
                     TV_OK);
    read_bytes(&converted, &bytes);
    /* A last exit that packets cannot hold takes the trace's end with it. */
    if (!result.changes[TV_WRITE_EXITS_LEFT_OUT])
        assert_same_calls(&converted.index, &exported.index, is_plain);
    world_release(&exported);
    world_release(&converted);
    tv_buffer_release(&bytes);
}

static void test_whole_is_convert(void **state)
{
    (void)state;
    static struct world w;
    for (uint32_t seed = 0; seed < 30; seed++) {
        world_any(&w, seed);
        check_whole(&w, "trace", "v3", true);
        check_whole(&w, "packets", "packets", true);
        world_release(&w);
    }
    for (uint32_t seed = 0; seed < 90; seed++) {
        make_odd(&w, seed);
        check_whole(&w, "trace", "v3", false);
        check_whole(&w, "packets", "packets", false);
        world_release(&w);
    }
}

static struct tv_str property_of(const struct tv_index *index, const char *key)
{
    for (uint32_t i = 0; i < index->info->property_count; i++) {
        const struct tv_index_property *of = &index->properties[i];
        if (tv_str_equal(tv_index_text(index, of->key_off, of->key_len), tv_str_from(key)))
            return tv_index_text(index, of->value_off, of->value_len);
    }
    return TV_STR("");
}

static void check_source(const struct world *w, const char *format, enum tv_finding_kind kind,
                         const char *expected)
{
    static struct world once, twice;
    const struct probe_opts all = {.levels = 0};
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    probe_run(w, tv_export_of_name(tv_str_from(format)), &all, &bytes);
    read_bytes(&once, &bytes);
    bytes.len = 0;
    probe_run(&once, tv_export_of_name(tv_str_from(format)), &all, &bytes);
    read_bytes(&twice, &bytes);
    const struct world *const worlds[] = {&once, &twice};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(worlds[i]->index.info->findings.of[kind].count, 1);
        assert_true(
            tv_str_equal(property_of(&worlds[i]->index, "source-findings"), tv_str_from(expected)));
    }
    world_release(&twice);
    world_release(&once);
    tv_buffer_release(&bytes);
}

/* The file that is written lacks nothing by itself. */
static void test_findings_of_the_source(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    enter(&w.t, MAIN, FOO, 10);
    enter(&w.t, MAIN, BAR, 20);
    leave(&w.t, MAIN, FOO, 30); /* closes BAR, too */
    world_read(&w);
    check_source(&w, "trace", TV_FINDING_EXIT_CLOSED_OTHERS, "exit_closed_others:1");
    check_source(&w, "packets", TV_FINDING_EXIT_CLOSED_OTHERS, "exit_closed_others:1");
    world_release(&w);
    world_begin(&w);
    enter(&w.t, MAIN, FOO, 10);
    leave(&w.t, MAIN, FOO, 30);
    build_cut(&w.t, 1);
    world_read(&w);
    check_source(&w, "trace", TV_FINDING_SOURCE_LOST, "truncated_record:1");
    check_source(&w, "packets", TV_FINDING_SOURCE_LOST, "truncated_record:1");
    world_release(&w);
}

/* A part of a part counts from the whole; its start time is that of its first moment. */
static void test_place_of_a_part(void **state)
{
    (void)state;
    static struct world w, part, part_of_part;
    const struct probe_opts opts = {.from_ns = 20000, .to_ns = 70000};
    const struct tv_export *format = tv_export_of_name(TV_STR("trace"));
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    world_begin(&w);
    world_enter(&w, 1, 0, 10, 1);
    world_enter(&w, 2, 2, 35, 1);
    world_leave(&w, 1, 0, 60, 51);
    world_leave(&w, 2, 2, 90, 6);
    world_end(&w);
    struct tv_export_result result = probe_run(&w, format, &opts, &bytes);
    assert_int_equal(result.changes[TV_EXPORT_CALLS_CUT], 2);
    read_bytes(&part, &bytes);
    assert_int_equal(part.index.info->start_time_ns, w.index.info->start_time_ns + 20000);
    assert_int_equal(part.index.info->elapsed_ns, 50000);
    assert_int_equal(part.index.thread_count, 2);
    assert_int_equal(part.index.method_count, 2);
    assert_int_equal(part.index.threads[0].first[TV_CLOCK_WALL], 0);
    assert_int_equal(part.index.threads[0].last[TV_CLOCK_WALL], 40);
    assert_int_equal(part.index.threads[1].first[TV_CLOCK_WALL], 15);
    assert_int_equal(part.index.threads[1].last[TV_CLOCK_WALL], 50);
    assert_true(tv_str_equal(property_of(&part.index, "cut-from-nsec"), TV_STR("20000")));
    assert_true(tv_str_equal(property_of(&part.index, "num-method-calls"), TV_STR("3")));
    assert_true(tv_str_equal(property_of(&part.index, "cut-threads"),
                             TV_STR("1:1:0:0:0;2:0:50000:50000:3000")));
    bytes.len = 0;
    probe_run(&part, format, &opts, &bytes);
    read_bytes(&part_of_part, &bytes);
    assert_true(tv_str_equal(property_of(&part_of_part.index, "cut-from-nsec"), TV_STR("40000")));
    world_release(&w);
    world_release(&part);
    world_release(&part_of_part);
    tv_buffer_release(&bytes);
}

/* A part says how many calls are left out of those that it has, and a part of it adds its own: what
 * is written of run (0), in which Load (1) has List.get (2), and List.put (3) and Map.get (4) are.
 */
static void test_calls_left_out(void **state)
{
    static const struct {
        struct probe_opts opts;
        const char *left_out;
        uint64_t whole_callers;
    } parts[] = {
        {{.levels = 0}, "", 0},
        {{.hidden = "com.lib."}, "2", 0},
        {{.levels = 1}, "4", 0},
        {{.match = "run"}, "", 0},
        {{.match = "Map"}, "3", 1},
        {{.match = "List.get"}, "2", 2},
        {{.match = "Map", .hidden = "java."}, "4", 1},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(parts) * 2; i++) {
        static struct world w, part, part_of_part;
        const struct probe_opts *opts = &parts[i / 2].opts;
        const struct tv_export *format =
            tv_export_of_name(i % 2 ? TV_STR("packets") : TV_STR("trace"));
        struct tv_buffer bytes;
        tv_buffer_init(&bytes, tv_alloc_libc());
        world_begin(&w);
        world_enter(&w, 1, 0, 0, 0);
        world_enter(&w, 1, 1, 10, 10);
        world_enter(&w, 1, 2, 20, 20);
        world_leave(&w, 1, 2, 30, 30);
        world_leave(&w, 1, 1, 40, 40);
        world_enter(&w, 1, 3, 50, 50);
        world_leave(&w, 1, 3, 60, 60);
        world_enter(&w, 1, 4, 70, 70);
        world_leave(&w, 1, 4, 80, 80);
        world_leave(&w, 1, 0, 100, 100);
        world_end(&w);
        struct tv_export_result result = probe_run(&w, format, opts, &bytes);
        assert_int_equal(result.changes[TV_EXPORT_CALLERS_WHOLE], parts[i / 2].whole_callers);
        read_bytes(&part, &bytes);
        const struct tv_str told = property_of(&part.index, "calls-left-out");
        assert_true(tv_str_equal(told, tv_str_from(parts[i / 2].left_out)));
        bytes.len = 0;
        probe_run(&part, format, &(struct probe_opts){.levels = 1}, &bytes);
        read_bytes(&part_of_part, &bytes);
        assert_true(tv_str_equal(property_of(&part_of_part.index, "calls-left-out"), TV_STR("4")) ||
                    parts[i / 2].opts.match);
        world_release(&w);
        world_release(&part);
        world_release(&part_of_part);
        tv_buffer_release(&bytes);
    }
}

/* Behind 71 minutes a time does not fit 32 bits, and a part does. */
static void test_late_part(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 6; i++) {
        enter(&w.t, MAIN, FOO, i * 1500000000u);
        leave(&w.t, MAIN, FOO, i * 1500000000u + 70);
    }
    world_read(&w);
    uint64_t at = UINT64_C(7500000000000);
    assert_int_equal(tv_axis_len_ns(&w.index), at + 70000);
    check_part(&w, "trace", (struct probe_opts){.from_ns = at - 5000, .to_ns = at + 50000});
    check_part(&w, "packets", (struct probe_opts){.from_ns = at - 5000, .to_ns = at + 50000});
    check_part(&w, "trace", (struct probe_opts){.from_ns = 0});
    world_release(&w);
}

/* In version 1 each thread's times begin at its own start; what is written has one axis for all. */
static void test_axes_joined(void **state)
{
    (void)state;
    static struct world w;
    const struct probe_opts all = {.levels = 0};
    for (unsigned thread_count = 1; thread_count <= 2; thread_count++) {
        world_begin(&w);
        build_release(&w.t);
        build_text(&w.t, (struct build_opts){.version = 1, .clock = "wall"});
        for (unsigned thread = 1; thread <= thread_count; thread++) {
            enter(&w.t, thread, FOO, 10);
            leave(&w.t, thread, FOO, 20);
        }
        world_read(&w);
        struct tv_export_result result =
            probe_run(&w, tv_export_of_name(TV_STR("trace")), &all, NULL);
        assert_int_equal(result.changes[TV_EXPORT_AXES_JOINED], thread_count > 1 ? 2 : 0);
        world_release(&w);
    }
}

/* A call without an end lasts to the last record of all threads: where those of another thread are
 * left out, it gets an exit. A call that began before the trace needs an enter where what stood
 * before its exit is left out. */
static void test_calls_without_ends(void **state)
{
    (void)state;
    static struct world w, back;
    struct tv_error err = {.code = TV_OK};
    struct tv_export_result result;
    struct tv_export_opts opts = {.levels = 0};
    struct tv_buffer bytes;
    uint32_t main_ix;
    tv_buffer_init(&bytes, tv_alloc_libc());
    world_begin(&w);
    world_enter(&w, 1, 2, 5, 1); /* a method of com.lib. */
    world_leave(&w, 1, 2, 10, 2);
    world_leave(&w, 1, 4, 20, 3); /* entered before the trace */
    world_enter(&w, 1, 0, 30, 4); /* never left */
    world_enter(&w, 2, 3, 40, 1);
    world_leave(&w, 2, 3, 90, 2);
    world_end(&w);
    main_ix = tv_index_thread_of_id(&w.index, MAIN);
    tv_scope_init(&opts.scope, &w.index);
    opts.scope.methods.hidden = TV_STR("com.lib.");
    opts.scope.selection.threads = &main_ix;
    opts.scope.selection.thread_count = 1;
    assert_int_equal(tv_export_run(tv_export_of_name(TV_STR("trace")), &w.index, &opts,
                                   tv_alloc_libc(), NULL, tv_buffer_sink(&bytes), &result, &err),
                     TV_OK);
    assert_int_equal(result.changes[TV_EXPORT_CALLS_OPENED], 1);
    assert_int_equal(result.changes[TV_EXPORT_CALLS_CLOSED], 0);
    read_bytes(&back, &bytes);
    assert_int_equal(back.index.thread_count, 1);
    assert_int_equal(back.index.call_count, 2);
    assert_int_equal(back.index.info->records, 3);
    assert_int_equal(back.index.threads[0].adopted_depth, 1);
    assert_int_equal(back.index.threads[0].open_depth, 1);
    assert_int_equal(back.index.threads[0].root_total[TV_CLOCK_WALL], 15 + 60);
    assert_int_equal(back.index.threads[0].root_total[TV_CLOCK_CPU], 2 + 0);
    world_release(&w);
    world_release(&back);
    tv_buffer_release(&bytes);
}

/* MAIN was last seen when WORKER's last record was written, and WORKER later: its exit is the
 * latest record then, so MAIN's calls need exits, too. */
static void test_calls_until_last_seen(void **state)
{
    (void)state;
    static struct world w;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .options = "last-seen-nsec=1:94000:0;2:184000:0\n"});
    enter(&w.t, MAIN, FOO, 10);
    enter(&w.t, WORKER, FOO, 20);
    enter(&w.t, MAIN, BAR, 50);
    leave(&w.t, MAIN, BAR, 60);
    enter(&w.t, WORKER, BAR, 90);
    leave(&w.t, WORKER, BAR, 94);
    world_read(&w);
    w.latest = tv_axis_len_ns(&w.index);
    check_part(&w, "trace", (struct probe_opts){.from_ns = 40000});
    check_part(&w, "packets", (struct probe_opts){.from_ns = 40000});
    world_release(&w);
}

/* Sums over the whole recording are none of a part; what was recorded at all is true of it, too. */
static void test_properties_of_a_part(void **state)
{
    (void)state;
    static struct world w, back;
    static const struct probe_opts whole = {.levels = 0};
    static const struct probe_opts parts[] = {
        {.levels = 1}, {.hidden = "com.lib."}, {.match = "run"}, {.to_ns = 20000}};
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "wall",
                                         .methods = "0x4\tcom.app.Main\trun\t()V\tMain.java\n",
                                         .options = "allocated-bytes=65536;0x4:1:2\n"
                                                    "record-writing-nsec=7\nmethods-skipped=5\n"});
    enter(&w.t, MAIN, FOO, 10);
    leave(&w.t, MAIN, FOO, 30);
    world_read(&w);
    probe_run(&w, tv_export_of_name(TV_STR("trace")), &whole, &bytes);
    read_bytes(&back, &bytes);
    assert_int_not_equal(property_of(&back.index, "allocated-bytes").len, 0);
    assert_int_not_equal(property_of(&back.index, "record-writing-nsec").len, 0);
    world_release(&back);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        bytes.len = 0;
        probe_run(&w, tv_export_of_name(TV_STR("trace")), &parts[i], &bytes);
        read_bytes(&back, &bytes);
        assert_int_equal(back.index.call_count, 1);
        assert_int_equal(property_of(&back.index, "allocated-bytes").len, 0);
        assert_int_equal(property_of(&back.index, "record-writing-nsec").len, 0);
        assert_int_not_equal(property_of(&back.index, "methods-skipped").len, 0);
        world_release(&back);
    }
    world_release(&w);
    tv_buffer_release(&bytes);
}

static void check_edges(const struct world *w, const char *format, const struct probe_opts *opts,
                        const char *expected)
{
    static struct world back;
    struct tv_buffer bytes;
    char got[256];
    tv_buffer_init(&bytes, tv_alloc_libc());
    probe_run(w, tv_export_of_name(tv_str_from(format)), opts, &bytes);
    read_bytes(&back, &bytes);
    const struct tv_index_thread *thread = &back.index.threads[0];
    size_t len = 0;
    got[0] = 0;
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        const struct tv_call_ref call = {0, depth,
                                         back.index.rows[thread->row_first + depth].call_first};
        uint64_t us[3] = {tv_index_duration(&back.index, thread, TV_CLOCK_WALL, call.call),
                          tv_index_duration(&back.index, thread, TV_CLOCK_CPU, call.call),
                          tv_call_unrecorded(&back.index, call)};
        for (size_t i = 0; i < 3; i++)
            us[i] = us[i] * back.index.info->unit_ns / 1000;
        len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s%d %d %d%s", depth ? ", " : "",
                                tv_call_is_adopted(&back.index, call) ? "began before, " : "",
                                (int)us[0], (int)us[1], (int)us[2],
                                tv_call_is_open_at_end(&back.index, call) ? " open" : "");
    }
    assert_string_equal(got, expected);
    world_release(&back);
    tv_buffer_release(&bytes);
}

/* "wall CPU unrecorded" of the first call of each depth: what is known of calls at the edges is no
 * more than in the whole trace, whatever is cut and hidden. */
static void test_edges_of_threads(void **state)
{
    (void)state;
    static const char *const formats[] = {"trace", "packets"};
    static const struct probe_opts middle = {.from_ns = 25000, .to_ns = 70000};
    static const struct probe_opts hidden = {.hidden = "com.lib."};
    static const struct probe_opts early = {.from_ns = 12000, .to_ns = 18000};
    static const struct probe_opts late = {.from_ns = 50000, .to_ns = 100000};
    static struct world w;
    world_begin(&w);
    world_enter(&w, 1, 0, 10, 0);
    world_enter(&w, 1, 1, 20, 10); /* hangs, after one record more */
    world_enter(&w, 1, 2, 30, 20);
    world_leave(&w, 1, 2, 40, 30);
    world_enter(&w, 2, 3, 45, 1);
    world_leave(&w, 2, 3, 100, 2);
    world_end(&w);
    for (size_t i = 0; i < 2; i++) {
        const char *format = formats[i];
        check_edges(&w, format, &middle,
                    "began before, 45 15 30 open, began before, 45 15 30 open, 10 10 0");
        check_edges(&w, format, &hidden, "90 30 60 open, 80 20 60 open");
        check_edges(&w, format, &early, "began before, 6 6 0 open");
        check_edges(&w, format, &late, "began before, 50 0 50 open, began before, 50 0 50 open");
    }
    world_release(&w);
}

/* An id of a thread that v3 has not gives all threads new ones; ids of methods stay. */
static void test_new_ids(void **state)
{
    (void)state;
    static struct world w, back;
    const struct probe_opts all = {.levels = 0};
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    world_begin(&w);
    enter(&w.t, 0, M(0), 10);
    enter(&w.t, 3, M(1), 20);
    leave(&w.t, 3, M(1), 30);
    leave(&w.t, 0, M(0), 40);
    world_read(&w);
    struct tv_export_result result =
        probe_run(&w, tv_export_of_name(TV_STR("trace")), &all, &bytes);
    assert_int_equal(result.changes[TV_EXPORT_THREADS_NUMBERED], 2);
    assert_int_equal(result.changes[TV_EXPORT_METHODS_NUMBERED], 0);
    read_bytes(&back, &bytes);
    assert_int_equal(back.index.thread_count, 2);
    assert_int_equal(back.index.threads[0].id, 1);
    assert_true(tv_str_equal(tv_index_thread_name(&back.index, 0), TV_STR("Binder:1")));
    assert_int_equal(back.index.threads[1].id, 2);
    assert_true(tv_str_equal(tv_index_thread_name(&back.index, 1), TV_STR("thread 0")));
    assert_int_equal(back.index.threads[1].root_total[TV_CLOCK_WALL], 30);
    assert_int_not_equal(tv_index_method_of_id(&back.index, M(1)), TV_NONE);
    world_release(&back);
    bytes.len = 0;
    probe_run(&w, tv_export_of_name(TV_STR("trace")), &(struct probe_opts){.to_ns = 25000}, &bytes);
    read_bytes(&back, &bytes); /* properties about threads have the new ids */
    assert_true(tv_str_equal(property_of(&back.index, "cut-threads"),
                             TV_STR("1:0:25000:25000:25000;2:0:25000:25000:25000")));
    world_release(&w);
    world_release(&back);
    tv_buffer_release(&bytes);
}

/* Packets have 61 bits for a time: later ones are cut, and told. */
static void test_late_times(void **state)
{
    (void)state;
    static struct world w, back;
    const struct probe_opts all = {.levels = 0};
    const uint64_t late = UINT64_C(1) << 62;
    const struct tv_trace_method method = {.id = 4, .class_name = TV_STR("a.B")};
    const struct tv_compose_facts facts = {.has_clock = {true, false}, .records = 2};
    const struct tv_compose_record enter_it = {.action = TV_ACTION_ENTER, .time = {late / 4, 0}};
    const struct tv_compose_record leave_it = {.action = TV_ACTION_EXIT, .time = {late, 0}};
    struct tv_error err = {.code = TV_OK};
    struct tv_write_result written;
    struct tv_composer *composer = NULL;
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(tv_composer_make(&composer, tv_alloc_libc(), TV_STR("packets-d"),
                                      tv_buffer_sink(&bytes), &err),
                     TV_OK);
    assert_int_equal(tv_composer_add_method(composer, &method, true, &err), TV_OK);
    assert_int_equal(tv_composer_add_thread(composer, 1, TV_STR("main"), &err), TV_OK);
    assert_int_equal(tv_composer_begin(composer, &facts, &err), TV_OK);
    assert_int_equal(tv_composer_put(composer, &enter_it, &err), TV_OK);
    assert_int_equal(tv_composer_put(composer, &leave_it, &err), TV_OK);
    assert_int_equal(tv_composer_end(composer, &written, &err), TV_OK);
    tv_composer_free(&composer);
    read_bytes(&w, &bytes);
    assert_int_equal(w.index.threads[0].last[TV_CLOCK_WALL], late);
    bytes.len = 0;
    struct tv_export_result result =
        probe_run(&w, tv_export_of_name(TV_STR("packets")), &all, &bytes);
    assert_int_equal(result.changes[TV_EXPORT_TIMES_CUT], 1);
    read_bytes(&back, &bytes);
    assert_int_equal(back.index.threads[0].first[TV_CLOCK_WALL], late / 4);
    assert_int_equal(back.index.threads[0].last[TV_CLOCK_WALL], INT64_MAX >> 2);
    world_release(&w);
    world_release(&back);
    tv_buffer_release(&bytes);
}

/* A redacted part has no names, no pid and no date, and the same numbers. A part of it has no date
 * either. */
static void test_redacted(void **state)
{
    (void)state;
    static struct world w, back;
    struct tv_error err = {.code = TV_OK};
    struct tv_export_result result;
    const struct tv_redact_opts redact = {.keep = TV_STR("java.")};
    struct tv_export_opts opts = {.redact = &redact};
    struct tv_buffer bytes;
    tv_buffer_init(&bytes, tv_alloc_libc());
    world_any(&w, 3);
    tv_scope_init(&opts.scope, &w.index);
    assert_int_equal(tv_export_run(tv_export_of_name(TV_STR("trace")), &w.index, &opts,
                                   tv_alloc_libc(), NULL, tv_buffer_sink(&bytes), &result, &err),
                     TV_OK);
    read_bytes(&back, &bytes);
    assert_int_equal(back.index.info->start_time_ns, 0);
    assert_int_equal(back.index.info->has_pid, 0);
    assert_int_equal(back.index.call_count, w.index.call_count);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        assert_int_equal(back.index.info->total[clock], w.index.info->total[clock]);
    world_release(&w);
    bytes.len = 0;
    probe_run(&back, tv_export_of_name(TV_STR("trace")), &(struct probe_opts){.from_ns = 3000},
              &bytes);
    read_bytes(&w, &bytes);
    assert_int_equal(w.index.info->start_time_ns, 0);
    world_release(&w);
    world_release(&back);
    tv_buffer_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_odd_traces),
        cmocka_unit_test(test_whole_is_convert),
        cmocka_unit_test(test_findings_of_the_source),
        cmocka_unit_test(test_place_of_a_part),
        cmocka_unit_test(test_calls_left_out),
        cmocka_unit_test(test_late_part),
        cmocka_unit_test(test_axes_joined),
        cmocka_unit_test(test_redacted),
        cmocka_unit_test(test_properties_of_a_part),
        cmocka_unit_test(test_edges_of_threads),
        cmocka_unit_test(test_new_ids),
        cmocka_unit_test(test_late_times),
        cmocka_unit_test(test_calls_without_ends),
        cmocka_unit_test(test_calls_until_last_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
