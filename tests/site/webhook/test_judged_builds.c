/* site/webhook/judged_builds: traces that come have builds judged again only where that may find
 * something. */
#include "site/webhook/judged_builds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NOW 1000000
#define MOST 4000u

/* What the store lists, the newest first. */
struct world {
    struct tv_store store;
    struct tv_judged_builds builds;
    struct tv_trace_query query;
    struct tv_label labels[MOST][2];
    int64_t created[MOST];
    size_t count, at;
    unsigned asked;
    enum tv_code code;
};

static enum tv_code list(void *ctx, const struct tv_trace_query *query, struct tv_arena *arena,
                         struct tv_trace_row *rows, size_t *count, struct tv_error *err)
{
    struct world *world = ctx;
    (void)arena;
    world->asked++;
    world->at = query->after_id.hex[0] ? world->at : 0;
    for (*count = 0; *count < query->most && world->at < world->count; ++*count, world->at++) {
        struct tv_trace_row *row = &rows[*count];
        *row = (struct tv_trace_row){.created = world->created[world->at],
                                     .labels = world->labels[world->at],
                                     .label_count = 2};
        (void)snprintf(row->id.hex, sizeof(row->id.hex), "%032zx", world->at + 1);
    }
    return world->code == TV_OK ? TV_OK : tv_fail(err, world->code, TV_NO_OFFSET, "it is away");
}

static void add(struct world *world, const char *app, const char *build, int64_t created)
{
    struct tv_label *labels = world->labels[world->count];
    labels[0] = (struct tv_label){TV_STR("app"), tv_str_from(app)};
    labels[1] = (struct tv_label){TV_STR("build"), tv_str_from(build)};
    world->created[world->count++] = created;
}

static bool are_due(struct world *world, int64_t now)
{
    bool due;
    assert_int_equal(
        tv_judged_builds_are_due(&world->builds, &world->store, &world->query, now, &due, NULL),
        TV_OK);
    return due;
}

static void settle(struct world *world, const char *app, const char *build)
{
    assert_int_equal(
        tv_judged_builds_settle(&world->builds, tv_str_from(app), tv_str_from(build), NULL), TV_OK);
}

static struct world world;

static int begin(void **state)
{
    world = (struct world){.count = 0};
    world.store.db = (struct tv_store_db){.ctx = &world, .list_traces = list};
    tv_judged_builds_init(&world.builds, tv_alloc_libc());
    *state = &world;
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_judged_builds_release(&world.builds);
    return 0;
}

static void judges_at_first_and_where_rows_are_waited_for(void **state)
{
    (void)state;
    assert_true(are_due(&world, NOW));
    tv_judged_builds_clear(&world.builds, NOW);
    assert_false(are_due(&world, NOW + 5));
    world.builds.is_waiting = true;
    assert_true(are_due(&world, NOW + 10));
}

static void traces_of_settled_builds_change_nothing(void **state)
{
    (void)state;
    tv_judged_builds_clear(&world.builds, NOW);
    settle(&world, "shop", "417");
    add(&world, "shop", "417", NOW + 1);
    add(&world, "shop", "", NOW);
    add(&world, "", "5", NOW);
    assert_false(are_due(&world, NOW + 5));
    /* What came long before the last look is not looked at. */
    add(&world, "shop", "418", NOW - 10000);
    assert_false(are_due(&world, NOW + 10));
    assert_int_equal(world.asked, 2);
}

static void a_trace_of_another_build_has_them_judged(void **state)
{
    (void)state;
    tv_judged_builds_clear(&world.builds, NOW);
    settle(&world, "shop", "417");
    add(&world, "shop", "417", NOW + 1);
    add(&world, "other", "417", NOW + 1);
    assert_true(are_due(&world, NOW + 5));
    /* Until they were. */
    assert_true(are_due(&world, NOW + 10));
    settle(&world, "other", "417");
    assert_false(are_due(&world, NOW + 15));
}

/* Its upload began before the last look. */
static void a_trace_may_come_late(void **state)
{
    (void)state;
    tv_judged_builds_clear(&world.builds, NOW);
    add(&world, "shop", "418", NOW - 500);
    assert_true(are_due(&world, NOW + 5));
}

static void what_is_looked_at_is_bounded(void **state)
{
    (void)state;
    tv_judged_builds_clear(&world.builds, NOW);
    settle(&world, "shop", "417");
    while (world.count < MOST)
        add(&world, "shop", "417", NOW + 1);
    assert_true(are_due(&world, NOW + 5));
    assert_int_equal(world.asked, 4);
}

static void a_store_that_is_away_is_told(void **state)
{
    struct tv_error err;
    bool due;
    (void)state;
    tv_judged_builds_clear(&world.builds, NOW);
    world.code = TV_ERR_AWAY;
    assert_int_equal(
        tv_judged_builds_are_due(&world.builds, &world.store, &world.query, NOW + 5, &due, &err),
        TV_ERR_AWAY);
    assert_string_equal(err.text, "it is away");
    /* And what came meanwhile is found afterwards. */
    world.code = TV_OK;
    add(&world, "shop", "418", NOW + 1);
    assert_true(are_due(&world, NOW + 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(judges_at_first_and_where_rows_are_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(traces_of_settled_builds_change_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_trace_of_another_build_has_them_judged, begin, end),
        cmocka_unit_test_setup_teardown(a_trace_may_come_late, begin, end),
        cmocka_unit_test_setup_teardown(what_is_looked_at_is_bounded, begin, end),
        cmocka_unit_test_setup_teardown(a_store_that_is_away_is_told, begin, end),
    };
    return cmocka_run_group_tests_name("site/webhook/judged_builds", tests, NULL, NULL);
}
