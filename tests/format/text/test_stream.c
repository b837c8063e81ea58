/* Streams: packets between records, the summary, the record size that lies, and any cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/reading.h"
#include "support/trace_builder.h"

#define NO_MORE TV_FINDING_KIND_COUNT
#define FOO_LINE "0x4\ta.B\tfoo\t()V\tB.java\n"

/* Told and recorded as Android 6 to 13 do it, without the summary. */
static void build_small(struct trace_builder *t, struct build_opts opts)
{
    build_stream(t, opts);
    tell_method(t, FOO_LINE);
    tell_thread(t, MAIN, "main");
    enter(t, MAIN, FOO, 10);
    tell_thread(t, WORKER, "worker");
    enter(t, WORKER, FOO, 20);
    leave(t, MAIN, FOO, 30);
}

static void expect_small(const struct reading *reading)
{
    expect_ok(reading);
    assert_int_equal(reading->count, 3);
    assert_int_equal(reading->thread[1], WORKER);
    assert_int_equal(reading->key_action[2], FOO | LEAVE);
    assert_int_equal(reading->wall[2], 30);
    expect_str(reading->trace.methods[0].name, "foo");
    expect_str(reading->trace.threads[1].name, "worker");
}

static void packets_and_summary_make_one_table(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3,
                                        .clock = "dual",
                                        .options = "pid=9\n",
                                        .threads = "1\tmain\n7\tlate\n",
                                        .methods = "0x8\ta.B\tbar\n"});
    tell_summary(&t);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    assert_string_equal(reading.trace.format_name, "stream3");
    assert_true(reading.trace.is_streaming);
    assert_int_equal(reading.trace.thread_count, 3);
    assert_int_equal(reading.trace.method_count, 2);
    assert_int_equal(reading.trace.pid, 9);
    assert_int_equal(reading.trace.expected_records, 3);
    expect_only(&reading, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void empty_lists_of_a_summary_erase_nothing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t,
                (struct build_opts){.version = 3, .clock = "dual", .threads = "", .methods = ""});
    tell_summary(&t);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_only(&reading, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void without_a_summary_the_clock_follows_the_version(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        struct trace_builder t;
        struct reading reading;
        build_small(&t, (struct build_opts){.version = version});
        read_built(&reading, &t.bytes);
        expect_small(&reading);
        assert_int_equal(reading.trace.has_clock[TV_CLOCK_CPU], version == 3);
        assert_int_equal(reading.cpu[2], version == 3 ? 30 : 0);
        expect_finding(&reading, TV_FINDING_NO_SUMMARY, 1, t.bytes.len);
        expect_only(&reading, TV_FINDING_NO_SUMMARY, NO_MORE);
        reading_release(&reading);
        build_release(&t);
    }
}

static void a_side_file_stands_in_for_the_summary(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 2, .clock = "thread-cpu"});
    struct tv_read_opts opts = {.side_text = TV_STR("*version\n2\nclock=thread-cpu\nbad\n*end\n")};
    read_bytes(&reading, t.bytes.bytes, t.bytes.len, &opts);
    expect_ok(&reading);
    assert_int_equal(reading.cpu[2], 30);
    assert_int_equal(reading.wall[2], 0);
    expect_finding(&reading, TV_FINDING_BAD_LINE, 1, TV_NO_OFFSET);
    expect_only(&reading, TV_FINDING_BAD_LINE, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void records_wider_than_the_header_says_are_found(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 2, .clock = "wall", .record_len = 14});
    tell_summary(&t);
    tv_store_le16(t.bytes.bytes + 16, 10); /* what Android 6 to 13 say */
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_only(&reading, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void records_of_a_header_that_says_14_may_be_10(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 2, .clock = "wall"});
    tell_summary(&t);
    tv_store_le16(t.bytes.bytes + 16, 14);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    reading_release(&reading);
    build_release(&t);
}

static void record_sizes_below_the_fields_or_absurd_are_refused(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3});
    tv_store_le16(t.bytes.bytes + 16, 0);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, 16, "record size 0");
    reading_release(&reading);
    tv_store_le16(t.bytes.bytes + 16, 13);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, 16, "record size 13");
    reading_release(&reading);
    tv_store_le16(t.bytes.bytes + 16, 65);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, 16, "record size 65");
    reading_release(&reading);
    build_release(&t);
}

static void bytes_after_the_summary_are_trailing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tell_summary(&t);
    build_str(&t, "anything");
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_TRAILING_BYTES, 1, t.last_off);
    reading_release(&reading);
    memcpy(t.bytes.bytes + t.last_off, "SLOWthin", 8);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_ANOTHER_TRACE, 1, t.last_off);
    reading_release(&reading);
    build_release(&t);
}

static void an_unknown_opcode_ends_the_stream(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_bytes(&t, "\0\0\11", 3);
    size_t off = t.last_off;
    enter(&t, MAIN, FOO, 40);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, off);
    expect_only(&reading, TV_FINDING_TRUNCATED_RECORD, TV_FINDING_NO_SUMMARY, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void a_summary_of_another_version_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .text_version = 2, .clock = "dual"});
    tell_summary(&t);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_VERSION_MISMATCH, 1, t.last_off + 7 + strlen("*version\n"));
    reading_release(&reading);
    build_release(&t);
}

static void a_method_packet_that_is_none_is_a_bad_line(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tell_method(&t, "nonsense\n");
    size_t off = t.last_off;
    tell_summary(&t);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_BAD_LINE, 1, off);
    reading_release(&reading);
    build_release(&t);
}

/* Every prefix that holds the version opens; the records in it are the records of the whole file.
 */
static void any_prefix_opens(void **state)
{
    (void)state;
    struct trace_builder t;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tell_summary(&t);
    size_t before = 0;
    for (size_t len = 6; len <= t.bytes.len; len++) {
        struct reading reading;
        read_bytes(&reading, t.bytes.bytes, len, NULL);
        expect_ok(&reading);
        assert_true(reading.count == before || reading.count == before + 1);
        before = reading.count;
        bool is_cut = reading.trace.findings.of[TV_FINDING_TRUNCATED_RECORD].count > 0;
        bool has_summary = !reading.trace.findings.of[TV_FINDING_NO_SUMMARY].count;
        assert_true(has_summary <= (len > t.last_off + 7 + strlen("*version\n")));
        assert_true(len < t.bytes.len || (has_summary && !is_cut));
        reading_release(&reading);
    }
    assert_int_equal(before, 3);
    build_release(&t);
}

/* A stream that was never finished, and whose bytes by chance look as if their line ends were
 * changed, opens when every record of it does: a program that was killed left it so. */
static void chance_is_no_copy_as_text(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_stream(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tell_method(&t, FOO_LINE);
    tell_thread(&t, MAIN, "main");
    /* Times have many bytes around 0d, and none that is 0d. */
    static const uint32_t around[] = {0x0b, 0x0c, 0x0e, 0x0f};
    for (uint32_t i = 0; i < 200; i++)
        (i % 2 ? leave : enter)(&t, MAIN, FOO, ((0x110 + i / 4) << 8) + around[i % 4]);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 200);
    expect_finding(&reading, TV_FINDING_NO_SUMMARY, 1, t.bytes.len);
    reading_release(&reading);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_and_summary_make_one_table),
        cmocka_unit_test(empty_lists_of_a_summary_erase_nothing),
        cmocka_unit_test(without_a_summary_the_clock_follows_the_version),
        cmocka_unit_test(a_side_file_stands_in_for_the_summary),
        cmocka_unit_test(records_wider_than_the_header_says_are_found),
        cmocka_unit_test(records_of_a_header_that_says_14_may_be_10),
        cmocka_unit_test(record_sizes_below_the_fields_or_absurd_are_refused),
        cmocka_unit_test(bytes_after_the_summary_are_trailing),
        cmocka_unit_test(an_unknown_opcode_ends_the_stream),
        cmocka_unit_test(a_summary_of_another_version_is_told),
        cmocka_unit_test(a_method_packet_that_is_none_is_a_bad_line),
        cmocka_unit_test(any_prefix_opens),
        cmocka_unit_test(chance_is_no_copy_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
