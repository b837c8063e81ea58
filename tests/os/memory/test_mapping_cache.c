/* os/pages: what was released serves what comes, and no more is mapped than was in use at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "os/memory/alloc.h"
#include "os/memory/mapping_cache.h"

#include "base/compiler.h"

#define SMALL TV_MAPPING_CACHE_LEAST_LEN
#define LARGE ((size_t)2 << 20)

static int begin(void **state)
{
    static struct tv_mapping_cache pages;
    tv_mapping_cache_init(&pages);
    *state = &pages;
    return 0;
}

static int end(void **state)
{
    tv_mapping_cache_release(*state);
    return 0;
}

static void released_block_serves_the_next(void **state)
{
    struct tv_mapping_cache *pages = *state;
    static const size_t lens[] = {SMALL, LARGE, 5 * LARGE};
    for (size_t i = 0; i < TV_COUNT_OF(lens); i++) {
        char *block = tv_mapping_cache_map(pages, lens[i]);
        assert_non_null(block);
        block[lens[i] - 1] = 77;
        tv_mapping_cache_unmap(pages, block, lens[i]);
        char *next = tv_mapping_cache_map(pages, lens[i]);
        assert_ptr_equal(next, block);
        assert_int_equal(next[lens[i] - 1], 77);
        tv_mapping_cache_unmap(NULL, next, lens[i]);
    }
    assert_int_equal(pages->count, 0);
}

static void expect_zeros(const char *block, size_t len)
{
    assert_int_equal(block[0], 0);
    assert_memory_equal(block, block + 1, len - 1);
}

/* What was kept is cleared; what is fresh is zeros, and no page of it is touched. */
static void zeroed_block_is_zeros(void **state)
{
    struct tv_mapping_cache *pages = *state;
    static const size_t lens[] = {SMALL, 3 * SMALL, LARGE, 5 * LARGE};
    for (size_t i = 0; i < TV_COUNT_OF(lens); i++) {
        char *block = tv_mapping_cache_map_zeroed(pages, lens[i]);
        assert_non_null(block);
        unsigned char is_there[1];
        assert_int_equal(mincore(block, 1, is_there), 0);
        assert_int_equal(is_there[0] & 1, 0);
        expect_zeros(block, lens[i]);
        memset(block, 77, lens[i]);
        tv_mapping_cache_unmap(pages, block, lens[i]);
        char *next = tv_mapping_cache_map_zeroed(pages, lens[i]);
        assert_ptr_equal(next, block);
        expect_zeros(next, lens[i]);
        tv_mapping_cache_unmap(NULL, next, lens[i]);
    }
}

static void one_block_serves_several(void **state)
{
    struct tv_mapping_cache *pages = *state;
    tv_mapping_cache_unmap(pages, tv_mapping_cache_map(pages, 4 * LARGE), 4 * LARGE);
    char *large = tv_mapping_cache_map(pages, 2 * LARGE);
    assert_int_equal(pages->len, 2 * LARGE);
    char *small = tv_mapping_cache_map(pages, 3 * SMALL);
    assert_int_equal(pages->len, 2 * LARGE - 3 * SMALL);
    char *other = tv_mapping_cache_map(pages, SMALL);
    assert_int_equal(pages->len, 2 * LARGE - 4 * SMALL);
    tv_mapping_cache_unmap(pages, small, 3 * SMALL);
    tv_mapping_cache_unmap(pages, large, 2 * LARGE);
    tv_mapping_cache_unmap(pages, other, SMALL);
    assert_int_equal(pages->len, 4 * LARGE);
    assert_int_equal(pages->count, 1); /* side by side again */
}

static void what_nothing_serves_takes_the_place_of_what_is_kept(void **state)
{
    struct tv_mapping_cache *pages = *state;
    char *first = tv_mapping_cache_map(pages, 2 * LARGE);
    char *apart = tv_mapping_cache_map(pages, LARGE);
    tv_mapping_cache_unmap(pages, first, 2 * LARGE);
    char *longer = tv_mapping_cache_map(pages, 3 * LARGE);
    assert_int_equal(pages->len, 0);
    tv_mapping_cache_unmap(NULL, apart, LARGE);
    tv_mapping_cache_unmap(NULL, longer, 3 * LARGE);
}

static void the_longest_is_not_kept_and_the_oldest_goes_first(void **state)
{
    struct tv_mapping_cache *pages = *state;
    tv_mapping_cache_unmap(pages, tv_mapping_cache_map(NULL, TV_MAPPING_CACHE_KEPT_LEN + LARGE),
                           TV_MAPPING_CACHE_KEPT_LEN + LARGE);
    assert_int_equal(pages->count, 0);
    char *blocks[TV_MAPPING_CACHE_KEPT_COUNT + 2];
    for (size_t i = 0; i < TV_COUNT_OF(blocks); i++) /* only each second is released: all apart */
        blocks[i] = tv_mapping_cache_map(NULL, i % 2 ? SMALL : LARGE);
    for (size_t i = 0; i < TV_COUNT_OF(blocks); i += 2)
        tv_mapping_cache_unmap(pages, blocks[i], LARGE);
    assert_in_range(pages->len, LARGE, TV_MAPPING_CACHE_KEPT_LEN);
    tv_mapping_cache_unmap(pages, tv_mapping_cache_map(NULL, TV_MAPPING_CACHE_KEPT_LEN),
                           TV_MAPPING_CACHE_KEPT_LEN);
    assert_int_equal(pages->count, 1);
    assert_int_equal(pages->len, TV_MAPPING_CACHE_KEPT_LEN);
    for (size_t i = 1; i < TV_COUNT_OF(blocks); i += 2)
        tv_mapping_cache_unmap(NULL, blocks[i], SMALL);
}

struct held {
    unsigned char *at;
    size_t len;
    unsigned char mark;
};

static size_t mapped_len(const struct held *held)
{
    return held->len >= TV_OS_MAP_LEN ? tv_mapping_cache_len(held->len) : 0;
}

static void check(const struct held *held, size_t len)
{
    for (size_t i = 0; i < len; i += 1021)
        assert_int_equal(held->at[i], held->mark);
    if (len && len == held->len)
        assert_int_equal(held->at[len - 1], held->mark);
}

/* Blocks of all lengths come, grow, shrink and go. */
static void content_survives_and_no_more_is_mapped_than_was_in_use(void **state)
{
    struct tv_mapping_cache *pages = *state;
    const struct tv_alloc alloc = tv_os_alloc_with(pages);
    struct held held[12] = {{0}};
    uint64_t random = 1;
    size_t in_use = 0;
    size_t most = 0;
    for (unsigned step = 0; step < 1500; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        struct held *of = &held[(random >> 33) % TV_COUNT_OF(held)];
        size_t bits = 14 + (random >> 40) % 9;
        size_t len = (random >> 60) < 5 ? 0 : ((size_t)1 << bits) + (random >> 44 & 0x3fff);
        if (len != of->len) {
            in_use -= mapped_len(of);
            unsigned char *at = alloc.resize(alloc.ctx, of->at, of->len, len);
            assert_true(!len || at);
            struct held now = {at, len, of->mark};
            check(&now, of->len < len ? of->len : len);
            now.mark = (unsigned char)step;
            if (len)
                memset(at, now.mark, len);
            *of = now;
            in_use += mapped_len(of);
        }
        most = in_use > most ? in_use : most;
        assert_true(in_use + pages->len <= most);
        for (size_t i = 0; i < TV_COUNT_OF(held); i++)
            check(&held[i], held[i].len);
    }
    for (size_t i = 0; i < TV_COUNT_OF(held); i++)
        assert_null(alloc.resize(alloc.ctx, held[i].at, held[i].at ? held[i].len : 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(released_block_serves_the_next, begin, end),
        cmocka_unit_test_setup_teardown(zeroed_block_is_zeros, begin, end),
        cmocka_unit_test_setup_teardown(one_block_serves_several, begin, end),
        cmocka_unit_test_setup_teardown(what_nothing_serves_takes_the_place_of_what_is_kept, begin,
                                        end),
        cmocka_unit_test_setup_teardown(the_longest_is_not_kept_and_the_oldest_goes_first, begin,
                                        end),
        cmocka_unit_test_setup_teardown(content_survives_and_no_more_is_mapped_than_was_in_use,
                                        begin, end),
    };
    return cmocka_run_group_tests_name("os/pages", tests, NULL, NULL);
}
