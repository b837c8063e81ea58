/*
 * All that is one step away from an input: every prefix, and every byte changed. A test over small
 * inputs of each layout, rather than a fuzzer.
 */
#include <stdlib.h>
#include <string.h>

#include "all_builders.h"
#include "check.h"

#define INDEX_MEMORY ((size_t)1 << 26)
#define CHUNK_RECORDS 2u

/* Both ways to build, within the memory that an input of this length may take. */
static void try_bytes(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    fuzz_memory_init(&memory, len);
    memory.most += 2 * INDEX_MEMORY;
    fuzz_compare_ways(&memory.alloc, (struct fuzz_input){.trace = {(const char *)bytes, len}},
                      CHUNK_RECORDS);
    fuzz_memory_check_released(&memory);
}

/* Its own block, so that a sanitizer sees a read past the end. */
static void try_copy(const uint8_t *bytes, size_t len, size_t at, uint8_t value)
{
    uint8_t *copy = malloc(len + !len); /* NOLINT: tests may allocate */
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, bytes, len);
    if (at < len)
        copy[at] = value;
    try_bytes(copy, len);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint8_t values[] = {0, 0xff, bytes[i] ^ 1u, bytes[i] ^ 0x80u,
                                  (uint8_t)(bytes[i] + 4u)};
        try_copy(bytes, i, i, 0);
        for (size_t k = 0; k < sizeof(values); k++)
            try_copy(bytes, len, i, values[k]);
    }
    return 0;
}
