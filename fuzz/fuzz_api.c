/*
 * From a request to an answer: the input is a line ROUTE?QUERY, and behind it a trace of any
 * family, of whose index the line is asked.
 *
 * Every answer must be valid JSON, or packed columns that agree with each other, within its limit
 * of bytes, and the same however often it is asked for. The question is asked with the limit that a
 * page has, and with one of a few kilobytes, under which rows are left out.
 */
#include <string.h>

#include "all_builders.h"
#include "answer.h"
#include "api/api.h"
#include "api/pack_window.h"
#include "check.h"

#define INDEX_MEMORY ((size_t)1 << 26)
/* Such questions take time by design, which is not what is looked for. */
#define LONGEST_QUERY 4096u
#define SMALLEST_LIMIT 512u
#define LIMITS 16384u

static void check_body(const struct tv_api_response *response, size_t limit)
{
    FUZZ_CHECK(response->status == 200 || response->status == 400 || response->status == 404);
    if (strcmp(response->content_type, "application/json") == 0)
        FUZZ_CHECK(fuzz_is_json(tv_buffer_view(&response->body)));
    else
        FUZZ_CHECK(fuzz_is_packed(response->body.bytes, response->body.len));
    size_t most = limit > TV_WINDOW_BYTES ? limit : TV_WINDOW_BYTES;
    if (strcmp(response->content_type, "application/json") == 0)
        most = limit;
    FUZZ_CHECK(response->status != 200 || response->body.len <= most);
}

/* Asks twice; both answers are the same. */
static void ask(const struct tv_api *api, struct tv_str route, struct tv_str query)
{
    struct tv_api_response first;
    struct tv_api_response second;
    tv_api_response_init(&first, api->alloc);
    tv_api_response_init(&second, api->alloc);
    FUZZ_CHECK(tv_api_get(api, route, query, &first, NULL) == TV_OK);
    FUZZ_CHECK(tv_api_get(api, route, query, &second, NULL) == TV_OK);
    check_body(&first, tv_api_answer_limit(api));
    FUZZ_CHECK(first.status == second.status &&
               tv_str_equal(tv_buffer_view(&first.body), tv_buffer_view(&second.body)));
    tv_api_response_release(&first);
    tv_api_response_release(&second);
}

static void ask_of(const struct tv_alloc *alloc, const struct tv_index *index, struct tv_str line)
{
    struct tv_str route;
    struct tv_str query = line;
    const struct tv_api_part part = {.read_len = 1, .len = 2};
    uint64_t dice = tv_hash_bytes(line.at, line.len);
    struct tv_api_trace trace = {.index = index, .file = TV_STR("fuzz\"\x80.trace")};
    struct tv_api api = {.alloc = alloc, .traces = &trace, .trace_count = 1};
    if (!tv_str_split(&query, '?', &route))
        route = line;
    ask(&api, route, query);
    api.answer_limit = SMALLEST_LIMIT + dice % LIMITS;
    ask(&api, route, query);
    api.answer_limit = 0;
    trace.part = &part;
    ask(&api, route, query);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    struct tv_index index;
    const uint8_t *newline = memchr(bytes, '\n', len < LONGEST_QUERY ? len : LONGEST_QUERY);
    if (!newline)
        return 0;
    struct tv_str line = {(const char *)bytes, (size_t)(newline - bytes)};
    struct tv_str trace = {(const char *)newline + 1, len - line.len - 1};
    fuzz_memory_init(&memory, len);
    memory.most += 2 * INDEX_MEMORY;
    if (fuzz_build(&memory.alloc, (struct fuzz_input){.trace = trace}, NULL, &index) == TV_OK)
        ask_of(&memory.alloc, &index, line);
    tv_index_release(&index);
    fuzz_memory_check_released(&memory);
    return 0;
}
