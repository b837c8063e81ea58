/*
 * A slow reading of a trace's records by the rules of docs/numbers.md, which shares nothing
 * with src/index: a list of calls, each with its caller. What index says is compared with it.
 */
#ifndef TESTS_INDEX_MODEL_H
#define TESTS_INDEX_MODEL_H

#include "index/made.h"

struct model_call {
    uint32_t thread; /* place in model.threads */
    uint32_t method;
    uint32_t parent; /* place in model.calls, TV_NONE for a root */
    uint32_t depth;  /* set at the end */
    bool began_before;
    bool is_open;
    uint64_t offset;                /* of the enter */
    uint64_t start[TV_CLOCK_COUNT]; /* units since the zero of the clock */
    uint64_t end[TV_CLOCK_COUNT];
};

/* Time in which one call is innermost, or none (TV_NONE). */
struct model_segment {
    uint32_t thread;
    uint32_t call;
    uint64_t start, len; /* axis clock */
};

struct model_thread {
    uint32_t id;
    uint64_t records;
    uint64_t first_offset;
    uint64_t raw[TV_CLOCK_COUNT];
    int64_t now[TV_CLOCK_COUNT];  /* goes with the file's values */
    int64_t high[TV_CLOCK_COUNT]; /* and is raised */
    int64_t first[TV_CLOCK_COUNT];
    int64_t before_wall; /* of the record before the first, without a multiple */
    uint32_t before;     /* its thread, TV_NONE for none */
    uint64_t multiple;
    uint32_t top;           /* the innermost open call, TV_NONE for none */
    uint64_t segment_start; /* without the multiple */
    bool has_fallen[TV_CLOCK_COUNT], has_wrapped;
};

struct model {
    struct listed_facts facts;
    struct model_thread *threads;
    uint32_t thread_count;
    struct model_call *calls; /* by when they were known */
    uint32_t call_count;
    struct model_segment *segments;
    uint32_t segment_count;
    size_t record_count; /* as in the file: room for all of the above */
    uint64_t records;
    struct tv_findings findings; /* the kinds that records make */
    uint64_t gaps_zero, gaps_small, gaps;
    bool has_unwind;
};

void model_read(struct model *model, const struct tv_buffer *bytes);
void model_take(struct model *model, const struct listed_facts *facts,
                const struct listed_record *records, size_t count);
void model_release(struct model *model);

/* compare.c: everything that records decide: calls, nodes, profile, ranks, segment groups,
 * findings. */
void expect_as_model(const struct tv_index *index, const struct model *model);
/* Every way of looking up, against walking all calls; `seed` chooses what is asked. */
void expect_lookups(const struct tv_index *index, uint64_t seed);

/* The longest of the calls [from, to) of a row, as its levels have it. */
struct tv_mipmap;
uint64_t longest_call(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to);

#endif
