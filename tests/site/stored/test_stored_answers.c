/* Answers from stored traces (site/stored/stored.h): the same as those of the api, with tags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "base/compiler.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "site/kept.h"
#include "site/stored/stored.h"
#include "support/trace_builder.h"

struct asking {
    struct kept kept;
    struct tv_http_field field;
    struct tv_http_request request;
    struct tv_http_response response;
};

static void begin(struct asking *asking)
{
    asking->request = (struct tv_http_request){.connection = -1, .takes_chunks = true};
    tv_http_response_init(&asking->response, tv_os_alloc());
    keep(&asking->kept, 2, 1);
}

static void end(struct asking *asking)
{
    tv_http_response_release(&asking->response);
    release_kept(&asking->kept);
}

static void begin_again(struct asking *asking)
{
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, tv_os_alloc());
}

static int view(struct asking *asking, unsigned i, const char *route, const char *query)
{
    begin_again(asking);
    tv_stored_view(asking->kept.stored, &asking->kept.of[i].trace, &asking->request,
                   tv_str_from(route), tv_str_from(query), &asking->response);
    return asking->response.status;
}

static int draw(struct asking *asking, uint32_t thread_id)
{
    begin_again(asking);
    tv_stored_flame(asking->kept.stored, &asking->kept.of[0].trace, &asking->request, thread_id,
                    &asking->response);
    return asking->response.status;
}

static void send_header(struct asking *asking, struct tv_str name, const char *value)
{
    asking->field = (struct tv_http_field){name, tv_str_from(value)};
    asking->request.fields = &asking->field;
    asking->request.field_count = value ? 1 : 0;
}

static bool says(const struct asking *asking, const char *text)
{
    return tv_str_find(tv_buffer_view(&asking->response.owned), tv_str_from(text), TV_CASE_EXACT) !=
           SIZE_MAX;
}

/* What the api answers about the same trace. */
static void expect_same(struct asking *asking, const char *route, const char *query)
{
    struct tv_stored_index *held;
    struct tv_api_response wanted;
    tv_api_response_init(&wanted, tv_os_alloc());
    assert_int_equal(tv_stored_hold(asking->kept.stored, &asking->kept.of[1].trace, &held, NULL),
                     TV_OK);
    const struct tv_api_trace trace = {.index = &held->index, .file = TV_STR("caf\xc3\xa9.trace")};
    const struct tv_api api = {
        .alloc = tv_os_alloc(), .pool = tv_pool_serial(), .traces = &trace, .trace_count = 1};
    assert_int_equal(tv_api_get(&api, tv_str_from(route), tv_str_from(query), &wanted, NULL),
                     TV_OK);
    assert_int_equal(view(asking, 1, route, query), wanted.status);
    assert_string_equal(tv_http_added(&asking->response, "Content-Type"), wanted.content_type);
    assert_true(
        tv_str_equal(tv_buffer_view(&asking->response.owned), tv_buffer_view(&wanted.body)));
    tv_stored_let_go(asking->kept.stored, held);
    tv_api_response_release(&wanted);
}

static void views_are_those_of_the_api(void **state)
{
    static const char *const context[][2] = {
        {"info", ""},  {"top", "n=5&sort=inclusive"}, {"tree", ""},          {"check", ""},
        {"flame", ""}, {"top", "clock=sun"},          {"nothing", "at=all"}, {"exports", ""},
    };
    struct asking asking;
    (void)state;
    begin(&asking);
    for (size_t i = 0; i < TV_COUNT_OF(context); i++)
        expect_same(&asking, context[i][0], context[i][1]);
    end(&asking);
}

static void who_has_an_answer_gets_no_second_one(void **state)
{
    char tag[80];
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(view(&asking, 0, "top", "n=1"), 200);
    assert_string_equal(tv_http_added(&asking.response, "Cache-Control"), "private, no-cache");
    (void)strncpy(tag, tv_http_added(&asking.response, "ETag"), sizeof(tag) - 1);
    tag[sizeof(tag) - 1] = '\0';
    uint64_t opened = tv_stored_count(asking.kept.stored).opened;
    send_header(&asking, TV_STR("If-None-Match"), tag);
    assert_int_equal(view(&asking, 0, "top", "n=1"), 304);
    assert_int_equal(view(&asking, 0, "top", "n=2"), 200);
    assert_int_equal(view(&asking, 0, "top", "clock=sun"), 400);
    assert_null(tv_http_added(&asking.response, "ETag"));
    assert_int_equal(tv_stored_count(asking.kept.stored).opened, opened);
    assert_int_equal(view(&asking, 1, "top", "n=1"), 200);
    /* Another index is open now; the tag is enough. */
    opened = tv_stored_count(asking.kept.stored).opened;
    assert_int_equal(view(&asking, 0, "top", "n=1"), 304);
    assert_int_equal(tv_stored_count(asking.kept.stored).opened, opened);
    end(&asking);
}

static void the_info_is_that_of_the_view(void **state)
{
    struct asking asking;
    struct tv_buffer info;
    (void)state;
    begin(&asking);
    tv_buffer_init(&info, tv_os_alloc());
    assert_int_equal(tv_stored_info(asking.kept.stored, &asking.kept.of[0].trace, &info, NULL),
                     TV_OK);
    assert_int_equal(view(&asking, 0, "info", ""), 200);
    assert_true(tv_str_equal(tv_buffer_view(&info), tv_buffer_view(&asking.response.owned)));
    tv_buffer_release(&info);
    end(&asking);
}

/* Though no more than one may be open that nobody holds. */
static void an_answer_about_two_traces_opens_each_once(void **state)
{
    static const struct tv_str names[] = {{"0", 1}, {"1", 1}};
    struct asking asking;
    (void)state;
    begin(&asking);
    const struct tv_stored_trace traces[] = {asking.kept.of[0].trace, asking.kept.of[1].trace};
    tv_stored_diff(asking.kept.stored, traces, names, 2, &asking.request, TV_STR("diff"),
                   TV_STR("old=1"), &asking.response);
    assert_int_equal(asking.response.status, 200);
    assert_int_equal(tv_stored_count(asking.kept.stored).opened, 2);
    end(&asking);
}

static void a_thread_has_its_picture(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(draw(&asking, MAIN), 200);
    assert_string_equal(tv_http_added(&asking.response, "Content-Type"), "image/svg+xml");
    assert_true(says(&asking, "<svg"));
    assert_true(says(&asking, "</svg>"));
    assert_true(says(&asking, "foo"));
    char tag[80];
    (void)strncpy(tag, tv_http_added(&asking.response, "ETag"), sizeof(tag) - 1);
    tag[sizeof(tag) - 1] = '\0';
    send_header(&asking, TV_STR("If-None-Match"), tag);
    assert_int_equal(draw(&asking, MAIN), 304);
    assert_int_equal(draw(&asking, 77), 404);
    assert_true(says(&asking, "77"));
    assert_null(tv_http_added(&asking.response, "ETag"));
    end(&asking);
}

static void threads_are_listed_with_what_they_did(void **state)
{
    struct tv_stored_thread *threads;
    struct tv_arena arena;
    struct asking asking;
    size_t count;
    (void)state;
    begin(&asking);
    tv_arena_init(&arena, tv_os_alloc());
    assert_int_equal(tv_stored_threads(asking.kept.stored, &asking.kept.of[1].trace, &arena,
                                       &threads, &count, NULL),
                     TV_OK);
    assert_int_equal(count, 1); /* "worker" did nothing */
    assert_int_equal(threads[0].id, MAIN);
    assert_true(tv_str_equal(threads[0].name, TV_STR("main")));
    assert_int_equal(threads[0].calls, 1);
    assert_int_equal(threads[0].wall_ns, 200000);
    assert_int_equal(threads[0].cpu_ns, 200000);
    tv_arena_release(&arena);
    end(&asking);
}

static void raw(struct asking *asking)
{
    begin_again(asking);
    tv_stored_raw(asking->kept.stored, &asking->kept.of[0].trace, &asking->request,
                  &asking->response);
}

static void raw_bytes_are_those_of_the_upload(void **state)
{
    char bytes[8192];
    struct trace_builder t;
    struct asking asking;
    (void)state;
    begin(&asking);
    build_kept(&t, 0);
    raw(&asking);
    assert_int_equal(asking.response.status, 200);
    assert_int_equal(asking.response.kind, TV_HTTP_BODY_FILE);
    assert_int_equal(asking.response.file.len, t.bytes.len);
    assert_int_equal(pread(asking.response.file.fd, bytes, sizeof(bytes), 0), t.bytes.len);
    assert_memory_equal(bytes, t.bytes.bytes, t.bytes.len);
    assert_non_null(strstr(tv_http_added(&asking.response, "Content-Disposition"),
                           "filename*=UTF-8''caf%C3%A9.trace"));
    assert_non_null(strstr(tv_http_added(&asking.response, "ETag"), asking.kept.of[0].raw.hex));
    send_header(&asking, TV_STR("Range"), "bytes=10-19");
    raw(&asking);
    assert_int_equal(asking.response.status, 206);
    assert_int_equal(asking.response.file.off, 10);
    assert_int_equal(asking.response.file.len, 10);
    build_release(&t);
    end(&asking);
}

static void what_is_missing_in_the_store_is_told(void **state)
{
    struct tv_stored_thread *threads;
    struct tv_arena arena;
    struct tv_buffer info;
    struct asking asking;
    size_t count;
    (void)state;
    begin(&asking);
    const struct tv_store_files *files = &asking.kept.store.files;
    const struct tv_stored_trace *trace = &asking.kept.of[0].trace;
    assert_int_equal(files->remove(files->ctx, &asking.kept.of[0].index, NULL), TV_OK);
    assert_int_equal(files->remove(files->ctx, &asking.kept.of[0].raw, NULL), TV_OK);
    assert_int_equal(view(&asking, 0, "top", ""), 500);
    assert_null(tv_http_added(&asking.response, "ETag"));
    assert_int_equal(draw(&asking, MAIN), 500);
    raw(&asking);
    assert_int_equal(asking.response.status, 500);
    tv_arena_init(&arena, tv_os_alloc());
    tv_buffer_init(&info, tv_os_alloc());
    assert_int_not_equal(
        tv_stored_threads(asking.kept.stored, trace, &arena, &threads, &count, NULL), TV_OK);
    assert_int_equal(count, 0);
    assert_int_not_equal(tv_stored_info(asking.kept.stored, trace, &info, NULL), TV_OK);
    tv_buffer_release(&info);
    tv_arena_release(&arena);
    end(&asking);
}

int main(void)
{
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_those_of_the_api),
        cmocka_unit_test(who_has_an_answer_gets_no_second_one),
        cmocka_unit_test(the_info_is_that_of_the_view),
        cmocka_unit_test(an_answer_about_two_traces_opens_each_once),
        cmocka_unit_test(a_thread_has_its_picture),
        cmocka_unit_test(threads_are_listed_with_what_they_did),
        cmocka_unit_test(raw_bytes_are_those_of_the_upload),
        cmocka_unit_test(what_is_missing_in_the_store_is_told),
    };
    return cmocka_run_group_tests_name("site/stored_answers", tests, NULL, NULL);
}
