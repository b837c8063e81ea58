/* Event blocks of the packet and low-overhead families: LEB128 deltas to plain numbers, with one
 * loop per record layout. docs/formats/packets.md, docs/formats/low-overhead.md. */
#ifndef TV_FORMAT_EVENT_BLOCK_H
#define TV_FORMAT_EVENT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/cursor.h"
#include "base/compiler.h"
#include "format/trace.h"

enum tv_block_layout {
    TV_BLOCK_WALL,        /* C, D: word, wall */
    TV_BLOCK_CPU,         /* C, D: word, CPU */
    TV_BLOCK_WALL_CPU,    /* C, D: word, wall, CPU */
    TV_BLOCK_TICKS,       /* E: time and action, method of enters */
    TV_BLOCK_TICKS_CPU,   /* E: time and action, CPU, method of enters */
    TV_BLOCK_LONG_RUNNING /* G: time and exit bit, method of enters */
};

/* Whether exits of the layout name no method. */
bool tv_block_has_bare_exits(enum tv_block_layout layout);

/* The time in a sum of layout E, whose low bits are the action: an arithmetic shift of what may be
 * negative, spelled so that it is defined. */
TV_INLINE uint64_t tv_block_time_of_ticks(uint64_t ticks)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return ((ticks ^ sign) >> 2) - (sign >> 2);
}

#define TV_RAW_CAP 256

/* Decoded records. Times are sums of deltas, modulo 2^64. */
struct tv_raw {
    size_t count;
    uint32_t thread_id;             /* set by whoever walks the blocks */
    uint64_t method_id[TV_RAW_CAP]; /* 0 for an exit that names none */
    /* Not bytes, which could be anything's for all the compiler knows. */
    uint16_t action[TV_RAW_CAP];
    uint64_t time[TV_CLOCK_COUNT][TV_RAW_CAP]; /* unset where the layout lacks the clock */
    size_t offset[TV_RAW_CAP];
};

struct tv_event_block {
    enum tv_block_layout layout;
    struct tv_cursor cursor; /* its len is the end of the block */
    uint64_t word;           /* sums of deltas so far */
    uint64_t wall;
    uint64_t cpu;
    bool is_broken; /* a record runs past the end of the block; the cursor stands at its start */
};

/* A block whose sums begin at zero. */
void tv_block_start(struct tv_event_block *block, enum tv_block_layout layout, const uint8_t *bytes,
                    size_t pos, size_t len);
/* Sets raw to the next records, up to raw_cap of them, at most TV_RAW_CAP; none when the block is
 * used up or broken. */
void tv_block_decode(struct tv_event_block *block, struct tv_raw *raw, size_t raw_cap);

#endif
