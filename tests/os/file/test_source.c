/* os/source: whatever little comes at a time, all of it arrives; failures pass through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/file/source.h"

#include "base/error.h"
#include "support/failing_alloc.h"

/* Gives `piece` bytes at a time of a known text, then fails or ends. */
struct dripping {
    const char *text;
    size_t at;
    size_t piece;
    size_t fail_at; /* SIZE_MAX: never */
};

static enum tv_code drip(void *ctx, uint8_t *into, size_t cap, size_t *len, struct tv_error *err)
{
    struct dripping *dripping = ctx;
    size_t left = strlen(dripping->text) - dripping->at;
    *len = dripping->piece < left ? dripping->piece : left;
    *len = *len < cap ? *len : cap;
    if (dripping->at >= dripping->fail_at) {
        *len = 0;
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the pipe burst");
    }
    memcpy(into, dripping->text + dripping->at, *len);
    dripping->at += *len;
    return TV_OK;
}

static const char text[] = "a trace that comes in drips through a very narrow pipe";

static void short_reads_add_up(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < sizeof(text); piece++) {
        struct dripping dripping = {.text = text, .piece = piece, .fail_at = SIZE_MAX};
        struct tv_source source = {.read = drip, .ctx = &dripping};
        struct tv_buffer out;
        tv_buffer_init(&out, tv_alloc_libc());
        assert_int_equal(tv_source_read_all(source, &out, NULL), TV_OK);
        assert_int_equal(out.len, strlen(text));
        assert_memory_equal(out.bytes, text, out.len);
        tv_buffer_release(&out);
    }
}

static void failure_in_the_middle_is_passed_on(void **state)
{
    struct dripping dripping = {.text = text, .piece = 5, .fail_at = 20};
    struct tv_source source = {.read = drip, .ctx = &dripping};
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer out;
    (void)state;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_source_read_all(source, &out, &err), TV_ERR_SYSTEM);
    assert_string_equal(err.text, "the pipe burst");
    assert_int_equal(out.len, 20);
    tv_buffer_release(&out);
}

static void no_memory_is_an_error(void **state)
{
    struct dripping dripping = {.text = text, .piece = 5, .fail_at = SIZE_MAX};
    struct tv_source source = {.read = drip, .ctx = &dripping};
    struct failing_alloc failing;
    struct tv_buffer out;
    (void)state;
    failing_alloc_init(&failing, 0);
    tv_buffer_init(&out, &failing.alloc);
    assert_int_equal(tv_source_read_all(source, &out, NULL), TV_ERR_MEMORY);
    tv_buffer_release(&out);
    assert_int_equal(failing.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_reads_add_up),
        cmocka_unit_test(failure_in_the_middle_is_passed_on),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("os/source", tests, NULL, NULL);
}
