/* The part of a trace that a page has in it: the same calls, read back, whatever memory is given.
 */
#include "export/single_file/single_file_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/world.h"
#include "support/failing_alloc.h"

static struct world w;

static int begin(void **state)
{
    (void)state;
    world_one_in_another(&w);
    return 0;
}

static int end(void **state)
{
    (void)state;
    world_release(&w);
    return 0;
}

static enum tv_code make(struct tv_single_file_part *part)
{
    const struct tv_export_opts opts = {.file = TV_STR("x.trace")};
    TV_TRY(tv_single_file_part_cut(part, &w.index, &opts, NULL, NULL));
    return tv_single_file_part_read_back(part, NULL, NULL);
}

static void what_is_read_back_is_what_was_cut_out(void **state)
{
    struct tv_single_file_part part;
    (void)state;
    tv_single_file_part_init(&part, tv_alloc_libc());
    assert_int_equal(make(&part), TV_OK);
    assert_int_equal(part.index.method_count, 2u /* that are called */);
    assert_int_equal(part.index.node_count, w.index.node_count);
    tv_single_file_part_release(&part);
}

static enum tv_code make_and_release(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_single_file_part part;
    (void)ctx;
    tv_single_file_part_init(&part, alloc);
    enum tv_code code = make(&part);
    tv_single_file_part_release(&part);
    return code;
}

static void nothing_leaks_when_memory_runs_out(void **state)
{
    (void)state;
    (void)failing_alloc_each(make_and_release, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_read_back_is_what_was_cut_out, begin, end),
        cmocka_unit_test_setup_teardown(nothing_leaks_when_memory_runs_out, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
