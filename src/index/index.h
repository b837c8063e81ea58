/*
 * The index of a trace: threads, methods, nodes, calls, levels, in one relocatable block, immutable
 * once built.
 *
 * Calls are stored per thread and depth (a *row*), by start; so a call's depth is its row, its
 * caller is the call of the row above that spans it, and the calls of a time range are one slice of
 * each row. Everything is addressed by ordinal: _ix of a thread (order of the file's list, then of
 * first record), method, node, row and call, all over the whole trace; calls of one row, and rows
 * of one thread, stand together.
 *
 * Times inside are in the file's unit since the thread's first record, 32 bits wide where the
 * thread's span allows, else 64. Most durations fit 16 bits, so where few enough cannot, they have
 * 16, and the others stand in a list of their own. Every accessor here gives nanoseconds since the
 * trace's start on the wall clock, or since the thread's first record's zero on the CPU clock. A
 * time on a clock that the trace lacks is 0.
 *
 * May be read by any number of threads at once.
 */
#ifndef TV_INDEX_INDEX_H
#define TV_INDEX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/str.h"
#include "base/trace_clock.h"

#define TV_NONE UINT32_MAX

/* Flags of a node. */
#define TV_NODE_RECURSIVE 1u /* its method is already on the path of its callers */

struct tv_index_thread {
    uint32_t id;
    uint8_t is_listed;    /* 0: it has no line in the file (unknown_thread) */
    uint8_t is_wide;      /* starts of its calls are 64 bits wide, else 32 */
    uint8_t duration_len; /* bytes of a duration: 2, or as many as a start has */
    uint8_t group_level_count;
    uint64_t name_off; /* into the text */
    uint64_t name_len;
    uint64_t records;
    uint64_t calls;
    uint32_t max_depth; /* rows of this thread */
    uint32_t row_first;
    uint32_t node_first;
    uint32_t node_count;
    uint64_t call_first;
    uint32_t open_depth;    /* rows 0..open_depth-1: their last call is open at the end */
    uint32_t adopted_depth; /* rows 0..adopted_depth-1: their first call began before the trace */
    uint64_t
        time_off[4]; /* in the times: wall start, wall duration, cpu start, cpu duration; bytes */
    uint64_t first[TV_CLOCK_COUNT]; /* first record, units since the zero of the clock; starts of
                                       calls count from it */
    uint64_t last[TV_CLOCK_COUNT];  /* last record */
    uint64_t root_total[TV_CLOCK_COUNT]; /* sum of the root calls' durations, units */
    uint64_t group_first;                /* into folds */
    uint64_t group_count; /* of the lowest level; the others follow, each 1/TV_FOLD_FANOUT of it */
    uint64_t long_first[TV_CLOCK_COUNT]; /* into longs: its calls that last too long for 2 bytes */
    uint64_t long_count[TV_CLOCK_COUNT];
};

/* What a duration of 2 bytes says where the real one, this or more, is in the list. */
#define TV_LONG_DURATION 0xffffu

/* Each thread's for wall, then for CPU, by call. */
struct tv_index_long_call {
    uint64_t call; /* ordinal over the whole trace */
    uint64_t duration;
};

struct tv_index_row {
    uint64_t call_first;
    uint64_t call_count;
    uint64_t mipmap_first; /* into level_starts and level_lens; its levels follow each other */
};

/*
 * Levels: entry i of level k has the start of the first, and the duration of the longest, of the
 * calls [i*F^k, (i+1)*F^k) of a row (axis clock), F = TV_LEVEL_FANOUT, k from 1 while a level below
 * has more than F entries. Both are as wide as the thread's starts: index/mipmap.h looks things up.
 */
#define TV_MIPMAP_FANOUT 32u

/*
 * Folds: the segments of a thread, time in which one call is innermost (or none, depth TV_NONE), in
 * order, TV_FOLD_LEN segments a fold. A segment of length 0 counts as one.
 */
#define TV_SEGMENT_GROUP_LEN 64u
#define TV_SEGMENT_GROUP_FANOUT 32u
/* Of less than 2^60 folds. */
#define TV_MOST_SEGMENT_GROUP_LEVELS 13u

struct tv_index_segment_group {
    uint64_t start;         /* of its first segment, units, axis clock, absolute like `first` */
    uint64_t longest_start; /* its longest segment with a call, the first among equals */
    uint64_t longest_len;   /* 0 and longest_call TV_NONE when it has no call */
    uint64_t first_call;    /* whole-trace ordinal of the innermost call of the first segment;
                               UINT64_MAX none */
    uint64_t longest_call;  /* likewise */
    uint32_t first_depth;   /* row within the thread, TV_NONE for no call */
    uint32_t longest_depth;
};

struct tv_index_method {
    uint64_t id;
    uint64_t class_off, name_off, signature_off, file_off; /* into the text */
    uint32_t class_len, name_len, signature_len, file_len;
    int32_t line;      /* 0: none */
    uint32_t is_known; /* 0: no line describes it */
    uint32_t rank;
    uint32_t reserved;
    uint64_t calls; /* outermost */
    uint64_t recursive_calls;
    uint64_t inclusive[TV_CLOCK_COUNT]; /* units, of outermost calls */
    uint64_t exclusive[TV_CLOCK_COUNT]; /* units, of all calls */
};

/* What is true of the whole trace. Offsets are into the text. */
struct tv_index_info {
    char format_name[16];
    uint32_t version;
    uint32_t is_streaming;
    uint32_t has_clock[TV_CLOCK_COUNT];
    uint32_t has_common_axis;
    uint32_t unit_ns;
    uint32_t is_sampled;
    uint32_t has_overflow;
    uint32_t has_pid;
    uint32_t has_elapsed;
    uint32_t ranked_count; /* methods with calls: ranks below it */
    uint32_t property_count;
    uint64_t pid;
    uint64_t start_time_ns;
    uint64_t elapsed_ns;
    uint64_t clock_overhead_ns;
    uint64_t file_len; /* unpacked bytes */
    uint64_t vm_off, vm_len;
    uint64_t records;
    uint64_t calls;
    uint64_t axis_len; /* units: the end of the last call or record on the axis clock */
    uint64_t total[TV_CLOCK_COUNT]; /* units: sum of all root calls */
    struct tv_findings findings;
};

struct tv_index_property {
    uint64_t key_off, key_len, value_off, value_len;
};

/* Column pointers into the block; counts beside them. Read only. */
struct tv_index {
    const struct tv_alloc *alloc; /* NULL when the block is borrowed */
    const uint8_t *block;
    size_t block_len;
    const struct tv_index_info *info;
    const struct tv_index_property *properties;
    const struct tv_index_thread *threads;
    uint32_t thread_count;
    const struct tv_index_method *methods;
    uint32_t method_count;
    const uint32_t *method_of_rank; /* method_count entries: a permutation */
    const struct tv_index_row *rows;
    uint32_t row_count;
    uint32_t node_count;
    const uint32_t *node_method;
    const uint32_t
        *node_parent;           /* TV_NONE for a root; a parent's ordinal is below its children's */
    const uint32_t *node_depth; /* 0 for a root */
    const uint8_t *node_flags;
    bool has_wide_sums; /* the next five are of 64 bits, else of 32: ask the accessors below */
    const void *node_calls;
    const void *node_inclusive[TV_CLOCK_COUNT];
    const void *node_exclusive[TV_CLOCK_COUNT];
    uint64_t call_count;
    const uint32_t *call_node;
    const uint8_t *times;
    const uint32_t *mipmap_starts; /* one word an entry, or two */
    const uint32_t *mipmap_lens;
    uint64_t mipmap_words; /* words in either */
    const struct tv_index_long_call *long_calls;
    uint64_t long_count;
    const struct tv_index_segment_group *segment_groups;
    uint64_t segment_group_count;
    const char *text;
    uint64_t text_len;
};

/* An index without a block; release is safe. */
void tv_index_init(struct tv_index *index);
void tv_index_release(struct tv_index *index);

/* Accessors. thread_ix, row_ix, call, node: ordinals over the whole trace. */

TV_INLINE struct tv_str tv_index_text(const struct tv_index *index, uint64_t off, uint64_t len)
{
    return (struct tv_str){index->text + off, (size_t)len};
}

/* A start as the columns have it, 0 wall, 2 CPU: units since the thread's first record. */
TV_INLINE uint64_t tv_index_time(const struct tv_index *index, const struct tv_index_thread *thread,
                                 unsigned column, uint64_t call)
{
    const uint8_t *at = index->times + thread->time_off[column];
    uint64_t i = call - thread->call_first;
    return thread->is_wide ? ((const uint64_t *)(const void *)at)[i]
                           : ((const uint32_t *)(const void *)at)[i];
}

/* Start of a call in units since the zero of the clock. The trace must have the clock. */
TV_INLINE uint64_t tv_index_start(const struct tv_index *index,
                                  const struct tv_index_thread *thread, enum tv_clock clock,
                                  uint64_t call)
{
    return thread->first[clock] + tv_index_time(index, thread, 2u * (unsigned)clock, call);
}

/* The duration of a call whose column says TV_LONG_DURATION. */
uint64_t tv_index_long_duration(const struct tv_index *index, const struct tv_index_thread *thread,
                                enum tv_clock clock, uint64_t call);

/* Duration of a call in units. The trace must have the clock. */
TV_INLINE uint64_t tv_index_duration(const struct tv_index *index,
                                     const struct tv_index_thread *thread, enum tv_clock clock,
                                     uint64_t call)
{
    const uint8_t *at = index->times + thread->time_off[2u * (unsigned)clock + 1u];
    uint64_t i = call - thread->call_first;
    if (TV_LIKELY(thread->duration_len == 2)) {
        uint64_t duration = ((const uint16_t *)(const void *)at)[i];
        return TV_LIKELY(duration != TV_LONG_DURATION)
                   ? duration
                   : tv_index_long_duration(index, thread, clock, call);
    }
    return thread->is_wide ? ((const uint64_t *)(const void *)at)[i]
                           : ((const uint32_t *)(const void *)at)[i];
}

/*
 * The long calls among [first, end) of a thread, none where its durations are not of 2 bytes. A
 * loop over a column of those is quickest when it takes all as they stand, and then adds what the
 * long ones have above TV_LONG_DURATION.
 */
struct tv_index_long_calls {
    const struct tv_index_long_call *at;
    uint64_t count;
};

struct tv_index_long_calls tv_index_long_calls_of(const struct tv_index *index,
                                                  const struct tv_index_thread *thread,
                                                  enum tv_clock clock, uint64_t first,
                                                  uint64_t end);

TV_INLINE uint64_t tv_index_node_sum(const struct tv_index *index, const void *sums, uint32_t node)
{
    return index->has_wide_sums ? ((const uint64_t *)sums)[node] : ((const uint32_t *)sums)[node];
}

TV_INLINE uint64_t tv_index_node_calls(const struct tv_index *index, uint32_t node)
{
    return tv_index_node_sum(index, index->node_calls, node);
}

/* Units; 0 on a clock that the trace lacks. */
TV_INLINE uint64_t tv_index_node_inclusive(const struct tv_index *index, unsigned clock,
                                           uint32_t node)
{
    return tv_index_node_sum(index, index->node_inclusive[clock], node);
}

TV_INLINE uint64_t tv_index_node_exclusive(const struct tv_index *index, unsigned clock,
                                           uint32_t node)
{
    return tv_index_node_sum(index, index->node_exclusive[clock], node);
}

/* The clock of the time axis: wall where there is wall. */
TV_INLINE enum tv_clock tv_index_axis(const struct tv_index *index)
{
    return index->info->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
}

/* The clock that numbers start on: CPU where there is one. */
TV_INLINE enum tv_clock tv_index_default_clock(const struct tv_index *index)
{
    return index->info->has_clock[TV_CLOCK_CPU] ? TV_CLOCK_CPU : TV_CLOCK_WALL;
}

/*
 * The first call of the row that ends after `time` (units, axis clock; so it spans or follows it),
 * as an ordinal over the whole trace; the end of the row when there is none. Starts and ends are
 * both sorted along a row.
 */
uint64_t tv_index_first_ending_after(const struct tv_index *index, uint32_t thread_ix,
                                     uint32_t row_ix, uint64_t time);
/* The first call of the row that starts at or after `time`, or the end of the row. */
uint64_t tv_index_first_starting_at(const struct tv_index *index, uint32_t thread_ix,
                                    uint32_t row_ix, uint64_t time);
/* The thread of an id; TV_NONE when no thread has it. */
uint32_t tv_index_thread_of_id(const struct tv_index *index, uint32_t id);
/* The method of an id, or TV_NONE; linear in methods. */
uint32_t tv_index_method_of_id(const struct tv_index *index, uint64_t id);
struct tv_str tv_index_thread_name(const struct tv_index *index, uint32_t thread_ix);

#endif
