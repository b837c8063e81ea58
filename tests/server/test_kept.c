/* server/kept: what is read is what was written, and nothing else is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "server/kept.h"

#define SUM_AT 24
#define LENS_AT 32

static const uint64_t identity[2] = {0x1122, 0x3344};

static void write_file(struct tv_buffer *file)
{
    struct tv_kept kept;
    tv_kept_init(&kept, tv_alloc_libc());
    tv_buffer_init(file, tv_alloc_libc());
    tv_kept_set(&kept.info, TV_STR("{\"a\":1}"));
    tv_kept_set(&kept.query, TV_STR("from=0&to=1"));
    assert_false(tv_kept_is_whole(&kept));
    tv_kept_set(&kept.window, TV_STR("TVW2 and more"));
    assert_true(tv_kept_is_whole(&kept));
    assert_int_equal(tv_kept_write(&kept, identity, file, NULL), TV_OK);
    tv_kept_release(&kept);
}

static enum tv_code read_as(struct tv_str file, const uint64_t of[2])
{
    struct tv_kept kept;
    tv_kept_init(&kept, tv_alloc_libc());
    enum tv_code code = tv_kept_read(&kept, file, of, NULL);
    tv_kept_release(&kept);
    return code;
}

/* As whoever forges a file would. */
static void sum_anew(struct tv_buffer *file)
{
    uint64_t sum = tv_checksum_mix(tv_checksum(file->bytes, SUM_AT),
                                   tv_checksum(file->bytes + LENS_AT, file->len - LENS_AT));
    for (unsigned i = 0; i < sizeof(sum); i++)
        file->bytes[SUM_AT + i] = (uint8_t)(sum >> 8 * i);
}

static void what_was_kept_is_read(void **state)
{
    struct tv_buffer file;
    struct tv_kept kept;
    (void)state;
    write_file(&file);
    tv_kept_init(&kept, tv_alloc_libc());
    assert_int_equal(tv_kept_read(&kept, tv_buffer_view(&file), identity, NULL), TV_OK);
    assert_true(tv_str_equal(tv_buffer_view(&kept.info), TV_STR("{\"a\":1}")));
    assert_true(tv_str_equal(tv_buffer_view(&kept.query), TV_STR("from=0&to=1")));
    assert_true(tv_str_equal(tv_buffer_view(&kept.window), TV_STR("TVW2 and more")));
    tv_kept_release(&kept);
    tv_buffer_release(&file);
}

static void every_damaged_byte_and_every_cut_is_noticed(void **state)
{
    struct tv_buffer file;
    (void)state;
    write_file(&file);
    for (size_t i = 0; i < file.len; i++) {
        file.bytes[i] ^= 0x10;
        assert_int_equal(read_as(tv_buffer_view(&file), identity), TV_ERR_FORMAT);
        file.bytes[i] ^= 0x10;
        struct tv_str beginning = {(const char *)file.bytes, i};
        assert_int_equal(read_as(beginning, identity), TV_ERR_FORMAT);
    }
    tv_buffer_release(&file);
}

static void what_another_trace_or_program_left_is_not_read(void **state)
{
    const uint64_t other[2] = {0x1122, 0x3345};
    struct tv_buffer file;
    (void)state;
    write_file(&file);
    assert_int_equal(read_as(tv_buffer_view(&file), other), TV_ERR_FORMAT);
    tv_buffer_release(&file);
}

static void forged_lengths_are_refused(void **state)
{
    struct tv_buffer file;
    (void)state;
    for (unsigned part = 0; part < 4; part++) {
        for (unsigned byte = 0; byte < 4; byte++) {
            write_file(&file);
            file.bytes[LENS_AT + 4 * part + byte] ^= 0x7f;
            sum_anew(&file);
            assert_int_equal(read_as(tv_buffer_view(&file), identity), TV_ERR_FORMAT);
            tv_buffer_release(&file);
        }
    }
}

static void what_is_too_long_is_not_kept(void **state)
{
    struct tv_kept kept;
    struct tv_buffer file;
    uint8_t *at;
    (void)state;
    tv_kept_init(&kept, tv_alloc_libc());
    tv_buffer_init(&file, tv_alloc_libc());
    tv_kept_set(&kept.info, TV_STR("{}"));
    tv_kept_set(&kept.query, TV_STR("q"));
    assert_int_equal(tv_buffer_extend(&kept.window, TV_KEPT_LIMIT + 1, &at, NULL), TV_OK);
    memset(at, 0, TV_KEPT_LIMIT + 1);
    assert_int_equal(tv_kept_write(&kept, identity, &file, NULL), TV_ERR_LIMIT);
    kept.window.len--;
    assert_int_equal(tv_kept_write(&kept, identity, &file, NULL), TV_OK);
    assert_int_equal(read_as(tv_buffer_view(&file), identity), TV_OK);
    tv_kept_release(&kept);
    tv_buffer_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_is_read),
        cmocka_unit_test(every_damaged_byte_and_every_cut_is_noticed),
        cmocka_unit_test(what_another_trace_or_program_left_is_not_read),
        cmocka_unit_test(forged_lengths_are_refused),
        cmocka_unit_test(what_is_too_long_is_not_kept),
    };
    return cmocka_run_group_tests_name("server/kept", tests, NULL, NULL);
}
