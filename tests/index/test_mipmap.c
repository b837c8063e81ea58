/* Levels of rows: what is in them, and what is found by them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index/made.h"

#include "index/mipmap.h"
#include "index/model.h"
#include "support/random_trace.h"

/* One row of calls, each of which begins and lasts up to `most` units after the one before. */
static void make_row(struct tv_index *index, uint32_t calls, uint32_t most, uint64_t seed)
{
    struct trace_builder t;
    uint32_t now = 0;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < calls; i++) {
        enter(&t, MAIN, FOO, now += random_below(&seed, most));
        leave(&t, MAIN, FOO, now += random_below(&seed, most));
    }
    make_index(index, &t);
}

/* The next call of a row that is to be visited. */
struct expected {
    const struct tv_index *index;
    uint64_t least;
    uint64_t next;
};

static uint64_t next_from(const struct expected *expected, uint64_t call)
{
    const struct tv_index *index = expected->index;
    while (call < index->rows[0].call_count &&
           tv_index_duration(index, &index->threads[0], TV_CLOCK_WALL, call) < expected->least)
        call++;
    return call;
}

static void visit(void *ctx, uint64_t call, uint64_t len)
{
    struct expected *expected = ctx;
    const struct tv_index *index = expected->index;
    expect_number("call", call, expected->next);
    expect_number("duration", len,
                  tv_index_duration(index, &index->threads[0], TV_CLOCK_WALL, call));
    expected->next = next_from(expected, call + 1);
}

static void long_calls_are_visited_in_order_and_no_others(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 31, 32, 33, 1024, 1025, 1056, 1057, 33000};
    for (size_t i = 0; i < TV_COUNT_OF(counts); i++) {
        for (uint32_t least = 1; least <= 70000; least *= 3) {
            struct tv_index index;
            make_row(&index, counts[i], 70000, i);
            struct expected expected = {.index = &index, .least = least};
            expected.next = next_from(&expected, 0);
            const struct tv_mipmap mipmap = tv_mipmap_of(&index, 0, 0);
            tv_mipmap_each_from(&mipmap, least, visit, &expected);
            expect_number("visited", expected.next, counts[i]);
            tv_index_release(&index);
        }
    }
}

/* Rows of exactly as many calls as fill a level, and one less and more. */
static void look_ups_agree_over_levels(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 31, 32, 33, 64, 65, 1023, 1024, 1025, 3000};
    static const struct {
        uint32_t most;
        uint32_t is_wide, duration_len; /* of the longest row */
    } kinds[] = {{2, 0, 2}, {20, 0, 2}, {30000, 0, 4}, {0x2000000, 1, 8}};
    for (size_t kind = 0; kind < TV_COUNT_OF(kinds); kind++) {
        struct tv_index index;
        for (size_t i = 0; i < TV_COUNT_OF(counts); i++) {
            make_row(&index, counts[i], kinds[kind].most, i);
            for (uint64_t k = 0; k < 40; k++)
                expect_lookups(&index, k);
            if (i + 1 == TV_COUNT_OF(counts)) {
                expect_number("is wide", index.threads[0].is_wide, kinds[kind].is_wide);
                expect_number("duration", index.threads[0].duration_len, kinds[kind].duration_len);
            }
            tv_index_release(&index);
        }
    }
}

static void levels_hold_an_entry_per_thirty_two(void **state)
{
    (void)state;
    static const uint64_t expected[][2] = {{32, 0}, {33, 2}, {64, 2}, {1024, 32}, {1025, 33 + 2}};
    for (size_t i = 0; i < TV_COUNT_OF(expected); i++) {
        struct tv_index index;
        make_row(&index, (uint32_t)expected[i][0], 1, i);
        expect_number("words", index.mipmap_words, expected[i][1]);
        expect_number("as told", tv_mipmap_words(expected[i][0], false), expected[i][1]);
        expect_number("wide", tv_mipmap_words(expected[i][0], true), 2 * expected[i][1]);
        tv_index_release(&index);
    }
}

static void entry_has_first_start_and_longest_duration(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    uint32_t now = 7;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 40; i++) {
        enter(&t, MAIN, FOO, now += 10);
        leave(&t, MAIN, FOO, now += i == 5 ? 70000 : i);
    }
    make_index(&index, &t);
    expect_number("bytes of a duration", index.threads[0].duration_len, 2);
    expect_number("entries", index.mipmap_words, 2);
    expect_number("start", index.mipmap_starts[0], 0);
    expect_number("start", index.mipmap_starts[1], 32 * 10 + 31 * 32 / 2 - 5 + 70000);
    expect_number("longest", index.mipmap_lens[0], 70000);
    expect_number("longest", index.mipmap_lens[1], 39);
    tv_index_release(&index);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_ups_agree_over_levels),
        cmocka_unit_test(long_calls_are_visited_in_order_and_no_others),
        cmocka_unit_test(levels_hold_an_entry_per_thirty_two),
        cmocka_unit_test(entry_has_first_start_and_longest_duration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
