/* The first line of a file as a password: os/file/password_file.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "os/file/password_file.h"

/* No block that goes back has the password. */
static void *resize_and_look(void *ctx, void *block, size_t old_len, size_t new_len)
{
    const struct tv_alloc *libc = ctx;
    for (size_t i = 0; !new_len && i + 6 <= old_len; i++)
        assert_memory_not_equal((const char *)block + i, "secret", 6);
    return libc->resize(libc->ctx, block, old_len, new_len);
}

static enum tv_code read_text(const char *text, size_t len, char password[TV_PASSWORD_CAP],
                              struct tv_error *err)
{
    struct tv_alloc libc = *tv_alloc_libc();
    const struct tv_alloc alloc = {.resize = resize_and_look, .ctx = &libc};
    char path[] = "/tmp/traceview-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    (void)close(fd);
    enum tv_code code = tv_password_read(password, path, "some-file", &alloc, err);
    (void)unlink(path);
    return code;
}

static void the_first_line_is_the_password(void **state)
{
    static const char *const texts[] = {"secret", "secret\n", "secret\r\n", "secret\nnot this\n"};
    char password[TV_PASSWORD_CAP];
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        assert_int_equal(read_text(texts[i], strlen(texts[i]), password, NULL), TV_OK);
        assert_string_equal(password, "secret");
    }
    tv_password_forget(password, sizeof(password));
    for (size_t i = 0; i < sizeof(password); i++)
        assert_int_equal(password[i], 0);
}

static void no_file_is_no_password(void **state)
{
    char password[TV_PASSWORD_CAP] = "x";
    (void)state;
    assert_int_equal(tv_password_read(password, NULL, "some-file", tv_alloc_libc(), NULL), TV_OK);
    assert_string_equal(password, "");
    assert_int_equal(tv_password_read(password, "", "some-file", tv_alloc_libc(), NULL), TV_OK);
    assert_string_equal(password, "");
}

static void what_is_no_password_is_told_without_it(void **state)
{
    static const struct tv_str texts[] = {
        {"", 0}, {"\nsecret", 7}, {"\r\n", 2}, {"secret\0more", 11}};
    char password[TV_PASSWORD_CAP];
    char long_text[TV_PASSWORD_CAP];
    struct tv_error err;
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        assert_int_equal(read_text(texts[i].at, texts[i].len, password, &err), TV_ERR_ARGUMENT);
        assert_string_equal(err.text, "some-file: its first line must be the password");
        assert_string_equal(password, "");
    }
    memset(long_text, 'a', sizeof(long_text));
    assert_int_equal(read_text(long_text, sizeof(long_text), password, &err), TV_ERR_LIMIT);
    assert_int_equal(tv_password_read(password, "/none/such", "some-file", tv_alloc_libc(), &err),
                     TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "some-file: /none/such is not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_is_the_password),
        cmocka_unit_test(no_file_is_no_password),
        cmocka_unit_test(what_is_no_password_is_told_without_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
