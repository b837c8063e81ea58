/*
 * Percentiles of methods with very many calls; see analysis/calls/percentiles_collect.h.
 *
 * A first scan counts durations in bins: small ones one by one, larger ones by their leading bits.
 * The counts tell in which bin each percentile is. Where that bin has several values, the next scan
 * counts the durations in it in bins twelve bits finer, until the value is known. No duration is
 * stored, so memory does not grow with the calls.
 *
 * The calls are dealt out to a few counters, each with bins of its own, so that no two tasks write
 * to one bin. Their counts are then added up.
 */
#include <string.h>

#include "analysis/calls/percentiles_collect.h"
#include "base/alloc.h"
#include "base/error.h"

/* Durations below 2^EXACT_BITS have a bin each; above that, each octave has 2^OCTAVE_BITS bins. */
#define EXACT_BITS 10u
#define OCTAVE_BITS 8u
#define NARROW_BINS ((1u << EXACT_BITS) + ((32u - EXACT_BITS) << OCTAVE_BITS))
#define WIDE_BINS ((1u << EXACT_BITS) + ((64u - EXACT_BITS) << OCTAVE_BITS))
#define FINE_BITS 12u

/* The most counters, the memory that all their bins may take, and the calls that a counter
 * takes at a time. */
#define COUNTER_LIMIT 8u
#define BINS_LEN ((size_t)64 << 20)
#define RANGE_CALLS 65536u

enum { P50, P95, PERCENTILE_COUNT };

/* A percentile while it is narrowed down: its value is at least `from` and less than
 * 2^bits above it. */
struct percentile {
    size_t rank;   /* rank of the value among the durations that are at least `from` */
    uint64_t from; /* units */
    unsigned bits; /* 0: the value is `from` */
};

/* What is known of one method on one clock; least is above most while no call was met. */
struct estimate {
    uint64_t least;
    uint64_t most;
    struct percentile of[PERCENTILE_COUNT];
};

/* Some neighbouring calls of a row. */
struct call_range {
    const struct tv_index_thread *thread;
    uint64_t first;
    uint64_t end;
};

struct counting {
    const struct tv_percentiles_batch *batch;
    struct call_range *ranges;
    size_t range_count;
    size_t range_cap;
    struct estimate *estimates; /* per method and clock, clocks of a method side by side */
    size_t estimate_count;
    unsigned counter_count;
    /* Per counter, then per method and clock; only least and most are used. */
    struct estimate *extremes;
    uint32_t *bins;   /* per counter, then per method and clock: the bins of the first scan, or fine
                         bins for each percentile */
    size_t bin_count; /* bins of one counter */
    uint32_t bins_each; /* bins of one method on one clock in the first scan; 0 in later scans */
};

/* The bin of a duration in the first scan. */
static uint32_t bin_of(uint64_t duration)
{
    if (!(duration >> EXACT_BITS))
        return (uint32_t)duration;
    unsigned octave = 63 - (unsigned)__builtin_clzll(duration);
    uint32_t within = (uint32_t)(duration >> (octave - OCTAVE_BITS)) & ((1u << OCTAVE_BITS) - 1);
    return (1u << EXACT_BITS) + ((octave - EXACT_BITS) << OCTAVE_BITS) + within;
}

/* Narrows a percentile down to a bin of the first scan. */
static void narrow_to_bin(struct percentile *of, uint32_t bin)
{
    of->from = bin;
    of->bits = 0;
    if (bin < 1u << EXACT_BITS)
        return;
    bin -= 1u << EXACT_BITS;
    of->bits = EXACT_BITS - OCTAVE_BITS + (bin >> OCTAVE_BITS);
    of->from = (uint64_t)((1u << OCTAVE_BITS) + (bin & ((1u << OCTAVE_BITS) - 1))) << of->bits;
}

/* The width of fine bins, as a power of two: 2^FINE_BITS of them span what is known of a
 * percentile. */
static unsigned fine_shift(const struct percentile *of)
{
    return of->bits > FINE_BITS ? of->bits - FINE_BITS : 0;
}

static void count_extremes(struct estimate *extremes, uint64_t duration)
{
    extremes->least = duration < extremes->least ? duration : extremes->least;
    extremes->most = duration > extremes->most ? duration : extremes->most;
}

/* Counts a duration for each percentile that it may be. */
static void count_finely(const struct estimate *estimate, uint32_t *bins, uint64_t duration)
{
    for (unsigned p = 0; p < PERCENTILE_COUNT; p++, bins += 1u << FINE_BITS) {
        const struct percentile *of = &estimate->of[p];
        if (of->bits && duration >= of->from && (duration - of->from) >> of->bits == 0)
            bins[(duration - of->from) >> fine_shift(of)]++;
    }
}

/* Counts the calls of the batch's methods among some calls, in the bins of one counter. */
static void count_range(const struct counting *counting, const struct call_range *range,
                        unsigned counter)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    const struct tv_index *index = batch->profile->index;
    uint32_t *bins = counting->bins + counter * counting->bin_count;
    struct estimate *extremes = counting->extremes + counter * counting->estimate_count;
    for (uint64_t call = range->first; call < range->end; call++) {
        uint32_t slot = batch->per_node[index->call_node[call]];
        if (slot == TV_NONE ||
            !tv_call_set_has(batch->selection->set, index->call_node[call], call))
            continue;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            size_t at = (size_t)slot * TV_CLOCK_COUNT + clock;
            if (!index->info->has_clock[clock])
                continue;
            uint64_t duration = tv_index_duration(index, range->thread, (enum tv_clock)clock, call);
            if (counting->bins_each) {
                bins[at * counting->bins_each + bin_of(duration)]++;
                count_extremes(&extremes[at], duration);
            } else {
                count_finely(&counting->estimates[at], bins + (at * PERCENTILE_COUNT << FINE_BITS),
                             duration);
            }
        }
    }
}

/* Each counter takes every n-th range of calls, so which calls it counts does not
 * depend on timing. */
static void count_task(void *arg, size_t counter)
{
    const struct counting *counting = arg;
    for (size_t i = counter; i < counting->range_count; i += counting->counter_count)
        count_range(counting, &counting->ranges[i], (unsigned)counter);
}

/* Cuts the rows into ranges of at most RANGE_CALLS calls, so that a single long row is shared by
 * several tasks. */
static enum tv_code list_ranges(struct counting *counting, struct tv_error *err)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    for (size_t i = 0; i < batch->row_count; i++) {
        const struct tv_percentiles_row *row = &batch->rows[i];
        struct tv_slice slice = tv_percentiles_batch_slice(batch, row);
        for (uint64_t first = slice.first; first < slice.end; first += RANGE_CALLS) {
            uint64_t end = slice.end - first < RANGE_CALLS ? slice.end : first + RANGE_CALLS;
            TV_TRY(tv_alloc_grow(batch->profile->alloc, &counting->ranges, &counting->range_cap,
                                 counting->range_count + 1, sizeof(*counting->ranges), err));
            counting->ranges[counting->range_count++] =
                (struct call_range){tv_percentiles_batch_thread(batch, row->thread), first, end};
        }
    }
    return TV_OK;
}

/* Which of `count` bins has a rank; the n-th bin of each counter is the first of them. Takes from
 * the rank the durations in the bins before, so that it goes on within the bin. */
static uint32_t find_bin(const struct counting *counting, size_t n, uint32_t count, size_t *rank)
{
    for (uint32_t bin = 0; bin < count; bin++) {
        size_t calls = 0;
        for (unsigned counter = 0; counter < counting->counter_count; counter++)
            calls += counting->bins[counter * counting->bin_count + n + bin];
        if (*rank < calls)
            return bin;
        *rank -= calls;
    }
    tv_assert(false); /* ranks are below the number of durations */
    return 0;
}

/* Joins the counters after the first scan. */
static void add_up_first(struct counting *counting)
{
    for (size_t at = 0; at < counting->estimate_count; at++) {
        struct estimate *estimate = &counting->estimates[at];
        for (unsigned counter = 0; counter < counting->counter_count; counter++) {
            const struct estimate *extremes =
                &counting->extremes[counter * counting->estimate_count + at];
            estimate->least = extremes->least < estimate->least ? extremes->least : estimate->least;
            estimate->most = extremes->most > estimate->most ? extremes->most : estimate->most;
        }
        for (unsigned p = 0; p < PERCENTILE_COUNT && estimate->least <= estimate->most; p++)
            narrow_to_bin(&estimate->of[p], find_bin(counting, at * counting->bins_each,
                                                     counting->bins_each, &estimate->of[p].rank));
    }
}

/* Joins the counters after a finer scan. */
static void add_up_finer(struct counting *counting)
{
    for (size_t i = 0; i < counting->estimate_count * PERCENTILE_COUNT; i++) {
        struct percentile *of = &counting->estimates[i / PERCENTILE_COUNT].of[i % PERCENTILE_COUNT];
        unsigned shift = fine_shift(of);
        if (!of->bits)
            continue;
        of->from += (uint64_t)find_bin(counting, i << FINE_BITS, 1u << FINE_BITS, &of->rank)
                    << shift;
        of->bits = shift;
    }
}

static bool is_found(const struct counting *counting, uint32_t slot)
{
    const struct estimate *estimate = &counting->estimates[(size_t)slot * TV_CLOCK_COUNT];
    bool is_found = true;
    for (unsigned i = 0; i < TV_CLOCK_COUNT * PERCENTILE_COUNT; i++)
        is_found = is_found && !estimate[i / PERCENTILE_COUNT].of[i % PERCENTILE_COUNT].bits;
    return is_found;
}

/* Unmarks the nodes of methods whose percentiles are all known; false when no marked
 * node is left. */
static bool unmark_found(const struct counting *counting)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    bool has_left = false;
    for (uint32_t node = 0; node < batch->profile->index->node_count; node++) {
        uint32_t *slot = &batch->per_node[node];
        if (*slot == TV_NONE)
            continue;
        if (is_found(counting, *slot))
            *slot = TV_NONE;
        else
            has_left = true;
    }
    return has_left;
}

/* One scan: with bins_each bins per method and clock, or with fine bins if that is 0. */
static enum tv_code scan(struct counting *counting, uint32_t bins_each, struct tv_error *err)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    const struct tv_alloc *alloc = batch->profile->alloc;
    counting->bins_each = bins_each;
    counting->bin_count = bins_each ? counting->estimate_count * bins_each
                                    : counting->estimate_count * PERCENTILE_COUNT << FINE_BITS;
    size_t count = counting->bin_count * counting->counter_count;
    TV_TRY(tv_alloc_new(alloc, &counting->bins, count, sizeof(*counting->bins), err));
    batch->pool->run(batch->pool->ctx, count_task, counting, counting->counter_count);
    (bins_each ? add_up_first : add_up_finer)(counting);
    tv_alloc_release(alloc, &counting->bins, count, sizeof(*counting->bins));
    return tv_check_wanted(batch->pool->is_unwanted, err);
}

/* Sets the ranks of the percentiles among all durations of a method. */
static void init_estimates(struct counting *counting)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    for (size_t at = 0; at < counting->estimate_count; at++) {
        size_t calls = tv_percentiles_batch_calls(batch, batch->methods[at / TV_CLOCK_COUNT]);
        struct estimate *estimate = &counting->estimates[at];
        estimate->least = UINT64_MAX;
        if (calls) {
            estimate->of[P50].rank = tv_percentile_rank(calls, 50);
            estimate->of[P95].rank = tv_percentile_rank(calls, 95);
        }
    }
    for (size_t i = 0; i < counting->estimate_count * counting->counter_count; i++)
        counting->extremes[i].least = UINT64_MAX;
}

static void write_percentiles(const struct counting *counting)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    const struct tv_index_info *info = batch->profile->index->info;
    for (size_t i = 0; i < batch->count; i++) {
        struct tv_method_percentiles *percentiles = &batch->percentiles[i];
        percentiles->calls = tv_percentiles_batch_calls(batch, batch->methods[i]);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT && percentiles->calls; clock++) {
            const struct estimate *estimate = &counting->estimates[i * TV_CLOCK_COUNT + clock];
            if (info->has_clock[clock])
                percentiles->of[clock] =
                    (struct tv_percentiles){.min_ns = estimate->least * info->unit_ns,
                                            .p50_ns = estimate->of[P50].from * info->unit_ns,
                                            .p95_ns = estimate->of[P95].from * info->unit_ns,
                                            .max_ns = estimate->most * info->unit_ns};
        }
    }
}

/* Durations are below 2^32 units but in wide threads, and fewer octaves are less memory. */
static uint32_t bins_needed(const struct tv_percentiles_batch *batch)
{
    bool is_wide = false;
    for (uint32_t i = 0; i < batch->thread_count; i++)
        is_wide = is_wide || tv_percentiles_batch_thread(batch, i)->is_wide;
    return is_wide ? WIDE_BINS : NARROW_BINS;
}

/* How many counters there are: one for each thread that counts, within the limits. */
static unsigned counters_for(const struct counting *counting)
{
    const struct tv_percentiles_batch *batch = counting->batch;
    size_t each = counting->estimate_count * bins_needed(batch) * sizeof(*counting->bins);
    unsigned count = batch->pool->thread_count;
    count = count < COUNTER_LIMIT ? count : COUNTER_LIMIT;
    while (count > 1 && count * each > BINS_LEN)
        count--;
    return count;
}

/* Scans until every percentile is known; each scan narrows the bins of those that are not. */
enum tv_code tv_percentiles_count(struct tv_percentiles_batch *batch, struct tv_error *err)
{
    const struct tv_alloc *alloc = batch->profile->alloc;
    struct counting counting = {.batch = batch, .estimate_count = batch->count * TV_CLOCK_COUNT};
    counting.counter_count = counters_for(&counting);
    size_t extreme_count = counting.estimate_count * counting.counter_count;
    enum tv_code code = tv_alloc_new(alloc, &counting.estimates, counting.estimate_count,
                                     sizeof(*counting.estimates), err);
    if (code == TV_OK)
        code =
            tv_alloc_new(alloc, &counting.extremes, extreme_count, sizeof(*counting.extremes), err);
    if (code == TV_OK)
        code = list_ranges(&counting, err);
    if (code == TV_OK) {
        init_estimates(&counting);
        code = scan(&counting, bins_needed(batch), err);
    }
    while (code == TV_OK && unmark_found(&counting))
        code = scan(&counting, 0, err);
    if (code == TV_OK)
        write_percentiles(&counting);
    tv_alloc_release(alloc, &counting.ranges, counting.range_cap, sizeof(*counting.ranges));
    tv_alloc_release(alloc, &counting.extremes, extreme_count, sizeof(*counting.extremes));
    tv_alloc_release(alloc, &counting.estimates, counting.estimate_count,
                     sizeof(*counting.estimates));
    return code;
}
