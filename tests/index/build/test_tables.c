/* What is true of the whole trace: facts, properties, sampling, the unit of wall times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

static void facts_are_those_of_the_file(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .start_usec = 77,
                                       .options = "elapsed-time-usec=500\nvm=art\npid=42\n"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 30);
    size_t len = t.bytes.len;
    make_index(&index, &t);
    const struct tv_index_info *info = index.info;
    assert_string_equal(info->format_name, "v3");
    expect_number("version", info->version, 3);
    expect_number("streaming", info->is_streaming, 0);
    expect_number("unit", info->unit_ns, 1000);
    expect_number("clocks", info->has_clock[0] + info->has_clock[1], 2);
    expect_number("start", info->start_time_ns, 77000);
    expect_number("elapsed", info->elapsed_ns, 500000);
    expect_number("pid", info->has_pid ? info->pid : 0, 42);
    expect_number("length", info->file_len, len);
    expect_number("axis", info->axis_len, 30);
    assert_memory_equal(index.text + info->vm_off, "art", 3);
    tv_index_release(&index);
}

static void elapsed_time_is_measured_where_the_file_is_silent(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 30);
    enter(&t, WORKER, FOO, 12);
    make_index(&index, &t);
    expect_number("has elapsed", index.info->has_elapsed, 0);
    expect_number("elapsed", index.info->elapsed_ns, 30000);
    tv_index_release(&index);
}

static void properties_are_kept_as_they_stand(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .options = "b=2\na=\n"});
    make_index(&index, &t);
    char found[100] = "";
    for (uint32_t i = 0; i < index.info->property_count; i++) {
        const struct tv_index_property *property = &index.properties[i];
        strncat(found, index.text + property->key_off, property->key_len);
        strcat(found, "=");
        strncat(found, index.text + property->value_off, property->value_len);
        strcat(found, ";");
    }
    assert_string_equal(found, "clock=dual;b=2;a=;");
    tv_index_release(&index);
}

static void nothing_points_into_the_trace(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    assert_int_equal(build_index(&index, &t.bytes, NULL, NULL, tv_alloc_libc(), NULL), TV_OK);
    memset(t.bytes.bytes, 0xff, t.bytes.len);
    build_release(&t);
    struct tv_str name = tv_index_thread_name(&index, 0);
    assert_int_equal(name.len, 4);
    assert_memory_equal(name.at, "main", 4);
    expect_calls(&index, MAIN, TV_CLOCK_WALL, "foo 10+0");
    tv_index_release(&index);
}

/* A thread that ran for some wall and some CPU time. */
static void run_for(struct trace_builder *t, unsigned thread, uint32_t wall, uint32_t cpu)
{
    build_record(t, (struct build_record){thread, FOO, ENTER, 1000, 1000});
    build_record(t, (struct build_record){thread, FOO, LEAVE, 1000 + cpu, 1000 + wall});
}

static uint64_t suspects(uint32_t main_wall, uint32_t main_cpu, uint32_t wall, uint32_t cpu)
{
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    run_for(&t, MAIN, main_wall, main_cpu);
    run_for(&t, WORKER, wall, cpu);
    make_index(&index, &t);
    uint64_t count = index.info->findings.of[TV_FINDING_UNIT_SUSPECT].count;
    expect_finding(&index, TV_FINDING_UNIT_SUSPECT, count, TV_NO_OFFSET);
    tv_index_release(&index);
    return count;
}

static void more_than_twice_as_much_cpu_as_wall_is_suspect(void **state)
{
    (void)state;
    expect_number("3 % busy", suspects(20000, 630000, 50, 50), 1);
    expect_number("twice", suspects(20000, 40001, 50, 50), 0);
    expect_number("more than twice", suspects(20000, 40002, 50, 50), 1);
    expect_number("the other thread", suspects(50, 50, 0, 20001), 1);
    expect_number("both threads", suspects(0, 30000, 0, 30000), 1);
    expect_number("0 of 0", suspects(50, 50, 0, 0), 0);
}

/* A CPU clock of ticks gives a thread that ran for microseconds up to 16 ms. */
static void a_step_of_the_cpu_clock_is_no_other_unit(void **state)
{
    (void)state;
    expect_number("10 ms", suspects(50, 50, 7, 10000), 0);
    expect_number("20 ms", suspects(50, 50, 0, 20000), 0);
    expect_number("1 us", suspects(50, 50, 0, 1), 0);
}

/* Of a thread with the two clocks at three records. */
static uint64_t suspects_of(const char *options, const uint32_t wall[3], const uint32_t cpu[3])
{
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .options = options});
    for (unsigned i = 0; i < 3; i++)
        build_record(&t, (struct build_record){MAIN, FOO, i == 1 ? LEAVE : ENTER, cpu[i], wall[i]});
    make_index(&index, &t);
    uint64_t count = index.info->findings.of[TV_FINDING_UNIT_SUSPECT].count;
    tv_index_release(&index);
    return count;
}

static void clocks_that_fell_or_wrapped_are_not_suspect(void **state)
{
    (void)state;
    const uint32_t wall[3] = {90000, 90001, 90001}, set_back[3] = {90000, 10, 300};
    const uint32_t cpu[3] = {0, 2000, 300000}, of_two[3] = {0, 500000, 300000};
    const uint32_t as_wrapped[3] = {0, 90000000, 300000};
    expect_number("neither", suspects_of(NULL, wall, cpu), 1);
    expect_number("the clock of the day is set back", suspects_of(NULL, set_back, cpu), 0);
    expect_number("another thread got the id", suspects_of(NULL, wall, of_two), 0);
    expect_number("as much later", suspects_of(NULL, wall, as_wrapped), 0);
    /* 72 minutes without a record, of which 25 s are left, and an hour of work. */
    const uint32_t silent[3] = {0, 25032704, 25032704};
    const uint32_t hour[3] = {0, 3600000000u, 3600000000u};
    expect_number("silent", suspects_of("elapsed-time-usec=4320000000\n", silent, hour), 0);
    expect_number("25 s", suspects_of("elapsed-time-usec=25032704\n", silent, hour), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_those_of_the_file),
        cmocka_unit_test(elapsed_time_is_measured_where_the_file_is_silent),
        cmocka_unit_test(properties_are_kept_as_they_stand),
        cmocka_unit_test(nothing_points_into_the_trace),
        cmocka_unit_test(more_than_twice_as_much_cpu_as_wall_is_suspect),
        cmocka_unit_test(a_step_of_the_cpu_clock_is_no_other_unit),
        cmocka_unit_test(clocks_that_fell_or_wrapped_are_not_suspect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
