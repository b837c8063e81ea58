/*
 * How long answers get: a method is named once in each, what does not fit is left out and counted,
 * and no answer is longer than its limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "api/pack_window.h"
#include "api/routes/answer_parts.h"
#include "base/str.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "index/memory.h"
#include "support/failing_alloc.h"
#include "support/trace_builder.h"

static struct trace_builder builder;
static struct tv_trace trace;
static struct tv_index index_of_trace;
static struct tv_api_response response;

/* Opens the trace that `builder` has. */
static void open_trace(void)
{
    tv_trace_init(&trace, tv_alloc_libc());
    tv_index_init(&index_of_trace);
    tv_api_response_init(&response, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, builder.bytes.bytes, builder.bytes.len, NULL, NULL),
                     TV_OK);
    assert_int_equal(tv_index_build(&index_of_trace, &trace, NULL, NULL), TV_OK);
}

static void close_trace(void)
{
    tv_api_response_release(&response);
    tv_index_release(&index_of_trace);
    tv_trace_release(&trace);
    build_release(&builder);
}

/* The body of an answer, ended with NUL; limit 0 is the limit of the api. */
static const char *ask_within(size_t limit, const char *route, const char *query)
{
    const struct tv_api_trace shown = {.index = &index_of_trace, .file = TV_STR("long.trace")};
    const struct tv_api api = {
        .alloc = tv_alloc_libc(), .answer_limit = limit, .traces = &shown, .trace_count = 1};
    assert_int_equal(tv_api_get(&api, tv_str_from(route), tv_str_from(query), &response, NULL),
                     TV_OK);
    size_t len = response.body.len;
    assert_int_equal(tv_buffer_append(&response.body, "", 1, NULL), TV_OK);
    response.body.len = len;
    return (const char *)response.body.bytes;
}

/* How often the part is in the body. Not by strstr, which reads the whole rest of the body at every
 * call when AddressSanitizer watches it. */
static unsigned count_of(const char *body, const char *part)
{
    unsigned count = 0;
    size_t part_len = strlen(part);
    while ((body = strchr(body, part[0])) != NULL) {
        bool is_part = strncmp(body, part, part_len) == 0;
        count += is_part;
        body += is_part ? part_len : 1;
    }
    return count;
}

/* The number behind `"left_out":`; 0 where the answer has none. */
static unsigned left_out_of(const char *body)
{
    const char *at = strstr(body, "\"left_out\":");
    return at ? (unsigned)strtoul(at + strlen("\"left_out\":"), NULL, 10) : 0;
}

/* FOO, which has a name of 2,000 bytes, called by each of 300 methods that the root calls. */
static void build_many_callers(void)
{
    static char methods[32768];
    char name[2001];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    int len = snprintf(methods, sizeof(methods), "0x4\ta.B\t%s\t()V\tB.java\t1\n", name);
    for (unsigned i = 0; i < 300; i++)
        len += snprintf(methods + len, sizeof(methods) - (size_t)len,
                        "0x%x\ta.C\tm%u\t()V\tC.java\t1\n", 0x100 + 4 * i, i);
    build_text(&builder, (struct build_opts){.version = 3, .clock = "wall", .methods = methods});
    enter(&builder, MAIN, FOO, 0);
    for (uint32_t i = 0; i < 300; i++) {
        enter(&builder, MAIN, 0x100 + 4 * i, 10 * i);
        enter(&builder, MAIN, FOO, 10 * i + 1);
        leave(&builder, MAIN, FOO, 10 * i + 2);
        leave(&builder, MAIN, 0x100 + 4 * i, 10 * i + 3);
    }
    leave(&builder, MAIN, FOO, 4000);
}

static void a_method_is_named_once_however_many_nodes_it_has(void **state)
{
    static const char *const questions[][2] = {
        {"tree", "depth=3"}, {"tree", "depth=2&inverted=1"}, {"callers", "method=0"}};
    (void)state;
    build_many_callers();
    open_trace();
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        const char *body = ask_within(0, questions[i][0], questions[i][1]);
        assert_int_equal(response.status, 200);
        /* Whole, and as its part. */
        assert_int_equal(count_of(body, "\"method\":\"a.B.nnn"), 1);
        assert_int_equal(count_of(body, "\"name\":\"nnn"), 1);
        assert_int_equal(left_out_of(body), 0);
    }
    close_trace();
}

/* Rows that are written and rows that are left out are together as many as without a limit. */
static void what_does_not_fit_is_left_out_and_counted(void **state)
{
    static const struct {
        const char *route, *query, *row; /* `row` is in each row, and nowhere else */
    } lists[] = {
        {"top", "n=0&sort=calls&order=asc", "\"recursive_calls\":"},
        {"top", "n=0&group=package", "\"methods\":"},
        {"callers", "method=0", "\"of_calls\":"},
        {"tree", "depth=1&path=0", "\"has_children\":"},
        {"tree", "depth=2&path=0", "\"has_children\":"},
        {"methods",
         "ranks=5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
         "\"signature\":"},
        {"info", "", "\"max_depth\":"},
    };
    (void)state;
    build_many_callers();
    open_trace();
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++) {
        unsigned all = count_of(ask_within(0, lists[i].route, lists[i].query), lists[i].row);
        unsigned cut_answers = 0;
        for (size_t limit = 64; limit < 100000; limit += limit / 8) {
            const char *body = ask_within(limit, lists[i].route, lists[i].query);
            assert_true(response.status == 200 || response.status == 400);
            if (response.status != 200) {
                assert_non_null(strstr(body, "bytes: ask for less"));
                continue;
            }
            unsigned rows = count_of(body, lists[i].row);
            unsigned left_out = left_out_of(body);
            if (response.body.len > limit || rows + left_out != all)
                fail_msg("%s?%s within %zu: %zu bytes, %u rows, %u left out, of %u", lists[i].route,
                         lists[i].query, limit, response.body.len, rows, left_out, all);
            cut_answers += left_out > 0;
        }
        assert_true(all < 10 || cut_answers > 0);
    }
    close_trace();
}

static void a_tree_leaves_out_its_lowest_levels_first(void **state)
{
    (void)state;
    build_many_callers();
    open_trace();
    /* Room for the 300 nodes below the root, and not for the 300 below these: names count, too. */
    const char *body = ask_within(180000, "tree", "path=0&depth=2");
    unsigned rows = count_of(body, "\"has_children\":");
    assert_in_range(rows, 300, 500);
    assert_int_equal(rows + left_out_of(body), 600);
    /* The root's own list is whole, and ends the nodes. */
    assert_non_null(strstr(body, "],\"more\":0,\"methods\":["));
    body = ask_within(60000, "tree", "path=0&depth=2");
    rows = count_of(body, "\"has_children\":");
    assert_in_range(rows, 50, 299);
    assert_int_equal(count_of(body, "\"children\":"), 0);
    char more[64];
    (void)snprintf(more, sizeof(more), "],\"more\":%u,\"methods\":[", 300 - rows);
    assert_non_null(strstr(body, more));
    assert_int_equal(left_out_of(body), 600 - rows);
    close_trace();
}

static void a_flame_leaves_out_its_upper_levels_and_says_so(void **state)
{
    (void)state;
    build_many_callers();
    open_trace();
    (void)ask_within(0, "flame", "width=4000");
    const uint8_t *bytes = response.body.bytes;
    size_t whole = response.body.len;
    assert_int_equal(bytes[4], 1);
    uint32_t boxes = (uint32_t)bytes[24] | (uint32_t)bytes[25] << 8;
    assert_int_equal(boxes, 601);
    (void)ask_within(whole / 2, "flame", "width=4000");
    bytes = response.body.bytes;
    assert_true(response.body.len <= whole / 2 && response.body.len > whole / 2 - 64);
    assert_int_equal(bytes[4], 0);
    boxes = (uint32_t)bytes[24] | (uint32_t)bytes[25] << 8;
    assert_in_range(boxes, 280, 301);
    assert_int_equal(bytes[32], 2); /* levels */
    (void)ask_within(10, "flame", "width=4000");
    assert_int_equal(response.body.len, 64);
    close_trace();
}

/* A method line may be as long as the file. */
static void a_text_is_cut_at_the_longest_name_of_a_virtual_machine(void **state)
{
    (void)state;
    const size_t len = 200000;
    char *methods = test_malloc(len + 64);
    int start = snprintf(methods, 64, "0x4\ta.B\t");
    memset(methods + start, 1, len); /* spelled \u0001: six characters a byte */
    (void)snprintf(methods + (size_t)start + len, 32, "\t()V\tB.java\t1\n");
    build_text(&builder, (struct build_opts){.version = 3, .clock = "wall", .methods = methods});
    enter(&builder, MAIN, FOO, 0);
    leave(&builder, MAIN, FOO, 10);
    open_trace();
    static const char *const questions[][2] = {{"top", ""}, {"tree", ""}, {"methods", "ranks=0"}};
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        const char *body = ask_within(0, questions[i][0], questions[i][1]);
        assert_int_equal(response.status, 200);
        /* In `method`, behind "a.B.", and in `name`. */
        assert_int_equal(count_of(body, "\\u0001"), 2 * TV_ANSWER_TEXT_LIMIT - 4);
    }
    test_free(methods);
    close_trace();
}

/* What an answer takes while it is made has a limit of its own, and reaching it is told. */
static void an_answer_that_takes_too_much_memory_is_refused(void **state)
{
    (void)state;
    build_many_callers();
    open_trace();
    struct failing_alloc failing;
    failing_alloc_init(&failing, NEVER_FAIL);
    const struct tv_api_trace shown = {.index = &index_of_trace};
    const struct tv_api api = {.alloc = &failing.alloc, .traces = &shown, .trace_count = 1};
    struct tv_api_response own;
    tv_api_response_init(&own, &failing.alloc);
    assert_int_equal(tv_api_get(&api, TV_STR("tree"), TV_STR("depth=31"), &own, NULL), TV_OK);
    assert_int_equal(own.status, 200);
    tv_api_response_release(&own);
    assert_int_equal(failing.live, 0);
    assert_true(failing.peak < tv_memory_of_answer(&index_of_trace));
    close_trace();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_is_named_once_however_many_nodes_it_has),
        cmocka_unit_test(what_does_not_fit_is_left_out_and_counted),
        cmocka_unit_test(a_tree_leaves_out_its_lowest_levels_first),
        cmocka_unit_test(a_flame_leaves_out_its_upper_levels_and_says_so),
        cmocka_unit_test(a_text_is_cut_at_the_longest_name_of_a_virtual_machine),
        cmocka_unit_test(an_answer_that_takes_too_much_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
