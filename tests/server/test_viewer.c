/* server/viewer: every route without a socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "served/page.h"
#include "server/viewer.h"
#include "shown.h"

#define TOKEN "00112233445566778899aabbccddeeff"
#define ENTRY "ffeeddccbbaa99887766554433221100"

static char settings_path[] = "/tmp/traceview-test-XXXXXX";

static int make_settings_path(void **state)
{
    (void)state;
    int fd = mkstemp(settings_path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_settings(void **state)
{
    (void)state;
    return unlink(settings_path);
}

struct asking {
    struct tv_viewer viewer;
    struct tv_http_request request;
    struct tv_http_response response;
    struct tv_http_field fields[3]; /* Host, and what a test adds */
    char target[256];
};

static void begin(struct asking *asking)
{
    *asking = (struct asking){.viewer = {.alloc = tv_alloc_libc(), .settings_path = settings_path}};
    memcpy(asking->viewer.token, TOKEN, sizeof(TOKEN));
    memcpy(asking->viewer.entry, ENTRY, sizeof(ENTRY));
    atomic_flag_clear(&asking->viewer.entry_used);
    assert_int_equal(tv_traces_init(&asking->viewer.traces, tv_alloc_libc(), NULL), TV_OK);
    tv_event_clients_init(&asking->viewer.event_clients, tv_alloc_libc());
    asking->fields[0] = (struct tv_http_field){TV_STR("Host"), TV_STR("localhost:1")};
    asking->request.fields = asking->fields;
    asking->request.field_count = 1;
    tv_http_response_init(&asking->response, tv_alloc_libc());
}

static void end(struct asking *asking)
{
    tv_http_response_release(&asking->response);
    tv_event_clients_release(&asking->viewer.event_clients);
    tv_traces_release(&asking->viewer.traces);
}

static int ask(struct asking *asking, const char *path)
{
    (void)snprintf(asking->target, sizeof(asking->target), "/" TOKEN "%s", path);
    asking->request.target = tv_str_from(asking->target);
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, tv_alloc_libc());
    tv_viewer_service(&asking->viewer).answer(&asking->viewer, &asking->request, &asking->response);
    return asking->response.status;
}

static const char *header(const struct asking *asking, const char *name)
{
    return tv_http_added(&asking->response, name);
}

static bool says(const struct asking *asking, const char *text)
{
    struct tv_str body = asking->response.kind == TV_HTTP_BODY_OWNED
                             ? tv_buffer_view(&asking->response.owned)
                             : asking->response.fixed;
    return tv_str_find(body, tv_str_from(text), TV_CASE_EXACT) != SIZE_MAX;
}

static void every_answer_carries_the_policy(void **state)
{
    static const char *const paths[] = {"/",          "", "/nothing", "/api/info", "/api/settings",
                                        "/api/events"};
    struct asking asking;
    (void)state;
    begin(&asking);
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        (void)ask(&asking, paths[i]);
        assert_non_null(strstr(header(&asking, "Content-Security-Policy"), "default-src 'none'"));
        assert_string_equal(header(&asking, "X-Content-Type-Options"), "nosniff");
        assert_string_equal(header(&asking, "Referrer-Policy"), "no-referrer");
    }
    end(&asking);
}

static void a_token_without_its_slash_is_sent_on(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(ask(&asking, ""), 301);
    assert_string_equal(header(&asking, "Location"), "/" TOKEN "/");
    end(&asking);
}

/* A connection of this process to itself. */
static int connect_to_oneself(int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, len) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) != 0 ||
        connect(ends[0], (struct sockaddr *)&address, len) != 0)
        return -1;
    ends[1] = accept(listener, NULL, NULL);
    return close(listener);
}

static int enter(struct asking *asking)
{
    asking->request.target = TV_STR("/" ENTRY);
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, tv_alloc_libc());
    tv_viewer_service(&asking->viewer).answer(&asking->viewer, &asking->request, &asking->response);
    return asking->response.status;
}

static void the_entry_leads_to_the_page_once_and_only_its_user(void **state)
{
    struct asking asking;
    int ends[2] = {-1, -1};
    (void)state;
    begin(&asking);
    assert_int_equal(connect_to_oneself(ends), 0);
    asking.request.connection = -1; /* nobody can tell whose it is */
    assert_int_equal(enter(&asking), 403);
    assert_null(header(&asking, "Location"));
    asking.request.connection = ends[1];
    assert_int_equal(enter(&asking), 303);
    assert_string_equal(header(&asking, "Location"), "/" TOKEN "/");
    assert_string_equal(header(&asking, "Cache-Control"), "no-store");
    assert_int_equal(enter(&asking), 410);
    assert_null(header(&asking, "Location"));
    assert_int_equal(ask(&asking, ""), 301); /* the printed address works on */
    (void)close(ends[0]);
    (void)close(ends[1]);
    end(&asking);
}

static void the_page_comes_packed_or_not_and_once(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    if (!tv_page_is_built()) {
        assert_int_equal(ask(&asking, "/"), 503);
        assert_true(says(&asking, "without its page"));
        end(&asking);
        return;
    }
    assert_int_equal(ask(&asking, "/"), 200);
    assert_true(says(&asking, "<!doctype html>"));
    assert_string_equal(header(&asking, "Cache-Control"), "no-cache");
    assert_null(header(&asking, "Content-Encoding"));
    asking.fields[asking.request.field_count++] =
        (struct tv_http_field){TV_STR("Accept-Encoding"), TV_STR("gzip, deflate")};
    assert_int_equal(ask(&asking, "/"), 200);
    assert_string_equal(header(&asking, "Content-Encoding"), "gzip");
    char etag[64];
    (void)snprintf(etag, sizeof(etag), "%s", header(&asking, "ETag"));
    asking.fields[asking.request.field_count++] =
        (struct tv_http_field){TV_STR("If-None-Match"), tv_str_from(etag)};
    assert_int_equal(ask(&asking, "/"), 304);
    assert_int_equal(asking.response.fixed.len, 0);
    assert_int_equal(ask(&asking, "/index.html"), 404);
    end(&asking);
}

static void the_api_says_that_nothing_is_open_that_it_loads_and_why_it_failed(void **state)
{
    struct asking asking;
    struct tv_origin origin;
    struct tv_error err = {.code = TV_ERR_FORMAT, .text = "it is \"odd\""};
    (void)state;
    begin(&asking);
    assert_int_equal(ask(&asking, "/api/info"), 404);
    assert_true(says(&asking, "\"no trace\""));
    tv_origin_init(&origin, TV_ORIGIN_FILE, "x.trace", TV_STR("x.trace"));
    tv_state_want(asking.viewer.traces.of[0], &origin);
    assert_int_equal(ask(&asking, "/api/info"), 503);
    assert_true(says(&asking, "\"loading\""));
    origin = take_wanted(asking.viewer.traces.of[0]);
    assert_false(tv_state_finish(asking.viewer.traces.of[0], &origin, TV_ERR_FORMAT, &err));
    assert_int_equal(ask(&asking, "/api/info"), 500);
    assert_true(says(&asking, "it is \\\"odd\\\""));
    end(&asking);
}

static void settings_are_kept(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(ask(&asking, "/api/settings"), 200);
    assert_true(says(&asking, "{}"));
    asking.request.method = TV_HTTP_PUT;
    asking.request.body = TV_STR("{\"theme\": \"dark\"}");
    assert_int_equal(ask(&asking, "/api/settings"), 200);
    asking.request.body = TV_STR("[1]");
    assert_int_equal(ask(&asking, "/api/settings"), 400);
    asking.request.method = TV_HTTP_GET;
    assert_int_equal(ask(&asking, "/api/settings"), 200);
    assert_true(says(&asking, "\"dark\""));
    end(&asking);
}

static void only_settings_may_be_put(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    asking.request.method = TV_HTTP_PUT;
    assert_int_equal(ask(&asking, "/api/info"), 405);
    assert_int_equal(ask(&asking, "/api/events"), 405);
    assert_int_equal(ask(&asking, "/"), 405);
    end(&asking);
}

static uint64_t open_trace(struct asking *asking, const char *path)
{
    struct tv_origin origin;
    uint64_t number = 0;
    tv_origin_init(&origin, TV_ORIGIN_FILE, path, tv_str_from(path));
    assert_int_equal(tv_traces_open(&asking->viewer.traces, &origin, &number, NULL), TV_OK);
    return number;
}

/* Loading of what is wanted fails, so that each address has a word of its own to answer with. */
static void fail_loading(struct asking *asking, uint64_t number, const char *why)
{
    struct tv_error err = {.code = TV_ERR_FORMAT};
    struct tv_origin origin;
    (void)snprintf(err.text, sizeof(err.text), "%s", why);
    struct tv_state *state = tv_traces_take_wanted(&asking->viewer.traces, &origin);
    assert_non_null(state);
    assert_int_equal(state->number, number);
    assert_false(tv_state_finish(state, &origin, TV_ERR_FORMAT, &err));
    tv_traces_done(state);
}

static void each_address_answers_about_its_own_trace(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(open_trace(&asking, "a.trace"), 2);
    fail_loading(&asking, 2, "the second is odd");
    assert_int_equal(open_trace(&asking, "b.trace"), 3);
    fail_loading(&asking, 3, "the third is odd");
    assert_int_equal(ask(&asking, "/t/2/api/info"), 500);
    assert_true(says(&asking, "the second is odd"));
    assert_int_equal(ask(&asking, "/t/3/api/info"), 500);
    assert_true(says(&asking, "the third is odd"));
    assert_int_equal(ask(&asking, "/api/info"), 404);
    assert_true(says(&asking, "no trace"));
    assert_int_equal(ask(&asking, "/t/1/api/info"), 404); /* the first one, by its number */
    assert_true(says(&asking, "no trace"));
    end(&asking);
}

/* The page uses relative addresses, which would lose the number without the slash behind it. */
static void a_number_without_its_slash_is_sent_on(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(open_trace(&asking, "a.trace"), 2);
    assert_int_equal(ask(&asking, "/t/2"), 301);
    assert_string_equal(header(&asking, "Location"), "/" TOKEN "/t/2/");
    assert_int_equal(ask(&asking, "/t/1"), 301);
    assert_string_equal(header(&asking, "Location"), "/" TOKEN "/");
    end(&asking);
}

static void a_number_without_a_trace_has_a_page_for_people(void **state)
{
    static const char *const paths[] = {"/t/2/", "/t/2", "/t/99/", "/t/99"};
    struct asking asking;
    (void)state;
    begin(&asking);
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        assert_int_equal(ask(&asking, paths[i]), 404);
        assert_string_equal(header(&asking, "Content-Type"), "text/html; charset=utf-8");
        assert_string_equal(header(&asking, "Cache-Control"), "no-store");
        assert_true(says(&asking, "<!DOCTYPE html>"));
        assert_true(says(&asking, "<a href=\"/" TOKEN "/\">"));
        assert_non_null(strstr(header(&asking, "Content-Security-Policy"), "default-src 'none'"));
    }
    assert_int_equal(ask(&asking, "/t/2/api/info"), 404); /* who asks the api reads JSON */
    assert_true(says(&asking, "\"error\""));
    assert_false(says(&asking, "<"));
    end(&asking);
}

/* A page that was left open in a tab comes back to an address that is gone. */
static void a_forgotten_address_has_a_page_and_others_stay(void **state)
{
    struct asking asking;
    (void)state;
    begin(&asking);
    for (uint64_t number = 2; number <= TV_TRACES_MOST + 1; number++) {
        assert_int_equal(open_trace(&asking, "a.trace"), number);
        fail_loading(&asking, number, "odd");
    }
    assert_int_equal(ask(&asking, "/t/2/"), 404);
    assert_true(says(&asking, "No trace at this address"));
    assert_int_equal(ask(&asking, "/t/3/api/info"), 500);
    assert_int_equal(ask(&asking, "/api/info"), 404);
    assert_true(says(&asking, "no trace")); /* the first address is never forgotten */
    end(&asking);
}

static void what_is_no_number_is_no_address(void **state)
{
    static const char *const paths[] = {"/t/",    "/t/x/",  "/t/0/",   "/t/02/",
                                        "/t/-1/", "/t/2x/", "/t/1e1/", "/t/18446744073709551617/"};
    struct asking asking;
    (void)state;
    begin(&asking);
    assert_int_equal(open_trace(&asking, "a.trace"), 2);
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++)
        assert_int_equal(ask(&asking, paths[i]), 404);
    end(&asking);
}

static bool is_slow(const char *target)
{
    struct tv_http_service service = tv_viewer_service(NULL);
    const struct tv_http_request request = {.target = tv_str_from(target)};
    return service.is_slow(service.ctx, &request);
}

static void what_is_asked_for_tells_what_is_slow_not_what_is_in_it(void **state)
{
    (void)state;
    assert_true(is_slow("/t/api/top?match=/api/events"));
    assert_false(is_slow("/t/api/events?since=/api/top"));
    assert_false(is_slow("/t/page?/api/top"));
    assert_false(is_slow("/t/"));
    assert_true(is_slow("/t/t/2/api/top"));
    assert_false(is_slow("/t/t/2/api/events"));
    assert_false(is_slow("/t/t/2/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_carries_the_policy),
        cmocka_unit_test(a_token_without_its_slash_is_sent_on),
        cmocka_unit_test(the_entry_leads_to_the_page_once_and_only_its_user),
        cmocka_unit_test(the_page_comes_packed_or_not_and_once),
        cmocka_unit_test(the_api_says_that_nothing_is_open_that_it_loads_and_why_it_failed),
        cmocka_unit_test(settings_are_kept),
        cmocka_unit_test(only_settings_may_be_put),
        cmocka_unit_test(each_address_answers_about_its_own_trace),
        cmocka_unit_test(a_number_without_its_slash_is_sent_on),
        cmocka_unit_test(a_number_without_a_trace_has_a_page_for_people),
        cmocka_unit_test(a_forgotten_address_has_a_page_and_others_stay),
        cmocka_unit_test(what_is_no_number_is_no_address),
        cmocka_unit_test(what_is_asked_for_tells_what_is_slow_not_what_is_in_it),
    };
    return cmocka_run_group_tests_name("server/viewer", tests, make_settings_path, remove_settings);
}
