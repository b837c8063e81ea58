/*
 * How far a record of a packed block is from the one before it: read with one load of eight bytes
 * where the record fits into them, else number by number.
 *
 * In layout E an enter has a number more than an exit, and which of both a record is stands in the
 * sum of its times.
 */
#ifndef TV_FORMAT_PACKED_STEPS_H
#define TV_FORMAT_PACKED_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compiler.h"
#include "format/leb.h"
#include "format/trace.h"
#include "format/wire.h"

/* The numbers of a record: its word, and the time on one clock or two. */
#define TV_STEPS_MOST 3u

/* How far the numbers of a record are from those of the record before. */
struct tv_steps {
    uint64_t word; /* method and action; layout E: the method, 0 in an exit */
    uint64_t time; /* wall, or the only clock; layout E: the time with the action */
    uint64_t cpu;  /* where there are two clocks */
    size_t len;    /* bytes of the record; 0: no whole one is left */
};

TV_INLINE unsigned tv_steps_numbers(const struct tv_trace *trace)
{
    return 1u + trace->has_clock[TV_CLOCK_WALL] + trace->has_clock[TV_CLOCK_CPU];
}

/* These read a record number by number, since it has more than eight bytes or stands near the end
 * of the block. */
struct tv_steps tv_steps_take_words_slowly(const uint8_t *at, const uint8_t *end, unsigned count);
/* count: numbers of an enter. ticks: the sum before. */
struct tv_steps tv_steps_take_ticks_slowly(const uint8_t *at, const uint8_t *end, unsigned count,
                                           uint64_t ticks);

/* Whether a record is an enter, 0 or 1. ticks: the sum before it; step: its first number, or the
 * bytes of that, whose low bits are those of the number. */
TV_INLINE uint64_t tv_steps_is_enter(uint64_t ticks, uint64_t step)
{
    return ((ticks + step) & TV_WIRE_ACTION_MASK) == TV_ACTION_ENTER;
}

/* Of `ends`, which are those of numbers in eight bytes: those from the last number of the record
 * on, which begins with the first of them; 0 where the record goes on behind. */
TV_INLINE uint64_t tv_steps_last_ends(uint64_t ends, unsigned count, uint64_t is_enter)
{
    if (count == TV_STEPS_MOST)
        ends &= ends - 1;
    return ends & (ends - is_enter);
}

/* The bytes of the next record. Of *ticks, the sum, only the low bits are kept right. */
TV_INLINE size_t tv_steps_skip_ticks(const uint8_t *at, const uint8_t *end, unsigned count,
                                     uint64_t *ticks)
{
    uint64_t bytes = 0;
    uint64_t last = 0;
    if (TV_LIKELY((size_t)(end - at) >= sizeof(bytes))) {
        bytes = tv_load_le64(at);
        last = tv_steps_last_ends(tv_leb_ends(bytes), count, tv_steps_is_enter(*ticks, bytes));
    }
    if (TV_LIKELY(last)) {
        *ticks += bytes;
        return tv_leb_end(last) / 8;
    }
    struct tv_steps steps = tv_steps_take_ticks_slowly(at, end, count, *ticks);
    *ticks += steps.time;
    return steps.len;
}

/* Reads the next record of layout C or D, with one load. */
TV_INLINE struct tv_steps tv_steps_take_words(const uint8_t *at, const uint8_t *stop,
                                              unsigned count)
{
    if (TV_UNLIKELY((size_t)(stop - at) < sizeof(uint64_t)))
        return tv_steps_take_words_slowly(at, stop, count);
    const uint64_t bytes = tv_load_le64(at);
    const uint64_t ends = tv_leb_ends(bytes);
    const uint64_t time_ends = ends & (ends - 1);
    const uint64_t last_ends = count < TV_STEPS_MOST ? time_ends : time_ends & (time_ends - 1);
    if (TV_UNLIKELY(!last_ends))
        return tv_steps_take_words_slowly(at, stop, count);
    const uint64_t groups = tv_leb_value(bytes);
    const unsigned word_end = tv_leb_groups_end(tv_leb_end(ends));
    const unsigned time_end = tv_leb_groups_end(tv_leb_end(time_ends));
    const unsigned end = tv_leb_end(last_ends);
    return (struct tv_steps){
        .word = tv_leb_signed_field(groups, 0, word_end),
        .time = tv_leb_field(groups, word_end, time_end),
        .cpu = count < TV_STEPS_MOST ? 0 : tv_leb_field(groups, time_end, tv_leb_groups_end(end)),
        .len = end / 8};
}

/* Reads the next record of layout E, with one load. An exit is read like an enter whose last number
 * has no bytes, since a branch between the two could not be predicted. */
TV_INLINE struct tv_steps tv_steps_take_ticks(const uint8_t *at, const uint8_t *stop,
                                              unsigned count, uint64_t ticks)
{
    if (TV_UNLIKELY((size_t)(stop - at) < sizeof(uint64_t)))
        return tv_steps_take_ticks_slowly(at, stop, count, ticks);
    const uint64_t bytes = tv_load_le64(at);
    const uint64_t is_enter = tv_steps_is_enter(ticks, bytes);
    const uint64_t ends = tv_leb_ends(bytes);
    const uint64_t exit_ends = tv_steps_last_ends(ends, count, 0);
    const uint64_t last_ends = tv_steps_last_ends(ends, count, is_enter);
    if (TV_UNLIKELY(!last_ends))
        return tv_steps_take_ticks_slowly(at, stop, count, ticks);
    const uint64_t groups = tv_leb_value(bytes);
    const unsigned tick_end = tv_leb_groups_end(tv_leb_end(ends));
    const unsigned exit_end = tv_leb_groups_end(tv_leb_end(exit_ends));
    const unsigned end = tv_leb_end(last_ends);
    const uint64_t method = tv_leb_signed_field(groups, exit_end, tv_leb_groups_end(end));
    return (struct tv_steps){
        .time = tv_leb_signed_field(groups, 0, tick_end),
        .cpu = count < TV_STEPS_MOST ? 0 : tv_leb_field(groups, tick_end, exit_end),
        .word = method & (0 - is_enter),
        .len = end / 8};
}

#endif
