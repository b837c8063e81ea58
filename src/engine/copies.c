/* Copies by the instructions for it, in place of those of the C library, which Debian builds for
 * machines that have no such instructions: it moves a long block, as when one grows, byte by byte.
 */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    return __builtin_memcpy(to, from, len);
}

void *memmove(void *to, const void *from, size_t len)
{
    return __builtin_memmove(to, from, len);
}

void *memset(void *at, int byte, size_t len)
{
    return __builtin_memset(at, byte, len);
}
