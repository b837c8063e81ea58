/* A sink with a limit. */
#include "base/bounded_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"

static void what_exceeds_the_bound_is_refused_for_good(void **state)
{
    (void)state;
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer out;
    struct tv_bounded_sink bound;
    tv_buffer_init(&out, tv_alloc_libc());
    tv_bounded_sink_init(&bound, tv_buffer_sink(&out), 5000000);
    static char bytes[2500000];
    for (int i = 0; i < 2; i++)
        assert_int_equal(bound.sink.write(bound.sink.ctx, bytes, sizeof(bytes), &err), TV_OK);
    assert_int_equal(bound.sink.write(bound.sink.ctx, "x", 1, &err), TV_ERR_LIMIT);
    assert_string_equal(
        err.text,
        "stopped: more than 5 MB of output, which few files of this size make: the command "
        "writes it with --unpack-all, if you trust it");
    assert_int_equal(bound.sink.write(bound.sink.ctx, "x", 1, &err), TV_ERR_LIMIT);
    assert_int_equal(out.len, 2 * sizeof(bytes));
    tv_buffer_release(&out);
}

static void what_is_known_beforehand_is_told_with_its_length(void **state)
{
    (void)state;
    struct tv_error err = {.code = TV_OK};
    assert_int_equal(tv_bounded_sink_check(1000, 1000, &err), TV_OK);
    assert_int_equal(tv_bounded_sink_check(1000, 3400000000, &err), TV_ERR_LIMIT);
    assert_string_equal(
        err.text,
        "would make about 3400 MB of output, which few files of this size do: the command "
        "writes it with --unpack-all, if you trust it");
}

static void a_long_file_may_make_more(void **state)
{
    (void)state;
    const struct {
        struct tv_made_of of;
        uint64_t most;
    } cases[] = {
        {{.len = 0}, 256 << 20},
        {{.len = 1000000}, 256 << 20},
        {{.len = 233000000}, UINT64_C(23300000000)},
        {{.len = UINT64_MAX}, UINT64_MAX},
        {{.len = 233000000, .packed_len = 10000000}, UINT64_C(23300000000)},
        {{.len = 56000000, .packed_len = 5700}, 256 << 20},
        {{.len = 56000000, .packed_len = 5700, .is_trusted = true}, UINT64_MAX},
        {{.len = 0, .is_trusted = true}, UINT64_MAX},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++)
        assert_int_equal(tv_bounded_sink_of(&cases[i].of), cases[i].most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_exceeds_the_bound_is_refused_for_good),
        cmocka_unit_test(what_is_known_beforehand_is_told_with_its_length),
        cmocka_unit_test(a_long_file_may_make_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
