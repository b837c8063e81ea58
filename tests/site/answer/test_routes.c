/* site/answer/routes: which row of the table a request finds. */
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
    struct tv_http_routed found;
    tv_http_routes_find(&tv_site_routes, method, tv_str_from(path), &found);
    *parts = found.parts;
    return found.route ? found.route->path : "none";
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

static const char *methods(const char *path)
{
    static char text[TV_ROUTE_METHODS_CAP];
    struct tv_http_routed found;
    tv_http_routes_find(&tv_site_routes, TV_HTTP_OTHER, tv_str_from(path), &found);
    assert_null(found.route);
    if (!found.of_path)
        return "none";
    tv_http_routes_methods(&tv_site_routes, found.of_path, text);
    return text;
}

static void method_decides_too(void **state)
{
    struct tv_path_parts parts;
    (void)state;
    assert_string_equal(find(TV_HTTP_POST, "/", &parts), "none");
    assert_string_equal(find(TV_HTTP_DELETE, "/api/v1/traces/" ID, &parts), "/api/v1/traces/{id}");
    assert_string_equal(find(TV_HTTP_OTHER, "/api/v1/traces", &parts), "none");
    assert_string_equal(methods("/api/v1/traces"), "GET, HEAD, POST, PUT");
    assert_string_equal(methods("/upload_trace"), "POST");
    assert_string_equal(methods("/trace/" ID "/api/exporting"), "GET, HEAD, PUT");
    assert_string_equal(methods("/trace/" ID "/api/first"), "GET, HEAD");
    assert_string_equal(methods("/file.trace"), "PUT");
    assert_string_equal(methods("/nothing/there"), "none");
}

static void bodies_are_taken_by_posts_alone(void **state)
{
    (void)state;
    assert_true(tv_site_routes.count > 0);
    for (size_t i = 0; i < tv_site_routes.count; i++) {
        const struct tv_http_route *row = &tv_site_routes.rows[i];
        bool is_get = row->method == TV_HTTP_GET;
        assert_true(row->path[0] == '/' && row->answer);
        assert_true(!is_get || row->body == TV_ROUTE_NOTHING);
        assert_true(row->body == TV_ROUTE_NOTHING || (row->needs & TV_ROUTE_SLOW));
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
