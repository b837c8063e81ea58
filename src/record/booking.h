/*
 * What looks at a thread tell of its times. A look that found the thread running stands for as much
 * of its CPU time as any other, whatever stack it found: were each given the time since the look
 * before, a stack that is met after waits would get that of others. So the records of some dozens
 * of such looks are held back, and the CPU time that passed is shared out evenly among the looks.
 * Of wall time each look has half of what lies between it and the next. Times are in ticks. Callers
 * hold the lock of cold.h.
 */
#ifndef TV_RECORD_BOOKING_H
#define TV_RECORD_BOOKING_H

#include <stdbool.h>
#include <stdint.h>

/* Looks at a running thread that share the time that passed. */
#define TV_BOOKING_LOOKS 64u
/* Records that are held back at most: looks that find many changes share less time. */
#define TV_BOOKING_RECORDS 512u

struct tv_look {
    uint64_t from, to; /* wall times at which the thread was seen so, first and last */
    uint64_t cpu;      /* that the thread had used at the last one */
    bool is_running;   /* it was on a processor */
};

struct tv_booked_record {
    uint64_t wall;
    uint32_t word;
    uint32_t running; /* looks at the running thread before it, since the last sharing */
};

/* Zero at first. */
struct tv_booking {
    uint64_t wall, cpu; /* of the last look */
    uint64_t shared;    /* CPU time that records have */
    uint32_t running, count;
    struct tv_booked_record records[TV_BOOKING_RECORDS];
};

struct tv_booking_sink {
    void (*put)(void *ctx, uint64_t wall, uint64_t cpu, uint32_t word);
    void *ctx;
};

/* Begins a look, and returns when what it found began, on the wall clock. */
uint64_t tv_booking_begin(struct tv_booking *booking, const struct tv_look *look);
/* Adds a record of what the look found, with that begin. */
void tv_booking_put(struct tv_booking *booking, uint64_t wall, uint32_t word,
                    const struct tv_booking_sink *sink);
/* Ends the look: its time is shared out when there are enough. */
void tv_booking_end_look(struct tv_booking *booking, const struct tv_look *look,
                         const struct tv_booking_sink *sink);
/* Shares out the time until the last look, and puts all records that are held back. Returns the CPU
 * time that is no record's, since no look found the thread running meanwhile. */
uint64_t tv_booking_share(struct tv_booking *booking, const struct tv_booking_sink *sink);

#endif
