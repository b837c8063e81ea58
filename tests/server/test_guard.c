/* server/guard: who gets in and who does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/guard.h"

static const struct tv_str token = {"00112233445566778899aabbccddeeff", 32};

/* The headers of the request; one without a value is not there. */
enum { HOST, ORIGIN, FETCH_SITE, COUNT };
static struct tv_http_field fields[COUNT];

static void put(int which, struct tv_str value)
{
    static const struct tv_str names[] = {{"Host", 4}, {"Origin", 6}, {"Sec-Fetch-Site", 14}};
    fields[which] = (struct tv_http_field){value.at ? names[which] : TV_STR("X"), value};
}

static struct tv_http_request good(void)
{
    for (int i = 0; i < COUNT; i++)
        put(i, (struct tv_str){NULL, 0});
    put(HOST, TV_STR("127.0.0.1:8080"));
    return (struct tv_http_request){.target =
                                        TV_STR("/00112233445566778899aabbccddeeff/api/top?n=2"),
                                    .fields = fields,
                                    .field_count = COUNT};
}

/* The status of the refusal, or 0 when the request gets in. */
static int status_of(const struct tv_http_request *request)
{
    struct tv_http_response response;
    struct tv_str path;
    struct tv_str query;
    tv_http_response_init(&response, tv_alloc_libc());
    bool is_in = tv_guard_admits(request, token, &path, &query, &response);
    int status = is_in ? 0 : response.status;
    tv_http_response_release(&response);
    return status;
}

static void the_right_address_gets_in(void **state)
{
    struct tv_http_request request = good();
    struct tv_http_response response;
    struct tv_str path;
    struct tv_str query;
    (void)state;
    tv_http_response_init(&response, tv_alloc_libc());
    assert_true(tv_guard_admits(&request, token, &path, &query, &response));
    assert_true(tv_str_equal(path, TV_STR("api/top")));
    assert_true(tv_str_equal(query, TV_STR("n=2")));
    tv_http_response_release(&response);
}

static void only_local_host_names_get_in(void **state)
{
    static const char *const in[] = {"127.0.0.1", "localhost", "LOCALHOST:1", "[::1]:99",
                                     "localhost:65535"};
    static const char *const out[] = {"",           "evil.example",        "127.0.0.1.evil.example",
                                      "127.0.0.2",  "localhost:8080:8080", "localhost:",
                                      "xlocalhost", "localhostx",          "[::1"};
    struct tv_http_request request = good();
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(in); i++) {
        put(HOST, tv_str_from(in[i]));
        assert_int_equal(status_of(&request), 0);
    }
    for (size_t i = 0; i < TV_COUNT_OF(out); i++) {
        put(HOST, tv_str_from(out[i]));
        assert_int_equal(status_of(&request), 403);
    }
    put(HOST, (struct tv_str){NULL, 0});
    assert_int_equal(status_of(&request), 403);
}

static void only_its_own_origin_gets_in(void **state)
{
    static const char *const out[] = {"null",
                                      "http://evil.example",
                                      "http://127.0.0.1:8081",
                                      "https://127.0.0.1:8080",
                                      "http://localhost:8080",
                                      ""};
    struct tv_http_request request = good();
    (void)state;
    put(ORIGIN, TV_STR("http://127.0.0.1:8080"));
    assert_int_equal(status_of(&request), 0);
    for (size_t i = 0; i < TV_COUNT_OF(out); i++) {
        put(ORIGIN, tv_str_from(out[i]));
        assert_int_equal(status_of(&request), 403);
    }
}

static void a_wrong_token_finds_nothing(void **state)
{
    static const char *const out[] = {"",
                                      "/",
                                      "//",
                                      "/api/top",
                                      "/00112233445566778899aabbccddeef/",
                                      "/00112233445566778899aabbccddeefe/",
                                      "/00112233445566778899aabbccddeefff/",
                                      "/x?/00112233445566778899aabbccddeeff/",
                                      "?"};
    struct tv_http_request request = good();
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(out); i++) {
        request.target = tv_str_from(out[i]);
        assert_int_equal(status_of(&request), 404);
    }
}

static void the_entry_is_the_whole_path_of_a_request_from_no_page(void **state)
{
    static const struct tv_str entry = {"ffeeddccbbaa99887766554433221100", 32};
    static const char *const out[] = {"/",
                                      "",
                                      "/ffeeddccbbaa99887766554433221100/",
                                      "/ffeeddccbbaa99887766554433221100/api/top",
                                      "/ffeeddccbbaa9988776655443322110",
                                      "/00112233445566778899aabbccddeeff",
                                      "/x?/ffeeddccbbaa99887766554433221100"};
    struct tv_http_request request = good();
    (void)state;
    request.target = TV_STR("/ffeeddccbbaa99887766554433221100");
    assert_true(tv_guard_is_entry(&request, entry));
    put(HOST, TV_STR("evil.example:8080"));
    assert_false(tv_guard_is_entry(&request, entry));
    put(HOST, TV_STR("127.0.0.1:8080"));
    put(ORIGIN, TV_STR("http://127.0.0.1:8080"));
    assert_false(tv_guard_is_entry(&request, entry));
    put(ORIGIN, (struct tv_str){NULL, 0});
    request.method = TV_HTTP_PUT;
    assert_false(tv_guard_is_entry(&request, entry));
    request.method = TV_HTTP_GET;
    for (size_t i = 0; i < TV_COUNT_OF(out); i++) {
        request.target = tv_str_from(out[i]);
        assert_false(tv_guard_is_entry(&request, entry));
    }
}

static void other_methods_and_long_bodies_are_refused(void **state)
{
    struct tv_http_request request = good();
    (void)state;
    for (int method = TV_HTTP_GET; method <= TV_HTTP_OTHER; method++) {
        bool is_taken = method == TV_HTTP_GET || method == TV_HTTP_HEAD || method == TV_HTTP_PUT;
        request.method = (enum tv_http_method)method;
        assert_int_equal(status_of(&request), is_taken ? 0 : 405);
    }
    request = good();
    request.body_error.code = TV_ERR_LIMIT;
    assert_int_equal(status_of(&request), 413);
}

static bool keeps_openers_away(struct tv_str fetch_site)
{
    struct tv_http_request request = good();
    struct tv_http_response response;
    put(FETCH_SITE, fetch_site);
    tv_http_response_init(&response, tv_alloc_libc());
    tv_guard_add_headers(&request, &response);
    bool is_there = tv_http_added(&response, "Cross-Origin-Opener-Policy") != NULL;
    tv_http_response_release(&response);
    return is_there;
}

static void a_page_that_opens_this_one_has_no_hold_of_it(void **state)
{
    static const char *const pages[] = {"cross-site", "same-site", "same-origin",
                                        "",           "None",      "none "};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(pages); i++)
        assert_true(keeps_openers_away(tv_str_from(pages[i])));
    assert_true(keeps_openers_away((struct tv_str){NULL, 0}));
    assert_false(keeps_openers_away(TV_STR("none"))); /* the user opens it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_address_gets_in),
        cmocka_unit_test(only_local_host_names_get_in),
        cmocka_unit_test(only_its_own_origin_gets_in),
        cmocka_unit_test(a_wrong_token_finds_nothing),
        cmocka_unit_test(the_entry_is_the_whole_path_of_a_request_from_no_page),
        cmocka_unit_test(other_methods_and_long_bodies_are_refused),
        cmocka_unit_test(a_page_that_opens_this_one_has_no_hold_of_it),
    };
    return cmocka_run_group_tests_name("server/guard", tests, NULL, NULL);
}
