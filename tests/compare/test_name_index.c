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
    {.class_name = {STR("shop.Shop"), false},
     .name = {STR("pay | card.Card.pay"), false},
     .signature = STR("()V"),
     .alternatives = STR("pay | card.Card.pay")},
    {.class_name = {STR("shop.Shop"), false},
     .name = {STR("a | b | c | d | more"), false},
     .alternatives = STR("a | b | c | d | card.Card.e")},
    {.class_name = {STR("shop.Till"), false}, .name = {STR("in | out"), false}},
    {.class_name = {STR("z.Main"), false},
     .name = {STR("lambda$load$"), true},
     .signature = STR("(Ljava/lang/String;[I)V")},
};
static struct tv_join join = {.methods = methods, .count = TV_COUNT_OF(methods)};

/* The methods that are found, as bits; those that may be meant 16 bits higher. */
static unsigned find_by(const char *pattern,
                        enum tv_code (*search)(const struct tv_name_index *, struct tv_str,
                                               struct tv_found_methods *, struct tv_error *))
{
    struct tv_name_index names;
    struct tv_found_methods found = {.alloc = tv_alloc_libc()};
    unsigned bits = 0;
    tv_name_index_init(&names, tv_alloc_libc());
    assert_int_equal(tv_name_index_make(&names, &join, NULL), TV_OK);
    assert_int_equal(search(&names, tv_str_from(pattern), &found, NULL), TV_OK);
    for (size_t i = 0; i < found.count; i++) {
        assert_false(bits & 1u << found.of[i]); /* each once */
        bits |= 1u << found.of[i];
    }
    assert_true(found.named_count <= found.maybe_count);
    for (size_t i = 0; i < found.maybe_count; i++) {
        assert_false(bits & (0x10001u << found.maybe[i]));
        bits |= 0x10000u << found.maybe[i];
    }
    tv_found_methods_release(&found);
    tv_name_index_release(&names);
    return bits;
}

static unsigned find(const char *pattern)
{
    return find_by(pattern, tv_name_index_find);
}

static unsigned find_ending(const char *pattern)
{
    return find_by(pattern, tv_name_index_find_ending);
}

/* Spelled as people write names, with and without signatures, and with numbers that are cut off. */
static void the_end_of_a_name_leads_to_those_that_end_so(void **state)
{
    (void)state;
    assert_int_equal(find_ending("B.run"), 3);
    assert_int_equal(find_ending("B#run"), 3);
    assert_int_equal(find_ending("B.run(int)"), 1);
    assert_int_equal(find_ending("B.run (J)V"), 2);
    assert_int_equal(find_ending("C.stop"), 1u << 2);
    assert_int_equal(find_ending("B$$Lambda$14.run"), 1u << 3);
    assert_int_equal(find_ending("Main.lambda$load$7(String, int[])"), 1u << 8);
    /* A whole name, a part of a word, a star; a word alone, since a method has no name here. */
    assert_int_equal(find_ending("a.B.run"), 0);
    assert_int_equal(find_ending("ain.lambda$load$7"), 0);
    assert_int_equal(find_ending("*.run"), 0);
    assert_int_equal(find_ending("run"), 0);
}

static void a_name_that_lists_methods_is_found_by_each(void **state)
{
    (void)state;
    const unsigned pay = 1u << 5;
    const unsigned many = 1u << 6;
    const unsigned till = 1u << 7;
    assert_int_equal(find("shop.Shop.pay"), pay << 16);
    assert_int_equal(find("shop.Shop.pay ()V"), pay << 16);
    assert_int_equal(find("card.Card.pay"), pay << 16);
    assert_int_equal(find("card.*"), (pay | many) << 16);
    assert_int_equal(find("card.Card.e"), many << 16);
    assert_int_equal(find("*.pay"), pay);
    assert_int_equal(find("*.pay ()V"), pay);
    assert_int_equal(find("shop.Shop.*"), (pay | many) << 16);
    assert_int_equal(find("shop.Shop.pay | card.Card.pay"), pay);
    assert_int_equal(find("shop.Shop.pay?|?card.Card.pay ()V"), pay);
    assert_int_equal(find("shop.Shop.c"), many << 16);
    assert_int_equal(find("shop.Shop.more"), 0);
    assert_int_equal(find("shop.Till.*"), till);
    assert_int_equal(find("shop.Till.in | out"), till);
    assert_int_equal(find("shop.Till.in"), 0);
}

/* Whatever the pattern, the method may be the one that is meant. */
static void a_list_that_is_not_complete_may_be_any_method(void **state)
{
    (void)state;
    const unsigned many = 1u << 6;
    const struct tv_str before = methods[6].alternatives;
    methods[6].alternatives = methods[6].name.stem;
    assert_int_equal(find("shop.Shop.c"), many << 16);
    assert_int_equal(find("shop.Shop.more"), many << 16);
    assert_int_equal(find("a.B.run"), 3 | many << 16);
    assert_int_equal(find("b*"), many << 16);
    assert_int_equal(find("*"), 511);
    assert_int_equal(find("shop.Shop.a | b | c | d | more"), many);
    assert_int_equal(find("shop.Shop.a | b"), 0);
    methods[6].alternatives = before;
}

static void a_pattern_is_a_name_with_or_without_its_signature(void **state)
{
    (void)state;
    assert_int_equal(find("a.B.run"), 3);
    assert_int_equal(find("a.B.run (I)V"), 1);
    assert_int_equal(find("a.B.run (I)"), 1);
    assert_int_equal(find("a.B.run (I"), 0);
    assert_int_equal(find("a.B"), 0);
    assert_int_equal(find("a.B$C.stop"), 4);
    assert_int_equal(find("a.B.*"), 3);
    assert_int_equal(find("a.B*"), 15);
    assert_int_equal(find("*.run"), 11);
    assert_int_equal(find("a.?.run"), 3);
    assert_int_equal(find("?.B.run (?)V"), 3);
    assert_int_equal(find("a.B$$Lambda*.run"), 8);
    assert_int_equal(find("(0x1f)"), 16);
    assert_int_equal(find("*"), 511);
    assert_int_equal(find("b*"), 0);
    assert_int_equal(find("~"), 0);
}

static void a_pattern_may_be_written_as_people_write_names(void **state)
{
    (void)state;
    const unsigned lambda = 1u << 8;
    static const char *const of_int[] = {"a.B.run(int)",  "a.B.run(I)V",    "a.B#run(int)",
                                         "a/B.run(I)V",   "La/B;->run(I)V", "*.run(int)",
                                         "a.B.run (int)", "a.B.r*(I)*"};
    for (size_t i = 0; i < TV_COUNT_OF(of_int); i++)
        assert_int_equal(find(of_int[i]), 1);
    assert_int_equal(find("a/B#run"), 3);
    assert_int_equal(find("a.B.run()"), 0);
    assert_int_equal(find("a.B.run(short)"), 0);
    assert_int_equal(find("z.Main.*(String, int[])"), lambda);
    assert_int_equal(find("z.Main.lambda$load$0(java.lang.String, int[])"), lambda);
}

static void a_pattern_may_have_the_number_of_a_run(void **state)
{
    (void)state;
    const unsigned lambda = 1u << 8;
    static const char *const of_class[] = {"a.B$$Lambda$14.run", "a.B$$Lambda$*.run",
                                           "a.B$$Lambda??.run",  "a.B$$Lambda$7.0x00007f.run",
                                           "*$$Lambda$14.run",   "*Lambda$14.run",
                                           "a.B$$Lambda$14*",    "a.B$$Lambda$14.run()",
                                           "a.B$$Lambda$14.*",   "a.B$$Lambda/0x7f*.run ()V"};
    for (size_t i = 0; i < TV_COUNT_OF(of_class); i++)
        assert_int_equal(find(of_class[i]), 8);
    assert_int_equal(find("z.Main.lambda$load$3"), lambda);
    assert_int_equal(find("z.Main.lambda$load$?"), lambda);
    assert_int_equal(find("*lambda$load$3"), lambda);
    /* What is not cut off has its number. */
    assert_int_equal(find("a.B$$Lambda.run"), 0);
    assert_int_equal(find("a.B$$Lambda$14.stop"), 0);
    assert_int_equal(find("a.B$1.run"), 0);
    assert_int_equal(find("z.Main.lambda$save$3"), 0);
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
    if (code == TV_OK)
        code = tv_name_index_find(&names, TV_STR("*.lambda$load$1(*"), &found, NULL);
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
        cmocka_unit_test(a_name_that_lists_methods_is_found_by_each),
        cmocka_unit_test(the_end_of_a_name_leads_to_those_that_end_so),
        cmocka_unit_test(a_list_that_is_not_complete_may_be_any_method),
        cmocka_unit_test(a_pattern_is_a_name_with_or_without_its_signature),
        cmocka_unit_test(a_pattern_may_be_written_as_people_write_names),
        cmocka_unit_test(a_pattern_may_have_the_number_of_a_run),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
