/*
 * The whole path: bytes, trace, index, and what the page asks of it. The answers need only end
 * well; that they are right is what other tests are for. Odd requests are made of the input's own
 * last bytes.
 */
#include <string.h>

#include "api/api.h"
#include "check.h"
#include "index/index.h"

#define INDEX_MEMORY ((size_t)1 << 26)

static const char *const requests[][2] = {
    {"info", ""},
    {"top", "n=0&per_call=1"},
    {"top", "sort=inclusive&clock=wall&from=1&to=5000"},
    {"top", "match=/a.*b/i&threads=1"},
    {"methods", "ranks=0,1,2"},
    {"callers", "method=0"},
    {"callers", "method=1&from=10&to=20000"},
    {"tree", "depth=5"},
    {"tree", "depth=3&inverted=1&clock=cpu"},
    {"calls", "method=0&n=5"},
    {"call", "thread=1&depth=0&call=0&step=child"},
    {"call", "at=1000&thread=1"},
    {"search", "q=o"},
    {"window", "from=0&to=100000&width=100&rows=1:f,1:0-5,2:f"},
    {"overview", "width=200&rows=8"},
    {"flame", "width=300"},
    {"flame", "width=300&inverted=1"},
};

static void ask(const struct tv_api *api, const char *route, struct tv_str query)
{
    struct tv_api_response response;
    struct tv_error err;
    tv_api_response_init(&response, api->alloc);
    enum tv_code code = tv_api_get(api, tv_str_from(route), query, &response, &err);
    FUZZ_CHECK(code == TV_OK || code == TV_ERR_MEMORY);
    FUZZ_CHECK(code != TV_OK || (response.status >= 200 && response.status < 500));
    tv_api_response_release(&response);
}

static void ask_all(const struct tv_alloc *alloc, const struct tv_index *index, struct tv_str tail)
{
    struct tv_api api = {.alloc = alloc, .index = index, .file = TV_STR("fuzz.trace")};
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        ask(&api, requests[i][0], tv_str_from(requests[i][1]));
        ask(&api, requests[i][0], tail);
    }
}

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
    struct tv_trace trace;
    struct tv_index index;
    struct tv_error err = {.code = TV_OK};
    size_t tail_len = len < 40 ? len : 40;
    fuzz_memory_init(&memory, len);
    memory.most += INDEX_MEMORY; /* design.md, section 11: 64 n + 64 MiB */
    tv_trace_init(&trace, &memory.alloc);
    tv_index_init(&index);
    enum tv_code code = tv_trace_open(&trace, bytes, len, NULL, &err);
    if (code == TV_OK)
        code = tv_index_build(&index, &trace, &(struct tv_build_opts){.pool = NULL}, &err);
    tv_trace_release(&trace);
    if (code == TV_OK) {
        check_index(&index);
        ask_all(&memory.alloc, &index,
                (struct tv_str){(const char *)bytes + len - tail_len, tail_len});
    }
    tv_index_release(&index);
    fuzz_memory_check_released(&memory);
    return 0;
}
