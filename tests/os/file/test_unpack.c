/* os/file/unpack: packets of a Perfetto trace that are packed inside it, in a plain and in a packed
 * file, cut, damaged and boundless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>
#include <zstd.h>

#include "os/file/unpack.h"

#include "base/error.h"

enum { PACKET = 1, BY_ZLIB = 50, BY_ZSTD = 133 };

static void put_varint(struct tv_buffer *out, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        assert_int_equal(tv_buffer_append(out, &byte, 1, NULL), TV_OK);
        value >>= 7;
    } while (value);
}

static void put_field(struct tv_buffer *out, uint64_t number, const void *bytes, size_t len)
{
    put_varint(out, number << 3 | 2);
    put_varint(out, len);
    assert_int_equal(tv_buffer_append(out, bytes, len, NULL), TV_OK);
}

/* A packet of `len` bytes of another data source. */
static void put_plain(struct tv_buffer *out, uint8_t byte, size_t len)
{
    struct tv_buffer payload, packet;
    uint8_t *at;
    tv_buffer_init(&payload, tv_alloc_libc());
    tv_buffer_init(&packet, tv_alloc_libc());
    assert_int_equal(tv_buffer_extend(&payload, len, &at, NULL), TV_OK);
    memset(at, byte, len);
    put_field(&packet, 33, payload.bytes, payload.len);
    put_field(out, PACKET, packet.bytes, packet.len);
    tv_buffer_release(&packet);
    tv_buffer_release(&payload);
}

/* A packet that holds the packets in `inside`, packed. */
static void put_packed(struct tv_buffer *out, uint64_t number, const struct tv_buffer *inside)
{
    static uint8_t room[1 << 20];
    struct tv_buffer packet;
    size_t len = 0;
    if (number == BY_ZLIB) {
        uLongf packed = sizeof(room);
        assert_int_equal(compress(room, &packed, inside->bytes, inside->len), Z_OK);
        len = packed;
    } else {
        len = ZSTD_compress(room, sizeof(room), inside->bytes, inside->len, 1);
        assert_false(ZSTD_isError(len));
    }
    tv_buffer_init(&packet, tv_alloc_libc());
    put_field(&packet, number, room, len);
    put_field(out, PACKET, packet.bytes, packet.len);
    tv_buffer_release(&packet);
}

/* A trace of packets, some of them packed in `made`, and plain in `plain`. */
static void make(uint64_t number, struct tv_buffer *made, struct tv_buffer *plain)
{
    struct tv_buffer inside;
    tv_buffer_init(made, tv_alloc_libc());
    tv_buffer_init(plain, tv_alloc_libc());
    put_plain(made, 1, 100);
    put_plain(plain, 1, 100);
    for (uint8_t i = 0; i < 3; i++) {
        tv_buffer_init(&inside, tv_alloc_libc());
        put_plain(&inside, 2, 70000);
        put_plain(&inside, i, 5);
        put_packed(made, number, &inside);
        assert_int_equal(tv_buffer_append(plain, inside.bytes, inside.len, NULL), TV_OK);
        put_plain(made, 3, 200);
        put_plain(plain, 3, 200);
        tv_buffer_release(&inside);
    }
}

static void test_packets(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {BY_ZLIB, BY_ZSTD};
    for (size_t i = 0; i < 2; i++) {
        struct tv_buffer made, plain, out;
        bool is_cut;
        make(numbers[i], &made, &plain);
        tv_buffer_init(&out, tv_alloc_libc());
        assert_true(tv_is_packed(made.bytes, made.len));
        assert_false(tv_is_packed(plain.bytes, plain.len));
        assert_int_equal(tv_unpack(made.bytes, made.len, NULL, &out, &is_cut, NULL), TV_OK);
        assert_false(is_cut);
        assert_int_equal(out.len, plain.len);
        assert_memory_equal(out.bytes, plain.bytes, plain.len);
        tv_buffer_release(&out);
        tv_buffer_release(&plain);
        tv_buffer_release(&made);
    }
}

/* The whole file may be packed, too, and what stands in front of it in `out` stays. */
static void test_packed_file(void **state)
{
    (void)state;
    static uint8_t room[1 << 16];
    struct tv_buffer made, plain, out;
    bool is_cut;
    make(BY_ZLIB, &made, &plain);
    size_t len = ZSTD_compress(room, sizeof(room), made.bytes, made.len, 1);
    assert_false(ZSTD_isError(len));
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_buffer_append(&out, "abc", 3, NULL), TV_OK);
    assert_int_equal(tv_unpack(room, len, NULL, &out, &is_cut, NULL), TV_OK);
    assert_int_equal(out.len, plain.len + 3);
    assert_memory_equal(out.bytes, "abc", 3);
    assert_memory_equal(out.bytes + 3, plain.bytes, plain.len);
    tv_buffer_release(&out);
    tv_buffer_release(&plain);
    tv_buffer_release(&made);
}

/* Wherever the file ends, what came before is there, and nothing else; a packed packet that ends
 * early is told. */
static void test_cut(void **state)
{
    (void)state;
    struct tv_buffer made, plain;
    make(BY_ZSTD, &made, &plain);
    for (size_t len = 150; len < made.len; len++) {
        struct tv_buffer out;
        bool is_cut;
        tv_buffer_init(&out, tv_alloc_libc());
        enum tv_code code = tv_unpack(made.bytes, len, NULL, &out, &is_cut, NULL);
        assert_int_equal(code, TV_OK);
        assert_true(out.len <= plain.len);
        /* a cut packet of plain bytes has the length of the whole one in front */
        size_t same = out.len < 200 ? 0 : out.len - 200;
        if (same)
            assert_memory_equal(out.bytes, plain.bytes, same);
        tv_buffer_release(&out);
    }
    tv_buffer_release(&plain);
    tv_buffer_release(&made);
}

static void test_damaged(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {BY_ZLIB, BY_ZSTD};
    for (size_t i = 0; i < 2; i++) {
        struct tv_buffer made, out;
        struct tv_error err;
        bool is_cut;
        tv_buffer_init(&made, tv_alloc_libc());
        tv_buffer_init(&out, tv_alloc_libc());
        put_plain(&made, 1, 100);
        struct tv_buffer packet;
        tv_buffer_init(&packet, tv_alloc_libc());
        put_field(&packet, numbers[i], "no packed bytes", 15);
        put_field(&made, PACKET, packet.bytes, packet.len);
        assert_int_equal(tv_unpack(made.bytes, made.len, NULL, &out, &is_cut, &err), TV_ERR_FORMAT);
        assert_true(err.offset >= made.len - 15);
        tv_buffer_release(&packet);
        tv_buffer_release(&out);
        tv_buffer_release(&made);
    }
}

/* Many packets that each stay below the bound are over it together. */
static void test_bound(void **state)
{
    (void)state;
    const struct tv_inflate_opts opts = {.most_len = 100000};
    struct tv_buffer made, plain, out;
    struct tv_error err;
    bool is_cut;
    make(BY_ZLIB, &made, &plain);
    tv_buffer_init(&out, tv_alloc_libc());
    assert_int_equal(tv_unpack(made.bytes, made.len, &opts, &out, &is_cut, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "its packets unpack to more than"));
    assert_true(out.len <= 3 * opts.most_len);
    tv_buffer_release(&out);
    tv_buffer_release(&plain);
    tv_buffer_release(&made);
}

/* A window that would take too much memory is told as that, and where. */
static void test_window(void **state)
{
    (void)state;
    /* No length is told, and the window is 2 GiB. */
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00};
    struct tv_buffer packet, made, out;
    struct tv_error err;
    bool is_cut;
    tv_buffer_init(&packet, tv_alloc_libc());
    tv_buffer_init(&made, tv_alloc_libc());
    tv_buffer_init(&out, tv_alloc_libc());
    put_plain(&made, 1, 100);
    put_field(&packet, BY_ZSTD, frame, sizeof(frame));
    put_field(&made, PACKET, packet.bytes, packet.len);
    assert_int_equal(tv_unpack(made.bytes, made.len, NULL, &out, &is_cut, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "needs more memory to unpack"));
    assert_true(err.offset >= made.len - sizeof(frame) && err.offset < made.len);
    tv_buffer_release(&out);
    tv_buffer_release(&made);
    tv_buffer_release(&packet);
}

/* No other bytes are taken for such a trace. */
static void test_others(void **state)
{
    (void)state;
    static const char *const texts[] = {"*version\n3\n", "SLOW\x03", "\n", "{\"a\":1}",
                                        "\x0a\x02\x40\x07"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct tv_buffer out;
        bool is_cut;
        tv_buffer_init(&out, tv_alloc_libc());
        assert_false(tv_is_packed((const uint8_t *)texts[i], strlen(texts[i])));
        assert_int_equal(
            tv_unpack((const uint8_t *)texts[i], strlen(texts[i]), NULL, &out, &is_cut, NULL),
            TV_OK);
        assert_int_equal(out.len, 0);
        tv_buffer_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets), cmocka_unit_test(test_packed_file),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_bound),   cmocka_unit_test(test_window),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
