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
/* For the index and an answer together, unless the user trusts the file. The indexes of real traces
 * take 1 to 5 bytes for each byte of a large file, and 8 of a small one. */
#define MEMORY_TOGETHER_A_BYTE 32u
/* For each byte of a packed file, which may be made of nearly nothing: traces are packed to between
 * a fourth and a thirtieth. */
#define MEMORY_TOGETHER_A_PACKED_BYTE 100u
#define MEMORY_TOGETHER_OF_ANY ((size_t)1 << 30)
/* What is left of it for the program and what its allocator keeps (os/memory/mapping_cache.h), and
 * for the 64 MiB to which the smallest packed file may unpack. */
#define MEMORY_OF_PROGRAM ((size_t)128 << 20)
/* What an index leaves for an answer at least, so that the largest one that may be built can be
 * asked for something. */
#define MEMORY_OF_ANY_ANSWER ((size_t)128 << 20)

static size_t lower(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* SIZE_MAX where it is more than that. */
static size_t times(uint64_t len, size_t factor)
{
    size_t product;
    return len <= SIZE_MAX && tv_size_mul((size_t)len, factor, &product) ? product : SIZE_MAX;
}

/* What the index may take, and an answer again, of a file that the user trusts. */
static size_t most_each(uint64_t len)
{
    size_t most;
    return tv_size_add(times(len, MEMORY_A_BYTE), MEMORY_OF_ANY, &most) ? most : SIZE_MAX;
}

/* What the index and an answer may take together; SIZE_MAX: the user trusts the file. */
static size_t most_together(const struct tv_made_of *of)
{
    if (of->is_trusted)
        return SIZE_MAX;
    size_t most = times(of->len, MEMORY_TOGETHER_A_BYTE);
    if (of->packed_len)
        most = lower(most, times(of->packed_len, MEMORY_TOGETHER_A_PACKED_BYTE));
    return (most > MEMORY_TOGETHER_OF_ANY ? most : MEMORY_TOGETHER_OF_ANY) - MEMORY_OF_PROGRAM;
}

size_t tv_memory_of_index(const struct tv_made_of *of)
{
    size_t most = most_together(of);
    size_t each = most_each(of->len);
    return most == SIZE_MAX ? each : lower(each, most - MEMORY_OF_ANY_ANSWER);
}

bool tv_memory_is_liftable(const struct tv_made_of *of)
{
    return tv_memory_of_index(of) < most_each(of->len);
}

/* Half of what the index leaves: a block that grows may be copied, and then is there twice. */
static size_t most_beside(size_t most, size_t block_len)
{
    size_t left = most > block_len ? (most - block_len) / 2 : 0;
    return left > MEMORY_OF_ANY_ANSWER ? left : MEMORY_OF_ANY_ANSWER;
}

size_t tv_memory_of_answer(const struct tv_index *index)
{
    size_t most = most_together(&index->made_of);
    size_t each = most_each(index->made_of.len);
    return most == SIZE_MAX ? each : lower(each, most_beside(most, index->block_len));
}

bool tv_memory_of_answer_is_liftable(const struct tv_index *index)
{
    return tv_memory_of_answer(index) < most_each(index->made_of.len);
}

enum tv_code tv_memory_tell(const struct tv_limit *limit, enum tv_code code,
                            const struct tv_index *index, const char *text, struct tv_error *err)
{
    char longer[sizeof(err->text)];
    if (tv_memory_of_answer_is_liftable(index)) {
        (void)snprintf(longer, sizeof(longer),
                       "%s, or give the command --unpack-all if you trust the file", text);
        text = longer;
    }
    return tv_limit_tell(limit, code, text, err);
}
