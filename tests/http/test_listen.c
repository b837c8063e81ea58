/* http/listen: which texts are addresses to listen on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http/listen.h"

static void addresses_of_both_kinds_are_read(void **state)
{
    struct tv_listen listen;
    (void)state;
    assert_int_equal(tv_listen_parse("127.0.0.1:8192", &listen, NULL), TV_OK);
    assert_int_equal(listen.port, 8192);
    assert_false(listen.is_ipv6 || listen.is_any);
    assert_int_equal(tv_listen_parse("0.0.0.0:0", &listen, NULL), TV_OK);
    assert_true(listen.is_any && !listen.is_ipv6);
    assert_int_equal(tv_listen_parse("[::1]:65535", &listen, NULL), TV_OK);
    assert_int_equal(listen.port, 65535);
    assert_true(listen.is_ipv6 && !listen.is_any);
    assert_int_equal(tv_listen_parse("[::]:80", &listen, NULL), TV_OK);
    assert_true(listen.is_ipv6 && listen.is_any);
}

static void all_else_is_refused_with_its_text(void **state)
{
    static const char *const texts[] = {"",
                                        ":",
                                        ":80",
                                        "127.0.0.1",
                                        "127.0.0.1:",
                                        "127.0.0.1:65536",
                                        "127.0.0.1:-1",
                                        "localhost:80",
                                        "::1:80",
                                        "[::1]",
                                        "[::1:80",
                                        "[127.0.0.1]:80",
                                        "[]:80",
                                        "1.2.3:80",
                                        "[::1]:80x",
                                        "127.0.0.1 :80",
                                        "127.0.0.1:80 ",
                                        "[[::1]]:80"};
    struct tv_listen listen;
    struct tv_error err;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(texts); i++) {
        assert_int_equal(tv_listen_parse(texts[i], &listen, &err), TV_ERR_ARGUMENT);
        assert_non_null(strstr(err.text, texts[i]));
    }
    char longest[300];
    memset(longest, '1', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(tv_listen_parse(longest, &listen, NULL), TV_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_both_kinds_are_read),
        cmocka_unit_test(all_else_is_refused_with_its_text),
    };
    return cmocka_run_group_tests_name("http/listen", tests, NULL, NULL);
}
