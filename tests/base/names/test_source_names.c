/* base/names/source_names: what R8 writes for a source file is the id of its mapping. */
#include "base/names/source_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_id_of_a_mapping_stands_for_the_source_file(void **state)
{
    struct tv_str id;
    (void)state;
    assert_true(tv_map_id_of(TV_STR("r8-map-id-abc"), &id));
    assert_true(tv_str_equal(id, TV_STR("abc")));
}

static void other_files_have_no_id(void **state)
{
    static const char *const files[] = {"", "Store.kt", "r8-map-id-", "r8-map-id",
                                        "xr8-map-id-abc"};
    struct tv_str id;
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        assert_false(tv_map_id_of(tv_str_from(files[i]), &id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_id_of_a_mapping_stands_for_the_source_file),
        cmocka_unit_test(other_files_have_no_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
