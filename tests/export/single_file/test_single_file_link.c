/* The link in a page: its times are those of the part, and where names are hashes it has none. */
#include "export/single_file/single_file_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"

static const struct tv_single_file_cut whole = {.has_range = false};
static const struct tv_single_file_cut part = {
    .has_range = true, .from_ns = 100000000, .to_ns = 300000000};
static const struct tv_single_file_cut redacted = {
    .has_range = true, .from_ns = 100000000, .to_ns = 300000000, .is_redacted = true};

static struct tv_buffer text;

static int begin(void **state)
{
    (void)state;
    tv_buffer_init(&text, tv_alloc_libc());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_buffer_release(&text);
    return 0;
}

static const char *written_with(const char *link, const struct tv_single_file_cut *cut,
                                bool has_old)
{
    struct tv_out out;
    text.len = 0;
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_single_file_link_put(&out, tv_str_from(link), cut, has_old);
    tv_out_bytes(&out, "", 1);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    return (const char *)text.bytes;
}

static const char *written(const char *link, const struct tv_single_file_cut *cut)
{
    return written_with(link, cut, false);
}

static void a_link_to_the_whole_trace_stays_as_it_is(void **state)
{
    static const char link[] =
        "tab=tree&clock=wall&range=0-900ms,100-300.000001ms&view=0.5-1ms&threads=1:main&"
        "mark=250-310ms|a%252Cb|1:main|3|a.b.C.d()V&call=1:main|3|a.b.C.d()V&new=x&op=drop:x";
    (void)state;
    assert_string_equal(written(link, &whole), link);
    assert_string_equal(written("", &whole), "");
}

static void times_are_those_of_the_part(void **state)
{
    (void)state;
    assert_string_equal(written("range=0-900ms,100-300ms,400-500ms&view=150-400ms&"
                                "picked=500-600ms&mark=250-310ms|here&mark=1-2ms|gone",
                                &part),
                        "range=0-200ms,0-200ms&view=50-200ms&mark=150-200ms|here");
}

static void separators_may_be_escaped(void **state)
{
    (void)state;
    assert_string_equal(written("range=0-900ms%2C100-300ms&mark=250-310ms%7cx", &part),
                        "range=0-200ms,0-200ms&mark=150-200ms|x");
}

static void a_call_of_a_part_is_told_by_its_method(void **state)
{
    (void)state;
    assert_string_equal(written("call=1:main|3|a.b.C.d()V", &part), "method=a.b.C.d()V");
    assert_string_equal(written("mark=150-160ms|x|1:main|3|a.b.C.d()V", &part), "mark=50-60ms|x");
    assert_string_equal(written("call=1:main&tab=tree", &part), "tab=tree");
}

static void what_is_no_range_is_left_out(void **state)
{
    static const char *const wrong[] = {
        "",          "1",       "1-2",    "2-1ms",   "1-1ms",
        "1-2ms3",    "x1-2ms",  "-1-2ms", "1.-2msx", "1-99999999999999999999ms",
        "1e3-2e3ms", "1-2%6ds", " 1-2ms", "1--2ms",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(wrong); i++) {
        char link[64] = "view=";
        strcat(link, wrong[i]);
        assert_string_equal(written(link, &whole), "");
    }
}

static void redacted_a_link_names_nothing(void **state)
{
    const char *link = written(
        "tab=calls&clock=wall&range=100-300ms&threads=1:main&open=1:main&pin=1:main&hide=4:Worker&"
        "order=1:main&mark=150-160ms|secret|1:main|3|app.Main&method=app.Main.run()V&search=app&"
        "filter=Database&without=java.&op=drop:app.Main&zoom=app.Main&group=package&"
        "sort=exclusive.wall.desc&call=1:main|2|app.Main&new=app&%6Dethod=app&=app&app",
        &redacted);
    (void)state;
    assert_string_equal(link, "tab=calls&clock=wall&range=0-200ms&mark=50-60ms|&group=package&"
                              "sort=exclusive.wall.desc");
    assert_string_equal(written("tab=app&sort=wall.app&view=150-160ms-app", &redacted), "");
    assert_string_equal(written("story=2.1&story=app.1&siblings=time&middle=app", &redacted),
                        "story=2.1&siblings=time");
}

/* Calls are counted anew in a part. */
static void two_calls_are_kept_with_the_whole_trace(void **state)
{
    const struct tv_single_file_cut unnamed = {.is_redacted = true};
    (void)state;
    assert_string_equal(written("tab=changes&beside=1.5.9,1.5.0", &whole),
                        "tab=changes&beside=1.5.9,1.5.0");
    assert_string_equal(written("tab=changes&beside=1.5.9,1.5.0", &part), "");
    assert_string_equal(written("beside=1.5.9,1.5.0&tab=changes&clock=cpu", &redacted),
                        "clock=cpu");
    assert_string_equal(written("beside=1.5.9,1.5.0&tab=tree", &part), "tab=tree");
    assert_string_equal(written_with("tab=changes&beside=1.5.9,1.5.0", &part, true),
                        "tab=changes&against=1");
    assert_string_equal(written("beside=1.5.9,1.5.0", &unnamed), "beside=1.5.9,1.5.0");
    assert_string_equal(written("beside=1.5.9,app.Main", &unnamed), "");
}

/* The number that a viewer gave to the old trace is of no use in a page. */
static void the_old_trace_is_the_one_of_the_page(void **state)
{
    (void)state;
    assert_string_equal(written("tab=changes&against=3&change=new", &whole),
                        "tab=changes&change=new");
    assert_string_equal(written_with("tab=tree&against=3&change=new", &whole, true),
                        "tab=tree&change=new&against=1");
    assert_string_equal(written_with("", &whole, true), "tab=changes&against=1");
    assert_string_equal(written_with("mark=1-2ms|x", &whole, true),
                        "mark=1-2ms|x&tab=changes&against=1");
    assert_string_equal(written_with("tab=changes&change=new", &redacted, true),
                        "tab=changes&against=1");
    assert_string_equal(written_with("tab=app", &redacted, true), "tab=changes&against=1");
}

static void marks_are_read_in_their_order(void **state)
{
    struct tv_str link = TV_STR("tab=tree&mark=1-2ms|a%2520b+c%252C%257C%2525&mark=x&mark=3-4ms");
    struct tv_single_file_mark mark;
    char name[32];
    (void)state;
    assert_true(tv_single_file_mark_next(&link, &mark));
    assert_int_equal(mark.from_ns, 1000000);
    assert_int_equal(mark.to_ns, 2000000);
    size_t len = tv_single_file_mark_text(&mark, name, sizeof(name));
    assert_int_equal(len, strlen("a%20b c,|%"));
    assert_memory_equal(name, "a%20b c,|%", len);
    assert_true(tv_single_file_mark_next(&link, &mark));
    assert_int_equal(tv_single_file_mark_text(&mark, name, sizeof(name)), 0);
    assert_false(tv_single_file_mark_next(&link, &mark));
}

static void a_mark_that_is_written_is_read_back(void **state)
{
    const struct tv_single_file_mark mark = {1500000, 2000001,
                                             TV_STR("50 %, <a|b> & \xc3\xa9=%2C")};
    struct tv_single_file_mark again;
    struct tv_out out;
    char name[64];
    (void)state;
    text.len = 0;
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_single_file_mark_put(&out, &mark);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    struct tv_str link = tv_buffer_view(&text);
    assert_int_equal(
        tv_str_find(link, TV_STR("mark=1.5-2.000001ms|50%20%2525%252C"), TV_CASE_EXACT), 0);
    assert_true(tv_single_file_mark_next(&link, &again));
    assert_int_equal(again.from_ns, mark.from_ns);
    assert_int_equal(again.to_ns, mark.to_ns);
    assert_int_equal(tv_single_file_mark_text(&again, name, sizeof(name)), mark.text.len);
    assert_memory_equal(name, mark.text.at, mark.text.len);
}

static void no_more_of_a_text_is_read_than_there_is_room_for(void **state)
{
    struct tv_str link = TV_STR("mark=1-2ms|abcdef");
    struct tv_single_file_mark mark;
    char name[3];
    (void)state;
    assert_true(tv_single_file_mark_next(&link, &mark));
    assert_int_equal(tv_single_file_mark_text(&mark, name, sizeof(name)), 3);
    assert_memory_equal(name, "abc", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_link_to_the_whole_trace_stays_as_it_is, begin, end),
        cmocka_unit_test_setup_teardown(times_are_those_of_the_part, begin, end),
        cmocka_unit_test_setup_teardown(separators_may_be_escaped, begin, end),
        cmocka_unit_test_setup_teardown(a_call_of_a_part_is_told_by_its_method, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_range_is_left_out, begin, end),
        cmocka_unit_test_setup_teardown(redacted_a_link_names_nothing, begin, end),
        cmocka_unit_test_setup_teardown(two_calls_are_kept_with_the_whole_trace, begin, end),
        cmocka_unit_test_setup_teardown(the_old_trace_is_the_one_of_the_page, begin, end),
        cmocka_unit_test_setup_teardown(marks_are_read_in_their_order, begin, end),
        cmocka_unit_test_setup_teardown(a_mark_that_is_written_is_read_back, begin, end),
        cmocka_unit_test_setup_teardown(no_more_of_a_text_is_read_than_there_is_room_for, begin,
                                        end),
    };
    return cmocka_run_group_tests_name("export/page_link", tests, NULL, NULL);
}
