/* Makes every second mutant of libFuzzer one of edge values. Only fuzz/build links this: what
 * replays seeds has no LLVMFuzzerMutate. */
#include "edges.h"

#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t cap);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t cap, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t cap, unsigned seed)
{
    return seed % 2 ? fuzz_put_edges(bytes, len, cap, seed) : LLVMFuzzerMutate(bytes, len, cap);
}
