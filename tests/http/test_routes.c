/* http/routes and http/path_pattern: which row of a table a request finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "http/routes.h"

#define ID "00112233445566778899aabbccddeeff"

static void answer(void *asked, struct tv_http_response *response)
{
    (void)asked;
    (void)response;
}

static const struct tv_http_route rows[] = {
    {TV_HTTP_GET, "", TV_ROUTE_NOTHING, 0, answer},
    {TV_HTTP_GET, "api/settings", TV_ROUTE_NOTHING, 0, answer},
    {TV_HTTP_PUT, "api/open", TV_ROUTE_TRACE, 0, answer},
    {TV_HTTP_PUT, "api/settings", TV_ROUTE_FORM, 0, answer},
    {TV_HTTP_DELETE, "id/{id}", TV_ROUTE_NOTHING, 0, answer},
    {TV_HTTP_GET, "id/{word}", TV_ROUTE_NOTHING, 0, answer},
    {TV_HTTP_GET, "api/{rest}", TV_ROUTE_NOTHING, 0, answer},
    {TV_HTTP_PUT, "files/{name}", TV_ROUTE_TRACE, 0, answer},
};
static const struct tv_http_routes routes = {rows, TV_COUNT_OF(rows)};

/* The place of the row that a request finds; -1: its path takes no such method, -2: no path. */
static int find(enum tv_http_method method, const char *path, struct tv_http_routed *found)
{
    tv_http_routes_find(&routes, method, tv_str_from(path), found);
    if (!found->of_path)
        return -2;
    return found->route ? (int)(found->route - rows) : -1;
}

static void the_method_chooses_among_rows_of_the_path(void **state)
{
    struct tv_http_routed found;
    (void)state;
    assert_int_equal(find(TV_HTTP_GET, "", &found), 0);
    assert_int_equal(find(TV_HTTP_GET, "api/settings", &found), 1);
    assert_int_equal(find(TV_HTTP_PUT, "api/settings", &found), 3);
    assert_int_equal(find(TV_HTTP_POST, "api/settings", &found), -1);
    assert_ptr_equal(found.of_path, &rows[1]);
    assert_int_equal(find(TV_HTTP_OTHER, "", &found), -1);
    assert_int_equal(find(TV_HTTP_GET, "nothing", &found), -2);
}

static void a_head_finds_what_a_get_finds(void **state)
{
    struct tv_http_routed found;
    (void)state;
    assert_int_equal(find(TV_HTTP_HEAD, "", &found), 0);
    assert_int_equal(find(TV_HTTP_HEAD, "api/settings", &found), 1);
    assert_int_equal(find(TV_HTTP_HEAD, "api/open", &found), -1);
}

static void a_special_path_is_not_answered_by_the_general_one(void **state)
{
    struct tv_http_routed found;
    (void)state;
    assert_int_equal(find(TV_HTTP_GET, "api/open", &found), -1);
    assert_ptr_equal(found.of_path, &rows[2]);
    assert_int_equal(find(TV_HTTP_GET, "id/" ID, &found), -1);
    assert_int_equal(find(TV_HTTP_GET, "id/" ID "0", &found), 5);
    assert_int_equal(find(TV_HTTP_GET, "api/open2", &found), 6);
    assert_int_equal(find(TV_HTTP_PUT, "api/open/", &found), -1);
    assert_ptr_equal(found.of_path, &rows[6]);
}

static void parts_are_those_of_the_row_that_fits(void **state)
{
    struct tv_http_routed found;
    (void)state;
    (void)find(TV_HTTP_DELETE, "id/" ID, &found);
    assert_true(tv_str_equal(found.parts.id, TV_STR(ID)));
    assert_int_equal(found.parts.name.len, 0);
    (void)find(TV_HTTP_GET, "id/0123", &found);
    assert_int_equal(found.parts.id.len, 0);
    assert_true(tv_str_equal(found.parts.name, TV_STR("0123")));
    (void)find(TV_HTTP_GET, "id/.hidden", &found);
    assert_null(found.of_path);
    assert_int_equal(found.parts.name.len, 0);
}

static void a_name_has_its_escapes(void **state)
{
    struct tv_http_routed found;
    (void)state;
    assert_int_equal(find(TV_HTTP_PUT, "files/a%20b~1.trace", &found), 7);
    assert_true(tv_str_equal(found.parts.name, TV_STR("a%20b~1.trace")));
    assert_int_equal(find(TV_HTTP_PUT, "files/a/b", &found), -2);
    assert_int_equal(find(TV_HTTP_PUT, "files/.a", &found), -2);
    assert_int_equal(find(TV_HTTP_PUT, "files/a b", &found), -2);
    assert_int_equal(find(TV_HTTP_PUT, "files/", &found), -2);
}

static void the_rest_is_anything_and_may_be_nothing(void **state)
{
    static const char *const rests[] = {"", "a", ".a", "a/b", "%2f", "\xff\x01", "open/open"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rests); i++) {
        struct tv_http_routed found;
        char path[32] = "api/";
        strncat(path, rests[i], sizeof(path) - sizeof("api/"));
        assert_int_equal(find(TV_HTTP_GET, path, &found), 6);
        assert_true(tv_str_equal(found.parts.name, tv_str_from(rests[i])));
    }
}

static void the_methods_of_a_path_are_those_of_its_own_rows(void **state)
{
    char methods[TV_ROUTE_METHODS_CAP];
    (void)state;
    tv_http_routes_methods(&routes, &rows[1], methods);
    assert_string_equal(methods, "GET, HEAD, PUT");
    tv_http_routes_methods(&routes, &rows[2], methods);
    assert_string_equal(methods, "PUT");
    tv_http_routes_methods(&routes, &rows[6], methods);
    assert_string_equal(methods, "GET, HEAD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_method_chooses_among_rows_of_the_path),
        cmocka_unit_test(a_head_finds_what_a_get_finds),
        cmocka_unit_test(a_special_path_is_not_answered_by_the_general_one),
        cmocka_unit_test(parts_are_those_of_the_row_that_fits),
        cmocka_unit_test(a_name_has_its_escapes),
        cmocka_unit_test(the_rest_is_anything_and_may_be_nothing),
        cmocka_unit_test(the_methods_of_a_path_are_those_of_its_own_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
