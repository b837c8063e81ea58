/*
 * The whole path: bytes, trace, index (built by every way), and what the page asks of it. The
 * answers need only end well; that they are right is what other tests are for. Odd requests are
 * made of the input's own last bytes.
 */
#include "all_builders.h"
#include "ask.h"
#include "check.h"
#include "index/index.h"

#define INDEX_MEMORY ((size_t)1 << 26)
#define MOST_CHUNK_RECORDS 32u

static void check_index(const struct tv_index *index)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < index->thread_count; i++)
        calls += index->threads[i].calls;
    FUZZ_CHECK(calls == index->call_count && calls == index->info->calls);
    for (uint32_t node = 0; node < index->node_count; node++) {
        FUZZ_CHECK(index->node_method[node] < index->method_count);
        FUZZ_CHECK(index->node_parent[node] == TV_NONE || index->node_parent[node] < node);
    }
    for (uint64_t call = 0; call < index->call_count; call++)
        FUZZ_CHECK(index->call_node[call] < index->node_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    struct tv_index index;
    struct fuzz_input input = {.trace = {(const char *)bytes, len}};
    size_t tail_len = len < 40 ? len : 40;
    fuzz_memory_init(&memory, len);
    memory.most += 2 * INDEX_MEMORY; /* two at once: docs/performance.md, "Budgets" */
    if (fuzz_build(&memory.alloc, input, NULL, &index) == TV_OK) {
        check_index(&index);
        fuzz_ask_all(&memory.alloc, &index,
                     (struct tv_str){(const char *)bytes + len - tail_len, tail_len});
    }
    tv_index_release(&index);
    fuzz_compare_ways(&memory.alloc, input, len ? 1 + bytes[len - 1] % MOST_CHUNK_RECORDS : 1);
    fuzz_memory_check_released(&memory);
    return 0;
}
