/* http/content_encoding: what is packed for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "http/content_encoding.h"

static char text[4000];

static void answer(struct tv_http_response *response, const char *accepted, const char *type)
{
    const struct tv_http_field field = {TV_STR("Accept-Encoding"), tv_str_from(accepted)};
    const struct tv_http_request request = {.fields = &field, .field_count = 1};
    memset(text, 'x', sizeof(text));
    tv_http_response_init(response, tv_alloc_libc());
    tv_http_say(response, 200, type, "");
    response->fixed = (struct tv_str){text, sizeof(text)};
    tv_http_add(response, "ETag", "\"abc\"");
    tv_http_pack(&request, response);
}

/* The packing that an answer gets, or "" */
static const char *packing_for(const char *accepted)
{
    static char chosen[8];
    struct tv_http_response response;
    answer(&response, accepted, "text/plain");
    const char *name = tv_http_added(&response, "Content-Encoding");
    assert_true(snprintf(chosen, sizeof(chosen), "%s", name ? name : "") < 8);
    tv_http_response_release(&response);
    return chosen;
}

static void the_best_that_is_taken_is_chosen(void **state)
{
    (void)state;
    assert_string_equal(packing_for(""), "");
    assert_string_equal(packing_for("gzip, deflate, br"), "gzip");
    assert_string_equal(packing_for("gzip, deflate, br, zstd"), "zstd");
    assert_string_equal(packing_for("ZSTD;q=0.5,GZIP ; q=0.6"), "gzip");
    assert_string_equal(packing_for("zstd;q=0, gzip;q=0.001"), "gzip");
    assert_string_equal(packing_for("gzip;q=0"), "");
    assert_string_equal(packing_for("gzip;q=2"), "");
    assert_string_equal(packing_for("gzip;q=x"), "");
    assert_string_equal(packing_for("gzipped, xgzip, zstdx"), "");
    assert_string_equal(packing_for("identity, *;q=0"), "");
}

static void what_is_refused_by_weight_is_not_taken(void **state)
{
    const struct tv_http_field field = {TV_STR("Accept-Encoding"), TV_STR("gzip;q=0, zstd")};
    const struct tv_http_request request = {.fields = &field, .field_count = 1};
    (void)state;
    assert_false(tv_http_takes(&request, TV_PACKING_GZIP));
    assert_true(tv_http_takes(&request, TV_PACKING_ZSTD));
}

static void a_packed_answer_unpacks_to_itself(void **state)
{
    static const char *const names[] = {"gzip", "zstd"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        struct tv_http_response response;
        struct tv_buffer plain;
        bool is_cut;
        answer(&response, names[i], "text/plain");
        assert_string_equal(tv_http_added(&response, "Content-Encoding"), names[i]);
        assert_string_equal(tv_http_added(&response, "Vary"), "Accept-Encoding");
        assert_string_equal(tv_http_added(&response, "ETag"), i ? "\"abc-zstd\"" : "\"abc-gzip\"");
        assert_int_equal(response.kind, TV_HTTP_BODY_OWNED);
        assert_true(response.owned.len < 200);
        tv_buffer_init(&plain, tv_alloc_libc());
        assert_int_equal(
            tv_inflate(response.owned.bytes, response.owned.len, NULL, &plain, &is_cut, NULL),
            TV_OK);
        assert_int_equal(plain.len, sizeof(text));
        assert_memory_equal(plain.bytes, text, sizeof(text));
        tv_buffer_release(&plain);
        tv_http_response_release(&response);
    }
}

static void what_is_not_asked_for_or_no_text_stays(void **state)
{
    struct tv_http_response response;
    (void)state;
    answer(&response, "br", "application/json");
    assert_null(tv_http_added(&response, "Content-Encoding"));
    assert_string_equal(tv_http_added(&response, "Vary"), "Accept-Encoding");
    assert_string_equal(tv_http_added(&response, "ETag"), "\"abc\"");
    tv_http_response_release(&response);
    answer(&response, "gzip", "application/octet-stream");
    assert_null(tv_http_added(&response, "Content-Encoding"));
    assert_null(tv_http_added(&response, "Vary"));
    tv_http_response_release(&response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_that_is_taken_is_chosen),
        cmocka_unit_test(what_is_refused_by_weight_is_not_taken),
        cmocka_unit_test(a_packed_answer_unpacks_to_itself),
        cmocka_unit_test(what_is_not_asked_for_or_no_text_stays),
    };
    return cmocka_run_group_tests_name("http/content_encoding", tests, NULL, NULL);
}
