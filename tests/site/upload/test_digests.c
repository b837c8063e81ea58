/* site/digests: the sums that headers say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/upload/digests.h"

/* SHA-256 of "abc". */
#define DIGITS "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define BASE64 "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="

static enum tv_code find(const char *name, const char *value, enum tv_digest_of what, bool *has,
                         struct tv_hash *hash)
{
    const struct tv_http_field field = {tv_str_from(name), tv_str_from(value)};
    const struct tv_http_request request = {.fields = &field, .field_count = 1};
    return tv_digests_find(&request, what, has, hash, NULL);
}

static void digits_and_digests_are_read(void **state)
{
    static const struct {
        const char *name, *value;
        enum tv_digest_of what;
    } given[] = {
        {"X-Checksum-Sha256", DIGITS, TV_DIGEST_OF_BODY},
        {"x-checksum-sha256", "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
         TV_DIGEST_OF_FILE},
        {"Content-Digest", "sha-256=:" BASE64 ":", TV_DIGEST_OF_BODY},
        {"Content-Digest", "sha-512=:AAAA:, sha-256=:" BASE64 ":", TV_DIGEST_OF_BODY},
        {"Repr-Digest", "sha-256=:" BASE64 ":", TV_DIGEST_OF_FILE},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(given); i++) {
        struct tv_hash hash;
        bool has = false;
        assert_int_equal(find(given[i].name, given[i].value, given[i].what, &has, &hash), TV_OK);
        assert_true(has);
        assert_string_equal(hash.hex, DIGITS);
    }
}

static void other_headers_and_algorithms_say_nothing(void **state)
{
    struct tv_hash hash;
    bool has = true;
    (void)state;
    assert_int_equal(find("Repr-Digest", "sha-256=:" BASE64 ":", TV_DIGEST_OF_BODY, &has, &hash),
                     TV_OK);
    assert_false(has);
    has = true;
    assert_int_equal(find("Content-Digest", "sha-512=:AAAA:", TV_DIGEST_OF_BODY, &has, &hash),
                     TV_OK);
    assert_false(has);
}

static void what_is_no_sum_is_refused(void **state)
{
    static const char *const values[][2] = {
        {"X-Checksum-Sha256", ""},
        {"X-Checksum-Sha256", "ba78"},
        {"X-Checksum-Sha256", "ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"X-Checksum-Sha256", DIGITS "00"},
        {"Content-Digest", "sha-256=:AAAA:"},
        {"Content-Digest", "sha-256=:" BASE64},
        {"Content-Digest", "sha-256=::"},
        {"Content-Digest", "sha-256=:"},
        {"Content-Digest", "sha-256=:" BASE64 BASE64 ":"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(values); i++) {
        struct tv_hash hash;
        bool has;
        assert_int_equal(find(values[i][0], values[i][1], TV_DIGEST_OF_BODY, &has, &hash),
                         TV_ERR_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_and_digests_are_read),
        cmocka_unit_test(other_headers_and_algorithms_say_nothing),
        cmocka_unit_test(what_is_no_sum_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
