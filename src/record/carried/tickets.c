/*
 * Entries by slots, and their tickets; see record/carried/tickets.h.
 *
 * Entries stand in chunks of TV_TICKETS_CHUNK that never move, so a pointer to an entry is good
 * until the session ends. Slots that come back are linked through `next`, a column beside the
 * entries, so that an entry that is free keeps its bytes. A ticket is (session << 32 | slot): a
 * ticket of an earlier session never matches.
 */
#include "record/carried/tickets.h"

#include <string.h>

struct tv_tickets_chunk {
    uint32_t next[TV_TICKETS_CHUNK]; /* of the slots that came back */
    char entries[];
};

/* The entries are as aligned as the chunk is. */
_Static_assert(sizeof(struct tv_tickets_chunk) % 16 == 0, "entries begin aligned to 16 bytes");

void tv_tickets_begin(struct tv_tickets *tickets, uint32_t session)
{
    tv_memory_release(&tickets->memory);
    memset(tickets->chunks, 0, sizeof(tickets->chunks));
    tickets->count = tickets->free = 0;
    __atomic_store_n(&tickets->session, session, __ATOMIC_RELAXED);
}

static struct tv_tickets_chunk *chunk_of(const struct tv_tickets *tickets, uint32_t slot)
{
    return tickets->chunks[(slot - 1) / TV_TICKETS_CHUNK];
}

static uint32_t *next_of(const struct tv_tickets *tickets, uint32_t slot)
{
    return &chunk_of(tickets, slot)->next[(slot - 1) % TV_TICKETS_CHUNK];
}

void *tv_tickets_at(const struct tv_tickets *tickets, uint32_t slot)
{
    return chunk_of(tickets, slot)->entries + (slot - 1) % TV_TICKETS_CHUNK * tickets->entry_len;
}

uint32_t tv_tickets_take(struct tv_tickets *tickets)
{
    const uint32_t slot = tickets->free;
    if (slot) {
        tickets->free = *next_of(tickets, slot);
        return slot;
    }
    const uint32_t chunk = tickets->count / TV_TICKETS_CHUNK;
    if (chunk == TV_TICKETS_CHUNKS_MOST)
        return 0;
    if (!tickets->chunks[chunk]) {
        tickets->chunks[chunk] =
            tv_memory_take(&tickets->memory,
                           sizeof(struct tv_tickets_chunk) + TV_TICKETS_CHUNK * tickets->entry_len);
    }
    return tickets->chunks[chunk] ? ++tickets->count : 0;
}

void tv_tickets_give(struct tv_tickets *tickets, uint32_t slot)
{
    *next_of(tickets, slot) = tickets->free;
    tickets->free = slot;
}

uint64_t tv_tickets_of(const struct tv_tickets *tickets, uint32_t slot)
{
    return slot ? (uint64_t)tickets->session << 32 | slot : 0;
}

uint32_t tv_tickets_slot(const struct tv_tickets *tickets, uint64_t ticket)
{
    const uint32_t slot = (uint32_t)ticket;
    return ticket >> 32 == tickets->session && slot <= tickets->count ? slot : 0;
}
