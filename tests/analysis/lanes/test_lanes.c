/* Messages, frames and phases of traces that were written to have them. */
#include "analysis/lanes/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/selection/names.h"
#include "analysis/world.h"
#include "base/alloc.h"
#include "support/failing_alloc.h"

enum {
    DISPATCH = 0x4,
    CALLBACK = 0x8,
    RUN = 0xc,
    FRAME = 0x10,
    MEASURE = 0x14,
    LAYOUT = 0x18,
    DRAW = 0x1c,
    BIND = 0x20,
    APP_CREATE = 0x24,
    RESUME = 0x28,
    OLD_FRAME = 0x2c,
    OTHER = 0x30
};

static const char methods[] =
    "0x4\tandroid.os.Handler\tdispatchMessage\t()V\tH.java\n"
    "0x8\tandroid.os.Handler\thandleCallback\t()V\tH.java\n"
    "0xc\tcom.app.Job\trun\t()V\tJob.java\n"
    "0x10\tandroid.view.Choreographer\tdoFrame\t(JI)V\tC.java\n"
    "0x14\tandroid.view.ViewRootImpl\tperformMeasure\t()V\tV.java\n"
    "0x18\tandroid.view.ViewRootImpl\tperformLayout\t()V\tV.java\n"
    "0x1c\tandroid.view.ViewRootImpl\tperformDraw\t()V\tV.java\n"
    "0x20\tandroid.app.ActivityThread\thandleBindApplication\t()V\tA.java\n"
    "0x24\tandroid.app.Instrumentation\tcallApplicationOnCreate\t()V\tI.java\n"
    "0x28\tandroid.app.Instrumentation\tcallActivityOnResume\t()V\tI.java\n"
    "0x2c\tandroid.view.ViewRoot\tperformTraversals\t()V\tR.java\n"
    "0x30\tcom.app.Other\tdoFrame\t()V\tO.java\n";

static struct world w;
static struct tv_lanes lanes;

/* Times are in microseconds. */
static void begin(const char *threads)
{
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){
                         .version = 3, .clock = "dual", .methods = methods, .threads = threads});
}

static void into(uint32_t method, uint32_t usec)
{
    enter(&w.t, MAIN, method, usec);
}

static void out_of(uint32_t method, uint32_t usec)
{
    leave(&w.t, MAIN, method, usec);
}

/* A call with nothing inside. */
static void leaf(uint32_t method, uint32_t from, uint32_t to)
{
    into(method, from);
    out_of(method, to);
}

static void look(size_t most)
{
    world_read(&w);
    tv_lanes_init(&lanes, tv_alloc_libc());
    assert_int_equal(tv_lanes_find(&lanes, &w.index, most, NULL), TV_OK);
}

static void end(void)
{
    tv_lanes_release(&lanes);
    world_release(&w);
}

static void assert_item(enum tv_lane lane, size_t ix, uint64_t from_usec, uint64_t to_usec)
{
    assert_true(ix < lanes.lanes[lane].count);
    const struct tv_lane_item *item = &lanes.lanes[lane].of[ix];
    assert_int_equal(item->start_ns, from_usec * 1000);
    assert_int_equal(item->start_ns + item->len_ns, to_usec * 1000);
}

static void a_message_is_named_after_what_it_did(void **state)
{
    (void)state;
    begin("1\tmain\n");
    into(DISPATCH, 10);
    into(CALLBACK, 20);
    leaf(OTHER, 21, 25);
    leaf(RUN, 30, 80);
    out_of(CALLBACK, 90);
    out_of(DISPATCH, 100);
    leaf(DISPATCH, 200, 250);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_MESSAGE].count, 2);
    assert_item(TV_LANE_MESSAGE, 0, 10, 100);
    assert_item(TV_LANE_MESSAGE, 1, 200, 250);
    const struct tv_lane_item *first = lanes.lanes[TV_LANE_MESSAGE].of;
    assert_true(tv_str_equal(tv_method_class(&w.index, first->method), TV_STR("com.app.Job")));
    /* Nothing is known of one that made no call. */
    assert_true(tv_str_equal(tv_method_name(&w.index, first[1].method), TV_STR("dispatchMessage")));
    end();
}

static void a_message_within_a_message_is_none(void **state)
{
    (void)state;
    begin("1\tmain\n");
    into(DISPATCH, 10);
    into(RUN, 20);
    leaf(DISPATCH, 30, 40);
    out_of(RUN, 50);
    out_of(DISPATCH, 60);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_MESSAGE].count, 1);
    assert_item(TV_LANE_MESSAGE, 0, 10, 60);
    end();
}

/* A frame with a measure of 5, a layout of 7 twice, and a draw of 11 microseconds. */
static void frame(uint32_t at, uint32_t to)
{
    into(FRAME, at);
    leaf(MEASURE, at + 1, at + 6);
    leaf(LAYOUT, at + 6, at + 13);
    leaf(LAYOUT, at + 13, at + 20);
    leaf(DRAW, at + 20, at + 31);
    out_of(FRAME, to);
}

static void a_frame_has_its_parts(void **state)
{
    (void)state;
    begin("1\tmain\n");
    leaf(MEASURE, 1, 5); /* before any frame */
    frame(10, 60);
    leaf(DRAW, 70, 90); /* in none */
    frame(100, 140);
    into(OTHER, 150); /* another class's doFrame */
    leaf(DRAW, 151, 152);
    out_of(OTHER, 155);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].count, 2);
    assert_item(TV_LANE_FRAME, 0, 10, 60);
    assert_item(TV_LANE_FRAME, 1, 100, 140);
    for (size_t i = 0; i < 2; i++) {
        const struct tv_lane_item *one = &lanes.lanes[TV_LANE_FRAME].of[i];
        assert_int_equal(one->part_ns[TV_FRAME_MEASURE], 5000);
        assert_int_equal(one->part_ns[TV_FRAME_LAYOUT], 14000);
        assert_int_equal(one->part_ns[TV_FRAME_DRAW], 11000);
        assert_int_equal(tv_frame_rest_ns(one), one->len_ns - 30000);
    }
    end();
}

static void a_layout_within_a_measure_counts_as_measure(void **state)
{
    (void)state;
    begin("1\tmain\n");
    into(FRAME, 10);
    into(MEASURE, 20);
    leaf(LAYOUT, 30, 35);
    out_of(MEASURE, 40);
    out_of(FRAME, 50);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].of[0].part_ns[TV_FRAME_MEASURE], 20000);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].of[0].part_ns[TV_FRAME_LAYOUT], 0);
    end();
}

static void a_start_up_has_phases_and_a_first_frame(void **state)
{
    (void)state;
    begin("1\tmain\n");
    frame(1, 40); /* of a splash screen */
    into(BIND, 50);
    leaf(APP_CREATE, 60, 90);
    out_of(BIND, 100);
    leaf(RESUME, 110, 120);
    frame(130, 170);
    frame(180, 220);
    leaf(RESUME, 230, 240);
    frame(250, 290);
    look(9);
    static const char *const labels[] = {"bindApplication", "Application.onCreate",
                                         "Activity.onResume", "first frame", "Activity.onResume"};
    static const uint64_t spans[][2] = {{50, 100}, {60, 90}, {110, 120}, {130, 170}, {230, 240}};
    assert_int_equal(lanes.lanes[TV_LANE_PHASE].count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(lanes.lanes[TV_LANE_PHASE].of[i].label, labels[i]);
        assert_item(TV_LANE_PHASE, i, spans[i][0], spans[i][1]);
    }
    assert_int_equal(tv_lanes_startup_ns(&lanes), (170 - 50) * 1000);
    end();
}

/* Times are whole microseconds, so the end of one call and the start of the next may be one. */
static void the_first_frame_may_begin_where_the_phase_ends(void **state)
{
    (void)state;
    begin("1\tmain\n");
    leaf(BIND, 50, 100);
    leaf(RESUME, 110, 120);
    frame(120, 170);
    frame(180, 220);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_PHASE].count, 3);
    assert_item(TV_LANE_PHASE, 2, 120, 170);
    assert_int_equal(tv_lanes_startup_ns(&lanes), (170 - 50) * 1000);
    end();
}

/* A frame around a phase without length is not the one that follows it. */
static void the_first_frame_is_not_around_the_phase(void **state)
{
    (void)state;
    begin("1\tmain\n");
    into(FRAME, 110);
    leaf(RESUME, 110, 110);
    out_of(FRAME, 150);
    frame(180, 220);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_PHASE].count, 2);
    assert_item(TV_LANE_PHASE, 1, 180, 220);
    end();
}

static void a_start_up_without_a_frame_has_no_length(void **state)
{
    (void)state;
    begin("1\tmain\n");
    frame(1, 40);
    leaf(BIND, 50, 100);
    leaf(RESUME, 110, 120);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_PHASE].count, 2);
    assert_int_equal(tv_lanes_startup_ns(&lanes), 0);
    end();
}

static void old_frames_are_traversals(void **state)
{
    (void)state;
    begin("1\tmain\n");
    leaf(OLD_FRAME, 10, 30);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].count, 1);
    assert_item(TV_LANE_FRAME, 0, 10, 30);
    end();
}

static void other_threads_have_no_lanes(void **state)
{
    (void)state;
    begin("1\tRenderThread\n");
    frame(10, 60);
    leaf(DISPATCH, 70, 80);
    look(9);
    for (size_t i = 0; i < TV_LANE_COUNT; i++)
        assert_int_equal(lanes.lanes[i].count, 0);
    end();
}

static void of_many_the_longest_are_kept(void **state)
{
    (void)state;
    begin("1\tmain\n");
    for (uint32_t i = 0; i < 50; i++)
        leaf(DISPATCH, i * 1000, i * 1000 + 10 + i % 10);
    look(15);
    assert_int_equal(lanes.lanes[TV_LANE_MESSAGE].count, 15);
    assert_int_equal(lanes.lanes[TV_LANE_MESSAGE].left_out, 35);
    for (size_t i = 0; i < 15; i++) {
        const struct tv_lane_item *item = &lanes.lanes[TV_LANE_MESSAGE].of[i];
        assert_true(item->len_ns >= 17000);
        assert_true(!i || item[-1].start_ns < item->start_ns);
    }
    assert_int_equal(tv_lanes_sort_longest(&lanes, TV_LANE_MESSAGE, NULL), TV_OK);
    assert_item(TV_LANE_MESSAGE, 0, 9000, 9019);
    assert_item(TV_LANE_MESSAGE, 1, 19000, 19019);
    end();
}

static void two_main_threads_have_their_own_frames(void **state)
{
    (void)state;
    begin("1\tmain\n2\tmain\n");
    frame(10, 60);
    enter(&w.t, WORKER, FRAME, 20);
    enter(&w.t, WORKER, DRAW, 30);
    leave(&w.t, WORKER, DRAW, 33);
    leave(&w.t, WORKER, FRAME, 40);
    frame(100, 140);
    look(9);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].count, 3);
    assert_item(TV_LANE_FRAME, 1, 100, 140);
    assert_item(TV_LANE_FRAME, 2, 20, 40);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].of[0].part_ns[TV_FRAME_DRAW], 11000);
    assert_int_equal(lanes.lanes[TV_LANE_FRAME].of[2].part_ns[TV_FRAME_DRAW], 3000);
    end();
}

static void every_rule_is_found_by_its_method(void **state)
{
    (void)state;
    for (size_t i = 0; i < tv_lane_rule_count; i++) {
        const struct tv_lane_rule *rule = &tv_lane_rules[i];
        assert_int_equal(
            tv_lane_rule_find(tv_str_from(rule->class_name), tv_str_from(rule->method)), i);
        assert_int_equal(rule->lane == TV_LANE_PHASE, rule->label != NULL);
    }
    assert_int_equal(tv_lane_rule_find(TV_STR("com.app.Choreographer"), TV_STR("doFrame")),
                     tv_lane_rule_count);
}

static enum tv_code find(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_lanes some;
    struct tv_error err;
    (void)ctx;
    tv_lanes_init(&some, alloc);
    enum tv_code code = tv_lanes_find(&some, &w.index, 7, &err);
    tv_lanes_release(&some);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    begin("1\tmain\n");
    for (uint32_t i = 0; i < 20; i++)
        frame(i * 100, i * 100 + 50);
    leaf(RESUME, 3000, 3001);
    leaf(DISPATCH, 3100, 3101);
    look(9);
    (void)failing_alloc_each(find, NULL);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_named_after_what_it_did),
        cmocka_unit_test(a_message_within_a_message_is_none),
        cmocka_unit_test(a_frame_has_its_parts),
        cmocka_unit_test(a_layout_within_a_measure_counts_as_measure),
        cmocka_unit_test(a_start_up_has_phases_and_a_first_frame),
        cmocka_unit_test(the_first_frame_may_begin_where_the_phase_ends),
        cmocka_unit_test(the_first_frame_is_not_around_the_phase),
        cmocka_unit_test(a_start_up_without_a_frame_has_no_length),
        cmocka_unit_test(old_frames_are_traversals),
        cmocka_unit_test(other_threads_have_no_lanes),
        cmocka_unit_test(of_many_the_longest_are_kept),
        cmocka_unit_test(two_main_threads_have_their_own_frames),
        cmocka_unit_test(every_rule_is_found_by_its_method),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
