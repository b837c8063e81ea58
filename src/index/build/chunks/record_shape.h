/*
 * Where the fields of a fixed record are. The loops over records are inline functions with the
 * shape as an argument: they are called with the constant shape that nearly all traces have, or
 * with the shape of the trace.
 */
#ifndef TV_INDEX_BUILD_CHUNKS_RECORD_SHAPE_H
#define TV_INDEX_BUILD_CHUNKS_RECORD_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compiler.h"
#include "format/trace.h"

/* Fields as in struct tv_fixed_records (format/trace.h). */
struct tv_fixed_shape {
    uint32_t len, thread_len;
    uint32_t time_at[TV_CLOCK_COUNT];
};

/* Nearly all traces have records of this shape: 14 bytes, thread, word, CPU time, wall time. */
#define TV_FIXED_DUAL ((struct tv_fixed_shape){14, 2, {[TV_CLOCK_WALL] = 10, [TV_CLOCK_CPU] = 6}})

TV_INLINE struct tv_fixed_shape tv_fixed_shape_of(const struct tv_fixed_records *fixed)
{
    return (struct tv_fixed_shape){
        fixed->len, fixed->thread_len, {fixed->time_at[0], fixed->time_at[1]}};
}

TV_INLINE bool tv_fixed_is_dual(struct tv_fixed_shape shape)
{
    const struct tv_fixed_shape dual = TV_FIXED_DUAL;
    return shape.len == dual.len && shape.thread_len == dual.thread_len &&
           shape.time_at[0] == dual.time_at[0] && shape.time_at[1] == dual.time_at[1];
}

/* The clock of the time axis: wall where the trace has it, else CPU. */
TV_INLINE enum tv_clock tv_fixed_axis(struct tv_fixed_shape shape)
{
    return shape.time_at[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
}

/* What stands for the thread in a record: the id, or a small number in packed records. */
TV_INLINE uint32_t tv_fixed_thread_id(const uint8_t *record, struct tv_fixed_shape shape)
{
    return shape.thread_len == 1 ? record[0] : tv_load_le16(record);
}

#endif
