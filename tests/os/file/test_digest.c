/* Sums that are saved in the middle and gone on with. */
#include "os/file/digest.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LEN 200u

static void make_bytes(uint8_t bytes[LEN])
{
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
}

static void sums_are_those_of_others(void **state)
{
    struct tv_digest digest;
    char sha256[TV_DIGEST_SHA256_LEN + 1], md5[TV_DIGEST_MD5_LEN + 1];
    (void)state;
    tv_digest_begin(&digest, TV_DIGEST_SHA256_AND_MD5);
    tv_digest_add(&digest, "abc", 3);
    tv_digest_end(&digest, sha256, md5);
    assert_string_equal(sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(md5, "900150983CD24FB0D6963F7D28E17F72");
}

static void a_file_is_summed_whole_or_not_at_all(void **state)
{
    char sha256[TV_DIGEST_SHA256_LEN + 1];
    FILE *file = tmpfile();
    uint64_t len;
    (void)state;
    assert_non_null(file);
    assert_int_equal(fwrite("abc", 1, 3, file), 3);
    assert_int_equal(fflush(file), 0);
    assert_true(tv_digest_sha256_of(fileno(file), sha256, &len));
    assert_int_equal(len, 3);
    assert_string_equal(sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    (void)fclose(file);
    errno = 0;
    assert_false(tv_digest_sha256_of(-1, sha256, &len));
    assert_int_equal(errno, EBADF);
}

static void a_sum_goes_on_behind_any_byte(void **state)
{
    uint8_t bytes[LEN];
    struct tv_digest digest;
    char whole[TV_DIGEST_SHA256_LEN + 1], resumed[TV_DIGEST_SHA256_LEN + 1];
    (void)state;
    make_bytes(bytes);
    tv_digest_begin(&digest, TV_DIGEST_SHA256);
    tv_digest_add(&digest, bytes, LEN);
    tv_digest_end(&digest, whole, NULL);
    for (size_t at = 0; at <= LEN; at++) {
        struct tv_digest_so_far so_far;
        tv_digest_begin(&digest, TV_DIGEST_SHA256);
        tv_digest_add(&digest, bytes, at);
        tv_digest_save(&digest, &so_far);
        tv_digest_release(&digest);
        memset(&digest, 0xa5, sizeof(digest));
        assert_true(tv_digest_resume(&digest, &so_far, at));
        tv_digest_add(&digest, bytes + at, LEN - at);
        tv_digest_end(&digest, resumed, NULL);
        assert_string_equal(resumed, whole);
    }
}

static void what_no_sum_was_saved_as_is_refused(void **state)
{
    struct tv_digest digest;
    struct tv_digest_so_far so_far = {""};
    uint8_t bytes[LEN];
    (void)state;
    make_bytes(bytes);
    assert_false(tv_digest_resume(&digest, &so_far, 0));
    assert_false(tv_digest_resume(&digest, &so_far, 64));
    tv_digest_begin(&digest, TV_DIGEST_SHA256);
    tv_digest_add(&digest, bytes, 127);
    tv_digest_save(&digest, &so_far);
    assert_int_equal(strlen(so_far.hex), TV_DIGEST_SO_FAR_CAP - 1);
    assert_true(tv_digest_resume(&digest, &so_far, 127));
    assert_false(tv_digest_resume(&digest, &so_far, 126));
    assert_false(tv_digest_resume(&digest, &so_far, 128));
    so_far.hex[100] = 'G';
    assert_false(tv_digest_resume(&digest, &so_far, 127));
    memset(so_far.hex, '0', sizeof(so_far.hex)); /* no end */
    assert_false(tv_digest_resume(&digest, &so_far, 127));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_others),
        cmocka_unit_test(a_file_is_summed_whole_or_not_at_all),
        cmocka_unit_test(a_sum_goes_on_behind_any_byte),
        cmocka_unit_test(what_no_sum_was_saved_as_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
