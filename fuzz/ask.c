/* See ask.h. */
#include "ask.h"

#include "api/api.h"
#include "check.h"

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

void fuzz_ask_all(const struct tv_alloc *alloc, const struct tv_index *index, struct tv_str tail)
{
    struct tv_api api = {.alloc = alloc, .index = index, .file = TV_STR("fuzz.trace")};
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        ask(&api, requests[i][0], tv_str_from(requests[i][1]));
        ask(&api, requests[i][0], tail);
    }
}
