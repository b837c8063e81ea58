/*
 * Packed columns; see api/pack.h. Numbers are stored byte by byte in little-endian order, so that
 * an answer has the same bytes on every machine.
 */
#include "api/pack.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum tv_code tv_pack_init(struct tv_pack *pack, struct tv_buffer *body, size_t len,
                          struct tv_error *err)
{
    body->len = 0;
    TV_TRY(tv_buffer_extend(body, len, &pack->at, err));
    memset(pack->at, 0, len);
    pack->pos = 0;
    return TV_OK;
}

void tv_pack_u8(struct tv_pack *pack, uint8_t value)
{
    pack->at[pack->pos++] = value;
}

void tv_pack_u32(struct tv_pack *pack, uint32_t value)
{
    tv_store_le32(pack->at + pack->pos, value);
    pack->pos += 4;
}

void tv_pack_bytes(struct tv_pack *pack, const void *bytes, size_t len)
{
    if (len)
        memcpy(pack->at + pack->pos, bytes, len);
    pack->pos += len;
}

unsigned tv_pack_width(uint32_t most)
{
    if (most <= UINT8_MAX)
        return 1;
    return most <= UINT16_MAX ? 2 : 4;
}

/* A double is the number of JavaScript: the page reads such a column without converting it. */
void tv_pack_f64(struct tv_pack *pack, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    tv_store_le64(pack->at + pack->pos, bits);
    pack->pos += 8;
}

void tv_pack_align(struct tv_pack *pack)
{
    pack->pos = (pack->pos + 7) / 8 * 8;
}

size_t tv_pack_column_len(size_t count, size_t elem_len)
{
    return (count * elem_len + 7) / 8 * 8;
}
