/*
 * Edge ids in every input: mutants of it, and what is written of them as packets with and without
 * names in exits, give the same index in chunks as one record after the other. A test over seeds
 * and bundled traces, rather than a fuzzer.
 */
#include "all_builders.h"
#include "base/memory/buffer.h"
#include "check.h"
#include "edges.h"
#include "format/write/write.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_MEMORY ((size_t)1 << 26)
/* The sanitizer maps each chunk's table of threads anew: a mutant takes 30 times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define MUTANTS 1u
#else
#define MUTANTS 16u
#endif
#define ROOM 64u /* bytes that a mutant may be longer */
/* A longer input has its place in tests/cli/cores.py, which runs the program. */
#define LONGEST ((size_t)1 << 16)

static void compare(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    fuzz_memory_init(&memory, len);
    memory.most += 2 * INDEX_MEMORY;
    fuzz_compare_chunk_counts(&memory.alloc,
                              (struct fuzz_input){.trace = {(const char *)bytes, len}});
    fuzz_memory_check_released(&memory);
}

static void compare_as(const uint8_t *bytes, size_t len, struct tv_str as)
{
    const struct tv_write_opts opts = {.as = as};
    struct tv_buffer written;
    tv_buffer_init(&written, tv_alloc_libc());
    if (tv_write_trace(tv_alloc_libc(), bytes, len, &opts, tv_buffer_sink(&written), NULL) == TV_OK)
        compare(written.bytes, written.len);
    tv_buffer_release(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len > LONGEST)
        return 0;
    for (uint64_t seed = 0; seed < MUTANTS; seed++) {
        /* Its own block, so that a sanitizer sees a read past the end. */
        uint8_t *mutant = malloc(len + ROOM); /* NOLINT: tests may allocate */
        FUZZ_CHECK(mutant != NULL);
        memcpy(mutant, bytes, len);
        size_t mutant_len = fuzz_put_edges(mutant, len, len + ROOM, seed * 1000003 + len);
        uint8_t *exact = realloc(mutant, mutant_len + !mutant_len); /* NOLINT: the same */
        FUZZ_CHECK(exact != NULL);
        compare(exact, mutant_len);
        compare_as(exact, mutant_len, TV_STR("packets-d"));
        compare_as(exact, mutant_len, TV_STR("packets"));
        free(exact);
    }
    return 0;
}
