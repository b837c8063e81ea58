/*
 * Percentiles of some durations; see analysis/calls/percentiles.h.
 *
 * The k-th smallest value is found by its digits, as a radix sort would sort, but without moving a
 * value: count the leading digits, see which digit has the k-th value, and go on with the values
 * that share it. Each step is a pass over the values.
 */
#include "analysis/calls/percentiles.h"

#include <string.h>

#include "analysis/calls/percentiles_collect.h"

/* Counts of 2^11 digits fit the first cache, and six passes do for any 64-bit values. */
#define DIGIT_BITS 11u
#define DIGIT_COUNT (1u << DIGIT_BITS)

uint64_t tv_kth_smallest(const uint64_t *values, size_t count, size_t k)
{
    size_t counts[DIGIT_COUNT];
    uint64_t any = 0;
    uint64_t every = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        any |= values[i];
        every &= values[i];
    }
    unsigned bits = 0; /* bits above this are the same in all values */
    while (bits < 64 && (any ^ every) >> bits)
        bits++;
    uint64_t known = bits < 64 ? UINT64_MAX << bits : 0; /* the bits that were found so far */
    uint64_t prefix = every & known;                     /* their value */
    while (bits) {
        unsigned shift = bits > DIGIT_BITS ? bits - DIGIT_BITS : 0;
        uint64_t mask = ((uint64_t)1 << (bits - shift)) - 1;
        memset(counts, 0, sizeof(counts));
        for (size_t i = 0; i < count; i++) {
            if ((values[i] & known) == prefix)
                counts[values[i] >> shift & mask]++;
        }
        uint64_t digit = 0;
        while (k >= counts[digit])
            k -= counts[digit++];
        prefix |= digit << shift;
        known |= mask << shift;
        bits = shift;
    }
    return prefix;
}

/* ceil(count * percent / 100) - 1, without overflow. */
size_t tv_percentile_rank(size_t count, unsigned percent)
{
    return (count / 100 * percent) + (count % 100 * percent + 99) / 100 - 1;
}

/* Most durations are a few units. One pass counts the values below this limit one by one, and their
 * counts mostly tell every percentile. */
#define SMALL_COUNT 4096u

/* The value of a rank: from the counts of small values, or by selection where it is not small. */
static uint64_t value_at(const uint64_t *values, size_t count, const size_t *small, size_t rank)
{
    size_t before = 0;
    for (uint64_t value = 0; value < SMALL_COUNT; value++) {
        before += small[value];
        if (rank < before)
            return value;
    }
    return tv_kth_smallest(values, count, rank);
}

/* Up to this many durations are sorted, which is quicker than clearing an array of counts. */
#define FEW_COUNT 48u

/* Sorts by insertion. */
static struct tv_percentiles percentiles_of_few(const uint64_t *durations, size_t count,
                                                uint64_t unit_ns)
{
    uint64_t sorted[FEW_COUNT];
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at && sorted[at - 1] > durations[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = durations[i];
    }
    return (struct tv_percentiles){
        .min_ns = sorted[0] * unit_ns,
        .p50_ns = sorted[tv_percentile_rank(count, 50)] * unit_ns,
        .p95_ns = sorted[tv_percentile_rank(count, 95)] * unit_ns,
        .max_ns = sorted[count - 1] * unit_ns,
    };
}

/* Short durations are common, so they are counted one by one in the pass that finds least and most;
 * a percentile among them is then known without another pass. */
struct tv_percentiles tv_percentiles_of(const uint64_t *durations, size_t count, uint64_t unit_ns)
{
    if (count <= FEW_COUNT)
        return percentiles_of_few(durations, count, unit_ns);
    size_t small[SMALL_COUNT] = {0};
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        least = durations[i] < least ? durations[i] : least;
        most = durations[i] > most ? durations[i] : most;
        if (durations[i] < SMALL_COUNT)
            small[durations[i]]++;
    }
    return (struct tv_percentiles){
        .min_ns = least * unit_ns,
        .p50_ns = value_at(durations, count, small, tv_percentile_rank(count, 50)) * unit_ns,
        .p95_ns = value_at(durations, count, small, tv_percentile_rank(count, 95)) * unit_ns,
        .max_ns = most * unit_ns,
    };
}
