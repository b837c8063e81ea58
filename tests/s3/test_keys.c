/* Keys in a file, in the environment, in the file of other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "s3/keys.h"

#define FILE_TEXT                                                                                  \
    "# of other programs\n[default]\naws_access_key_id = ID1\naws_secret_access_key = S1/+=\n"     \
    "region = eu\r\n\n[ ci ]\r\nAWS_ACCESS_KEY_ID=ID2\r\naws_secret_access_key=S2\r\n"             \
    "aws_session_token = TOKEN\r\n[half]\naws_access_key_id = ID3\n"

static enum tv_code parse(struct tv_s3_keys *keys, const char *text, const char *profile,
                          struct tv_error *err)
{
    return tv_s3_keys_parse(keys, tv_str_from(text), profile, err);
}

static void profiles_are_told_apart(void **state)
{
    struct tv_s3_keys keys;
    struct tv_error err;
    (void)state;
    assert_int_equal(parse(&keys, FILE_TEXT, "default", &err), TV_OK);
    assert_string_equal(keys.id, "ID1");
    assert_string_equal(keys.secret, "S1/+=");
    assert_string_equal(keys.token, "");
    assert_int_equal(parse(&keys, FILE_TEXT, "ci", &err), TV_OK);
    assert_string_equal(keys.id, "ID2");
    assert_string_equal(keys.secret, "S2");
    assert_string_equal(keys.token, "TOKEN");
    assert_int_equal(parse(&keys, FILE_TEXT, "half", &err), TV_ERR_NOT_FOUND);
    assert_int_equal(parse(&keys, FILE_TEXT, "none", &err), TV_ERR_NOT_FOUND);
    assert_int_equal(parse(&keys, "", "default", &err), TV_ERR_NOT_FOUND);
}

static void file_without_profiles_is_of_any(void **state)
{
    struct tv_s3_keys keys;
    (void)state;
    assert_int_equal(parse(&keys, "aws_access_key_id=a\naws_secret_access_key=b", "default", NULL),
                     TV_OK);
    assert_string_equal(keys.secret, "b");
}

/* A line end in a key would begin another header of the request. */
static void key_with_blanks_is_refused_and_not_repeated(void **state)
{
    struct tv_s3_keys keys;
    struct tv_error err;
    (void)state;
    assert_int_equal(
        parse(&keys, "aws_access_key_id=a\naws_secret_access_key=hush hush", "default", &err),
        TV_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "line 2"));
    assert_null(strstr(err.text, "hush"));
}

static void file_is_stronger_than_environment(void **state)
{
    char path[] = "/tmp/traceview-test-XXXXXX";
    struct tv_s3_place place = {.profile = "default"};
    struct tv_s3_keys keys;
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, FILE_TEXT, strlen(FILE_TEXT)), strlen(FILE_TEXT));
    (void)close(fd);
    (void)setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
    (void)setenv("AWS_SECRET_ACCESS_KEY", "ENVSECRET", 1);
    (void)setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    assert_int_equal(tv_s3_keys_read(&keys, &place, tv_alloc_libc(), NULL), TV_OK);
    assert_string_equal(keys.id, "ENV");
    (void)unsetenv("AWS_ACCESS_KEY_ID");
    assert_int_equal(tv_s3_keys_read(&keys, &place, tv_alloc_libc(), NULL), TV_OK);
    assert_string_equal(keys.id, "ID1");
    (void)setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
    (void)snprintf(place.keys, sizeof(place.keys), "%s", path);
    (void)snprintf(place.profile, sizeof(place.profile), "ci");
    assert_int_equal(tv_s3_keys_read(&keys, &place, tv_alloc_libc(), NULL), TV_OK);
    assert_string_equal(keys.id, "ID2");
    tv_s3_keys_forget(&keys);
    assert_string_equal(keys.secret, "");
    (void)unlink(path);
}

static void no_key_says_where_one_could_stand(void **state)
{
    struct tv_s3_place place = {.profile = "default"};
    struct tv_s3_keys keys;
    struct tv_error err;
    (void)state;
    (void)unsetenv("AWS_ACCESS_KEY_ID");
    (void)setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/file", 1);
    assert_int_equal(tv_s3_keys_read(&keys, &place, tv_alloc_libc(), &err), TV_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "keys=FILE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_are_told_apart),
        cmocka_unit_test(file_without_profiles_is_of_any),
        cmocka_unit_test(key_with_blanks_is_refused_and_not_repeated),
        cmocka_unit_test(file_is_stronger_than_environment),
        cmocka_unit_test(no_key_says_where_one_could_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
