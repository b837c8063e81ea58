/* See ask.h. */
#include "ask.h"

#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "check.h"

static const char *const requests[][2] = {
    {"info", ""},
    {"top", "n=0&per_call=1"},
    {"top", "sort=inclusive&clock=wall&from=1&to=5000"},
    {"top", "match=/a.*b/i&threads=1"},
    {"top", "group=package&from=1&to=5000"},
    {"top", "ranks=1&overhead=1&n=3"},
    {"top", "clock=wait&idle=apart&from=1&to=5000"},
    {"detail", "thread=1&depth=0&call=0"},
    {"detail", "method=0&clock=wait&from=1&to=5000"},
    {"methods", "ranks=0,1,2"},
    {"callers", "method=0"},
    {"callers", "method=1&from=10&to=20000"},
    {"tree", "depth=5"},
    {"tree", "depth=3&inverted=1&clock=cpu"},
    {"calls", "method=0&n=5"},
    {"calls", "method=1&sort=exclusive&min=1&from=1&to=5000"},
    {"call", "thread=1&depth=0&call=0&step=child"},
    {"call", "at=1000&thread=1"},
    {"search", "q=o"},
    {"window", "from=0&to=100000&width=100&rows=1:f,1:0-5,2:f"},
    {"window", "from=0&to=100000&width=10&rows=1:x,1:f&extents=0&cpu=1"},
    {"overview", "width=200&rows=8"},
    {"flame", "width=300"},
    {"flame", "width=300&inverted=1"},
    {"flame", "width=300&ops=recursion:0;merge:1"},
};

/* Queries are also put together from these lists of words. */
#define VIEW "from to threads clock match hide "
#define SORT "sort by order "

static const struct {
    const char *name;
    const char *params;
} routes[] = {
    {"top", VIEW SORT "offset n per_call ranks overhead group parts"},
    {"callers", VIEW SORT "method"},
    {"tree", VIEW SORT "path depth inverted cut n"},
    {"calls", VIEW "method sort order min max offset n"},
    {"call", "thread depth call at method ordinal step"},
    {"search", "q n"},
    {"window", "from to width rows extents cpu"},
    {"overview", "width rows cpu"},
    {"flame", VIEW "width path inverted ops"},
    {"detail", VIEW "thread depth call method"},
    {"methods", "ranks"},
};

#define MIXED_COUNT 12u

#define NUMBERS                                                                                    \
    "0 1 2 3 999 5000 1000000000 4294967295 9223372036854775807 18446744073709551615 -1 x"

static const struct {
    const char *param;
    const char *values;
} choices[] = {
    {"threads", "1 2 1,2 0 7 4294967295 ,"},
    {"clock", "wall cpu wait"},
    {"by", "wall cpu wait moon"},
    {"match", "a O /a/ /.*/i /(a|aa)+$/ /( / %00"},
    {"hide", "a java. com,java. ,"},
    {"sort", "exclusive inclusive calls per-call name rank slowest first wall cpu wait thread"},
    {"order", "asc desc"},
    {"group", "class package"},
    {"path", "0 0.0 0.1 1.0.2.0 999 ."},
    {"cut", "0 1 50 99.99 100 101 1e9 ."},
    {"step", "parent child next-sibling prev-sibling next prev next-in-thread prev-in-thread"},
    {"q", "a /./ Z"},
    {"rows", "1:f 1:0-0 1:0-99,2:f 1:x,1:f 2:3-1 1:0-18446744073709551615 8"},
    {"ops", "focus:0 merge:1;drop:2 recursion:0;recursion:1 collapse:a;merge:0 focus:0;focus:0 "
            "end:0;end:1;drop:1 ;"},
};

/* Pseudo-random numbers: the same for the same input. */
static uint32_t dice(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

/* One of the words of a list. */
static struct tv_str word_of(const char *list, uint64_t *state)
{
    uint32_t count = 1;
    for (const char *at = list; *at; at++)
        count += *at == ' ';
    struct tv_str rest = tv_str_from(list);
    struct tv_str word = {list, 0};
    for (uint32_t i = dice(state, count) + 1; i > 0; i--)
        (void)tv_str_split(&rest, ' ', &word);
    return word;
}

static struct tv_str value_of(struct tv_str param, uint64_t *state)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        if (tv_str_equal(param, tv_str_from(choices[i].param)))
            return word_of(choices[i].values, state);
    }
    return word_of(NUMBERS, state);
}

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

/* A route with some of its parameters, and values that may make sense. */
static void ask_mixed(const struct tv_api *api, uint64_t *state)
{
    char query[512];
    size_t len = 0;
    uint32_t route = dice(state, sizeof(routes) / sizeof(routes[0]));
    for (uint32_t i = dice(state, 6) + 1; i > 0; i--) {
        struct tv_str param = word_of(routes[route].params, state);
        struct tv_str value = value_of(param, state);
        int added = snprintf(query + len, sizeof(query) - len, "%.*s=%.*s&", (int)param.len,
                             param.at, (int)value.len, value.at);
        len += (size_t)added;
        FUZZ_CHECK(len < sizeof(query));
    }
    ask(api, routes[route].name, (struct tv_str){query, len});
}

void fuzz_ask_all(const struct tv_alloc *alloc, const struct tv_index *index, struct tv_str tail)
{
    const struct tv_api_trace trace = {.index = index, .file = TV_STR("fuzz.trace")};
    struct tv_api api = {.alloc = alloc, .traces = &trace, .trace_count = 1};
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        ask(&api, requests[i][0], tv_str_from(requests[i][1]));
        ask(&api, requests[i][0], tail);
    }
    uint64_t state = tv_hash_bytes(tail.at, tail.len);
    for (unsigned i = 0; i < MIXED_COUNT; i++)
        ask_mixed(&api, &state);
}
