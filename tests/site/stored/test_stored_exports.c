/* Exports of stored traces (site/stored/stored.h), without a socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/compiler.h"
#include "export/export.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "site/kept.h"
#include "site/stored/stored.h"

/* The reader of a download, which sleeps until it is woken. */
struct sleeper {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool was_woken;
};

static void wake(void *ctx)
{
    struct sleeper *sleeper = ctx;
    pthread_mutex_lock(&sleeper->lock);
    sleeper->was_woken = true;
    pthread_cond_signal(&sleeper->woken);
    pthread_mutex_unlock(&sleeper->lock);
}

static void release(void *ctx)
{
    (void)ctx;
}

static void wait_for(struct sleeper *sleeper)
{
    pthread_mutex_lock(&sleeper->lock);
    while (!sleeper->was_woken)
        pthread_cond_wait(&sleeper->woken, &sleeper->lock);
    sleeper->was_woken = false;
    pthread_mutex_unlock(&sleeper->lock);
}

static int ask(struct kept *kept, const char *format, const char *query,
               struct tv_http_response *response)
{
    const struct tv_http_request request = {.connection = -1, .takes_chunks = true};
    tv_http_response_init(response, tv_os_alloc());
    tv_stored_export(kept->stored, &kept->of[0].trace, &request, tv_str_from(format),
                     tv_str_from(query), response);
    return response->status;
}

/* All that the source of a response gives. */
static void read_source(struct tv_http_response *response, struct tv_buffer *out)
{
    static struct sleeper sleeper = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    const struct tv_http_reader reader = {.wake = wake, .release = release, .ctx = &sleeper};
    const struct tv_http_source *source = &response->source;
    char bytes[500];
    ssize_t len = 0;
    assert_false(source->calls->begin(source->ctx, &reader));
    while (len >= 0) {
        wait_for(&sleeper);
        while ((len = source->calls->read(source->ctx, bytes, sizeof(bytes))) > 0)
            assert_int_equal(tv_buffer_append(out, bytes, (size_t)len, NULL), TV_OK);
    }
    assert_int_equal(len, TV_HTTP_SOURCE_END);
}

static void write_here(struct kept *kept, const char *format, struct tv_buffer *out)
{
    struct tv_stored_index *held;
    struct tv_export_result result;
    struct tv_export_opts opts = {.file = TV_STR("caf\xc3\xa9.trace")};
    assert_int_equal(tv_stored_hold(kept->stored, &kept->of[0].trace, &held, NULL), TV_OK);
    tv_scope_init(&opts.scope, &held->index);
    assert_int_equal(tv_export_run(tv_export_of_name(tv_str_from(format)), &held->index, &opts,
                                   tv_os_alloc(), NULL, tv_buffer_sink(out), &result, NULL),
                     TV_OK);
    tv_stored_let_go(kept->stored, held);
}

static void an_export_is_that_of_the_program(void **state)
{
    static const char *const formats[] = {"folded", "chrome", "speedscope", "csv", "trace"};
    struct kept kept;
    (void)state;
    keep(&kept, 1, 1);
    for (size_t i = 0; i < TV_COUNT_OF(formats); i++) {
        struct tv_http_response response;
        struct tv_buffer wanted, got;
        tv_buffer_init(&wanted, tv_os_alloc());
        tv_buffer_init(&got, tv_os_alloc());
        write_here(&kept, formats[i], &wanted);
        assert_int_equal(ask(&kept, formats[i], "", &response), 200);
        assert_non_null(strstr(tv_http_added(&response, "Content-Disposition"), "attachment"));
        read_source(&response, &got);
        assert_true(tv_str_equal(tv_buffer_view(&got), tv_buffer_view(&wanted)));
        tv_http_response_release(&response);
        tv_buffer_release(&wanted);
        tv_buffer_release(&got);
    }
    release_kept(&kept);
}

static void the_format_is_in_the_path_or_in_the_query(void **state)
{
    static const struct {
        const char *format;
        const char *query;
        int status;
    } context[] = {
        {"folded", "", 200},           {"folded", "from=0&to=1000", 200},
        {"", "format=folded", 200},    {"", "", 400},
        {"nothing", "", 404},          {"folded", "format=csv", 400},
        {"folded", "threads=77", 404}, {"folded", "nonsense=1", 400},
    };
    struct kept kept;
    (void)state;
    keep(&kept, 1, 1);
    for (size_t i = 0; i < TV_COUNT_OF(context); i++) {
        struct tv_http_response response;
        int status = ask(&kept, context[i].format, context[i].query, &response);
        if (status != context[i].status)
            fail_msg("%s?%s: %d", context[i].format, context[i].query, status);
        tv_http_response_release(&response); /* the reader leaves */
    }
    release_kept(&kept);
}

static void an_export_that_nobody_knows_is_told(void **state)
{
    const struct tv_http_request request = {.connection = -1, .takes_chunks = true};
    struct tv_http_response response;
    struct kept kept;
    (void)state;
    keep(&kept, 1, 1);
    tv_http_response_init(&response, tv_os_alloc());
    tv_stored_exporting(kept.stored, &request, TV_STR("id=5"), &response);
    assert_int_equal(response.status, 404);
    tv_http_response_release(&response);
    release_kept(&kept);
}

int main(void)
{
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_export_is_that_of_the_program),
        cmocka_unit_test(the_format_is_in_the_path_or_in_the_query),
        cmocka_unit_test(an_export_that_nobody_knows_is_told),
    };
    return cmocka_run_group_tests_name("site/stored_exports", tests, NULL, NULL);
}
