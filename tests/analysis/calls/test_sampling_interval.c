/* How often a sampler looked: as its recorder says, and by the distances of what a thread began. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/calls/sampling_interval.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

static struct world w;

static void put(unsigned method, unsigned action, uint32_t wall)
{
    build_record(&w.t, (struct build_record){1, M(method), action, 0, wall});
}

/* A thread whose stack changes in two methods at the looks of 10, 20, 30, 50 and 90 ms. */
static void build(const char *clock, const char *options)
{
    static const uint32_t looks[] = {10000, 20000, 30000, 50000, 90000};
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = clock, .options = options});
    for (unsigned i = 0; i < 5; i++) {
        put(0, ENTER, looks[i]);
        put(1, ENTER, looks[i]);
        put(1, LEAVE, looks[i] + 5000);
        put(0, LEAVE, looks[i] + 5000);
    }
    world_read(&w);
}

static uint64_t interval(void)
{
    uint64_t interval_ns = 1;
    assert_int_equal(tv_sampling_interval(&interval_ns, tv_alloc_libc(), &w.index, 0, NULL), TV_OK);
    return interval_ns;
}

static void the_interval_is_the_usual_distance_of_looks(void **state)
{
    (void)state;
    build("dual", "");
    assert_int_equal(interval(), 20000000); /* of 10, 10, 20 and 40 */
    world_release(&w);
}

static void what_the_recorder_says_is_believed_up_to_an_hour(void **state)
{
    (void)state;
    build("dual", "sampling-interval-usec=1000\n");
    assert_int_equal(interval(), 1000000);
    world_release(&w);
    build("dual", "sampling-interval-usec=3600000001\n");
    assert_int_equal(interval(), 20000000);
    world_release(&w);
}

static void without_the_wall_clock_it_is_not_known(void **state)
{
    (void)state;
    build("thread-cpu", "");
    assert_int_equal(interval(), 0);
    world_release(&w);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct failing_alloc failing;
    uint64_t interval_ns;
    build("dual", "");
    failing_alloc_init(&failing, 0);
    assert_int_equal(tv_sampling_interval(&interval_ns, &failing.alloc, &w.index, 0, NULL),
                     TV_ERR_MEMORY);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_is_the_usual_distance_of_looks),
        cmocka_unit_test(what_the_recorder_says_is_believed_up_to_an_hour),
        cmocka_unit_test(without_the_wall_clock_it_is_not_known),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
