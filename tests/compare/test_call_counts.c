/* Counts of calls: whole, by one's own code, between two calls, and per call of a method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/call_counts.h"
#include "compare/made.h"
#include "support/failing_alloc.h"

/* Two methods of one's own, the main loop of the platform, and a map of it. */
#define LOOP 0x10u
#define DRAW 0x4u
#define LOAD 0x8u
#define GET 0xcu

static const char methods[] = "0x4\tcom.app.View\tdraw\t()V\tV.java\n"
                              "0x8\tcom.app.Data\tload\t()V\tD.java\n"
                              "0xc\tjava.util.Map\tget\t()V\tM.java\n"
                              "0x10\tandroid.os.Looper\tloop\t()V\tL.java\n";

static struct made made;

static void open_call(uint32_t method, uint32_t at)
{
    enter(&made.t, MAIN, method, at);
}

static void close_call(uint32_t method, uint32_t at)
{
    leave(&made.t, MAIN, method, at);
}

static uint32_t ordinal(uint32_t method)
{
    return tv_index_method_of_id(&made.index, method);
}

/* Counts with the options, and expects calls of draw, load, get and loop. */
static void expect(const struct tv_call_counts_opts *opts, const uint64_t calls[4])
{
    static const uint32_t ids[] = {DRAW, LOAD, GET, LOOP};
    struct tv_call_counts counts;
    struct tv_error err = {.code = TV_OK};
    tv_call_counts_init(&counts, tv_alloc_libc());
    if (tv_call_counts_make(&counts, &made.index, opts, &err) != TV_OK)
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(counts.rows[ordinal(ids[i])].numbers.calls, calls[i]);
    tv_call_counts_release(&counts);
}

static struct tv_call_counts_opts all(void)
{
    return (struct tv_call_counts_opts){.from = TV_NONE, .until = TV_NONE, .per = TV_NONE};
}

/* A loop of three draws with 2, 2 and 5 gets, whose calls have one moment; get is called by the
 * loop itself, too, and by load, which draws in itself. */
static void make_loop(void)
{
    static const unsigned gets[] = {2, 2, 5};
    uint32_t at = 10;
    made_begin(&made, methods);
    open_call(LOOP, at);
    for (unsigned turn = 0; turn < 3; turn++, at += 3) {
        open_call(GET, at);
        close_call(GET, at);
        open_call(DRAW, at);
        for (unsigned i = 0; i < gets[turn]; i++) {
            open_call(GET, at + 1);
            close_call(GET, at + 1);
        }
        open_call(LOAD, at + 1);
        open_call(GET, at + 1);
        close_call(GET, at + 1);
        open_call(DRAW, at + 1); /* recursive: part of the turn */
        close_call(DRAW, at + 1);
        close_call(LOAD, at + 1);
        close_call(DRAW, at + 2);
    }
    close_call(LOOP, at + 5);
    made_end(&made);
}

static void whole_traces_have_all_calls(void **state)
{
    (void)state;
    struct tv_call_counts_opts opts = all();
    make_loop();
    expect(&opts, (uint64_t[]){6, 3, 15, 1});
    made_release(&made);
}

/* The loop's own calls of get are not the app's. */
static void own_code_has_its_calls_and_those_it_makes(void **state)
{
    (void)state;
    struct tv_call_counts_opts opts = all();
    make_loop();
    opts.mine = TV_STR("com.app.");
    expect(&opts, (uint64_t[]){6, 3, 12, 0});
    opts.mine = TV_STR("android.");
    expect(&opts, (uint64_t[]){3, 0, 3, 1});
    made_release(&made);
}

static void numbers_per_call_are_medians(void **state)
{
    (void)state;
    struct tv_call_counts_opts opts = all();
    make_loop();
    opts.per = ordinal(DRAW); /* 3, 3 and 6 gets, a load and a recursive draw each */
    expect(&opts, (uint64_t[]){1, 1, 3, 0});
    opts.per = ordinal(LOAD);
    expect(&opts, (uint64_t[]){1, 0, 1, 0});
    opts.per = ordinal(LOOP);
    expect(&opts, (uint64_t[]){6, 3, 15, 0});
    made_release(&made);
}

/* From the first load to the next draw that begins after it, which is the recursive one: load
 * itself, and its get. From the first draw to the first load: the draw, and two gets. */
static void between_is_what_begins_from_one_call_to_another(void **state)
{
    (void)state;
    struct tv_call_counts_opts opts = all();
    make_loop();
    opts.from = ordinal(LOAD);
    opts.until = ordinal(DRAW);
    expect(&opts, (uint64_t[]){0, 1, 1, 0});
    opts.from = ordinal(DRAW);
    opts.until = ordinal(LOAD);
    expect(&opts, (uint64_t[]){1, 0, 2, 0});
    opts.from = opts.until = ordinal(LOAD);
    expect(&opts, (uint64_t[]){2, 1, 4, 0});
    made_release(&made);
}

static void expect_refusal(uint32_t from, uint32_t until, uint32_t per)
{
    struct tv_call_counts counts;
    struct tv_error err = {.code = TV_OK};
    const struct tv_call_counts_opts opts = {.from = from, .until = until, .per = per};
    tv_call_counts_init(&counts, tv_alloc_libc());
    assert_int_equal(tv_call_counts_make(&counts, &made.index, &opts, &err), TV_ERR_NOT_FOUND);
    assert_true(err.text[0] != '\0');
    assert_null(counts.rows);
    tv_call_counts_release(&counts);
}

static void what_is_never_called_bounds_nothing(void **state)
{
    (void)state;
    made_begin(&made, methods);
    made_call(&made, DRAW, 10, 20);
    made_call(&made, LOAD, 30, 40);
    made_end(&made);
    expect_refusal(ordinal(LOAD), ordinal(DRAW), TV_NONE);
    expect_refusal(ordinal(GET), ordinal(DRAW), TV_NONE);
    expect_refusal(TV_NONE, TV_NONE, ordinal(GET));
    made_release(&made);
}

static enum tv_code count_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_call_counts counts;
    tv_call_counts_init(&counts, alloc);
    enum tv_code code = tv_call_counts_make(&counts, &made.index, ctx, NULL);
    tv_call_counts_release(&counts);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct tv_call_counts_opts opts = all();
    make_loop();
    opts.mine = TV_STR("com.app.");
    assert_true(failing_alloc_each(count_with, &opts) >= 2);
    opts.per = ordinal(DRAW);
    assert_true(failing_alloc_each(count_with, &opts) >= 6);
    opts.per = TV_NONE;
    opts.from = ordinal(LOAD);
    opts.until = ordinal(DRAW);
    assert_true(failing_alloc_each(count_with, &opts) >= 3);
    made_release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_traces_have_all_calls),
        cmocka_unit_test(own_code_has_its_calls_and_those_it_makes),
        cmocka_unit_test(numbers_per_call_are_medians),
        cmocka_unit_test(between_is_what_begins_from_one_call_to_another),
        cmocka_unit_test(what_is_never_called_bounds_nothing),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
