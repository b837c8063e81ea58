/* A trace that is composed is read back as it was said, in every version; nothing leaks, whichever
 * allocation fails. */
#include "format/write/compose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "format/reading.h"
#include "support/failing_alloc.h"

static const struct tv_compose_facts facts = {.has_clock = {true, true},
                                              .start_time_ns = 5000000,
                                              .has_elapsed = true,
                                              .elapsed_ns = 90000,
                                              .is_cut_early = true,
                                              .has_pid = true,
                                              .pid = 77,
                                              .vm = {"art", 3},
                                              .records = 4};

static const struct tv_compose_record records[] = {
    {.thread = 0, .method = 1, .action = TV_ACTION_ENTER, .time = {10, 1}},
    {.thread = 1, .method = 0, .action = TV_ACTION_ENTER, .time = {20, 2}},
    {.thread = 1, .method = 0, .action = TV_ACTION_EXIT, .time = {30, 3}},
    {.thread = 0, .method = 1, .action = TV_ACTION_EXIT, .time = {40, 4}},
};

static enum tv_code put_all(struct tv_composer *composer, uint64_t method_id, uint32_t thread_id,
                            struct tv_write_result *result, struct tv_error *err)
{
    const struct tv_trace_method described = {
        .id = method_id, .class_name = TV_STR("a.B"), .name = TV_STR("run"), .line = 7};
    const struct tv_trace_method undescribed = {.id = 0x20};
    TV_TRY(tv_composer_add_method(composer, &described, true, err));
    TV_TRY(tv_composer_add_method(composer, &undescribed, false, err));
    TV_TRY(tv_composer_add_thread(composer, thread_id, TV_STR("main"), err));
    TV_TRY(tv_composer_add_thread(composer, 9, TV_STR("worker"), err));
    TV_TRY(tv_composer_add_property(composer, TV_STR("made-by"), TV_STR("a test"), err));
    TV_TRY(tv_composer_begin(composer, &facts, err));
    for (size_t i = 0; i < TV_COUNT_OF(records); i++)
        TV_TRY(tv_composer_put(composer, &records[i], err));
    return tv_composer_end(composer, result, err);
}

static enum tv_code compose(const struct tv_alloc *alloc, const char *as, uint64_t method_id,
                            uint32_t thread_id, struct tv_buffer *out,
                            struct tv_write_result *result, struct tv_error *err)
{
    struct tv_composer *composer = NULL;
    enum tv_code code =
        tv_composer_make(&composer, alloc, tv_str_from(as), tv_buffer_sink(out), err);
    if (code == TV_OK)
        code = put_all(composer, method_id, thread_id, result, err);
    tv_composer_free(&composer);
    return code;
}

static void check_version(const char *as, uint64_t unit)
{
    struct tv_buffer bytes;
    struct tv_write_result result;
    struct tv_error err = {.code = TV_OK};
    struct reading reading;
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(compose(tv_alloc_libc(), as, 0x10, 3, &bytes, &result, &err), TV_OK);
    read_built(&reading, &bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, TV_COUNT_OF(records));
    for (size_t i = 0; i < reading.count; i++) {
        uint64_t id = tv_trace_id_of_key(&reading.trace, reading.key_action[i] & ~3u);
        assert_int_equal(reading.thread[i], records[i].thread ? 9 : 3);
        assert_int_equal(id, records[i].method ? 0x20 : 0x10);
        assert_int_equal(reading.key_action[i] & 3u, records[i].action);
        assert_int_equal(reading.wall[i], records[i].time[TV_CLOCK_WALL]);
        assert_int_equal(reading.cpu[i], records[i].time[TV_CLOCK_CPU]);
    }
    assert_int_equal(reading.trace.unit_ns, unit);
    assert_int_equal(reading.trace.start_time_ns, 5000000);
    assert_int_equal(reading.trace.elapsed_ns, 90000);
    assert_true(reading.trace.is_cut_early);
    assert_int_equal(reading.trace.pid, 77);
    expect_str(reading.trace.vm, "art");
    assert_int_equal(reading.trace.method_count, 1);
    expect_str(reading.trace.methods[0].name, "run");
    expect_str(reading.trace.threads[1].name, "worker");
    reading_release(&reading);
    tv_buffer_release(&bytes);
}

static void test_versions(void **state)
{
    (void)state;
    check_version("v3", 1000);
    check_version("stream", 1000);
    check_version("packets", 1);
    check_version("packets-d", 1);
}

/* An address does not fit v3, nor does a thread beyond 65,535. */
static void test_new_ids(void **state)
{
    (void)state;
    struct tv_buffer bytes;
    struct tv_write_result result;
    struct tv_error err = {.code = TV_OK};
    struct reading reading;
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(
        compose(tv_alloc_libc(), "v3", UINT64_C(0x7f0012345678), 70000, &bytes, &result, &err),
        TV_OK);
    assert_int_equal(result.changes[TV_WRITE_METHODS_NUMBERED], 2);
    assert_int_equal(result.changes[TV_WRITE_THREADS_NUMBERED], 2);
    read_built(&reading, &bytes);
    expect_ok(&reading);
    assert_int_equal(reading.thread[0], 1);
    assert_int_equal(reading.thread[1], 2);
    assert_int_equal(reading.key_action[1], reading.trace.methods[0].id);
    assert_int_not_equal(reading.key_action[0], reading.key_action[1]);
    reading_release(&reading);
    bytes.len = 0;
    assert_int_equal(compose(tv_alloc_libc(), "v9", 4, 1, &bytes, &result, &err), TV_ERR_ARGUMENT);
    tv_buffer_release(&bytes);
}

/* Threads, each of which has an enter, another and an exit, all in the order of time. */
static void put_in_turns(struct tv_composer *composer, uint32_t threads)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_write_result result;
    struct tv_compose_facts many = facts;
    const struct tv_trace_method method = {.id = 0x10, .name = TV_STR("run")};
    const enum tv_action actions[] = {TV_ACTION_ENTER, TV_ACTION_ENTER, TV_ACTION_EXIT};
    many.records = 3 * (uint64_t)threads;
    many.is_by_thread = true;
    assert_int_equal(tv_composer_add_method(composer, &method, true, &err), TV_OK);
    for (uint32_t i = 0; i < threads; i++)
        assert_int_equal(tv_composer_add_thread(composer, i + 1, TV_STR("t"), &err), TV_OK);
    assert_int_equal(tv_composer_begin(composer, &many, &err), TV_OK);
    for (uint32_t i = 0; i < 3 * threads; i++) {
        const struct tv_compose_record record = {
            .thread = i % threads, .action = actions[i / threads], .time = {i, i / 2}};
        assert_int_equal(tv_composer_put(composer, &record, &err), TV_OK);
    }
    assert_int_equal(tv_composer_end(composer, &result, &err), TV_OK);
}

static void compose_in_turns(const char *as, uint32_t threads, struct reading *reading)
{
    struct tv_buffer bytes;
    struct tv_composer *composer = NULL;
    struct tv_error err = {.code = TV_OK};
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(
        tv_composer_make(&composer, tv_alloc_libc(), tv_str_from(as), tv_buffer_sink(&bytes), &err),
        TV_OK);
    put_in_turns(composer, threads);
    tv_composer_free(&composer);
    read_built(reading, &bytes);
    expect_ok(reading);
    assert_int_equal(reading->count, 3 * threads);
    tv_buffer_release(&bytes);
}

static void records_of_a_thread_stand_together_in_their_order(void **state)
{
    const char *const versions[] = {"packets", "packets-d"};
    (void)state;
    for (size_t version = 0; version < TV_COUNT_OF(versions); version++) {
        struct reading reading;
        compose_in_turns(versions[version], 5, &reading);
        for (uint32_t i = 0; i < 15; i++) {
            uint32_t put = i % 3 * 5 + i / 3;
            assert_int_equal(reading.thread[i], i / 3 + 1);
            assert_int_equal(reading.wall[i], put);
            assert_int_equal(reading.cpu[i], put / 2);
            assert_int_equal(reading.key_action[i] & 3u,
                             i % 3 == 2 ? TV_ACTION_EXIT : TV_ACTION_ENTER);
        }
        reading_release(&reading);
    }
}

/* More threads than the writer can hold back. */
static void records_of_many_threads_are_all_there(void **state)
{
    enum { THREADS = 1200 };
    static uint32_t seen[THREADS];
    static struct reading reading;
    (void)state;
    compose_in_turns("packets", THREADS, &reading);
    for (size_t i = 0; i < reading.count; i++) {
        uint32_t *of_thread = &seen[reading.thread[i] - 1];
        assert_int_equal(reading.wall[i], *of_thread * THREADS + reading.thread[i] - 1);
        (*of_thread)++;
    }
    reading_release(&reading);
}

static enum tv_code compose_packets(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_write_result result;
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer bytes;
    (void)ctx;
    tv_buffer_init(&bytes, alloc);
    enum tv_code code = compose(alloc, "packets", 0x10, 3, &bytes, &result, &err);
    tv_buffer_release(&bytes);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    (void)failing_alloc_each(compose_packets, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_new_ids),
        cmocka_unit_test(records_of_a_thread_stand_together_in_their_order),
        cmocka_unit_test(records_of_many_threads_are_all_there),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
