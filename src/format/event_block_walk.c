/*
 * Walks from block to block; see format/event_block_walk.h.
 *
 * Packets that are no blocks are skipped: whoever opened the trace has read them. Sums begin at 0
 * in each block, but for a block that goes on with the sums of the one before it, which only its
 * first record tells (is_continued).
 */
#include "format/event_block_walk.h"

#include "format/packet.h"
#include "format/wire.h"

void tv_block_walk_start(struct tv_block_walk *walk, const struct tv_map *known_methods,
                         enum tv_block_layout layout, const uint8_t *bytes, size_t pos, size_t end)
{
    *walk = (struct tv_block_walk){
        .known_methods = known_methods,
        .cursor = {.bytes = bytes, .len = end, .pos = pos},
        .block = {.layout = layout},
    };
}

static bool is_known_word(const struct tv_block_walk *walk, uint64_t word)
{
    return tv_map_get(walk->known_methods, word & ~(uint64_t)TV_WIRE_ACTION_MASK) != TV_MAP_NONE;
}

/* Whether a block goes on with the sums of the block before it: a writer may split what it flushes
 * into several blocks. The first record tells. In a block of its own it names a known method when
 * it counts from zero; in such a block it names one when it counts from the sum before. */
static bool is_continued(const struct tv_block_walk *walk, const struct tv_packet *packet)
{
    const struct tv_event_block *before = &walk->block;
    if (!walk->has_block || walk->thread_id != packet->thread_id || before->is_broken ||
        tv_block_has_bare_exits(before->layout))
        return false;
    struct tv_cursor cursor = {.bytes = walk->cursor.bytes,
                               .len = packet->payload_pos + packet->payload_len,
                               .pos = packet->payload_pos};
    int64_t delta;
    return tv_cursor_take_sleb(&cursor, &delta) && !is_known_word(walk, (uint64_t)delta) &&
           is_known_word(walk, before->word + (uint64_t)delta);
}

static void start_block(struct tv_block_walk *walk, const struct tv_packet *packet)
{
    struct tv_event_block before = walk->block;
    bool goes_on = is_continued(walk, packet);
    tv_block_start(&walk->block, before.layout, walk->cursor.bytes, packet->payload_pos,
                   packet->payload_len);
    if (goes_on) {
        walk->block.word = before.word;
        walk->block.wall = before.wall;
        walk->block.cpu = before.cpu;
    }
    walk->thread_id = packet->thread_id;
    walk->is_cut = packet->is_cut;
    walk->has_block = true;
}

static bool find_block(struct tv_block_walk *walk)
{
    struct tv_packet packet;
    bool is_dump = walk->block.layout == TV_BLOCK_LONG_RUNNING;
    while (tv_cursor_left(&walk->cursor)) {
        enum tv_packet_step step = is_dump ? tv_packet_take_dump(&walk->cursor, &packet)
                                           : tv_packet_take(&walk->cursor, &packet);
        if (step != TV_PACKET_TAKEN)
            return false;
        if (packet.kind == TV_PACKET_BLOCK) {
            start_block(walk, &packet);
            return true;
        }
    }
    return false;
}

/* Counts a broken block once, and forgets it: no block goes on with the sums of a broken one. */
static void count_broken(struct tv_block_walk *walk)
{
    if (!walk->block.is_broken || walk->is_cut)
        return;
    walk->has_block = false;
    if (!walk->broken_count)
        walk->broken_off = walk->block.cursor.pos;
    walk->broken_count++;
}

/* Goes on with the block, and to the next one when that is used up. */
bool tv_block_walk_next(struct tv_block_walk *walk, struct tv_raw *raw, size_t raw_cap)
{
    raw->count = 0;
    do {
        if (!walk->has_block)
            continue;
        raw->thread_id = walk->thread_id;
        tv_block_decode(&walk->block, raw, raw_cap);
        if (raw->count)
            return true;
        count_broken(walk);
    } while (find_block(walk));
    return false;
}
