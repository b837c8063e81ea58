/* A growing run of bytes, and the sink onto it. */
#include "base/memory/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

static void appended_bytes_follow_each_other(void **state)
{
    (void)state;
    struct tv_buffer buffer;
    tv_buffer_init(&buffer, tv_alloc_libc());
    assert_int_equal(tv_buffer_append(&buffer, "ab", 2, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&buffer, "", 0, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&buffer, NULL, 0, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&buffer, "c\0d", 3, NULL), TV_OK);
    struct tv_str view = tv_buffer_view(&buffer);
    assert_int_equal(view.len, 5);
    assert_memory_equal(view.at, "abc\0d", 5);
    tv_buffer_release(&buffer);
    assert_int_equal(tv_buffer_view(&buffer).len, 0);
}

static void extended_bytes_can_be_filled_in(void **state)
{
    (void)state;
    struct tv_buffer buffer;
    uint8_t *at;
    tv_buffer_init(&buffer, tv_alloc_libc());
    assert_int_equal(tv_buffer_append(&buffer, "x", 1, NULL), TV_OK);
    assert_int_equal(tv_buffer_extend(&buffer, 3, &at, NULL), TV_OK);
    memset(at, 'y', 3);
    assert_memory_equal(buffer.bytes, "xyyy", 4);
    tv_buffer_release(&buffer);
}

static void failed_append_keeps_what_was_there(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_buffer buffer;
    struct tv_error err;
    char more[100] = {0};
    failing_alloc_init(&failing, 1);
    tv_buffer_init(&buffer, &failing.alloc);
    assert_int_equal(tv_buffer_append(&buffer, "keep", 4, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&buffer, more, sizeof(more), &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_int_equal(buffer.len, 4);
    assert_memory_equal(buffer.bytes, "keep", 4);
    tv_buffer_release(&buffer);
    assert_int_equal(failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void length_that_overflows_is_no_memory(void **state)
{
    (void)state;
    struct tv_buffer buffer;
    uint8_t *at = NULL;
    tv_buffer_init(&buffer, tv_alloc_libc());
    assert_int_equal(tv_buffer_append(&buffer, "abc", 3, NULL), TV_OK);
    assert_int_equal(tv_buffer_extend(&buffer, SIZE_MAX - 1, &at, NULL), TV_ERR_MEMORY);
    assert_null(at);
    assert_int_equal(buffer.len, 3);
    tv_buffer_release(&buffer);
}

static void sink_appends_and_passes_failures_on(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_buffer buffer;
    struct tv_error err;
    char more[100] = {0};
    failing_alloc_init(&failing, 1);
    tv_buffer_init(&buffer, &failing.alloc);
    struct tv_sink sink = tv_buffer_sink(&buffer);
    assert_int_equal(sink.write(sink.ctx, "ab", 2, &err), TV_OK);
    assert_int_equal(sink.write(sink.ctx, more, sizeof(more), &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_int_equal(buffer.len, 2);
    tv_buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_bytes_follow_each_other),
        cmocka_unit_test(extended_bytes_can_be_filled_in),
        cmocka_unit_test(failed_append_keeps_what_was_there),
        cmocka_unit_test(length_that_overflows_is_no_memory),
        cmocka_unit_test(sink_appends_and_passes_failures_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
