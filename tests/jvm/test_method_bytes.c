/* Bytes of methods: their own, with callees, and of methods that call themselves. */
#include "jvm/method_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_stack_has_the_bytes_and_its_last_call_owns_them(void **state)
{
    struct tv_method_bytes bytes = {.cap = 0};
    (void)state;
    tv_method_bytes_add(&bytes, (const uint32_t[]){1, 2, 3}, 3, 100);
    tv_method_bytes_add(&bytes, (const uint32_t[]){1, 2}, 2, 10);
    tv_method_bytes_add(&bytes, NULL, 0, 5);
    assert_int_equal(bytes.samples, 3);
    assert_int_equal(bytes.of[1].all, 110);
    assert_int_equal(bytes.of[1].own, 0);
    assert_int_equal(bytes.of[2].all, 110);
    assert_int_equal(bytes.of[2].own, 10);
    assert_int_equal(bytes.of[3].own, 100);
    tv_method_bytes_clear(&bytes);
    assert_null(bytes.of);
}

static void a_recursive_method_has_them_once(void **state)
{
    struct tv_method_bytes bytes = {.cap = 0};
    (void)state;
    tv_method_bytes_add(&bytes, (const uint32_t[]){7, 8, 7, 7}, 4, 100);
    assert_int_equal(bytes.of[7].all, 100);
    assert_int_equal(bytes.of[7].own, 100);
    assert_int_equal(bytes.of[8].all, 100);
    tv_method_bytes_clear(&bytes);
}

static void the_table_grows_and_keeps_what_it_has(void **state)
{
    struct tv_method_bytes bytes = {.cap = 0};
    (void)state;
    tv_method_bytes_add(&bytes, (const uint32_t[]){5}, 1, 1);
    tv_method_bytes_add(&bytes, (const uint32_t[]){5, 100000}, 2, 2);
    assert_true(bytes.cap > 100000);
    assert_int_equal(bytes.of[5].all, 3);
    assert_int_equal(bytes.of[5].own, 1);
    assert_int_equal(bytes.of[100000].own, 2);
    tv_method_bytes_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_has_the_bytes_and_its_last_call_owns_them),
        cmocka_unit_test(a_recursive_method_has_them_once),
        cmocka_unit_test(the_table_grows_and_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
