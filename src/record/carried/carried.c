/*
 * Carried threads; see record/carried/carried.h.
 *
 * When a kernel's thread takes up a carried one, its own place (row, open calls) is put into a
 * `struct saved_stack`, and the carried thread's place is put where its own was; when it lays the
 * carried one down, the two are exchanged back. What a carried thread leaves is kept in a slot,
 * whose ticket the runtime keeps for it (tickets.h). All of this memory belongs to one session, and
 * is forgotten when the next one begins. Everything but the thread-local `carrier` is under the
 * lock of cold.h.
 */
#include "record/carried/carried.h"

#include <string.h>

#include "record/calls.h"
#include "record/carried/tickets.h"
#include "record/cold.h"
#include "record/memory.h"
#include "record/recorder.h"

#define NUMBERS_LEAST 16u

/* The place and the open calls of a thread while the kernel's thread that had them records for
 * another. */
struct saved_stack {
    struct tv_place place;
    uint32_t depth; /* open calls */
    uint32_t cap;   /* numbers that there is room for */
    uint32_t *numbers;
};

/* The carried threads of one recording; the next recording forgets them all. Under the lock of
 * cold.h. */
static struct tv_tickets tickets = {.entry_len = sizeof(struct saved_stack)};

/* What a thread of the kernel carries. */
struct carrier {
    uint32_t session;        /* the session in which it carries a thread; else 0 */
    uint32_t slot;           /* the slot of the thread that it carries; 0: none yet */
    struct saved_stack *own; /* its own place meanwhile, in tickets.memory, valid in own_session */
    uint32_t own_session;
};
static _Thread_local struct carrier carrier __attribute__((tls_model("initial-exec")));

/* The number of the recording under way; 0: nothing is recorded. */
static uint32_t session_now(void)
{
    return __atomic_load_n(&tv_method_tracing_is_on, __ATOMIC_RELAXED) ? tv_recorder_session() : 0;
}

static void begin_session(uint32_t session)
{
    if (tickets.session != session)
        tv_tickets_begin(&tickets, session);
}

static struct saved_stack *slot_at(uint32_t slot)
{
    return tv_tickets_at(&tickets, slot);
}

static void give_slot(uint32_t slot)
{
    struct saved_stack *saved = slot_at(slot);
    saved->place = (struct tv_place){.row = NULL};
    saved->depth = 0;
    tv_tickets_give(&tickets, slot);
}

static bool has_room(struct saved_stack *saved, uint32_t count)
{
    uint32_t cap = saved->cap ? saved->cap : NUMBERS_LEAST;
    while (cap < count)
        cap *= 2;
    if (cap == saved->cap)
        return true;
    uint32_t *numbers = tv_memory_take(&tickets.memory, cap * sizeof(*numbers));
    if (!numbers)
        return false;
    saved->numbers = numbers;
    saved->cap = cap;
    return true;
}

/* Keeps the calling thread's open calls. A thread without a row has recorded nothing, so it has no
 * calls to keep. */
static void keep_calls(struct saved_stack *saved, uint32_t session)
{
    uint32_t count = tv_calls.depth < TV_CALLS_MOST ? tv_calls.depth : TV_CALLS_MOST;
    saved->depth = 0;
    if (!saved->place.row || tv_calls.session != session || !has_room(saved, count))
        return;
    memcpy(saved->numbers, tv_calls.numbers, count * sizeof(*saved->numbers));
    saved->depth = tv_calls.depth;
}

/* Goes on with the calls that were saved; without any, the thread's stack of calls begins anew. */
static void go_on(const struct saved_stack *saved)
{
    if (saved && saved->place.row)
        tv_calls_go_on(saved->numbers, saved->depth);
    else
        tv_calls.session = 0;
}

static struct saved_stack *own_saved(uint32_t session)
{
    if (carrier.own_session != session) {
        carrier.own = tv_memory_take(&tickets.memory, sizeof(*carrier.own));
        carrier.own_session = session;
    }
    return carrier.own;
}

bool tv_carried_is_one(void)
{
    uint32_t session = session_now();
    return session && carrier.session == session;
}

/* Puts another thread's records in the place of the calling one's. */
static bool begin_carrying(uint32_t session, uint32_t slot)
{
    static const struct tv_place none = {.row = NULL};
    struct saved_stack *own = own_saved(session);
    if (!own)
        return false;
    tv_recorder_switch(&own->place, slot ? &slot_at(slot)->place : &none, true);
    keep_calls(own, session);
    carrier.session = session;
    carrier.slot = slot;
    return true;
}

void tv_carried_mount(uint64_t ticket)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    uint32_t session = session_now();
    if (session && carrier.session != session) {
        begin_session(session);
        uint32_t slot = tv_tickets_slot(&tickets, ticket);
        if (begin_carrying(session, slot))
            go_on(slot ? slot_at(slot) : NULL);
    }
    tv_cold_leave(&cold);
}

void tv_carried_adopt(void)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    uint32_t session = session_now();
    if (session && carrier.session != session) {
        begin_session(session);
        (void)begin_carrying(session, 0);
    }
    tv_cold_leave(&cold);
}

/* Puts the calling thread's own place back. The carried thread's place is kept in its slot, which
 * it may get only now, unless the thread has ended. Returns the thread's ticket, 0 when it has no
 * slot. */
static uint64_t end_carrying(uint32_t session, bool has_ended)
{
    struct saved_stack last = {.depth = 0};
    tv_recorder_switch(&last.place, &carrier.own->place, false);
    uint32_t slot = carrier.slot;
    if (has_ended) {
        tv_recorder_end_place(&last.place);
        if (slot)
            give_slot(slot);
        slot = 0;
    } else if (last.place.row && (slot || (slot = tv_tickets_take(&tickets)) != 0)) {
        slot_at(slot)->place = last.place;
        keep_calls(slot_at(slot), session);
    }
    go_on(carrier.own);
    carrier.session = 0;
    return tv_tickets_of(&tickets, slot);
}

uint64_t tv_carried_unmount(void)
{
    struct tv_cold cold;
    uint64_t ticket = 0;
    tv_cold_enter(&cold);
    uint32_t session = session_now();
    if (session && carrier.session == session)
        ticket = end_carrying(session, false);
    tv_cold_leave(&cold);
    return ticket;
}

/* Open calls are closed first, without the lock: tv_calls_unwind puts records, and the hot path may
 * take the lock itself. */
void tv_carried_end(void)
{
    struct tv_cold cold;
    if (tv_carried_is_one() && tv_calls.session == carrier.session)
        tv_calls_unwind(0);
    tv_cold_enter(&cold);
    uint32_t session = session_now();
    if (session && carrier.session == session)
        (void)end_carrying(session, true);
    tv_cold_leave(&cold);
}
