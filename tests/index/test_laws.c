/* Random traces of every layout against the slow reading (model.h), by every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "index/model.h"
#include "support/random_trace.h"

static void expect_random(struct build_opts layout, struct random_opts opts)
{
    struct trace_builder t;
    struct tv_index index;
    struct model model;
    build_text(&t, layout);
    build_random(&t, opts);
    model_read(&model, &t.bytes);
    make_index(&index, &t);
    expect_as_model(&index, &model);
    expect_lookups(&index, opts.seed);
    model_release(&model);
    tv_index_release(&index);
}

static const struct build_opts dual = {.version = 3, .clock = "dual"};

static void whole_calls_only(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++)
        expect_random(dual, (struct random_opts){.seed = seed, .records = 300});
}

static void calls_from_before_the_trace(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++)
        expect_random(
            dual,
            (struct random_opts){
                .seed = seed, .records = 250, .methods = 3, .depth_most = 3, .lost_enter = 30});
}

static void exits_that_were_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++)
        expect_random(dual, (struct random_opts){
                                .seed = seed, .records = 250, .depth_most = 8, .lost_exit = 30});
}

static void clocks_that_fall_and_wrap(void **state)
{
    (void)state;
    struct build_opts layout = dual;
    for (uint64_t seed = 0; seed < 20; seed++) {
        layout.options = seed % 4 == 3 ? "elapsed-time-usec=5000000000\n" /* for some wraps */
                         : seed % 2    ? "elapsed-time-usec=99999999999\n"
                                       : NULL;
        expect_random(
            layout,
            (struct random_opts){
                .seed = seed, .records = 200, .threads = 8, .fall = seed % 3 ? 20 : 0, .wrap = 15});
    }
}

static void everything_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++)
        expect_random(dual, (struct random_opts){.seed = seed,
                                                 .records = 200,
                                                 .threads = 1 + (unsigned)seed % 5,
                                                 .methods = 3,
                                                 .lost_enter = 10,
                                                 .lost_exit = 10,
                                                 .wrong_exit = 10,
                                                 .unwind = 100,
                                                 .reserved = 10,
                                                 .zero = 5,
                                                 .empty = 5,
                                                 .fall = 10,
                                                 .wrap = 2});
}

static void every_layout(void **state)
{
    (void)state;
    static const struct build_opts layouts[] = {
        {.version = 1},
        {.version = 1, .clock = "wall"},
        {.version = 2, .clock = "thread-cpu"},
        {.version = 2, .clock = "wall", .options = "elapsed-time-usec=99999999999\n"},
        {.version = 3, .clock = "wall"},
        {.version = 3, .clock = "thread-cpu", .record_len = 11},
        {.version = 3, .clock = "dual", .record_len = 17, .data_offset = 18},
    };
    for (size_t i = 0; i < TV_COUNT_OF(layouts); i++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            bool is_odd = seed % 2;
            expect_random(layouts[i], (struct random_opts){.seed = seed,
                                                           .records = 200,
                                                           .methods = 3,
                                                           .lost_enter = 10,
                                                           .lost_exit = is_odd ? 10 : 0,
                                                           .fall = is_odd ? 10 : 0,
                                                           .wrap = seed / 2 % 2 ? 10 : 0});
        }
    }
}

static void many_methods(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++)
        expect_random(dual, (struct random_opts){.seed = seed,
                                                 .records = 1200,
                                                 .threads = 2,
                                                 .methods = 60,
                                                 .depth_most = 3,
                                                 .wrong_exit = seed % 2 ? 5 : 0});
}

static void clocks_of_64_bits(void **state)
{
    (void)state;
    static const struct listed_facts facts = {
        .has_clock = {true, true}, .has_common_axis = true, .clock_bits = 64, .unit_ns = 1};
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct listed_record records[300];
        struct tv_index index;
        struct model model;
        uint64_t state_of = seed;
        uint64_t now = seed % 2 ? (uint64_t)-40 : (uint64_t)1 << 40;
        for (uint64_t i = 0; i < TV_COUNT_OF(records); i++) {
            now += random_below(&state_of, 20);
            uint64_t fall = random_below(&state_of, 30) ? 0 : random_below(&state_of, 50);
            records[i] = (struct listed_record){.thread = 1 + random_below(&state_of, 3),
                                                .method = 4 * (1 + random_below(&state_of, 3)),
                                                .action = random_below(&state_of, 2),
                                                .cpu = (uint64_t)((int64_t)now / 2) - fall,
                                                .wall = now - fall,
                                                .offset = 100 + i};
        }
        make_listed(&index, &facts, records, TV_COUNT_OF(records));
        model_take(&model, &facts, records, TV_COUNT_OF(records));
        model.findings.of[TV_FINDING_UNKNOWN_METHOD] =
            index.info->findings.of[TV_FINDING_UNKNOWN_METHOD];
        model.findings.of[TV_FINDING_UNKNOWN_THREAD] =
            index.info->findings.of[TV_FINDING_UNKNOWN_THREAD];
        expect_as_model(&index, &model);
        model_release(&model);
        tv_index_release(&index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_calls_only),     cmocka_unit_test(calls_from_before_the_trace),
        cmocka_unit_test(exits_that_were_lost), cmocka_unit_test(clocks_that_fall_and_wrap),
        cmocka_unit_test(everything_at_once),   cmocka_unit_test(every_layout),
        cmocka_unit_test(many_methods),         cmocka_unit_test(clocks_of_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
