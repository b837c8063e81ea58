/*
 * Selection by digits; see base/numbers/median.h. A few numbers, as those of the runs of a method,
 * are sorted by insertion, which costs less than clearing the counts of digits. The bits of a
 * double, with the sign turned, sort as the number does, so the k-th smallest is found digit by
 * digit: each step counts the numbers by one digit and keeps those that have the right one.
 *
 * The numbers themselves are not moved: copies go into the caller's room.
 */
#include "base/numbers/median.h"

#include <stdint.h>
#include <string.h>

#define DIGIT_BITS 8u
#define DIGITS (64u / DIGIT_BITS)
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define SIGN (UINT64_C(1) << 63)

static uint64_t sortable(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits & SIGN ? ~bits : bits | SIGN;
}

static unsigned digit_of(double value, unsigned digit)
{
    return (unsigned)(sortable(value) >> (64 - DIGIT_BITS * (digit + 1))) & (DIGIT_VALUES - 1);
}

/* The k-th smallest, from 0. */
static double select_kth(const double *values, double *room, size_t count, size_t k)
{
    const double *from = values;
    for (unsigned digit = 0; digit < DIGITS && count > 1; digit++) {
        size_t counts[DIGIT_VALUES] = {0};
        for (size_t i = 0; i < count; i++)
            counts[digit_of(from[i], digit)]++;
        unsigned right = 0;
        while (k >= counts[right])
            k -= counts[right++];
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            if (digit_of(from[i], digit) == right)
                room[kept++] = from[i];
        }
        from = room;
        count = kept;
    }
    return from[0];
}

/* The number before the k-th smallest one in sorted order, where `found` is the k-th: the largest
 * number below `found`, or `found` itself if it occurs twice. */
static double one_before(const double *values, size_t count, size_t k, double found)
{
    const uint64_t bound = sortable(found);
    size_t smaller = 0;
    double largest = found;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = sortable(values[i]);
        if (value >= bound)
            continue;
        if (!smaller || value > sortable(largest))
            largest = values[i];
        smaller++;
    }
    return smaller == k ? largest : found;
}

/* Up to this many numbers are sorted. */
#define FEW 48u

static double median_of_few(const double *values, double *room, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at && room[at - 1] > values[i]; at--)
            room[at] = room[at - 1];
        room[at] = values[i];
    }
    return count % 2 ? room[count / 2] : (room[count / 2 - 1] + room[count / 2]) / 2;
}

double tv_median(const double *values, double *room, size_t count)
{
    if (!count)
        return 0;
    if (count <= FEW)
        return median_of_few(values, room, count);
    const size_t middle = count / 2;
    const double upper = select_kth(values, room, count, middle);
    return count % 2 ? upper : (one_before(values, count, middle, upper) + upper) / 2;
}

uint64_t tv_number_after(tv_number_of *number, const void *ctx, size_t count, size_t before)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = number(ctx, i);
        size_t come_before = 0;
        for (size_t k = 0; k < count; k++) {
            const uint64_t other = number(ctx, k);
            come_before += other < own || (other == own && k < i);
        }
        if (come_before == before)
            return own;
    }
    return 0;
}
