/* retrace/mapping_choice: of several mappings a trace gets the one that fits. */
#include "retrace/mapping_choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"

#define HALF "app.Store -> a.b:\n    void save() -> a\n"
#define WHOLE HALF "    void drop() -> b\n"
#define OTHER_NAMES "app.Shop -> a.b:\n    void buy() -> a\n    void sell() -> b\n"
#define NO_MAPPING "some notes\n"
#define HASH "# pg_map_hash: SHA-256 7d4b2a10ff\n"
#define OTHER_HASH "\xef\xbb\xbf# compiler: R8\n# pg_map_id: 0000001\n"

/* The chosen mapping is open, with the members that the choice looked at, and no other one is. */
static void expect_open(const struct tv_retracer *chosen, const struct tv_mapping_choice *choice,
                        const struct tv_str *of)
{
    if (choice->by == TV_CHOICE_NONE) {
        assert_int_equal(chosen->mapping.class_count, 0);
        return;
    }
    const struct tv_mapping_class *one = tv_name_mapping_class(&chosen->mapping, TV_STR("a.b"));
    assert_non_null(one);
    assert_non_null(one->members);
    const struct tv_str text = of[choice->chosen];
    assert_true(one->body.at > text.at && one->body.at <= text.at + text.len);
    assert_null(chosen->texts.newest); /* no name that a trial made */
}

static struct tv_mapping_choice choose(const char *const *texts, size_t count, const char *file)
{
    struct tv_mapping_choice choice;
    struct tv_str of[4];
    const struct tv_trace_method methods[] = {
        {.class_name = TV_STR("a/b"), .name = TV_STR("a"), .signature = TV_STR("()V")},
        {.class_name = TV_STR("a.b"),
         .name = TV_STR("b"),
         .signature = TV_STR("()V"),
         .file = tv_str_from(file)},
    };
    for (size_t i = 0; i < count; i++)
        of[i] = tv_str_from(texts[i]);
    struct tv_retracer chosen;
    tv_retracer_init(&chosen, tv_alloc_libc());
    assert_int_equal(tv_mapping_choose(&choice, &chosen, &(struct tv_mappings){of, count, false},
                                       methods, TV_COUNT_OF(methods), NULL),
                     TV_OK);
    assert_true(tv_str_equal(methods[0].name, TV_STR("a")));
    expect_open(&chosen, &choice, of);
    tv_retracer_release(&chosen);
    return choice;
}

static void the_mapping_that_knows_most_names_is_taken(void **state)
{
    static const char *const texts[] = {NO_MAPPING, HALF, WHOLE, HALF};
    (void)state;
    struct tv_mapping_choice choice = choose(texts, 4, "A.java");
    assert_int_equal(choice.by, TV_CHOICE_BY_NAMES);
    assert_int_equal(choice.chosen, 2);
    assert_int_equal(choice.known, 2);
    assert_int_equal(choice.asked, 2);
    assert_int_equal(choice.unreadable, 1);
    choice = choose(texts, 1, "A.java");
    assert_int_equal(choice.by, TV_CHOICE_NONE);
    choice = choose(texts, 0, "A.java");
    assert_int_equal(choice.by, TV_CHOICE_NONE);
}

static void an_id_counts_more_than_names(void **state)
{
    static const char *const texts[] = {OTHER_HASH WHOLE, HASH HALF, WHOLE};
    (void)state;
    struct tv_mapping_choice choice = choose(texts, 3, "r8-map-id-7d4b2a10ff");
    assert_int_equal(choice.by, TV_CHOICE_BY_ID);
    assert_int_equal(choice.chosen, 1);
    /* One that is known to be of another build is not taken for its names. */
    choice = choose(texts, 1, "r8-map-id-7d4b2a10ff");
    assert_int_equal(choice.by, TV_CHOICE_NONE);
    /* Only the first lines of it are read, in which nothing is bad. */
    assert_int_equal(choice.unreadable, 0);
    choice = choose(texts, 1, "A.java");
    assert_int_equal(choice.by, TV_CHOICE_BY_NAMES);
}

static void two_that_differ_are_no_choice(void **state)
{
    static const char *const differ[] = {HALF, WHOLE, OTHER_NAMES};
    static const char *const same[] = {WHOLE, HASH WHOLE};
    (void)state;
    struct tv_mapping_choice choice = choose(differ, 3, "A.java");
    assert_int_equal(choice.by, TV_CHOICE_TIE);
    assert_int_equal(choice.chosen, 1);
    assert_int_equal(choice.rival, 2);
    choice = choose(same, 2, "A.java");
    assert_int_equal(choice.by, TV_CHOICE_BY_NAMES);
    assert_int_equal(choice.chosen, 0);
}

/* Of a trace with `method_count` methods, of which the mapping knows two of class a.b. */
static enum tv_choice_by choose_of(size_t method_count, bool is_unasked, const char *file)
{
    const struct tv_str text = TV_STR(HASH WHOLE);
    static struct tv_trace_method methods[200];
    struct tv_mapping_choice choice;
    struct tv_retracer chosen;
    for (size_t i = 0; i < method_count; i++)
        methods[i] =
            (struct tv_trace_method){.class_name = i < 2 ? TV_STR("a.b") : TV_STR("java.C"),
                                     .name = i == 1 ? TV_STR("b") : TV_STR("a"),
                                     .signature = TV_STR("()V"),
                                     .file = tv_str_from(file)};
    tv_retracer_init(&chosen, tv_alloc_libc());
    assert_int_equal(tv_mapping_choose(&choice, &chosen,
                                       &(struct tv_mappings){&text, 1, is_unasked}, methods,
                                       method_count, NULL),
                     TV_OK);
    tv_retracer_release(&chosen);
    return choice.by;
}

/* Two short names of many are any build's. */
static void a_mapping_that_nobody_asked_for_needs_more_names(void **state)
{
    (void)state;
    assert_int_equal(choose_of(200, false, "A.java"), TV_CHOICE_BY_NAMES);
    assert_int_equal(choose_of(200, true, "A.java"), TV_CHOICE_NONE);
    assert_int_equal(choose_of(100, true, "A.java"), TV_CHOICE_BY_NAMES);
    assert_int_equal(choose_of(200, true, "r8-map-id-7d4b2a10ff"), TV_CHOICE_BY_ID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mapping_that_knows_most_names_is_taken),
        cmocka_unit_test(an_id_counts_more_than_names),
        cmocka_unit_test(two_that_differ_are_no_choice),
        cmocka_unit_test(a_mapping_that_nobody_asked_for_needs_more_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
