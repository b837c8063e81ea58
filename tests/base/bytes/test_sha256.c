/* SHA-256 and HMAC against the examples of FIPS 180-4 and RFC 4231. */
#include "base/bytes/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_digest(const uint8_t digest[TV_SHA256_LEN], const char *expected)
{
    char hex[2 * TV_SHA256_LEN + 1];
    for (size_t i = 0; i < TV_SHA256_LEN; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, expected);
}

static void assert_sum(struct tv_str text, const char *expected)
{
    uint8_t digest[TV_SHA256_LEN];
    tv_sha256(text, digest);
    assert_digest(digest, expected);
}

static void test_sums(void **state)
{
    (void)state;
    static char million[1000000];
    memset(million, 'a', sizeof(million));
    assert_sum(TV_STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sum(TV_STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sum(TV_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_sum((struct tv_str){million, sizeof(million)},
               "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Test cases 1, 2 and 6 of RFC 4231, section 4. */
static void test_keyed(void **state)
{
    (void)state;
    uint8_t digest[TV_SHA256_LEN];
    char key[131];
    memset(key, 0x0b, 20);
    tv_hmac_sha256((struct tv_str){key, 20}, TV_STR("Hi There"), digest);
    assert_digest(digest, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    tv_hmac_sha256(TV_STR("Jefe"), TV_STR("what do ya want for nothing?"), digest);
    assert_digest(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof(key));
    tv_hmac_sha256((struct tv_str){key, sizeof(key)},
                   TV_STR("Test Using Larger Than Block-Size Key - Hash Key First"), digest);
    assert_digest(digest, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_keyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
