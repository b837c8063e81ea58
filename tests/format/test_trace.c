/* The tables of a trace: what repeats, what counts, and what is left after a failure. */
#include "format/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet_builder.h"
#include "reading.h"
#include "support/colliding_texts.h"
#include "support/trace_builder.h"

#include "base/bytes.h"

static struct tv_str str(const char *text)
{
    return tv_str_from(text);
}

static struct tv_trace *a_trace(struct tv_trace *trace)
{
    tv_trace_init(trace, tv_alloc_libc());
    return trace;
}

static void add_thread(struct tv_trace *trace, uint32_t id, const char *name, uint64_t offset)
{
    assert_int_equal(tv_trace_add_thread(trace, id, str(name), offset, NULL), TV_OK);
}

static void add_method(struct tv_trace *trace, uint64_t id, const char *name, uint64_t offset)
{
    struct tv_trace_method method = {.id = id, .class_name = str("a.B"), .name = str(name)};
    assert_int_equal(tv_trace_add_method(trace, &method, offset, NULL), TV_OK);
}

/* Keys that take turns, as an enemy would choose them. */
static void properties_with_one_hash_are_told_apart(void **state)
{
    static const char *const values[] = {"a", "b", "c", "d", "e", "f"};
    struct tv_trace trace;
    char keys[2][COLLIDING_HEAD];
    (void)state;
    a_trace(&trace);
    for (uint32_t i = 0; i < 6; i++) {
        struct tv_str key = {keys[i % 2], COLLIDING_HEAD};
        colliding_printable_head(keys[i % 2], COLLIDING_HEAD, i % 2);
        assert_int_equal(tv_trace_add_property(&trace, key, str(values[i]), NULL), TV_OK);
    }
    assert_int_equal(trace.property_count, 2);
    expect_str(trace.properties[0].value, "e");
    expect_str(trace.properties[1].value, "f");
    tv_trace_release(&trace);
}

static void the_last_value_of_a_repeated_property_wins(void **state)
{
    (void)state;
    struct tv_trace trace;
    a_trace(&trace);
    assert_int_equal(tv_trace_add_property(&trace, str("vm"), str("dalvik"), NULL), TV_OK);
    assert_int_equal(tv_trace_add_property(&trace, str("pid"), str("1"), NULL), TV_OK);
    assert_int_equal(tv_trace_add_property(&trace, str("vm"), str("art"), NULL), TV_OK);
    assert_int_equal(trace.property_count, 2);
    expect_str(trace.properties[0].key, "vm");
    expect_str(trace.properties[0].value, "art");
    tv_trace_release(&trace);
}

static void an_identical_thread_line_is_no_duplicate(void **state)
{
    (void)state;
    struct tv_trace trace;
    a_trace(&trace);
    add_thread(&trace, 7, "main", 10);
    add_thread(&trace, 7, "main", 20);
    assert_int_equal(trace.thread_count, 1);
    assert_int_equal(trace.findings.of[TV_FINDING_DUPLICATE_THREAD].count, 0);
    tv_trace_release(&trace);
}

static void a_thread_named_three_ways_counts_once_and_keeps_the_last(void **state)
{
    (void)state;
    struct tv_trace trace;
    a_trace(&trace);
    add_thread(&trace, 7, "a", 10);
    add_thread(&trace, 8, "x", 15);
    add_thread(&trace, 7, "b", 20);
    add_thread(&trace, 7, "c", 30);
    add_thread(&trace, 8, "y", 40);
    assert_int_equal(trace.thread_count, 2);
    expect_str(trace.threads[0].name, "c");
    assert_int_equal(trace.findings.of[TV_FINDING_DUPLICATE_THREAD].count, 2);
    assert_int_equal(trace.findings.of[TV_FINDING_DUPLICATE_THREAD].offset, 20);
    tv_trace_release(&trace);
}

static void a_method_described_twice_keeps_its_place_and_the_later_words(void **state)
{
    (void)state;
    struct tv_trace trace;
    a_trace(&trace);
    add_method(&trace, FOO, "foo", 1);
    add_method(&trace, BAR, "bar", 2);
    add_method(&trace, FOO, "foo", 3);
    add_method(&trace, FOO, "other", 4);
    add_method(&trace, FOO, "third", 5);
    assert_int_equal(trace.method_count, 2);
    expect_str(trace.methods[0].name, "third");
    assert_int_equal(trace.findings.of[TV_FINDING_DUPLICATE_METHOD].count, 1);
    assert_int_equal(trace.findings.of[TV_FINDING_DUPLICATE_METHOD].offset, 4);
    assert_int_equal(tv_map_get(&trace.method_of_id, BAR), 1);
    tv_trace_release(&trace);
}

static enum tv_code rename_to_other(void *ctx, struct tv_trace_method *method,
                                    struct tv_findings *findings, struct tv_error *err)
{
    (void)ctx;
    (void)findings;
    (void)err;
    method->name = str("other");
    return TV_OK;
}

/* Some have names that are short ones of the build, too: these would become others. */
static void names_of_the_source_are_renamed_by_force_alone(void **state)
{
    struct tv_trace trace;
    (void)state;
    a_trace(&trace);
    trace.opts.renaming = (struct tv_renaming_opts){.rename = rename_to_other};
    add_method(&trace, FOO, "foo", 1);
    add_method(&trace, BAR, "foo | bar", 2);
    assert_int_equal(tv_trace_add_property(&trace, str("method-names"), str("source"), NULL),
                     TV_OK);
    assert_int_equal(tv_trace_rename_methods(&trace, NULL), TV_OK);
    expect_str(trace.methods[0].name, "foo");
    assert_int_equal(trace.findings.of[TV_FINDING_AMBIGUOUS_NAME].count, 1);
    trace.opts.renaming.is_forced = true;
    assert_int_equal(tv_trace_rename_methods(&trace, NULL), TV_OK);
    expect_str(trace.methods[0].name, "other");
    tv_trace_release(&trace);
}

/* No file gives a name to calls of which nobody knows the method. */
static void a_line_with_the_id_of_the_unknown_method_is_left_out(void **state)
{
    (void)state;
    struct tv_trace trace;
    tv_trace_init(&trace, tv_alloc_libc());
    add_method(&trace, UINT64_MAX - 1, "last", 1);
    add_method(&trace, UINT64_MAX, "none", 2);
    assert_int_equal(trace.method_count, 1);
    assert_int_equal(tv_map_get(&trace.method_of_id, TV_METHOD_ID_UNKNOWN), TV_MAP_NONE);
    assert_int_equal(trace.findings.of[TV_FINDING_BAD_LINE].count, 1);
    assert_int_equal(trace.findings.of[TV_FINDING_BAD_LINE].offset, 2);
    tv_trace_release(&trace);
}

static void a_failed_open_leaves_an_empty_trace(void **state)
{
    (void)state;
    struct tv_trace trace;
    struct tv_error err;
    static const uint8_t bytes[] = "*version\n3\nvm=art\n*threads\n1\tmain\n*end\n";
    a_trace(&trace);
    assert_int_equal(tv_trace_open(&trace, bytes, sizeof(bytes) - 1, NULL, &err), TV_ERR_FORMAT);
    assert_null(trace.format);
    assert_null(trace.properties);
    assert_int_equal(trace.thread_count, 0);
    tv_trace_release(&trace);
}

static void batches_of_any_length_give_the_same_records(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 50; i++)
        enter(&t, MAIN, FOO, i);
    for (size_t batch_len = 1; batch_len < 60; batch_len += 7) {
        struct reading reading;
        read_bytes(&reading, t.bytes.bytes, t.bytes.len,
                   &(struct tv_read_opts){.batch_len = batch_len});
        expect_ok(&reading);
        assert_int_equal(reading.count, 50);
        for (uint32_t i = 0; i < 50; i++)
            assert_int_equal(reading.wall[i], i);
        reading_release(&reading);
    }
    build_release(&t);
}

/* Fails the n-th request for memory, and all after it. */
struct failing {
    struct tv_alloc alloc;
    size_t left;
};

static void *failing_resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct failing *failing = ctx;
    const struct tv_alloc *libc = tv_alloc_libc();
    if (new_len > old_len) {
        if (!failing->left)
            return NULL;
        failing->left--;
    }
    return libc->resize(libc->ctx, block, old_len, new_len);
}

static enum tv_code read_with(const struct failing *failing, const struct tv_buffer *bytes)
{
    struct tv_trace trace;
    struct tv_batch batch;
    struct tv_error err = {.code = TV_OK};
    tv_trace_init(&trace, &failing->alloc);
    enum tv_code code = tv_trace_open(&trace, bytes->bytes, bytes->len, NULL, &err);
    while (code == TV_OK) {
        code = tv_trace_next(&trace, &batch, &err);
        if (code == TV_OK && !batch.count)
            break;
    }
    assert_int_equal(code, err.code);
    tv_trace_release(&trace);
    return code;
}

static void fail_each_allocation(const struct tv_buffer *bytes)
{
    enum tv_code code = TV_ERR_MEMORY;
    for (size_t n = 0; code != TV_OK && n < 1000; n++) {
        struct failing failing = {.alloc = {.resize = failing_resize, .ctx = &failing}, .left = n};
        code = read_with(&failing, bytes);
        if (code != TV_OK)
            assert_int_equal(code, TV_ERR_MEMORY);
    }
    assert_int_equal(code, TV_OK);
}

static void any_failed_allocation_of_a_text_trace_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 1);
    fail_each_allocation(&t.bytes);
    build_release(&t);
}

static void any_failed_allocation_of_a_stream_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    build_stream(&t, (struct build_opts){.version = 2, .clock = "wall"});
    tell_thread(&t, MAIN, "main");
    tell_method(&t, "0x4\ta.B\tfoo\n");
    enter(&t, MAIN, FOO, 1);
    tell_summary(&t);
    fail_each_allocation(&t.bytes);
    build_release(&t);
}

/* Whatever a byte becomes, reading ends, with an error or with fewer records than bytes. */
static void read_with_each_byte_changed(struct tv_buffer *bytes)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x0a};
    for (size_t i = 0; i < bytes->len * sizeof(masks); i++) {
        struct reading reading;
        uint8_t *byte = &bytes->bytes[i / sizeof(masks)];
        uint8_t before = *byte;
        *byte ^= masks[i % sizeof(masks)];
        read_built(&reading, bytes);
        assert_true(reading.count <= bytes->len);
        reading_release(&reading);
        *byte = before;
    }
}

static void any_byte_may_be_changed(void **state)
{
    (void)state;
    struct trace_builder t;
    struct block_builder block = {.len = 0};
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 1);
    leave(&t, MAIN, FOO, 2);
    read_with_each_byte_changed(&t.bytes);
    build_release(&t);
    build_stream(&t, (struct build_opts){.version = 2, .clock = "wall"});
    tell_thread(&t, MAIN, "main");
    enter(&t, MAIN, FOO, 1);
    tell_summary(&t);
    read_with_each_byte_changed(&t.bytes);
    build_release(&t);
    build_packets(&t, 5, 0);
    packet_tables(&t);
    add_dual(&block, FOO_ADDRESS, 10, 10);
    add_dual(&block, FOO_ADDRESS | LEAVE, 20, 20);
    packet_block(&t, TID, &block);
    packet_summary(&t, 5, "clock=dual\n");
    read_with_each_byte_changed(&t.bytes);
    build_release(&t);
}

static void any_failed_allocation_of_packets_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct block_builder block = {.len = 0};
    build_packets(&t, 4, 1000);
    packet_tables(&t);
    add_ticks(&block, 1, ENTER, FOO_ADDRESS);
    add_ticks(&block, 2, LEAVE, 0);
    add_ticks(&block, 3, LEAVE, 0);
    packet_block(&t, TID, &block);
    packet_summary(&t, 4, "clock=wall\n");
    fail_each_allocation(&t.bytes);
    build_release(&t);
}

/* All records of a trace that is longer than one stretch, once each. */
static void records_are_taken_in_stretches(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_fixed_part part;
    const uint8_t *stop;
    const unsigned count = 2 * (unsigned)TV_FIXED_STRETCH + 3;
    build_text(&t, (struct build_opts){.version = 3, .clock = "wall"});
    for (unsigned i = 0; i < count; i++)
        enter(&t, MAIN, FOO, i);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(tv_fixed_open(&part, &trace, 1, count, NULL), TV_OK);
    for (uint32_t next = 1; next < count;) {
        const uint8_t *at = tv_fixed_take(&part, &stop);
        assert_non_null(at);
        assert_int_equal((stop - at) % trace.fixed.len, 0);
        for (; at < stop; at += trace.fixed.len)
            assert_int_equal(tv_load_le32(at + trace.fixed.time_at[TV_CLOCK_WALL]), next++);
        assert_int_equal(part.first, next);
    }
    tv_fixed_close(&part);
    tv_trace_release(&trace);
    build_release(&t);
}

/* Damage at the end is likely to come of that, so it is told before what is wrong. */
static void packed_data_that_ended_early_is_named_first(void **state)
{
    static const uint8_t bytes[] = "*version\n3\n";
    const struct tv_read_opts opts = {.is_packed_cut = true};
    struct tv_error err = {.code = TV_OK};
    struct tv_trace trace;
    (void)state;
    a_trace(&trace);
    assert_int_not_equal(tv_trace_open(&trace, bytes, sizeof(bytes) - 1, &opts, &err), TV_OK);
    assert_memory_equal(err.text, "the packed data ends early: ", 28);
    assert_int_equal(err.offset, TV_NO_OFFSET);
    tv_trace_release(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_data_that_ended_early_is_named_first),
        cmocka_unit_test(the_last_value_of_a_repeated_property_wins),
        cmocka_unit_test(properties_with_one_hash_are_told_apart),
        cmocka_unit_test(an_identical_thread_line_is_no_duplicate),
        cmocka_unit_test(a_thread_named_three_ways_counts_once_and_keeps_the_last),
        cmocka_unit_test(a_method_described_twice_keeps_its_place_and_the_later_words),
        cmocka_unit_test(a_line_with_the_id_of_the_unknown_method_is_left_out),
        cmocka_unit_test(names_of_the_source_are_renamed_by_force_alone),
        cmocka_unit_test(a_failed_open_leaves_an_empty_trace),
        cmocka_unit_test(batches_of_any_length_give_the_same_records),
        cmocka_unit_test(any_failed_allocation_of_a_text_trace_is_told),
        cmocka_unit_test(any_failed_allocation_of_a_stream_is_told),
        cmocka_unit_test(any_failed_allocation_of_packets_is_told),
        cmocka_unit_test(any_byte_may_be_changed),
        cmocka_unit_test(records_are_taken_in_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
