/* http/http: looking up headers, and filling responses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>

#include "http/http.h"

#define FIELD(name, value) ((struct tv_http_field){TV_STR(name), TV_STR(value)})

static void headers_are_found_whatever_their_case(void **state)
{
    const struct tv_http_field fields[] = {FIELD("host", "a"), FIELD("X-Forwarded-For", "1"),
                                           FIELD("Hostess", "b"), FIELD("x-forwarded-for", "2, 3")};
    const struct tv_http_request request = {.fields = fields, .field_count = TV_COUNT_OF(fields)};
    (void)state;
    assert_true(tv_str_equal(tv_http_header(&request, "HOST"), TV_STR("a")));
    assert_true(tv_str_equal(tv_http_header(&request, "X-Forwarded-For"), TV_STR("1")));
    assert_true(tv_str_equal(tv_http_last_header(&request, "X-Forwarded-For"), TV_STR("2, 3")));
    assert_int_equal(tv_http_count_headers(&request, "x-Forwarded-for"), 2);
    assert_null(tv_http_header(&request, "Hos").at);
    assert_null(tv_http_last_header(&request, "").at);
    assert_int_equal(tv_http_count_headers(&request, "Origin"), 0);
}

static void every_method_has_its_name(void **state)
{
    (void)state;
    for (int i = TV_HTTP_GET; i < TV_HTTP_OTHER; i++)
        assert_int_equal(tv_http_method_of(tv_http_method_name((enum tv_http_method)i)), i);
    assert_int_equal(tv_http_method_of("get"), TV_HTTP_OTHER);
    assert_int_equal(tv_http_method_of("OTHER"), TV_HTTP_OTHER);
    assert_int_equal(tv_http_method_of(""), TV_HTTP_OTHER);
}

static void words_of_a_list_come_without_spaces(void **state)
{
    struct tv_str rest = TV_STR(" gzip ,, \tbr;q=0.1,x ,");
    struct tv_str word;
    (void)state;
    assert_true(tv_http_next_word(&rest, &word));
    assert_true(tv_str_equal(word, TV_STR("gzip")));
    assert_true(tv_http_next_word(&rest, &word));
    assert_true(tv_str_equal(word, TV_STR("br;q=0.1")));
    assert_true(tv_http_next_word(&rest, &word));
    assert_true(tv_str_equal(word, TV_STR("x")));
    assert_false(tv_http_next_word(&rest, &word));
}

static void a_value_cannot_begin_another_header(void **state)
{
    struct tv_http_response response;
    (void)state;
    tv_http_response_init(&response, tv_alloc_libc());
    tv_http_add(&response, "X", "a\r\nSet-Cookie: b\x7f\x01");
    assert_string_equal(tv_http_added(&response, "x"), "a  Set-Cookie: b  ");
    assert_null(tv_http_added(&response, "Set-Cookie"));
    tv_http_response_release(&response);
}

static void set_replaces_what_was_added(void **state)
{
    struct tv_http_response response;
    const char *name;
    const char *value;
    size_t at = 0;
    (void)state;
    tv_http_response_init(&response, tv_alloc_libc());
    tv_http_add(&response, "A", "1");
    tv_http_add(&response, "B", "2");
    tv_http_add(&response, "a", "3");
    tv_http_set(&response, "A", "4");
    assert_true(tv_http_next_added(&response, &at, &name, &value));
    assert_string_equal(name, "B");
    assert_true(tv_http_next_added(&response, &at, &name, &value));
    assert_string_equal(value, "4");
    assert_false(tv_http_next_added(&response, &at, &name, &value));
    tv_http_take_out(&response, "b");
    assert_null(tv_http_added(&response, "B"));
    tv_http_response_release(&response);
}

static void an_answer_that_is_filled_again_has_each_header_once(void **state)
{
    struct tv_http_response response;
    (void)state;
    tv_http_response_init(&response, tv_alloc_libc());
    tv_http_say(&response, 200, "text/plain", "fine");
    tv_http_refuse(&response, 413, "it is \"long\"");
    assert_int_equal(response.status, 413);
    assert_string_equal(tv_http_added(&response, "Content-Type"), "application/json");
    assert_true(tv_str_equal(tv_buffer_view(&response.owned),
                             TV_STR("{\"error\":\"it is \\\"long\\\"\"}\n")));
    tv_http_take_out(&response, "Content-Type");
    assert_null(tv_http_added(&response, "Content-Type"));
    tv_http_redirect(&response, 302, "/trace/1");
    assert_string_equal(tv_http_added(&response, "Location"), "/trace/1");
    tv_http_response_release(&response);
}

/* What a source is told. */
static unsigned left;

static void leave(void *ctx)
{
    (void)ctx;
    left++;
}

static void what_a_response_owns_goes_with_it(void **state)
{
    static const struct tv_http_source_calls calls = {.leave = leave};
    struct tv_http_response response;
    (void)state;
    left = 0;
    tv_http_response_init(&response, tv_alloc_libc());
    tv_http_stream(&response, "text/plain", (struct tv_http_source){.calls = &calls});
    response.file.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = response.file.fd;
    tv_http_drop_body(&response);
    assert_int_equal(left, 1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    tv_http_response_release(&response);
    assert_int_equal(left, 1);
}

static void a_file_name_is_safe_in_both_spellings(void **state)
{
    struct tv_http_response response;
    (void)state;
    tv_http_response_init(&response, tv_alloc_libc());
    tv_http_add_file_name(&response, TV_STR("caf\xc3\xa9 \"\\\r\n\0;%.trace"));
    assert_string_equal(tv_http_added(&response, "Content-Disposition"),
                        "attachment; filename=\"caf__ _______.trace\"; "
                        "filename*=UTF-8''caf%C3%A9%20%22%5C%0D%0A%00%3B%25.trace");
    tv_http_response_release(&response);
}

/* Fails after *left_count blocks. */
static void *resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    unsigned *left_count = ctx;
    if (new_len && !(*left_count)--) {
        ++*left_count;
        return NULL;
    }
    const struct tv_alloc *libc = tv_alloc_libc();
    return libc->resize(libc->ctx, block, old_len, new_len);
}

static void without_memory_a_response_is_broken_and_not_half_there(void **state)
{
    (void)state;
    for (unsigned blocks = 0; blocks < 2; blocks++) {
        unsigned left_count = blocks;
        const struct tv_alloc alloc = {.resize = resize, .ctx = &left_count};
        struct tv_http_response response;
        char value[5000];
        memset(value, 'x', sizeof(value));
        value[sizeof(value) - 1] = '\0';
        tv_http_response_init(&response, &alloc);
        tv_http_add(&response, "Location", "/");
        tv_http_add(&response, "X", value);
        assert_true(response.is_broken);
        assert_null(tv_http_added(&response, "X"));
        tv_http_response_release(&response);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_found_whatever_their_case),
        cmocka_unit_test(every_method_has_its_name),
        cmocka_unit_test(words_of_a_list_come_without_spaces),
        cmocka_unit_test(a_value_cannot_begin_another_header),
        cmocka_unit_test(set_replaces_what_was_added),
        cmocka_unit_test(an_answer_that_is_filled_again_has_each_header_once),
        cmocka_unit_test(what_a_response_owns_goes_with_it),
        cmocka_unit_test(a_file_name_is_safe_in_both_spellings),
        cmocka_unit_test(without_memory_a_response_is_broken_and_not_half_there),
    };
    return cmocka_run_group_tests_name("http/http", tests, NULL, NULL);
}
