/*
 * The index of a trace: its threads, methods, nodes, calls and mipmaps in one relocatable block,
 * which does not change once it is built.
 *
 * The calls of one thread at one depth are a *row*, sorted by start. So the row of a call says its
 * depth, the caller of a call is the call of the row above that spans it, and the calls of a time
 * range are one slice of each row. Threads, methods, nodes, rows and calls are named by ordinals
 * over the whole trace. The rows of a thread have consecutive ordinals, and so have the calls of a
 * row and the nodes of a thread.
 *
 * All times are in the file's unit, of info->unit_ns nanoseconds. In the block, the start of a call
 * counts from its thread's first record, so that 32 bits are enough for most threads. Most
 * durations fit 16 bits: a thread with few long calls has 16-bit durations, and its long calls
 * stand in a list of their own. The accessors below hide these widths.
 *
 * docs/index.md, "The block" has a drawing of the sections and all that readers may rely on. An
 * index may be read by any number of threads at once.
 */
#ifndef TV_INDEX_INDEX_H
#define TV_INDEX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bounded_sink.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/str.h"
#include "base/trace_clock.h"

#define TV_NONE UINT32_MAX

/* Flags of a node. */
#define TV_NODE_RECURSIVE 1u /* a node above it has the same method */

/* Threads stand in the order of the file's list; behind them stand threads that only records name,
 * in the order of their first record. */
struct tv_index_thread {
    uint32_t id;
    uint8_t is_listed;         /* 0: the thread has no line in the file (finding unknown_thread) */
    uint8_t is_wide;           /* 1: starts of calls have 64 bits; 0: 32 bits */
    uint8_t duration_len;      /* bytes of a duration: 2, or as many as a start has */
    uint8_t group_level_count; /* levels of segment groups, the lowest one included */
    uint64_t name_off;         /* into the text */
    uint64_t name_len;
    uint64_t records;
    uint64_t calls;
    uint32_t max_depth;  /* rows of this thread */
    uint32_t row_first;  /* ordinal of the row of depth 0 */
    uint32_t node_first; /* ordinal of the first of its nodes */
    uint32_t node_count;
    uint64_t call_first;    /* ordinal of the first call of its first row */
    uint32_t open_depth;    /* in rows 0..open_depth-1 the last call is open at the end */
    uint32_t adopted_depth; /* in rows 0..adopted_depth-1 the first call began before the trace */
    /* Where its columns begin in the times, bytes: wall start, wall duration, CPU start, CPU
     * duration. */
    uint64_t time_off[4];
    /* Times of its first and last record, units since the zero of the clock. Starts of calls count
     * from `first`. */
    uint64_t first[TV_CLOCK_COUNT];
    uint64_t last[TV_CLOCK_COUNT];
    uint64_t root_total[TV_CLOCK_COUNT]; /* sum of the durations of its root calls, units */
    uint64_t group_first;                /* into segment_groups */
    uint64_t group_count; /* groups of the lowest level; those of the levels above follow */
    uint64_t long_first[TV_CLOCK_COUNT]; /* into long_calls */
    uint64_t long_count[TV_CLOCK_COUNT];
    uint32_t process; /* ordinal of its process; TV_NONE where the trace tells of none */
    uint32_t reserved;
};

/* A process of a trace that holds several, with threads of its own. */
struct tv_index_process {
    uint32_t id; /* of Linux; 0: the trace does not say it */
    uint32_t reserved;
    uint64_t name_off; /* into the text */
    uint64_t name_len;
};

/* In a column of 2-byte durations: the call lasts this long or longer, and its duration stands in
 * long_calls. */
#define TV_LONG_DURATION 0xffffu

/* A long call on one clock. The list has the calls of each thread on the wall clock, sorted by
 * ordinal, then those on the CPU clock. */
struct tv_index_long_call {
    uint64_t call;     /* ordinal */
    uint64_t duration; /* units, TV_LONG_DURATION or more */
};

/* The calls of one thread at one depth, sorted by start. */
struct tv_index_row {
    uint64_t call_first; /* ordinal */
    uint64_t call_count;
    uint64_t mipmap_first; /* into mipmap_starts and mipmap_lens: where its level 1 begins */
};

/*
 * Mipmap: entry i of level k stands for the calls [i*F^k, (i+1)*F^k) of a row, F being
 * TV_MIPMAP_FANOUT. It has the start of the first and the duration of the longest of them, on the
 * axis clock. Level 0 is the calls; levels are made while the level below has more than F entries.
 * Entries are as wide as the thread's starts. index/mipmap.h reads them.
 */
#define TV_MIPMAP_FANOUT 32u

/*
 * A segment is a stretch of a thread's time in which one call is innermost, or none is. A segment
 * group holds TV_SEGMENT_GROUP_LEN consecutive segments, those of length 0 included. An entry of a
 * level above joins TV_SEGMENT_GROUP_FANOUT entries of the level below.
 */
#define TV_SEGMENT_GROUP_LEN 64u
#define TV_SEGMENT_GROUP_FANOUT 32u
/* Enough for 2^60 groups. */
#define TV_MOST_SEGMENT_GROUP_LEVELS 13u

struct tv_index_segment_group {
    /* Start of the first segment: units on the axis clock since its zero, like `first`. */
    uint64_t start;
    uint64_t longest_start; /* start of the longest segment with a call, the first among equals */
    uint64_t longest_len;   /* its length; 0 where no segment has a call */
    uint64_t first_call;    /* innermost call of the first segment; UINT64_MAX for none */
    uint64_t longest_call;  /* innermost call of the longest segment; UINT64_MAX for none */
    uint32_t first_depth;   /* depth of first_call; TV_NONE for none */
    uint32_t longest_depth; /* depth of longest_call; TV_NONE for none */
};

/* Methods stand in the order of the file's list; behind them stand methods that only records name.
 */
struct tv_index_method {
    uint64_t id;
    uint64_t class_off, name_off, signature_off, file_off; /* into the text */
    uint32_t class_len, name_len, signature_len, file_len;
    int32_t line;      /* as in the file: -1 unknown, -2 native; 0 for none */
    uint16_t is_known; /* 0: nothing in the file describes the method (finding unknown_method) */
    uint8_t is_synthesized; /* 1: the compiler made it, as a mapping says */
    uint8_t shares_name;    /* 1: another method with calls has its whole name */
    uint32_t rank;          /* place in method_of_rank */
    uint32_t written_len;   /* 0: the names are those of the file */
    /* Into the text: the whole name in the file. Between the method's file and this stand the names
     * of all methods that it may be, where its name does not list them all, and then those that
     * were inlined into it. */
    uint64_t written_off;
    uint32_t inlined_len;
    uint32_t reserved;
    uint64_t calls;                     /* outermost calls */
    uint64_t recursive_calls;           /* the other calls */
    uint64_t inclusive[TV_CLOCK_COUNT]; /* units, over outermost calls */
    uint64_t exclusive[TV_CLOCK_COUNT]; /* units, over all calls */
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
    uint32_t is_cut_early; /* the findings say why */
    uint32_t has_pid;
    uint32_t has_elapsed;
    uint32_t ranked_count; /* methods with calls: they have the ranks below this number */
    uint32_t property_count;
    uint64_t pid;
    uint64_t start_time_ns;
    uint64_t elapsed_ns;
    uint64_t clock_overhead_ns;
    uint64_t file_len;   /* unpacked bytes */
    uint64_t packed_len; /* bytes before they were unpacked; 0: they were not packed */
    uint64_t vm_off, vm_len;
    uint64_t records;
    uint64_t calls;
    uint64_t axis_len; /* latest time of any record on the axis clock, units since its zero */
    uint64_t total[TV_CLOCK_COUNT]; /* sum of the durations of all root calls, units */
    struct tv_findings findings;
};

struct tv_index_property {
    uint64_t key_off, key_len, value_off, value_len;
};

/* Pointers to the columns of the block, with their counts. Read only. */
struct tv_index {
    const struct tv_alloc *alloc; /* owner of the block; NULL when the block is borrowed */
    const uint8_t *block;
    size_t block_len;
    /* What bounds answers (index/memory.h): as info has it, and whether whoever opened the index
     * trusts its file. Zeros in an index that no trace and no saved file was the source of. */
    struct tv_made_of made_of;
    const struct tv_index_info *info;
    const struct tv_index_property *properties;
    const struct tv_index_process *processes;
    uint32_t process_count;
    const struct tv_index_thread *threads;
    uint32_t thread_count;
    const struct tv_index_method *methods;
    uint32_t method_count;
    const uint32_t *method_of_rank; /* method_count entries: each method once, by rank */
    const struct tv_index_row *rows;
    uint32_t row_count;
    uint32_t node_count;
    const uint32_t *node_method;
    /* TV_NONE for a root. A parent has a lower ordinal than its children. */
    const uint32_t *node_parent;
    const uint32_t *node_depth; /* 0 for a root */
    const uint8_t *node_flags;
    bool has_wide_sums; /* the next five columns have 64 bits, else 32: use the accessors */
    const void *node_calls;
    const void *node_inclusive[TV_CLOCK_COUNT];
    const void *node_exclusive[TV_CLOCK_COUNT];
    uint64_t call_count;
    const uint32_t *call_node;
    const uint8_t *times;
    const uint32_t *mipmap_starts; /* an entry has one word, or two on a wide thread */
    const uint32_t *mipmap_lens;
    uint64_t mipmap_words; /* words of mipmap_starts, and of mipmap_lens */
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

/* Accessors. thread_ix, row_ix, call and node are ordinals over the whole trace. */

TV_INLINE struct tv_str tv_index_text(const struct tv_index *index, uint64_t off, uint64_t len)
{
    return (struct tv_str){index->text + off, (size_t)len};
}

/* Start of a call, units since its thread's first record. column: 0 for wall, 2 for CPU. */
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

/* Duration of a call for which the column of 2-byte durations says TV_LONG_DURATION, units. */
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
 * The long calls among the calls [first, end) of a thread; none where its durations do not have 2
 * bytes. A loop that adds up durations is quickest when it first takes the column as it stands, and
 * then adds for each long call what its duration has above TV_LONG_DURATION.
 */
struct tv_index_long_calls {
    const struct tv_index_long_call *at;
    uint64_t count;
};

struct tv_index_long_calls tv_index_long_calls_of(const struct tv_index *index,
                                                  const struct tv_index_thread *thread,
                                                  enum tv_clock clock, uint64_t first,
                                                  uint64_t end);

/* An entry of one of the five columns of node sums. */
TV_INLINE uint64_t tv_index_node_sum(const struct tv_index *index, const void *sums, uint32_t node)
{
    return index->has_wide_sums ? ((const uint64_t *)sums)[node] : ((const uint32_t *)sums)[node];
}

TV_INLINE uint64_t tv_index_node_calls(const struct tv_index *index, uint32_t node)
{
    return tv_index_node_sum(index, index->node_calls, node);
}

/* Sums of times are in units; they are 0 on a clock that the trace lacks. */
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

/* The clock of the time axis: wall where the trace has it, else CPU. */
TV_INLINE enum tv_clock tv_index_axis(const struct tv_index *index)
{
    return index->info->has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
}

/* Whether the trace has a CPU clock beside the wall clock, and no call took any CPU time: some
 * devices write zeros, and tables of zeros would say nothing. */
TV_INLINE bool tv_index_has_idle_cpu(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    return info->has_clock[TV_CLOCK_WALL] && info->has_clock[TV_CLOCK_CPU] &&
           info->total[TV_CLOCK_WALL] && !info->total[TV_CLOCK_CPU];
}

/* Whether waits are known: the trace has both clocks, and the CPU clock moves. */
TV_INLINE bool tv_index_has_wait(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    return info->has_clock[TV_CLOCK_WALL] && info->has_clock[TV_CLOCK_CPU] &&
           !tv_index_has_idle_cpu(index);
}

/* The clock that tables show first: CPU where the trace has it and it moves, else wall. */
TV_INLINE enum tv_clock tv_index_default_clock(const struct tv_index *index)
{
    return index->info->has_clock[TV_CLOCK_CPU] && !tv_index_has_idle_cpu(index) ? TV_CLOCK_CPU
                                                                                 : TV_CLOCK_WALL;
}

/*
 * The first call of the row that ends after `time`, so it contains or follows that moment; the end
 * of the row where there is none. Time is in units on the axis clock. Both starts and ends ascend
 * along a row.
 */
uint64_t tv_index_first_ending_after(const struct tv_index *index, uint32_t thread_ix,
                                     uint32_t row_ix, uint64_t time);
/* The first call of the row that starts at or after `time`; the end of the row where there is none.
 */
uint64_t tv_index_first_starting_at(const struct tv_index *index, uint32_t thread_ix,
                                    uint32_t row_ix, uint64_t time);
/* The thread of an id; TV_NONE when no thread has it. */
/* The value of a property of the file, in the index's text; .at is NULL where there is none. */
struct tv_str tv_index_property_of(const struct tv_index *index, struct tv_str key);
uint32_t tv_index_thread_of_id(const struct tv_index *index, uint32_t id);
/* The method of an id; TV_NONE where no method has it. Looks at all methods. */
uint32_t tv_index_method_of_id(const struct tv_index *index, uint64_t id);
struct tv_str tv_index_thread_name(const struct tv_index *index, uint32_t thread_ix);
struct tv_str tv_index_process_name(const struct tv_index *index, uint32_t process_ix);

#endif
