/* retrace/class_members: the methods of one class. */
#include "retrace/class_members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"
#include "retrace/name_mapping.h"

static struct tv_class_members *read(const char *body)
{
    const struct tv_mapping_class of = {.original = TV_STR("app.Store"), .body = tv_str_from(body)};
    struct tv_class_members *members = NULL;
    assert_int_equal(tv_class_members_new(&members, &of, tv_alloc_libc(), NULL), TV_OK);
    return members;
}

static void expect(const struct tv_mapped_method *found, const char *name)
{
    if (!name) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_true(tv_str_equal(found->name, tv_str_from(name)));
}

static const struct tv_mapped_method *find(const struct tv_class_members *members,
                                           const char *written, enum tv_signature_of which,
                                           const char *signature)
{
    return tv_class_members_find(members, tv_str_from(written), which, tv_str_from(signature));
}

static void overloads_are_told_apart_by_their_signatures(void **state)
{
    struct tv_class_members *members = read("\n    void save(int) -> a"
                                            "\n    void load(long) -> a"
                                            "\n    int size(long) -> a"
                                            "\n    java.lang.String x -> a"
                                            "\n    void save(int) -> b");
    (void)state;
    assert_int_equal(members->count, 4);
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(I)V"), "save");
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(J)V"), "load");
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(J)I"), "size");
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "()V"), NULL);
    expect(find(members, "a", TV_SIGNATURE_OF_BUILD, "(I)V"), NULL);
    expect(find(members, "c", TV_SIGNATURE_OF_SOURCE, "(I)V"), NULL);
    size_t first;
    assert_int_equal(tv_class_members_named(members, TV_STR("a"), &first), 3);
    assert_int_equal(tv_class_members_named(members, TV_STR("b"), &first), 1);
    assert_int_equal(tv_class_members_named(members, TV_STR("c"), &first), 0);
    tv_class_members_free(members);
}

static void a_residual_signature_stands_for_the_one_of_the_source(void **state)
{
    struct tv_class_members *members = read(
        "\n    1:1:void save(app.Big) -> a"
        "\n      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(La/b;)V\"}"
        "\n    int count -> a"
        "\n      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"J\"}"
        "\n    2:2:void load() -> a");
    (void)state;
    expect(find(members, "a", TV_SIGNATURE_OF_BUILD, "(La/b;)V"), "save");
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(Lapp/Big;)V"), NULL);
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "()V"), "load");
    tv_class_members_free(members);
}

/* The last line of a range is the method that is entered. */
static void what_was_inlined_yields_to_the_method_around_it(void **state)
{
    struct tv_class_members *members = read("\n    1:1:void inner(int):5:5 -> a"
                                            "\n    1:1:void middle(int):9 -> a"
                                            "\n    1:1:void outer(int):20 -> a"
                                            "\n    2:2:void outer(int):21:21 -> a"
                                            "\n    2:2:void other(long):30:30 -> b");
    (void)state;
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(I)V"), "outer");
    expect(find(members, "b", TV_SIGNATURE_OF_SOURCE, "(J)V"), "other");
    unsigned inlined = 0;
    for (size_t i = 0; i < members->count; i++)
        inlined += members->methods[i].is_inlined;
    assert_int_equal(inlined, 2);
    tv_class_members_free(members);
}

/* ProGuard gives overloads of one source line one range; no signature fits the last of them. */
static void overloads_of_one_line_are_found(void **state)
{
    struct tv_class_members *members =
        read("\n    7:7:int one(int) -> a\n    7:7:long two(int) -> a");
    (void)state;
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(I)I"), "one");
    expect(find(members, "a", TV_SIGNATURE_OF_SOURCE, "(I)J"), "two");
    tv_class_members_free(members);
}

/* Both tools may name the class of a member that is the class it stands in. */
static void the_own_class_is_none_before_a_name(void **state)
{
    struct tv_class_members *members = read("\n    1:1:void stop():10:10 -> a"
                                            "\n    2:2:void app.Store.stop():11:11 -> a"
                                            "\n    1:1:void app.Store.open():20:20 -> b"
                                            "\n    1:1:void app.Store2.open():20:20 -> c");
    (void)state;
    assert_int_equal(members->count, 3);
    assert_int_equal(find(members, "a", TV_SIGNATURE_OF_SOURCE, "()V")->class_name.len, 0);
    assert_int_equal(find(members, "b", TV_SIGNATURE_OF_SOURCE, "()V")->class_name.len, 0);
    assert_true(tv_str_equal(find(members, "c", TV_SIGNATURE_OF_SOURCE, "()V")->class_name,
                             TV_STR("app.Store2")));
    tv_class_members_free(members);
}

static void what_the_compiler_made_is_marked(void **state)
{
    struct tv_class_members *members =
        read("\n# {\"id\":\"com.android.tools.r8.synthesized\"}"
             "\n    void run() -> a\n    void b() -> b"
             "\n      # {\"id\":\"com.android.tools.r8.synthesized\"}");
    (void)state;
    assert_true(members->is_synthesized);
    assert_false(find(members, "a", TV_SIGNATURE_OF_SOURCE, "()V")->is_synthesized);
    assert_true(find(members, "b", TV_SIGNATURE_OF_SOURCE, "()V")->is_synthesized);
    tv_class_members_free(members);
}

static void a_comment_is_about_the_line_before_it_even_if_that_cannot_be_read(void **state)
{
    struct tv_class_members *members =
        read("\n    void b() -> a\n    void cut( -> b"
             "\n      # {\"id\":\"com.android.tools.r8.synthesized\"}");
    (void)state;
    assert_false(members->is_synthesized);
    assert_false(members->methods[0].is_synthesized);
    tv_class_members_free(members);
}

static void bad_lines_are_counted(void **state)
{
    struct tv_class_members *members =
        read("\nbroken\n    void a( -> b\n    # {\"id\":\"cut\n\n  \r\n    int a() -> b");
    (void)state;
    assert_int_equal(members->bad_lines, 2);
    assert_int_equal(members->count, 1);
    tv_class_members_free(members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overloads_are_told_apart_by_their_signatures),
        cmocka_unit_test(a_residual_signature_stands_for_the_one_of_the_source),
        cmocka_unit_test(what_was_inlined_yields_to_the_method_around_it),
        cmocka_unit_test(overloads_of_one_line_are_found),
        cmocka_unit_test(the_own_class_is_none_before_a_name),
        cmocka_unit_test(what_the_compiler_made_is_marked),
        cmocka_unit_test(a_comment_is_about_the_line_before_it_even_if_that_cannot_be_read),
        cmocka_unit_test(bad_lines_are_counted),
    };
    return cmocka_run_group_tests_name("retrace/class_members", tests, NULL, NULL);
}
