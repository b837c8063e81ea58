/*
 * Looks that threads take of themselves in signal handlers, until another thread takes them out, in
 * the order in which they were begun. Nobody waits: where there is no place a look is lost, and
 * counted.
 */
#ifndef TV_RECORD_LOOK_RING_H
#define TV_RECORD_LOOK_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_LOOK_RING_PLACES 256u

struct tv_own_look {
    _Atomic uint32_t
        turn;         /* the number of the look that may begin here, or one more: it is whole */
    uint32_t count;   /* of what it has, as its taker understands */
    uintptr_t thread; /* whose it is, as its taker understands */
    uint64_t ticks;   /* wall time */
    uint64_t cpu_ns;
    _Alignas(16) unsigned char bytes[];
};

/* Zero at first. */
struct tv_look_ring {
    char *memory; /* NULL: none */
    size_t place_len;
    _Atomic uint32_t begun;
    uint32_t taken;
    _Atomic uint64_t lost;
};

/* Makes places of `bytes_each` bytes; false: memory ran out. Call it before anybody puts looks in.
 */
bool tv_look_ring_init(struct tv_look_ring *ring, size_t bytes_each);
/* When nobody puts looks in any more. */
void tv_look_ring_release(struct tv_look_ring *ring);

/* A place for a look, or NULL; in signal handlers. */
struct tv_own_look *tv_look_ring_begin(struct tv_look_ring *ring);
/* The look can be taken. */
void tv_look_ring_end(struct tv_own_look *look);

/* The next look, or NULL: there is none, or it is not whole yet. One thread at a time. */
struct tv_own_look *tv_look_ring_next(struct tv_look_ring *ring);
/* Gives the place of a look back to the ring. */
void tv_look_ring_give(struct tv_look_ring *ring, struct tv_own_look *look);

#endif
