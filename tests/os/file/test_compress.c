/* What is packed comes back. */
#include "os/file/compress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"

static void names_say_how_to_pack(void **state)
{
    (void)state;
    assert_int_equal(tv_packing_of_name("a.trace"), TV_PACKING_NONE);
    assert_int_equal(tv_packing_of_name("a.gz.trace"), TV_PACKING_NONE);
    assert_int_equal(tv_packing_of_name(".gz"), TV_PACKING_NONE);
    assert_int_equal(tv_packing_of_name("a.trace.gz"), TV_PACKING_GZIP);
    assert_int_equal(tv_packing_of_name("/b/a.zst"), TV_PACKING_ZSTD);
}

/* In pieces of odd lengths; 1 MB that hardly packs, so that the room is filled many times. */
static void packed_bytes_unpack_to_the_same(void **state)
{
    (void)state;
    static uint8_t bytes[1000000];
    uint32_t word = 1;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        word = word * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(word >> 24);
    }
    static const enum tv_packing packings[] = {TV_PACKING_GZIP, TV_PACKING_ZSTD};
    static const size_t lens[] = {0, 1, sizeof(bytes)};
    static const enum tv_pack_effort efforts[] = {TV_PACK_SMALL, TV_PACK_QUICK, TV_PACK_SMALLER,
                                                  TV_PACK_SMALLEST};
    for (size_t i = 0; i < 24; i++) {
        size_t len = lens[i % 6 / 2];
        struct tv_buffer packed;
        struct tv_buffer unpacked;
        struct tv_compressor *pack;
        bool is_cut;
        tv_buffer_init(&packed, tv_alloc_libc());
        tv_buffer_init(&unpacked, tv_alloc_libc());
        assert_int_equal(tv_pack_new(&pack, tv_alloc_libc(), packings[i % 2], efforts[i / 6],
                                     tv_buffer_sink(&packed), NULL),
                         TV_OK);
        struct tv_sink sink = tv_pack_sink(pack);
        for (size_t at = 0; at < len;) {
            size_t part = at % 7919 + 1;
            part = part < len - at ? part : len - at;
            assert_int_equal(sink.write(sink.ctx, bytes + at, part, NULL), TV_OK);
            at += part;
        }
        assert_int_equal(tv_pack_finish(pack, NULL), TV_OK);
        tv_pack_free(pack);
        assert_int_equal(tv_packing_of(packed.bytes, packed.len), packings[i % 2]);
        assert_int_equal(tv_inflate(packed.bytes, packed.len, NULL, &unpacked, &is_cut, NULL),
                         TV_OK);
        assert_false(is_cut);
        assert_int_equal(unpacked.len, len);
        assert_memory_equal(unpacked.bytes, bytes, len);
        tv_buffer_release(&unpacked);
        tv_buffer_release(&packed);
    }
}

static enum tv_code refuse(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the disk is full");
}

static void a_sink_that_fails_is_told(void **state)
{
    (void)state;
    static const enum tv_packing packings[] = {TV_PACKING_GZIP, TV_PACKING_ZSTD};
    for (size_t i = 0; i < 2; i++) {
        struct tv_compressor *pack;
        struct tv_error err;
        struct tv_sink full = {.write = refuse};
        assert_int_equal(
            tv_pack_new(&pack, tv_alloc_libc(), packings[i], TV_PACK_SMALL, full, NULL), TV_OK);
        assert_int_equal(tv_pack_finish(pack, &err), TV_ERR_SYSTEM);
        assert_string_equal(err.text, "the disk is full");
        tv_pack_free(pack);
    }
}

static void without_a_packing_there_is_nothing_to_do(void **state)
{
    (void)state;
    struct tv_compressor *pack;
    struct tv_sink none = {.write = refuse};
    assert_int_equal(
        tv_pack_new(&pack, tv_alloc_libc(), TV_PACKING_NONE, TV_PACK_SMALL, none, NULL), TV_OK);
    assert_null(pack);
    tv_pack_free(pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_how_to_pack),
        cmocka_unit_test(packed_bytes_unpack_to_the_same),
        cmocka_unit_test(a_sink_that_fails_is_told),
        cmocka_unit_test(without_a_packing_there_is_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
