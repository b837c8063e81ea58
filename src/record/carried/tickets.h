/*
 * What is kept for threads that a runtime carries, by slots from 1 on: an entry of one size for
 * each, which stays where it is. The runtime keeps a thread's ticket: its slot, and above that the
 * session of the recording, so that a ticket of an earlier recording is none.
 *
 * The caller holds a lock; only the session may be read without it.
 */
#ifndef TV_RECORD_TICKETS_H
#define TV_RECORD_TICKETS_H

#include <stddef.h>
#include <stdint.h>

#include "record/memory.h"

#define TV_TICKETS_CHUNK 1024u
#define TV_TICKETS_CHUNKS_MOST 4096u /* 4 million threads that have not ended */

struct tv_tickets {
    size_t entry_len; /* chosen by who declares the tickets; all else is 0 at first */
    uint32_t session; /* 0: none */
    uint32_t count;   /* slots that were taken at least once */
    uint32_t free;    /* the first of those that came back; 0: none */
    struct tv_tickets_chunk *chunks[TV_TICKETS_CHUNKS_MOST];
    struct tv_memory memory; /* of the entries, and of what the owner keeps as long as they live */
};

/* Forgets all entries and releases their memory; tickets are those of `session` from here on. */
void tv_tickets_begin(struct tv_tickets *tickets, uint32_t session);

/* A slot, whose entry is zeroed when it is taken for the first time, and else as it was given
 * back. 0: there is no memory. */
uint32_t tv_tickets_take(struct tv_tickets *tickets);
void tv_tickets_give(struct tv_tickets *tickets, uint32_t slot);
/* The entry of a slot that was taken. */
void *tv_tickets_at(const struct tv_tickets *tickets, uint32_t slot);

/* The ticket of a slot; 0 for slot 0. */
uint64_t tv_tickets_of(const struct tv_tickets *tickets, uint32_t slot);
/* The slot of a ticket; 0: it is of another recording, or none. */
uint32_t tv_tickets_slot(const struct tv_tickets *tickets, uint64_t ticket);

#endif
