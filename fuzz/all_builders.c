/* See all_builders.h. */
#include "all_builders.h"

#include <string.h>

#include "check.h"

enum tv_code fuzz_build(const struct tv_alloc *alloc, struct fuzz_input input,
                        const struct tv_build_opts *opts, struct tv_index *index)
{
    const struct tv_read_opts read_opts = {.side_text = input.side};
    struct tv_trace trace;
    struct tv_error err = {.code = TV_OK};
    tv_trace_init(&trace, alloc);
    tv_index_init(index);
    enum tv_code code =
        tv_trace_open(&trace, (const uint8_t *)input.trace.at, input.trace.len, &read_opts, &err);
    if (code == TV_OK)
        code = tv_index_build(index, &trace, opts, &err);
    tv_trace_release(&trace);
    FUZZ_CHECK(code == err.code);
    return code;
}

/* What one record after the other gives. */
struct in_order {
    enum tv_code code;
    struct tv_index index;
};

static void build_in_order(const struct tv_alloc *alloc, struct fuzz_input input,
                           struct in_order *in_order)
{
    static const struct tv_build_opts in_batches = {.way = TV_BUILD_SERIAL};
    in_order->code = fuzz_build(alloc, input, &in_batches, &in_order->index);
}

/* Findings are in the block, too. */
static void compare_chunks(const struct tv_alloc *alloc, struct fuzz_input input,
                           const struct in_order *in_order, uint64_t chunk_records)
{
    const struct tv_build_opts in_chunks = {.chunk_records = chunk_records};
    struct tv_index chunks;
    FUZZ_CHECK(fuzz_build(alloc, input, &in_chunks, &chunks) == in_order->code);
    if (in_order->code == TV_OK) {
        FUZZ_CHECK(chunks.block_len == in_order->index.block_len);
        FUZZ_CHECK(!memcmp(chunks.block, in_order->index.block, chunks.block_len));
    }
    tv_index_release(&chunks);
}

void fuzz_compare_ways(const struct tv_alloc *alloc, struct fuzz_input input,
                       uint64_t chunk_records)
{
    struct in_order in_order;
    build_in_order(alloc, input, &in_order);
    compare_chunks(alloc, input, &in_order, chunk_records);
    tv_index_release(&in_order.index);
}

/* Records that chunks can be made of. */
static uint64_t count_fixed(const struct tv_alloc *alloc, struct fuzz_input input)
{
    const struct tv_read_opts read_opts = {.side_text = input.side};
    struct tv_trace trace;
    uint64_t count = 0;
    tv_trace_init(&trace, alloc);
    if (tv_trace_open(&trace, (const uint8_t *)input.trace.at, input.trace.len, &read_opts, NULL) ==
        TV_OK)
        count = trace.fixed.count;
    tv_trace_release(&trace);
    return count;
}

void fuzz_compare_chunk_counts(const struct tv_alloc *alloc, struct fuzz_input input)
{
    static const uint64_t chunk_counts[] = {1, 2, 3, 7};
    const uint64_t records = count_fixed(alloc, input);
    struct in_order in_order;
    uint64_t last = 0;
    if (!records)
        return;
    build_in_order(alloc, input, &in_order);
    for (size_t i = 0; i < TV_COUNT_OF(chunk_counts); i++) {
        uint64_t chunk_records = (records + chunk_counts[i] - 1) / chunk_counts[i];
        if (chunk_records != last)
            compare_chunks(alloc, input, &in_order, chunk_records);
        last = chunk_records;
    }
    tv_index_release(&in_order.index);
}
