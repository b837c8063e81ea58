/* Finding methods by patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/name_index.h"
#include "support/failing_alloc.h"

#define STR(literal)                                                                               \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

/* Sorted by class and name, as joins are: "a.B" stands before "a.B$C", whose text comes first. */
static struct tv_joined_method methods[] = {
    {.class_name = {STR("a.B"), false}, .name = {STR("run"), false}, .signature = STR("(I)V")},
    {.class_name = {STR("a.B"), false}, .name = {STR("run"), false}, .signature = STR("(J)V")},
    {.class_name = {STR("a.B$C"), false}, .name = {STR("stop"), false}},
    {.class_name = {STR("a.B$$Lambda"), true},
     .name = {STR("run"), false},
     .signature = STR("()V")},
    {.id = 0x1f},
};
static const struct tv_join join = {.methods = methods, .count = TV_COUNT_OF(methods)};

/* The methods that are found, as bits. */
static unsigned find(const char *pattern)
{
    struct tv_name_index names;
    struct tv_found_methods found = {.alloc = tv_alloc_libc()};
    unsigned bits = 0;
    tv_name_index_init(&names, tv_alloc_libc());
    assert_int_equal(tv_name_index_make(&names, &join, NULL), TV_OK);
    assert_int_equal(tv_name_index_find(&names, tv_str_from(pattern), &found, NULL), TV_OK);
    for (size_t i = 0; i < found.count; i++) {
        assert_false(bits & 1u << found.of[i]); /* each once */
        bits |= 1u << found.of[i];
    }
    tv_alloc_release(found.alloc, &found.of, found.cap, sizeof(*found.of));
    tv_name_index_release(&names);
    return bits;
}

static void a_pattern_is_a_name_with_or_without_its_signature(void **state)
{
    (void)state;
    assert_int_equal(find("a.B.run"), 3);
    assert_int_equal(find("a.B.run (I)V"), 1);
    assert_int_equal(find("a.B.run (I)"), 0);
    assert_int_equal(find("a.B"), 0);
    assert_int_equal(find("a.B$C.stop"), 4);
    assert_int_equal(find("a.B.*"), 3);
    assert_int_equal(find("a.B*"), 15);
    assert_int_equal(find("*.run"), 11);
    assert_int_equal(find("a.?.run"), 3);
    assert_int_equal(find("?.B.run (?)V"), 3);
    assert_int_equal(find("a.B$$Lambda*.run"), 8);
    assert_int_equal(find("(0x1f)"), 16);
    assert_int_equal(find("*"), 31);
    assert_int_equal(find("b*"), 0);
    assert_int_equal(find("~"), 0);
}

static enum tv_code make_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_name_index names;
    struct tv_found_methods found = {.alloc = alloc};
    (void)ctx;
    tv_name_index_init(&names, alloc);
    enum tv_code code = tv_name_index_make(&names, &join, NULL);
    if (code == TV_OK)
        code = tv_name_index_find(&names, TV_STR("*"), &found, NULL);
    tv_alloc_release(alloc, &found.of, found.cap, sizeof(*found.of));
    tv_name_index_release(&names);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(make_with, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_is_a_name_with_or_without_its_signature),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
