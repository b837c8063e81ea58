/* server/json_check: objects get through, all else does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/json_check.h"

#include "base/compiler.h"

static void objects_get_through(void **state)
{
    static const char *const good[] = {
        "{}",
        " {\t\"a\" : 1 }\r\n",
        "{\"a\":[1,-2.5e+3,0,true,false,null,\"x\\\"y\\u00e9\"],\"b\":{\"c\":{}}}",
        "{\"\":[]}",
        "{\"a\":-12e222222222222222222222222222222222222222222222222222222222222222222222}",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(good); i++)
        assert_true(tv_json_is_object(tv_str_from(good[i])));
}

static void all_else_does_not(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "[]",
        "1",
        "null",
        "{",
        "}",
        "{}}",
        "{} {}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":tru}",
        "{\"a\":[1,]}",
        "{\"a\":[}",
        "{\"a\":[1}}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"",
        "{\"a\":\"\\",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(bad); i++) {
        if (tv_json_is_object(tv_str_from(bad[i])))
            fail_msg("taken for an object: %s", bad[i]);
    }
}

static void depth_is_limited(void **state)
{
    char text[200];
    (void)state;
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', 40);
    memset(text + 45, ']', 40);
    text[85] = '}';
    assert_false(tv_json_is_object((struct tv_str){text, 86}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_get_through),
        cmocka_unit_test(all_else_does_not),
        cmocka_unit_test(depth_is_limited),
    };
    return cmocka_run_group_tests_name("server/json_check", tests, NULL, NULL);
}
