/* Fixed records of v1-v3 and of streams to columns: one loop per layout, and no loop looks
 * at a version. */
#ifndef TV_FORMAT_TEXT_TEXT_RECORDS_H
#define TV_FORMAT_TEXT_TEXT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "format/trace.h"

enum tv_record_layout {
    TV_RECORD_V1,       /* u1 thread, u4 word, u4 time */
    TV_RECORD_ONE_TIME, /* u2 thread, u4 word, u4 time */
    TV_RECORD_TWO_TIMES /* u2 thread, u4 word, u4 CPU time, u4 wall time */
};

struct tv_record_shape {
    enum tv_record_layout layout;
    enum tv_clock clock; /* which clock the one time is of */
    size_t len;          /* bytes a record, at least tv_record_least_len(layout); more is skipped */
};

size_t tv_record_least_len(enum tv_record_layout layout);
/* Sets the places of the fields in the fixed records of a trace; `runs` of `fixed` is set already.
 */
void tv_records_tell_fixed(const struct tv_record_shape *shape, struct tv_fixed_records *fixed);

/* Appends `count` records to the batch, which must have room. They stand at `at` in count *
 * shape->len readable bytes. Columns of clocks that the shape lacks are not written. */
void tv_records_decode(const struct tv_record_shape *shape, const uint8_t *at, size_t count,
                       struct tv_batch *batch);

#endif
