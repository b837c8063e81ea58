/*
 * Bounds of memory, from the length of a file; see index/memory.h.
 *
 * An index and an answer may each take a fixed number of bytes for each byte of the trace, so a
 * hostile file cannot ask for more than its size pays for. A packed file has a second bound, from
 * its packed length, because a few bytes may unpack to gigabytes. The bound of packed files holds
 * for index and answer together; an answer gets half of what the index leaves.
 */
#include "index/memory.h"

#include <stdint.h>
#include <stdio.h>

#include "base/alloc.h"

/* Bytes for each byte of the file, and besides. */
#define MEMORY_A_BYTE 64u
#define MEMORY_OF_ANY ((size_t)64 << 20)
/* The same for each byte of a packed file, which may be made of nearly nothing. An index takes a
 * few bytes for each byte of its trace, which is packed to between a fourth and a thirtieth. */
#define MEMORY_A_PACKED_BYTE 100u
#define MEMORY_OF_ANY_PACKED ((size_t)1 << 30)
/* What is left of it for the program and what its allocator keeps (os/memory/mapping_cache.h), and
 * for the 64 MiB to which the smallest packed file may unpack. */
#define MEMORY_OF_PROGRAM ((size_t)128 << 20)
/* What an index leaves for an answer at least, so that the largest one that may be built can be
 * asked for something. */
#define MEMORY_OF_ANY_ANSWER ((size_t)128 << 20)

static size_t most_unpacked(uint64_t len)
{
    size_t most;
    bool fits = len <= SIZE_MAX && tv_size_mul((size_t)len, MEMORY_A_BYTE, &most) &&
                tv_size_add(most, MEMORY_OF_ANY, &most);
    return fits ? most : SIZE_MAX;
}

/* What the index of a packed file and an answer may take together; SIZE_MAX: packing bounds
 * nothing. */
static size_t most_packed(const struct tv_made_of *of)
{
    size_t most;
    if (!of->packed_len || of->is_trusted || of->packed_len > SIZE_MAX ||
        !tv_size_mul((size_t)of->packed_len, MEMORY_A_PACKED_BYTE, &most))
        return SIZE_MAX;
    return (most > MEMORY_OF_ANY_PACKED ? most : MEMORY_OF_ANY_PACKED) - MEMORY_OF_PROGRAM;
}

static size_t lower(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t tv_memory_of_index(const struct tv_made_of *of)
{
    size_t most = most_packed(of);
    size_t unpacked = most_unpacked(of->len);
    return most == SIZE_MAX ? unpacked : lower(unpacked, most - MEMORY_OF_ANY_ANSWER);
}

bool tv_memory_is_packed(const struct tv_made_of *of)
{
    return tv_memory_of_index(of) < most_unpacked(of->len);
}

/* Half of what the index leaves: a block that grows may be copied, and then is there twice. */
static size_t most_beside(size_t most, size_t block_len)
{
    size_t left = most > block_len ? (most - block_len) / 2 : 0;
    return left > MEMORY_OF_ANY_ANSWER ? left : MEMORY_OF_ANY_ANSWER;
}

size_t tv_memory_of_answer(const struct tv_index *index)
{
    size_t most = most_packed(&index->made_of);
    size_t unpacked = most_unpacked(index->made_of.len);
    return most == SIZE_MAX ? unpacked : lower(unpacked, most_beside(most, index->block_len));
}

enum tv_code tv_memory_tell(const struct tv_limit *limit, enum tv_code code,
                            const struct tv_index *index, const char *text, struct tv_error *err)
{
    char longer[sizeof(err->text)];
    if (tv_memory_of_answer(index) < most_unpacked(index->made_of.len)) {
        (void)snprintf(longer, sizeof(longer),
                       "%s, or give the command --unpack-all if you trust the file", text);
        text = longer;
    }
    return tv_limit_tell(limit, code, text, err);
}
