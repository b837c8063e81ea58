/* Text traces: which clocks, where the records are, how they end. */
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

static void build_small(struct trace_builder *t, struct build_opts opts)
{
    build_text(t, opts);
    enter(t, MAIN, FOO, 10);
    enter(t, WORKER, BAR, 20);
    leave(t, MAIN, FOO, 30);
}

static void expect_small(const struct reading *reading)
{
    expect_ok(reading);
    assert_int_equal(reading->count, 3);
    assert_int_equal(reading->thread[1], WORKER);
    assert_int_equal(reading->key_action[2], FOO | LEAVE);
}

static void expect_clocks(unsigned version, const char *clock, bool has_wall, bool has_cpu)
{
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = version, .clock = clock});
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    assert_int_equal(reading.trace.has_clock[TV_CLOCK_WALL], has_wall);
    assert_int_equal(reading.trace.has_clock[TV_CLOCK_CPU], has_cpu);
    assert_int_equal(reading.trace.has_common_axis, has_wall && version != 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(reading.wall[i], has_wall ? 10 * (i + 1) : 0);
        assert_int_equal(reading.cpu[i], has_cpu ? 10 * (i + 1) : 0);
    }
    reading_release(&reading);
    build_release(&t);
}

static void the_clock_option_says_which_times_there_are(void **state)
{
    (void)state;
    expect_clocks(1, NULL, false, true);
    expect_clocks(1, "thread-cpu", false, true);
    expect_clocks(1, "global", true, false);
    expect_clocks(1, "dual", false, true);
    expect_clocks(2, NULL, false, true);
    expect_clocks(2, "wall", true, false);
    expect_clocks(2, "dual", false, true);
    expect_clocks(3, NULL, false, true);
    expect_clocks(3, "wall", true, false);
    expect_clocks(3, "thread-cpu", false, true);
    expect_clocks(3, "dual", true, true);
}

static void the_two_times_of_version_3_are_cpu_then_wall(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_record(
        &t, (struct build_record){.thread = MAIN, .method = FOO, .cpu = 7, .wall = 0xfffffff0});
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.cpu[0], 7);
    assert_int_equal(reading.wall[0], 0xfffffff0);
    assert_int_equal(reading.offset[0], t.last_off);
    assert_int_equal(reading.trace.start_time_ns, 5000000000);
    reading_release(&reading);
    build_release(&t);
}

static void surplus_bytes_of_a_record_are_skipped(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual", .record_len = 17});
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    reading_release(&reading);
    build_release(&t);
}

static void expect_record_len_refused(unsigned len, const char *words)
{
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tv_store_le16(t.bytes.bytes + t.header_off + 16, (uint16_t)len);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, t.header_off + 16, words);
    reading_release(&reading);
    build_release(&t);
}

static void a_record_size_below_the_fields_or_absurd_is_refused(void **state)
{
    (void)state;
    expect_record_len_refused(13, "record size 13 is below the 14 bytes");
    expect_record_len_refused(65, "record size 65, of which 14 bytes are used");
    expect_record_len_refused(3584, "record size 3584"); /* 14, after one byte was put before it */
    expect_record_len_refused(65535, "record size 65535");
}

static void a_file_that_was_copied_as_text_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    memcpy(t.bytes.bytes + t.header_off + 8, "\xef\xbf\xbd\xef\xbf\xbd\0\0\0\0", 10);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, t.header_off, "copied as UTF-8 text");
    reading_release(&reading);
    build_release(&t);
}

/* Many records of one listed thread, whose words and times have no 0d. One byte that is lost takes
 * all records behind it out of step, and nothing tells which byte it was. */
static void build_many(struct trace_builder *t, unsigned thread)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 200; i++) {
        enter(t, thread, FOO, 64 * i);
        leave(t, thread, FOO, 64 * i + 32);
    }
}

static void records_out_of_step_are_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_many(&t, MAIN);
    size_t lost = t.header_off + 32 + 50 * 14;
    t.bytes.len--;
    memmove(t.bytes.bytes + lost, t.bytes.bytes + lost + 1, t.bytes.len - lost);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, t.header_off, "drops each 0d before a 0a");
    reading_release(&reading);
    build_release(&t);
}

/* Whole records of a thread that the list lacks are in step, and so are those behind a cut. */
static void records_of_unlisted_threads_are_in_step(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_many(&t, 77);
    build_cut(&t, 5);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 399);
    reading_release(&reading);
    build_release(&t);
}

/* Where listed ids are small, as Dalvik's are, the upper half of a time is one for a while. */
static void records_of_an_unlisted_thread_whose_times_look_like_listed_ids_are_in_step(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 200; i++) {
        enter(&t, 77, FOO, (MAIN << 16) + 64 * i);
        leave(&t, 77, FOO, (MAIN << 16) + 64 * i + 32);
    }
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 400);
    reading_release(&reading);
    build_release(&t);
}

/* Two files that were joined: records end where the text section says that they do. */
static void of_joined_files_the_first_is_read(void **state)
{
    (void)state;
    static const char *const second[] = {"*version\n3\n*end\nSLOW", "*version\r\n"};
    for (size_t i = 0; i < 2; i++) {
        struct trace_builder t;
        struct reading reading;
        build_small(&t, (struct build_opts){
                            .version = 3, .clock = "dual", .options = "num-method-calls=3\n"});
        build_str(&t, second[i]);
        read_built(&reading, &t.bytes);
        expect_small(&reading);
        expect_finding(&reading, TV_FINDING_ANOTHER_TRACE, 1, t.last_off);
        expect_only(&reading, TV_FINDING_ANOTHER_TRACE, NO_MORE);
        reading_release(&reading);
        build_release(&t);
    }
}

static void records_begin_at_the_data_offset_or_after_the_fields(void **state)
{
    (void)state;
    static const unsigned offsets[] = {16, 32, 48, 1000};
    for (size_t i = 0; i < 4; i++) {
        struct trace_builder t;
        struct reading reading;
        build_small(&t,
                    (struct build_opts){.version = 2, .clock = "wall", .data_offset = offsets[i]});
        if (!i)
            tv_store_le16(t.bytes.bytes + t.header_off + 6,
                          3); /* inside the header: right after it */
        read_built(&reading, &t.bytes);
        expect_small(&reading);
        reading_release(&reading);
        build_release(&t);
    }
}

static void a_data_offset_past_the_end_leaves_no_records(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tv_store_le16(t.bytes.bytes + t.header_off + 6, 60000);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 0);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, t.header_off);
    reading_release(&reading);
    build_release(&t);
}

static void a_cut_record_is_told_and_what_is_before_is_kept(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_cut(&t, 1);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 2);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, t.last_off);
    expect_only(&reading, TV_FINDING_TRUNCATED_RECORD, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void line_ends_and_zeros_after_the_records_are_trailing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_bytes(&t, "\r\n\0", 3);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_TRAILING_BYTES, 1, t.last_off);
    expect_only(&reading, TV_FINDING_TRAILING_BYTES, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void a_record_that_was_never_written_ends_the_records(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(
        &t, (struct build_opts){.version = 3, .clock = "dual", .options = "num-method-calls=4\n"});
    enter(&t, MAIN, 0xeeeeeeec, 40);
    size_t off = t.last_off;
    leave(&t, MAIN, FOO, 50);
    build_bytes(&t, "abc", 3);
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_TRAILING_BYTES, 1, off);
    expect_finding(&reading, TV_FINDING_MISSING_RECORDS, 1, strlen("*version\n3\nclock=dual\n"));
    expect_only(&reading, TV_FINDING_TRAILING_BYTES, TV_FINDING_MISSING_RECORDS, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void records_behind_a_part_are_not_missing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    const struct tv_read_opts opts = {.is_part = true};
    build_small(
        &t, (struct build_opts){.version = 3, .clock = "dual", .options = "num-method-calls=9\n"});
    read_bytes(&reading, t.bytes.bytes, t.bytes.len, &opts);
    expect_small(&reading);
    expect_only(&reading, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void fewer_records_than_counted_are_missing(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(
        &t, (struct build_opts){.version = 3, .clock = "dual", .options = "num-method-calls=9\n"});
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_MISSING_RECORDS, 6, strlen("*version\n3\nclock=dual\n"));
    reading_release(&reading);
    build_release(&t);
}

static void an_overflow_is_told_at_its_line_with_its_reason(void **state)
{
    static const struct {
        const char *options;
        enum tv_finding_kind kind;
    } cases[] = {{"data-file-overflow=true\n", TV_FINDING_OVERFLOW},
                 {"data-file-overflow=true\nfile-limit=0\n", TV_FINDING_OVERFLOW},
                 {"data-file-overflow=true\nrecording-cut=false\n", TV_FINDING_OVERFLOW},
                 {"data-file-overflow=true\nfile-limit=4096\n", TV_FINDING_SIZE_LIMIT},
                 {"data-file-overflow=true\nrecording-cut=true\nfile-limit=4096\n",
                  TV_FINDING_RECORDING_CUT}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct trace_builder t;
        struct reading reading;
        build_small(
            &t, (struct build_opts){.version = 2, .clock = "wall", .options = cases[i].options});
        read_built(&reading, &t.bytes);
        expect_small(&reading);
        assert_true(reading.trace.is_cut_early);
        expect_finding(&reading, cases[i].kind, 1, strlen("*version\n2\nclock=wall\n"));
        expect_only(&reading, cases[i].kind, NO_MORE);
        reading_release(&reading);
        build_release(&t);
    }
}

static void lost_records_are_told_by_their_number(void **state)
{
    static const struct {
        const char *options;
        uint64_t count, bad_lines;
    } cases[] = {{"records-lost=26796\n", 26796, 0},
                 {"records-lost=0\n", 0, 0},
                 {"records-lost=some\n", 0, 1}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct trace_builder t;
        struct reading reading;
        build_small(
            &t, (struct build_opts){.version = 2, .clock = "wall", .options = cases[i].options});
        read_built(&reading, &t.bytes);
        expect_small(&reading);
        const struct tv_finding *of = reading.trace.findings.of;
        assert_int_equal(of[TV_FINDING_RECORDS_LOST].count, cases[i].count);
        assert_int_equal(of[TV_FINDING_BAD_LINE].count, cases[i].bad_lines);
        if (cases[i].count)
            expect_finding(&reading, TV_FINDING_RECORDS_LOST, cases[i].count,
                           strlen("*version\n2\nclock=wall\n"));
        reading_release(&reading);
        build_release(&t);
    }
}

static void the_data_s_version_is_believed(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .text_version = 2, .clock = "dual"});
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    assert_int_equal(reading.trace.version, 3);
    assert_string_equal(reading.trace.format_name, "v3");
    expect_finding(&reading, TV_FINDING_VERSION_MISMATCH, 1, strlen("*version\n"));
    reading_release(&reading);
    build_release(&t);
}

static void without_an_end_line_the_first_header_is_taken(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual", .end = ""});
    read_built(&reading, &t.bytes);
    expect_small(&reading);
    expect_finding(&reading, TV_FINDING_MISSING_END, 1, t.header_off);
    expect_only(&reading, TV_FINDING_MISSING_END, NO_MORE);
    reading_release(&reading);
    build_release(&t);
}

static void a_text_without_records_is_a_key_file_or_cut(void **state)
{
    (void)state;
    struct reading reading;
    static const char key[] = "*version\n2\n*end\n";
    static const char cut[] = "*version\n3\n*threads\n";
    read_bytes(&reading, key, sizeof(key) - 1, NULL);
    expect_error(&reading, TV_ERR_FORMAT, 16, "key file");
    reading_release(&reading);
    read_bytes(&reading, cut, sizeof(cut) - 1, NULL);
    expect_error(&reading, TV_ERR_FORMAT, sizeof(cut) - 1, "no *end line");
    reading_release(&reading);
}

static void damaged_data_headers_are_refused(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    tv_store_le16(t.bytes.bytes + t.header_off + 4, 4); /* packets do not follow a text section */
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_UNSUPPORTED, t.header_off + 4, "version 4");
    reading_release(&reading);
    t.bytes.bytes[t.header_off] = 'X';
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, t.header_off, "SLOW");
    reading_release(&reading);
    build_release(&t);
}

/* Any prefix that holds the version in the data header opens with its whole records. */
static void any_prefix_opens_with_its_whole_records(void **state)
{
    (void)state;
    struct trace_builder t;
    build_small(&t, (struct build_opts){.version = 3, .clock = "dual"});
    size_t records_off = t.bytes.len - 3 * 14;
    for (size_t len = 0; len <= t.bytes.len; len++) {
        struct reading reading;
        read_bytes(&reading, t.bytes.bytes, len, NULL);
        assert_int_equal(reading.code == TV_OK, len >= t.header_off + 6);
        if (reading.code == TV_OK)
            assert_int_equal(reading.count, len < records_off ? 0 : (len - records_off) / 14);
        bool is_whole = len >= records_off && (len - records_off) % 14 == 0;
        if (is_whole)
            expect_only(&reading, NO_MORE);
        reading_release(&reading);
    }
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_option_says_which_times_there_are),
        cmocka_unit_test(the_two_times_of_version_3_are_cpu_then_wall),
        cmocka_unit_test(surplus_bytes_of_a_record_are_skipped),
        cmocka_unit_test(a_record_size_below_the_fields_or_absurd_is_refused),
        cmocka_unit_test(a_file_that_was_copied_as_text_is_told),
        cmocka_unit_test(records_out_of_step_are_told),
        cmocka_unit_test(records_of_unlisted_threads_are_in_step),
        cmocka_unit_test(
            records_of_an_unlisted_thread_whose_times_look_like_listed_ids_are_in_step),
        cmocka_unit_test(of_joined_files_the_first_is_read),
        cmocka_unit_test(records_begin_at_the_data_offset_or_after_the_fields),
        cmocka_unit_test(a_data_offset_past_the_end_leaves_no_records),
        cmocka_unit_test(a_cut_record_is_told_and_what_is_before_is_kept),
        cmocka_unit_test(line_ends_and_zeros_after_the_records_are_trailing),
        cmocka_unit_test(a_record_that_was_never_written_ends_the_records),
        cmocka_unit_test(records_behind_a_part_are_not_missing),
        cmocka_unit_test(fewer_records_than_counted_are_missing),
        cmocka_unit_test(an_overflow_is_told_at_its_line_with_its_reason),
        cmocka_unit_test(lost_records_are_told_by_their_number),
        cmocka_unit_test(the_data_s_version_is_believed),
        cmocka_unit_test(without_an_end_line_the_first_header_is_taken),
        cmocka_unit_test(a_text_without_records_is_a_key_file_or_cut),
        cmocka_unit_test(damaged_data_headers_are_refused),
        cmocka_unit_test(any_prefix_opens_with_its_whole_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
