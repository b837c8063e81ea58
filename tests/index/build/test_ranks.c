/* Ranks of methods: by what they took on the default clock, then by name, then by id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index/made.h"

static void ranks_follow_the_default_clock(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_record(&t, (struct build_record){MAIN, FOO, ENTER, 0, 0});
    build_record(&t, (struct build_record){MAIN, FOO, LEAVE, 10, 100});
    build_record(&t, (struct build_record){MAIN, BAR, ENTER, 10, 100});
    build_record(&t, (struct build_record){MAIN, BAR, LEAVE, 30, 110});
    make_index(&index, &t);
    expect_number("default", tv_index_default_clock(&index), TV_CLOCK_CPU);
    expect_profile(&index, TV_CLOCK_WALL, "bar 1+0 10-10, foo 1+0 100-100");
    tv_index_release(&index);
}

/* Methods of no time at all, one of which was called. */
static void ties_go_by_name_then_by_id(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0x14, 0x8, 0x10, 0x4, 0xc, 0x18};
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .methods = "0x4\ta\tb.c\t()V\n"
                                                  "0xc\ta.b\tc\t()V\n"
                                                  "0x8\ta\tb\t()V\n"
                                                  "0x10\ta\tb\t(I)V\n"
                                                  "0x14\tA\tz\t()V\n"
                                                  "0x18\tA\ta\t()V\n"});
    for (uint32_t id = 0x4; id <= 0x14; id += 4) {
        enter(&t, MAIN, id, 10);
        leave(&t, MAIN, id, 10);
    }
    make_index(&index, &t);
    expect_number("ranked", index.info->ranked_count, 5); /* 0x18 was never called */
    for (uint32_t rank = 0; rank < 6; rank++) {
        expect_number("id by rank", index.methods[index.method_of_rank[rank]].id, expected[rank]);
        expect_number("rank", index.methods[index.method_of_rank[rank]].rank, rank);
    }
    tv_index_release(&index);
}

/* Names that differ at once, far behind, where one ends, and in what follows it. */
static void ties_go_by_names_however_long(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0x1c, 0x14, 0xc, 0x18, 0x8, 0x10, 0x4};
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .methods = "0x4\tcom.ab\taNameThatIsLongerB\t()V\n"
                                                  "0x8\tcom.ab\taNameThatIsLongerA\t()V\n"
                                                  "0xc\tcom.a\tzz\t()V\n"
                                                  "0x10\tcom.ab\taNameThatIsLongerA\t(I)V\n"
                                                  "0x14\tcom.\tq\t()V\n"
                                                  "0x18\tcom.ab\t\t\n"
                                                  "0x1c\tcom.z\tz\t()V\n"});
    enter(&t, MAIN, 0x1c, 10);
    leave(&t, MAIN, 0x1c, 10);
    make_index(&index, &t);
    expect_number("ranked", index.info->ranked_count, 1);
    for (uint32_t rank = 0; rank < 7; rank++)
        expect_number("id by rank", index.methods[index.method_of_rank[rank]].id, expected[rank]);
    tv_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_follow_the_default_clock),
        cmocka_unit_test(ties_go_by_name_then_by_id),
        cmocka_unit_test(ties_go_by_names_however_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
