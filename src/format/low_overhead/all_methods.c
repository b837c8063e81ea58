/*
 * Dumps of all methods; see format/low_overhead/low_overhead.h.
 *
 * Nothing in a dump says that it is one. It is recognised by a walk that must use up every byte, or
 * by a plausible first block where the file ends early.
 *
 * Records are differences of addresses. Two writers differ in what the difference behind an exit
 * counts from: from 1, or from the method that was left. Both are tried, and the one by which more
 * records name a described method is taken (tv_all_methods_start).
 */
#include <string.h>

#include "base/bytes.h"
#include "format/low_overhead/low_overhead.h"
#include "format/packet.h"
#include "format/wire.h"

#define THREAD_AT 1u
#define COUNT_AT 5u

static bool take_header(struct tv_cursor *cursor, size_t header_len, uint32_t *thread_id,
                        uint32_t *count)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_left(cursor) || at[0] != TV_WIRE_PACKET_BLOCK ||
        !tv_cursor_skip(cursor, header_len))
        return false;
    *thread_id = tv_load_le32(at + THREAD_AT);
    /* The count has three bytes: the old header ends with the third. */
    *count = tv_load_le16(at + COUNT_AT) | (uint32_t)at[COUNT_AT + 2] << 16;
    return true;
}

static bool skip_records(struct tv_cursor *cursor, uint32_t count)
{
    int64_t delta;
    for (uint32_t i = 0; i < count; i++) {
        if (!tv_cursor_take_sleb(cursor, &delta))
            return false;
    }
    return true;
}

/* Skips packets of threads and methods to the end, or to a cut; *methods counts complete
 * method packets. */
static bool skip_descriptions(struct tv_cursor *cursor, size_t *methods)
{
    struct tv_packet packet;
    *methods = 0;
    while (tv_cursor_left(cursor)) {
        enum tv_packet_step step = tv_packet_take(cursor, &packet);
        if (step != TV_PACKET_TAKEN)
            return step == TV_PACKET_CUT;
        if (packet.kind != TV_PACKET_THREAD && packet.kind != TV_PACKET_METHOD)
            return false;
        *methods += packet.kind == TV_PACKET_METHOD;
    }
    return true;
}

void tv_all_methods_walk(struct tv_all_methods_blocks *blocks)
{
    struct tv_cursor cursor = {.bytes = blocks->bytes, .len = blocks->end, .pos = blocks->first};
    uint32_t thread_id;
    uint32_t count;
    blocks->end = cursor.pos;
    while (!blocks->is_cut && take_header(&cursor, blocks->header_len, &thread_id, &count)) {
        blocks->is_cut = !skip_records(&cursor, count);
        if (!blocks->is_cut)
            blocks->end = cursor.pos;
    }
}

/* Whether the first block looks plausible, which is all that a dump without methods has to show. */
static bool is_first_plausible(const uint8_t *bytes, size_t len, size_t pos)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = pos};
    uint32_t thread_id;
    uint32_t count;
    int64_t first;
    return take_header(&cursor, TV_ALL_METHODS_HEADER, &thread_id, &count) &&
           tv_is_thread_plausible(thread_id) && count <= TV_ALL_METHODS_DEPTH && count &&
           tv_cursor_take_sleb(&cursor, &first) &&
           (first == 1 || (first > 0 && tv_is_address_plausible((uint64_t)first)));
}

/* A summary may come first, and is skipped. The walk sets where the blocks end, which decides what
 * must follow: descriptions up to the end of the file, or nothing where the file is cut. */
bool tv_all_methods_matches(const uint8_t *bytes, size_t len, struct tv_all_methods_blocks *blocks)
{
    struct tv_cursor start = {.bytes = bytes, .len = len, .pos = 0};
    struct tv_packet head;
    if (len && bytes[0] == TV_WIRE_PACKET_SUMMARY &&
        tv_packet_take_dump(&start, &head) != TV_PACKET_TAKEN)
        return false;
    *blocks = (struct tv_all_methods_blocks){
        .bytes = bytes, .first = start.pos, .end = len, .header_len = TV_ALL_METHODS_HEADER};
    tv_all_methods_walk(blocks);
    if (blocks->is_cut)
        return is_first_plausible(bytes, len, blocks->first);
    struct tv_cursor rest = {.bytes = bytes, .len = len, .pos = blocks->end};
    size_t methods;
    return blocks->end > blocks->first && skip_descriptions(&rest, &methods) &&
           (methods || is_first_plausible(bytes, len, blocks->first));
}

static void enter_method(struct tv_all_methods *dump, uint64_t delta)
{
    dump->word += delta;
    dump->is_after_exit = false;
    if (dump->depth < TV_ALL_METHODS_DEPTH)
        dump->stack[dump->depth++] = dump->word;
}

static void exit_method(struct tv_all_methods *dump)
{
    uint64_t left = dump->depth ? dump->stack[--dump->depth] : 0;
    dump->word = dump->base == TV_BASE_ONE ? 1 : left | 1;
    dump->is_after_exit = true;
}

/* An exit is written as a delta that no enter can have: 1, or 0 after an exit. */
static void take_record(struct tv_all_methods *dump, uint64_t delta, struct tv_raw *raw)
{
    size_t at = raw->count++;
    bool is_exit = delta == (dump->is_after_exit ? 0 : 1);
    if (is_exit) {
        exit_method(dump);
    } else {
        enter_method(dump, delta);
    }
    raw->action[at] = is_exit ? TV_ACTION_EXIT : TV_ACTION_ENTER;
    raw->method_id[at] = is_exit ? 0 : dump->word;
}

static bool start_block(struct tv_all_methods *dump)
{
    dump->word = 0;
    dump->depth = 0;
    dump->is_after_exit = false;
    return take_header(&dump->cursor, dump->blocks.header_len, &dump->thread_id, &dump->left);
}

/* Blocks without records are passed over. A record that cannot be read ends the batch early, and
 * the next call gives nothing. */
bool tv_all_methods_next(struct tv_all_methods *dump, struct tv_raw *raw, size_t raw_cap)
{
    raw->count = 0;
    while (!dump->left) {
        if (!start_block(dump))
            return false;
    }
    raw->thread_id = dump->thread_id;
    int64_t delta;
    for (; dump->left && raw->count < raw_cap; dump->left--) {
        raw->offset[raw->count] = dump->cursor.pos;
        if (!tv_cursor_take_sleb(&dump->cursor, &delta))
            return raw->count > 0;
        take_record(dump, (uint64_t)delta, raw);
    }
    return true;
}

static void start(struct tv_all_methods *dump, const struct tv_all_methods_blocks *blocks,
                  enum tv_all_methods_base base)
{
    memset(dump, 0, sizeof(*dump));
    dump->blocks = *blocks;
    dump->base = base;
    dump->cursor =
        (struct tv_cursor){.bytes = blocks->bytes, .len = blocks->end, .pos = blocks->first};
}

/* Reads to the end, and counts the records and those that name a described method. */
static uint64_t count_known(struct tv_all_methods *dump, const struct tv_map *known_methods,
                            struct tv_raw *raw, uint64_t *records)
{
    uint64_t known = 0;
    *records = 0;
    while (tv_all_methods_next(dump, raw, TV_RAW_CAP)) {
        *records += raw->count;
        for (size_t i = 0; i < raw->count; i++)
            known += tv_map_get(known_methods, raw->method_id[i]) != TV_MAP_NONE;
    }
    return known;
}

uint64_t tv_all_methods_start(struct tv_all_methods *dump,
                              const struct tv_all_methods_blocks *blocks,
                              const struct tv_map *known_methods, struct tv_raw *raw)
{
    uint64_t records;
    start(dump, blocks, TV_BASE_ONE);
    uint64_t from_one = count_known(dump, known_methods, raw, &records);
    start(dump, blocks, TV_BASE_LEFT_METHOD);
    uint64_t from_left = count_known(dump, known_methods, raw, &records);
    start(dump, blocks, from_left > from_one ? TV_BASE_LEFT_METHOD : TV_BASE_ONE);
    return records;
}
