/*
 * From a request to a response: finds the route, parses the query, runs the route, and turns a
 * failure into an answer that says why. Nothing outlives a request but the response: what a route
 * needs beside it is in one arena, which ends with the request.
 */
#include "api/api.h"

#include <string.h>

#include "api/pack.h"
#include "api/route.h"
#include "base/error.h"
#include "base/memory/limit.h"
#include "base/text/json.h"
#include "index/memory.h"

/* Far more than a page asks; a longer query costs memory for nothing. */
#define QUERY_LEN_LIMIT 65536u

void tv_api_response_init(struct tv_api_response *response, const struct tv_alloc *alloc)
{
    *response = (struct tv_api_response){.status = 500, .content_type = TV_TYPE_JSON};
    tv_buffer_init(&response->body, alloc);
}

void tv_api_response_release(struct tv_api_response *response)
{
    tv_buffer_release(&response->body);
    response->status = 500;
}

size_t tv_api_answer_limit(const struct tv_api *api)
{
    return api->answer_limit ? api->answer_limit : TV_ANSWER_LIMIT;
}

/* Puts {"error": text} in place of whatever the response holds. */
static enum tv_code refuse(struct tv_api_response *response, int status, const char *text,
                           struct tv_error *err)
{
    struct tv_json json;
    response->body.len = 0;
    response->status = status;
    response->content_type = TV_TYPE_JSON;
    tv_json_init(&json, tv_buffer_sink(&response->body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "error", text);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* What the request asked for wrongly is 4xx; what nobody waits for is 503, what
 * the program could not do is 500. */
int tv_api_status(enum tv_code code)
{
    switch (code) {
    case TV_OK:
        return 200;
    case TV_ERR_ARGUMENT:
    case TV_ERR_LIMIT:
        return 400;
    case TV_ERR_NOT_FOUND:
        return 404;
    case TV_ERR_CONFLICT:
        return 409;
    case TV_ERR_CANCELLED:
    case TV_ERR_AWAY:
        return 503;
    case TV_ERR_MEMORY:
    case TV_ERR_FORMAT:
    case TV_ERR_FOREIGN:
    case TV_ERR_UNSUPPORTED:
    case TV_ERR_SYSTEM:
        break;
    }
    return 500;
}

/* Makes an answer out of how a route ended. Whatever a failed route had written is thrown away:
 * half an answer would be taken for a whole one. */
enum tv_code tv_api_response_end(struct tv_api_response *response, enum tv_code code,
                                 const struct tv_error *why, struct tv_error *err)
{
    response->status = tv_api_status(code);
    if (code == TV_OK)
        return TV_OK;
    /* An answer that reports missing memory would need memory itself. */
    if (code == TV_ERR_MEMORY) {
        response->body.len = 0;
        if (err)
            *err = *why;
        return code;
    }
    return refuse(response, response->status, why->text, err);
}

/* Marks an answer that was made from the beginning of a trace: a JSON answer gets "complete": false
 * as its first member, a packed answer loses the flag of a complete one. */
static enum tv_code tell_part(const struct tv_route *route, struct tv_buffer *body,
                              struct tv_error *err)
{
    static const char member[] = "\"complete\":false,";
    const size_t len = sizeof(member) - 1;
    uint8_t *end;
    if (strcmp(route->content_type, TV_TYPE_PACKED) == 0) {
        body->bytes[TV_PACK_FLAGS_AT] &= (uint8_t)~TV_PACK_COMPLETE;
        return TV_OK;
    }
    /* The answer of `search` always has the member, since a search may find too many methods. */
    if (route == &tv_route_search)
        return TV_OK;
    TV_TRY(tv_buffer_extend(body, len, &end, err));
    memmove(body->bytes + 1 + len, body->bytes + 1, body->len - len - 1);
    memcpy(body->bytes + 1, member, len);
    return TV_OK;
}

/* Whether a trace that the answer may be made of is a beginning: whoever asks gives the traces that
 * the question names, and no others. */
static bool is_of_part(const struct tv_api *api)
{
    bool is_part = false;
    for (size_t i = 0; i < api->trace_count; i++)
        is_part = is_part || api->traces[i].part;
    return is_part;
}

/* What an answer may take: as much as answers about each of the traces may. */
static size_t most_memory(const struct tv_api *api)
{
    size_t most = 0;
    for (size_t i = 0; i < api->trace_count; i++) {
        const struct tv_index *index = api->traces[i].index;
        if (index && !tv_size_add(most, tv_memory_of_answer(index), &most))
            return SIZE_MAX;
    }
    return most;
}

bool tv_api_names_others(struct tv_str route)
{
#define NAME(name) #name,
    static const char *const names[] = {TV_COMPARING_ROUTES(NAME)};
#undef NAME
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        if (tv_str_equal(route, tv_str_from(names[i])))
            return true;
    }
    return false;
}

/* The parameters are checked against the route's list before the route sees them, so a misspelled
 * one is refused and not ignored. */
static enum tv_code run(struct tv_request *request, const struct tv_route *route,
                        struct tv_str query, struct tv_error *err)
{
    if (query.len > QUERY_LEN_LIMIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a query of more than %u bytes",
                       QUERY_LEN_LIMIT);
    TV_TRY(tv_params_parse(&request->params, request->arena, query, route->params, err));
    request->response->content_type = route->content_type;
    TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
    TV_TRY(route->run(request, err));
    return is_of_part(request->api) ? tell_part(route, &request->response->body, err) : TV_OK;
}

/* The length of an answer has a limit of its own (tv_api_answer_limit); this one is on the memory
 * that the route takes on its way, so that a question that is too broad fails alone and the process
 * goes on. */
enum tv_code tv_api_get(const struct tv_api *api, struct tv_str route, struct tv_str query,
                        struct tv_api_response *response, struct tv_error *err)
{
    const struct tv_route *found = tv_route_find(route);
    struct tv_arena arena;
    struct tv_error own = {.code = TV_OK};
    response->body.len = 0;
    if (!found)
        return refuse(response, 404, "there is no such route", err);
    /* The body, which the caller keeps, has a limit of its own. */
    struct tv_limit limit;
    tv_limit_init(&limit, api->alloc, most_memory(api));
    limit.is_unwanted = api->is_unwanted;
    const struct tv_pool pool = tv_pool_until(api->pool, api->is_unwanted);
    struct tv_api limited = *api;
    limited.alloc = &limit.alloc;
    limited.pool = &pool;
    tv_arena_init(&arena, &limit.alloc);
    struct tv_request request = {.api = &limited,
                                 .index = tv_api_meant(api)->index,
                                 .alloc = &limit.alloc,
                                 .arena = &arena,
                                 .response = response};
    enum tv_code code = run(&request, found, query, &own);
    tv_arena_release(&arena);
    code = tv_memory_tell(&limit, code, tv_api_meant(api)->index,
                          "the answer takes too much memory: ask for less", &own);
    return tv_api_response_end(response, code, &own, err);
}
