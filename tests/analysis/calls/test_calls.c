/* Calls one by one and in lists, against the plain calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/call.h"
#include "analysis/calls/calls.h"
#include "analysis/world.h"

#define SEEDS 80

static struct world w;

/* The plain call that a reference stands for; calls that nothing tells apart count as one. */
static bool is_same(struct tv_call_ref ref, int call)
{
    const struct plain_call *c = &w.calls[call];
    const struct tv_index_thread *thread = &w.index.threads[ref.thread_ix];
    return thread->id == c->thread && ref.depth == c->depth &&
           tv_call_method(&w.index, ref) == world_method_ix(&w, c->method) &&
           tv_index_start(&w.index, thread, TV_CLOCK_WALL, ref.call) * 1000 == c->start[0] &&
           tv_index_duration(&w.index, thread, TV_CLOCK_WALL, ref.call) * 1000 ==
               c->end[0] - c->start[0] &&
           tv_index_start(&w.index, thread, TV_CLOCK_CPU, ref.call) * 1000 == c->start[1] &&
           tv_index_duration(&w.index, thread, TV_CLOCK_CPU, ref.call) * 1000 ==
               c->end[1] - c->start[1];
}

/* The reference of a plain call: the k-th of its row in the order of starts, as they were entered.
 */
static struct tv_call_ref ref_of(int call)
{
    const struct plain_call *c = &w.calls[call];
    uint32_t thread_ix = world_thread_ix(&w, c->thread);
    const struct tv_index_row *row = &w.index.rows[w.index.threads[thread_ix].row_first + c->depth];
    for (uint64_t i = 0; i < row->call_count; i++) {
        struct tv_call_ref ref = tv_call_at(&w.index, thread_ix, c->depth, i);
        if (is_same(ref, call))
            return ref;
    }
    fail_msg("the index lacks call %d", call);
    return TV_NO_CALL;
}

static struct tv_call_rank rank_of(struct tv_call_ref ref, enum tv_clock clock)
{
    struct tv_method_calls list;
    struct tv_call_rank rank;
    tv_method_calls_init(&list, tv_alloc_libc());
    assert_int_equal(
        tv_method_calls_find(&list, &w.index, tv_call_method(&w.index, ref), NULL, NULL), TV_OK);
    assert_int_equal(tv_call_rank_of(&list, ref, clock, &rank, NULL), TV_OK);
    tv_method_calls_release(&list);
    return rank;
}

static enum tv_code by_ordinal(uint32_t method_ix, uint64_t ordinal, struct tv_call_ref *ref)
{
    struct tv_method_calls list;
    tv_method_calls_init(&list, tv_alloc_libc());
    assert_int_equal(tv_method_calls_find(&list, &w.index, method_ix, NULL, NULL), TV_OK);
    enum tv_code code = tv_call_by_ordinal(&list, ordinal, ref, NULL);
    tv_method_calls_release(&list);
    return code;
}

static void caller_and_own_time_are_those_of_the_plain_call(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        world_random(&w, seed);
        for (int i = 0; i < w.call_count; i++) {
            struct tv_call_ref ref = ref_of(i);
            struct tv_call_ref caller = tv_call_caller(&w.index, ref);
            uint64_t exclusive[TV_CLOCK_COUNT];
            assert_int_equal(tv_call_is(caller), w.calls[i].parent != WORLD_NONE);
            if (tv_call_is(caller))
                assert_true(tv_call_contains(&w.index, caller, ref));
            assert_int_equal(tv_call_is_open_at_end(&w.index, ref), w.calls[i].is_open);
            /* Calls that nothing tells apart may share callees of no length; times stay. */
            tv_call_exclusive(&w.index, ref, exclusive);
            for (int clock = 0; clock < 2; clock++)
                assert_int_equal(exclusive[clock] * 1000,
                                 world_exclusive(&w, i, clock, 0, UINT64_MAX));
        }
        world_release(&w);
    }
}

static void steps_along_the_thread_visit_every_call_once(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS / 4; seed++) {
        world_random(&w, seed);
        for (uint32_t i = 0; i < w.index.thread_count; i++) {
            uint64_t visited = 0;
            struct tv_call_ref last = TV_NO_CALL;
            struct tv_call_ref at = tv_call_at(&w.index, i, 0, 0);
            for (; w.index.threads[i].calls && tv_call_is(at); visited++) {
                if (tv_call_is(last)) {
                    struct tv_call_ref back = tv_call_in_thread(&w.index, at, TV_BACKWARD);
                    assert_int_equal(back.call, last.call);
                }
                last = at;
                at = tv_call_in_thread(&w.index, at, TV_FORWARD);
            }
            assert_int_equal(visited, w.index.threads[i].calls);
        }
        world_release(&w);
    }
}

static void steps_along_a_method_go_by_ordinal(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS / 4; seed++) {
        world_random(&w, seed);
        for (unsigned method = 0; method < WORLD_METHODS; method++) {
            uint32_t method_ix = world_method_ix(&w, method);
            uint64_t count = 0;
            struct tv_call_ref ref;
            struct tv_call_ref next;
            for (int i = 0; i < w.call_count; i++)
                count += w.calls[i].method == method;
            for (uint64_t ordinal = 0; ordinal < count; ordinal++) {
                assert_int_equal(by_ordinal(method_ix, ordinal, &ref), TV_OK);
                if (ordinal)
                    assert_int_equal(next.call, ref.call);
                struct tv_call_rank rank = rank_of(ref, TV_CLOCK_WALL);
                assert_int_equal(rank.ordinal, ordinal);
                assert_int_equal(rank.of, count);
                assert_int_equal(
                    tv_call_of_method(&w.index, tv_alloc_libc(), ref, TV_FORWARD, &next, NULL),
                    TV_OK);
                struct tv_call_ref back = TV_NO_CALL;
                if (tv_call_is(next))
                    assert_int_equal(tv_call_of_method(&w.index, tv_alloc_libc(), next, TV_BACKWARD,
                                                       &back, NULL),
                                     TV_OK);
                assert_int_equal(tv_call_is(next), ordinal + 1 < count);
                if (tv_call_is(next))
                    assert_int_equal(back.call, ref.call);
            }
            assert_int_equal(by_ordinal(method_ix, count, &ref), TV_ERR_NOT_FOUND);
        }
        world_release(&w);
    }
}

static void innermost_call_is_the_deepest_that_spans_the_time(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        world_random(&w, seed);
        for (int k = 0; k < 30 && w.latest; k++) {
            uint64_t time = world_dice(&dice, (uint32_t)(w.latest / 1000));
            unsigned thread = 1 + world_dice(&dice, WORLD_THREADS - 1);
            int want = WORLD_NONE;
            for (int i = 0; i < w.call_count; i++) {
                const struct plain_call *call = &w.calls[i];
                if (call->thread == thread && call->start[0] <= time * 1000 &&
                    call->end[0] > time * 1000 &&
                    (want == WORLD_NONE || call->depth > w.calls[want].depth))
                    want = i;
            }
            struct tv_call_ref got = tv_call_innermost(&w.index, world_thread_ix(&w, thread), time);
            if (want != WORLD_NONE)
                assert_true(tv_call_is(got) && is_same(got, want));
        }
        world_release(&w);
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Sorted wall durations of the calls of a method that overlap. */
static size_t plain_durations(unsigned method, uint64_t from, uint64_t to, uint64_t *durations)
{
    size_t count = 0;
    for (int i = 0; i < w.call_count; i++) {
        if (w.calls[i].method == method && world_overlaps(&w, i, from, to))
            durations[count++] = w.calls[i].end[0] - w.calls[i].start[0];
    }
    qsort(durations, count, sizeof(*durations), compare_u64);
    return count;
}

static int64_t plain_measure(const uint64_t times[2], enum tv_measure measure)
{
    if (measure == TV_MEASURE_WAIT)
        return (int64_t)(times[0] - times[1]);
    return (int64_t)times[measure == TV_MEASURE_CPU];
}

static int64_t plain_duration(int call, enum tv_measure measure)
{
    const struct plain_call *c = &w.calls[call];
    uint64_t times[2] = {c->end[0] - c->start[0], c->end[1] - c->start[1]};
    return plain_measure(times, measure);
}

/* By what a plain call is sorted. */
static int64_t plain_key(int call, const struct tv_calls_opts *opts)
{
    const struct plain_call *c = &w.calls[call];
    uint64_t exclusive[2];
    switch (opts->key) {
    case TV_CALLS_BY_DURATION:
        return plain_duration(call, opts->key_measure);
    case TV_CALLS_BY_START:
        return (int64_t)c->start[0];
    case TV_CALLS_BY_EXCLUSIVE:
        for (int clock = 0; clock < 2; clock++)
            exclusive[clock] = world_exclusive(&w, call, clock, 0, UINT64_MAX);
        return plain_measure(exclusive, opts->key_measure);
    case TV_CALLS_BY_THREAD:
        break;
    }
    return (int64_t)(world_thread_ix(&w, c->thread) * (w.latest + 1) + c->start[0]);
}

static int compare_i64(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The sorted keys of the calls that a page may have. */
static size_t plain_keys(const struct tv_calls_opts *opts, unsigned method, int64_t *keys)
{
    const struct tv_selection *range = &opts->selection;
    uint64_t to = range->has_range && range->to_ns < w.latest ? range->to_ns : UINT64_MAX;
    size_t count = 0;
    for (int i = 0; i < w.call_count; i++) {
        int64_t duration = plain_duration(i, opts->measure);
        uint64_t shown = duration > 0 ? (uint64_t)duration : 0;
        if (w.calls[i].method == method && world_overlaps(&w, i, range->from_ns, to) &&
            shown >= opts->least_ns && (!opts->below_ns || shown < opts->below_ns))
            keys[count++] = plain_key(i, opts);
    }
    qsort(keys, count, sizeof(*keys), compare_i64);
    return count;
}

/* The plain call of a reference. */
static int plain_of(struct tv_call_ref ref)
{
    for (int i = 0; i < w.call_count; i++) {
        if (is_same(ref, i))
            return i;
    }
    fail_msg("no such call");
    return WORLD_NONE;
}

static void check_page(const struct tv_calls_opts *opts, unsigned method,
                       const struct tv_call_list *calls)
{
    static int64_t keys[WORLD_CALLS];
    size_t count = plain_keys(opts, method, keys);
    assert_int_equal(calls->listed, count);
    size_t left = count > opts->offset ? count - opts->offset : 0;
    assert_int_equal(calls->slice_len, left < opts->limit ? left : opts->limit);
    /* Finding a rank takes looking at all calls of the method: of a long page it is asked for some.
     */
    const size_t ranked_step = 1 + calls->slice_len / 100;
    for (size_t i = 0; i < calls->slice_len; i++) {
        size_t at = opts->offset + i;
        struct tv_call_ref ref = calls->slice[i].ref;
        assert_int_equal(plain_key(plain_of(ref), opts),
                         keys[opts->order == TV_ASCENDING ? at : count - 1 - at]);
        for (size_t k = 0; k < i; k++)
            assert_true(calls->slice[k].ref.call != ref.call);
        if (i % ranked_step)
            continue;
        assert_int_equal(calls->slice[i].ordinal, rank_of(ref, TV_CLOCK_WALL).ordinal);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && !opts->selection.has_range; clock++)
            assert_int_equal(calls->percentiles.of[clock].p50_ns,
                             rank_of(ref, (enum tv_clock)clock).median_ns);
    }
}

static void check_list(const struct tv_calls_opts *opts, unsigned method)
{
    static uint64_t durations[WORLD_CALLS];
    struct tv_call_list calls;
    const struct tv_selection *range = &opts->selection;
    uint64_t to = range->has_range && range->to_ns < w.latest ? range->to_ns : UINT64_MAX;
    size_t count = plain_durations(method, range->from_ns, to, durations);
    uint64_t bars = 0;
    tv_calls_init(&calls, tv_alloc_libc());
    assert_int_equal(tv_calls_compute(&calls, &w.index, opts, NULL), TV_OK);
    assert_int_equal(calls.count, count);
    for (size_t i = 0; i < calls.bar_count; i++)
        bars += calls.bars[i].count;
    assert_int_equal(bars, count);
    if (count) {
        const struct tv_percentiles *percentiles = &calls.percentiles.of[TV_CLOCK_WALL];
        assert_int_equal(percentiles->min_ns, durations[0]);
        assert_int_equal(percentiles->max_ns, durations[count - 1]);
        assert_int_equal(percentiles->p50_ns, durations[(count * 50 + 99) / 100 - 1]);
        assert_int_equal(percentiles->p95_ns, durations[(count * 95 + 99) / 100 - 1]);
    }
    check_page(opts, method, &calls);
    tv_calls_release(&calls);
}

static void lists_equal_sorted_plain_calls(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        uint32_t dice = seed;
        world_random(&w, seed);
        for (unsigned method = 0; method < WORLD_METHODS; method++) {
            struct tv_calls_opts opts = {.method = world_method_ix(&w, method),
                                         .key = (enum tv_calls_key)world_dice(&dice, 4),
                                         .order = (enum tv_order)world_dice(&dice, 2),
                                         .key_measure = (enum tv_measure)world_dice(&dice, 3),
                                         .least_ns = world_dice(&dice, 2) * 1000,
                                         .below_ns = world_dice(&dice, 2) * 20000,
                                         .offset = world_dice(&dice, 2) * world_dice(&dice, 9),
                                         .limit = 1 + world_dice(&dice, 9)};
            opts.selection.has_range = world_dice(&dice, 2);
            if (opts.selection.has_range)
                opts.selection.from_ns = world_dice(&dice, (uint32_t)w.latest + 1);
            opts.selection.to_ns =
                opts.selection.from_ns + 1 + world_dice(&dice, (uint32_t)w.latest + 1);
            check_list(&opts, method);
        }
        world_release(&w);
    }
}

/* More calls than one task takes, on two rows. */
static void list_of_many_calls_equals_sorted_plain_calls(void **state)
{
    uint32_t dice = 9;
    uint32_t wall = 0;
    (void)state;
    world_begin(&w);
    while (w.call_count < WORLD_CALLS - 4) {
        bool is_inside = world_dice(&dice, 3) == 0;
        if (is_inside)
            world_enter(&w, MAIN, 1, wall, wall);
        world_enter(&w, MAIN, 0, wall, wall);
        wall += world_dice(&dice, 9);
        if (world_dice(&dice, 2)) {
            world_enter(&w, MAIN, 2, wall, wall);
            wall += world_dice(&dice, 9);
            world_leave(&w, MAIN, 2, wall, wall);
        }
        world_leave(&w, MAIN, 0, wall, wall);
        if (is_inside)
            world_leave(&w, MAIN, 1, wall, wall);
    }
    world_end(&w);
    for (int key = 0; key < 4; key++) {
        struct tv_calls_opts opts = {.method = world_method_ix(&w, 0),
                                     .key = (enum tv_calls_key)key,
                                     .offset = 100,
                                     .limit = 3000};
        check_list(&opts, 0);
        opts.selection =
            (struct tv_selection){.has_range = true, .from_ns = 1000, .to_ns = w.latest - 5000};
        check_list(&opts, 0);
    }
    world_release(&w);
}

static void bars_hold_the_durations_that_they_name(void **state)
{
    static const uint32_t lens[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 100, 1000000};
    struct tv_call_list calls;
    uint32_t wall = 0;
    (void)state;
    world_begin(&w);
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        world_enter(&w, MAIN, 0, wall, 0);
        world_leave(&w, MAIN, 0, wall + lens[i], 0);
        wall += lens[i];
    }
    world_end(&w);
    struct tv_calls_opts opts = {.method = world_method_ix(&w, 0)};
    tv_calls_init(&calls, tv_alloc_libc());
    assert_int_equal(tv_calls_compute(&calls, &w.index, &opts, NULL), TV_OK);
    for (size_t i = 0; i < calls.bar_count; i++) {
        uint64_t count = 0;
        if (i)
            assert_int_equal(calls.bars[i].from_ns, calls.bars[i - 1].to_ns);
        for (size_t k = 0; k < sizeof(lens) / sizeof(lens[0]); k++)
            count += lens[k] * (uint64_t)1000 >= calls.bars[i].from_ns &&
                     lens[k] * (uint64_t)1000 < calls.bars[i].to_ns;
        assert_int_equal(calls.bars[i].count, count);
    }
    tv_calls_release(&calls);
    world_release(&w);
}

static void kth_smallest_equals_sorting(void **state)
{
    uint32_t dice = 3;
    (void)state;
    for (int round = 0; round < 200; round++) {
        uint64_t values[64];
        uint64_t sorted[64];
        size_t count = 1 + world_dice(&dice, 64);
        for (size_t i = 0; i < count; i++)
            values[i] = (uint64_t)world_dice(&dice, 1u << 20) << world_dice(&dice, 45);
        memcpy(sorted, values, sizeof(values));
        qsort(sorted, count, sizeof(*sorted), compare_u64);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(tv_kth_smallest(values, count, k), sorted[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caller_and_own_time_are_those_of_the_plain_call),
        cmocka_unit_test(steps_along_the_thread_visit_every_call_once),
        cmocka_unit_test(steps_along_a_method_go_by_ordinal),
        cmocka_unit_test(innermost_call_is_the_deepest_that_spans_the_time),
        cmocka_unit_test(lists_equal_sorted_plain_calls),
        cmocka_unit_test(list_of_many_calls_equals_sorted_plain_calls),
        cmocka_unit_test(bars_hold_the_durations_that_they_name),
        cmocka_unit_test(kth_smallest_equals_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
