/* site/stored/compare: which clock two traces are compared by. */
#include "site/stored/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/compiler.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "site/kept.h"
#include "support/trace_builder.h"

/* The traces of the store, by the clocks that they have. */
enum { BOTH, OTHER_BOTH, IDLE, WALL, CPU, TRACES };

/* A call of 200 us wall time; its CPU time may stand still. */
static void add(struct kept *kept, unsigned version, const char *clock, uint32_t cpu_us)
{
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = version, .clock = clock});
    build_record(&t, (struct build_record){.thread = MAIN, .method = FOO, .action = ENTER});
    build_record(&t,
                 (struct build_record){
                     .thread = MAIN, .method = FOO, .action = LEAVE, .cpu = cpu_us, .wall = 200});
    keep_built(kept, &t);
    build_release(&t);
}

static int begin(void **state)
{
    static struct kept kept;
    keep(&kept, 0, TRACES);
    add(&kept, 3, "dual", 110);
    add(&kept, 3, "dual", 120);
    add(&kept, 3, "dual", 0);
    add(&kept, 2, "wall", 0);
    add(&kept, 2, "thread-cpu", 130);
    *state = &kept;
    return 0;
}

static int end(void **state)
{
    release_kept(*state);
    return 0;
}

static void expect(struct kept *kept, unsigned run_1, unsigned run_2, int status, const char *text)
{
    const struct tv_stored_trace traces[2] = {kept->of[run_1].trace, kept->of[run_2].trace};
    const struct tv_diff_sources sources = {.names = {TV_STR("a"), TV_STR("b")}};
    struct tv_http_response response;
    tv_http_response_init(&response, tv_os_alloc());
    tv_compare_send(kept->stored, traces, &sources, tv_pool_serial(), NULL, &response);
    struct tv_str page = tv_buffer_view(&response.owned);
    if (response.status != status ||
        tv_str_find(page, tv_str_from(text), TV_CASE_EXACT) == SIZE_MAX)
        fail_msg("%u with %u: status %d, without \"%s\": %.*s", run_1, run_2, response.status, text,
                 (int)page.len, page.at);
    tv_http_response_release(&response);
}

static void cpu_time_is_compared_where_both_have_it(void **state)
{
    expect(*state, BOTH, OTHER_BOTH, 200, "<p>CPU time.");
    expect(*state, BOTH, CPU, 200, "<p>CPU time.");
    expect(*state, CPU, BOTH, 200, "<p>CPU time.");
}

static void wall_time_is_compared_where_one_has_no_cpu_time(void **state)
{
    expect(*state, BOTH, WALL, 200, "<p>Wall time.");
    expect(*state, WALL, BOTH, 200, "<p>Wall time.");
    expect(*state, WALL, WALL, 200, "<p>Wall time.");
}

static void a_cpu_clock_that_stands_still_counts_as_none(void **state)
{
    expect(*state, BOTH, IDLE, 200, "<p>Wall time.");
    expect(*state, IDLE, BOTH, 200, "<p>Wall time.");
    expect(*state, IDLE, IDLE, 200, "<p>Wall time.");
}

static void traces_without_a_common_clock_are_refused(void **state)
{
    expect(*state, CPU, WALL, 422, "no clock in common");
    expect(*state, WALL, CPU, 422, "no clock in common");
    expect(*state, CPU, IDLE, 422, "no clock in common");
}

/* A held index is never closed, so that a comparison which kept one would fill the site. */
static void both_indexes_are_let_go(void **state)
{
    struct kept *kept = *state;
    expect(kept, BOTH, OTHER_BOTH, 200, "<p>CPU time.");
    expect(kept, CPU, WALL, 422, "no clock in common");
    for (unsigned i = 0; i < TRACES; i++) {
        struct tv_stored_index *held;
        assert_int_equal(tv_stored_hold(kept->stored, &kept->of[i].trace, &held, NULL), TV_OK);
        assert_int_equal(held->holder_count, 1);
        tv_stored_let_go(kept->stored, held);
    }
}

int main(void)
{
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_time_is_compared_where_both_have_it),
        cmocka_unit_test(wall_time_is_compared_where_one_has_no_cpu_time),
        cmocka_unit_test(a_cpu_clock_that_stands_still_counts_as_none),
        cmocka_unit_test(traces_without_a_common_clock_are_refused),
        cmocka_unit_test(both_indexes_are_let_go),
    };
    return cmocka_run_group_tests_name("site/stored/compare", tests, begin, end);
}
