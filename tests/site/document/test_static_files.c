/* The style and the script of the pages. */
#include "site/document/static_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_file_is_found_by_its_name_and_no_other(void **state)
{
    struct tv_document_files files;
    (void)state;
    tv_document_files_init(&files);
    assert_int_equal(strlen(files.style.name), strlen("site-0123456789abcdef.css"));
    assert_ptr_equal(tv_document_files_find(&files, tv_str_from(files.style.name)), &files.style);
    assert_null(tv_document_files_find(&files, TV_STR("site-0123456789abcdef.css")));
    assert_null(tv_document_files_find(&files, TV_STR("")));
    if (files.script.bytes.len)
        assert_ptr_equal(tv_document_files_find(&files, tv_str_from(files.script.name)),
                         &files.script);
    else
        assert_int_equal(files.script.name[0], '\0');
}

static void the_style_has_the_colours_of_both_themes(void **state)
{
    struct tv_document_files files;
    (void)state;
    tv_document_files_init(&files);
    size_t light = tv_str_find(files.style.bytes, TV_STR("--bg: #f6f7f9"), TV_CASE_EXACT);
    size_t query = tv_str_find(files.style.bytes, TV_STR("@media (prefers-color-scheme: dark) {"),
                               TV_CASE_EXACT);
    size_t dark = tv_str_find(files.style.bytes, TV_STR("--bg: #121419"), TV_CASE_EXACT);
    assert_true(light < query);
    assert_true(query < dark);
    assert_true(dark < files.style.bytes.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_found_by_its_name_and_no_other),
        cmocka_unit_test(the_style_has_the_colours_of_both_themes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
