/* What exports get from the system: a packer for every format, a database for those that are one.
 */
#include "served/export_tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "export/tables/database.h"
#include "support/failing_alloc.h"

static const struct tv_export plain = {.name = "plain"};
static const struct tv_export database = {.name = "database", .needs_database = true};

static void blocks_are_packed(void **state)
{
    (void)state;
    struct tv_export_opts opts = {.levels = 0};
    struct tv_export_tools tools;
    struct tv_buffer out;
    static const uint8_t zeros[5000];
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_export_tools_open(&tools, &plain, tv_alloc_libc(), &opts, NULL), TV_OK);
    assert_null(opts.database);
    assert_int_equal(tv_buffer_append(&out, "x", 1, NULL), TV_OK);
    for (int i = 0; i < 2; i++) {
        size_t before = out.len;
        assert_int_equal(opts.packer->pack(opts.packer->ctx, zeros, sizeof(zeros), &out, NULL),
                         TV_OK);
        assert_in_range(out.len - before, 5, 100);
        assert_memory_equal(out.bytes + before, "\x28\xb5\x2f\xfd", 4); /* a frame of zstd */
    }
    tv_export_tools_close(&tools);
    tv_buffer_release(&out);
}

static void a_database_is_there_where_it_is_needed(void **state)
{
    (void)state;
    struct tv_export_opts opts = {.levels = 0};
    struct tv_export_tools tools;
    assert_int_equal(tv_export_tools_open(&tools, &database, tv_alloc_libc(), &opts, NULL), TV_OK);
#ifdef TV_HAS_SQLITE
    assert_non_null(opts.database);
    assert_int_equal(opts.database->run(opts.database->ctx, "CREATE TABLE t(a)", NULL), TV_OK);
#else
    assert_null(opts.database);
#endif
    tv_export_tools_close(&tools);
}

static void want_of_memory_leaves_nothing(void **state)
{
    (void)state;
    struct tv_export_opts opts = {.levels = 0};
    struct tv_export_tools tools;
    struct failing_alloc failing;
    failing_alloc_init(&failing, 0);
    enum tv_code code = tv_export_tools_open(&tools, &database, &failing.alloc, &opts, NULL);
#ifdef TV_HAS_SQLITE
    assert_int_equal(code, TV_ERR_MEMORY);
#else
    assert_int_equal(code, TV_OK);
#endif
    assert_int_equal(failing.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_packed),
        cmocka_unit_test(a_database_is_there_where_it_is_needed),
        cmocka_unit_test(want_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
