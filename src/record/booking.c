/*
 * Derives the CPU time of each record from the looks at a thread; see record/booking.h. A look is
 * one reading of a thread's stack, its CPU time, and whether it was running.
 *
 * A record is held back with the number of looks that had found the thread running before it. When
 * enough looks are there, the CPU time that passed since the last sharing is divided by their
 * number, and each record gets as many of these parts as it has looks before it.
 */
#include "record/booking.h"

/* The wall time at which the stack that a look found began: half way from the look before, since
 * the change came anywhere between them. The first look has none before it, and only sets where
 * both clocks begin. */
uint64_t tv_booking_begin(struct tv_booking *booking, const struct tv_look *look)
{
    const uint64_t before = booking->wall;
    if (!before) { /* no record gets the time before the first look */
        booking->wall = look->from;
        booking->cpu = booking->shared = look->cpu;
        return look->from;
    }
    return look->from > before ? before + (look->from - before) / 2 : before;
}

/* CPU time that passed while no look found the thread running belongs to no record yet: it is
 * returned, and the next call that has a running look shares it out. */
uint64_t tv_booking_share(struct tv_booking *booking, const struct tv_booking_sink *sink)
{
    const uint64_t passed = booking->cpu - booking->shared;
    const double each = booking->running ? (double)passed / (double)booking->running : 0;
    for (uint32_t i = 0; i < booking->count; i++) {
        const struct tv_booked_record *record = &booking->records[i];
        sink->put(sink->ctx, record->wall,
                  booking->shared + (uint64_t)(each * (double)record->running), record->word);
    }
    booking->count = 0;
    if (booking->running)
        booking->shared = booking->cpu;
    booking->running = 0;
    return booking->cpu - booking->shared;
}

void tv_booking_put(struct tv_booking *booking, uint64_t wall, uint32_t word,
                    const struct tv_booking_sink *sink)
{
    if (booking->count == TV_BOOKING_RECORDS)
        (void)tv_booking_share(booking, sink);
    booking->records[booking->count++] =
        (struct tv_booked_record){.wall = wall, .word = word, .running = booking->running};
}

void tv_booking_end_look(struct tv_booking *booking, const struct tv_look *look,
                         const struct tv_booking_sink *sink)
{
    if (look->to > booking->wall)
        booking->wall = look->to;
    if (look->cpu > booking->cpu)
        booking->cpu = look->cpu;
    booking->running += look->is_running;
    if (booking->running >= TV_BOOKING_LOOKS)
        (void)tv_booking_share(booking, sink);
}
