/* What is written is read back the same, in every version. */
#include "format/write/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes/cursor.h"
#include "format/encode.h"
#include "format/packet_builder.h"
#include "format/reading.h"
#include "format/write/compose.h"

static enum tv_code write_and_tell(const struct tv_buffer *source, const char *as,
                                   enum tv_write_clocks clocks, struct tv_buffer *output,
                                   struct tv_write_result *result, struct tv_error *err)
{
    struct tv_write_opts opts = {.as = tv_str_from(as), .clocks = clocks, .result = result};
    tv_buffer_init(output, tv_alloc_libc());
    return tv_write_trace(tv_alloc_libc(), source->bytes, source->len, &opts,
                          tv_buffer_sink(output), err);
}

static enum tv_code write_as(const struct tv_buffer *source, const char *as,
                             enum tv_write_clocks clocks, struct tv_buffer *output,
                             struct tv_error *err)
{
    return write_and_tell(source, as, clocks, output, NULL, err);
}

/* The output, and what is read back from it; the tables are views into it. */
struct rewritten {
    struct tv_buffer output;
    struct tv_write_result result;
    struct reading reading;
};

static void rewrite(struct rewritten *r, const struct tv_buffer *source, const char *as)
{
    struct tv_error err = {.text = ""};
    if (write_and_tell(source, as, TV_WRITE_CLOCKS_ALL, &r->output, &r->result, &err) != TV_OK)
        fail_msg("%s: %s", as, err.text);
    read_built(&r->reading, &r->output);
    expect_ok(&r->reading);
    assert_int_equal(r->reading.count, r->result.records);
}

/* Everything that changed, and how often: `expected` has all others at 0. */
static void expect_changes(const struct rewritten *r, const struct tv_write_result *expected)
{
    for (size_t i = 0; i < TV_WRITE_CHANGE_COUNT; i++) {
        if (r->result.changes[i] != expected->changes[i])
            fail_msg("%s: %llu, expected %llu", tv_write_change_text((enum tv_write_change)i),
                     (unsigned long long)r->result.changes[i],
                     (unsigned long long)expected->changes[i]);
    }
}

/* The records read back, as "thread method action wall" with `x` for an unwind. */
static void expect_records(const struct rewritten *r, const char *expected)
{
    static const char *const actions[] = {"(", ")", "x", "?"};
    const struct reading *reading = &r->reading;
    char got[512] = "";
    for (size_t i = 0; i < reading->count; i++) {
        size_t len = strlen(got);
        uint64_t id = tv_trace_id_of_key(&reading->trace, reading->key_action[i]);
        (void)snprintf(got + len, sizeof(got) - len, "%s%u%s%llx %llu", i ? ", " : "",
                       (unsigned)reading->thread[i], actions[reading->key_action[i] & 3],
                       (unsigned long long)id, (unsigned long long)reading->wall[i]);
    }
    assert_string_equal(got, expected);
}

static void rewritten_release(struct rewritten *r)
{
    reading_release(&r->reading);
    tv_buffer_release(&r->output);
}

/* A layout whose exits name no method must have the exits of views: one for each call that an exit
 * closes, none for a method that is not being executed, and an enter for a call that only ends. */
static void exits_without_methods_close_the_same_calls(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
    leave(&t, MAIN, BAR, 1); /* began before tracing, inside of FOO */
    enter(&t, MAIN, 12, 2);
    leave(&t, MAIN, FOO, 3); /* not on the stack, though it ends later */
    enter(&t, MAIN, BAR, 4);
    leave(&t, MAIN, 12, 5); /* closes BAR, too */
    leave(&t, MAIN, FOO, 6);
    rewrite(&r, &t.bytes, "packets");
    expect_records(&r, "1(4 1000, 1(8 1000, 1)8 1000, 1(c 2000, 1(8 4000, 1)8 5000, 1)c 5000, "
                       "1)4 6000");
    expect_changes(&r, &(struct tv_write_result){.changes = {[TV_WRITE_CALLS_OPENED] = 2,
                                                             [TV_WRITE_EXITS_ADDED] = 1,
                                                             [TV_WRITE_EXITS_LEFT_OUT] = 1}});
    rewritten_release(&r);
    rewrite(&r, &t.bytes, "packets-d"); /* names the methods, so nothing is needed */
    expect_changes(&r, &(struct tv_write_result){.records = 0});
    assert_int_equal(r.reading.count, 6);
    rewritten_release(&r);
    build_release(&t);
}

static void expect_source(const struct trace_builder *t, const char *as, const char *expected)
{
    struct rewritten r, again;
    rewrite(&r, &t->bytes, as);
    rewrite(&again, &r.output, "v3"); /* says the same of what it was made from */
    const struct tv_trace *const traces[] = {&r.reading.trace, &again.reading.trace};
    for (size_t i = 0; i < 2; i++) {
        struct tv_str got = tv_trace_property_of(traces[i], TV_STR("source-findings"));
        if (!tv_str_equal(got, tv_str_from(expected)))
            fail_msg("%s: \"%.*s\", expected \"%s\"", as, (int)got.len, got.at, expected);
    }
    rewritten_release(&again);
    rewritten_release(&r);
}

/* What the output repairs would else be found nowhere. What its records still have, is. */
static void what_the_source_lacked_is_told(void **state)
{
    static const char *const all[] = {"v1", "v2", "v3", "stream", "packets", "packets-d"};
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 1);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        expect_source(&t, all[i], "");
    build_record(&t, (struct build_record){0});
    leave(&t, MAIN, FOO, 2);
    build_cut(&t, 3);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        expect_source(&t, all[i], "truncated_record:1;empty_record:1");
    build_release(&t);

    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    enter(&t, MAIN, BAR, 12);
    leave(&t, MAIN, BAZ, 11); /* not on the stack, and both clocks fall */
    leave(&t, MAIN, FOO, 13); /* closes BAR, too */
    expect_source(&t, "packets",
                  "clock_backwards:1;cpu_clock_backwards:1;exit_closed_others:1;"
                  "exit_not_on_stack:1");
    expect_source(&t, "packets-d", "clock_backwards:1;cpu_clock_backwards:1");
    expect_source(&t, "v2", "");
    build_release(&t);
}

/* A recorder that was killed says so of its end; the clocks before it fell all the same. What the
 * bytes of its stream lack is no loss of their own. */
static void falls_of_a_recording_that_was_cut_are_told(void **state)
{
    (void)state;
    struct rewritten r;
    struct trace_builder t;
    struct tv_error err = {.text = ""};
    const struct tv_write_opts opts = {
        .as = TV_STR("packets-d"), .result = &r.result, .is_cut = true, .knows_losses = true};
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 9);
    enter(&t, MAIN, FOO, 12);
    build_cut(&t, 3);
    tv_buffer_init(&r.output, tv_alloc_libc());
    assert_int_equal(tv_write_trace(tv_alloc_libc(), t.bytes.bytes, t.bytes.len, &opts,
                                    tv_buffer_sink(&r.output), &err),
                     TV_OK);
    read_built(&r.reading, &r.output);
    expect_str(tv_trace_property_of(&r.reading.trace, TV_STR("recording-cut")), "true");
    expect_str(tv_trace_property_of(&r.reading.trace, TV_STR("source-findings")),
               "clock_backwards:1;cpu_clock_backwards:1");
    rewritten_release(&r);
    build_release(&t);
}

/* Of 64 bits, too, before whose records the text stands. */
static void falls_of_wide_times_are_told(void **state)
{
    (void)state;
    static const char *const narrow[] = {"v3", "stream"};
    const struct tv_compose_facts facts = {.has_clock = {true, true}, .records = 2};
    const struct tv_trace_method method = {.id = FOO, .class_name = TV_STR("a.B")};
    const struct tv_compose_record enter_it = {.action = TV_ACTION_ENTER, .time = {9000, 9000}};
    const struct tv_compose_record leave_it = {.action = TV_ACTION_EXIT, .time = {9000, 7000}};
    struct trace_builder t = {.record_len = 0};
    struct tv_write_result result;
    struct tv_composer *composer = NULL;
    struct tv_error err = {.text = ""};
    tv_buffer_init(&t.bytes, tv_alloc_libc());
    assert_int_equal(tv_composer_make(&composer, tv_alloc_libc(), TV_STR("packets-d"),
                                      tv_buffer_sink(&t.bytes), &err),
                     TV_OK);
    assert_int_equal(tv_composer_add_method(composer, &method, true, &err), TV_OK);
    assert_int_equal(tv_composer_add_thread(composer, MAIN, TV_STR("main"), &err), TV_OK);
    assert_int_equal(tv_composer_begin(composer, &facts, &err), TV_OK);
    assert_int_equal(tv_composer_put(composer, &enter_it, &err), TV_OK);
    assert_int_equal(tv_composer_put(composer, &leave_it, &err), TV_OK);
    assert_int_equal(tv_composer_end(composer, &result, &err), TV_OK);
    tv_composer_free(&composer);
    for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]); i++)
        expect_source(&t, narrow[i], "cpu_clock_backwards:1");
    tv_buffer_release(&t.bytes);
}

/* A call that never ends lasts to the latest time of all threads, but in version 1, where times of
 * threads do not compare, to its thread's last: so it gets an exit on the way there and back. */
static void calls_that_never_end_last_as_long_in_every_version(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
    enter(&t, MAIN, FOO, 1);
    enter(&t, MAIN, BAR, 2);
    enter(&t, WORKER, FOO, 50);
    rewrite(&r, &t.bytes, "v1");
    expect_records(&r, "1(4 1, 1(8 2, 2(4 50, 1)8 50, 1)4 50, 2)4 50");
    expect_changes(&r, &(struct tv_write_result){
                           .changes = {[TV_WRITE_CALLS_CLOSED] = 3, [TV_WRITE_AXES_PARTED] = 2}});
    rewritten_release(&r);
    build_release(&t);
    build_text(&t, (struct build_opts){.version = 1, .clock = "wall"});
    enter(&t, MAIN, FOO, 1);
    enter(&t, WORKER, FOO, 50);
    rewrite(&r, &t.bytes, "v3");
    expect_records(&r, "1(4 1, 2(4 50, 1)4 1, 2)4 50");
    expect_changes(&r, &(struct tv_write_result){
                           .changes = {[TV_WRITE_CALLS_CLOSED] = 2, [TV_WRITE_AXES_JOINED] = 2}});
    rewritten_release(&r);
    build_release(&t);
}

/* Without a wall clock as with one; version 1 cannot say it, and gets exits. */
static void when_threads_were_last_seen_is_kept(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    build_text(&t, (struct build_opts){.version = 2,
                                       .clock = "thread-cpu",
                                       .options = "last-seen-nsec=1:9000:50000\n"});
    enter(&t, MAIN, FOO, 1);
    enter(&t, MAIN, BAR, 2);
    rewrite(&r, &t.bytes, "v1");
    expect_changes(&r,
                   &(struct tv_write_result){
                       .changes = {[TV_WRITE_CALLS_CLOSED] = 2, [TV_WRITE_OPTIONS_LEFT_OUT] = 1}});
    assert_int_equal(r.reading.count, 4);
    assert_int_equal(r.reading.cpu[3], 50);
    rewritten_release(&r);
    rewrite(&r, &t.bytes, "v2");
    expect_changes(&r, &(struct tv_write_result){.records = 0});
    assert_int_equal(r.reading.count, 2);
    struct tv_str told = tv_trace_property_of(&r.reading.trace, TV_STR("last-seen-nsec"));
    assert_true(tv_str_equal(told, TV_STR("1:9000:50000")));
    rewritten_release(&r);
    build_release(&t);
}

static void expect_property(const struct rewritten *r, const char *key, const char *value)
{
    expect_str(tv_trace_property_of(&r->reading.trace, tv_str_from(key)), value);
}

/* A reader takes whole units of the trace from them, in whatever unit they are written. A value
 * that is not believed stays one. */
static void times_of_threads_are_those_that_readers_of_the_trace_take(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .options = "last-seen-nsec=1:9999:4001;2:8000:999\n"
                                                  "cut-threads=1:1:9500:9001:3615;2:0:0:0:0\n"});
    enter(&t, MAIN, FOO, 1);
    enter(&t, WORKER, FOO, 1);
    rewrite(&r, &t.bytes, "packets");
    expect_property(&r, "last-seen-nsec", "1:9000:4000;2:8000:0");
    expect_property(&r, "cut-threads", "1:1:9000:9000:3000;2:0:0:0:0");
    rewritten_release(&r);
    build_release(&t);
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .options = "last-seen-nsec=1:9999:4001;9:x\n"});
    enter(&t, MAIN, FOO, 1);
    rewrite(&r, &t.bytes, "packets");
    expect_property(&r, "last-seen-nsec", "1:9999:4001;9:x");
    rewritten_release(&r);
    build_release(&t);
}

static void times_of_threads_that_a_version_cuts_are_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten nanoseconds, r;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .options = "last-seen-nsec=1:9000:4000\n"
                                                  "cut-threads=1:0:0:0:3000\n"});
    enter(&t, MAIN, FOO, 1);
    rewrite(&nanoseconds, &t.bytes, "packets");
    char *bytes = (char *)nanoseconds.output.bytes;
    const struct tv_str whole = {bytes, nanoseconds.output.len};
    bytes[tv_str_find(whole, TV_STR(":9000:"), TV_CASE_EXACT) + 4] = '5';
    bytes[tv_str_find(whole, TV_STR(":0:3000"), TV_CASE_EXACT) + 6] = '7';
    rewrite(&r, &nanoseconds.output, "v3");
    expect_changes(&r, &(struct tv_write_result){.changes = {[TV_WRITE_TIMES_ROUNDED] = 2}});
    expect_property(&r, "last-seen-nsec", "1:9000:4000");
    expect_property(&r, "cut-threads", "1:0:0:0:3000");
    rewritten_release(&r);
    rewritten_release(&nanoseconds);
    build_release(&t);
}

/* Other readers refuse records of threads that nothing lists, and lines without a name. */
static void threads_that_only_records_name_are_listed(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, 77, FOO, 1);
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        struct rewritten r;
        bool is_text = ix < 3;
        rewrite(&r, &t.bytes, tv_write_format_name(ix));
        const struct tv_trace *trace = &r.reading.trace;
        uint32_t listed = tv_map_get(&trace->thread_of_id, 77);
        assert_true(listed != TV_MAP_NONE);
        expect_str(trace->threads[listed].name, is_text ? "thread 77" : "");
        assert_int_equal(r.result.changes[TV_WRITE_THREADS_LISTED], 1);
        assert_int_equal(r.result.changes[TV_WRITE_THREADS_NAMED], is_text);
        rewritten_release(&r);
    }
    build_release(&t);
}

/* ART up to 13 lists whole ids, of which records have 16 bits. Packets have room for them. */
static void thread_whose_records_have_the_low_bits_of_its_id_stays_one(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){
                       .version = 3, .clock = "dual", .threads = "70001\tmain\n70002\tidle\n"});
    enter(&t, 4465, FOO, 1);
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        struct rewritten r;
        bool has_room = tv_write_format_name(ix)[0] == 'p';
        rewrite(&r, &t.bytes, tv_write_format_name(ix));
        const struct tv_trace *trace = &r.reading.trace;
        assert_int_equal(r.reading.thread[0], has_room ? 70001 : 1);
        assert_int_equal(trace->thread_count, 2);
        expect_str(trace->threads[tv_map_get(&trace->thread_of_id, r.reading.thread[0])].name,
                   "main");
        assert_int_equal(r.result.changes[TV_WRITE_THREADS_LISTED], 0);
        rewritten_release(&r);
    }
    build_release(&t);
}

/* Perfetto refuses version 3 in records of 10 bytes. */
static void one_clock_of_version_3_stands_in_records_of_14_bytes(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
    enter(&t, MAIN, FOO, 0x01020304);
    rewrite(&r, &t.bytes, "v3");
    const uint8_t *record = r.output.bytes + r.output.len - 14;
    assert_memory_equal(record, "\1\0\4\0\0\0\4\3\2\1\4\3\2\1", 14);
    assert_int_equal(r.reading.trace.fixed.len, 14);
    expect_records(&r, "1(4 16909060");
    rewritten_release(&r);
    build_release(&t);
}

/* Firefox and the old viewer refuse a file for one record with action 3, which makes no call. */
static void records_with_action_3_are_left_out(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 1);
    enter(&t, MAIN, BAR | 3, 2);
    leave(&t, MAIN, FOO, 3);
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        struct rewritten r;
        rewrite(&r, &t.bytes, tv_write_format_name(ix));
        assert_int_equal(r.reading.count, 2);
        assert_int_equal(r.result.changes[TV_WRITE_RESERVED_LEFT_OUT], 1);
        rewritten_release(&r);
    }
    build_release(&t);
}

/* A stream that ended without its summary has no duration, and gets none. */
static void a_duration_that_is_not_known_is_not_invented(void **state)
{
    (void)state;
    struct trace_builder t;
    build_stream(&t, (struct build_opts){.version = 3});
    enter(&t, MAIN, FOO, 1);
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        struct rewritten r;
        rewrite(&r, &t.bytes, tv_write_format_name(ix));
        struct tv_str text = {(const char *)r.output.bytes, r.output.len};
        assert_true(tv_str_find(text, TV_STR("elapsed"), TV_CASE_EXACT) == SIZE_MAX);
        assert_false(r.reading.trace.has_elapsed);
        rewritten_release(&r);
    }
    build_release(&t);
}

/* Records of 10 bytes that also make sense as 14 bytes: the listed threads tell which they are. */
static void a_stream_of_one_clock_is_read_in_its_true_length(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
    for (unsigned i = 0; i < 70; i++)
        enter(&t, 1 + i % 7 * 256, FOO | (i % 5) << 8, 0x00030001 * i);
    rewrite(&r, &t.bytes, "stream");
    assert_int_equal(r.reading.count, 70);
    rewritten_release(&r);
    build_release(&t);
}

static void build_dual(struct trace_builder *t)
{
    build_text(t, (struct build_opts){
                      .version = 3,
                      .clock = "dual",
                      .options = "elapsed-time-usec=99\nvm=art\npid=12\nalloc-count=3\n",
                      .methods = "0x4\ta.B\tfoo\t()V\tB.java\n0x8\ta/B\tbar\t(I)V\tB.java\t-2\n"
                                 "0xc\tname only\n"});
    build_record(t, (struct build_record){MAIN, FOO, ENTER, 1, 2});
    build_record(t, (struct build_record){WORKER, BAR, ENTER, 0, 5});
    build_record(t, (struct build_record){WORKER, BAR, UNWIND, 3, 9});
    build_record(t, (struct build_record){MAIN, FOO, LEAVE, 30, 40});
}

static void expect_dual(const struct reading *reading, size_t ix)
{
    static const uint64_t walls[] = {2, 5, 9, 40};
    static const uint64_t cpus[] = {1, 0, 3, 30};
    uint64_t unit = 1000 / reading->trace.unit_ns;
    assert_int_equal(reading->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(reading->thread[i], i == 1 || i == 2 ? WORKER : MAIN);
        if (reading->trace.has_clock[TV_CLOCK_WALL])
            assert_int_equal(reading->wall[i], walls[i] * unit);
        if (reading->trace.has_clock[TV_CLOCK_CPU])
            assert_int_equal(reading->cpu[i], cpus[i] * unit);
    }
    assert_int_equal(reading->trace.has_clock[TV_CLOCK_WALL], ix != 0);
    assert_int_equal(reading->trace.has_clock[TV_CLOCK_CPU], ix != 1);
    assert_int_equal(reading->key_action[2] & 3, UNWIND);
}

static void every_version_keeps_records_and_tables(void **state)
{
    (void)state;
    struct trace_builder t;
    build_dual(&t);
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        struct rewritten r;
        const struct reading *reading = &r.reading;
        rewrite(&r, &t.bytes, tv_write_format_name(ix));
        expect_dual(reading, ix);
        expect_only(reading, TV_FINDING_KIND_COUNT);
        assert_int_equal(reading->trace.start_time_ns, 5000000000);
        assert_int_equal(reading->trace.elapsed_ns, 99000);
        assert_int_equal(reading->trace.pid, 12);
        expect_str(reading->trace.vm, "art");
        const struct tv_trace_method *bar = &reading->trace.methods[1];
        expect_str(bar->class_name, "a/B");
        expect_str(bar->signature, "(I)V");
        assert_int_equal(bar->line, -2);
        rewritten_release(&r);
    }
    build_release(&t);
}

/* With the times of the clock that is left, in records that have room for one. */
static void one_of_two_clocks_is_written_in_every_version(void **state)
{
    static const enum tv_write_clocks wanted[] = {
        [TV_CLOCK_WALL] = TV_WRITE_CLOCKS_WALL, [TV_CLOCK_CPU] = TV_WRITE_CLOCKS_CPU};
    (void)state;
    struct trace_builder t;
    build_dual(&t);
    for (size_t i = 0; tv_write_format_name(i); i++) {
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            static const uint64_t times[TV_CLOCK_COUNT][4] = {
                [TV_CLOCK_WALL] = {2, 5, 9, 40}, [TV_CLOCK_CPU] = {1, 0, 3, 30}};
            struct tv_buffer output;
            struct reading reading;
            assert_int_equal(
                write_as(&t.bytes, tv_write_format_name(i), wanted[clock], &output, NULL), TV_OK);
            read_built(&reading, &output);
            expect_ok(&reading);
            expect_only(&reading, TV_FINDING_KIND_COUNT);
            assert_int_equal(reading.count, 4);
            assert_int_equal(reading.trace.has_clock[clock], 1);
            assert_int_equal(reading.trace.has_clock[!clock], 0);
            const uint64_t *got = clock == TV_CLOCK_WALL ? reading.wall : reading.cpu;
            for (size_t k = 0; k < 4; k++)
                assert_int_equal(got[k] * reading.trace.unit_ns, times[clock][k] * 1000);
            reading_release(&reading);
            tv_buffer_release(&output);
        }
    }
    build_release(&t);
}

static void addresses_and_thread_ids_that_do_not_fit_are_numbered(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    const struct reading *reading = &r.reading;
    struct block_builder block = {.len = 0};
    build_packets(&t, 4, 0);
    packet_method(&t, UINT64_C(0x7f0000001000), "a.B\tfoo\t()V\n");
    packet_method(&t, UINT64_C(0x7f0000002000), "a.B\tnever\t()V\n");
    packet_thread(&t, 100000, "main");
    add_single(&block, UINT64_C(0x7f0000001000), 7000);
    add_single(&block, UINT64_C(0x7f0000001001), 9999);
    packet_block(&t, 100000, &block);
    packet_summary(&t, 4, "clock=wall\nelapsed-time-nsec=1\n");
    rewrite(&r, &t.bytes, "v3");
    assert_int_equal(reading->count, 2);
    assert_int_equal(reading->thread[0], 1);
    assert_int_equal(reading->key_action[1], 0 | LEAVE);
    assert_int_equal(reading->wall[1], 9);
    assert_int_equal(reading->trace.method_count, 1); /* not what never ran */
    expect_str(reading->trace.threads[0].name, "main");
    rewritten_release(&r);
    build_release(&t);
}

static void short_times_are_unwrapped_into_long_ones(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    const struct reading *reading = &r.reading;
    build_text(&t, (struct build_opts){
                       .version = 2, .clock = "wall", .options = "elapsed-time-usec=4294967400\n"});
    enter(&t, MAIN, FOO, 0xfffffff0);
    leave(&t, MAIN, FOO, 5);
    enter(&t, WORKER, BAR, 6);        /* near the record before it: past the wrap */
    enter(&t, MAIN, FOO, 0xfffffff8); /* a step back, over the wrap */
    rewrite(&r, &t.bytes, "packets-d");
    assert_true(reading->wall[0] == UINT64_C(0xfffffff0) * 1000);
    assert_true(reading->wall[1] == UINT64_C(0x100000005) * 1000);
    assert_true(reading->wall[2] == UINT64_C(0x100000006) * 1000);
    assert_true(reading->wall[3] == UINT64_C(0x100000005) * 1000); /* raised, as views have it */
    assert_int_equal(r.result.changes[TV_WRITE_TIMES_RAISED], 1);
    rewritten_release(&r);
    build_release(&t);
}

static void times_before_the_start_become_the_start(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    struct block_builder block = {.len = 0};
    build_packets(&t, 5, 0);
    packet_tables(&t);
    add_dual(&block, FOO_ADDRESS, 0 - UINT64_C(9000), 0);
    add_dual(&block, FOO_ADDRESS | LEAVE, 7000, 3000);
    packet_block(&t, TID, &block);
    packet_summary(&t, 5, "clock=dual\nelapsed-time-nsec=8000\n");
    rewrite(&r, &t.bytes, "v3");
    assert_int_equal(r.reading.wall[0], 0);
    assert_int_equal(r.reading.wall[1], 7);
    rewritten_release(&r);
    rewrite(&r, &t.bytes, "packets");
    assert_int_equal(r.reading.wall[0], 0);
    assert_int_equal(r.result.changes[TV_WRITE_TIMES_RAISED], 1);
    rewritten_release(&r);
    build_release(&t);
}

static void records_never_written_are_left_out(void **state)
{
    (void)state;
    struct trace_builder t;
    struct rewritten r;
    const struct reading *reading = &r.reading;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, 0, 0, 0);
    enter(&t, MAIN, FOO, 1);
    rewrite(&r, &t.bytes, "stream");
    assert_int_equal(reading->count, 1);
    rewritten_release(&r);
    build_release(&t);
}

static void what_a_version_cannot_hold_is_refused(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_buffer output;
    struct tv_error err;
    build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
    for (unsigned thread = 1; thread < 300; thread++)
        enter(&t, thread, FOO, thread);
    assert_int_equal(write_as(&t.bytes, "v1", TV_WRITE_CLOCKS_ALL, &output, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "299 threads"));
    tv_buffer_release(&output);
    assert_int_equal(write_as(&t.bytes, "v3", TV_WRITE_CLOCKS_CPU, &output, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "the trace has no CPU times");
    tv_buffer_release(&output);
    assert_int_equal(write_as(&t.bytes, "v9", TV_WRITE_CLOCKS_ALL, &output, &err), TV_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "v1, v2, v3, stream and packets"));
    tv_buffer_release(&output);
    build_release(&t);
}

/* A summary's length has two bytes: options beyond 60000 bytes, by keys and values, are left out.
 */
static void options_that_no_summary_can_hold_are_left_out(void **state)
{
    static char option[70000];
    (void)state;
    for (size_t more = 0; more <= 1; more++) {
        struct trace_builder t;
        struct rewritten r;
        struct tv_str text;
        memset(option, 'v', sizeof(option));
        option[0] = 'x';
        option[1] = '=';
        option[60000 + more + 1] = '\n';
        option[60000 + more + 2] = 0;
        build_text(&t, (struct build_opts){.version = 3, .clock = "wall", .options = option});
        enter(&t, MAIN, FOO, 1);
        rewrite(&r, &t.bytes, "packets");
        text = (struct tv_str){(const char *)r.output.bytes, r.output.len};
        assert_int_equal(tv_str_find(text, TV_STR("\nx=vvv"), TV_CASE_EXACT) != SIZE_MAX, !more);
        rewritten_release(&r);
        build_release(&t);
    }
}

/* A version 1 numbers threads in one byte, from 1 on. */
static void as_many_threads_as_a_version_can_name_are_written(void **state)
{
    (void)state;
    for (unsigned more = 0; more <= 1; more++) {
        struct trace_builder t;
        struct tv_buffer output;
        struct tv_error err = {.text = ""};
        build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
        for (unsigned thread = 1; thread <= UINT8_MAX + more; thread++)
            enter(&t, 1000 + thread, FOO, thread);
        enum tv_code code = write_as(&t.bytes, "v1", TV_WRITE_CLOCKS_ALL, &output, &err);
        if (code != (more ? TV_ERR_LIMIT : TV_OK))
            fail_msg("%u threads: %s", UINT8_MAX + more, err.text);
        tv_buffer_release(&output);
        build_release(&t);
    }
}

/* What is proposed in place of a version can name the threads: no version that numbers them in two
 * bytes is, of more than those. */
static void what_names_too_many_threads_is_proposed(void **state)
{
    (void)state;
    static const struct {
        unsigned threads;
        const char *as, *proposed;
    } of[] = {{UINT8_MAX + 1, "v1", ": write v3 or packets"},
              {UINT16_MAX + 1, "v1", ": write packets"},
              {UINT16_MAX + 1, "v3", ": write packets"}};
    for (size_t i = 0; i < TV_COUNT_OF(of); i++) {
        struct trace_builder t;
        struct tv_buffer output;
        struct tv_error err = {.text = ""};
        build_text(&t, (struct build_opts){.version = 2, .clock = "wall"});
        for (unsigned thread = 0; thread < of[i].threads; thread++)
            enter(&t, UINT16_MAX - thread, FOO, thread + 1);
        assert_int_equal(write_as(&t.bytes, of[i].as, TV_WRITE_CLOCKS_ALL, &output, &err),
                         TV_ERR_LIMIT);
        assert_non_null(strstr(err.text, of[i].proposed));
        tv_buffer_release(&output);
        build_release(&t);
    }
}

static void an_id_that_would_end_the_records_is_refused(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_buffer output;
    struct tv_error err;
    build_stream(&t, (struct build_opts){.version = 3});
    enter(&t, MAIN, 0xeeeeeeec, 1);
    assert_int_equal(write_as(&t.bytes, "v3", TV_WRITE_CLOCKS_ALL, &output, &err),
                     TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "0xeeeeeeec"));
    tv_buffer_release(&output);
    build_release(&t);
}

static enum tv_code refuse_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    if (err)
        *err = (struct tv_error){.code = TV_ERR_SYSTEM, .text = "disk full"};
    return TV_ERR_SYSTEM;
}

static void a_sink_that_fails_is_told(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_error err;
    build_dual(&t);
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        struct tv_write_opts opts = {.as = tv_str_from(tv_write_format_name(ix))};
        struct tv_sink sink = {.write = refuse_bytes, .ctx = NULL};
        assert_int_equal(
            tv_write_trace(tv_alloc_libc(), t.bytes.bytes, t.bytes.len, &opts, sink, &err),
            TV_ERR_SYSTEM);
        assert_string_equal(err.text, "disk full");
    }
    build_release(&t);
}

static void leb128_comes_back_as_it_went(void **state)
{
    (void)state;
    static const uint64_t values[] = {0,
                                      1,
                                      63,
                                      64,
                                      127,
                                      128,
                                      0x3fff,
                                      0x4000,
                                      UINT32_MAX,
                                      UINT64_MAX >> 1,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 63,
                                      UINT64_MAX - 64,
                                      UINT64_MAX};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        uint8_t bytes[TV_LEB_MOST];
        uint64_t found;
        int64_t wide;
        struct tv_cursor cursor = {.bytes = bytes, .len = tv_store_uleb(bytes, values[i])};
        assert_true(tv_cursor_take_uleb(&cursor, &found) && found == values[i]);
        cursor = (struct tv_cursor){.bytes = bytes, .len = tv_encode_sleb(bytes, values[i])};
        assert_true(tv_cursor_take_sleb(&cursor, &wide) && (uint64_t)wide == values[i]);
        assert_int_equal(tv_cursor_left(&cursor), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_keeps_records_and_tables),
        cmocka_unit_test(exits_without_methods_close_the_same_calls),
        cmocka_unit_test(what_the_source_lacked_is_told),
        cmocka_unit_test(falls_of_a_recording_that_was_cut_are_told),
        cmocka_unit_test(falls_of_wide_times_are_told),
        cmocka_unit_test(calls_that_never_end_last_as_long_in_every_version),
        cmocka_unit_test(when_threads_were_last_seen_is_kept),
        cmocka_unit_test(times_of_threads_are_those_that_readers_of_the_trace_take),
        cmocka_unit_test(times_of_threads_that_a_version_cuts_are_told),
        cmocka_unit_test(threads_that_only_records_name_are_listed),
        cmocka_unit_test(thread_whose_records_have_the_low_bits_of_its_id_stays_one),
        cmocka_unit_test(one_clock_of_version_3_stands_in_records_of_14_bytes),
        cmocka_unit_test(a_duration_that_is_not_known_is_not_invented),
        cmocka_unit_test(records_with_action_3_are_left_out),
        cmocka_unit_test(a_stream_of_one_clock_is_read_in_its_true_length),
        cmocka_unit_test(one_of_two_clocks_is_written_in_every_version),
        cmocka_unit_test(addresses_and_thread_ids_that_do_not_fit_are_numbered),
        cmocka_unit_test(short_times_are_unwrapped_into_long_ones),
        cmocka_unit_test(times_before_the_start_become_the_start),
        cmocka_unit_test(records_never_written_are_left_out),
        cmocka_unit_test(what_a_version_cannot_hold_is_refused),
        cmocka_unit_test(options_that_no_summary_can_hold_are_left_out),
        cmocka_unit_test(as_many_threads_as_a_version_can_name_are_written),
        cmocka_unit_test(what_names_too_many_threads_is_proposed),
        cmocka_unit_test(an_id_that_would_end_the_records_is_refused),
        cmocka_unit_test(a_sink_that_fails_is_told),
        cmocka_unit_test(leb128_comes_back_as_it_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
