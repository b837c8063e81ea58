/*
 * What must hold for any bytes, shared by the fuzzers. A broken promise traps, so that a fuzzer
 * reports it and a replayed seed fails its test.
 */
#ifndef TV_FUZZ_CHECK_H
#define TV_FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "format/trace.h"

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : __builtin_trap())

/* An allocator that counts, and traps above 64 bytes for each byte of input and a fixed part. */
struct fuzz_memory {
    struct tv_alloc alloc;
    size_t used;
    size_t most;
};
void fuzz_memory_init(struct fuzz_memory *memory, size_t input_len);
/* Traps when something was not released. */
void fuzz_memory_check_released(const struct fuzz_memory *memory);

/* What reading gave, for comparing two readings. */
struct fuzz_reading {
    enum tv_code code;
    uint64_t records;
    uint64_t unknown_methods; /* records of them */
    uint64_t reserved_actions;
    uint64_t hash; /* of all columns and offsets */
    struct tv_findings findings;
};

/* Opens the bytes, reads all, looks at everything, and releases. */
void fuzz_read(const uint8_t *bytes, size_t len, const struct tv_read_opts *opts,
               struct fuzz_reading *reading);
/* Reads in large and in small batches and compares. `side` are the tables beside the trace, in
 * most fuzzers none. */
void fuzz_read_twice(const uint8_t *bytes, size_t len, struct tv_str side);
/* Whether the bytes are sniffed as this family. */
bool fuzz_is_family(const uint8_t *bytes, size_t len, const struct tv_format *format);

#define FUZZ_NO_SIDE ((struct tv_str){NULL, 0})

/* The entry of every fuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#endif
