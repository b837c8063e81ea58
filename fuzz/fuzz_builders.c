/*
 * The two builders beside each other: whatever the bytes are, 1, 2, 3 and 7 chunks give the block,
 * findings and all, that one record after the other gives. Faster than `whole`, which asks for
 * answers, too.
 */
#include "all_builders.h"
#include "check.h"

#define INDEX_MEMORY ((size_t)1 << 26)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    fuzz_memory_init(&memory, len);
    memory.most += 2 * INDEX_MEMORY; /* two at once: docs/performance.md, "Budgets" */
    fuzz_compare_chunk_counts(&memory.alloc,
                              (struct fuzz_input){.trace = {(const char *)bytes, len}});
    fuzz_memory_check_released(&memory);
    return 0;
}
