/* See ways.h. */
#include "ways.h"

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

void fuzz_compare_ways(const struct tv_alloc *alloc, struct fuzz_input input,
                       uint64_t chunk_records)
{
    static const struct tv_build_opts in_batches = {.way = TV_BUILD_SERIAL};
    struct tv_build_opts in_chunks = {.chunk_records = chunk_records};
    struct tv_index chunks;
    struct tv_index batches;
    enum tv_code code = fuzz_build(alloc, input, &in_chunks, &chunks);
    FUZZ_CHECK(fuzz_build(alloc, input, &in_batches, &batches) == code);
    if (code == TV_OK) {
        FUZZ_CHECK(chunks.block_len == batches.block_len);
        FUZZ_CHECK(!memcmp(chunks.block, batches.block, chunks.block_len));
    }
    tv_index_release(&chunks);
    tv_index_release(&batches);
}
