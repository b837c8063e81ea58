/* Low-overhead dumps: told by their grammar, raw and as base64, with times and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes/base64.h"
#include "format/packet_builder.h"
#include "format/reading.h"

static void describe_methods(struct trace_builder *t)
{
    packet_method(t, FOO_ADDRESS, "a.B\tfoo\t()V\tB.java\n");
    packet_method(t, BAR_ADDRESS, "a.B\tbar\t()V\tB.java\n");
}

static void begin(struct trace_builder *t)
{
    *t = (struct trace_builder){.header_off = 0};
    tv_buffer_init(&t->bytes, tv_alloc_libc());
}

static void build_long(struct trace_builder *t)
{
    struct block_builder block = {.len = 0};
    begin(t);
    add_long(&block, 1000000, FOO_ADDRESS);
    add_long(&block, 2000000, BAR_ADDRESS);
    add_long(&block, 400000000, 0);
    add_long(&block, 500000000, 0);
    add_long(&block, 600000000, 0);
    packet_block(t, TID, &block);
    packet_block(t, 7, &(struct block_builder){.len = 0});
    describe_methods(t);
}

static uint64_t id_at(const struct reading *reading, size_t i)
{
    return tv_trace_id_of_key(&reading->trace, reading->key_action[i]);
}

static void expect_long(const struct reading *reading)
{
    expect_ok(reading);
    assert_string_equal(reading->trace.format_name, "low-overhead");
    assert_int_equal(reading->count, 5);
    assert_int_equal(reading->trace.start_time_ns, 1000000);
    assert_int_equal(reading->wall[0], 0);
    assert_int_equal(reading->wall[4], 599000000);
    assert_int_equal(id_at(reading, 2), BAR_ADDRESS);
    assert_int_equal(id_at(reading, 3), FOO_ADDRESS);
    assert_true(id_at(reading, 4) == TV_METHOD_ID_UNKNOWN);
}

static void long_running_methods_begin_at_zero(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_long(&t);
    read_built(&reading, &t.bytes);
    expect_long(&reading);
    expect_only(&reading, TV_FINDING_KIND_COUNT);
    reading_release(&reading);
    build_release(&t);
}

static size_t encode_base64(const struct tv_buffer *bytes, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0;
    for (size_t i = 0; i < bytes->len; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < bytes->len ? bytes->bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            text[len++] = i + k > bytes->len ? '=' : digits[bits >> (18 - 6 * k) & 63];
        if (i % 30 == 0)
            text[len++] = '\n';
    }
    return len;
}

static void base64_with_line_breaks_is_the_same(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    char text[1024];
    build_long(&t);
    read_bytes(&reading, text, encode_base64(&t.bytes, text), NULL);
    expect_long(&reading);
    reading_release(&reading);
    build_release(&t);
}

static void base64_of_something_else_is_refused(void **state)
{
    (void)state;
    struct reading reading;
    static const char text[] = "AgAgAgAgAgAgAgAg";
    read_bytes(&reading, text, sizeof(text) - 1, NULL);
    expect_error(&reading, TV_ERR_FORMAT, 0, "base64");
    reading_release(&reading);
}

static void a_dump_that_is_cut_after_its_blocks_opens(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    build_long(&t);
    build_cut(&t, 5);
    read_built(&reading, &t.bytes);
    expect_long(&reading);
    expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1, t.last_off);
    reading_release(&reading);
    build_release(&t);
}

static enum tv_code read_one_packet(const char *thread, const char *method)
{
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    if (thread)
        packet_thread(&t, TID, thread);
    else
        packet_method(&t, FOO_ADDRESS, method);
    read_built(&reading, &t.bytes);
    enum tv_code code = reading.code;
    reading_release(&reading);
    build_release(&t);
    return code;
}

/* Without a block, a line with columns is the proof of a dump. */
static void method_with_columns_proves_a_dump(void **state)
{
    (void)state;
    assert_int_equal(read_one_packet(NULL, "a.B\tfoo\t()V\tB.java\n"), TV_OK);
    assert_int_equal(read_one_packet(NULL, "a.B\t\n"), TV_OK);
    assert_int_equal(read_one_packet(NULL, "a.B foo\n"), TV_ERR_FORMAT);
    assert_int_equal(read_one_packet(NULL, "\n"), TV_ERR_FORMAT);
    assert_int_equal(read_one_packet("a.B\tfoo", NULL), TV_ERR_FORMAT);
    assert_int_equal(read_one_packet("main", NULL), TV_ERR_FORMAT);
}

/* Lines and zeros, as a buffer or an editor leaves them, are told from a packet that is cut. */
static void blanks_behind_a_dump_are_no_cut_packet(void **state)
{
    static const struct {
        char bytes[4];
        enum tv_finding_kind kind;
    } cases[] = {{{'\n', '\r', 0, '\n'}, TV_FINDING_TRAILING_BYTES},
                 {{'\n', '\n', '\n', 'x'}, TV_FINDING_KIND_COUNT},
                 {{0, 0, 0, 0}, TV_FINDING_TRAILING_BYTES},
                 {{0, 0, 0, 7}, TV_FINDING_TRUNCATED_RECORD}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct trace_builder t;
        struct reading reading;
        build_long(&t);
        size_t end = t.bytes.len;
        build_bytes(&t, cases[i].bytes, sizeof(cases[i].bytes));
        read_built(&reading, &t.bytes);
        if (cases[i].kind == TV_FINDING_KIND_COUNT) {
            assert_int_equal(reading.code, TV_ERR_FORMAT);
        } else {
            expect_long(&reading);
            expect_finding(&reading, cases[i].kind, 1, end);
        }
        reading_release(&reading);
        build_release(&t);
    }
}

/* A dump that ends inside its first block; its count and length say `count` and `claimed`. */
static void build_cut_block(struct trace_builder *t, uint32_t count, uint32_t claimed)
{
    struct block_builder block = {.len = 0};
    begin(t);
    add_long(&block, 1000000, FOO_ADDRESS);
    add_long(&block, 2000000, BAR_ADDRESS);
    add_long(&block, 400000000, 0);
    block.count = count;
    packet_block(t, TID, &block);
    for (size_t i = 0; i < 4; i++)
        t->bytes.bytes[8 + i] = (uint8_t)(claimed >> (8 * i));
}

static void cut_block_must_be_as_long_as_its_records_can_be(void **state)
{
    static const struct {
        uint32_t count, claimed;
        bool is_timed; /* else it is taken for a dump of all methods, or refused */
    } cases[] = {{40, 400, true}, {40, 40, true},   {40, 39, false},
                 {40, 800, true}, {40, 801, false}, {0, 400, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct trace_builder t;
        struct reading reading;
        build_cut_block(&t, cases[i].count, cases[i].claimed);
        read_built(&reading, &t.bytes);
        bool is_timed = reading.code == TV_OK && reading.trace.has_clock[TV_CLOCK_WALL];
        if (cases[i].is_timed != is_timed)
            fail_msg("%u records in %u bytes", cases[i].count, cases[i].claimed);
        reading_release(&reading);
        build_release(&t);
    }
}

/* A header of version 0xF6, whose start is that of the session. */
static void add_header(struct trace_builder *t)
{
    static const uint8_t header[32] = {'S', 'L', 'O', 'W', 0xf6, 0, 0x40, 0x42, 0x0f};
    build_bytes(t, header, sizeof(header));
}

/* Two times of unknown meaning. They must not be read as a length and a text. */
static void add_summary(struct trace_builder *t)
{
    static const uint8_t summary[17] = {3, 0xff, 0xff, 1, 2, 0, 0, 0, 0, 0xff, 0xff, 1, 2};
    build_bytes(t, summary, sizeof(summary));
}

/* A dump that stands behind a header, a summary, or both, one or several times. */
static void build_headed(struct trace_builder *t, const char *heads)
{
    struct trace_builder dump;
    build_long(&dump);
    begin(t);
    for (const char *head = heads; *head; head++) {
        if (*head == 'h')
            add_header(t);
        else
            add_summary(t);
    }
    build_bytes(t, dump.bytes.bytes, dump.bytes.len);
    build_release(&dump);
}

static void headers_and_summaries_stand_before_a_dump(void **state)
{
    static const char *const heads[] = {"h", "s", "hs", "hsh"};
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct trace_builder t;
        struct reading reading;
        char text[1024];
        build_headed(&t, heads[i]);
        read_built(&reading, &t.bytes);
        expect_long(&reading);
        expect_only(&reading, TV_FINDING_KIND_COUNT);
        assert_int_equal(reading.trace.version, heads[i][0] == 'h' ? 6 : 0);
        assert_int_equal(reading.trace.is_streaming, heads[i][0] == 'h');
        reading_release(&reading);
        read_bytes(&reading, text, encode_base64(&t.bytes, text), NULL);
        expect_long(&reading);
        reading_release(&reading);
        build_release(&t);
    }
}

/* Several dumps that were joined: each has its own header. */
static void dumps_behind_each_other_are_one(void **state)
{
    (void)state;
    struct trace_builder t;
    struct trace_builder more;
    struct reading reading;
    build_headed(&t, "hs");
    build_headed(&more, "hs");
    build_bytes(&t, more.bytes.bytes, more.bytes.len);
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 10);
    expect_only(&reading, TV_FINDING_KIND_COUNT);
    reading_release(&reading);
    build_release(&more);
    build_release(&t);
}

/* A header is proof enough: what follows it may be nothing, cut or damaged. */
static void header_alone_proves_a_dump(void **state)
{
    (void)state;
    for (size_t len = 6; len <= 50; len++) {
        struct trace_builder t;
        struct reading reading;
        bool is_whole = len == 32 || len == 49;
        begin(&t);
        add_header(&t);
        add_summary(&t);
        build_str(&t, "?");
        read_bytes(&reading, t.bytes.bytes, len, NULL);
        expect_ok(&reading);
        assert_int_equal(reading.count, 0);
        if (is_whole)
            expect_only(&reading, TV_FINDING_KIND_COUNT);
        else
            expect_finding(&reading, TV_FINDING_TRUNCATED_RECORD, 1,
                           len < 32   ? 0
                           : len < 49 ? 32
                                      : 49);
        reading_release(&reading);
        build_release(&t);
    }
}

static void summary_alone_is_no_dump(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    add_summary(&t);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FORMAT, 0, "not a method trace");
    reading_release(&reading);
    build_release(&t);
}

static void zeros_are_no_dump(void **state)
{
    (void)state;
    static const uint8_t zeros[700];
    struct reading reading;
    read_bytes(&reading, zeros, sizeof(zeros), NULL);
    expect_error(&reading, TV_ERR_FORMAT, 0, "not a method trace");
    reading_release(&reading);
}

/* enter foo, enter bar, leave, enter bar, leave, leave; left says what an exit leaves to count
 * from. */
/* A dump behind `threads` threads without a name, each seven zeros. */
static enum tv_code read_behind(size_t threads)
{
    struct trace_builder t;
    struct reading reading;
    struct tv_buffer file;
    uint8_t *at;
    build_long(&t);
    tv_buffer_init(&file, tv_alloc_libc());
    assert_int_equal(tv_buffer_extend(&file, 7 * threads, &at, NULL), TV_OK);
    memset(at, 0, 7 * threads);
    assert_int_equal(tv_buffer_append(&file, t.bytes.bytes, t.bytes.len, NULL), TV_OK);
    read_built(&reading, &file);
    enum tv_code code = reading.code;
    reading_release(&reading);
    tv_buffer_release(&file);
    build_release(&t);
    return code;
}

static void zeros_without_end_are_not_looked_through(void **state)
{
    (void)state;
    assert_int_equal(read_behind(65536), TV_OK);
    assert_int_equal(read_behind(1u << 18), TV_ERR_FORMAT);
}

static void build_bare(struct trace_builder *t, uint64_t after_first, uint64_t after_last)
{
    struct block_builder block = {.len = 0};
    begin(t);
    add_sleb(&block, FOO_ADDRESS);
    add_sleb(&block, BAR_ADDRESS - FOO_ADDRESS);
    add_sleb(&block, 1);
    add_sleb(&block, BAR_ADDRESS - after_first);
    add_sleb(&block, 1);
    add_sleb(&block, 0);
    add_sleb(&block, FOO_ADDRESS - after_last);
    block.count = 7;
    packet_block(t, TID, &block);
    memset(t->bytes.bytes + 8, 0xaa, 4); /* the size is not set in these */
    packet_thread(t, TID, "main");
    describe_methods(t);
}

static void expect_bare(struct trace_builder *t, bool has_summary)
{
    static const unsigned actions[] = {ENTER, ENTER, LEAVE, ENTER, LEAVE, LEAVE, ENTER};
    struct trace_builder headed;
    struct reading reading;
    begin(&headed);
    if (has_summary)
        add_summary(&headed);
    build_bytes(&headed, t->bytes.bytes, t->bytes.len);
    read_built(&reading, &headed.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(reading.key_action[i] & 3, actions[i]);
    assert_int_equal(id_at(&reading, 3), BAR_ADDRESS);
    assert_int_equal(id_at(&reading, 5), FOO_ADDRESS);
    assert_int_equal(id_at(&reading, 6), FOO_ADDRESS);
    assert_false(reading.trace.has_clock[TV_CLOCK_WALL] || reading.trace.has_clock[TV_CLOCK_CPU]);
    reading_release(&reading);
    build_release(&headed);
    build_release(t);
}

static void dumps_of_all_methods_count_from_one_or_from_the_method_left(void **state)
{
    (void)state;
    struct trace_builder t;
    for (int has_summary = 0; has_summary <= 1; has_summary++) {
        build_bare(&t, 1, 1);
        expect_bare(&t, has_summary);
        build_bare(&t, BAR_ADDRESS | 1, FOO_ADDRESS | 1);
        expect_bare(&t, has_summary);
    }
}

static void base64_is_measured_before_it_is_decoded(void **state)
{
    (void)state;
    uint8_t bytes[8];
    size_t len;
    assert_true(tv_base64_measure((const uint8_t *)"TWFu\nTWE=", 9, &len));
    assert_int_equal(len, 5);
    assert_int_equal(tv_base64_decode((const uint8_t *)"TWFu\nTWE=", 9, bytes, sizeof(bytes)), 5);
    assert_memory_equal(bytes, "ManMa", 5);
    assert_false(tv_base64_measure((const uint8_t *)"TW-u", 4, &len));
    assert_false(tv_base64_measure((const uint8_t *)"TWE=TWE=", 8, &len));
    assert_false(tv_base64_measure((const uint8_t *)"", 0, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_running_methods_begin_at_zero),
        cmocka_unit_test(base64_with_line_breaks_is_the_same),
        cmocka_unit_test(base64_of_something_else_is_refused),
        cmocka_unit_test(a_dump_that_is_cut_after_its_blocks_opens),
        cmocka_unit_test(method_with_columns_proves_a_dump),
        cmocka_unit_test(blanks_behind_a_dump_are_no_cut_packet),
        cmocka_unit_test(cut_block_must_be_as_long_as_its_records_can_be),
        cmocka_unit_test(headers_and_summaries_stand_before_a_dump),
        cmocka_unit_test(dumps_behind_each_other_are_one),
        cmocka_unit_test(header_alone_proves_a_dump),
        cmocka_unit_test(summary_alone_is_no_dump),
        cmocka_unit_test(zeros_are_no_dump),
        cmocka_unit_test(zeros_without_end_are_not_looked_through),
        cmocka_unit_test(dumps_of_all_methods_count_from_one_or_from_the_method_left),
        cmocka_unit_test(base64_is_measured_before_it_is_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
