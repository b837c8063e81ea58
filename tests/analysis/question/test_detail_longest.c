/* The longest call of each row of an answer of details, against a plain reading of all calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/question/detail_question.h"
#include "analysis/world.h"
#include "base/memory/arena.h"

#define SEEDS 60
/* Edges of ranges stand between two ticks of the clock, so no call begins or ends there. */
#define HALF_TICK_NS 500u

static struct world w;

/* What is looked for among plain calls. */
struct plain_search {
    uint64_t from_ns, to_ns; /* UINT64_MAX: to the end */
    enum tv_measure measure;
    unsigned method;
    bool is_wait; /* of the own code of all calls; else the time of root calls */
    int found;    /* in w.calls, or WORLD_NONE */
    uint64_t found_ns;
};

static uint64_t duration(int call, int clock)
{
    return w.calls[call].end[clock] - w.calls[call].start[clock];
}

static uint64_t positive(int64_t ns)
{
    return ns > 0 ? (uint64_t)ns : 0;
}

/* Wait by wall and CPU times. */
static uint64_t wait_of(uint64_t wall_ns, uint64_t cpu_ns)
{
    return positive((int64_t)(wall_ns - cpu_ns));
}

static uint64_t time_of(const struct plain_search *search, int call)
{
    if (search->measure == TV_MEASURE_WAIT)
        return wait_of(duration(call, TV_CLOCK_WALL), duration(call, TV_CLOCK_CPU));
    return duration(call, search->measure == TV_MEASURE_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL);
}

/* A call that waits no longer in all than another's own code cannot have a longer wait of its own
 * code, but by the ticks of the clocks. */
static void see(struct plain_search *search, int call)
{
    uint64_t ns = time_of(search, call);
    if (search->is_wait) {
        ns = wait_of(world_exclusive(&w, call, TV_CLOCK_WALL, 0, UINT64_MAX),
                     world_exclusive(&w, call, TV_CLOCK_CPU, 0, UINT64_MAX));
        if (wait_of(duration(call, TV_CLOCK_WALL), duration(call, TV_CLOCK_CPU)) <=
            search->found_ns)
            return;
    }
    if (ns <= search->found_ns)
        return;
    search->found = call;
    search->found_ns = ns;
}

/* Goes through all calls by thread, depth and start. */
static void look(struct plain_search *search)
{
    search->found = WORLD_NONE;
    search->found_ns = 0;
    for (uint32_t thread = 0; thread < w.index.thread_count; thread++) {
        for (uint32_t depth = 0; depth < w.index.threads[thread].max_depth; depth++) {
            for (int i = 0; i < w.call_count; i++) {
                const struct plain_call *call = &w.calls[i];
                bool is_in = world_overlaps(&w, i, search->from_ns, search->to_ns);
                if (world_thread_ix(&w, call->thread) == thread && call->depth == depth && is_in &&
                    call->method == search->method && (search->is_wait || !depth))
                    see(search, i);
            }
        }
    }
}

static void expect_longest(const struct tv_detail_row *row, struct plain_search *search)
{
    const struct tv_call_ref ref = row->longest;
    for (unsigned method = 0; method < WORLD_METHODS; method++) {
        if (row->method_ix == world_method_ix(&w, method))
            search->method = method;
    }
    look(search);
    assert_int_equal(row->longest_ns, search->found_ns);
    assert_int_equal(tv_call_is(ref), search->found != WORLD_NONE);
    if (!tv_call_is(ref))
        return;
    const struct plain_call *call = &w.calls[search->found];
    const struct tv_index_thread *thread = &w.index.threads[ref.thread_ix];
    assert_int_equal(tv_call_method(&w.index, ref), row->method_ix);
    assert_int_equal(ref.thread_ix, world_thread_ix(&w, call->thread));
    assert_int_equal(ref.depth, call->depth);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        assert_int_equal(tv_index_start(&w.index, thread, (enum tv_clock)clock, ref.call) *
                             w.index.info->unit_ns,
                         call->start[clock]);
}

static unsigned check_scope(struct plain_search search, bool has_range)
{
    struct tv_detail_question question = {.subject = TV_DETAIL_SCOPE};
    struct tv_detail detail;
    tv_scope_init(&question.scope, &w.index);
    question.scope.measure = search.measure;
    question.scope.selection.has_range = has_range;
    question.scope.selection.from_ns = search.from_ns;
    question.scope.selection.to_ns = search.to_ns;
    assert_int_equal(tv_detail_compute(&detail, &w.index, &question, tv_alloc_libc(), NULL, NULL),
                     TV_OK);
    for (size_t i = 0; i < detail.parts.count; i++)
        expect_longest(&detail.parts.of[i], &search);
    search.is_wait = true;
    for (size_t i = 0; i < detail.waits.count; i++)
        expect_longest(&detail.waits.of[i], &search);
    return (unsigned)(detail.parts.count + detail.waits.count);
}

static void rows_have_the_longest_call_of_the_trace(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (int measure = 0; measure < (int)TV_MEASURE_COUNT; measure++)
            checked += check_scope(
                (struct plain_search){.to_ns = UINT64_MAX, .measure = (enum tv_measure)measure},
                false);
        world_release(&w);
    }
    assert_in_range(checked, 500, UINT32_MAX);
}

/* Ranges of most of the trace and of little of it: the mipmap serves the former alone. */
static void rows_have_the_longest_call_of_a_range(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed + 1;
        world_any(&w, seed);
        for (int i = 0; i < 6; i++) {
            uint32_t ticks = (uint32_t)(w.latest / 1000);
            uint32_t len = 1 + world_dice(&dice, i % 2 ? ticks : ticks / 8 + 1);
            uint32_t from = world_dice(&dice, ticks > len ? ticks - len : 1);
            checked +=
                check_scope((struct plain_search){.from_ns = from * 1000ull + HALF_TICK_NS,
                                                  .to_ns = (from + len) * 1000ull + HALF_TICK_NS,
                                                  .measure = (enum tv_measure)(i / 2)},
                            true);
        }
        world_release(&w);
    }
    assert_in_range(checked, 500, UINT32_MAX);
}

static void expect_no_longer(const struct tv_detail_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        assert_in_range(rows->of[i].longest_ns, 0, rows->of[i].numbers.inclusive_ns[TV_CLOCK_WALL]);
}

/* Asks about a method, of whose calls those count that last less long. */
static unsigned check_durations(unsigned method, uint64_t below_ns)
{
    struct tv_detail_question question = {.subject = TV_DETAIL_METHOD,
                                          .method_ix = world_method_ix(&w, method)};
    const struct tv_call_step step = {.kind = TV_STEP_METHODS, .of = &question.method_ix, .len = 1};
    const struct tv_call_limits limits = {.measure = TV_MEASURE_WALL, .below_ns = below_ns};
    struct tv_arena arena;
    struct tv_detail detail = {.more_parts = 0};
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(&question.scope, &w.index);
    question.scope.measure = TV_MEASURE_WALL;
    if (question.method_ix != TV_NONE &&
        tv_scope_take_step(&question.scope, &w.index, &step, (struct tv_str){NULL, 0}, &limits,
                           &arena, NULL) == TV_OK) {
        assert_int_equal(
            tv_detail_compute(&detail, &w.index, &question, tv_alloc_libc(), NULL, NULL), TV_OK);
        expect_no_longer(&detail.parts);
        expect_no_longer(&detail.path);
    }
    tv_arena_release(&arena);
    return (unsigned)detail.parts.count;
}

/* Where a method calls itself, a place of the trace is several seen from the calls that are left.
 */
static void no_call_is_longer_than_its_row(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_any(&w, seed);
        for (unsigned method = 0; method < WORLD_METHODS; method++) {
            for (int call = 0; call < w.call_count; call++) {
                if (w.calls[call].method == method)
                    checked += check_durations(method, duration(call, TV_CLOCK_WALL));
            }
        }
        world_release(&w);
    }
    assert_in_range(checked, 500, UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_longest_call_of_the_trace),
        cmocka_unit_test(rows_have_the_longest_call_of_a_range),
        cmocka_unit_test(no_call_is_longer_than_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
