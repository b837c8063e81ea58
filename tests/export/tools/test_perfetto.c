/* Track events: small traces by hand, and names at their limits. Readers of others see the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/formats.h"
#include "export/message_dump.h"
#include "export/probe.h"

/* What of protos/perfetto/trace is used. */
static const struct shape clock[] = {
    {1, "clock_id", SHAPE_NUMBER, NULL}, {2, "timestamp", SHAPE_NUMBER, NULL}, {0, NULL, 0, NULL}};
static const struct shape snapshot[] = {{1, "clocks", SHAPE_MESSAGE, clock},
                                        {2, "primary_trace_clock", SHAPE_NUMBER, NULL},
                                        {0, NULL, 0, NULL}};
static const struct shape annotation[] = {{1, "name_iid", SHAPE_NUMBER, NULL},
                                          {2, "bool_value", SHAPE_NUMBER, NULL},
                                          {3, "uint_value", SHAPE_NUMBER, NULL},
                                          {0, NULL, 0, NULL}};
static const struct shape track_event[] = {{4, "debug_annotations", SHAPE_MESSAGE, annotation},
                                           {9, "type", SHAPE_NUMBER, NULL},
                                           {10, "name_iid", SHAPE_NUMBER, NULL},
                                           {12, "extra_counter_values", SHAPE_NUMBER, NULL},
                                           {34, "source_location_iid", SHAPE_NUMBER, NULL},
                                           {0, NULL, 0, NULL}};
static const struct shape named[] = {
    {1, "iid", SHAPE_NUMBER, NULL}, {2, "name", SHAPE_TEXT, NULL}, {0, NULL, 0, NULL}};
static const struct shape source_location[] = {{1, "iid", SHAPE_NUMBER, NULL},
                                               {2, "file_name", SHAPE_TEXT, NULL},
                                               {3, "function_name", SHAPE_TEXT, NULL},
                                               {4, "line_number", SHAPE_NUMBER, NULL},
                                               {0, NULL, 0, NULL}};
static const struct shape interned[] = {{2, "event_names", SHAPE_MESSAGE, named},
                                        {3, "debug_annotation_names", SHAPE_MESSAGE, named},
                                        {4, "source_locations", SHAPE_MESSAGE, source_location},
                                        {0, NULL, 0, NULL}};
static const struct shape event_defaults[] = {{11, "track_uuid", SHAPE_NUMBER, NULL},
                                              {31, "extra_counter_track_uuids", SHAPE_NUMBER, NULL},
                                              {0, NULL, 0, NULL}};
static const struct shape defaults[] = {{11, "track_event_defaults", SHAPE_MESSAGE, event_defaults},
                                        {0, NULL, 0, NULL}};
static const struct shape process[] = {
    {1, "pid", SHAPE_NUMBER, NULL}, {6, "process_name", SHAPE_TEXT, NULL}, {0, NULL, 0, NULL}};
static const struct shape thread[] = {{1, "pid", SHAPE_NUMBER, NULL},
                                      {2, "tid", SHAPE_NUMBER, NULL},
                                      {5, "thread_name", SHAPE_TEXT, NULL},
                                      {0, NULL, 0, NULL}};
static const struct shape counter[] = {{1, "type", SHAPE_NUMBER, NULL}, {0, NULL, 0, NULL}};
static const struct shape track[] = {{1, "uuid", SHAPE_NUMBER, NULL},
                                     {3, "process", SHAPE_MESSAGE, process},
                                     {4, "thread", SHAPE_MESSAGE, thread},
                                     {5, "parent_uuid", SHAPE_NUMBER, NULL},
                                     {8, "counter", SHAPE_MESSAGE, counter},
                                     {14, "description", SHAPE_TEXT, NULL},
                                     {0, NULL, 0, NULL}};
static const struct shape packet[] = {{6, "clock_snapshot", SHAPE_MESSAGE, snapshot},
                                      {8, "timestamp", SHAPE_NUMBER, NULL},
                                      {10, "sequence", SHAPE_NUMBER, NULL},
                                      {11, "track_event", SHAPE_MESSAGE, track_event},
                                      {12, "interned_data", SHAPE_MESSAGE, interned},
                                      {13, "sequence_flags", SHAPE_NUMBER, NULL},
                                      {59, "defaults", SHAPE_MESSAGE, defaults},
                                      {60, "track_descriptor", SHAPE_MESSAGE, track},
                                      {87, "first", SHAPE_NUMBER, NULL},
                                      {0, NULL, 0, NULL}};
static const struct shape trace[] = {{1, "packet", SHAPE_MESSAGE, packet}, {0, NULL, 0, NULL}};

#define NAMES                                                                                      \
    " interned_data {"                                                                             \
    " debug_annotation_names { iid 1 name cpu_ns }"                                                \
    " debug_annotation_names { iid 2 name began_before }"                                          \
    " debug_annotation_names { iid 3 name open_at_end }"                                           \
    " debug_annotation_names { iid 4 name cut } }"
#define CPU(ns) " debug_annotations { name_iid 1 uint_value " ns " }"
#define FLAG(name) " debug_annotations { name_iid " name " bool_value 1 }"

/* Two threads with two clocks; a call of length zero in one of length zero, which recurs. */
static void test_events(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 10, 1);
    world_enter(&w, MAIN, 2, 20, 2);
    world_enter(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 2, 20, 2);
    world_leave(&w, MAIN, 0, 30, 11);
    world_enter(&w, WORKER, 0, 40, 5);
    world_leave(&w, WORKER, 0, 41, 5);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_perfetto, &(struct probe_opts){.levels = 0}, &out);
    expect_message(
        tv_buffer_view(&out), trace,
        "packet { clock_snapshot { clocks { clock_id 3 timestamp 5000000000 }"
        " primary_trace_clock 3 } sequence 1 }\n"
        "packet { sequence 1 track_descriptor { uuid 1 process { pid 1 process_name probe.trace } "
        "} }\n"
        "packet { sequence 2" NAMES " sequence_flags 1"
        " defaults { track_event_defaults { track_uuid 2 extra_counter_track_uuids 3 } }"
        " track_descriptor { uuid 2 thread { pid 1 tid 1 thread_name main } parent_uuid 1 }"
        " first 1 }\n"
        "packet { sequence 2 track_descriptor { uuid 3 parent_uuid 2 counter { type 1 } } }\n"
        "packet { timestamp 5000010000 sequence 2 track_event {" CPU(
            "10000") " type 1 name_iid 1 extra_counter_values 1000 source_location_iid 1 }"
                     " interned_data { event_names { iid 1 name com.app.Main.run ()V }"
                     " source_locations { iid 1 file_name Main.java function_name run line_number "
                     "10 } }"
                     " sequence_flags 2 }\n"
                     "packet { timestamp 5000020000 sequence 2 track_event {" CPU(
                         "0") " type 1 name_iid 3 extra_counter_values 2000 source_location_iid 3 }"
                              " interned_data { event_names { iid 3 name com.lib.List.get (I)J }"
                              " source_locations { iid 3 file_name List.java function_name get "
                              "line_number 30 } }"
                              " sequence_flags 2 }\n"
                              "packet { timestamp 5000020000 sequence 2 track_event {" CPU(
                                  "0") " type 1 name_iid 3 extra_counter_values 2000 "
                                       "source_location_iid 3 }"
                                       " sequence_flags 2 }\n"
                                       "packet { timestamp 5000020000 sequence 2 track_event { "
                                       "type 2 "
                                       "extra_counter_values 2000 }"
                                       " sequence_flags 2 }\n"
                                       "packet { timestamp 5000020000 sequence 2 track_event { "
                                       "type 2 "
                                       "extra_counter_values 2000 }"
                                       " sequence_flags 2 }\n"
                                       "packet { timestamp 5000030000 sequence 2 track_event { "
                                       "type 2 "
                                       "extra_counter_values 11000 }"
                                       " sequence_flags 2 }\n"
                                       "packet { sequence 3" NAMES " sequence_flags 1"
                                       " defaults { track_event_defaults { track_uuid 4 "
                                       "extra_counter_track_uuids 5 } }"
                                       " track_descriptor { uuid 4 thread { pid 1 tid 2 "
                                       "thread_name worker } parent_uuid 1 }"
                                       " first 1 }\n"
                                       "packet { sequence 3 track_descriptor { uuid 5 parent_uuid "
                                       "4 counter { type 1 } } }\n"
                                       "packet { timestamp 5000040000 sequence 3 track_event {" CPU(
                                           "0") " type 1 name_iid 1 extra_counter_values 5000 "
                                                "source_location_iid 1 }"
                                                " interned_data { event_names { iid 1 name "
                                                "com.app.Main.run ()V }"
                                                " source_locations { iid 1 file_name Main.java "
                                                "function_name run line_number 10 } }"
                                                " sequence_flags 2 }\n"
                                                "packet { timestamp 5000041000 sequence 3 "
                                                "track_event { "
                                                "type 2 extra_counter_values 5000 }"
                                                " sequence_flags 2 }\n");
    tv_buffer_release(&out);
    world_release(&w);
}

/* Calls that began earlier, that nothing ends, and that the range cuts. */
static void test_flags(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "wall",
                                         .start_usec = UINT64_C(1700000000000000),
                                         .methods = "0x4\tA\tm\t()V\n0x8\tB\tn\t()V\n"});
    enter(&w.t, MAIN, BAR, 5);
    leave(&w.t, MAIN, BAR, 7);
    leave(&w.t, MAIN, FOO, 8);
    enter(&w.t, MAIN, FOO, 10);
    enter(&w.t, MAIN, BAR, 12);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_perfetto,
              &(struct probe_opts){.measure = TV_MEASURE_WALL, .from_ns = 6000, .to_ns = 11000},
              &out);
    expect_message(
        tv_buffer_view(&out), trace,
        "packet { clock_snapshot { clocks { clock_id 1 timestamp 1700000000000000000 }"
        " primary_trace_clock 1 } sequence 1 }\n"
        "packet { sequence 1 track_descriptor { uuid 1 process { pid 1 process_name probe.trace } "
        "} }\n"
        "packet { sequence 2" NAMES " sequence_flags 1"
        " defaults { track_event_defaults { track_uuid 2 } }"
        " track_descriptor { uuid 2 thread { pid 1 tid 1 thread_name main } parent_uuid 1 }"
        " first 1 }\n"
        "packet { timestamp 1700000000000006000 sequence 2 track_event {" FLAG("2") FLAG(
            "4") " type 1 name_iid 1 } interned_data { event_names { iid 1 name A.m ()V } }"
                 " sequence_flags 2 }\n"
                 "packet { timestamp 1700000000000006000 sequence 2 track_event {" FLAG(
                     "4") " type 1 name_iid 2 } interned_data { event_names { iid 2 name B.n "
                          "()V } }"
                          " sequence_flags 2 }\n"
                          "packet { timestamp 1700000000000007000 sequence 2 track_event { type 2 "
                          "} "
                          "sequence_flags 2 }\n"
                          "packet { timestamp 1700000000000008000 sequence 2 track_event { type 2 "
                          "} "
                          "sequence_flags 2 }\n"
                          "packet { timestamp 1700000000000010000 sequence 2 track_event {" FLAG(
                              "3") FLAG("4") " type 1 name_iid 1 } sequence_flags 2 }\n"
                                             "packet { timestamp 1700000000000011000 sequence 2 "
                                             "track_event { "
                                             "type 2 } sequence_flags 2 }\n");
    tv_buffer_release(&out);
    world_release(&w);
}

/* A trace whose only clock is that of each thread: it is the time, and no counter is made of it. */
static void test_thread_cpu(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 2, .clock = "thread-cpu"});
    enter(&w.t, MAIN, FOO, 10);
    leave(&w.t, MAIN, FOO, 12);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_perfetto, &(struct probe_opts){.measure = TV_MEASURE_CPU}, &out);
    struct tv_buffer text;
    tv_buffer_init(&text, tv_alloc_libc());
    dump_message(tv_buffer_view(&out), trace, &text);
    struct tv_str found = tv_buffer_view(&text);
    assert_true(tv_str_find(found,
                            TV_STR(" parent_uuid 1 description The time is the thread's CPU "
                                   "time. } first 1 }\n"),
                            TV_CASE_EXACT) != SIZE_MAX);
    assert_true(tv_str_find(found, TV_STR("extra_counter"), TV_CASE_EXACT) == SIZE_MAX);
    assert_true(tv_str_find(found, TV_STR("clock_snapshot"), TV_CASE_EXACT) == SIZE_MAX);
    assert_true(tv_str_find(found,
                            TV_STR("packet { timestamp 12000 sequence 2 track_event { type "
                                   "2 } sequence_flags 2 }\n"),
                            TV_CASE_EXACT) != SIZE_MAX);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

/* Of a trace that does not say when it began, or says what no clock can show, times count from its
 * zero; without a thread called main and without a process, the process has the number 1. */
static void test_no_start(void **state)
{
    (void)state;
    static const uint64_t starts_usec[] = {UINT64_MAX / 1000, INT64_MAX / 1000};
    for (size_t i = 0; i < 2; i++) {
        static struct world w;
        struct tv_buffer out;
        struct tv_buffer text;
        world_begin(&w);
        build_release(&w.t);
        build_text(&w.t, (struct build_opts){.version = 3,
                                             .clock = "wall",
                                             .start_usec = starts_usec[i],
                                             .threads = "7\tworker\n",
                                             .methods = "0x4\tA\tm\t()V\n"});
        enter(&w.t, 7, 4, 10);
        leave(&w.t, 7, 4, 12);
        world_read(&w);
        tv_buffer_init(&out, tv_alloc_libc());
        tv_buffer_init(&text, tv_alloc_libc());
        probe_run(&w, &tv_export_perfetto, &(struct probe_opts){.levels = 0}, &out);
        dump_message(tv_buffer_view(&out), trace, &text);
        struct tv_str found = tv_buffer_view(&text);
        assert_true(tv_str_find(found, TV_STR("clock_snapshot"), TV_CASE_EXACT) == SIZE_MAX);
        assert_true(tv_str_find(found, TV_STR("{ timestamp 12000 "), TV_CASE_EXACT) != SIZE_MAX);
        assert_true(tv_str_find(found, TV_STR("thread { pid 1 tid 7 "), TV_CASE_EXACT) != SIZE_MAX);
        tv_buffer_release(&text);
        tv_buffer_release(&out);
        world_release(&w);
    }
}

/* Deeper calls are left out, and the time that they took is not lost: it is their callers'. */
static void test_deep(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    for (uint32_t i = 0; i < 1500; i++)
        enter(&w.t, MAIN, M(0), i);
    for (uint32_t i = 0; i < 1500; i++)
        leave(&w.t, MAIN, M(0), 1500 + i);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_perfetto, &(struct probe_opts){.levels = 0}, &out);
    assert_int_equal(result.changes[TV_EXPORT_LEVELS_CUT], 1500 - 512);
    tv_buffer_release(&out);
    world_release(&w);
}

static size_t count(const struct tv_buffer *text, struct tv_str wanted)
{
    size_t found = 0;
    for (size_t from = 0;;) {
        struct tv_str rest = {(const char *)text->bytes + from, text->len - from};
        size_t at = tv_str_find(rest, wanted, TV_CASE_EXACT);
        if (at == SIZE_MAX)
            return found;
        found++;
        from += at + wanted.len;
    }
}

/* 10,000 threads, a name of 60,000 bytes, and one that is no UTF-8: each name stands once in the
 * sequence of the thread that needs it. */
static void test_hostile(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    struct tv_buffer text;
    probe_hostile(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&text, tv_alloc_libc());
    struct tv_export_result result =
        probe_run(&w, &tv_export_perfetto, &(struct probe_opts){.levels = 0}, &out);
    dump_message(tv_buffer_view(&out), trace, &text);
    assert_int_equal(count(&text, TV_STR(" thread { pid ")), PROBE_HOSTILE_THREADS);
    assert_int_equal(count(&text, TV_STR(" first 1 }")), PROBE_HOSTILE_THREADS);
    assert_int_equal(count(&text, TV_STR(" name A.b\xef\xbf\xbd"
                                         "c ()V }")),
                     PROBE_HOSTILE_THREADS - 1);
    assert_int_equal(count(&text, TV_STR(" name nnnnnnnnnn")), 1);
    assert_int_equal(result.changes[TV_EXPORT_NAMES_CHANGED], 1);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

/* A file whose line is 0 has none: lines count from 1. */
static void test_no_line(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    struct tv_buffer text;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .methods = "0x4\ta.B\tm\t()V\tB.java\t0\n"
                                                    "0x8\ta.B\tn\t()V\tB.java\t1\n"});
    enter(&w.t, MAIN, 0x4, 10);
    enter(&w.t, MAIN, 0x8, 12);
    leave(&w.t, MAIN, 0x8, 15);
    leave(&w.t, MAIN, 0x4, 20);
    world_read(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_buffer_init(&text, tv_alloc_libc());
    probe_run(&w, &tv_export_perfetto, &(struct probe_opts){.levels = 0}, &out);
    dump_message(tv_buffer_view(&out), trace, &text);
    assert_int_equal(count(&text, TV_STR(" function_name m }")), 1);
    assert_int_equal(count(&text, TV_STR(" function_name n line_number 1 }")), 1);
    tv_buffer_release(&text);
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),     cmocka_unit_test(test_flags),
        cmocka_unit_test(test_thread_cpu), cmocka_unit_test(test_deep),
        cmocka_unit_test(test_no_start),   cmocka_unit_test(test_no_line),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
