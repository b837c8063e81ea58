/* Durations of two bytes, and the list of those that do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index/made.h"
#include "index/mipmap.h"
#include "index/model.h"
#include "support/random_trace.h"

static void begin(struct trace_builder *t)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
}

static uint32_t add_calls(struct trace_builder *t, uint32_t count, uint32_t len, uint32_t time)
{
    for (uint32_t i = 0; i < count; i++) {
        enter(t, MAIN, FOO, time);
        leave(t, MAIN, FOO, time += len);
    }
    return time;
}

static void only_what_does_not_fit_is_listed(void **state)
{
    (void)state;
    static const uint32_t lens[] = {65534, 65535, 65536, 200000};
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    uint32_t time = add_calls(&t, 200, 3, 10);
    for (size_t i = 0; i < TV_COUNT_OF(lens); i++)
        time = add_calls(&t, 1, lens[i], time);
    add_calls(&t, 1, 7, time);
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    expect_number("bytes of a duration", thread->duration_len, 2);
    expect_number("long calls", index.long_count, 6);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        enum tv_clock on = (enum tv_clock)clock;
        expect_number("first", thread->long_first[clock], clock * 3);
        expect_number("count", thread->long_count[clock], 3);
        for (uint64_t i = 0; i < TV_COUNT_OF(lens); i++)
            expect_number("long", tv_index_duration(&index, thread, on, 200 + i), lens[i]);
        expect_number("short", tv_index_duration(&index, thread, on, 199), 3);
        expect_number("last", tv_index_duration(&index, thread, on, 204), 7);
        expect_number("all", tv_index_long_calls_of(&index, thread, on, 0, 205).count, 3);
        expect_number("from 202", tv_index_long_calls_of(&index, thread, on, 202, 205).count, 2);
        expect_number("of 202", tv_index_long_calls_of(&index, thread, on, 202, 203).at->call, 202);
        expect_number("of 200", tv_index_long_calls_of(&index, thread, on, 200, 201).count, 0);
    }
    expect_number("sum", tv_index_node_inclusive(&index, TV_CLOCK_CPU, 0),
                  200 * 3 + 65534 + 65535 + 65536 + 200007);
    const struct tv_mipmap mipmap = tv_mipmap_of(&index, 0, 0);
    expect_number("longest", longest_call(&mipmap, 0, 205), 203);
    tv_index_release(&index);
}

/* One call in 16 may be long; the room for it follows from the span, whatever is in it. */
static void where_too_many_could_be_long_all_have_room(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct trace_builder t;
        struct tv_index index;
        begin(&t);
        uint32_t time = add_calls(&t, 63, 1, 0);
        add_calls(&t, 1, 3 * 65535 - 1 + more - time, time);
        make_index(&index, &t);
        expect_number("bytes of a duration", thread_of(&index, MAIN)->duration_len, more ? 4 : 2);
        expect_number("long calls", index.long_count, more ? 0 : 2);
        expect_number("duration",
                      tv_index_duration(&index, thread_of(&index, MAIN), TV_CLOCK_WALL, 63),
                      3 * 65535 - 1 + more - time);
        tv_index_release(&index);
    }
}

/* Calls that began before the trace, and those that never end, are as long as any. */
static void long_calls_at_both_ends_are_listed(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    uint32_t time = add_calls(&t, 100, 2, 5);
    leave(&t, MAIN, BAZ, time += 70000);
    enter(&t, MAIN, BAR, time);
    time = add_calls(&t, 100, 2, time);
    add_calls(&t, 1, 66000, time);
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    expect_number("bytes of a duration", thread->duration_len, 2);
    expect_number("long calls", index.long_count, 6);
    expect_number("adopter", tv_index_duration(&index, thread, TV_CLOCK_WALL, 0), 70200);
    expect_number("open", tv_index_duration(&index, thread, TV_CLOCK_WALL, 1), 66200);
    tv_index_release(&index);
}

static void random_traces_with_long_calls_are_as_the_model_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct trace_builder t;
        struct tv_index index;
        struct model model;
        uint64_t random = seed;
        uint32_t time = 10;
        uint32_t stack[4];
        size_t depth = 0;
        begin(&t);
        for (int i = 0; i < 3000; i++) {
            time +=
                (uint32_t)random_below(&random, 600) ? (uint32_t)random_below(&random, 9) : 70000;
            bool opens = depth < 4 && (!depth || random_below(&random, 2));
            if (opens)
                enter(&t, MAIN, stack[depth++] = random_below(&random, 2) ? FOO : BAR, time);
            else
                leave(&t, MAIN, stack[--depth], time);
        }
        model_read(&model, &t.bytes);
        make_index(&index, &t);
        expect_number("bytes of a duration", thread_of(&index, MAIN)->duration_len, 2);
        assert_true(index.long_count > 0);
        expect_as_model(&index, &model);
        expect_lookups(&index, seed);
        model_release(&model);
        tv_index_release(&index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_does_not_fit_is_listed),
        cmocka_unit_test(where_too_many_could_be_long_all_have_room),
        cmocka_unit_test(long_calls_at_both_ends_are_listed),
        cmocka_unit_test(random_traces_with_long_calls_are_as_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
