/* fleet/thread_kind: names of Android's and of libraries' threads, and names that only look like
 * them. */
#include "fleet/thread_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"

static void name_tells_the_kind(void **state)
{
    static const struct {
        const char *name;
        enum tv_thread_kind kind;
    } cases[] = {
        {"main", TV_THREAD_MAIN},
        {"RenderThread", TV_THREAD_RENDER},
        {"Binder:1234_3", TV_THREAD_BINDER},
        {"pool-12-thread-1", TV_THREAD_POOL},
        {"AsyncTask #4", TV_THREAD_POOL},
        {"DefaultDispatcher-worker-7", TV_THREAD_POOL},
        {"mainly", TV_THREAD_OTHER},
        {"my pool-1", TV_THREAD_OTHER},
        {"", TV_THREAD_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++)
        assert_int_equal(tv_thread_kind_of(tv_str_from(cases[i].name), false), cases[i].kind);
}

static void main_thread_is_main_whatever_its_name(void **state)
{
    (void)state;
    assert_int_equal(tv_thread_kind_of(TV_STR("com.example"), true), TV_THREAD_MAIN);
    assert_int_equal(tv_thread_kind_of(TV_STR("RenderThread"), true), TV_THREAD_MAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_tells_the_kind),
        cmocka_unit_test(main_thread_is_main_whatever_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
