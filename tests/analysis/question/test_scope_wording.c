/* What of a trace a scope is about, in words. */
#include "analysis/question/scope_wording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "support/failing_alloc.h"

static const uint32_t threads[] = {0, 3};
static const struct tv_call_set set;
static const struct tv_str patterns[] = {{"Db", 2}, {"Net.<init>", 10}, {"a", 1}, {"b", 1}};

static void expect_words(const struct tv_scope_part *part, unsigned kinds, const char *words)
{
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_scope_word_part(part, kinds, &out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)out.bytes, words);
    tv_buffer_release(&out);
}

static void expect_whole(const struct tv_selection *selection, const char *words)
{
    struct tv_buffer buffer;
    struct tv_out out;
    tv_buffer_init(&buffer, tv_alloc_libc());
    tv_out_init(&out, tv_buffer_sink(&buffer));
    tv_scope_put_whole(&out, selection);
    assert_int_equal(tv_out_finish(&out, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&buffer, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)buffer.bytes, words);
    tv_buffer_release(&buffer);
}

static struct tv_scope_part narrow(void)
{
    return (struct tv_scope_part){
        .scope = {.selection = {.has_range = true,
                                .from_ns = 1500000,
                                .to_ns = 2000001,
                                .threads = threads,
                                .thread_count = 2},
                  .methods = {.patterns = patterns, .pattern_count = 2, .hidden = TV_STR("java.")}},
        .levels = 5};
}

static void all_of_a_trace_has_no_words(void **state)
{
    (void)state;
    const struct tv_scope_part whole = {.levels = 0};
    expect_words(&whole, TV_SCOPE_ALL, "");
    expect_whole(&whole.scope.selection, "the root calls of all threads");
}

static void each_limit_of_a_part_is_told(void **state)
{
    (void)state;
    struct tv_scope_part part = narrow();
    expect_words(&part, TV_SCOPE_ALL,
                 "2 threads, from 1.5 to 2.000001 ms, stacks with Db or Net.<init>, without "
                 "java., 5 levels of calls");
    expect_words(&part, TV_SCOPE_RANGE | TV_SCOPE_LEVELS,
                 "from 1.5 to 2.000001 ms, 5 levels of calls");
    expect_whole(&part.scope.selection, "the root calls of 2 threads");
    part.scope.selection.set = &set;
    part.scope.selection.thread_count = 1;
    part.scope.methods.pattern_count = 4;
    part.levels = 1;
    expect_words(
        &part, TV_SCOPE_THREADS | TV_SCOPE_CALLS | TV_SCOPE_LEVELS,
        "1 thread, chosen calls and what they called, stacks with Db or Net.<init> or a or "
        "others, 1 level of calls");
    expect_whole(&part.scope.selection, "the chosen calls on 1 thread");
}

/* A pattern may be the name that is to be hidden. */
static void of_a_redacted_part_no_name_is_told(void **state)
{
    (void)state;
    struct tv_scope_part part = narrow();
    part.is_redacted = true;
    expect_words(&part, TV_SCOPE_CALLS | TV_SCOPE_HIDDEN,
                 "stacks with a method of a name that was asked for, without some packages");
}

static enum tv_code word(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_buffer out;
    (void)ctx;
    const struct tv_scope_part part = narrow();
    tv_buffer_init(&out, alloc);
    enum tv_code code = tv_scope_word_part(&part, TV_SCOPE_ALL, &out, NULL);
    tv_buffer_release(&out);
    return code;
}

static void without_memory_it_fails(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(word, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_trace_has_no_words),
        cmocka_unit_test(each_limit_of_a_part_is_told),
        cmocka_unit_test(of_a_redacted_part_no_name_is_told),
        cmocka_unit_test(without_memory_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
