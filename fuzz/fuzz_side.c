/*
 * A stream, or any other trace, and the tables beside it: NAME and NAME.sec. Reading does not
 * depend on the batches, every way builds the same index, every question about it ends well, and
 * the beginning of the trace opens with the same tables.
 *
 * The input is the trace, then the tables, then the length of the tables in 32 bits, so that a seed
 * of a reader is an input without tables. The two become blocks of their own, so that a sanitizer
 * sees a read past the end of either.
 *
 * The other files that belong together, NAME.key and NAME.data, are one run of bytes when a reader
 * sees them, which is what the fuzzer `text` makes up.
 */
#include <stdlib.h>
#include <string.h>

#include "all_builders.h"
#include "ask.h"
#include "base/bytes.h"
#include "check.h"
#include "format/beginning.h"
#include "index/index.h"

#define LEN_LEN 4u
#define INDEX_MEMORY ((size_t)1 << 26)
#define MOST_CHUNK_RECORDS 32u

static char *copy_of(const uint8_t *bytes, size_t len)
{
    char *copy = malloc(len + !len); /* NOLINT: tests may allocate */
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, bytes, len);
    return copy;
}

/* The beginning of a trace takes the tables of the whole. */
static void try_beginning(const struct tv_alloc *alloc, struct fuzz_input input, size_t most)
{
    const struct tv_read_opts opts = {.side_text = input.side};
    struct tv_trace trace;
    struct tv_trace part;
    struct tv_index index;
    struct tv_error err;
    tv_trace_init(&trace, alloc);
    tv_trace_init(&part, alloc);
    tv_index_init(&index);
    if (tv_trace_open(&trace, (const uint8_t *)input.trace.at, input.trace.len, &opts, &err) ==
        TV_OK) {
        size_t len = tv_beginning_len(&trace, most);
        FUZZ_CHECK(len <= most && len <= input.trace.len);
        if (len && tv_beginning_open(&part, &trace, len, &err) == TV_OK &&
            tv_index_build(&index, &part, NULL, &err) == TV_OK)
            FUZZ_CHECK(index.info->file_len == len);
    }
    tv_index_release(&index);
    tv_trace_release(&part);
    tv_trace_release(&trace);
}

static void try_both(struct fuzz_input input, uint64_t chunk_records)
{
    struct fuzz_memory memory;
    struct tv_index index;
    fuzz_read_twice((const uint8_t *)input.trace.at, input.trace.len, input.side);
    fuzz_memory_init(&memory, input.trace.len + input.side.len);
    memory.most += 2 * INDEX_MEMORY; /* two at once: docs/performance.md, "Budgets" */
    if (fuzz_build(&memory.alloc, input, NULL, &index) == TV_OK)
        fuzz_ask_all(&memory.alloc, &index, TV_STR(""));
    tv_index_release(&index);
    fuzz_compare_ways(&memory.alloc, input, chunk_records);
    try_beginning(&memory.alloc, input, input.trace.len / 2);
    fuzz_memory_check_released(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    size_t left = len < LEN_LEN ? 0 : len - LEN_LEN;
    uint32_t wanted = len < LEN_LEN ? 0 : tv_load_le32(bytes + left);
    size_t side_len = wanted > left ? 0 : wanted;
    size_t trace_len = side_len ? left - side_len : len;
    char *trace = copy_of(bytes, trace_len);
    char *side = copy_of(bytes + trace_len, side_len);
    struct fuzz_input input = {.trace = {trace, trace_len}, .side = {side, side_len}};
    try_both(input, len ? 1 + bytes[0] % MOST_CHUNK_RECORDS : 1);
    free(side);
    free(trace);
    return 0;
}
