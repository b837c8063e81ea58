/* Chunks on any pool give the bytes that one record after the other gives; and they are used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/made.h"

#include "format/trace.h"
#include "format/wire.h"
#include "format/write/write.h"
#include "index/build/builder.h"
#include "index/build/chunks/chunks.h"
#include "support/random_trace.h"

/* Pools that run tasks in an order that no one may count on. */
static void run_backwards(void *ctx, tv_task task, void *arg, size_t count)
{
    (void)ctx;
    while (count)
        task(arg, --count);
}

static void run_shuffled(void *ctx, tv_task task, void *arg, size_t count)
{
    uint64_t *seed = ctx;
    size_t step = 1 + random_below(seed, 1000) * 2;
    size_t room = 1; /* a power of two, so that odd steps meet every place once */
    while (room < count)
        room *= 2;
    for (size_t i = 0, at = random_below(seed, 1000) % room; i < room; i++) {
        if (at < count)
            task(arg, at);
        at = (at + step) % room;
    }
}

/* Bytes of a trace that is built in chunks of one, two and three records, too. The sanitizer keeps
 * no block as large as a chunk's table of threads: each chunk maps it anew. */
#ifdef __SANITIZE_ADDRESS__
#define LARGEST_IN_SMALL_CHUNKS 1000u
#define SMALLEST_OF_LARGE 4u
#else
#define LARGEST_IN_SMALL_CHUNKS 3000u
#define SMALLEST_OF_LARGE 1u
#endif

static void expect_all_ways(struct trace_builder *t)
{
    static const uint64_t all_chunks[] = {1, 2, 3, 7, 64, 1000, 0};
    /* Chunks of a few records cost far more than their records. */
    size_t first = t->bytes.len > LARGEST_IN_SMALL_CHUNKS ? 3 : 0;
    const uint64_t *chunks = all_chunks + first;
    uint64_t seed = 1;
    const struct tv_pool pools[] = {*tv_pool_serial(),
                                    {.run = run_backwards, .thread_count = 2},
                                    {.run = run_shuffled, .ctx = &seed, .thread_count = 7}};
    struct tv_index index;
    const struct tv_build_opts plain = {.way = TV_BUILD_SERIAL};
    assert_int_equal(build_index(&index, &t->bytes, NULL, &plain, tv_alloc_libc(), NULL), TV_OK);
    for (size_t i = 0; i < TV_COUNT_OF(all_chunks) - first; i++) {
        struct tv_index other;
        const struct tv_build_opts opts = {.pool = &pools[i % TV_COUNT_OF(pools)],
                                           .chunk_records = chunks[i]};
        assert_int_equal(build_index(&other, &t->bytes, NULL, &opts, tv_alloc_libc(), NULL), TV_OK);
        expect_same_block(&index, &other, i % 3 ? "chunks" : "chunks in order");
        tv_index_release(&other);
    }
    tv_index_release(&index);
    build_release(t);
}

static void every_pool_gives_the_same_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        struct trace_builder t;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        build_random(&t, (struct random_opts){.seed = seed,
                                              .records = seed % 2 ? 90 : 700 + 99 * (unsigned)seed,
                                              .methods = 3,
                                              .lost_enter = seed % 3 ? 10 : 0,
                                              .lost_exit = seed % 5 ? 0 : 10,
                                              .wrap = seed % 4 ? 5 : 0});
        expect_all_ways(&t);
    }
}

static void chunks_that_open_and_close_only(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 100; i++)
        enter(&t, MAIN, FOO + 4 * (i % 3), i);
    for (uint32_t i = 100; i--;)
        leave(&t, MAIN, FOO + 4 * (i % 3), 200 - i);
    for (uint32_t i = 0; i < 100; i++)
        leave(&t, MAIN, FOO + 4 * (i % 3), 300 + i);
    expect_all_ways(&t);
}

/* A thread that comes, pauses for many chunks and comes again; one that comes late. */
static void threads_that_come_and_go(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = "dual",
                                       .options = "elapsed-time-usec=99999999999\n"});
    enter(&t, WORKER, FOO, 5);
    for (uint32_t i = 0; i < 60; i++) {
        enter(&t, MAIN, BAR, i * 0x10000000u);
        leave(&t, MAIN, BAR, i * 0x10000000u + 9);
    }
    leave(&t, WORKER, FOO, 7);
    leave(&t, WORKER, BAZ, 8);
    enter(&t, 3, BAR, 0x30000000u);
    enter(&t, MAIN, BAR, 0xc0000000u);
    expect_all_ways(&t);
}

/* Callees that one chunk has many of and another few, some of them new: rings and hash maps of
 * children are joined with each other. */
static void many_callees_in_many_chunks(void **state)
{
    (void)state;
    static const struct {
        uint32_t from, end;
    } rounds[] = {{0, 3}, {2, 60}, {0, 90}, {85, 140}, {30, 31}, {0, 150}};
    struct trace_builder t;
    uint32_t usec = 0;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (size_t i = 0; i < 2 * TV_COUNT_OF(rounds); i++) {
        uint32_t caller = i % 2 ? BAR : BAZ;
        enter(&t, MAIN, FOO, usec++);
        enter(&t, MAIN, caller, usec++);
        for (uint32_t k = rounds[i / 2].from; k < rounds[i / 2].end; k++) {
            enter(&t, MAIN, 4 + 4 * k, usec++);
            leave(&t, MAIN, 4 + 4 * k, usec++);
        }
        leave(&t, MAIN, caller, usec++);
        leave(&t, MAIN, FOO, usec++);
    }
    expect_all_ways(&t);
}

/* Enough records for more than one chunk of those that are made where nobody asks for a size. */
static void sizes_of_chunks_by_the_number_of_threads(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 400000; i++) {
        enter(&t, MAIN, 4 + 4 * (i / 5 % 50), i);
        if (i % 9 < 5)
            leave(&t, MAIN, 4 + 4 * (i / 5 % 50), i);
    }
    const struct tv_build_opts plain = {.way = TV_BUILD_SERIAL};
    assert_int_equal(build_index(&index, &t.bytes, NULL, &plain, tv_alloc_libc(), NULL), TV_OK);
    for (unsigned threads = 1; threads < 70; threads = threads * 4 + 1) {
        struct tv_pool pool = {.run = run_backwards, .thread_count = threads};
        struct tv_index other;
        const struct tv_build_opts opts = {.pool = &pool};
        assert_int_equal(build_index(&other, &t.bytes, NULL, &opts, tv_alloc_libc(), NULL), TV_OK);
        expect_same_block(&index, &other, "default");
        tv_index_release(&other);
    }
    tv_index_release(&index);
    build_release(&t);
}

/* What tv_chunks_build says of a trace with `chunk_records` records a chunk. */
static bool is_odd(struct trace_builder *t, uint64_t chunk_records)
{
    struct tv_trace trace;
    struct tv_index index;
    bool is_odd = false;
    tv_index_init(&index);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t->bytes.bytes, t->bytes.len, NULL, NULL), TV_OK);
    assert_true(trace.fixed.count > 0);
    const struct tv_build_opts opts = {.pool = tv_pool_serial(), .chunk_records = chunk_records};
    assert_int_equal(tv_chunks_build(&index, &trace, &opts, &is_odd, NULL), TV_OK);
    if (is_odd)
        assert_null(index.block);
    tv_index_release(&index);
    tv_trace_release(&trace);
    return is_odd;
}

/* Records of a stream stand in runs, between what tells of threads and methods. */
static void runs_of_a_stream(void **state)
{
    (void)state;
    static const struct build_opts all[] = {
        {.version = 1}, {.version = 2, .clock = "thread-cpu"}, {.version = 3, .clock = "dual"}};
    for (size_t i = 0; i < TV_COUNT_OF(all); i++) {
        for (unsigned between = 1; between <= 9; between++) {
            struct trace_builder t;
            build_stream(&t, all[i]);
            tell_thread(&t, MAIN, "main");
            for (uint32_t record = 0; record < 120; record++) {
                uint32_t open = record % 12;
                if (record % between == 0)
                    tell_method(&t, "0x4\tLFoo;\tfoo\t()V\tFoo.java\n");
                if (open < 6)
                    enter(&t, MAIN + record % 24 / 12, FOO + 4 * (open % 3), record * 10);
                else
                    leave(&t, MAIN + record % 24 / 12, FOO + 4 * ((11 - open) % 3), record * 10);
            }
            assert_false(is_odd(&t, 7));
            if (between % 3)
                tell_summary(&t);
            expect_all_ways(&t);
        }
    }
}

/* What tv_write_trace makes of what is built. */
static void write_packets(struct trace_builder *t, struct trace_builder *packets, const char *as,
                          enum tv_write_clocks clocks)
{
    *packets = (struct trace_builder){.header_off = 0};
    tv_buffer_init(&packets->bytes, tv_alloc_libc());
    const struct tv_write_opts opts = {.as = tv_str_from(as), .clocks = clocks};
    assert_int_equal(tv_write_trace(tv_alloc_libc(), t->bytes.bytes, t->bytes.len, &opts,
                                    tv_buffer_sink(&packets->bytes), NULL),
                     TV_OK);
    build_release(t);
}

/* Threads in turns, and one that pauses for longer than 32 bits of a nanosecond, again and again.
 */
static void expect_packets_in_chunks(const char *as, bool has_lost_enters)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct trace_builder t;
        struct trace_builder packets;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        build_random(&t, (struct random_opts){.seed = seed,
                                              .records = seed % 2 ? 90 : 500 + 80 * (unsigned)seed,
                                              .methods = 3,
                                              .threads = 1 + (unsigned)seed % 4,
                                              .step_usec = seed % 5 ? 20 : 3000000,
                                              .unwind = seed % 6 ? 0 : 100,
                                              .lost_enter = has_lost_enters && seed % 3 ? 10 : 0});
        write_packets(&t, &packets, as, (enum tv_write_clocks)(seed % 3));
        uint64_t first = 1;
        if (packets.bytes.len > LARGEST_IN_SMALL_CHUNKS)
            first = SMALLEST_OF_LARGE;
        for (uint64_t chunk = first; (seed % 3 == 0 || !has_lost_enters) && chunk <= 64; chunk *= 4)
            assert_false(is_odd(&packets, chunk));
        expect_all_ways(&packets);
    }
}

static void packets_are_built_in_chunks(void **state)
{
    (void)state;
    expect_packets_in_chunks("packets-d", true);
}

/* Exits name no method: those of calls from before a chunk end whatever is open. */
static void packets_with_bare_exits_are_built_in_chunks(void **state)
{
    (void)state;
    expect_packets_in_chunks("packets", false);
}

/* One block after the other, each of more records than are unpacked at once, on more than one
 * thread; most calls are open when a chunk ends. */
static void expect_long_blocks(const char *as, bool has_lost_enters)
{
    struct trace_builder t;
    struct trace_builder packets;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 9 && has_lost_enters; i++) /* of calls from before the trace */
        leave(&t, WORKER, i % 2 ? BAZ : FOO, i);
    for (uint32_t i = 0; i < 9000; i++) {
        uint32_t thread = i / 3000 % 2 ? WORKER : MAIN;
        if (i % 3 < 2 || i % 3000 == 2)
            enter(&t, thread, FOO + 4 * (i % 3), i * 90);
        else
            leave(&t, thread, FOO + 4 * ((i - 1) % 3), i * 90);
    }
    write_packets(&t, &packets, as, TV_WRITE_CLOCKS_ALL);
    assert_false(is_odd(&packets, 2500));
    expect_all_ways(&packets);
}

static void packets_of_long_blocks(void **state)
{
    (void)state;
    expect_long_blocks("packets-d", true);
    expect_long_blocks("packets", false);
}

static void ordinary_trace_is_built_in_chunks(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    leave(&t, MAIN, BAZ,
          0x80000000u); /* calls that began before, wraps and open calls are ordinary */
    enter(&t, MAIN, FOO, 0xfffffff0u);
    unwind(&t, MAIN, FOO, 10);
    enter(&t, WORKER, BAR, 12);
    for (uint64_t chunk = 1; chunk <= 5; chunk++)
        assert_false(is_odd(&t, chunk));
    build_release(&t);
}

/* Records are looked at four at a time; a thread's last ones are fewer. */
static void threads_that_take_turns_are_built_in_chunks(void **state)
{
    (void)state;
    for (uint32_t turn = 1; turn <= 9; turn++) {
        struct trace_builder t;
        uint32_t depth[2] = {0, 0};
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        for (uint32_t i = 0; i < 400; i++) {
            uint32_t of = i / turn % 2;
            bool enters = depth[of] < 2 || (depth[of] < 9 && i % 5 < 3);
            uint32_t method = FOO + 4 * (depth[of] - !enters) + 400 * of;
            (enters ? enter : leave)(&t, of ? WORKER : MAIN, method, i);
            depth[of] += enters ? 1 : UINT32_MAX;
        }
        assert_false(is_odd(&t, 1000));
        assert_false(is_odd(&t, 64));
        expect_all_ways(&t);
    }
}

static void begin(struct trace_builder *t)
{
    build_text(t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(t, MAIN, FOO, 100);
    enter(t, MAIN, BAR, 110);
}

/* Whatever stands on either side of a chunk's end is seen. */
static void expect_odd(struct trace_builder *t)
{
    leave(t, WORKER, BAZ, 200);
    for (uint64_t chunk = 1; chunk <= 5; chunk++) {
        if (!is_odd(t, chunk))
            fail_msg("chunks of %llu records are not odd", (unsigned long long)chunk);
    }
    expect_all_ways(t);
}

static void records_that_need_all_rules_are_odd(void **state)
{
    (void)state;
    struct trace_builder t;
    begin(&t);
    leave(&t, MAIN, FOO, 120); /* deeper in the stack */
    expect_odd(&t);
    begin(&t);
    leave(&t, MAIN, BAZ, 120); /* nowhere on the stack */
    expect_odd(&t);
    begin(&t);
    leave(&t, MAIN, BAR, 90); /* a fall */
    expect_odd(&t);
    begin(&t);
    build_record(&t, (struct build_record){MAIN, BAR, RESERVED, 120, 120});
    expect_odd(&t);
    begin(&t);
    build_record(&t, (struct build_record){0, BAR, ENTER, 120, 120});
    expect_odd(&t);
    begin(&t);
    enter(&t, MAIN, TV_WIRE_NEVER_WRITTEN, 120);
    expect_odd(&t);
    begin(&t);
    leave(&t, WORKER, TV_WIRE_NEVER_WRITTEN, 120); /* of a call from before the trace */
    expect_odd(&t);
    begin(&t);
    for (uint32_t i = 0; i < 9; i++) {
        enter(&t, MAIN, FOO, 130 + i);
        leave(&t, MAIN, i < 8 ? FOO : BAR, 130 + i); /* when chunks are filled already */
    }
    expect_odd(&t);
    begin(&t);
    build_record(&t, (struct build_record){0, 0, 0, 0, 0});
    expect_odd(&t);
}

/* A wall clock that was set back by more than a minute, with all records on either side of it. */
static void wraps_later_than_the_trace_lasted_are_odd(void **state)
{
    (void)state;
    static const char *const elapsed[] = {"elapsed-time-usec=201000000\n",
                                          "elapsed-time-usec=4314967295\n",
                                          "elapsed-time-usec=4315000000\n"};
    for (size_t i = 0; i < TV_COUNT_OF(elapsed); i++) {
        struct trace_builder t;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .options = elapsed[i]});
        enter(&t, WORKER, FOO, 5);
        enter(&t, MAIN, FOO, 200000000);
        enter(&t, MAIN, BAR, 200000010);
        enter(&t, MAIN, BAZ, 80000000);
        leave(&t, MAIN, BAZ, 80000020);
        leave(&t, MAIN, BAR, 80000090);
        leave(&t, WORKER, FOO, 9);
        for (uint64_t chunk = 1; chunk <= 7; chunk++) {
            if (is_odd(&t, chunk) != (i < 2))
                fail_msg("%s, chunks of %llu records", elapsed[i], (unsigned long long)chunk);
        }
        expect_all_ways(&t);
    }
}

/* The same of a CPU clock, whose time counts from the thread's first record. */
static void cpu_clocks_that_begin_anew_are_odd(void **state)
{
    (void)state;
    static const char *const elapsed[] = {"elapsed-time-usec=201\n",
                                          "elapsed-time-usec=4114967385\n",
                                          "elapsed-time-usec=4114967386\n"};
    for (size_t i = 0; i < TV_COUNT_OF(elapsed); i++) {
        struct trace_builder t;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .options = elapsed[i]});
        build_record(&t, (struct build_record){WORKER, FOO, ENTER, 5, 1});
        build_record(&t, (struct build_record){MAIN, FOO, ENTER, 200000000, 2});
        build_record(&t, (struct build_record){MAIN, BAR, ENTER, 200000010, 3});
        build_record(&t, (struct build_record){MAIN, BAZ, ENTER, 80000000, 4});
        build_record(&t, (struct build_record){MAIN, BAZ, LEAVE, 80000020, 5});
        build_record(&t, (struct build_record){MAIN, BAR, LEAVE, 80000090, 6});
        build_record(&t, (struct build_record){WORKER, FOO, LEAVE, 9, 7});
        for (uint64_t chunk = 1; chunk <= 7; chunk++) {
            if (is_odd(&t, chunk) != (i < 2))
                fail_msg("%s, chunks of %llu records", elapsed[i], (unsigned long long)chunk);
        }
        expect_all_ways(&t);
    }
}

/* No id of a method is kept free for a meaning of its own: exits that close nothing, and exits of a
 * call far below, are what they are, whatever id stands in them. */
static void exits_of_edge_ids_are_told_by_their_method(void **state)
{
    (void)state;
    static const uint32_t ids[] = {0,           4,           0x7ffffffcu, 0x80000000u,
                                   0xeeeeeee8u, 0xeeeeeef0u, 0xfffffff8u, 0xfffffffcu};
    for (size_t i = 0; i < TV_COUNT_OF(ids); i++) {
        for (unsigned where = 0; where < 4; where++) {
            struct trace_builder t;
            build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
            leave(&t, WORKER, where == 3 ? ids[i] : BAZ, 90);
            enter(&t, MAIN, where == 2 ? ids[i] : FOO, 100);
            enter(&t, MAIN, where == 1 ? ids[i] : BAR, 110);
            unwind(&t, MAIN, where == 0 ? ids[i] : BAR, 120);
            leave(&t, MAIN, FOO, 130);
            enter(&t, MAIN, FOO, 140);
            leave(&t, MAIN, ids[i], 150);
            leave(&t, MAIN, FOO, 160);
            expect_all_ways(&t);
        }
    }
}

/* A pool between two runs of which another program writes to the file. */
struct writer {
    uint8_t *bytes;
    size_t from, len;
    unsigned runs;
    unsigned changes;
    uint64_t seed;
};

static void run_and_write(void *ctx, tv_task task, void *arg, size_t count)
{
    struct writer *writer = ctx;
    for (size_t i = 0; i < count; i++)
        task(arg, i);
    for (unsigned i = 0; writer->runs == 0 && i < writer->changes; i++) {
        size_t at =
            writer->from + random_below(&writer->seed, (unsigned)(writer->len - writer->from));
        writer->bytes[at] ^= (uint8_t)(1u << random_below(&writer->seed, 8));
    }
    writer->runs++;
}

/* Whatever the second reading meets, what the first one counted is not left: the build ends, as a
 * whole or as odd. Sanitizers see the rest. */
static void trace_that_changes_between_its_readings(void **state)
{
    (void)state;
    unsigned odd = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct trace_builder t;
        struct tv_trace trace;
        struct tv_index index;
        bool is_odd = false;
        build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
        build_random(&t, (struct random_opts){.seed = seed, .records = 300, .methods = 3});
        size_t from = t.header_off + 32;
        if (seed % 4 > 1) {
            struct trace_builder source = t;
            write_packets(&source, &t, seed % 4 > 2 ? "packets" : "packets-d", TV_WRITE_CLOCKS_ALL);
            from = 300;
        }
        struct writer writer = {.bytes = t.bytes.bytes,
                                .from = from,
                                .len = t.bytes.len,
                                .changes = seed % 2 ? 1 : 200,
                                .seed = seed};
        const struct tv_pool pool = {.run = run_and_write, .ctx = &writer, .thread_count = 1};
        const struct tv_build_opts opts = {.pool = &pool, .chunk_records = 1 + seed % 97};
        tv_index_init(&index);
        tv_trace_init(&trace, tv_alloc_libc());
        assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
        assert_int_equal(tv_chunks_build(&index, &trace, &opts, &is_odd, NULL), TV_OK);
        if (is_odd)
            assert_null(index.block);
        odd += is_odd;
        tv_index_release(&index);
        tv_trace_release(&trace);
        build_release(&t);
    }
    assert_true(odd > 50);
}

/* Chunks that each find a deep stack would cost their depth each; one after the other costs none.
 */
static void deep_stack_over_many_chunks_is_odd(void **state)
{
    (void)state;
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    for (uint32_t i = 0; i < 3000; i++)
        enter(&t, MAIN, FOO, i);
    assert_true(is_odd(&t, 2));
    assert_false(is_odd(&t, 1000));
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pool_gives_the_same_bytes),
        cmocka_unit_test(chunks_that_open_and_close_only),
        cmocka_unit_test(threads_that_come_and_go),
        cmocka_unit_test(many_callees_in_many_chunks),
        cmocka_unit_test(sizes_of_chunks_by_the_number_of_threads),
        cmocka_unit_test(runs_of_a_stream),
        cmocka_unit_test(packets_are_built_in_chunks),
        cmocka_unit_test(packets_with_bare_exits_are_built_in_chunks),
        cmocka_unit_test(packets_of_long_blocks),
        cmocka_unit_test(ordinary_trace_is_built_in_chunks),
        cmocka_unit_test(threads_that_take_turns_are_built_in_chunks),
        cmocka_unit_test(records_that_need_all_rules_are_odd),
        cmocka_unit_test(wraps_later_than_the_trace_lasted_are_odd),
        cmocka_unit_test(cpu_clocks_that_begin_anew_are_odd),
        cmocka_unit_test(exits_of_edge_ids_are_told_by_their_method),
        cmocka_unit_test(trace_that_changes_between_its_readings),
        cmocka_unit_test(deep_stack_over_many_chunks_is_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
