/* The place of a bucket, and what is refused as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "s3/place.h"

static int clear(void **state)
{
    static const char *const names[] = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION",
                                        "AWS_DEFAULT_REGION", "AWS_PROFILE"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        (void)unsetenv(names[i]);
    return 0;
}

static void bucket_alone_is_amazons(void **state)
{
    struct tv_s3_place place;
    (void)state;
    assert_int_equal(tv_s3_place_read(&place, "s3://traces", NULL), TV_OK);
    assert_string_equal(place.bucket, "traces");
    assert_string_equal(place.prefix, "");
    assert_string_equal(place.region, "us-east-1");
    assert_string_equal(place.endpoint, "https://s3.us-east-1.amazonaws.com");
    assert_string_equal(place.profile, "default");
    assert_false(place.is_by_host);
}

static void everything_can_be_told(void **state)
{
    struct tv_s3_place place;
    (void)state;
    assert_int_equal(
        tv_s3_place_read(&place,
                         "s3://my-traces.eu/a/b/?endpoint=https%3A%2F%2Fs3.example.org:9000/"
                         "&region=eu-central-1&style=host&keys=/etc/key&profile=x",
                         NULL),
        TV_OK);
    assert_string_equal(place.bucket, "my-traces.eu");
    assert_string_equal(place.prefix, "a/b/");
    assert_string_equal(place.endpoint, "https://s3.example.org:9000");
    assert_string_equal(place.region, "eu-central-1");
    assert_string_equal(place.keys, "/etc/key");
    assert_string_equal(place.profile, "x");
    assert_true(place.is_by_host);
}

static void environment_fills_what_is_left_out(void **state)
{
    struct tv_s3_place place;
    (void)state;
    (void)setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1", 1);
    (void)setenv("AWS_REGION", "eu-west-1", 1);
    assert_int_equal(tv_s3_place_read(&place, "s3://traces", NULL), TV_OK);
    assert_string_equal(place.endpoint, "http://127.0.0.1:1");
    assert_string_equal(place.region, "eu-west-1");
    (void)setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:2", 1);
    assert_int_equal(tv_s3_place_read(&place, "s3://traces?region=here", NULL), TV_OK);
    assert_string_equal(place.endpoint, "http://127.0.0.1:2");
    assert_string_equal(place.region, "here");
}

static void what_is_no_place_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "traces",
        "s3://",
        "s3://ab",
        "s3://Traces",
        "s3://a/b",
        "s3://traces/../x",
        "s3://traces/a//b",
        "s3://traces/.",
        "s3://traces/a/./b",
        "s3://traces/a b",
        "s3://traces/%2e",
        "s3://id:secret@traces",
        "s3://traces?endpoint=ftp://x",
        "s3://traces?endpoint=http://",
        "s3://traces?endpoint=http://a@b",
        "s3://traces?endpoint=http://a/b",
        "s3://traces?endpoint=%zz",
        "s3://traces?endpoint=http://a%0d%0ab",
        "s3://traces?region=x%20y",
        "s3://traces?style=both",
        "s3://traces?keys=",
        "s3://traces?secret=x",
        "s3://traces?profile=0123456789012345678901234567890123456789012345678901234567890123"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct tv_s3_place place;
        struct tv_error err = {.code = TV_OK};
        if (tv_s3_place_read(&place, texts[i], &err) != TV_ERR_ARGUMENT)
            fail_msg("%s was taken", texts[i]);
        assert_null(strstr(err.text, "secret"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bucket_alone_is_amazons, clear),
        cmocka_unit_test_setup(everything_can_be_told, clear),
        cmocka_unit_test_setup(environment_fills_what_is_left_out, clear),
        cmocka_unit_test_setup(what_is_no_place_is_refused, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
