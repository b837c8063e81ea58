/* See server/kept.h. */
#include "server/kept.h"

#include "base/checksum.h"
#include "base/cursor.h"
#include "base/error.h"

#define MAGIC UINT64_C(0x3154534649565654)
#define SUM_AT 24u

void tv_kept_init(struct tv_kept *kept, const struct tv_alloc *alloc)
{
    tv_buffer_init(&kept->info, alloc);
    tv_buffer_init(&kept->query, alloc);
    tv_buffer_init(&kept->window, alloc);
}

void tv_kept_release(struct tv_kept *kept)
{
    tv_buffer_release(&kept->info);
    tv_buffer_release(&kept->query);
    tv_buffer_release(&kept->window);
}

bool tv_kept_is_whole(const struct tv_kept *kept)
{
    return kept->info.len && kept->query.len && kept->window.len;
}

void tv_kept_set(struct tv_buffer *answer, struct tv_str bytes)
{
    answer->len = 0;
    if (tv_buffer_append(answer, bytes.at, bytes.len, NULL) != TV_OK)
        answer->len = 0;
}

static enum tv_code append_number(struct tv_buffer *out, uint64_t number, unsigned len,
                                  struct tv_error *err)
{
    uint8_t *at;
    TV_TRY(tv_buffer_extend(out, len, &at, err));
    for (unsigned i = 0; i < len; i++)
        at[i] = (uint8_t)(number >> 8 * i);
    return TV_OK;
}

static uint64_t sum_of(struct tv_str file)
{
    const size_t behind = SUM_AT + sizeof(uint64_t);
    return tv_checksum_mix(tv_checksum(file.at, SUM_AT),
                           tv_checksum(file.at + behind, file.len - behind));
}

static enum tv_code append_all(const struct tv_kept *kept, const uint64_t identity[2],
                               struct tv_buffer *out, struct tv_error *err)
{
    const struct tv_buffer *parts[] = {&kept->info, &kept->query, &kept->window};
    TV_TRY(append_number(out, MAGIC, sizeof(uint64_t), err));
    TV_TRY(append_number(out, identity[0], sizeof(uint64_t), err));
    TV_TRY(append_number(out, identity[1], sizeof(uint64_t), err));
    TV_TRY(append_number(out, 0, sizeof(uint64_t), err));
    for (unsigned i = 0; i < TV_COUNT_OF(parts); i++)
        TV_TRY(append_number(out, parts[i]->len, sizeof(uint32_t), err));
    TV_TRY(append_number(out, 0, sizeof(uint32_t), err));
    for (unsigned i = 0; i < TV_COUNT_OF(parts); i++)
        TV_TRY(tv_buffer_append(out, parts[i]->bytes, parts[i]->len, err));
    return TV_OK;
}

enum tv_code tv_kept_write(const struct tv_kept *kept, const uint64_t identity[2],
                           struct tv_buffer *out, struct tv_error *err)
{
    if (kept->info.len > TV_KEPT_LIMIT || kept->query.len > TV_KEPT_LIMIT ||
        kept->window.len > TV_KEPT_LIMIT)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "answers are too long to be kept");
    out->len = 0;
    TV_TRY(append_all(kept, identity, out, err));
    uint64_t sum = sum_of(tv_buffer_view(out));
    for (unsigned i = 0; i < sizeof(sum); i++)
        out->bytes[SUM_AT + i] = (uint8_t)(sum >> 8 * i);
    return TV_OK;
}

static bool take_head(struct tv_cursor *cursor, const uint64_t identity[2], uint64_t *sum,
                      uint32_t lens[3])
{
    uint64_t magic;
    uint64_t made_of[2];
    uint32_t zero;
    return tv_cursor_take_u64(cursor, &magic) && magic == MAGIC &&
           tv_cursor_take_u64(cursor, &made_of[0]) && made_of[0] == identity[0] &&
           tv_cursor_take_u64(cursor, &made_of[1]) && made_of[1] == identity[1] &&
           tv_cursor_take_u64(cursor, sum) && tv_cursor_take_u32(cursor, &lens[0]) &&
           tv_cursor_take_u32(cursor, &lens[1]) && tv_cursor_take_u32(cursor, &lens[2]) &&
           tv_cursor_take_u32(cursor, &zero) && zero == 0;
}

enum tv_code tv_kept_read(struct tv_kept *kept, struct tv_str file, const uint64_t identity[2],
                          struct tv_error *err)
{
    struct tv_buffer *parts[] = {&kept->info, &kept->query, &kept->window};
    struct tv_cursor cursor = {.bytes = (const uint8_t *)(const void *)file.at, .len = file.len};
    uint64_t sum = 0;
    uint32_t lens[TV_COUNT_OF(parts)];
    if (!take_head(&cursor, identity, &sum, lens) || sum != sum_of(file))
        return tv_fail(err, TV_ERR_FORMAT, 0, "answers of another trace or program, or damaged");
    for (unsigned i = 0; i < TV_COUNT_OF(parts); i++) {
        struct tv_str part;
        if (lens[i] > TV_KEPT_LIMIT || !tv_cursor_take_str(&cursor, lens[i], &part))
            return tv_fail(err, TV_ERR_FORMAT, cursor.pos, "kept answers end early");
        tv_kept_set(parts[i], part);
    }
    if (tv_cursor_left(&cursor) || !tv_kept_is_whole(kept))
        return tv_fail(err, TV_ERR_FORMAT, cursor.pos, "kept answers are not whole");
    return TV_OK;
}
