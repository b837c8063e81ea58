/* Folds: segments of a thread, 64 at a time; by hand, and against a walk of all segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "index/model.h"

static void begin(struct trace_builder *t)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
}

static const struct tv_index_segment_group *group_of(const struct tv_index *index, uint64_t i)
{
    return &index->segment_groups[thread_of(index, MAIN)->group_first + i];
}

static void group_tells_its_first_and_longest_segment(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 12);
    leave(&t, MAIN, BAR, 19);
    leave(&t, MAIN, FOO, 24);
    enter(&t, MAIN, BAZ, 90); /* nothing is open for longest */
    leave(&t, MAIN, BAZ, 97); /* as long as bar's, but later */
    make_index(&index, &t);
    const struct tv_index_segment_group *group = group_of(&index, 0);
    expect_number("segment groups", index.segment_group_count, 1);
    expect_number("start", group->start, 10);
    expect_number("first", group->first_call, UINT64_MAX); /* of length 0, before foo */
    expect_number("first depth", group->first_depth, TV_NONE);
    expect_number("longest start", group->longest_start, 12);
    expect_number("longest", group->longest_len, 7);
    expect_number("its depth", group->longest_depth, 1);
    expect_number("its call", group->longest_call,
                  index.rows[thread_of(&index, MAIN)->row_first + 1].call_first);
    tv_index_release(&index);
}

static void time_before_an_adopting_call_is_its_own(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 12);
    enter(&t, MAIN, FOO, 50); /* 38 of nothing: baz, as it turns out */
    leave(&t, MAIN, FOO, 55);
    leave(&t, MAIN, BAZ, 60);
    enter(&t, MAIN, FOO, 99); /* 39 of nothing: of nobody, or of bar, if it came */
    make_index(&index, &t);
    const struct tv_index_segment_group *group = group_of(&index, 0);
    expect_number("first", group->first_call, 0);
    expect_number("first depth", group->first_depth, 0);
    expect_number("longest start", group->longest_start, 12);
    expect_number("longest", group->longest_len, 38);
    expect_number("its call", group->longest_call, 0);
    expect_number("its depth", group->longest_depth, 0);
    tv_index_release(&index);
}

static void group_without_a_call_says_so(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    make_index(&index, &t);
    const struct tv_index_segment_group *group = group_of(&index, 0);
    expect_number("segment groups", index.segment_group_count, 1);
    expect_number("longest", group->longest_len, 0);
    expect_number("first", group->first_call, UINT64_MAX);
    tv_index_release(&index);
}

/* The 64th record ends a segment group; a call that is open then begins the next. */
static void sixty_four_segments_are_a_group(void **state)
{
    (void)state;
    for (unsigned records = 62; records <= 67; records++) {
        struct trace_builder t;
        struct tv_index index;
        struct model model;
        begin(&t);
        for (unsigned i = 0; i < records; i++) {
            bool is_enter = i == 0 || i % 2;
            build_record(&t, (struct build_record){MAIN, i ? BAR : FOO, is_enter ? ENTER : LEAVE,
                                                   i * i, i * i});
        }
        model_read(&model, &t.bytes);
        make_index(&index, &t);
        expect_number("segment groups", thread_of(&index, MAIN)->group_count, records < 64 ? 1 : 2);
        expect_as_model(&index, &model);
        model_release(&model);
        tv_index_release(&index);
    }
}

static void closed_thread_of_sixty_four_has_one_group(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    for (uint32_t i = 0; i < 32; i++) {
        enter(&t, MAIN, FOO, 10 * i);
        leave(&t, MAIN, FOO, 10 * i + 7);
    }
    make_index(&index, &t);
    expect_number("segment groups", index.segment_group_count, 1);
    expect_number("levels", thread_of(&index, MAIN)->group_level_count, 1);
    tv_index_release(&index);
}

static void levels_of_groups_rise_by_thirty_two(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    struct model model;
    begin(&t);
    for (uint32_t i = 0; i < 32 * 33; i++) {
        enter(&t, MAIN, FOO, 10 * i);
        leave(&t, MAIN, FOO, 10 * i + i % 10);
    }
    leave(&t, MAIN, BAZ, 999999);
    model_read(&model, &t.bytes);
    make_index(&index, &t);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    expect_number("segment groups", thread->group_count, 34);
    expect_number("levels", thread->group_level_count, 3);
    expect_number("all", index.segment_group_count, 34 + 2 + 1);
    expect_as_model(&index, &model);
    model_release(&model);
    tv_index_release(&index);
}

/* Dropped records end no segment. */
static void dropped_records_are_not_in_groups(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    struct model model;
    begin(&t);
    enter(&t, MAIN, FOO, 10);
    for (uint32_t i = 0; i < 100; i++)
        leave(&t, MAIN, BAR, 11 + i);
    leave(&t, MAIN, FOO, 200);
    model_read(&model, &t.bytes);
    make_index(&index, &t);
    expect_number("segment groups", index.segment_group_count, 1);
    expect_number("longest", group_of(&index, 0)->longest_len, 190);
    expect_as_model(&index, &model);
    model_release(&model);
    tv_index_release(&index);
}

static void thread_of_dropped_records_alone_has_no_groups(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    begin(&t);
    build_record(&t, (struct build_record){MAIN, FOO, RESERVED, 10, 10});
    make_index(&index, &t);
    expect_number("segment groups", index.segment_group_count, 0);
    expect_number("records", thread_of(&index, MAIN)->records, 1);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_tells_its_first_and_longest_segment),
        cmocka_unit_test(time_before_an_adopting_call_is_its_own),
        cmocka_unit_test(group_without_a_call_says_so),
        cmocka_unit_test(sixty_four_segments_are_a_group),
        cmocka_unit_test(closed_thread_of_sixty_four_has_one_group),
        cmocka_unit_test(levels_of_groups_rise_by_thirty_two),
        cmocka_unit_test(dropped_records_are_not_in_groups),
        cmocka_unit_test(thread_of_dropped_records_alone_has_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
