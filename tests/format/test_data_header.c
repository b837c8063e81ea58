/* The header before the records: what is read of it, and how far a cut one goes. */
#include "format/data_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/encode.h"

#define BEFORE 5u /* bytes of text before the header */
#define ROOM 64u

struct sample {
    uint8_t bytes[BEFORE + ROOM];
    struct tv_trace trace;
};

static void begin(struct sample *sample, unsigned version)
{
    *sample = (struct sample){.bytes = "*end"};
    (void)tv_encode_data_header(sample->bytes + BEFORE, version, 7, version >= 3 ? 14 : 0);
    sample->trace.bytes = sample->bytes;
    sample->trace.len = sizeof(sample->bytes);
}

static struct tv_data_header read_header(const struct sample *sample)
{
    struct tv_data_header header;
    struct tv_error err;
    assert_int_equal(tv_data_header_read(&sample->trace, BEFORE, &header, &err), TV_OK);
    assert_int_equal(header.off, BEFORE);
    return header;
}

static void only_versions_from_3_on_say_how_long_records_are(void **state)
{
    (void)state;
    static const unsigned versions[] = {1, 2, 3, 0xf1, 0xf2, 0xf3};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        struct sample sample;
        begin(&sample, versions[i]);
        struct tv_data_header header = read_header(&sample);
        assert_int_equal(header.version, versions[i]);
        assert_int_equal(header.start_ns, 7000);
        assert_int_equal(header.has_record_len, versions[i] >= 3);
        assert_int_equal(header.record_len, versions[i] >= 3 ? 14 : 0);
        assert_int_equal(header.records_off, BEFORE + 32);
        assert_false(header.is_cut);
    }
}

static void an_offset_inside_the_header_means_right_after_it(void **state)
{
    (void)state;
    static const struct {
        unsigned version;
        uint16_t skip;
        size_t records;
    } cases[] = {{1, 0, 16}, {2, 15, 16}, {2, 16, 16}, {3, 16, 18}, {3, 18, 18}, {3, 64, 64}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sample sample;
        begin(&sample, cases[i].version);
        tv_store_le16(sample.bytes + BEFORE + TV_WIRE_DATA_OFFSET_AT, cases[i].skip);
        struct tv_data_header header = read_header(&sample);
        assert_int_equal(header.records_off, BEFORE + cases[i].records);
        assert_false(header.is_cut);
    }
}

static void an_offset_past_the_end_is_a_cut(void **state)
{
    (void)state;
    struct sample sample;
    begin(&sample, 3);
    tv_store_le16(sample.bytes + BEFORE + TV_WIRE_DATA_OFFSET_AT, ROOM + 1);
    struct tv_data_header header = read_header(&sample);
    assert_true(header.is_cut);
    assert_int_equal(header.records_off, sizeof(sample.bytes));
}

static void a_cut_header_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    for (size_t left = 6; left <= 32; left++) {
        struct sample sample;
        begin(&sample, 3);
        sample.trace.len = BEFORE + left;
        struct tv_data_header header = read_header(&sample);
        assert_int_equal(header.version, 3);
        assert_int_equal(header.is_cut, left < 32);
        assert_int_equal(header.has_record_len, left >= 18);
        assert_int_equal(header.start_ns, left >= 18 ? 7000 : 0);
        assert_int_equal(header.records_off, BEFORE + left);
    }
}

static void what_has_no_version_is_refused(void **state)
{
    (void)state;
    for (size_t left = 0; left < 6; left++) {
        struct sample sample;
        struct tv_data_header header;
        struct tv_error err;
        begin(&sample, 3);
        sample.trace.len = BEFORE + left;
        assert_int_equal(tv_data_header_read(&sample.trace, BEFORE, &header, &err), TV_ERR_FORMAT);
        assert_int_equal(err.offset, BEFORE);
        assert_non_null(strstr(err.text, "is cut"));
    }
}

static void another_word_than_slow_is_refused(void **state)
{
    (void)state;
    struct sample sample;
    struct tv_data_header header;
    struct tv_error err;
    begin(&sample, 3);
    sample.bytes[BEFORE + 3] = 'V';
    assert_int_equal(tv_data_header_read(&sample.trace, BEFORE, &header, &err), TV_ERR_FORMAT);
    assert_int_equal(err.offset, BEFORE);
    assert_non_null(strstr(err.text, "53 4c 4f 56"));
    assert_int_equal(tv_data_header_read(&sample.trace, BEFORE, &header, NULL), TV_ERR_FORMAT);
}

static void microseconds_saturate(void **state)
{
    (void)state;
    assert_true(tv_ns_of_usec(UINT64_MAX / 1000) == UINT64_MAX / 1000 * 1000);
    assert_true(tv_ns_of_usec(UINT64_MAX / 1000 + 1) == UINT64_MAX);
    assert_true(tv_ns_of_usec(UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_versions_from_3_on_say_how_long_records_are),
        cmocka_unit_test(an_offset_inside_the_header_means_right_after_it),
        cmocka_unit_test(an_offset_past_the_end_is_a_cut),
        cmocka_unit_test(a_cut_header_is_read_as_far_as_it_goes),
        cmocka_unit_test(what_has_no_version_is_refused),
        cmocka_unit_test(another_word_than_slow_is_refused),
        cmocka_unit_test(microseconds_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
