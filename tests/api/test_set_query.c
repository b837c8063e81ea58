/* The parameter `calls`: its steps, and what is refused of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/set_query.h"
#include "asking.h"

static const char *const known[] = {"calls", NULL};

/* Takes the steps of a query, and says why it was refused. */
static enum tv_code take(const char *query, struct tv_scope *scope, struct tv_arena *arena,
                         struct tv_error *err)
{
    struct tv_params params;
    assert_int_equal(tv_params_parse(&params, arena, tv_str_from(query), known, NULL), TV_OK);
    tv_scope_init(scope, asked_trace.index);
    return tv_query_set(&params, asked_trace.index, scope, err);
}

static void steps_make_a_set(void **state)
{
    static const char *const taken[] = {"calls=methods:0", "calls=upwards:0",
                                        "calls=methods:0:wall=0-", "calls=methods:0;methods:0",
                                        "calls=along:0:past=no.:wall=0-"};
    struct tv_scope scope;
    struct tv_arena arena;
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(take("calls=", &scope, &arena, NULL), TV_OK);
    assert_null(scope.selection.set);
    for (size_t i = 0; i < TV_COUNT_OF(taken); i++) {
        assert_int_equal(take(taken[i], &scope, &arena, NULL), TV_OK);
        assert_non_null(scope.selection.set);
    }
    tv_arena_release(&arena);
}

static void what_is_no_step_is_refused(void **state)
{
    static const char *const refused[] = {"calls=0",
                                          "calls=methods",
                                          "calls=nothing:0",
                                          "calls=methods:0:moon=1-2",
                                          "calls=methods:x",
                                          "calls=methods:0:wall=",
                                          "calls=call:1.0",
                                          "calls=methods:0:wall=5-5",
                                          "calls=search:",
                                          "calls=methods:0:wall",
                                          "calls=methods:0:wall=5-4",
                                          "calls=methods:0:wall=5-0",
                                          "calls=methods:0:wall=0-0",
                                          "calls=methods:0:wall=0-9999999999:wall=0-",
                                          "calls=methods:0:wall=0-:cpu=0-",
                                          "calls=along:0:past=a:past=b",
                                          "calls=methods:0:past=a",
                                          "calls=search:a:past=a",
                                          "calls=call:1.0.0:past=a",
                                          "calls=call:1.0.0:wall=0-"};
    struct tv_scope scope;
    struct tv_arena arena;
    struct tv_error err;
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    for (size_t i = 0; i < TV_COUNT_OF(refused); i++) {
        if (take(refused[i], &scope, &arena, &err) != TV_ERR_ARGUMENT)
            fail_msg("%s is not refused", refused[i]);
    }
    tv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_make_a_set),
        cmocka_unit_test(what_is_no_step_is_refused),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
