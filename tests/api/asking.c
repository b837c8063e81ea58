/* See api/asking.h. */
#include "asking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/trace_builder.h"

struct tv_api_trace asked_trace;
struct tv_api asked;

static struct trace_builder builder;
static struct tv_trace trace;
static struct tv_index index_of_trace;
static struct tv_api_response response;

static void both(unsigned thread, uint32_t method, unsigned action, uint32_t usec)
{
    build_record(&builder,
                 (struct build_record){thread, method, action, thread == MAIN ? usec : 0, usec});
}

int asking_begin(void **state)
{
    (void)state;
    build_text(&builder, (struct build_opts){.version = 3, .clock = "dual"});
    both(MAIN, FOO, ENTER, 0);
    both(MAIN, BAR, ENTER, 10);
    both(WORKER, BAZ, ENTER, 10);
    both(MAIN, FOO, ENTER, 20);
    both(MAIN, FOO, LEAVE, 30);
    both(MAIN, BAR, LEAVE, 40);
    both(MAIN, BAZ, ENTER, 50);
    both(WORKER, BAZ, LEAVE, 60);
    both(MAIN, BAZ, LEAVE, 90);
    both(MAIN, FOO, LEAVE, 100);
    tv_trace_init(&trace, tv_alloc_libc());
    tv_index_init(&index_of_trace);
    tv_api_response_init(&response, tv_alloc_libc());
    const struct tv_read_opts opts = {.batch_len = 0};
    if (tv_trace_open(&trace, builder.bytes.bytes, builder.bytes.len, &opts, NULL) != TV_OK ||
        tv_index_build(&index_of_trace, &trace, &(struct tv_build_opts){.pool = NULL}, NULL) !=
            TV_OK)
        return -1;
    asked_trace = (struct tv_api_trace){.index = &index_of_trace, .file = tv_str_from("x.trace")};
    asked = (struct tv_api){.alloc = tv_alloc_libc(), .traces = &asked_trace, .trace_count = 1};
    return 0;
}

int asking_end(void **state)
{
    (void)state;
    tv_api_response_release(&response);
    tv_index_release(&index_of_trace);
    tv_trace_release(&trace);
    build_release(&builder);
    return 0;
}

const char *ask(const char *route, const char *query, int *status)
{
    assert_int_equal(tv_api_get(&asked, tv_str_from(route), tv_str_from(query), &response, NULL),
                     TV_OK);
    size_t len = response.body.len;
    assert_int_equal(tv_buffer_append(&response.body, "", 1, NULL), TV_OK);
    response.body.len = len;
    if (status)
        *status = response.status;
    return (const char *)response.body.bytes;
}

size_t answer_len(void)
{
    return response.body.len;
}

void expect(const char *route, const char *query, int status, const char *part)
{
    int got;
    const char *body = ask(route, query, &got);
    if (got != status || !strstr(body, part))
        fail_msg("%s?%s: %d %s\nwanted %d %s", route, query, got, body, status, part);
}

uint8_t answer_u8(size_t at)
{
    return response.body.bytes[at];
}

uint32_t answer_u32(size_t at)
{
    return tv_load_le32(response.body.bytes + at);
}

float answer_f32(size_t at)
{
    uint32_t bits = answer_u32(at);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

double answer_f64(size_t at)
{
    uint64_t bits = tv_load_le64(response.body.bytes + at);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}
