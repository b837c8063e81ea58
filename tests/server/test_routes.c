/* server/routes: which methods each path of the viewer takes, and what it says of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "server/routes.h"

struct asking {
    struct tv_viewer viewer;
    struct tv_http_response response;
};

static void begin(struct asking *asking)
{
    *asking = (struct asking){.viewer = {.alloc = tv_alloc_libc()}};
    assert_int_equal(tv_traces_init(&asking->viewer.traces, tv_alloc_libc(), NULL), TV_OK);
    tv_http_response_init(&asking->response, tv_alloc_libc());
}

static void end(struct asking *asking)
{
    tv_http_response_release(&asking->response);
    tv_traces_release(&asking->viewer.traces);
}

static int ask(struct asking *asking, enum tv_http_method method, const char *path)
{
    const struct tv_http_request request = {.method = method};
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, tv_alloc_libc());
    tv_viewer_answer(&asking->viewer, asking->viewer.traces.of[0], &request, tv_str_from(path),
                     TV_STR(""), &asking->response);
    return asking->response.status;
}

static void assert_says(const struct asking *asking, const char *text)
{
    struct tv_str body = asking->response.kind == TV_HTTP_BODY_OWNED
                             ? tv_buffer_view(&asking->response.owned)
                             : asking->response.fixed;
    if (!tv_str_equal(body, tv_str_from(text)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)body.len, body.at, text);
}

static void a_path_names_the_methods_that_it_takes(void **state)
{
    static const struct {
        enum tv_http_method method;
        const char *path, *allow, *text;
    } cases[] = {
        {TV_HTTP_PUT, "", "GET, HEAD", "Only GET and HEAD.\n"},
        {TV_HTTP_PUT, "nothing", "GET, HEAD", "Only GET and HEAD.\n"},
        {TV_HTTP_PUT, "api", "GET, HEAD", "Only GET and HEAD.\n"},
        {TV_HTTP_PUT, "api/", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/info", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/nothing", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/first", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/events", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/export", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/recent", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_PUT, "api/settings/", "GET, HEAD", "{\"error\":\"only GET\"}\n"},
        {TV_HTTP_GET, "api/open", "PUT", "{\"error\":\"only PUT\"}\n"},
        {TV_HTTP_HEAD, "api/reload", "PUT", "{\"error\":\"only PUT\"}\n"},
        {TV_HTTP_GET, "api/cancel", "PUT", "{\"error\":\"only PUT\"}\n"},
        {TV_HTTP_GET, "api/report", "PUT", "{\"error\":\"only PUT\"}\n"},
    };
    struct asking asking;
    (void)state;
    begin(&asking);
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        assert_int_equal(ask(&asking, cases[i].method, cases[i].path), 405);
        assert_string_equal(tv_http_added(&asking.response, "Allow"), cases[i].allow);
        assert_says(&asking, cases[i].text);
    }
    end(&asking);
}

static void what_is_no_route_is_said_in_the_words_of_its_place(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(ask(&asking, TV_HTTP_GET, "nothing"), 404);
    assert_says(&asking, "There is no such page.\n");
    assert_int_equal(ask(&asking, TV_HTTP_HEAD, "api"), 404);
    assert_int_equal(ask(&asking, TV_HTTP_GET, "api/nothing"), 404);
    assert_says(&asking, "{\"error\":\"no trace\"}\n");
    assert_int_equal(ask(&asking, TV_HTTP_GET, "api/"), 404);
    assert_says(&asking, "{\"error\":\"no trace\"}\n");
    end(&asking);
}

static void without_a_desk_nothing_is_recorded_by_any_method(void **state)
{
    static const char *const paths[] = {"api/devices", "api/processes", "api/recording"};
    struct asking asking;
    (void)state;
    begin(&asking);
    for (size_t i = 0; i < 2 * TV_COUNT_OF(paths); i++) {
        assert_int_equal(ask(&asking, i % 2 ? TV_HTTP_GET : TV_HTTP_PUT, paths[i / 2]), 404);
        assert_says(&asking, "{\"error\":\"this viewer cannot record\"}\n");
    }
    end(&asking);
}

static void a_trace_comes_as_a_body_where_one_is_opened(void **state)
{
    struct tv_http_routed found;
    (void)state;
    tv_viewer_find_route(TV_HTTP_PUT, TV_STR("api/open"), &found);
    assert_int_equal(found.route->body, TV_ROUTE_TRACE);
    tv_viewer_find_route(TV_HTTP_PUT, TV_STR("api/settings"), &found);
    assert_int_equal(found.route->body, TV_ROUTE_FORM);
    tv_viewer_find_route(TV_HTTP_PUT, TV_STR("api/report"), &found);
    assert_int_equal(found.route->body, TV_ROUTE_FORM);
    tv_viewer_find_route(TV_HTTP_GET, TV_STR("api/top"), &found);
    assert_int_equal(found.route->body, TV_ROUTE_NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_names_the_methods_that_it_takes),
        cmocka_unit_test(what_is_no_route_is_said_in_the_words_of_its_place),
        cmocka_unit_test(without_a_desk_nothing_is_recorded_by_any_method),
        cmocka_unit_test(a_trace_comes_as_a_body_where_one_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
