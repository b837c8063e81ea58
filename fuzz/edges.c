/*
 * See edges.h. Where the trace has fixed records, the place of each field is known: of one record,
 * or of all records of a method or a thread, so that calls of an edge id open and close. In packed
 * records a number is replaced, and the length of its block with it. Anything else gets an edge
 * value at a place by chance.
 */
#include "edges.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "format/encode.h"
#include "format/trace.h"

#define MOST_CHANGES 4u
/* From the first byte of an event block to its thread; and back from its records to its length. */
#define BLOCK_THREAD_AT 1u
#define BLOCK_LENGTH_BACK 4u

/* The last eight hold each flag bit: of the action, of layout E's ticks, of a sign. */
static const uint64_t edges[] = {
    0, 1, 0x7fffffff, 0xfffffffb, 0xfffffffc, 0xfffffffd,  0xfffffffe,         0xffffffff,
    2, 3, 4,          0x40000000, 0x80000000, 0x100000000, 0x7fffffffffffffff, 0xfffffffffffffffc};

struct mutant {
    uint8_t *bytes;
    size_t len, cap;
    uint64_t seed;
    struct tv_trace trace; /* of the bytes before the change */
};

/* A linear congruential generator (Knuth, MMIX); its high bits are the better ones. */
static uint64_t draw(struct mutant *m, uint64_t end)
{
    m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (m->seed >> 33) % end;
}

static uint64_t any_edge(struct mutant *m)
{
    return edges[draw(m, TV_COUNT_OF(edges))];
}

static void store(uint8_t *to, uint64_t value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Fixed records that stand in the bytes as they are. */

static uint8_t *record_at(struct mutant *m, uint64_t record)
{
    struct tv_fixed_place place = {.run = NULL};
    return m->bytes + tv_fixed_offset(&m->trace, record, &place);
}

/* Gives one record, or all records with the same method, the edge as their method. */
static void change_method(struct mutant *m, uint64_t record, bool all)
{
    const uint32_t at = m->trace.fixed.thread_len;
    const uint32_t edge = (uint32_t)any_edge(m);
    const uint32_t key = tv_load_le32(record_at(m, record) + at) & ~3u;
    for (uint64_t i = all ? 0 : record; i < (all ? m->trace.fixed.count : record + 1); i++) {
        uint8_t *word = record_at(m, i) + at;
        if ((tv_load_le32(word) & ~3u) == key)
            tv_store_le32(word, (edge & ~3u) | (tv_load_le32(word) & 3u));
    }
}

static uint64_t thread_of(const struct mutant *m, const uint8_t *record)
{
    return m->trace.fixed.thread_len == 1 ? record[0] : tv_load_le16(record);
}

static void change_thread(struct mutant *m, uint64_t record, bool all)
{
    const uint64_t edge = any_edge(m);
    const uint64_t thread = thread_of(m, record_at(m, record));
    for (uint64_t i = all ? 0 : record; i < (all ? m->trace.fixed.count : record + 1); i++) {
        if (thread_of(m, record_at(m, i)) == thread)
            store(record_at(m, i), edge, m->trace.fixed.thread_len);
    }
}

/* Moves the times of the record, or of all records from it on, so that the record's is the edge. */
static void change_time(struct mutant *m, uint64_t record, bool all)
{
    const uint32_t *time_at = m->trace.fixed.time_at;
    unsigned clock = time_at[TV_CLOCK_WALL] && draw(m, 2) ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    if (!time_at[clock])
        clock = TV_CLOCK_WALL;
    const uint32_t step =
        (uint32_t)any_edge(m) - tv_load_le32(record_at(m, record) + time_at[clock]);
    for (uint64_t i = record; i < (all ? m->trace.fixed.count : record + 1); i++) {
        uint8_t *time = record_at(m, i) + time_at[clock];
        tv_store_le32(time, tv_load_le32(time) + step);
    }
}

static void change_record(struct mutant *m)
{
    uint64_t record = draw(m, m->trace.fixed.count);
    bool all = draw(m, 2);
    switch (draw(m, 5)) {
    case 0: /* the method and its action at once */
        tv_store_le32(record_at(m, record) + m->trace.fixed.thread_len, (uint32_t)any_edge(m));
        break;
    case 1:
    case 2:
        change_method(m, record, all);
        break;
    case 3:
        change_thread(m, record, all);
        break;
    default:
        change_time(m, record, all);
    }
}

/* Packed records. */

/* The run of a packed record, and the length of its block in the file. */
static uint8_t *block_of(struct mutant *m, uint64_t record, const struct tv_fixed_run **run)
{
    struct tv_fixed_place place = {.run = NULL};
    (void)tv_fixed_offset(&m->trace, record, &place);
    *run = place.run;
    return m->bytes + place.run->off;
}

/* Gives all blocks of a thread, or one of them, another thread. */
static void change_block_thread(struct mutant *m, uint64_t record, bool all)
{
    const struct tv_fixed_run *of;
    const uint32_t edge = (uint32_t)any_edge(m);
    (void)block_of(m, record, &of);
    for (size_t i = 0; i < m->trace.fixed.run_count; i++) {
        const struct tv_fixed_run *run = &m->trace.fixed.runs[i];
        if (run == of || (all && run->thread == of->thread))
            tv_store_le32(m->bytes + run->off - TV_PACKET_BLOCK_HEAD + BLOCK_THREAD_AT, edge);
    }
}

/* Replaces one of the numbers of a record by an edge. */
static void change_number(struct mutant *m, uint64_t record)
{
    const struct tv_fixed_run *run;
    uint8_t leb[TV_LEB_MOST];
    struct tv_fixed_place place = {.run = NULL};
    uint8_t *block = block_of(m, record, &run);
    uint8_t *at = m->bytes + tv_fixed_offset(&m->trace, record, &place);
    uint8_t *block_end = block + run->len;
    for (uint64_t skipped = draw(m, 3); skipped && at < block_end; skipped--) {
        while (at < block_end && *at & 0x80)
            at++;
        at += at < block_end;
    }
    uint8_t *end = at;
    while (end < block_end && *end & 0x80)
        end++;
    end += end < block_end;
    size_t len = tv_store_uleb(leb, any_edge(m));
    size_t old_len = (size_t)(end - at);
    if (m->len - old_len + len > m->cap)
        return;
    memmove(at + len, end, m->len - (size_t)(end - m->bytes));
    memcpy(at, leb, len);
    m->len = m->len - old_len + len;
    tv_store_le32(block - BLOCK_LENGTH_BACK, (uint32_t)(run->len - old_len + len));
}

static void change_packed(struct mutant *m)
{
    uint64_t record = draw(m, m->trace.fixed.count);
    if (draw(m, 3))
        change_number(m, record);
    else
        change_block_thread(m, record, draw(m, 2));
}

/* Any bytes. */
static void change_bytes(struct mutant *m)
{
    static const size_t lens[] = {1, 2, 4, 8};
    size_t len = lens[draw(m, TV_COUNT_OF(lens))];
    uint64_t edge = any_edge(m);
    if (m->len >= len)
        store(m->bytes + draw(m, m->len - len + 1), edge, len);
}

static void change(struct mutant *m)
{
    tv_trace_init(&m->trace, tv_alloc_libc());
    bool is_open = tv_trace_open(&m->trace, m->bytes, m->len, NULL, NULL) == TV_OK;
    if (!is_open || !m->trace.fixed.count || !draw(m, 8))
        change_bytes(m);
    else if (m->trace.fixed.is_packed)
        change_packed(m);
    else
        change_record(m);
    tv_trace_release(&m->trace);
}

size_t fuzz_put_edges(uint8_t *bytes, size_t len, size_t cap, uint64_t seed)
{
    struct mutant m = {.bytes = bytes, .len = len, .cap = cap, .seed = seed};
    for (uint64_t left = 1 + draw(&m, MOST_CHANGES); left; left--)
        change(&m);
    return m.len;
}
