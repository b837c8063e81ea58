/* Perfetto traces that carry dumps: pieces, processes, and ids that several of them use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/packet_builder.h"
#include "format/perfetto/perfetto_packets.h"
#include "format/reading.h"
#include "support/colliding_texts.h"

#define NUMBER 129u

static void begin(struct trace_builder *t)
{
    *t = (struct trace_builder){.header_off = 0};
    tv_buffer_init(&t->bytes, tv_alloc_libc());
}

/* LEB128, of the least length. */
static void add_uleb(struct trace_builder *t, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        build_bytes(t, &byte, 1);
        value >>= 7;
    } while (value);
}

static void add_field(struct trace_builder *t, unsigned number, const void *bytes, size_t len)
{
    add_uleb(t, number << 3 | 2);
    add_uleb(t, len);
    build_bytes(t, bytes, len);
}

static void add_number(struct trace_builder *t, unsigned number, uint64_t value)
{
    add_uleb(t, number << 3);
    add_uleb(t, value);
}

/* What a packet carries. */
struct carried {
    const uint8_t *bytes;
    size_t len;
    uint32_t process_id; /* 0: not told */
    const char *name;    /* NULL: none; with a NUL and an argument behind it */
    unsigned number;     /* 0: NUMBER */
};

static void add_packet(struct trace_builder *t, struct carried carried)
{
    struct trace_builder message;
    struct trace_builder packet;
    begin(&message);
    begin(&packet);
    if (carried.name)
        add_field(&message, 2, carried.name, strlen(carried.name) + 5);
    add_field(&message, 1, carried.bytes, carried.len);
    add_number(&packet, 8, 12345);
    add_field(&packet, carried.number ? carried.number : NUMBER, message.bytes.bytes,
              message.bytes.len);
    if (carried.process_id)
        add_number(&packet, 79, carried.process_id);
    add_field(t, 1, packet.bytes.bytes, packet.bytes.len);
    build_release(&packet);
    build_release(&message);
}

/* A packet of other data, with fields that look a little like those of a dump. */
static void add_other(struct trace_builder *t)
{
    add_field(t, 1, "\x0a\x04\x08\1\x12\0\x12\2\x0a\0\xf8\x04\1", 13);
}

/* A dump: a header, one call from `ns` on for 500 ns on a thread, and what its address means. */
struct dumped {
    uint32_t thread;
    uint64_t ns;
    uint64_t address;
    const char *thread_name; /* NULL: none */
    const char *method;      /* NULL: none */
};

static void build_dump(struct trace_builder *t, struct dumped dumped)
{
    static const uint8_t header[32] = {'S', 'L', 'O', 'W', 0xf6};
    struct block_builder block = {.len = 0};
    begin(t);
    build_bytes(t, header, sizeof(header));
    add_long(&block, dumped.ns, dumped.address);
    add_long(&block, dumped.ns + 500, 0);
    packet_block(t, dumped.thread, &block);
    if (dumped.thread_name)
        packet_thread(t, dumped.thread, dumped.thread_name);
    if (dumped.method)
        packet_method(t, dumped.address, dumped.method);
}

static const struct dumped app = {11, 7000, FOO_ADDRESS, "main", "a.B\tfoo\t()V\tB.java\n"};
static const struct dumped server = {22, 5000, FOO_ADDRESS, "binder", "c.D\tloop\t()V\tD.java\n"};

static void add_dump(struct trace_builder *t, struct dumped dumped, struct carried carried)
{
    struct trace_builder dump;
    build_dump(&dump, dumped);
    carried.bytes = dump.bytes.bytes;
    carried.len = dump.bytes.len;
    add_packet(t, carried);
    build_release(&dump);
}

static uint32_t process_of(const struct reading *reading, uint32_t thread)
{
    return tv_map_get(&reading->trace.process_of_thread, thread);
}

/* The method of a record; one without a class where the trace does not describe it. */
static struct tv_trace_method method_at(const struct reading *reading, size_t i)
{
    uint64_t id = tv_trace_id_of_key(&reading->trace, reading->key_action[i] & ~3u);
    uint32_t ordinal = tv_map_get(&reading->trace.method_of_id, id);
    return ordinal == TV_MAP_NONE ? (struct tv_trace_method){.id = id}
                                  : reading->trace.methods[ordinal];
}

static void expect_two(const struct reading *reading)
{
    expect_ok(reading);
    assert_string_equal(reading->trace.format_name, "perfetto");
    assert_int_equal(reading->trace.process_count, 2);
    assert_int_equal(reading->trace.processes[0].id, 100);
    expect_str(reading->trace.processes[0].name, "com.app");
    assert_int_equal(reading->trace.processes[1].id, 200);
    expect_str(reading->trace.processes[1].name, "server");
    assert_int_equal(reading->count, 4);
    assert_int_equal(process_of(reading, 11), 0);
    assert_int_equal(process_of(reading, 22), 1);
    /* The axis begins at the earliest record, which is the server's. */
    assert_int_equal(reading->trace.start_time_ns, 5000);
    assert_int_equal(reading->wall[0], 2000);
    assert_int_equal(reading->wall[3], 500);
    /* The same address, twice. */
    expect_str(method_at(reading, 0).class_name, "a.B");
    expect_str(method_at(reading, 2).class_name, "c.D");
    expect_str(method_at(reading, 3).class_name, "c.D");
    assert_false(reading->trace.has_pid);
    expect_only(reading, TV_FINDING_KIND_COUNT);
}

static void each_process_has_its_threads_and_methods(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    add_other(&t);
    add_dump(&t, app, (struct carried){.process_id = 100, .name = "com.app\0--x"});
    add_other(&t);
    add_dump(&t, server, (struct carried){.process_id = 200, .name = "server\0--x"});
    add_other(&t);
    read_built(&reading, &t.bytes);
    expect_two(&reading);
    reading_release(&reading);
    build_release(&t);
}

/* Every cut between two pieces, with the pieces of two processes in turns. Offsets are those of the
 * file. */
static void pieces_are_joined_by_process(void **state)
{
    (void)state;
    struct trace_builder a;
    struct trace_builder b;
    build_dump(&a, app);
    build_dump(&b, server);
    for (size_t cut = 6; cut <= a.bytes.len && cut <= b.bytes.len; cut++) {
        struct trace_builder t;
        struct reading reading;
        begin(&t);
        add_packet(&t, (struct carried){a.bytes.bytes, cut, 100, "com.app\0--x", 0});
        add_packet(&t, (struct carried){b.bytes.bytes, cut, 200, NULL, 0});
        add_packet(&t, (struct carried){a.bytes.bytes + cut, a.bytes.len - cut, 100, NULL, 0});
        add_other(&t);
        add_packet(&t,
                   (struct carried){b.bytes.bytes + cut, b.bytes.len - cut, 200, "server\0--x", 0});
        read_built(&reading, &t.bytes);
        expect_two(&reading);
        /* An enter's word is 15 or 14 bits, in two bytes or three. */
        assert_int_equal(t.bytes.bytes[reading.offset[0]], (7000 << 1 & 0x7f) | 0x80);
        assert_int_equal(t.bytes.bytes[reading.offset[2]], (5000 << 1 & 0x7f) | 0x80);
        reading_release(&reading);
        build_release(&t);
    }
    build_release(&b);
    build_release(&a);
}

static void number_of_the_field_is_learned(void **state)
{
    static const unsigned numbers[] = {2, 123, 129, 100000};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct trace_builder t;
        struct reading reading;
        begin(&t);
        add_dump(&t, app,
                 (struct carried){.process_id = 100, .name = "com.app\0--x", .number = numbers[i]});
        add_dump(&t, server,
                 (struct carried){.process_id = 200, .name = "server\0--x", .number = numbers[i]});
        /* The same field without a header, before the process had any, and another field. */
        add_packet(&t, (struct carried){(const uint8_t *)"\2", 1, 100, NULL, 99});
        read_built(&reading, &t.bytes);
        expect_two(&reading);
        reading_release(&reading);
        build_release(&t);
    }
}

static void methods_described_alike_are_one(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct dumped other = server;
    other.address = BAR_ADDRESS;
    other.method = app.method;
    begin(&t);
    add_dump(&t, app, (struct carried){.process_id = 100});
    add_dump(&t, other, (struct carried){.process_id = 200});
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.trace.method_count, 1);
    assert_int_equal(reading.key_action[0], reading.key_action[2]);
    assert_int_equal(method_at(&reading, 2).id, FOO_ADDRESS);
    reading_release(&reading);
    build_release(&t);
}

static void methods_described_alike_are_one_beside_others_of_their_hash(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    for (uint32_t process = 0; process < 4; process++) {
        char text[] = "0123456789abcdef\tfoo\t()V\tB.java";
        struct dumped dumped = app;
        colliding_printable_head(text, sizeof(text) - 1, process % 2);
        dumped.thread += process;
        dumped.method = text;
        add_dump(&t, dumped, (struct carried){.process_id = 100 + process});
    }
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.trace.method_count, 2);
    reading_release(&reading);
    build_release(&t);
}

/* An address that nothing in its own process describes is none of another's. */
static void undescribed_address_is_no_other_process_s_method(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    struct dumped other = server;
    other.method = NULL;
    begin(&t);
    add_dump(&t, app, (struct carried){.process_id = 100});
    add_dump(&t, other, (struct carried){.process_id = 200});
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    expect_str(method_at(&reading, 0).class_name, "a.B");
    expect_str(method_at(&reading, 2).class_name, "");
    assert_int_equal(method_at(&reading, 2).id, FOO_ADDRESS | 1);
    reading_release(&reading);
    build_release(&t);
}

/* Ids of threads are used again when a process ends; a damaged one may have any. */
static void thread_ids_of_two_processes_are_told_apart(void **state)
{
    static const uint32_t ids[] = {11, 0, UINT32_C(1) << 31, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct trace_builder t;
        struct reading reading;
        struct dumped first = app;
        struct dumped second = server;
        first.thread = second.thread = ids[i];
        begin(&t);
        add_dump(&t, first, (struct carried){.process_id = 100});
        add_dump(&t, second, (struct carried){.process_id = 200});
        read_built(&reading, &t.bytes);
        expect_ok(&reading);
        assert_int_equal(reading.trace.thread_count, 2);
        assert_int_not_equal(reading.thread[0], reading.thread[2]);
        assert_int_equal(reading.thread[2], reading.thread[3]);
        assert_int_equal(process_of(&reading, reading.thread[0]), 0);
        assert_int_equal(process_of(&reading, reading.thread[2]), 1);
        expect_str(reading.trace.threads[1].name, "binder");
        assert_int_equal(reading.trace.threads[1].id, reading.thread[2]);
        reading_release(&reading);
        build_release(&t);
    }
}

static void one_process_is_that_of_the_trace(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    add_dump(&t, app, (struct carried){.process_id = 100});
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_true(reading.trace.has_pid);
    assert_int_equal(reading.trace.pid, 100);
    reading_release(&reading);
    build_release(&t);
}

static void dumps_without_a_process_id_are_processes_of_their_own(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    add_dump(&t, app, (struct carried){.name = "com.app\0--x"});
    add_dump(&t, server, (struct carried){.name = "server\0--x"});
    read_built(&reading, &t.bytes);
    expect_ok(&reading);
    assert_int_equal(reading.trace.process_count, 2);
    expect_str(reading.trace.processes[1].name, "server");
    assert_false(reading.trace.has_pid);
    reading_release(&reading);
    build_release(&t);
}

/* At whichever byte the file ends: what is whole is read, and the rest is told. */
static void any_cut_is_survived(void **state)
{
    (void)state;
    struct trace_builder t;
    size_t first;
    begin(&t);
    add_dump(&t, app, (struct carried){.process_id = 100});
    first = t.bytes.len;
    add_dump(&t, server, (struct carried){.process_id = 200});
    for (size_t len = first; len <= t.bytes.len; len++) {
        struct reading reading;
        read_bytes(&reading, t.bytes.bytes, len, NULL);
        expect_ok(&reading);
        assert_true(reading.count >= 2);
        /* The first byte of a packet alone looks like a line end. */
        bool is_whole = len == first || len == first + 1 || len == t.bytes.len;
        assert_int_equal(reading.trace.findings.of[TV_FINDING_TRUNCATED_RECORD].count > 0,
                         !is_whole);
        reading_release(&reading);
    }
    build_release(&t);
}

static void other_perfetto_traces_are_named(void **state)
{
    (void)state;
    struct trace_builder t;
    struct reading reading;
    begin(&t);
    for (int i = 0; i < 5; i++)
        add_other(&t);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FOREIGN, TV_NO_OFFSET, "a Perfetto trace, not a method trace");
    reading_release(&reading);
    /* The field of dumps, as upstream uses its number today. */
    add_field(&t, 1, "\x8a\x08\x04\x08\1\x10\2", 7);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FOREIGN, TV_NO_OFFSET, "a Perfetto trace, not a method trace");
    reading_release(&reading);
    add_field(&t, 1, "\x92\x03\2zz", 5);
    read_built(&reading, &t.bytes);
    expect_error(&reading, TV_ERR_FOREIGN, TV_NO_OFFSET, "traceview FILE");
    reading_release(&reading);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_process_has_its_threads_and_methods),
        cmocka_unit_test(pieces_are_joined_by_process),
        cmocka_unit_test(number_of_the_field_is_learned),
        cmocka_unit_test(methods_described_alike_are_one),
        cmocka_unit_test(methods_described_alike_are_one_beside_others_of_their_hash),
        cmocka_unit_test(undescribed_address_is_no_other_process_s_method),
        cmocka_unit_test(thread_ids_of_two_processes_are_told_apart),
        cmocka_unit_test(one_process_is_that_of_the_trace),
        cmocka_unit_test(dumps_without_a_process_id_are_processes_of_their_own),
        cmocka_unit_test(any_cut_is_survived),
        cmocka_unit_test(other_perfetto_traces_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
