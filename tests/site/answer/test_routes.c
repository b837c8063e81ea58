/* site/routes: which row of the table a request finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/answer/routes.h"

#define ID "00112233445566778899aabbccddeeff"

static const char *find(enum tv_http_method method, const char *path, struct tv_path_parts *parts)
{
    const struct tv_site_route *route = tv_site_route_find(method, tv_str_from(path), parts);
    return route ? route->path : "none";
}

static void paths_find_their_row(void **state)
{
    static const char *const paths[][2] = {
        {"/", "/"},
        {"/trace/" ID, "/trace/{id}"},
        {"/trace/0123456789ABCDEF0123456789ABCDEF", "/trace/{id}"},
        {"/trace/" ID "/", "/trace/{id}/"},
        {"/trace/" ID "/12.svg", "/trace/{id}/{thread}.svg"},
        {"/trace/" ID "/api/first", "/trace/{id}/api/first"},
        {"/trace/" ID "/api/top", "/trace/{id}/api/{route}"},
        {"/api/v1/traces/" ID "/view/top", "/api/v1/traces/{id}/view/{route}"},
        {"/api/v1/traces/" ID "/export/csv", "/api/v1/traces/{id}/export/{format}"},
        {"/static/site-0123.css", "/static/{file}"},
        {"", "none"},
        {"//", "none"},
        {"/trace/", "none"},
        {"/trace/" ID "0", "none"},
        {"/trace/0011", "none"},
        {"/trace/" ID "/1a.svg", "none"},
        {"/trace/" ID "/.svg", "none"},
        {"/trace/" ID "/12.svg/", "none"},
        {"/trace/%30" ID, "none"},
        {"/trace/" ID "/../../etc/passwd", "none"},
        {"/static/..", "none"},
        {"/static/../routes.c", "none"},
        {"/static/.hidden", "none"},
        {"/static/", "none"},
        {"/static/a/b", "none"},
        {"/static/a%2fb", "none"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        struct tv_path_parts parts;
        assert_string_equal(find(TV_HTTP_GET, paths[i][0], &parts), paths[i][1]);
        assert_string_equal(find(TV_HTTP_HEAD, paths[i][0], &parts), paths[i][1]);
    }
}

static void parts_are_handed_over(void **state)
{
    struct tv_path_parts parts;
    (void)state;
    (void)find(TV_HTTP_GET, "/trace/" ID "/12.svg", &parts);
    assert_true(tv_str_equal(parts.id, TV_STR(ID)));
    assert_true(tv_str_equal(parts.name, TV_STR("12")));
    (void)find(TV_HTTP_GET, "/api/v1/traces/" ID "/view/flame", &parts);
    assert_true(tv_str_equal(parts.id, TV_STR(ID)));
    assert_true(tv_str_equal(parts.name, TV_STR("flame")));
}

static void method_decides_too(void **state)
{
    struct tv_path_parts parts;
    char methods[TV_ROUTE_METHODS_CAP];
    (void)state;
    assert_string_equal(find(TV_HTTP_POST, "/", &parts), "none");
    assert_string_equal(find(TV_HTTP_DELETE, "/api/v1/traces/" ID, &parts), "/api/v1/traces/{id}");
    assert_string_equal(find(TV_HTTP_OTHER, "/api/v1/traces", &parts), "none");
    assert_true(tv_site_route_methods(TV_STR("/api/v1/traces"), methods));
    assert_string_equal(methods, "GET, HEAD, POST, PUT");
    assert_true(tv_site_route_methods(TV_STR("/upload_trace"), methods));
    assert_string_equal(methods, "POST");
    assert_false(tv_site_route_methods(TV_STR("/nothing"), methods));
}

static void bodies_are_taken_by_posts_alone(void **state)
{
    size_t count;
    const struct tv_site_route *routes = tv_site_routes(&count);
    (void)state;
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        bool is_get = routes[i].method == TV_HTTP_GET;
        assert_true(routes[i].path[0] == '/' && routes[i].answer);
        assert_true(!is_get || routes[i].body == TV_ROUTE_NOTHING);
        assert_true(routes[i].body == TV_ROUTE_NOTHING || routes[i].is_slow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_find_their_row),
        cmocka_unit_test(parts_are_handed_over),
        cmocka_unit_test(method_decides_too),
        cmocka_unit_test(bodies_are_taken_by_posts_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
