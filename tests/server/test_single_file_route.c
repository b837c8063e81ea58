/* server/single_file_route: what the route refuses. The pages that it makes are seen by
 * web/tests/page-saved.mjs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/routes.h"
#include "shown.h"

struct asking {
    struct tv_viewer viewer;
    struct tv_http_request request;
    struct tv_http_response response;
};

static void begin(struct asking *asking)
{
    *asking = (struct asking){.viewer = {.alloc = tv_alloc_libc(), .is_saving = ATOMIC_FLAG_INIT},
                              .request = {.method = TV_HTTP_PUT}};
    assert_int_equal(tv_traces_init(&asking->viewer.traces, asking->viewer.alloc, NULL), TV_OK);
    tv_http_response_init(&asking->response, asking->viewer.alloc);
}

static void end(struct asking *asking)
{
    tv_http_response_release(&asking->response);
    tv_traces_release(&asking->viewer.traces);
}

static int put(struct asking *asking, const char *form)
{
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, asking->viewer.alloc);
    asking->request.body = tv_str_from(form);
    tv_viewer_answer(&asking->viewer, asking->viewer.traces.of[0], &asking->request,
                     TV_STR("api/report"), TV_STR(""), &asking->response);
    return asking->response.status;
}

static bool says(const struct asking *asking, const char *text)
{
    return tv_str_find(tv_buffer_view(&asking->response.owned), tv_str_from(text), TV_CASE_EXACT) !=
           SIZE_MAX;
}

static void only_a_form_makes_a_page(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "x.trace", 1, 1);
    asking.request.method = TV_HTTP_GET;
    assert_int_equal(put(&asking, ""), 405);
    assert_string_equal(tv_http_added(&asking.response, "Allow"), "PUT");
    end(&asking);
}

static void without_a_whole_trace_there_is_no_page(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(put(&asking, ""), 404);
    show_part(asking.viewer.traces.of[0], "x.trace", 10, 1000);
    assert_int_equal(put(&asking, ""), 503);
    assert_true(says(&asking, "only the beginning"));
    end(&asking);
}

static void one_page_is_made_at_a_time(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "x.trace", 1, 1);
    (void)atomic_flag_test_and_set(&asking.viewer.is_saving);
    assert_int_equal(put(&asking, ""), 503);
    assert_true(says(&asking, "another page is being made"));
    end(&asking);
}

/* The refusal gives the place back, too. */
static void a_wrong_form_is_refused(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    show_part(asking.viewer.traces.of[0], "x.trace", 1, 1);
    assert_int_equal(put(&asking, "format=folded"), 400);
    assert_int_equal(put(&asking, "redact=2"), 400);
    assert_int_equal(put(&asking, "threads=x"), 400);
    end(&asking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_form_makes_a_page),
        cmocka_unit_test(without_a_whole_trace_there_is_no_page),
        cmocka_unit_test(one_page_is_made_at_a_time),
        cmocka_unit_test(a_wrong_form_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
