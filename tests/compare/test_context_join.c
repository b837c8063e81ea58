/* Calling contexts of runs, matched by path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compare/context_join.h"
#include "compare/made.h"
#include "support/failing_alloc.h"

/* On main: foo > bar > foo, and `more` times foo > baz. On worker: foo > baz. */
static void make(struct made *made, unsigned more)
{
    uint32_t at = 100;
    made_begin(made, NULL);
    enter(&made->t, MAIN, FOO, 0);
    enter(&made->t, WORKER, FOO, 0);
    enter(&made->t, MAIN, BAR, 10);
    enter(&made->t, MAIN, FOO, 20);
    enter(&made->t, WORKER, BAZ, 20);
    leave(&made->t, WORKER, BAZ, 25);
    leave(&made->t, MAIN, FOO, 50);
    leave(&made->t, MAIN, BAR, 60);
    leave(&made->t, WORKER, FOO, 80);
    for (unsigned i = 0; i < more; i++, at += 10)
        made_call(made, BAZ, at, at + 7);
    leave(&made->t, MAIN, FOO, at);
    made_end(made);
}

/* Methods of the join, and contexts of them. */
struct joined {
    struct tv_join methods;
    struct tv_context_join contexts;
};

static enum tv_code add(struct joined *joined, size_t run, enum tv_side side,
                        const struct made *made, uint32_t root_id)
{
    const struct tv_alloc *alloc = joined->methods.alloc;
    const struct tv_index *index = &made->index;
    uint32_t places[16];
    struct tv_sums sums;
    struct tv_context_run of = {&sums, TV_NONE, places};
    for (uint32_t i = 0; i < index->method_count; i++)
        of.root = root_id && index->methods[i].id == root_id ? i : of.root;
    tv_sums_init(&sums, alloc);
    enum tv_code code =
        tv_join_add_placed(&joined->methods, run, index, made->profile.rows, places, NULL);
    if (code == TV_OK)
        code =
            tv_sums_compute(&sums, index, &(struct tv_selection){.has_range = false}, NULL, NULL);
    if (code == TV_OK)
        code = tv_context_join_add(&joined->contexts, side, &of, NULL);
    tv_sums_release(&sums);
    return code;
}

static enum tv_code join(struct joined *joined, const struct tv_alloc *alloc,
                         const struct made *runs, size_t old_count, size_t count, uint32_t root_id)
{
    enum tv_code code = TV_OK;
    tv_join_init(&joined->methods, alloc);
    tv_context_join_init(&joined->contexts, alloc);
    tv_join_begin(&joined->methods, count);
    for (size_t i = 0; code == TV_OK && i < count; i++)
        code = add(joined, i, i < old_count ? TV_SIDE_OLD : TV_SIDE_NEW, &runs[i], root_id);
    if (code == TV_OK)
        code = tv_join_finish(&joined->methods, NULL);
    if (code == TV_OK)
        tv_context_join_finish(&joined->contexts, &joined->methods);
    return code;
}

static void release(struct joined *joined)
{
    tv_context_join_release(&joined->contexts);
    tv_join_release(&joined->methods);
}

/* Writes the path of a context, "foo bar foo". */
static void path_of(const struct joined *joined, uint32_t place, char text[64])
{
    char behind[64] = "";
    for (; place != TV_NONE; place = joined->contexts.of[place].parent) {
        const struct tv_joined_method *method =
            &joined->methods.methods[joined->contexts.of[place].method];
        (void)snprintf(text, 64, "%.*s%s%.40s", (int)method->name.stem.len, method->name.stem.at,
                       behind[0] ? " " : "", behind);
        memcpy(behind, text, sizeof(behind));
    }
}

static const struct tv_context_side *find(const struct joined *joined, const char *path,
                                          enum tv_side side)
{
    size_t found = joined->contexts.count;
    for (size_t i = 0; i < joined->contexts.count; i++) {
        char text[64];
        path_of(joined, (uint32_t)i, text);
        found = strcmp(text, path) == 0 ? i : found;
    }
    if (found == joined->contexts.count)
        fail_msg("no context is %s", path);
    return &joined->contexts.of[found].sides[side];
}

static void expect_calls(const struct joined *joined, const char *path, enum tv_side side,
                         uint64_t least, uint64_t most)
{
    assert_int_equal(find(joined, path, side)->least_calls, least);
    assert_int_equal(find(joined, path, side)->most_calls, most);
}

static void contexts_are_matched_by_path_over_threads(void **state)
{
    (void)state;
    struct made runs[2];
    struct joined joined;
    make(&runs[0], 1);
    make(&runs[1], 0);
    assert_int_equal(join(&joined, tv_alloc_libc(), runs, 1, 2, 0), TV_OK);
    assert_int_equal(joined.contexts.count, 4);
    expect_calls(&joined, "foo", TV_SIDE_OLD, 2, 2);
    expect_calls(&joined, "foo bar foo", TV_SIDE_NEW, 1, 1);
    expect_calls(&joined, "foo baz", TV_SIDE_OLD, 2, 2);
    expect_calls(&joined, "foo baz", TV_SIDE_NEW, 1, 1);
    assert_int_equal(find(&joined, "foo baz", TV_SIDE_OLD)->time_ns[TV_CLOCK_WALL], 12000);
    release(&joined);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

/* A run without the context has 0 calls of it, whether it comes first or later. */
static void runs_of_a_side_have_a_range(void **state)
{
    (void)state;
    struct made runs[4];
    struct joined joined;
    static const unsigned more[] = {0, 5, 3, 3};
    made_begin(&runs[0], NULL);
    made_call(&runs[0], FOO, 0, 10);
    made_end(&runs[0]);
    for (unsigned i = 1; i < 4; i++)
        make(&runs[i], more[i]);
    assert_int_equal(join(&joined, tv_alloc_libc(), runs, 2, 4, 0), TV_OK);
    expect_calls(&joined, "foo", TV_SIDE_OLD, 1, 2);
    expect_calls(&joined, "foo baz", TV_SIDE_OLD, 0, 6);
    expect_calls(&joined, "foo baz", TV_SIDE_NEW, 4, 4);
    release(&joined);
    for (unsigned i = 0; i < 4; i++)
        made_release(&runs[i]);
}

static void a_path_ends_with_the_context(void **state)
{
    (void)state;
    struct tv_joined_context of[40];
    struct tv_context_join contexts = {.of = of, .count = 40};
    for (uint32_t i = 0; i < 40; i++)
        of[i] = (struct tv_joined_context){.parent = i ? i - 1 : TV_NONE, .method = 100 + i};
    struct tv_context_path path = tv_context_path_of(&contexts, 2, 16);
    assert_int_equal(path.count, 3);
    assert_int_equal(path.above, 0);
    assert_int_equal(path.methods[0], 100);
    assert_int_equal(path.methods[2], 102);
    path = tv_context_path_of(&contexts, 39, TV_CONTEXT_PATH_MOST);
    assert_int_equal(path.count, 16);
    assert_int_equal(path.above, 24);
    assert_int_equal(path.methods[15], 139);
    assert_int_equal(tv_context_path_of(&contexts, TV_NONE, 16).count, 0);
}

/* Below bar, the paths begin with it. */
static void below_a_root_paths_begin_there(void **state)
{
    (void)state;
    struct made run;
    struct joined joined;
    make(&run, 1);
    assert_int_equal(join(&joined, tv_alloc_libc(), &run, 1, 1, BAR), TV_OK);
    assert_int_equal(joined.contexts.count, 2);
    expect_calls(&joined, "bar", TV_SIDE_OLD, 1, 1);
    expect_calls(&joined, "bar foo", TV_SIDE_OLD, 1, 1);
    release(&joined);
    assert_int_equal(join(&joined, tv_alloc_libc(), &run, 1, 1, FOO), TV_OK);
    expect_calls(&joined, "foo bar foo", TV_SIDE_OLD, 1, 1); /* the inner one is below the outer */
    release(&joined);
    made_release(&run);
}

static enum tv_code join_with(const struct tv_alloc *alloc, void *ctx)
{
    struct joined joined;
    enum tv_code code = join(&joined, alloc, ctx, 1, 2, 0);
    release(&joined);
    return code;
}

/* More children than are looked at one by one, which the second run calls the other way round. */
static void a_parent_may_have_many_children(void **state)
{
    (void)state;
    struct made runs[2];
    struct joined joined;
    static const char methods[] = "0x10\ta.A\tfoo\t()V\n0x14\ta.A\tm0\t()V\n0x18\ta.A\tm1\t()V\n"
                                  "0x1c\ta.A\tm2\t()V\n0x20\ta.A\tm3\t()V\n0x24\ta.A\tm4\t()V\n"
                                  "0x28\ta.A\tm5\t()V\n0x2c\ta.A\tm6\t()V\n0x30\ta.A\tm7\t()V\n"
                                  "0x34\ta.A\tm8\t()V\n0x38\ta.A\tm9\t()V\n0x3c\ta.A\tm10\t()V\n";
    for (unsigned run = 0; run < 2; run++) {
        made_begin(&runs[run], methods);
        enter(&runs[run].t, MAIN, 0x10, 0);
        for (uint32_t i = 0; i < 22; i++)
            made_call(&runs[run], 0x14 + 4 * (run ? 10 - i % 11 : i % 11), i * 10, i * 10 + 5);
        leave(&runs[run].t, MAIN, 0x10, 300);
        made_end(&runs[run]);
    }
    assert_int_equal(join(&joined, tv_alloc_libc(), runs, 1, 2, 0), TV_OK);
    assert_int_equal(joined.contexts.count, 12);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        expect_calls(&joined, "foo m0", (enum tv_side)side, 2, 2);
        expect_calls(&joined, "foo m8", (enum tv_side)side, 2, 2);
        expect_calls(&joined, "foo m10", (enum tv_side)side, 2, 2);
    }
    release(&joined);
    assert_true(failing_alloc_each(join_with, runs) > 0);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

static void memory_that_is_refused_is_told(void **state)
{
    (void)state;
    struct made runs[2];
    make(&runs[0], 1);
    make(&runs[1], 0);
    assert_true(failing_alloc_each(join_with, runs) > 0);
    made_release(&runs[0]);
    made_release(&runs[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_are_matched_by_path_over_threads),
        cmocka_unit_test(runs_of_a_side_have_a_range),
        cmocka_unit_test(a_parent_may_have_many_children),
        cmocka_unit_test(a_path_ends_with_the_context),
        cmocka_unit_test(below_a_root_paths_begin_there),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
