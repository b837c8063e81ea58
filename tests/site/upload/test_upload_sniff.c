/* site/sniffing: a file that is no trace is told by its first bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/upload/upload_sniff.h"

static enum tv_code judge(const char *bytes, size_t len, enum tv_upload_sniff part,
                          struct tv_error *err)
{
    return tv_upload_sniff_judge((const uint8_t *)(const void *)bytes, len, part, err);
}

static void traces_and_packed_files_pass(void **state)
{
    static const char text[] = "*version\n3\nclock=dual\n*threads\n1\tmain\n";
    static const char gzip[] = "\x1f\x8b\x08\0\0\0\0\0";
    static const char zstd[] = "\x28\xb5\x2f\xfd\0\0\0\0";
    (void)state;
    assert_int_equal(judge(text, sizeof(text) - 1, TV_SNIFFING_START, NULL), TV_OK);
    assert_int_equal(judge(gzip, sizeof(gzip) - 1, TV_SNIFFING_START, NULL), TV_OK);
    assert_int_equal(judge(zstd, sizeof(zstd) - 1, TV_SNIFFING_WHOLE, NULL), TV_OK);
}

static void other_files_are_told_by_name(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *told;
    } files[] = {
        {"", 0, "empty"},
        {"PK\x03\x04xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 36, "zip"},
        {"<!DOCTYPE html><html><body>Not found</body></html>", 50, "web page"},
        {"hello, world, this is a text\n", 29, "*version"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(files); i++) {
        struct tv_error err = {.code = TV_OK};
        assert_int_equal(judge(files[i].bytes, files[i].len, TV_SNIFFING_WHOLE, &err),
                         TV_ERR_FOREIGN);
        if (!strstr(err.text, files[i].told))
            fail_msg("\"%s\" does not tell \"%s\"", err.text, files[i].told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_and_packed_files_pass),
        cmocka_unit_test(other_files_are_told_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
