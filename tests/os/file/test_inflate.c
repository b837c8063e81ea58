/* os/inflate: gzip with members, zstd with frames, cut, damaged and boundless input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>
#include <zstd.h>

#include "os/file/inflate.h"

#include "base/error.h"
#include "support/failing_alloc.h"

#define PLAIN_LEN ((size_t)300000)

/* Text that packs well, but not to nothing. */
static void fill_plain(uint8_t *plain)
{
    uint32_t seed = 7;
    for (size_t i = 0; i < PLAIN_LEN; i++) {
        seed = seed * 1664525u + 1013904223u;
        plain[i] = (uint8_t)((uint8_t) "traceview"[i % 9] + (seed >> 30));
    }
}

static void pack_gzip(const uint8_t *bytes, size_t len, struct tv_buffer *out)
{
    z_stream stream = {.zalloc = Z_NULL};
    uint8_t *at;
    uint8_t *input;
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&stream, len);
    assert_int_equal(tv_buffer_extend(out, bound, &at, NULL), TV_OK);
    memcpy(&input, &bytes, sizeof(input)); /* zlib's input is not const */
    stream.next_in = input;
    stream.avail_in = (uInt)len;
    stream.next_out = at;
    stream.avail_out = (uInt)bound;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out->len -= stream.avail_out;
    (void)deflateEnd(&stream);
}

static void pack_zstd(const uint8_t *bytes, size_t len, struct tv_buffer *out)
{
    uint8_t *at;
    size_t bound = ZSTD_compressBound(len);
    assert_int_equal(tv_buffer_extend(out, bound, &at, NULL), TV_OK);
    size_t packed = ZSTD_compress(at, bound, bytes, len, 1);
    assert_false(ZSTD_isError(packed));
    out->len -= bound - packed;
}

typedef void (*packer)(const uint8_t *bytes, size_t len, struct tv_buffer *out);
static const packer packers[] = {pack_gzip, pack_zstd};

/* What every test needs. */
struct fixture {
    uint8_t plain[PLAIN_LEN];
    struct tv_buffer packed;
    struct tv_buffer out;
    bool is_cut;
    struct tv_error err;
};

static struct fixture shared;

static struct fixture *begin(void)
{
    fill_plain(shared.plain);
    tv_buffer_init(&shared.packed, tv_alloc_libc());
    tv_buffer_init(&shared.out, tv_alloc_libc());
    return &shared;
}

static void end(struct fixture *fix)
{
    tv_buffer_release(&fix->packed);
    tv_buffer_release(&fix->out);
}

static enum tv_code unpack(struct fixture *fix, size_t len, const struct tv_inflate_opts *opts)
{
    fix->out.len = 0;
    return tv_inflate(fix->packed.bytes, len, opts, &fix->out, &fix->is_cut, &fix->err);
}

static void several_parts_are_joined(void **state)
{
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(packers); i++) {
        struct fixture *fix = begin();
        packers[i](fix->plain, 1000, &fix->packed);
        packers[i](fix->plain + 1000, 0, &fix->packed);
        packers[i](fix->plain + 1000, PLAIN_LEN - 1000, &fix->packed);
        assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_OK);
        assert_false(fix->is_cut);
        assert_int_equal(fix->out.len, PLAIN_LEN);
        assert_memory_equal(fix->out.bytes, fix->plain, PLAIN_LEN);
        end(fix);
    }
}

static void cut_anywhere_gives_what_came_before(void **state)
{
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(packers); i++) {
        struct fixture *fix = begin();
        packers[i](fix->plain, PLAIN_LEN, &fix->packed);
        for (size_t len = 4; len < fix->packed.len; len += fix->packed.len / 50) {
            assert_int_equal(unpack(fix, len, NULL), TV_OK);
            assert_true(fix->is_cut);
            assert_true(fix->out.len <= PLAIN_LEN);
            assert_memory_equal(fix->out.bytes, fix->plain, fix->out.len);
        }
        end(fix);
    }
}

static void damage_is_told(void **state)
{
    (void)state;
    struct fixture *fix = begin();
    pack_gzip(fix->plain, PLAIN_LEN, &fix->packed);
    memset(fix->packed.bytes + fix->packed.len / 2, 0xff, 64);
    assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_ERR_FORMAT);
    assert_non_null(strstr(fix->err.text, "damaged gzip data"));
    end(fix);
}

static void wrong_checksum_is_damage(void **state)
{
    (void)state;
    struct fixture *fix = begin();
    pack_gzip(fix->plain, PLAIN_LEN, &fix->packed);
    fix->packed.bytes[fix->packed.len - 6] ^= 1;
    assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_ERR_FORMAT);
    end(fix);
}

static void more_than_the_bound_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(packers); i++) {
        struct fixture *fix = begin();
        packers[i](fix->plain, PLAIN_LEN, &fix->packed);
        struct tv_inflate_opts opts = {.most_len = PLAIN_LEN - 1};
        assert_int_equal(unpack(fix, fix->packed.len, &opts), TV_ERR_LIMIT);
        opts.most_len = PLAIN_LEN;
        assert_int_equal(unpack(fix, fix->packed.len, &opts), TV_OK);
        end(fix);
    }
}

static void a_bomb_is_refused_in_time(void **state)
{
    (void)state;
    struct fixture *fix = begin();
    struct tv_buffer zeros;
    uint8_t *at;
    tv_buffer_init(&zeros, tv_alloc_libc());
    assert_int_equal(tv_buffer_extend(&zeros, (size_t)200 << 20, &at, NULL), TV_OK);
    memset(at, 0, zeros.len);
    pack_zstd(zeros.bytes, zeros.len, &fix->packed);
    tv_buffer_release(&zeros);
    assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_ERR_LIMIT);
    /* Where no option lifts the bound, whoever opens the file says what does. */
    const struct tv_inflate_opts of_page = {.way_out = "unpack it"};
    assert_int_equal(unpack(fix, fix->packed.len, &of_page), TV_ERR_LIMIT);
    assert_non_null(strstr(fix->err.text, ": unpack it"));
    assert_null(strstr(fix->err.text, "--unpack-all"));
    const struct tv_inflate_opts trusting = {.is_trusted = true};
    assert_int_equal(unpack(fix, fix->packed.len, &trusting), TV_OK);
    end(fix);
}

/* A frame with that window, which needs none: one raw block of one byte. */
static void add_frame(struct fixture *fix, unsigned window_log)
{
    const uint8_t frame[] = {0x28,       0xb5, 0x2f, 0xfd, 0, (uint8_t)((window_log - 10) << 3),
                             1 << 3 | 1, 0,    0,    'a'};
    fix->packed.len = 0;
    assert_int_equal(tv_buffer_append(&fix->packed, frame, sizeof(frame), NULL), TV_OK);
}

static void large_windows_count_as_memory(void **state)
{
    const struct tv_inflate_opts trusting = {.is_trusted = true};
    const struct tv_inflate_opts with_room = {.most_len = (uint64_t)1 << 28};
    (void)state;
    struct fixture *fix = begin();
    add_frame(fix, 27);
    assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_OK);
    add_frame(fix, 28);
    assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_ERR_LIMIT);
    assert_int_equal(unpack(fix, fix->packed.len, &with_room), TV_OK);
    add_frame(fix, 29);
    assert_int_equal(unpack(fix, fix->packed.len, &with_room), TV_ERR_LIMIT);
    add_frame(fix, 31);
    assert_int_equal(unpack(fix, fix->packed.len, &trusting), TV_OK);
    end(fix);
}

static bool cancel(void *ctx, uint64_t done, uint64_t of)
{
    (void)ctx;
    return done > of;
}

static void progress_may_cancel(void **state)
{
    (void)state;
    struct fixture *fix = begin();
    struct tv_inflate_opts opts = {.progress = cancel};
    pack_gzip(fix->plain, PLAIN_LEN, &fix->packed);
    assert_int_equal(unpack(fix, fix->packed.len, &opts), TV_ERR_CANCELLED);
    end(fix);
}

static void padding_behind_a_member_is_ignored(void **state)
{
    (void)state;
    struct fixture *fix = begin();
    pack_gzip(fix->plain, 1000, &fix->packed);
    assert_int_equal(tv_buffer_append(&fix->packed, "\0\0\0\0\0\0", 6, NULL), TV_OK);
    assert_int_equal(unpack(fix, fix->packed.len, NULL), TV_OK);
    assert_false(fix->is_cut);
    assert_int_equal(fix->out.len, 1000);
    end(fix);
}

static enum tv_code inflate_packed(const struct tv_alloc *alloc, void *ctx)
{
    const struct tv_buffer *packed = ctx;
    struct tv_buffer out;
    bool is_cut;
    tv_buffer_init(&out, alloc);
    enum tv_code code = tv_inflate(packed->bytes, packed->len, NULL, &out, &is_cut, NULL);
    tv_buffer_release(&out);
    return code;
}

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    struct fixture *fix = begin();
    pack_gzip(fix->plain, PLAIN_LEN, &fix->packed);
    (void)failing_alloc_each(inflate_packed, &fix->packed);
    end(fix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_parts_are_joined),
        cmocka_unit_test(cut_anywhere_gives_what_came_before),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(wrong_checksum_is_damage),
        cmocka_unit_test(more_than_the_bound_is_refused),
        cmocka_unit_test(a_bomb_is_refused_in_time),
        cmocka_unit_test(large_windows_count_as_memory),
        cmocka_unit_test(progress_may_cancel),
        cmocka_unit_test(padding_behind_a_member_is_ignored),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests_name("os/inflate", tests, NULL, NULL);
}
