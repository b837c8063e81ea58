/* One packet at a time: what each kind has, and where a file may end inside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/packet.h"
#include "packet_builder.h"
#include "reading.h"

static struct trace_builder built;

static void begin(void)
{
    built = (struct trace_builder){.header_off = 0};
    tv_buffer_init(&built.bytes, tv_alloc_libc());
    build_str(&built, "xx"); /* packets begin anywhere */
}

/* The packet behind those two bytes, in a file of `len` bytes after them. */
static enum tv_packet_step take(size_t len, struct tv_packet *packet, size_t *end)
{
    struct tv_cursor cursor = {.bytes = built.bytes.bytes, .len = 2 + len, .pos = 2};
    enum tv_packet_step step = tv_packet_take(&cursor, packet);
    *end = cursor.pos;
    return step;
}

/* Every beginning of the packet is cut, and takes nothing. */
static void expect_cut_below(size_t len)
{
    struct tv_packet packet;
    size_t end;
    for (size_t i = 1; i < len; i++) {
        assert_int_equal(take(i, &packet, &end), TV_PACKET_CUT);
        assert_int_equal(end, 2);
    }
}

static void thread_has_an_id_and_a_name(void **state)
{
    struct tv_packet packet;
    size_t end;
    (void)state;
    begin();
    packet_thread(&built, TID, "main");
    size_t len = built.bytes.len - 2;
    expect_cut_below(len);
    assert_int_equal(take(len, &packet, &end), TV_PACKET_TAKEN);
    assert_int_equal(end, 2 + len);
    assert_int_equal(packet.kind, TV_PACKET_THREAD);
    assert_int_equal(packet.off, 2);
    assert_int_equal(packet.thread_id, TID);
    expect_str(packet.text, "main");
    assert_false(packet.is_cut);
    build_release(&built);
}

static void method_has_an_id_and_a_line_without_its_newline(void **state)
{
    static const char *const lines[] = {"a.B\tfoo\t()V\tB.java\n", "a.B\tfoo\t()V\tB.java", "\n",
                                        "", "\n\n"};
    static const char *const texts[] = {"a.B\tfoo\t()V\tB.java", "a.B\tfoo\t()V\tB.java", "", "",
                                        "\n"};
    struct tv_packet packet;
    size_t end;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        begin();
        packet_method(&built, FOO_ADDRESS, lines[i]);
        size_t len = built.bytes.len - 2;
        expect_cut_below(len);
        assert_int_equal(take(len, &packet, &end), TV_PACKET_TAKEN);
        assert_int_equal(end, 2 + len);
        assert_int_equal(packet.kind, TV_PACKET_METHOD);
        assert_int_equal(packet.method_id, FOO_ADDRESS);
        expect_str(packet.text, texts[i]);
        build_release(&built);
    }
}

/* The records may be cut, the header not. */
static void block_goes_as_far_as_the_file(void **state)
{
    struct block_builder block = {.len = 0};
    struct tv_packet packet;
    size_t end;
    (void)state;
    add_long(&block, 1000000, FOO_ADDRESS);
    add_long(&block, 2000000, 0);
    begin();
    block.count = 0x0201;
    packet_block(&built, TID, &block);
    built.bytes.bytes[2 + 7] = 3; /* the count has three bytes */
    size_t len = built.bytes.len - 2;
    size_t header = len - block.len;
    expect_cut_below(header);
    for (size_t i = header; i <= len; i++) {
        assert_int_equal(take(i, &packet, &end), TV_PACKET_TAKEN);
        assert_int_equal(end, 2 + i);
        assert_int_equal(packet.kind, TV_PACKET_BLOCK);
        assert_int_equal(packet.thread_id, TID);
        assert_int_equal(packet.count, 0x030201);
        assert_int_equal(packet.payload_pos, 2 + header);
        assert_int_equal(packet.payload_len, i - header);
        assert_int_equal(packet.is_cut, i < len);
    }
    build_release(&built);
}

static void summary_goes_as_far_as_the_file(void **state)
{
    struct tv_packet packet;
    size_t end;
    (void)state;
    begin();
    packet_summary(&built, 4, "clock=dual\n");
    size_t len = built.bytes.len - 2;
    expect_cut_below(3);
    for (size_t i = 3; i <= len; i++) {
        assert_int_equal(take(i, &packet, &end), TV_PACKET_TAKEN);
        assert_int_equal(end, 2 + i);
        assert_int_equal(packet.kind, TV_PACKET_SUMMARY);
        assert_int_equal(packet.text.len, i - 3);
        assert_int_equal(packet.is_cut, i < len);
    }
    build_release(&built);
}

static void other_kinds_are_no_packets(void **state)
{
    struct tv_packet packet;
    size_t end;
    (void)state;
    for (unsigned kind = 4; kind <= 255; kind++) {
        begin();
        build_bytes(&built, &(uint8_t){(uint8_t)kind}, 1);
        build_str(&built, "0123456789abcdef");
        assert_int_equal(take(17, &packet, &end), TV_PACKET_DERAILED);
        assert_int_equal(end, 2);
        build_release(&built);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_has_an_id_and_a_name),
        cmocka_unit_test(method_has_an_id_and_a_line_without_its_newline),
        cmocka_unit_test(block_goes_as_far_as_the_file),
        cmocka_unit_test(summary_goes_as_far_as_the_file),
        cmocka_unit_test(other_kinds_are_no_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
