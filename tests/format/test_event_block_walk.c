/* From block to block: what lies between them, sums that go on, blocks that are cut or broken. */
#include "format/event_block_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/wire.h"
#include "packet_builder.h"

#define HEAD 12u /* bytes of a block's header */

struct walked {
    struct tv_map known;
    struct tv_block_walk walk;
    size_t count;
    uint32_t thread[64];
    uint64_t word[64];
    uint64_t wall[64];
    size_t offset[64];
};

static void walk_all(struct walked *w, const struct trace_builder *t, size_t end, size_t raw_cap,
                     enum tv_block_layout layout)
{
    static struct tv_raw raw;
    *w = (struct walked){.count = 0};
    tv_map_init(&w->known, tv_alloc_libc());
    assert_int_equal(tv_map_put(&w->known, FOO_ADDRESS, 0, NULL), TV_OK);
    assert_int_equal(tv_map_put(&w->known, BAR_ADDRESS, 1, NULL), TV_OK);
    tv_block_walk_start(&w->walk, &w->known, layout, t->bytes.bytes, TV_WIRE_HEADER, end);
    while (tv_block_walk_next(&w->walk, &raw, raw_cap)) {
        assert_true(raw.count > 0 && raw.count <= raw_cap);
        for (size_t i = 0; i < raw.count; i++, w->count++) {
            w->thread[w->count] = raw.thread_id;
            w->word[w->count] = raw.method_id[i] | raw.action[i];
            w->wall[w->count] = raw.time[TV_CLOCK_WALL][i];
            w->offset[w->count] = raw.offset[i];
        }
    }
    assert_false(tv_block_walk_next(&w->walk, &raw, raw_cap)); /* the end stays the end */
    tv_map_release(&w->known);
}

static struct block_builder call_of(uint64_t method, uint64_t at)
{
    struct block_builder block = {.len = 0};
    add_single(&block, method, at);
    add_single(&block, method | LEAVE, at + 10);
    return block;
}

static void blocks_are_found_among_other_packets(void **state)
{
    (void)state;
    static const size_t caps[] = {TV_RAW_CAP, 1};
    struct trace_builder t;
    struct block_builder first = call_of(FOO_ADDRESS, 100);
    struct block_builder second = call_of(BAR_ADDRESS, 50);
    build_packets(&t, 4, 0);
    packet_block(&t, TID, &first);
    packet_tables(&t);
    packet_block(&t, 9, &(struct block_builder){.len = 0});
    packet_block(&t, 7, &second);
    for (size_t i = 0; i < 2; i++) {
        static struct walked w;
        walk_all(&w, &t, t.bytes.len, caps[i], TV_BLOCK_WALL);
        assert_int_equal(w.count, 4);
        assert_int_equal(w.thread[1], TID);
        assert_int_equal(w.thread[2], 7);
        assert_true(w.word[2] == BAR_ADDRESS);
        assert_int_equal(w.wall[3], 60);
        assert_int_equal(w.offset[0], TV_WIRE_HEADER + HEAD);
        assert_int_equal(w.offset[2], t.last_off + HEAD);
        assert_int_equal(w.walk.broken_count, 0);
    }
    build_release(&t);
}

/* A block of known methods, then one whose first word is known only when it goes on. */
static void build_continued(struct trace_builder *t, uint32_t second_thread)
{
    struct block_builder first = {.len = 0};
    build_packets(t, 4, 0);
    add_single(&first, FOO_ADDRESS, 1000);
    packet_block(t, TID, &first);
    struct block_builder second = {.word = first.word, .wall = first.wall};
    add_single(&second, BAR_ADDRESS, 1200);
    packet_block(t, second_thread, &second);
}

static void sums_go_on_within_a_thread_where_that_names_a_method(void **state)
{
    (void)state;
    static struct walked w;
    struct trace_builder t;
    build_continued(&t, TID);
    walk_all(&w, &t, t.bytes.len, TV_RAW_CAP, TV_BLOCK_WALL);
    assert_true(w.word[1] == BAR_ADDRESS);
    assert_int_equal(w.wall[1], 1200);
    build_release(&t);
    build_continued(&t, 9); /* another thread's block counts from zero */
    walk_all(&w, &t, t.bytes.len, TV_RAW_CAP, TV_BLOCK_WALL);
    assert_true(w.word[1] == BAR_ADDRESS - FOO_ADDRESS);
    assert_int_equal(w.wall[1], 200);
    build_release(&t);
}

static void a_known_word_counts_from_zero(void **state)
{
    (void)state;
    static struct walked w;
    struct trace_builder t;
    struct block_builder first = call_of(FOO_ADDRESS, 1000);
    struct block_builder second = call_of(FOO_ADDRESS, 30);
    build_packets(&t, 4, 0);
    packet_block(&t, TID, &first);
    packet_block(&t, TID, &second);
    walk_all(&w, &t, t.bytes.len, TV_RAW_CAP, TV_BLOCK_WALL);
    assert_int_equal(w.wall[2], 30);
    build_release(&t);
}

static void a_broken_block_is_counted_and_gone_past(void **state)
{
    (void)state;
    static struct walked w;
    struct trace_builder t;
    struct block_builder broken = call_of(FOO_ADDRESS, 100);
    struct block_builder fine = call_of(BAR_ADDRESS, 100);
    broken.len--;
    build_packets(&t, 4, 0);
    packet_block(&t, TID, &broken);
    size_t off = t.last_off;
    packet_block(&t, TID, &broken);
    packet_block(&t, TID, &fine);
    walk_all(&w, &t, t.bytes.len, TV_RAW_CAP, TV_BLOCK_WALL);
    assert_int_equal(w.count, 1 + 1 + 2);
    assert_int_equal(w.walk.broken_count, 2);
    assert_int_equal(w.walk.broken_off, off + HEAD + broken.len - 1); /* the second record's */
    assert_true(w.word[2] == BAR_ADDRESS); /* which did not go on from a broken one */
    build_release(&t);
}

static void a_block_that_the_file_cuts_is_not_broken(void **state)
{
    (void)state;
    struct trace_builder t;
    struct block_builder block = call_of(FOO_ADDRESS, 100);
    build_packets(&t, 4, 0);
    packet_block(&t, TID, &block);
    size_t before = 0;
    for (size_t end = TV_WIRE_HEADER; end <= t.bytes.len; end++) {
        static struct walked w;
        walk_all(&w, &t, end, TV_RAW_CAP, TV_BLOCK_WALL);
        assert_int_equal(w.walk.broken_count, 0);
        assert_true(w.count == before || w.count == before + 1);
        before = w.count;
    }
    assert_int_equal(before, 2);
    build_release(&t);
}

static void blocks_with_bare_exits_never_go_on(void **state)
{
    (void)state;
    static struct walked w;
    struct trace_builder t;
    struct block_builder first = {.len = 0};
    build_packets(&t, 4, 0);
    add_ticks(&first, 100, ENTER, FOO_ADDRESS);
    packet_block(&t, TID, &first);
    struct block_builder second = {.wall = first.wall, .word = first.word};
    add_ticks(&second, 120, ENTER, BAR_ADDRESS);
    packet_block(&t, TID, &second);
    walk_all(&w, &t, t.bytes.len, TV_RAW_CAP, TV_BLOCK_TICKS);
    assert_int_equal(w.wall[1], 20);
    assert_true(w.word[1] == BAR_ADDRESS - FOO_ADDRESS);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_among_other_packets),
        cmocka_unit_test(sums_go_on_within_a_thread_where_that_names_a_method),
        cmocka_unit_test(a_known_word_counts_from_zero),
        cmocka_unit_test(a_broken_block_is_counted_and_gone_past),
        cmocka_unit_test(a_block_that_the_file_cuts_is_not_broken),
        cmocka_unit_test(blocks_with_bare_exits_never_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
