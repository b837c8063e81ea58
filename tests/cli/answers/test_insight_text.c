/* cli/insight_text: what is said of each kind of insight, beside the numbers that it is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "cli/answers/insight_text.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/trace_builder.h"

/* Two methods of one name, one of a name of its own, and one without any; in the order of calls. */
enum { LOAD_INT, LOAD_TEXT, SLEEP, METHODS };

struct read {
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    uint32_t methods[METHODS];
};

static void read_trace(struct read *read, const char *clock, unsigned records)
{
    struct tv_error err;
    memset(read, 0, sizeof(*read));
    build_text(&read->t,
               (struct build_opts){.version = 3,
                                   .clock = clock,
                                   .threads = "1\tmain\n2\tworker\n3\tworker\n",
                                   .methods = "0x4\ta.B\tload\t(I)V\tB.java\t1\n"
                                              "0x8\ta.B\tload\t(Ljava/lang/String;)V\tB.java\t2\n"
                                              "0xc\tjava.lang.Thread\tsleep\t(J)V\tT.java\t3\n"});
    for (unsigned i = 0; i < records; i++) {
        enter(&read->t, i % 2 + 1, 4 * (i % METHODS + 1), 1000 * i);
        leave(&read->t, i % 2 + 1, 4 * (i % METHODS + 1), 1000 * i + 900);
    }
    tv_trace_init(&read->trace, tv_alloc_libc());
    tv_index_init(&read->index);
    assert_int_equal(tv_trace_open(&read->trace, read->t.bytes.bytes, read->t.bytes.len,
                                   &(struct tv_read_opts){.batch_len = 0}, &err),
                     TV_OK);
    assert_int_equal(
        tv_index_build(&read->index, &read->trace, &(struct tv_build_opts){.pool = NULL}, &err),
        TV_OK);
    for (uint32_t i = 0; i < read->index.method_count; i++)
        read->methods[read->index.methods[i].id / 4 - 1] = i;
}

static void release(struct read *read)
{
    tv_index_release(&read->index);
    tv_trace_release(&read->trace);
    build_release(&read->t);
}

/* What is said where; `other` and `method` are places in `methods`, METHODS for none. */
static const struct row {
    const char *clock;
    struct tv_insight insight;
    uint32_t method;
    uint32_t other;
    const char *said;
} rows[] = {
    {"dual",
     {.kind = TV_INSIGHT_OVERFLOW, .at_stake_ns = 2000000000},
     METHODS,
     METHODS,
     "The recording ended 2.00 s before the run did: its buffer was full.\n"},
    {"dual",
     {.kind = TV_INSIGHT_SLOW,
      .calls = 1,
      .of_calls = 1400,
      .median_ns = 2000000,
      .from_ns = 5000000,
      .took_ns = 42000000,
      .other_amount = 30000000},
     LOAD_INT,
     SLEEP,
     "One of 1,400 calls of a.B.load(int) was slow: it took 42.0 ms of wall time at 5.000 ms on "
     "main; the median is 2.00 ms. Of it 30.0 ms were in java.lang.Thread.sleep.\n"},
    {"dual",
     {.kind = TV_INSIGHT_SLOW,
      .calls = 2,
      .of_calls = 14,
      .waited_calls = 1,
      .median_ns = 2000000,
      .took_ns = 202000000,
      .other_amount = 180000000},
     SLEEP,
     LOAD_TEXT,
     "2 of 14 calls of java.lang.Thread.sleep were slow: the longest of these took 202 ms of "
     "wall time "
     "at 0 ns on main; the median is 2.00 ms; 1 more took long because it waited. Of the "
     "longest 180 ms were in a.B.load(String).\n"},
    {"thread-cpu",
     {.kind = TV_INSIGHT_SLOW,
      .clock = TV_CLOCK_CPU,
      .calls = 3,
      .of_calls = 9,
      .waited_calls = 2,
      .took_ns = 42000000},
     SLEEP,
     METHODS,
     "3 of 9 calls of java.lang.Thread.sleep were slow: the longest of these took 42.0 ms of CPU "
     "time at "
     "0 ns on main; the median is 0 ns; 2 more took long because they waited.\n"},
    /* When it began is not told where the wall clock is wrong. */
    {"dual",
     {.kind = TV_INSIGHT_SLOW,
      .clock = TV_CLOCK_CPU,
      .calls = 1,
      .of_calls = 9,
      .from_ns = 7000000,
      .took_ns = 42000000},
     SLEEP,
     METHODS,
     "One of 9 calls of java.lang.Thread.sleep was slow: it took 42.0 ms of CPU time on main; "
     "the "
     "median is 0 ns.\n"},
    {"dual",
     {.kind = TV_INSIGHT_WAIT,
      .at_stake_ns = 25000000,
      .calls = 1,
      .of_calls = 15,
      .from_ns = 7000000,
      .other_amount = 20000000},
     SLEEP,
     LOAD_TEXT,
     "main waited 25.0 ms in one call of 15 of java.lang.Thread.sleep at 7.000 ms. Meanwhile "
     "worker 2 was busiest, 20.0 ms of that in a.B.load(String).\n"},
    {"dual",
     {.kind = TV_INSIGHT_WAIT,
      .at_stake_ns = 25000000,
      .calls = 3,
      .of_calls = 3,
      .from_ns = 7000000,
      .other_amount = 20000000},
     SLEEP,
     LOAD_INT,
     "main waited 25.0 ms in 3 calls of java.lang.Thread.sleep; the longest wait is that at "
     "7.000 "
     "ms. During that one worker 2 was busiest, 20.0 ms of that in a.B.load(int).\n"},
    {"dual",
     {.kind = TV_INSIGHT_OPEN, .at_stake_ns = 5990000000, .from_ns = 4000000000},
     LOAD_INT,
     METHODS,
     "main was still in a.B.load(int) when the recording ended: what it did in the last 5.99 s is "
     "not recorded.\n"},
    {"dual",
     {.kind = TV_INSIGHT_OFTEN, .calls = 20000, .of_calls = 100000, .other_amount = 19000},
     LOAD_TEXT,
     SLEEP,
     "a.B.load(String) was called 20,000 times, 20.0 % of all calls; 19,000 of them by "
     "java.lang.Thread.sleep.\n"},
    {"wall",
     {.kind = TV_INSIGHT_OVERHEAD, .at_stake_ns = 1000000000, .other_amount = 4000000000},
     METHODS,
     METHODS,
     "Tracing itself took some 1.00 s, 25.0 % of the calls' wall time: short methods look longer "
     "than they are.\n"},
    {"thread-cpu",
     {.kind = TV_INSIGHT_OVERHEAD,
      .clock = TV_CLOCK_CPU,
      .at_stake_ns = 1000000000,
      .other_amount = 4000000000},
     METHODS,
     METHODS,
     "Tracing itself took some 1.00 s, 25.0 % of the calls' CPU time: short methods look longer "
     "than they are.\n"},
    {"dual",
     {.kind = TV_INSIGHT_FRAMES,
      .calls = 14,
      .of_calls = 21,
      .from_ns = 7000000,
      .took_ns = 42000000},
     LOAD_INT,
     METHODS,
     "14 of 21 runs of frames took longer than 16.7 ms: the longest took 42.0 ms at 7.000 ms on "
     "main; frames that no look came between are one run.\n"},
    {"dual",
     {.kind = TV_INSIGHT_OWN,
      .at_stake_ns = 1000000000,
      .margin_ns = 100000000,
      .other_amount = 4000000000},
     LOAD_INT,
     METHODS,
     "The code of the app itself took 1.00 s (25.0 %, give or take 2.5 %) of the 4.00 s that the "
     "main thread was busy, most of it in a.B.load(int).\n"},
    {"dual",
     {.kind = TV_INSIGHT_PACKAGE,
      .at_stake_ns = 2000000000,
      .margin_ns = 40000000,
      .other_amount = 4000000000},
     SLEEP,
     METHODS,
     "java.lang took 2.00 s (50.0 %, give or take 1.0 %) of the 4.00 s that the main thread was "
     "busy, most of it in java.lang.Thread.sleep.\n"},
    {"dual",
     {.kind = TV_INSIGHT_SPENT,
      .at_stake_ns = 30000000,
      .margin_ns = 5000000,
      .other_amount = 20000000},
     SLEEP,
     LOAD_TEXT,
     "The main thread was 30.0 ms, give or take 5.00 ms, in java.lang.Thread.sleep; 20.0 ms "
     "of that through a.B.load(String).\n"},
};

static void expect_text(struct tv_text *out, const char *said)
{
    tv_text_add_str(out, (struct tv_str){"", 1});
    assert_string_equal(tv_text_view(out).at, said);
    tv_text_release(out);
}

static void each_sentence_is_made_of_its_numbers(void **state)
{
    unsigned of_kind[TV_INSIGHT_KINDS] = {0};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct tv_insight insight = rows[i].insight;
        struct read read;
        struct tv_text out;
        read_trace(&read, rows[i].clock, 12);
        insight.method = rows[i].method == METHODS ? TV_NONE : read.methods[rows[i].method];
        insight.other_method = rows[i].other == METHODS ? TV_NONE : read.methods[rows[i].other];
        insight.other_thread = insight.kind == TV_INSIGHT_WAIT ? 1 : TV_NONE;
        of_kind[insight.kind]++;
        tv_text_init(&out, tv_alloc_libc());
        tv_insight_text(&out, &read.index, &insight);
        expect_text(&out, rows[i].said);
        release(&read);
    }
    for (unsigned kind = 0; kind < TV_INSIGHT_KINDS; kind++) {
        if (!of_kind[kind])
            fail_msg("no sentence of the kind %s is tested", tv_insight_kind_name(kind));
    }
}

/* That nothing stands out is said only where something was looked at. */
static void nothing_is_told_with_its_reason(void **state)
{
    static const struct {
        unsigned records;
        struct tv_insights found;
        const char *said;
    } reasons[] = {
        {0, {.least_ns = 0}, "This trace holds no calls.\n"},
        {4, {.least_ns = 0}, "The calls of this trace have no times to compare.\n"},
        {4,
         {.least_ns = 1000000, .main_thread = TV_NONE},
         "Nothing stands out. Looked for, from 1.00 ms on: calls of 5 times their method's "
         "median, "
         "waits of the main thread (which the trace does not name), methods with 10 % of all "
         "calls, "
         "overhead of tracing, an overflow.\n"},
        {4,
         {.least_ns = 1000000, .main_thread = 0},
         "Nothing stands out. Looked for, from 1.00 ms on: calls of 5 times their method's "
         "median, "
         "waits of the main thread, methods with 10 % of all calls, overhead of tracing, an "
         "overflow.\n"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(reasons); i++) {
        struct read read;
        struct tv_text out;
        read_trace(&read, "dual", reasons[i].records);
        tv_text_init(&out, tv_alloc_libc());
        tv_insight_text_none(&out, &read.index, &reasons[i].found);
        expect_text(&out, reasons[i].said);
        release(&read);
    }
}

/* What is not told for a wrong clock, and what was not looked for. */
static void a_wrong_clock_is_told_with_what_it_leaves_out(void **state)
{
#define WALL TV_CLOCK_WALL
#define CPU TV_CLOCK_CPU
#define BACKWARDS                                                                                  \
    {                                                                                              \
        TV_FINDING_CLOCK_BACKWARDS, TV_FINDING_CPU_CLOCK_BACKWARDS                                 \
    }
#define LOOKED_FOR                                                                                 \
    "Nothing stands out. Looked for, from 1.00 ms on: calls of 5 times their method's median"
    static const struct {
        const char *clock;
        struct tv_insights found;
        const char *said;
        const char *none; /* where there are no insights */
    } clocks[] = {
        {"dual",
         {.least_ns = 1000000, .main_thread = 0},
         "",
         LOOKED_FOR ", waits of the main thread, methods with 10 % of all calls, overhead of "
                    "tracing, an overflow.\n"},
        {"dual",
         {.least_ns = 1000000, .clock = CPU, .is_wrong = {true, false}, .why = BACKWARDS},
         "Wall times are wrong (clock_backwards), so CPU times are told, and no waits.\n",
         LOOKED_FOR ", methods with 10 % of all calls, overhead of tracing.\n"
                    "Wall times are wrong (clock_backwards), so CPU times are told, and no "
                    "waits.\n"},
        {"dual",
         {.least_ns = 1000000, .clock = WALL, .is_wrong = {false, true}, .why = BACKWARDS},
         "CPU times are wrong (cpu_clock_backwards), so no waits are told.\n",
         LOOKED_FOR ", methods with 10 % of all calls, overhead of tracing, an overflow.\n"
                    "CPU times are wrong (cpu_clock_backwards), so no waits are told.\n"},
        {"dual",
         {.clock = WALL, .is_wrong = {true, true}, .why = BACKWARDS},
         "Wall times are wrong (clock_backwards), so nothing is told by them.\n",
         "Wall times are wrong (clock_backwards), so nothing is told by them.\n"},
        {"thread-cpu",
         {.clock = CPU, .is_wrong = {false, true}, .why = BACKWARDS},
         "CPU times are wrong (cpu_clock_backwards), so nothing is told by them.\n",
         "CPU times are wrong (cpu_clock_backwards), so nothing is told by them.\n"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(clocks); i++) {
        struct read read;
        struct tv_text out;
        read_trace(&read, clocks[i].clock, 4);
        tv_text_init(&out, tv_alloc_libc());
        tv_insight_text_clocks(&out, &read.index, &clocks[i].found);
        expect_text(&out, clocks[i].said);
        tv_text_init(&out, tv_alloc_libc());
        tv_insight_text_none(&out, &read.index, &clocks[i].found);
        expect_text(&out, clocks[i].none);
        release(&read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sentence_is_made_of_its_numbers),
        cmocka_unit_test(nothing_is_told_with_its_reason),
        cmocka_unit_test(a_wrong_clock_is_told_with_what_it_leaves_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
