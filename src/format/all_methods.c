/* Dumps of all methods; see format/low_overhead.h. */
#include <string.h>

#include "base/bytes.h"
#include "format/low_overhead.h"
#include "format/packet.h"
#include "format/wire.h"

#define HEADER_LEN 12u
#define THREAD_AT 1u
#define COUNT_AT 5u
#define COUNT_MASK 0xffffffu

/* A block header, of whose last four bytes nothing is known. */
static bool take_header(struct tv_cursor *cursor, uint32_t *thread_id, uint32_t *count)
{
    const uint8_t *at = cursor->bytes + cursor->pos;
    if (!tv_cursor_left(cursor) || at[0] != TV_WIRE_PACKET_BLOCK ||
        !tv_cursor_skip(cursor, HEADER_LEN))
        return false;
    *thread_id = tv_load_le32(at + THREAD_AT);
    *count = tv_load_le32(at + COUNT_AT) & COUNT_MASK;
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

static bool skip_descriptions(struct tv_cursor *cursor)
{
    struct tv_packet packet;
    size_t methods = 0;
    while (tv_cursor_left(cursor)) {
        if (tv_packet_take(cursor, &packet) != TV_PACKET_TAKEN)
            return false;
        if (packet.kind != TV_PACKET_THREAD && packet.kind != TV_PACKET_METHOD)
            return false;
        methods += packet.kind == TV_PACKET_METHOD;
    }
    return methods > 0;
}

bool tv_all_methods_matches(const uint8_t *bytes, size_t len, size_t *blocks_end)
{
    struct tv_cursor cursor = {.bytes = bytes, .len = len, .pos = 0};
    uint32_t thread_id;
    uint32_t count;
    size_t blocks = 0;
    for (; take_header(&cursor, &thread_id, &count); blocks++) {
        if (!skip_records(&cursor, count))
            return false;
    }
    *blocks_end = cursor.pos;
    return blocks > 0 && skip_descriptions(&cursor);
}

void tv_all_methods_start(struct tv_all_methods *dump, enum tv_all_methods_base base,
                          const uint8_t *bytes, size_t blocks_end)
{
    memset(dump, 0, sizeof(*dump));
    dump->base = base;
    dump->cursor = (struct tv_cursor){.bytes = bytes, .len = blocks_end, .pos = 0};
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
    return take_header(&dump->cursor, &dump->thread_id, &dump->left);
}

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
