/*
 * Whether a trace was sampled; see index/build/sampling.h.
 *
 * A look that finds another stack makes records of one time, and the next look comes an interval
 * later. So most gaps between records of a thread are zero, and hardly any other one is short.
 *
 * Wall times a thousandth too small (unit_suspect) are zero between most records of any trace, and
 * short between all. There a gap is as long as its wall time in the right unit, or as its CPU time
 * where that is longer: records of one look have one time on both clocks.
 */
#include "index/build/sampling.h"

#include "base/alloc.h"
#include "base/memory/map.h"
#include "format/trace.h"

/* By how much such wall times are too small. */
#define TOO_SMALL 1000u

/* Gaps between two records of a thread, as the builder counts them. */
struct gaps {
    uint64_t all;
    uint64_t zero, small; /* 0, and above that but below small_gap */
};

/* The times of a thread's last record, as they stand in the file. */
struct last_times {
    bool has_record;
    uint64_t of[TV_CLOCK_COUNT];
};

/* How far a clock went from one value in the file to another; more than any gap where it fell. */
static uint64_t step_of(const struct tv_trace *trace, uint64_t from, uint64_t to)
{
    return trace->clock_bits == 32 ? (uint32_t)(to - from) : to - from;
}

static void count_gap(struct gaps *gaps, const struct tv_builder *b, struct last_times *last,
                      const uint64_t now[TV_CLOCK_COUNT])
{
    const uint64_t wall = step_of(b->trace, last->of[TV_CLOCK_WALL], now[TV_CLOCK_WALL]);
    const uint64_t cpu = step_of(b->trace, last->of[TV_CLOCK_CPU], now[TV_CLOCK_CPU]);
    const uint64_t true_wall = wall > UINT64_MAX / TOO_SMALL ? UINT64_MAX : wall * TOO_SMALL;
    if (last->has_record) {
        gaps->all++;
        tv_builder_count_gap(true_wall > cpu ? true_wall : cpu, b->small_gap, &gaps->zero,
                             &gaps->small);
    }
    *last = (struct last_times){
        .has_record = true,
        .of = {[TV_CLOCK_WALL] = now[TV_CLOCK_WALL], [TV_CLOCK_CPU] = now[TV_CLOCK_CPU]}};
}

/* What is needed to read the trace once more. */
struct rereading {
    const struct tv_builder *builder;
    struct tv_trace trace;
    struct tv_batch *batch;    /* too large for the stack */
    struct tv_map place_of_id; /* of each thread */
    struct last_times *last;   /* of the builder's threads */
    struct gaps gaps;
};

static enum tv_code begin(struct rereading *reading, const struct tv_builder *b,
                          struct tv_error *err)
{
    *reading = (struct rereading){.builder = b};
    tv_map_init(&reading->place_of_id, b->alloc);
    tv_trace_init(&reading->trace, b->alloc);
    TV_TRY(tv_alloc_new(b->alloc, &reading->last, b->thread_count, sizeof(*reading->last), err));
    TV_TRY(tv_alloc_new(b->alloc, &reading->batch, 1, sizeof(*reading->batch), err));
    for (size_t i = 0; i < b->thread_count; i++)
        TV_TRY(tv_map_put(&reading->place_of_id, (uint32_t)b->threads[i]->id, (uint32_t)i, err));
    return tv_trace_open(&reading->trace, b->trace->bytes, b->trace->len, &b->trace->opts, err);
}

static void end(struct rereading *reading)
{
    const struct tv_builder *b = reading->builder;
    tv_trace_release(&reading->trace);
    tv_map_release(&reading->place_of_id);
    tv_alloc_release(b->alloc, &reading->batch, 1, sizeof(*reading->batch));
    tv_alloc_release(b->alloc, &reading->last, b->thread_count, sizeof(*reading->last));
}

static enum tv_code count_gaps(struct rereading *reading, struct tv_error *err)
{
    struct tv_batch *batch = reading->batch;
    for (;;) {
        TV_TRY(tv_trace_next(&reading->trace, batch, err));
        if (!batch->count)
            return TV_OK;
        for (size_t i = 0; i < batch->count; i++) {
            const uint32_t thread = tv_map_get(&reading->place_of_id, batch->thread_id[i]);
            const uint64_t now[TV_CLOCK_COUNT] = {[TV_CLOCK_WALL] = batch->time[TV_CLOCK_WALL][i],
                                                  [TV_CLOCK_CPU] = batch->time[TV_CLOCK_CPU][i]};
            if (thread != TV_MAP_NONE) /* an empty record is none of any thread */
                count_gap(&reading->gaps, reading->builder, &reading->last[thread], now);
        }
    }
}

/* Whether the trace says that it was sampled: our own recorders do. */
static bool says_sampled(const struct tv_trace *trace)
{
    return tv_trace_property_of(trace, TV_STR("sampling-interval-usec")).at != NULL;
}

/* Whether at least half of the gaps are zero, and the first percentile of the others, by nearest
 * rank, is not small. */
static bool are_of_looks(const struct gaps *gaps)
{
    const uint64_t others = gaps->all - gaps->zero;
    return others && gaps->zero >= others && gaps->small < (others + 99) / 100;
}

enum tv_code tv_sampling_find(bool *is_sampled, const struct tv_builder *builder,
                              bool is_unit_suspect, struct tv_error *err)
{
    struct gaps gaps = {.zero = builder->gaps_zero, .small = builder->gaps_small};
    for (size_t i = 0; i < builder->thread_count; i++)
        gaps.all += builder->threads[i]->records - 1; /* a gap: between two records */
    *is_sampled = says_sampled(builder->trace);
    if (*is_sampled || builder->has_unwind)
        return TV_OK;
    if (!is_unit_suspect) {
        *is_sampled = are_of_looks(&gaps);
        return TV_OK;
    }
    struct rereading reading;
    enum tv_code code = begin(&reading, builder, err);
    if (code == TV_OK)
        code = count_gaps(&reading, err);
    *is_sampled = are_of_looks(&reading.gaps);
    end(&reading);
    return code;
}
