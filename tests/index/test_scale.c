/* What a file can make long costs no more than its length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "index/made.h"

#include "index/build/context_tree.h"
#include "index/model.h"
#include "support/failing_alloc.h"

/* Both ways, the same bytes, within a time that nothing quadratic meets. */
static void build_both_ways(struct tv_index *index, struct trace_builder *t, double seconds)
{
    struct tv_index other;
    const struct tv_build_opts plain = {.way = TV_BUILD_SERIAL};
    clock_t from = clock();
    assert_int_equal(build_index(index, &t->bytes, NULL, NULL, tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(build_index(&other, &t->bytes, NULL, &plain, tv_alloc_libc(), NULL), TV_OK);
    double took = (double)(clock() - from) / CLOCKS_PER_SEC;
    if (took > seconds)
        fail_msg("took %.1f s, at most %.1f s are allowed", took, seconds);
    expect_same_block(index, &other, "batches");
    tv_index_release(&other);
    build_release(t);
}

static void very_many_calls_deep(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    const uint32_t depth = 200000; /* what is quadratic takes longer even so */
#else
    const uint32_t depth = 1000000;
#endif
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < depth; i++)
        enter(&t, MAIN, FOO, i);
    for (uint32_t i = 0; i < 10; i++)
        leave(&t, MAIN, FOO, depth + i);
    build_both_ways(&index, &t, 20);
    expect_number("rows", thread_of(&index, MAIN)->max_depth, depth);
    expect_number("nodes", index.node_count, depth);
    expect_number("deepest", index.node_depth[depth - 1], depth - 1);
    expect_number("recursive", index.methods[0].recursive_calls, depth - 1);
    expect_number("inclusive", index.methods[0].inclusive[0], depth + 9);
    expect_number("nodes that are marked at once", tv_context_tree_mark_task_len(&index), depth);
    tv_index_release(&index);
}

/* Each exit grafts a new root, and moves no call. */
static void many_exits_without_enter(void **state)
{
    (void)state;
    const uint32_t count = 50000;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < count; i++) {
        enter(&t, MAIN, BAR, 2 * i);
        leave(&t, MAIN, BAR, 2 * i);
        leave(&t, MAIN, FOO, 2 * i + 1);
    }
    build_both_ways(&index, &t, 10);
    expect_number("began before", thread_of(&index, MAIN)->adopted_depth, count);
    expect_number("rows", thread_of(&index, MAIN)->max_depth, count + 1);
    expect_number("calls", index.call_count, 2 * (uint64_t)count);
    tv_index_release(&index);
}

/* Each is known to be nowhere without looking through the stack. */
static void many_exits_nowhere_on_a_deep_stack(void **state)
{
    (void)state;
    const uint32_t count = 50000;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < count; i++)
        enter(&t, MAIN, FOO, i);
    for (uint32_t i = 0; i < count; i++)
        leave(&t, MAIN, 0x100 + 4 * i, count + i);
    build_both_ways(&index, &t, 10);
    expect_number("dropped", index.info->findings.of[TV_FINDING_EXIT_NOT_ON_STACK].count, count);
    expect_number("unknown", index.info->findings.of[TV_FINDING_UNKNOWN_METHOD].count, count);
    tv_index_release(&index);
}

static void as_many_threads_as_there_are_ids(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .threads = ""});
    for (uint32_t id = 1; id <= 65535; id++)
        enter(&t, id, FOO, id);
    for (uint32_t id = 1; id <= 65535; id++)
        leave(&t, id, FOO, 65535 + id);
    build_both_ways(&index, &t, 10);
    expect_number("threads", index.thread_count, 65535);
    expect_number("unknown", index.info->findings.of[TV_FINDING_UNKNOWN_THREAD].count, 65535);
    for (uint32_t i = 0; i < 65535; i++)
        expect_number("root", index.threads[i].root_total[TV_CLOCK_WALL], 65535);
    tv_index_release(&index);
}

static void one_node_with_many_children(void **state)
{
    (void)state;
    const uint32_t children = 100000;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 0);
    for (uint32_t i = 0; i < 2 * children; i++) {
        uint32_t child = 0x100 + 4 * (i % children);
        enter(&t, MAIN, child, i);
        leave(&t, MAIN, child, i + 1);
    }
    build_both_ways(&index, &t, 10);
    expect_number("nodes", index.node_count, children + 1);
    for (uint32_t node = 1; node <= children; node++) {
        expect_number("calls", tv_index_node_calls(&index, node), 2);
        expect_number("inclusive", tv_index_node_inclusive(&index, TV_CLOCK_WALL, node), 2);
    }
    tv_index_release(&index);
}

/* docs/performance.md, "Budgets": at most 64 n + 64 MiB beyond the n bytes of the file. */
static void memory_is_a_small_multiple_of_the_file(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 3; shape++) {
        struct trace_builder t;
        struct tv_index index;
        struct failing_alloc failing;
        failing_alloc_init(&failing, NEVER_FAIL);
        build_text(&t, (struct build_opts){.version = 1, .clock = "wall", .threads = ""});
        for (uint32_t i = 0; i < 100000; i++) { /* deep; of many threads; adopting */
            unsigned thread = shape == 1 ? 1 + i % 255 : MAIN;
            build_record(&t,
                         (struct build_record){thread, 4 * i, shape == 2 ? LEAVE : ENTER, 0, i});
        }
        assert_int_equal(build_index(&index, &t.bytes, NULL, NULL, &failing.alloc, NULL), TV_OK);
        uint64_t most = 64 * t.bytes.len + (64u << 20);
        if (failing.peak > most)
            fail_msg("shape %u: %llu bytes for a file of %zu", shape,
                     (unsigned long long)failing.peak, t.bytes.len);
        tv_index_release(&index);
        expect_number("live", failing.live, 0);
        build_release(&t);
    }
}

/* A dump in which each byte is an exit, around all before: what would take more is refused. */
static void what_would_take_more_is_refused(void **state)
{
    (void)state;
    const uint32_t count = 1500000;
    const uint8_t head[] = {2, 1, 0, 0, 0, 0x60, 0xe3, 0x16, 0x60, 0xe3, 0x16, 0, 1};
    struct failing_alloc failing;
    struct tv_buffer bytes;
    struct tv_index index;
    struct tv_error err = {.code = TV_OK};
    failing_alloc_init(&failing, NEVER_FAIL);
    uint8_t *exits;
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(tv_buffer_append(&bytes, head, sizeof(head), NULL), TV_OK);
    assert_int_equal(tv_buffer_extend(&bytes, count - 1, &exits, NULL), TV_OK);
    memset(exits, 0, count - 1);
    assert_int_equal(build_index(&index, &bytes, NULL, NULL, &failing.alloc, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "more than 64 times the file"));
    assert_true(failing.peak <= 64 * bytes.len + (72u << 20));
    expect_number("live", failing.live, 0);
    tv_buffer_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(very_many_calls_deep),
        cmocka_unit_test(many_exits_without_enter),
        cmocka_unit_test(many_exits_nowhere_on_a_deep_stack),
        cmocka_unit_test(as_many_threads_as_there_are_ids),
        cmocka_unit_test(one_node_with_many_children),
        cmocka_unit_test(memory_is_a_small_multiple_of_the_file),
        cmocka_unit_test(what_would_take_more_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
