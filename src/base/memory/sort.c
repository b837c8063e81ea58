/*
 * Bottom-up merge sort: short runs are sorted by insertion, then merged pairwise from one array to
 * the other.
 *
 * It is stable, takes no more than n log n comparisons whatever the input, and sorts ordinals, so
 * rows of any length are moved only once (tv_sort_rows).
 */
#include "base/memory/sort.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define RUN_LEN 16u

/* By insertion: for few items that is quicker than any division, and keeps the order of equals. */
static void sort_run(uint32_t *items, size_t count, tv_compare compare, const void *ctx)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t item = items[i];
        size_t at = i;
        for (; at && compare(ctx, items[at - 1], item) > 0; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Merges [0, middle) and [middle, count) of `from`. Equal ordinals come from the left first: that
 * makes the sort stable. */
static void merge(const uint32_t *from, size_t middle, size_t count, uint32_t *to,
                  tv_compare compare, const void *ctx)
{
    size_t left = 0;
    size_t right = middle;
    for (size_t i = 0; i < count; i++) {
        bool take_left =
            left < middle && (right >= count || compare(ctx, from[left], from[right]) <= 0);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* The two arrays change their roles after each round; an odd number of rounds ends in the scratch
 * array, which is then copied back. */
enum tv_code tv_sort(const struct tv_alloc *alloc, uint32_t *items, size_t count,
                     tv_compare compare, const void *ctx, struct tv_error *err)
{
    for (size_t at = 0; at < count; at += RUN_LEN)
        sort_run(items + at, count - at < RUN_LEN ? count - at : RUN_LEN, compare, ctx);
    if (count <= RUN_LEN)
        return TV_OK;
    uint32_t *scratch;
    TV_TRY(tv_alloc_new(alloc, &scratch, count, sizeof(*scratch), err));
    uint32_t *from = items;
    uint32_t *to = scratch;
    for (size_t len = RUN_LEN; len<count; len = len> count / 2 ? count : len * 2) {
        for (size_t at = 0; at < count;) {
            size_t span = count - at < 2 * len ? count - at : 2 * len;
            merge(from + at, len < span ? len : span, span, to + at, compare, ctx);
            at += span;
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof(*items));
    tv_alloc_release(alloc, &scratch, count, sizeof(*scratch));
    return TV_OK;
}

/* Numbers are sorted and the rows moved once at the end, since rows are large and comparisons many.
 */
enum tv_code tv_sort_rows(const struct tv_alloc *alloc, void *rows, size_t count, size_t row_len,
                          tv_compare compare, const void *ctx, struct tv_error *err)
{
    uint32_t *items = NULL;
    char *copy = NULL;
    if (count < 2)
        return TV_OK;
    enum tv_code code = tv_alloc_new(alloc, &items, count, sizeof(*items), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &copy, count, row_len, err);
    for (size_t i = 0; code == TV_OK && i < count; i++)
        items[i] = (uint32_t)i;
    if (code == TV_OK)
        code = tv_sort(alloc, items, count, compare, ctx, err);
    if (code == TV_OK) {
        memcpy(copy, rows, count * row_len);
        for (size_t i = 0; i < count; i++)
            memcpy((char *)rows + i * row_len, copy + items[i] * row_len, row_len);
    }
    tv_alloc_release(alloc, &copy, count, row_len);
    tv_alloc_release(alloc, &items, count, sizeof(*items));
    return code;
}

static int compare_numbers(const void *numbers, uint32_t a, uint32_t b)
{
    const uint64_t *of = numbers;
    return (of[a] > of[b]) - (of[a] < of[b]);
}

enum tv_code tv_sort_u64(const struct tv_alloc *alloc, uint64_t *numbers, size_t count,
                         struct tv_error *err)
{
    return tv_sort_rows(alloc, numbers, count, sizeof(*numbers), compare_numbers, numbers, err);
}
