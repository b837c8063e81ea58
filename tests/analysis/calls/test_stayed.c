/* Which CPU time of a sampled trace is certain: by hand, and where memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/stayed.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

/* Methods of the world, by what they do here. */
enum { OUTER, STAYS, NEXT, OTHER, ANOTHER };
enum { MAIN_THREAD = 1, TICKING = 2 };

static struct world w;

static void put(unsigned thread, unsigned method, unsigned action, uint32_t wall, uint32_t cpu)
{
    build_record(&w.t, (struct build_record){thread, M(method), action, cpu, wall});
}

/* A look each millisecond. The second thread has another stack at each of them, so each look is
 * known; the first is in STAYS at the looks of 0 to 3 ms, and in NEXT at that of 4 ms. */
static void build(const char *options)
{
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = "dual", .options = options});
    put(MAIN_THREAD, OUTER, ENTER, 0, 0);
    put(MAIN_THREAD, STAYS, ENTER, 0, 0);
    put(TICKING, OTHER, ENTER, 20, 0);
    for (uint32_t look = 1; look <= 8; look++) {
        const uint32_t wall = look * 1000;
        if (look == 4) {
            put(MAIN_THREAD, STAYS, LEAVE, wall, 3500);
            put(MAIN_THREAD, NEXT, ENTER, wall, 3500);
        }
        if (look == 5) {
            put(MAIN_THREAD, NEXT, LEAVE, wall, 4500);
            put(MAIN_THREAD, OUTER, LEAVE, wall, 4500);
        }
        put(TICKING, look % 2 ? OTHER : ANOTHER, LEAVE, wall + 20, look * 10);
        put(TICKING, look % 2 ? ANOTHER : OTHER, ENTER, wall + 20, look * 10);
    }
    world_read(&w);
}

static void add(const struct tv_selection *selection, uint64_t *stayed_ns)
{
    memset(stayed_ns, 0, WORLD_METHODS * sizeof(*stayed_ns));
    assert_int_equal(tv_stayed_add(&w.index, selection, tv_alloc_libc(), stayed_ns, NULL), TV_OK);
}

static void time_up_to_the_last_look_stayed(void **state)
{
    (void)state;
    uint64_t stayed_ns[WORLD_METHODS];
    const struct tv_selection all = {.has_range = false};
    build("");
    assert_true(w.index.info->is_sampled);
    assert_true(tv_sampled_cpu_is_of_before(&w.index));
    add(&all, stayed_ns);
    /* 3500 us, of which all that one interval and the 20 us between threads can hold may be of
     * NEXT: the look that is known is that of the other thread, at 2020 us. */
    assert_int_equal(stayed_ns[world_method_ix(&w, STAYS)], (3500 - (4000 - 2020)) * 1000);
    assert_int_equal(stayed_ns[world_method_ix(&w, NEXT)], 0); /* seen by one look */
    assert_int_equal(stayed_ns[world_method_ix(&w, OUTER)], 0);
    assert_int_equal(stayed_ns[world_method_ix(&w, OTHER)], 0);
    world_release(&w);
}

static void a_thread_that_is_not_asked_for_has_none(void **state)
{
    (void)state;
    uint64_t stayed_ns[WORLD_METHODS];
    build("");
    const uint32_t ticking = world_thread_ix(&w, TICKING);
    const struct tv_selection one = {.threads = &ticking, .thread_count = 1};
    add(&one, stayed_ns);
    assert_int_equal(stayed_ns[world_method_ix(&w, STAYS)], 0);
    world_release(&w);
}

/* Our own recorders book CPU time to what ran, and a trace of calls has no looks. */
static void other_traces_are_not_of_that_kind(void **state)
{
    (void)state;
    build("sampling-interval-usec=1000\n");
    assert_true(w.index.info->is_sampled);
    assert_false(tv_sampled_cpu_is_of_before(&w.index));
    world_release(&w);
    world_one_in_another(&w);
    assert_false(tv_sampled_cpu_is_of_before(&w.index));
    world_release(&w);
}

static enum tv_code add_with(const struct tv_alloc *alloc, void *ctx)
{
    (void)ctx;
    uint64_t stayed_ns[WORLD_METHODS] = {0};
    const struct tv_selection all = {.has_range = false};
    return tv_stayed_add(&w.index, &all, alloc, stayed_ns, NULL);
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    build("");
    assert_true(failing_alloc_each(add_with, NULL) >= 4);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_up_to_the_last_look_stayed),
        cmocka_unit_test(a_thread_that_is_not_asked_for_has_none),
        cmocka_unit_test(other_traces_are_not_of_that_kind),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
