/* Methods that are matched by hand: an old trace under the names of a new one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/selection/names.h"
#include "base/memory/buffer.h"
#include "compare/hand_match.h"
#include "compare/made.h"
#include "support/failing_alloc.h"

static struct made old_run;
static struct made new_run;

static int set_up(void **state)
{
    (void)state;
    made_begin(&old_run, "0x4\ta.a\tf\t()V\tA.java\n0x8\ta.b\tf\t()V\tB.java\n"
                         "0xc\ta.M$$Lambda$7\trun\t()V\tM.java\n"
                         "0x10\ta.M\tg\t()V\tM.java\n0x14\ta.M\tg\t(I)V\tM.java\n");
    made_call(&old_run, 4, 0, 1000);
    made_call(&old_run, 8, 1000, 2000);
    made_end(&old_run);
    made_begin(&new_run, "0x4\ta.b\tf\t()V\tA.java\n0x8\ta.c\th\t(I)V\tC.java\n"
                         "0xc\ta.M$$Lambda$9\trun\t()V\tM.java\n");
    made_call(&new_run, 4, 0, 1000);
    made_end(&new_run);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    made_release(&old_run);
    made_release(&new_run);
    return 0;
}

/* Matches one method, and makes the view. */
static enum tv_code make(struct tv_hand_matches *matches, struct tv_matched_index *made,
                         const char *old_name, const char *new_name, struct tv_error *err)
{
    TV_TRY(tv_hand_matches_add(matches, tv_str_from(old_name), tv_str_from(new_name), err));
    TV_TRY(tv_hand_matches_look(matches, &new_run.index, err));
    TV_TRY(tv_hand_matches_check(matches, TV_SIDE_NEW, err));
    TV_TRY(tv_matched_index_make(made, matches, &old_run.index, err));
    return tv_hand_matches_check(matches, TV_SIDE_OLD, err);
}

/* Whether the view has a method of that name, and the index that it is of none. */
static bool has_only(const struct tv_index *view, const char *text)
{
    struct tv_buffer name;
    bool has = false;
    tv_buffer_init(&name, tv_alloc_libc());
    for (uint32_t i = 0; i < view->method_count; i++) {
        assert_int_equal(tv_method_text(view, i, &name, NULL), TV_OK);
        has = has || tv_str_equal(tv_buffer_view(&name), tv_str_from(text));
        assert_int_equal(tv_method_text(&old_run.index, i, &name, NULL), TV_OK);
        assert_false(tv_str_equal(tv_buffer_view(&name), tv_str_from(text)));
    }
    tv_buffer_release(&name);
    return has;
}

static void an_old_method_has_the_name_of_the_new_one(void **state)
{
    (void)state;
    static const char *const names[] = {"a.a.f ()V", "a.a.f", "a.M$$Lambda*.run ()V",
                                        "a.M$$Lambda$7.run ()V"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        struct tv_hand_matches matches;
        struct tv_matched_index made;
        tv_hand_matches_init(&matches, tv_alloc_libc());
        tv_matched_index_init(&made, tv_alloc_libc());
        assert_int_equal(make(&matches, &made, names[i], "a.c.h (I)V", NULL), TV_OK);
        assert_true(has_only(&made.index, "a.c.h (I)V"));
        tv_matched_index_release(&made);
        tv_hand_matches_release(&matches);
    }
}

/* Names of released builds are given anew in each: a.b of the one is not a.b of the other. */
static void another_method_of_the_name_is_told_apart(void **state)
{
    (void)state;
    struct tv_hand_matches matches;
    struct tv_matched_index made;
    tv_hand_matches_init(&matches, tv_alloc_libc());
    tv_matched_index_init(&made, tv_alloc_libc());
    assert_int_equal(make(&matches, &made, "a.a.f ()V", "a.b.f ()V", NULL), TV_OK);
    assert_true(has_only(&made.index, "a.b.f ()V (old)"));
    assert_int_equal(made.index.methods[0].class_len, 3);
    assert_memory_equal(tv_method_class(&made.index, 0).at, "a.b", 3);
    tv_matched_index_release(&made);
    tv_hand_matches_release(&matches);
}

/* Whether the matched old method, the first one, alone is a new one to a join. */
static bool is_matched_alone(const struct tv_index *view, uint32_t new_method)
{
    for (uint32_t i = 0; i < view->method_count; i++) {
        if (tv_joined_is_same(view, i, &new_run.index, new_method) != (i == 0))
            return false;
    }
    return true;
}

/* The new name may lack its signature, or be one that changes with each run. */
static void another_method_is_told_apart_however_the_new_one_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *new_name, *parted;
        uint32_t new_method;
    } cases[] = {{"a.b.f", "a.b.f ()V (old)", 0},
                 {"a.M$$Lambda*.run ()V", "a.M$$Lambda$7.run ()V (old)", 2},
                 {"a.M$$Lambda$9.run ()V", "a.M$$Lambda$7.run ()V (old)", 2},
                 {"a.M$$Lambda*.run", "a.M$$Lambda$7.run ()V (old)", 2}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_hand_matches matches;
        struct tv_matched_index made;
        tv_hand_matches_init(&matches, tv_alloc_libc());
        tv_matched_index_init(&made, tv_alloc_libc());
        assert_int_equal(make(&matches, &made, "a.a.f ()V", cases[i].new_name, NULL), TV_OK);
        assert_true(has_only(&made.index, cases[i].parted));
        assert_true(is_matched_alone(&made.index, cases[i].new_method));
        tv_matched_index_release(&made);
        tv_hand_matches_release(&matches);
    }
}

static void what_cannot_be_matched_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *old_name, *new_name, *text;
        enum tv_code code;
    } cases[] = {
        {"x.y ()V", "a.c.h (I)V", "the old side has no method x.y ()V, which is matched by hand",
         TV_ERR_NOT_FOUND},
        {"a.a.f ()V", "x.y", "the new side has no method x.y, which is matched by hand",
         TV_ERR_NOT_FOUND},
        {"a.M.g", "a.c.h (I)V", "2 methods are called a.M.g: add the signature", TV_ERR_ARGUMENT},
        {"", "a.c.h (I)V", "a match is the name of an old method and that of a new one",
         TV_ERR_ARGUMENT},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_hand_matches matches;
        struct tv_matched_index made;
        struct tv_error err = {.code = TV_OK};
        tv_hand_matches_init(&matches, tv_alloc_libc());
        tv_matched_index_init(&made, tv_alloc_libc());
        assert_int_equal(make(&matches, &made, cases[i].old_name, cases[i].new_name, &err),
                         cases[i].code);
        assert_string_equal(err.text, cases[i].text);
        tv_matched_index_release(&made);
        tv_hand_matches_release(&matches);
    }
}

static void a_method_is_matched_once(void **state)
{
    (void)state;
    struct tv_hand_matches matches;
    struct tv_error err;
    char names[TV_HAND_MATCHES_MOST][8];
    tv_hand_matches_init(&matches, tv_alloc_libc());
    for (unsigned i = 0; i < TV_HAND_MATCHES_MOST; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "m%u", i);
        assert_int_equal(
            tv_hand_matches_add(&matches, tv_str_from(names[i]), tv_str_from(names[i]), NULL),
            TV_OK);
        if (i)
            continue;
        assert_int_equal(tv_hand_matches_add(&matches, TV_STR("m0"), TV_STR("n"), &err),
                         TV_ERR_ARGUMENT);
        assert_string_equal(err.text, "m0 is matched twice");
    }
    assert_int_equal(tv_hand_matches_add(&matches, TV_STR("x"), TV_STR("y"), &err), TV_ERR_LIMIT);
    tv_hand_matches_release(&matches);
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    bool has_failed = true;
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        struct tv_hand_matches matches;
        struct tv_matched_index made;
        failing_alloc_init(&failing, fail_at);
        tv_hand_matches_init(&matches, &failing.alloc);
        tv_matched_index_init(&made, &failing.alloc);
        enum tv_code code = make(&matches, &made, "a.a.f ()V", "a.b.f ()V", NULL);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        tv_matched_index_release(&made);
        tv_hand_matches_release(&matches);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_method_has_the_name_of_the_new_one),
        cmocka_unit_test(another_method_of_the_name_is_told_apart),
        cmocka_unit_test(another_method_is_told_apart_however_the_new_one_is_named),
        cmocka_unit_test(what_cannot_be_matched_is_told),
        cmocka_unit_test(a_method_is_matched_once),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
