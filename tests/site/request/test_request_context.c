/* site/request/request_context: answers that no room was left for. */
#include "site/request/request_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum tv_code refuse_bytes(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx;
    (void)bytes;
    return tv_fail_memory(err, len);
}

/* The client may ask again: 503, and not a fault of its own or a gateway's. */
static void json_without_memory_is_a_refusal(void **state)
{
    struct tv_http_request request = {.connection = -1};
    struct tv_request_context context = {.request = &request, .path = TV_STR("/api/v1/traces")};
    struct tv_http_response response;
    struct tv_json json;
    (void)state;
    tv_http_response_init(&response, tv_alloc_libc());
    tv_json_init(&json, (struct tv_sink){.write = refuse_bytes});
    tv_json_open_object(&json);
    tv_json_close_object(&json);
    tv_request_context_send_json(&context, &json, 200, &response);
    assert_int_equal(response.status, 503);
    tv_http_response_release(&response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_without_memory_is_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
