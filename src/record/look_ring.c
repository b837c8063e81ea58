/*
 * Looks that threads take of themselves; see record/look_ring.h.
 *
 * A ring without locks for many writers and one reader. Each place has a turn: the number of the
 * look that may be written there next; turn + 1 means that the look is finished, and the reader
 * gives the place back with the turn of the next round. A signal handler that is slow to finish
 * holds up the reader at its place; writers go on until the ring is full, and then lose their
 * looks.
 */
#include "record/look_ring.h"

#include "record/memory.h"

static struct tv_own_look *place(const struct tv_look_ring *ring, uint32_t number)
{
    char *at = ring->memory + (number % TV_LOOK_RING_PLACES) * ring->place_len;
    return (struct tv_own_look *)(void *)at;
}

bool tv_look_ring_init(struct tv_look_ring *ring, size_t bytes_each)
{
    ring->place_len = (sizeof(struct tv_own_look) + bytes_each + 63) & ~(size_t)63;
    ring->memory = tv_mapping_cache_take(TV_LOOK_RING_PLACES * ring->place_len);
    atomic_store(&ring->begun, 0);
    atomic_store(&ring->lost, 0);
    ring->taken = 0;
    for (uint32_t i = 0; ring->memory && i < TV_LOOK_RING_PLACES; i++)
        atomic_store(&place(ring, i)->turn, i);
    return ring->memory != NULL;
}

void tv_look_ring_release(struct tv_look_ring *ring)
{
    if (ring->memory)
        tv_mapping_cache_release(ring->memory, TV_LOOK_RING_PLACES * ring->place_len);
    ring->memory = NULL;
}

/* A place is free for the look of one number alone, so no two writers get the same place, however
 * long one of them takes. A turn below the number: the reader has not given the place back yet, so
 * the ring is full and the look is lost. A turn above: another writer was quicker. */
struct tv_own_look *tv_look_ring_begin(struct tv_look_ring *ring)
{
    uint32_t number = atomic_load(&ring->begun);
    for (;;) {
        struct tv_own_look *look = place(ring, number);
        const uint32_t turn = atomic_load_explicit(&look->turn, memory_order_acquire);
        if (turn == number) {
            if (atomic_compare_exchange_weak(&ring->begun, &number, number + 1))
                return look;
        } else if ((int32_t)(turn - number) < 0) {
            atomic_fetch_add(&ring->lost, 1);
            return NULL;
        } else {
            number = atomic_load(&ring->begun);
        }
    }
}

void tv_look_ring_end(struct tv_own_look *look)
{
    atomic_fetch_add_explicit(&look->turn, 1, memory_order_release);
}

struct tv_own_look *tv_look_ring_next(struct tv_look_ring *ring)
{
    struct tv_own_look *look = place(ring, ring->taken);
    const uint32_t turn = atomic_load_explicit(&look->turn, memory_order_acquire);
    return turn == ring->taken + 1 ? look : NULL;
}

void tv_look_ring_give(struct tv_look_ring *ring, struct tv_own_look *look)
{
    const uint32_t number = ring->taken++;
    atomic_store_explicit(&look->turn, number + TV_LOOK_RING_PLACES, memory_order_release);
}
