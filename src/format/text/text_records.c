/*
 * The loops of fixed records; see format/text/text_records.h.
 *
 * Each loop is written once, with the distance between records as a parameter, and is inlined for
 * the distances that writers use, so that the compiler sees a constant. The caller has proven that
 * all records lie within the file, so no loop checks a bound.
 */
#include "format/text/text_records.h"

#include "base/bytes.h"
#include "format/wire.h"

size_t tv_record_least_len(enum tv_record_layout layout)
{
    switch (layout) {
    case TV_RECORD_V1:
        return TV_WIRE_V1_RECORD;
    case TV_RECORD_ONE_TIME:
        return TV_WIRE_ONE_TIME_RECORD;
    case TV_RECORD_TWO_TIMES:
        return TV_WIRE_TWO_TIMES_RECORD;
    }
    return 0;
}

void tv_records_tell_fixed(const struct tv_record_shape *shape, struct tv_fixed_records *fixed)
{
    fixed->len = (uint32_t)shape->len;
    fixed->thread_len = shape->layout == TV_RECORD_V1 ? 1 : 2;
    uint32_t time_at = fixed->thread_len + 4;
    if (shape->layout == TV_RECORD_TWO_TIMES) {
        fixed->time_at[TV_CLOCK_CPU] = time_at;
        fixed->time_at[TV_CLOCK_WALL] = time_at + 4;
    } else {
        fixed->time_at[shape->clock] = time_at;
    }
}

/* Where the next record of a batch goes, column by column. */
struct columns {
    uint32_t *thread_id;
    uint32_t *key_action;
    uint64_t *wall;
    uint64_t *cpu;
};

static struct columns columns_at_end(struct tv_batch *batch)
{
    size_t at = batch->count;
    return (struct columns){
        .thread_id = batch->thread_id + at,
        .key_action = batch->key_action + at,
        .wall = batch->time[TV_CLOCK_WALL] + at,
        .cpu = batch->time[TV_CLOCK_CPU] + at,
    };
}

TV_INLINE void decode_v1(const uint8_t *at, size_t count, size_t len, struct columns to,
                         uint64_t *time)
{
    for (size_t i = 0; i < count; i++, at += len) {
        to.thread_id[i] = at[0];
        to.key_action[i] = tv_load_le32(at + 1);
        time[i] = tv_load_le32(at + 5);
    }
}

TV_INLINE void decode_one_time(const uint8_t *at, size_t count, size_t len, struct columns to,
                               uint64_t *time)
{
    for (size_t i = 0; i < count; i++, at += len) {
        to.thread_id[i] = tv_load_le16(at);
        to.key_action[i] = tv_load_le32(at + 2);
        time[i] = tv_load_le32(at + 6);
    }
}

TV_INLINE void decode_two_times(const uint8_t *at, size_t count, size_t len, struct columns to)
{
    for (size_t i = 0; i < count; i++, at += len) {
        to.thread_id[i] = tv_load_le16(at);
        to.key_action[i] = tv_load_le32(at + 2);
        to.cpu[i] = tv_load_le32(at + 6);
        to.wall[i] = tv_load_le32(at + 10);
    }
}

/* The distances that writers use are constants here; Android 6 to 13 have records of one time that
 * are 14 bytes apart. */
void tv_records_decode(const struct tv_record_shape *shape, const uint8_t *at, size_t count,
                       struct tv_batch *batch)
{
    struct columns to = columns_at_end(batch);
    uint64_t *time = shape->clock == TV_CLOCK_WALL ? to.wall : to.cpu;
    switch (shape->layout) {
    case TV_RECORD_V1:
        decode_v1(at, count, TV_WIRE_V1_RECORD, to, time);
        break;
    case TV_RECORD_ONE_TIME:
        if (shape->len == TV_WIRE_ONE_TIME_RECORD) {
            decode_one_time(at, count, TV_WIRE_ONE_TIME_RECORD, to, time);
        } else if (shape->len == TV_WIRE_TWO_TIMES_RECORD) {
            decode_one_time(at, count, TV_WIRE_TWO_TIMES_RECORD, to, time);
        } else {
            decode_one_time(at, count, shape->len, to, time);
        }
        break;
    case TV_RECORD_TWO_TIMES:
        if (shape->len == TV_WIRE_TWO_TIMES_RECORD) {
            decode_two_times(at, count, TV_WIRE_TWO_TIMES_RECORD, to);
        } else {
            decode_two_times(at, count, shape->len, to);
        }
        break;
    }
    batch->count += count;
}
