/* site/metrics: counts and their text. That Prometheus takes the text is tested against a running
 * site. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "site/log/metrics.h"

static void assert_has(const struct tv_buffer *text, const char *line)
{
    if (tv_str_find(tv_buffer_view(text), tv_str_from(line), TV_CASE_EXACT) == SIZE_MAX)
        fail_msg("'%s' is not in: %.*s", line, (int)text->len, (const char *)text->bytes);
}

static void requests_are_counted_by_status_and_time(void **state)
{
    struct tv_metrics metrics = {0};
    struct tv_gauges gauges = {.traces = 3};
    struct tv_buffer text;
    (void)state;
    tv_buffer_init(&text, tv_alloc_libc());
    tv_metrics_request(&metrics, 200, 10, 100, 1000000);      /* as long as the first bound */
    tv_metrics_request(&metrics, 200, 0, 100, 1000001);       /* longer than it */
    tv_metrics_request(&metrics, 404, 0, 5, 200000000000ull); /* longer than all */
    tv_metrics_request(&metrics, 0, 7, 0, 1);
    tv_metrics_request(&metrics, 1000, 0, 0, 1); /* no status at all */
    tv_metrics_add(&metrics, TV_COUNTER_UPLOADS, 2);
    assert_int_equal(tv_metrics_write(&metrics, &gauges, "1.2", &text, NULL), TV_OK);
    assert_has(&text, "\ntraceview_http_requests_total{code=\"200\"} 2\n");
    assert_has(&text, "\ntraceview_http_requests_total{code=\"404\"} 1\n");
    assert_has(&text, "\ntraceview_http_requests_total{code=\"cut\"} 2\n");
    assert_has(&text, "\ntraceview_http_sent_bytes_total 205\n");
    assert_has(&text, "\ntraceview_http_received_bytes_total 17\n");
    assert_has(&text, "_bucket{le=\"0.001\"} 3\n");
    assert_has(&text, "_bucket{le=\"0.0025\"} 4\n");
    assert_has(&text, "_bucket{le=\"120\"} 4\n");
    assert_has(&text, "_bucket{le=\"+Inf\"} 5\n");
    assert_has(&text, "_seconds_sum 200.002000003\n");
    assert_has(&text, "_seconds_count 5\n");
    assert_has(&text, "\ntraceview_uploads_total 2\n");
    assert_has(&text, "\ntraceview_traces 3\n");
    assert_has(&text, "\ntraceview_build_info{version=\"1.2\"} 1\n");
    tv_buffer_release(&text);
}

static void what_the_process_takes_is_told(void **state)
{
    struct tv_metrics metrics = {0};
    struct tv_gauges gauges = {0};
    struct tv_buffer text;
    (void)state;
    tv_buffer_init(&text, tv_alloc_libc());
    assert_int_equal(tv_metrics_write(&metrics, &gauges, "1.2", &text, NULL), TV_OK);
    size_t memory = tv_str_find(tv_buffer_view(&text),
                                TV_STR("\nprocess_resident_memory_bytes 0\n"), TV_CASE_EXACT);
    size_t files =
        tv_str_find(tv_buffer_view(&text), TV_STR("\nprocess_open_fds 0\n"), TV_CASE_EXACT);
    assert_true(memory == SIZE_MAX);
    assert_true(files == SIZE_MAX);
    tv_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_counted_by_status_and_time),
        cmocka_unit_test(what_the_process_takes_is_told),
    };
    return cmocka_run_group_tests_name("site/metrics", tests, NULL, NULL);
}
