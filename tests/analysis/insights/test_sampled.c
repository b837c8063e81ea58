/* Insights of a sampled trace: shares of the time that the main thread was busy, with their
 * margins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/insights/insights.h"
#include "analysis/selection/names.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/trace_builder.h"

enum { FRAME = 0x4, POLL = 0x8, OWN = 0xc, DRAW = 0x10, BINDER = 0x14, LOOP = 0x18 };

static struct trace_builder t;
static struct tv_trace trace;
static struct tv_index index_of_it;
static struct tv_insights found;

static void begin(const char *clock, const char *options)
{
    build_text(&t, (struct build_opts){.version = clock[0] == 'w' ? 2 : 3,
                                       .clock = clock,
                                       .options = options,
                                       .methods =
                                           "0x4\tandroid.view.Choreographer\tdoFrame\t(JI)V\n"
                                           "0x8\tandroid.os.MessageQueue\tnativePollOnce\t(JI)V\n"
                                           "0xc\tcom.app.Main\twork\t()V\n"
                                           "0x10\tandroid.graphics.Canvas\tdraw\t()V\n"
                                           "0x14\tandroid.os.BinderProxy\ttransactNative\t()V\n"
                                           "0x18\tandroid.os.Looper\tloop\t()V\n"});
}

static void find(void)
{
    tv_trace_init(&trace, tv_alloc_libc());
    tv_index_init(&index_of_it);
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, NULL),
                     TV_OK);
    assert_int_equal(
        tv_index_build(&index_of_it, &trace, &(struct tv_build_opts){.pool = NULL}, NULL), TV_OK);
    assert_int_equal(tv_insights_find(&found, &index_of_it, tv_alloc_libc(), NULL, NULL), TV_OK);
}

static void end(void)
{
    tv_index_release(&index_of_it);
    tv_trace_release(&trace);
    build_release(&t);
}

/* Place of the first insight of a kind; SIZE_MAX: there is none. */
static size_t place_of_kind(enum tv_insight_kind kind)
{
    for (size_t i = 0; i < found.count; i++) {
        if (found.of[i].kind == kind)
            return i;
    }
    return SIZE_MAX;
}

static const struct tv_insight *of_kind(enum tv_insight_kind kind)
{
    const size_t place = place_of_kind(kind);
    assert_true(place != SIZE_MAX);
    return &found.of[place];
}

static void expect_name(uint32_t method, const char *name)
{
    assert_true(tv_str_equal(tv_method_name(&index_of_it, method), tv_str_from(name)));
}

/* A second: 400 ms idle; a frame of 100 ms that draws for 60, with 20 ms of one's own around a call
 * to another process of 30 ms; and a frame of 10 ms. Samples are 10 ms apart. */
static void write_second(void)
{
    enter(&t, 1, LOOP, 0);
    enter(&t, 1, POLL, 10000);
    leave(&t, 1, POLL, 410000);
    enter(&t, 1, FRAME, 420000);
    enter(&t, 1, DRAW, 430000);
    leave(&t, 1, DRAW, 490000);
    leave(&t, 1, FRAME, 520000);
    enter(&t, 1, FRAME, 530000);
    leave(&t, 1, FRAME, 540000);
    enter(&t, 1, OWN, 550000);
    enter(&t, 1, BINDER, 560000);
    leave(&t, 1, BINDER, 590000);
    leave(&t, 1, OWN, 600000);
    leave(&t, 1, LOOP, 1000000);
}

static void shares_are_of_the_busy_time(void **state)
{
    (void)state;
    begin("wall", "sampling-interval-usec=10000\n");
    write_second();
    find();
    const struct tv_insight *frames = of_kind(TV_INSIGHT_FRAMES);
    assert_int_equal(frames->calls, 1);
    assert_int_equal(frames->of_calls, 2);
    assert_int_equal(frames->at_stake_ns, 100000000 - TV_INSIGHT_FRAME_NS);
    assert_int_equal(frames->from_ns, 420000000);
    assert_int_equal(frames->to_ns, 520000000);
    const struct tv_insight *own = of_kind(TV_INSIGHT_OWN);
    assert_int_equal(own->at_stake_ns, 20000000);
    assert_int_equal(own->other_amount, 600000000);
    expect_name(own->method, "work");
    const struct tv_insight *spent = of_kind(TV_INSIGHT_SPENT);
    expect_name(spent->method, "transactNative");
    assert_int_equal(spent->at_stake_ns, 30000000);
    expect_name(spent->other_method, "work");
    assert_int_equal(spent->other_amount, 30000000);
    end();
}

static void put(uint32_t method, enum tv_action action, uint32_t cpu, uint32_t wall)
{
    build_record(&t,
                 (struct build_record){
                     .thread = 1, .method = method, .action = action, .cpu = cpu, .wall = wall});
}

/* Our own recorders know CPU times: of a second the thread worked for 65 ms, 40 of them in a method
 * that took 60, and waited in one of the app, which no list of names knows. */
static void with_cpu_time_a_thread_that_waits_is_not_busy(void **state)
{
    (void)state;
    begin("dual", "sampling-interval-usec=10000\n");
    put(LOOP, TV_ACTION_ENTER, 0, 0);
    put(OWN, TV_ACTION_ENTER, 5000, 5000);
    put(OWN, TV_ACTION_EXIT, 25000, 940000);
    put(DRAW, TV_ACTION_ENTER, 25000, 940000);
    put(DRAW, TV_ACTION_EXIT, 65000, 1000000);
    put(LOOP, TV_ACTION_EXIT, 65000, 1000000);
    find();
    const struct tv_insight *own = of_kind(TV_INSIGHT_OWN);
    assert_int_equal(own->other_amount, 65000000);
    assert_int_equal(own->at_stake_ns, 20000000);
    const struct tv_insight *spent = of_kind(TV_INSIGHT_SPENT);
    expect_name(spent->method, "work");
    assert_int_equal(spent->at_stake_ns, 915000000);
    for (size_t i = 0; i < found.count; i++)
        assert_true(found.of[i].kind != TV_INSIGHT_SPENT || &found.of[i] == spent);
    end();
}

/* The wait for messages is no time of its package, and packages below a twentieth are not told. */
static void packages_leave_out_the_wait_for_messages(void **state)
{
    unsigned told = 0;
    (void)state;
    begin("wall", "sampling-interval-usec=10000\n");
    write_second();
    find();
    for (size_t i = 0; i < found.count; i++) {
        const struct tv_insight *insight = &found.of[i];
        if (insight->kind != TV_INSIGHT_PACKAGE)
            continue;
        struct tv_str package = tv_insight_package(&index_of_it, insight);
        told++;
        if (tv_str_equal(package, TV_STR("android.os")))
            assert_int_equal(insight->at_stake_ns, 440000000 + 30000000);
        else if (tv_str_equal(package, TV_STR("android.graphics")))
            assert_int_equal(insight->at_stake_ns, 60000000);
        else
            assert_true(tv_str_equal(package, TV_STR("android.view")));
        assert_int_equal(insight->other_amount, 600000000);
    }
    assert_int_equal(told, 3);
    end();
}

/* The recorder tells 10 ms, so 60 samples are in the 600 ms. Two standard errors of 5 % are 5.6 %
 * then, 33.8 ms of 600. */
static void margins_are_two_standard_errors(void **state)
{
    (void)state;
    begin("wall", "sampling-interval-usec=10000\n");
    write_second();
    find();
    uint64_t margin_ns = of_kind(TV_INSIGHT_SPENT)->margin_ns;
    assert_in_range(margin_ns, 33700000, 33800000);
    end();
}

/* Without that line a trace whose records come many at once looks sampled: stacks of two, 20 ms
 * apart. */
static void without_a_told_interval_the_distance_of_calls_counts(void **state)
{
    (void)state;
    begin("dual", NULL);
    for (uint32_t i = 0; i < 10; i++) {
        enter(&t, 1, LOOP, 20000 * i);
        enter(&t, 1, OWN, 20000 * i);
        leave(&t, 1, OWN, 20000 * (i + 1));
        leave(&t, 1, LOOP, 20000 * (i + 1));
    }
    enter(&t, 1, LOOP, 200000);
    enter(&t, 1, BINDER, 200000);
    leave(&t, 1, BINDER, 250000);
    leave(&t, 1, LOOP, 250000);
    find();
    assert_true(index_of_it.info->is_sampled);
    /* 200 of 250 ms, 12.5 samples: two standard errors are 22.6 %. */
    assert_in_range(of_kind(TV_INSIGHT_OWN)->margin_ns, 56500000, 56600000);
    end();
}

/* Without the line of a sampler the same calls are exact ones. */
static void exact_traces_have_none_of_these(void **state)
{
    (void)state;
    begin("dual", NULL);
    write_second();
    enter(&t, 1, OWN, 1000010);
    unwind(&t, 1, OWN, 1000020);
    find();
    assert_true(place_of_kind(TV_INSIGHT_OWN) == SIZE_MAX);
    assert_true(place_of_kind(TV_INSIGHT_PACKAGE) == SIZE_MAX);
    assert_true(place_of_kind(TV_INSIGHT_FRAMES) == SIZE_MAX);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_busy_time),
        cmocka_unit_test(with_cpu_time_a_thread_that_waits_is_not_busy),
        cmocka_unit_test(packages_leave_out_the_wait_for_messages),
        cmocka_unit_test(margins_are_two_standard_errors),
        cmocka_unit_test(without_a_told_interval_the_distance_of_calls_counts),
        cmocka_unit_test(exact_traces_have_none_of_these),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
