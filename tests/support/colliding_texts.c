/* See support/colliding_texts.h. */
#include "support/colliding_texts.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

/* The hash of a text of `len` bytes after its first eight. */
static uint64_t after_eight(const char *text, size_t len)
{
    uint64_t hash = 0x9e3779b97f4a7c15u ^ len;
    hash = (hash ^ tv_load_le64((const uint8_t *)text)) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

/* The next eight bytes are combined with that by XOR, so they can take back any difference. */
void colliding_head(char head[COLLIDING_HEAD], size_t len, uint32_t i)
{
    static const char first[] = "aaaaaaaaaaaaaaaa";
    memcpy(head, first, COLLIDING_HEAD);
    for (unsigned at = 0; at < 8; at++, i /= 26)
        head[at] = (char)('a' + i % 26);
    uint64_t difference = after_eight(first, len) ^ after_eight(head, len);
    for (unsigned at = 0; at < 8; at++)
        head[8 + at] = (char)((uint8_t)head[8 + at] ^ (uint8_t)(difference >> 8 * at));
}

static bool is_printable(const char head[COLLIDING_HEAD])
{
    for (unsigned at = 0; at < COLLIDING_HEAD; at++) {
        if (head[at] <= ' ' || head[at] > '~')
            return false;
    }
    return true;
}

void colliding_printable_head(char head[COLLIDING_HEAD], size_t len, uint32_t i)
{
    uint32_t candidate = 0;
    for (uint32_t found = 0; found <= i; candidate++) {
        colliding_head(head, len, candidate);
        found += is_printable(head);
    }
}
