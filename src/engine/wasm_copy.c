/*
 * memcpy of WebAssembly modules: the instruction for it, which a browser carries out as it copies
 * its own memory.
 *
 * The C library's, which its realloc calls for an index that grows, copies four bytes at a time.
 */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    return __builtin_memcpy(to, from, len); /* the instruction memory.copy, and no call */
}
