/* The one block that an index is. */
#include "index/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "support/failing_alloc.h"
#include "support/random_trace.h"

static const size_t elem_lens[] = {
#define LEN(name, elem_len) elem_len,
    TV_SECTIONS(LEN)
#undef LEN
};

static void sections_are_aligned_and_lie_in_the_block(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_random(&t, (struct random_opts){.seed = 1, .records = 500, .methods = 3});
    make_index(&index, &t);
    struct tv_block_head head;
    memcpy(&head, index.block, sizeof(head));
    assert_true(head.magic == TV_BLOCK_MAGIC);
    expect_number("version", head.version, TV_BLOCK_VERSION);
    expect_number("sections", head.section_count, TV_SECTION_COUNT);
    expect_number("length", head.block_len, index.block_len);
    uint64_t end = sizeof(head);
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++) {
        expect_number("alignment", head.sections[i].off % 64, 0);
        assert_true(head.sections[i].off >= end && head.sections[i].off - end < 64);
        for (; end < head.sections[i].off; end++)
            expect_number("between sections", index.block[end], 0);
        end += head.sections[i].count * elem_lens[i];
    }
    expect_number("end", end, index.block_len);
    tv_index_release(&index);
}

static void columns_come_first_and_the_rest_behind_them(void **state)
{
    (void)state;
    struct tv_index index;
    uint64_t counts[TV_SECTION_COUNT] = {[TV_SECTION_TIMES] = 8, [TV_SECTION_CALL_NODE] = 2};
    tv_index_init(&index);
    assert_int_equal(tv_block_make(&index, tv_alloc_libc(), counts, TV_COLUMN_SECTION_COUNT, NULL),
                     TV_OK);
    memset(tv_block_section(&index, TV_SECTION_TIMES), 7, 8);
    memset(tv_block_section(&index, TV_SECTION_CALL_NODE), 9, 8);
    counts[TV_SECTION_INFO] = 1;
    counts[TV_SECTION_TEXT] = 1000;
    assert_int_equal(tv_block_make(&index, tv_alloc_libc(), counts, TV_SECTION_COUNT, NULL), TV_OK);
    memset(tv_block_section(&index, TV_SECTION_INFO), 7, sizeof(struct tv_index_info));
    memset(tv_block_section(&index, TV_SECTION_TEXT), 7, 1000);
    tv_block_clear(&index, TV_SECTION_INFO, TV_SECTION_TEXT, tv_pool_serial());
    tv_block_clear_gaps(&index);
    expect_number("time", index.times[7], 7);
    expect_number("node", index.call_node[1], 0x09090909);
    expect_number("calls", index.call_count, 2);
    expect_number("text", index.text_len, 1000);
    for (size_t i = 0; i < 1000; i++)
        expect_number("text", (unsigned char)index.text[i], 0);
    expect_number("records", index.info->records, 0);
    tv_index_release(&index);
}

static void size_that_overflows_is_no_memory(void **state)
{
    (void)state;
    static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 4, UINT64_MAX - 600};
    for (size_t i = 0; i < TV_COUNT_OF(huge); i++) {
        struct tv_index index;
        uint64_t counts[TV_SECTION_COUNT] = {
            [TV_SECTION_TIMES] = huge[i], [TV_SECTION_CALL_NODE] = huge[i]};
        tv_index_init(&index);
        assert_int_equal(tv_block_make(&index, tv_alloc_libc(), counts, TV_SECTION_COUNT, NULL),
                         TV_ERR_MEMORY);
        assert_null(index.block);
        tv_index_release(&index);
    }
}

static void failed_growth_keeps_the_block(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_index index;
    uint64_t counts[TV_SECTION_COUNT] = {[TV_SECTION_TIMES] = 8};
    failing_alloc_init(&failing, 1);
    tv_index_init(&index);
    assert_int_equal(tv_block_make(&index, &failing.alloc, counts, TV_COLUMN_SECTION_COUNT, NULL),
                     TV_OK);
    counts[TV_SECTION_TEXT] = 1000;
    assert_int_equal(tv_block_make(&index, &failing.alloc, counts, TV_SECTION_COUNT, NULL),
                     TV_ERR_MEMORY);
    assert_non_null(index.block);
    tv_index_release(&index);
    expect_number("live", failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void released_index_is_as_after_init(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    struct tv_index fresh;
    tv_index_init(&fresh);
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    make_index(&index, &t);
    tv_index_release(&index);
    assert_memory_equal(&index, &fresh, sizeof(fresh));
    tv_index_release(&index);
}

/* Nothing in a block is an address: a copy of it elsewhere has the same bytes and lengths. */
static void same_trace_gives_the_same_bytes_again(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index a;
    struct tv_index b;
    struct failing_alloc failing;
    failing_alloc_init(&failing, NEVER_FAIL); /* what it leaves unset differs from libc's */
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_random(&t, (struct random_opts){.seed = 2, .records = 777, .methods = 3});
    assert_int_equal(build_index(&a, &t.bytes, NULL, NULL, tv_alloc_libc(), NULL), TV_OK);
    assert_int_equal(build_index(&b, &t.bytes, NULL, NULL, &failing.alloc, NULL), TV_OK);
    expect_same_block(&a, &b, "again");
    build_release(&t);
    tv_index_release(&a);
    tv_index_release(&b);
    expect_number("live", failing.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_aligned_and_lie_in_the_block),
        cmocka_unit_test(columns_come_first_and_the_rest_behind_them),
        cmocka_unit_test(size_that_overflows_is_no_memory),
        cmocka_unit_test(failed_growth_keeps_the_block),
        cmocka_unit_test(released_index_is_as_after_init),
        cmocka_unit_test(same_trace_gives_the_same_bytes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
