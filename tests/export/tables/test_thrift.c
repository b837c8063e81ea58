/* Thrift's compact protocol: bytes that were worked out by hand from its specification. */
#include "export/tables/thrift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

static void fields_lists_and_structs(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {
        0x15, 0x03,                   /* field 1, i32 -2 */
        0x26, 0xac, 0x02,             /* field 3, i64 150 */
        0x11,                         /* field 4, true */
        0x12,                         /* field 5, false */
        0x13, 0x20,                   /* field 6, the byte 32 */
        0x18, 0x02, 'h',  'i',        /* field 7 */
        0x19, 0x25, 0x02, 0x01,       /* field 8, a list of 1 and -1 */
        0x1c, 0x15, 0x00, 0x00,       /* field 9, a struct with 0 in its field 1 */
        0x19, 0x1c, 0x25, 0x04, 0x00, /* field 10, a list of one struct, with 2 in its field 2 */
        0x00,
    };
    struct tv_buffer out;
    struct tv_thrift thrift;
    tv_buffer_init(&out, tv_alloc_libc());
    tv_thrift_begin(&thrift, &out);
    tv_thrift_i32(&thrift, 1, -2);
    tv_thrift_i64(&thrift, 3, 150);
    tv_thrift_truth(&thrift, 4, true);
    tv_thrift_truth(&thrift, 5, false);
    tv_thrift_byte(&thrift, 6, 32);
    tv_thrift_binary(&thrift, 7, TV_STR("hi"));
    tv_thrift_list(&thrift, 8, TV_THRIFT_I32, 2);
    tv_thrift_i32_item(&thrift, 1);
    tv_thrift_i32_item(&thrift, -1);
    tv_thrift_open_struct(&thrift, 9);
    tv_thrift_i32(&thrift, 1, 0);
    tv_thrift_close_struct(&thrift);
    tv_thrift_list(&thrift, 10, TV_THRIFT_STRUCT, 1);
    tv_thrift_open_item(&thrift);
    tv_thrift_i32(&thrift, 2, 2);
    tv_thrift_close_struct(&thrift);
    assert_int_equal(tv_thrift_end(&thrift, NULL), TV_OK);
    assert_int_equal(out.len, sizeof(wanted));
    assert_memory_equal(out.bytes, wanted, sizeof(wanted));
    tv_buffer_release(&out);
}

/* From 15 items on the count has a place of its own. */
static void long_lists_have_another_head(void **state)
{
    (void)state;
    struct tv_buffer out;
    struct tv_thrift thrift;
    tv_buffer_init(&out, tv_alloc_libc());
    tv_thrift_begin(&thrift, &out);
    tv_thrift_list(&thrift, 1, TV_THRIFT_STRUCT, 14);
    tv_thrift_list(&thrift, 2, TV_THRIFT_STRUCT, 15);
    tv_thrift_list(&thrift, 3, TV_THRIFT_BINARY, 300);
    assert_int_equal(tv_thrift_end(&thrift, NULL), TV_OK);
    assert_int_equal(out.len, 10);
    assert_memory_equal(out.bytes, "\x19\xec\x19\xfc\x0f\x19\xf8\xac\x02\x00", 10);
    tv_buffer_release(&out);
}

static void the_first_failure_is_told(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_buffer out;
    struct tv_thrift thrift;
    struct tv_error err = {.code = TV_OK};
    failing_alloc_init(&failing, 0);
    tv_buffer_init(&out, &failing.alloc);
    tv_thrift_begin(&thrift, &out);
    tv_thrift_i32(&thrift, 1, 7);
    tv_thrift_i32(&thrift, 2, 7);
    assert_int_equal(tv_thrift_end(&thrift, &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_int_equal(out.len, 0);
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_lists_and_structs),
        cmocka_unit_test(long_lists_have_another_head),
        cmocka_unit_test(the_first_failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
