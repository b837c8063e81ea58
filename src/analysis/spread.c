/* Spreads of durations; see analysis/spread.h. */
#include "analysis/spread.h"

#include <string.h>

#include "analysis/method_scan.h"
#include "base/alloc.h"
#include "base/error.h"

#define DIGIT_BITS 11u
#define DIGIT_COUNT (1u << DIGIT_BITS)

/* Durations on both clocks that are collected at once: 32 MiB. One method with more is collected
 * alone. */
#define BATCH_CALLS ((size_t)2 << 20)

uint64_t tv_kth_smallest(const uint64_t *values, size_t count, size_t k)
{
    size_t counts[DIGIT_COUNT];
    uint64_t any = 0;
    uint64_t every = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        any |= values[i];
        every &= values[i];
    }
    unsigned bits = 0; /* above these, all values are alike */
    while (bits < 64 && (any ^ every) >> bits)
        bits++;
    uint64_t known = bits < 64 ? UINT64_MAX << bits : 0; /* the bits that are found, */
    uint64_t prefix = every & known;                     /* and what they are */
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

/* The nearest rank of a percentile among count > 0 values, from 0. */
static size_t rank_of(size_t count, unsigned percent)
{
    return (count / 100 * percent) + (count % 100 * percent + 99) / 100 - 1;
}

/* Most durations are a few units: those below this are counted one by one, and mostly hold every
 * percentile. */
#define SMALL_COUNT 4096u

/* The value of a rank, by the counts of small values where it is one. */
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

struct tv_spread tv_spread_of(const uint64_t *durations, size_t count, uint64_t unit_ns)
{
    size_t small[SMALL_COUNT] = {0};
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        least = durations[i] < least ? durations[i] : least;
        most = durations[i] > most ? durations[i] : most;
        if (durations[i] < SMALL_COUNT)
            small[durations[i]]++;
    }
    return (struct tv_spread){
        .min_ns = least * unit_ns,
        .p50_ns = value_at(durations, count, small, rank_of(count, 50)) * unit_ns,
        .p95_ns = value_at(durations, count, small, rank_of(count, 95)) * unit_ns,
        .max_ns = most * unit_ns,
    };
}

/* Durations of several methods, one method's after the other's. */
struct collecting {
    const struct tv_index *index;
    uint64_t *durations[TV_CLOCK_COUNT]; /* NULL: the trace lacks the clock */
    size_t *next;                        /* per slot: where its next duration goes */
};

static void collect(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    struct collecting *collecting = ctx;
    size_t at = collecting->next[slot]++;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (collecting->durations[clock])
            collecting->durations[clock][at] =
                tv_index_duration(collecting->index, row->thread, (enum tv_clock)clock, call);
    }
}

static size_t calls_of(const struct tv_profile *profile, uint32_t method_ix)
{
    const struct tv_method_row *row = &profile->rows[method_ix];
    return (size_t)(row->numbers.calls + row->recursive_calls);
}

static void select_batch(const struct collecting *collecting, const struct tv_profile *profile,
                         const uint32_t *methods, size_t count, struct tv_method_spread *spreads)
{
    for (size_t i = 0; i < count; i++) {
        size_t calls = calls_of(profile, methods[i]);
        size_t first = collecting->next[i] - calls;
        spreads[i] = (struct tv_method_spread){.calls = calls};
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && calls; clock++) {
            if (collecting->durations[clock])
                spreads[i].of[clock] = tv_spread_of(collecting->durations[clock] + first, calls,
                                                    collecting->index->info->unit_ns);
        }
    }
}

static enum tv_code run_batch(const struct tv_profile *profile,
                              const struct tv_selection *selection, const uint32_t *methods,
                              size_t count, struct tv_method_spread *spreads, struct tv_error *err)
{
    const struct tv_alloc *alloc = profile->alloc;
    struct collecting collecting = {.index = profile->index};
    struct tv_method_scan scan;
    size_t calls = 0;
    tv_method_scan_init(&scan, alloc);
    enum tv_code code = tv_method_scan_prepare(&scan, profile->index, methods, count, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &collecting.next, count, sizeof(*collecting.next), err);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        collecting.next[i] = calls;
        calls += calls_of(profile, methods[i]);
    }
    for (unsigned clock = 0; code == TV_OK && clock < TV_CLOCK_COUNT; clock++) {
        if (profile->index->info->has_clock[clock])
            code = tv_alloc_new(alloc, &collecting.durations[clock], calls, sizeof(uint64_t), err);
    }
    if (code == TV_OK) {
        tv_method_scan_run(&scan, selection, collect, &collecting);
        select_batch(&collecting, profile, methods, count, spreads);
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        tv_alloc_free(alloc, collecting.durations[clock], calls, sizeof(uint64_t));
    tv_alloc_free(alloc, collecting.next, count, sizeof(*collecting.next));
    tv_method_scan_release(&scan);
    return code;
}

enum tv_code tv_spreads_compute(const struct tv_profile *profile,
                                const struct tv_selection *selection, const uint32_t *methods,
                                size_t count, struct tv_method_spread *spreads,
                                struct tv_error *err)
{
    for (size_t first = 0; first < count;) {
        size_t end = first;
        size_t calls = 0;
        do {
            calls += calls_of(profile, methods[end++]);
        } while (end < count && calls + calls_of(profile, methods[end]) <= BATCH_CALLS);
        TV_TRY(run_batch(profile, selection, methods + first, end - first, spreads + first, err));
        first = end;
    }
    return TV_OK;
}
