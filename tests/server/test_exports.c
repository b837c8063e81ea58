/* server/exports: the routes of downloads without a socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/exports.h"
#include "server/routes.h"
#include "shown.h"

struct asking {
    struct tv_viewer viewer;
    struct tv_http_request request;
    struct tv_http_response response;
};

static void begin(struct asking *asking)
{
    struct tv_viewer *viewer = &asking->viewer;
    *asking = (struct asking){.viewer = {.alloc = tv_alloc_libc()}};
    assert_int_equal(tv_traces_init(&viewer->traces, viewer->alloc, NULL), TV_OK);
    tv_downloads_init(&viewer->downloads, viewer->alloc, NULL);
    asking->request.takes_chunks = true;
    tv_http_response_init(&asking->response, viewer->alloc);
}

static void end(struct asking *asking)
{
    tv_http_response_release(&asking->response);
    tv_downloads_end(&asking->viewer.downloads);
    tv_downloads_release(&asking->viewer.downloads);
    tv_traces_release(&asking->viewer.traces);
}

static int ask(struct asking *asking, const char *route, const char *query)
{
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, tv_alloc_libc());
    tv_viewer_answer(&asking->viewer, asking->viewer.traces.of[0], &asking->request,
                     tv_str_from(route), tv_str_from(query), &asking->response);
    return asking->response.status;
}

static const char *header(const struct asking *asking, const char *name)
{
    const char *value = tv_http_added(&asking->response, name);
    return value ? value : "";
}

static bool says(const struct asking *asking, const char *text)
{
    return tv_str_find(tv_buffer_view(&asking->response.owned), tv_str_from(text), TV_CASE_EXACT) !=
           SIZE_MAX;
}

static void without_a_whole_trace_there_is_no_export(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(ask(&asking, "api/export", "format=folded"), 404);
    assert_true(says(&asking, "no trace"));
    show_part(asking.viewer.traces.of[0], "x.trace", 10, 1000);
    assert_int_equal(ask(&asking, "api/export", "format=folded"), 503);
    assert_true(says(&asking, "only the beginning"));
    assert_string_equal(header(&asking, "Retry-After"), "1");
    end(&asking);
}

static void a_client_that_cannot_tell_a_cut_is_refused(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "x.trace", 1, 1);
    asking.request.takes_chunks = false;
    assert_int_equal(ask(&asking, "api/export", "format=folded"), 505);
    end(&asking);
}

static void the_name_is_safe_in_both_spellings(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "caf\xc3\xa9 \"1\"\r\nX: y%;'.trace", 1, 1);
    assert_int_equal(ask(&asking, "api/export", "format=folded"), 200);
    assert_int_equal(asking.response.kind, TV_HTTP_BODY_SOURCE);
    assert_string_equal(header(&asking, "Content-Type"), "text/plain; charset=utf-8");
    assert_string_equal(header(&asking, "Content-Disposition"),
                        "attachment; filename=\"caf__ _1___X_ y___.folded\"; "
                        "filename*=UTF-8''caf%C3%A9%20_1___X_%20y%25%3B%27.folded");
    assert_int_equal(ask(&asking, "api/export", "format=folded&gzip=1"), 200);
    assert_string_equal(header(&asking, "Content-Type"), "application/gzip");
    assert_int_equal(ask(&asking, "api/export", "format=folded&check=1"), 200);
    assert_true(says(&asking, "{\"name\":\"caf\xc3\xa9 _1___X_ y%;'.folded\"}"));
    assert_null(asking.response.source.calls);
    end(&asking);
}

static void a_refused_query_gives_its_place_back(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "x.trace", 1, 1);
    for (unsigned i = 0; i < 3 * TV_DOWNLOADS_MOST; i++)
        assert_int_equal(ask(&asking, "api/export", i % 2 ? "format=nothing" : "threads=1"),
                         i % 2 ? 404 : 400);
    assert_null(asking.response.source.calls);
    assert_int_equal(ask(&asking, "api/export", "format=folded"), 200);
    end(&asking);
}

static void an_export_can_be_asked_for_and_cancelled_by_its_id(void **state)
{
    struct asking asking;
    struct asking other;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "x.trace", 1, 1);
    assert_int_equal(ask(&asking, "api/exporting", "id=4"), 404);
    assert_int_equal(ask(&asking, "api/exporting", ""), 400);
    assert_int_equal(ask(&asking, "api/export", "format=folded&id=4"), 200);
    other = asking; /* the download stays that of the first */
    tv_http_response_init(&asking.response, tv_alloc_libc());
    assert_int_equal(ask(&asking, "api/exporting", "id=4"), 200);
    assert_true(says(&asking, "{\"state\":\"running\",\"bytes\":0,\"done\":0,\"of\":0}"));
    asking.request.method = TV_HTTP_PUT;
    assert_int_equal(ask(&asking, "api/exporting", "id=4"), 200);
    assert_true(says(&asking, "\"state\":\"cancelled\""));
    assert_int_equal(ask(&asking, "api/export", "format=folded"), 405);
    tv_http_response_release(&other.response);
    end(&asking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_whole_trace_there_is_no_export),
        cmocka_unit_test(a_client_that_cannot_tell_a_cut_is_refused),
        cmocka_unit_test(the_name_is_safe_in_both_spellings),
        cmocka_unit_test(a_refused_query_gives_its_place_back),
        cmocka_unit_test(an_export_can_be_asked_for_and_cancelled_by_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
