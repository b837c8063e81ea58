/* The archive by hand: heads, padding, sums, and a member that is too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "cli/file/merged_archive.h"

/* Checks the sum of a head, and returns the length of its member. */
static size_t check_head(const uint8_t *head, const char *name)
{
    unsigned sum = 0;
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : head[i];
    assert_string_equal((const char *)head, name);
    assert_memory_equal(head + 257, "ustar", 6);
    assert_int_equal(strtoul((const char *)head + 148, NULL, 8), sum);
    return strtoul((const char *)head + 124, NULL, 8);
}

static size_t padded(size_t len)
{
    return (len + 511) / 512 * 512;
}

static void test_members(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 1, 511, 512, 513};
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        struct tv_buffer out;
        char bytes[600];
        memset(bytes, 's', sizeof(bytes));
        tv_buffer_init(&out, tv_alloc_libc());
        const struct tv_sink to = tv_buffer_sink(&out);
        const struct tv_str system_trace = {bytes, lens[i]};
        assert_int_equal(tv_merged_archive_begin(system_trace, 5, to, NULL), TV_OK);
        assert_int_equal(to.write(to.ctx, "calls", 5, NULL), TV_OK);
        assert_int_equal(tv_merged_archive_end(5, to, NULL), TV_OK);
        size_t at = 0;
        size_t len = check_head(out.bytes, "perfetto_manifest.json");
        /* Perfetto knows a manifest by these bytes. */
        assert_memory_equal(out.bytes + 512, "{\"perfetto_manifest\"", 20);
        at += 512 + padded(len);
        assert_int_equal(check_head(out.bytes + at, "system.perfetto-trace"), lens[i]);
        at += 512 + padded(lens[i]);
        assert_int_equal(check_head(out.bytes + at, "traceview.perfetto-trace"), 5);
        assert_memory_equal(out.bytes + at + 512, "calls\0", 6);
        assert_int_equal(out.len, at + 512 + 512 + 1024);
        tv_buffer_release(&out);
    }
}

static void test_too_long(void **state)
{
    (void)state;
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(
        tv_merged_archive_begin(TV_STR("s"), UINT64_C(1) << 33, tv_buffer_sink(&out), NULL),
        TV_ERR_LIMIT);
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
