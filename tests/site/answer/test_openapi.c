/* site/openapi: the description has an operation for each row of the table of routes, and for each
 * route of the api that names other traces, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/route.h"
#include "site/answer/openapi.h"
#include "site/answer/routes.h"

/* The part of the description that is about a path, which the file has on lines of its own. */
static struct tv_str part_of(struct tv_str text, const char *path)
{
    char head[160];
    (void)snprintf(head, sizeof(head), "\n  \"%s\": {", path);
    size_t start = tv_str_find(text, tv_str_from(head), TV_CASE_EXACT);
    if (start == SIZE_MAX)
        return (struct tv_str){NULL, 0};
    struct tv_str rest = {text.at + start, text.len - start};
    size_t end = tv_str_find(rest, TV_STR("\n  }"), TV_CASE_EXACT);
    return (struct tv_str){rest.at, end == SIZE_MAX ? 0 : end};
}

static size_t count_of(struct tv_str text, struct tv_str word)
{
    size_t count = 0;
    size_t at;
    while ((at = tv_str_find(text, word, TV_CASE_EXACT)) != SIZE_MAX) {
        text.at += at + word.len;
        text.len -= at + word.len;
        count++;
    }
    return count;
}

static void each_route_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < tv_site_routes.count; i++) {
        const struct tv_http_route *row = &tv_site_routes.rows[i];
        char method[32];
        (void)snprintf(method, sizeof(method), "\n   \"%s\": {", tv_http_method_name(row->method));
        for (char *c = method; *c; c++) {
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c - 'A' + 'a');
        }
        struct tv_str part = part_of(tv_openapi_view(), row->path);
        if (tv_str_find(part, tv_str_from(method), TV_CASE_EXACT) == SIZE_MAX)
            fail_msg("%s %s is not described", tv_http_method_name(row->method), row->path);
    }
}

#define NAME(name) #name,
static const char *const comparing[] = {TV_COMPARING_ROUTES(NAME)};
static const char *const prefixes[] = {"/trace/{id}/api", "/api/v1/traces/{id}/view"};

/* Their parameters are not those of one trace, so each is told of by itself. */
static void what_compares_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(comparing) * TV_COUNT_OF(prefixes); i++) {
        char path[160];
        (void)snprintf(path, sizeof(path), "%s/%s", prefixes[i % TV_COUNT_OF(prefixes)],
                       comparing[i / TV_COUNT_OF(prefixes)]);
        if (!part_of(tv_openapi_view(), path).len)
            fail_msg("%s is not described", path);
    }
}

static void nothing_else_is_described(void **state)
{
    (void)state;
    assert_int_equal(count_of(tv_openapi_view(), TV_STR("\"operationId\":")),
                     tv_site_routes.count + TV_COUNT_OF(comparing) * TV_COUNT_OF(prefixes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_route_is_described),
        cmocka_unit_test(what_compares_is_described),
        cmocka_unit_test(nothing_else_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
