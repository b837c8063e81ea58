/* http/ranges: which part of a file is the answer, and when none is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>

#include "http/ranges.h"

#define LEN 1000u
#define ETAG "\"abc\""

struct asking {
    struct tv_http_request request;
    struct tv_http_response response;
    struct tv_http_field fields[4];
};

static void ask(struct asking *asking, enum tv_http_method method, const char *const *fields)
{
    *asking = (struct asking){.request = {.method = method, .fields = asking->fields}};
    for (; fields && fields[0]; fields += 2)
        asking->fields[asking->request.field_count++] =
            (struct tv_http_field){tv_str_from(fields[0]), tv_str_from(fields[1])};
    const struct tv_http_file file = {
        .part = {.fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), .off = 50, .len = LEN},
        .etag = ETAG,
        .content_type = "application/octet-stream",
        .cache = "private"};
    tv_http_response_init(&asking->response, tv_alloc_libc());
    tv_http_send_file(&asking->request, &asking->response, &file);
}

static void end(struct asking *asking)
{
    tv_http_response_release(&asking->response);
}

/* A range, the status, and where the part begins and how long it is. */
struct range_case {
    const char *range;
    int status;
    uint64_t off;
    uint64_t len;
};

static void one_range_is_answered_with_its_bytes(void **state)
{
    static const struct range_case cases[] = {
        {"bytes=0-0", 206, 0, 1},          {"bytes=10-19", 206, 10, 10},
        {"bytes= 10-19 ", 206, 10, 10},    {"bytes=990-", 206, 990, 10},
        {"bytes=990-99999", 206, 990, 10}, {"bytes=0-18446744073709551615", 206, 0, LEN},
        {"bytes=-1", 206, 999, 1},         {"bytes=-5000", 206, 0, LEN},
        {"bytes=1000-", 416, 0, 0},        {"bytes=18446744073709551615-", 416, 0, 0},
        {"bytes=-0", 416, 0, 0},           {"bytes=5-4", 200, 0, LEN},
        {"bytes=0-1,5-6", 200, 0, LEN},    {"bytes=18446744073709551616-", 200, 0, LEN},
        {"bytes=a-b", 200, 0, LEN},        {"bytes=-", 200, 0, LEN},
        {"bytes=", 200, 0, LEN},           {"bytes=5", 200, 0, LEN},
        {"lines=0-1", 200, 0, LEN},        {"", 200, 0, LEN},
    };
    struct asking asking;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        const char *const fields[] = {"Range", cases[i].range, NULL};
        ask(&asking, TV_HTTP_GET, fields);
        if (asking.response.status != cases[i].status)
            print_error("%s\n", cases[i].range);
        assert_int_equal(asking.response.status, cases[i].status);
        assert_int_equal(asking.response.file.len, cases[i].len);
        if (cases[i].len)
            assert_int_equal(asking.response.file.off, 50 + cases[i].off);
        end(&asking);
    }
}

static void the_range_is_told(void **state)
{
    static const char *const part[] = {"Range", "bytes=-10", NULL};
    static const char *const beyond[] = {"Range", "bytes=2000-", NULL};
    struct asking asking;
    (void)state;
    ask(&asking, TV_HTTP_GET, part);
    assert_string_equal(tv_http_added(&asking.response, "Content-Range"), "bytes 990-999/1000");
    assert_string_equal(tv_http_added(&asking.response, "Accept-Ranges"), "bytes");
    assert_string_equal(tv_http_added(&asking.response, "ETag"), ETAG);
    end(&asking);
    ask(&asking, TV_HTTP_GET, beyond);
    assert_string_equal(tv_http_added(&asking.response, "Content-Range"), "bytes */1000");
    assert_int_equal(asking.response.file.fd, -1);
    end(&asking);
    ask(&asking, TV_HTTP_HEAD, part); /* a range is for GET alone */
    assert_int_equal(asking.response.status, 200);
    end(&asking);
}

/* Headers, and the status that they lead to. */
struct condition_case {
    const char *fields[5];
    int status;
};

static void conditions_hold_or_not(void **state)
{
    static const struct condition_case cases[] = {
        {{"If-None-Match", ETAG}, 304},
        {{"If-None-Match", "W/" ETAG}, 304},
        {{"If-None-Match", "\"x\", " ETAG}, 304},
        {{"If-None-Match", "\"abc-gzip\""}, 304},
        {{"If-None-Match", "\"abc-zstd\""}, 304},
        {{"If-None-Match", "*"}, 304},
        {{"If-None-Match", "abc"}, 200},
        {{"If-None-Match", "\"abcd\""}, 200},
        {{"If-None-Match", "\"ab-gzip\""}, 200},
        {{"If-None-Match", ""}, 200},
        {{"If-Match", ETAG}, 200},
        {{"If-Match", "*"}, 200},
        {{"If-Match", "W/" ETAG}, 412},
        {{"If-Match", "\"x\""}, 412},
        {{"Range", "bytes=0-1", "If-Range", ETAG}, 206},
        {{"Range", "bytes=0-1", "If-Range", "\"x\""}, 200},
        {{"Range", "bytes=0-1", "If-Range", "W/" ETAG}, 200},
        {{"Range", "bytes=0-1", "If-Range", "Sat, 29 Oct 1994 19:43:31 GMT"}, 200},
        {{"Range", "bytes=0-1", "If-None-Match", ETAG}, 304},
        {{"If-None-Match", ETAG, "If-Match", "\"x\""}, 412},
    };
    struct asking asking;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        ask(&asking, TV_HTTP_GET, cases[i].fields);
        if (asking.response.status != cases[i].status)
            print_error("%s: %s\n", cases[i].fields[0], cases[i].fields[1]);
        assert_int_equal(asking.response.status, cases[i].status);
        end(&asking);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_range_is_answered_with_its_bytes),
        cmocka_unit_test(the_range_is_told),
        cmocka_unit_test(conditions_hold_or_not),
    };
    return cmocka_run_group_tests_name("http/ranges", tests, NULL, NULL);
}
