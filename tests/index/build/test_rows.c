/* Pages of calls, and widening. */
#include "index/build/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "support/failing_alloc.h"

static void add_narrow(struct tv_call_row *row, const struct tv_alloc *alloc, uint32_t i)
{
    const struct tv_narrow_call call = {.node = i, .time = {i * 2, i * 3, i * 5, UINT32_MAX - i}};
    if (!row->room)
        assert_int_equal(tv_row_add_buffer(row, alloc, sizeof(call), NULL), TV_OK);
    row->tail += sizeof(call);
    row->room--;
    row->last_count++;
    row->count++;
    memcpy(row->tail, &call, sizeof(call));
}

static void expect_pages(struct tv_call_row *row, uint32_t count, size_t call_len)
{
    uint32_t seen = 0;
    for (struct tv_row_buffer *page = NULL; (page = tv_row_next_buffer(row, page));) {
        for (uint32_t i = 0; i < tv_row_buffer_count(row, page); i++, seen++) {
            uint32_t node;
            memcpy(&node, tv_row_buffer_calls(page) + i * call_len, sizeof(node));
            expect_number("node", node, seen);
        }
    }
    expect_number("calls in pages", seen, count);
    expect_number("count", row->count, count);
}

static void pages_grow_to_a_limit(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_call_row row = {.tail = NULL};
    failing_alloc_init(&failing, NEVER_FAIL);
    for (uint32_t i = 0; i < 100000; i++)
        add_narrow(&row, &failing.alloc, i);
    expect_pages(&row, 100000, sizeof(struct tv_narrow_call));
    for (struct tv_row_buffer *page = NULL; (page = tv_row_next_buffer(&row, page));)
        assert_true(page->len <= 256 * 1024);
    if (failing.requests > 24)
        fail_msg("%llu pages for 2 MB", (unsigned long long)failing.requests);
    tv_row_release(&row, &failing.alloc);
    assert_null(row.tail);
    expect_number("live", failing.live, 0);
    assert_false(failing.was_lied_to);
}

static void widened_calls_keep_their_numbers(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 6, 7, 1000};
    for (size_t k = 0; k < TV_COUNT_OF(counts); k++) {
        struct failing_alloc failing;
        struct tv_call_row row = {.tail = NULL};
        failing_alloc_init(&failing, NEVER_FAIL);
        for (uint32_t i = 0; i < counts[k]; i++)
            add_narrow(&row, &failing.alloc, i);
        assert_int_equal(tv_row_widen(&row, &failing.alloc, NULL), TV_OK);
        expect_pages(&row, counts[k], sizeof(struct tv_wide_call));
        if (counts[k]) {
            struct tv_wide_call last;
            uint64_t i = counts[k] - 1;
            memcpy(&last, row.tail, sizeof(last));
            expect_number("wall", last.time[0] + last.time[1], i * 5);
            expect_number("cpu", last.time[2] + last.time[3], i * 4 + UINT32_MAX);
        }
        tv_row_release(&row, &failing.alloc);
        expect_number("live", failing.live, 0);
    }
}

static void failed_widening_leaves_the_row(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 4; more++) {
        struct failing_alloc failing;
        struct tv_call_row row = {.tail = NULL};
        failing_alloc_init(&failing, NEVER_FAIL);
        for (uint32_t i = 0; i < 100; i++)
            add_narrow(&row, &failing.alloc, i);
        failing.fail_at = failing.requests + more;
        assert_int_equal(tv_row_widen(&row, &failing.alloc, NULL), TV_ERR_MEMORY);
        expect_pages(&row, 100, sizeof(struct tv_narrow_call));
        tv_row_release(&row, &failing.alloc);
        expect_number("live", failing.live, 0);
    }
}

static void failed_page_leaves_the_row(void **state)
{
    (void)state;
    struct failing_alloc failing;
    struct tv_call_row row = {.tail = NULL};
    struct tv_error err;
    failing_alloc_init(&failing, 1);
    add_narrow(&row, &failing.alloc, 0);
    expect_number("room", row.room, 0);
    assert_int_equal(tv_row_add_buffer(&row, &failing.alloc, sizeof(struct tv_narrow_call), &err),
                     TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    expect_pages(&row, 1, sizeof(struct tv_narrow_call));
    tv_row_release(&row, &failing.alloc);
    expect_number("live", failing.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_grow_to_a_limit),
        cmocka_unit_test(widened_calls_keep_their_numbers),
        cmocka_unit_test(failed_widening_leaves_the_row),
        cmocka_unit_test(failed_page_leaves_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
