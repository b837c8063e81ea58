/* Files of other tools: where their marks stand, and how far is looked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/sniff/foreign.h"

static struct tv_error error;

static enum tv_code refuse(const void *bytes, size_t len)
{
    error = (struct tv_error){.code = TV_OK};
    return tv_foreign_refuse(bytes, len, &error);
}

static void expect_named(const void *bytes, size_t len, const char *words)
{
    assert_int_equal(refuse(bytes, len), TV_ERR_FOREIGN);
    assert_int_equal(error.offset, TV_NO_OFFSET);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
}

static void trace_and_nothing_are_not_foreign(void **state)
{
    static const char *const files[] = {
        "", "*version\n3\nclock=dual\n*threads\n1\tmain\n", "SLOW\3\0\40\0", "hello", "\n", "PK\3"};
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        assert_int_equal(refuse(files[i], strlen(files[i])), TV_OK);
}

static void mark_of_an_archive_stands_far_behind_its_start(void **state)
{
    char tar[512] = "name";
    (void)state;
    memcpy(tar + 257, "ustar", 5);
    expect_named(tar, sizeof(tar), "tar archive");
    expect_named(tar, 257 + 5, "tar archive");
    assert_int_equal(refuse(tar, 257 + 4), TV_OK);
    assert_int_equal(refuse(tar, 257), TV_OK);
    assert_int_equal(refuse(tar, 256), TV_OK);
}

/* What export writes, and somebody gives back. */
static void an_export_is_named(void **state)
{
    (void)state;
    expect_named("PAR1\x15\0", 6, "a Parquet file");
    expect_named("ARROW1\0\0", 8, "an Arrow file");
    expect_named("digraph g {\n", 12, "Graphviz");
}

static void perfetto_is_told_by_a_row_of_packets(void **state)
{
    (void)state;
    expect_named("\n\3abc", 5, "Perfetto");
    expect_named("\n\1a\n\1b\n\1c", 9, "Perfetto");
    expect_named("\n\1a\n\1b\n\1c\n\1dxyz", 15, "Perfetto"); /* four are enough */
    assert_int_equal(refuse("\n\1a\n\1b\n\1cxyz", 12), TV_OK);
    assert_int_equal(refuse("\n\1a\n\2b", 6), TV_OK); /* the second is cut */
    assert_int_equal(refuse("\n\0\n\0", 4), TV_OK);   /* without a length */
    assert_int_equal(refuse("\n", 1), TV_OK);
    assert_int_equal(refuse("\13\1a", 3), TV_OK);
}

/* Words count where the file begins as their kind does, and near the start only. */
static void words_are_looked_for_in_their_kind_of_text(void **state)
{
    char text[8192];
    (void)state;
    expect_named("\t\r\n [\"traceEvents\"", 18, "Chrome");
    assert_int_equal(refuse("x \"traceEvents\"", 15), TV_OK);
    expect_named("x\nDALVIK THREADS", 16, "ANR");
    expect_named("<DALVIK <html>", 14, "web page");
    memset(text, ' ', sizeof(text));
    text[0] = '{';
    memcpy(text + 4096 - 4, "\"ph\"", 4);
    expect_named(text, sizeof(text), "Chrome");
    memset(text + 1, ' ', sizeof(text) - 1);
    memcpy(text + 4096 - 3, "\"ph\"", 4);
    expect_named(text, sizeof(text), "a JSON file");
    memset(text, ' ', sizeof(text)); /* nothing but blanks */
    assert_int_equal(refuse(text, sizeof(text)), TV_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_and_nothing_are_not_foreign),
        cmocka_unit_test(mark_of_an_archive_stands_far_behind_its_start),
        cmocka_unit_test(an_export_is_named),
        cmocka_unit_test(perfetto_is_told_by_a_row_of_packets),
        cmocka_unit_test(words_are_looked_for_in_their_kind_of_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
