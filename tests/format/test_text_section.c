/* Lines of the text section: options, threads, methods, and what is none of them. */
#include "format/text_section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reading.h"
#include "support/trace_builder.h"

struct section {
    struct tv_trace trace;
    struct tv_text_section found;
};

static void read_section(struct section *section, const char *text)
{
    struct tv_text_source source = {
        .bytes = (const uint8_t *)text, .len = strlen(text), .has_offsets = true};
    tv_trace_init(&section->trace, tv_alloc_libc());
    assert_int_equal(tv_text_section_read(&section->trace, &source, &section->found, NULL), TV_OK);
}

static void expect_bad_lines(const struct section *section, uint64_t count, uint64_t offset)
{
    const struct tv_finding *bad = &section->trace.findings.of[TV_FINDING_BAD_LINE];
    assert_int_equal(bad->count, count);
    if (count)
        assert_int_equal(bad->offset, offset);
}

static void options_are_understood_and_kept(void **state)
{
    (void)state;
    struct section s;
    read_section(&s, "*version\n3\nclock=dual\nelapsed-time-usec=42\nclock-call-overhead-nsec="
                     "345\nvm=art\npid=7\n"
                     "alloc-count=-3\nnum-method-calls=9\n*end\n");
    assert_true(s.found.has_end && s.found.has_version && s.found.has_record_count);
    assert_int_equal(s.found.version, 3);
    assert_int_equal(s.found.clock, TV_CLOCK_OPTION_DUAL);
    assert_int_equal(s.found.record_count, 9);
    assert_int_equal(s.trace.elapsed_ns, 42000);
    assert_int_equal(s.trace.clock_overhead_ns, 345);
    assert_int_equal(s.trace.pid, 7);
    expect_str(s.trace.vm, "art");
    assert_int_equal(s.trace.property_count, 7);
    expect_bad_lines(&s, 0, 0);
    tv_trace_release(&s.trace);
}

static void options_that_cannot_be_read_are_bad_lines(void **state)
{
    (void)state;
    struct section s;
    read_section(
        &s, "*version\nabc=1\nno equals\n=value\nclock=sun\npid=x\n\nelapsed-time-nsec=5\n*end\n");
    expect_bad_lines(&s, 5, strlen("*version\nabc=1\n"));
    assert_false(s.found.has_version);
    assert_int_equal(s.found.clock, TV_CLOCK_OPTION_NONE);
    assert_int_equal(s.trace.elapsed_ns, 5);
    assert_true(s.trace.has_elapsed);
    tv_trace_release(&s.trace);
    read_section(&s, "*version\n3\nelapsed-time-nsec=0\n*end\n");
    assert_false(s.trace.has_elapsed); /* 0 says that nobody knows */
    tv_trace_release(&s.trace);
    read_section(&s, "*version\n3\nelapsed-time-usec=0\n*end\n");
    assert_false(s.trace.has_elapsed);
    tv_trace_release(&s.trace);
}

static void a_thread_s_name_may_hold_tabs_and_newlines(void **state)
{
    (void)state;
    struct section s;
    read_section(&s, "*version\n3\n*threads\n1\tone\ttwo\n2\tthree\nfour\n\n3\t\n*methods\n*end\n");
    assert_int_equal(s.trace.thread_count, 3);
    expect_str(s.trace.threads[0].name, "one\ttwo");
    expect_str(s.trace.threads[1].name, "three\nfour\n");
    expect_str(s.trace.threads[2].name, "");
    expect_bad_lines(&s, 2, strlen("*version\n3\n*threads\n1\tone\ttwo\n2\tthree\n"));
    tv_trace_release(&s.trace);
}

static void names_are_compared_after_their_continuation_lines(void **state)
{
    (void)state;
    struct section s;
    read_section(&s, "*version\n3\n*threads\n1\ta\nb\n1\ta\nb\n*end\n");
    assert_int_equal(s.trace.findings.of[TV_FINDING_DUPLICATE_THREAD].count, 0);
    expect_bad_lines(&s, 2, strlen("*version\n3\n*threads\n1\ta\n"));
    tv_trace_release(&s.trace);
}

static void a_thread_id_beyond_32_bits_is_a_bad_line(void **state)
{
    (void)state;
    struct section s;
    read_section(&s, "*threads\n4294967295\tmost\n4294967296\tmore\n*end\n");
    assert_int_equal(s.trace.thread_count, 1);
    expect_bad_lines(&s, 1, strlen("*threads\n4294967295\tmost\n"));
    tv_trace_release(&s.trace);
}

static void expect_method(const char *line, uint64_t id, const char *const words[4], int32_t number)
{
    struct tv_trace_method method = {0};
    assert_int_equal(tv_text_parse_method_line(tv_str_from(line), &method), TV_TEXT_GOOD);
    assert_int_equal(method.id, id);
    expect_str(method.class_name, words[0]);
    expect_str(method.name, words[1]);
    expect_str(method.signature, words[2]);
    expect_str(method.file, words[3]);
    assert_int_equal(method.line, number);
}

#define WORDS(...) ((const char *const[4]){__VA_ARGS__})

static void method_lines_have_two_to_six_columns(void **state)
{
    (void)state;
    expect_method("0x4\tonly this", 4, WORDS("only this", "", "", ""), 0);
    expect_method("0x4\ta.B\tfoo", 4, WORDS("a.B", "foo", "", ""), 0);
    expect_method("0x4\ta.B\tfoo\t()V", 4, WORDS("a.B", "foo", "()V", ""), 0);
    expect_method("0x4\ta.B\tB.java\t12", 4, WORDS("a.B", "", "", "B.java"), 12);
    expect_method("0x4\ta.B\tfoo\t()V\t", 4, WORDS("a.B", "foo", "()V", ""), 0);
    expect_method("0x4\ta.B\tfoo\t()V\tB.java", 4, WORDS("a.B", "foo", "()V", "B.java"), 0);
    expect_method("0x4\ta/B\tfoo\t()V\tB.java\t-2", 4, WORDS("a/B", "foo", "()V", "B.java"), -2);
    expect_method("0x4\ta/B\tfoo\t()V\tB.java\t7\tmore", 4, WORDS("a/B", "foo", "()V", "B.java"),
                  7);
}

static void method_ids_are_decimal_hexadecimal_octal_or_nil(void **state)
{
    (void)state;
    expect_method("0\tx", 0, WORDS("x", "", "", ""), 0);
    expect_method("12\tx", 12, WORDS("x", "", "", ""), 0);
    expect_method("010\tx", 8, WORDS("x", "", "", ""), 0);
    expect_method("0xB6d0601c\tx", 0xb6d0601c, WORDS("x", "", "", ""), 0);
    expect_method("0XFFFFFFFC\tx", 0xfffffffc, WORDS("x", "", "", ""), 0);
    expect_method("(nil)\tx", 0, WORDS("x", "", "", ""), 0);
}

static void lines_that_describe_no_method_are_bad(void **state)
{
    (void)state;
    struct section s;
    read_section(&s, "*methods\n0x4\nzz\ta\tb\n\n0x\ta\n0x8\ta\tb\t()V\tF\tnumber\n*end\n");
    expect_bad_lines(&s, 5, strlen("*methods\n"));
    assert_int_equal(s.trace.method_count, 1); /* 0x8, without its line number */
    tv_trace_release(&s.trace);
}

static void sections_may_come_in_any_order_and_again(void **state)
{
    (void)state;
    struct section s;
    read_section(
        &s, "*methods\n0x4\ta\n*threads\n1\tx\n*version\n3\nvm=art\n*threads\n2\ty\n*end\nrest");
    assert_int_equal(s.trace.method_count, 1);
    assert_int_equal(s.trace.thread_count, 2);
    assert_int_equal(s.found.version, 3);
    expect_bad_lines(&s, 0, 0);
    tv_trace_release(&s.trace);
}

static void carriage_returns_are_no_part_of_anything(void **state)
{
    (void)state;
    struct section s;
    static const char text[] =
        "*version\r\n3\r\nvm=art\r\n*threads\r\n1\tmain\r\n*methods\r\n0x4\ta\tb\r\n*end\r\n";
    read_section(&s, text);
    expect_str(s.trace.vm, "art");
    expect_str(s.trace.threads[0].name, "main");
    expect_str(s.trace.methods[0].name, "b");
    assert_int_equal(s.found.end_pos, sizeof(text) - 1);
    expect_bad_lines(&s, 0, 0);
    tv_trace_release(&s.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_understood_and_kept),
        cmocka_unit_test(options_that_cannot_be_read_are_bad_lines),
        cmocka_unit_test(a_thread_s_name_may_hold_tabs_and_newlines),
        cmocka_unit_test(names_are_compared_after_their_continuation_lines),
        cmocka_unit_test(a_thread_id_beyond_32_bits_is_a_bad_line),
        cmocka_unit_test(method_lines_have_two_to_six_columns),
        cmocka_unit_test(method_ids_are_decimal_hexadecimal_octal_or_nil),
        cmocka_unit_test(lines_that_describe_no_method_are_bad),
        cmocka_unit_test(sections_may_come_in_any_order_and_again),
        cmocka_unit_test(carriage_returns_are_no_part_of_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
