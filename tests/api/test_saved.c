/*
 * A saved index that somebody forged, word by word and with true checksums: it is refused, or every
 * route answers. Under a sanitizer this is where a read outside of the block shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "asking.h"
#include "base/alloc.h"
#include "index/build/build.h"
#include "index/saved/saved.h"
#include "support/random_trace.h"

static const struct tv_saved_source source = {.identity = {1, 2}};

static const char *const questions[][2] = {
    {"info", ""},
    {"check", ""},
    {"insights", ""},
    {"detail", "method=0"},
    {"lanes", ""},
    {"top", "n=0&per_call=1"},
    {"top", "from=5000&to=50000&per_call=1"},
    {"methods", "ranks=0,1,2"},
    {"callers", "method=0"},
    {"tree", "depth=9"},
    {"tree", "depth=9&inverted=1"},
    {"calls", "method=0&n=50"},
    {"calls", "method=1&n=5&from=9000&to=70000"},
    {"call", "thread=1&depth=1&call=0"},
    {"call", "thread=1&depth=0&call=0&step=child"},
    {"call", "method=0&ordinal=1&step=next"},
    {"call", "method=0&ordinal=1&step=prev-in-thread"},
    {"call", "at=25000&thread=1"},
    {"search", "q=a"},
    {"window", "width=7&rows=1:f,1:0-5,2:f,1:x&extents=0"},
    {"window", "width=7&rows=1:f,1:0-5,2:f&hide=a."},
    {"levels", "hide=a."},
    {"window", "width=300&rows=1:f,1:0-5,2:f&from=10000&to=60000"},
    {"overview", "width=50"},
    {"flame", "width=300"},
    {"flame", "width=300&inverted=1"},
    {"flame", "width=300&ops=merge:1;focus:0"},
};

static void expect_answers(const struct tv_index *index)
{
    const struct tv_api_trace trace = {.index = index, .file = TV_STR("x.trace")};
    struct tv_api api = {.alloc = tv_alloc_libc(), .traces = &trace, .trace_count = 1};
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        struct tv_api_response response;
        tv_api_response_init(&response, api.alloc);
        assert_int_equal(tv_api_get(&api, tv_str_from(questions[i][0]),
                                    tv_str_from(questions[i][1]), &response, NULL),
                         TV_OK);
        assert_in_range(response.status, 200, 499);
        tv_api_response_release(&response);
    }
}

/* Seals what stands behind the head, opens it, checks it in full, and asks when it fits. */
static bool opens(uint8_t *bytes, size_t len)
{
    struct tv_index index;
    struct tv_saved_source wanted = source;
    if (tv_block_view(&index, bytes + TV_SAVED_HEAD_LEN, len - TV_SAVED_HEAD_LEN, NULL) != TV_OK)
        return false;
    assert_int_equal(tv_saved_seal(&index, &source, tv_alloc_libc(), tv_pool_serial(), bytes, NULL),
                     TV_OK);
    if (tv_saved_open(&index, (struct tv_saved_bytes){bytes, len}, &wanted, tv_alloc_libc(),
                      tv_pool_serial(), NULL) != TV_OK ||
        tv_saved_check(&index, tv_alloc_libc(), tv_pool_serial(), NULL) != TV_OK)
        return false;
    expect_answers(&index);
    return true;
}

static void forge_every_word(const struct tv_index *index)
{
    size_t len = TV_SAVED_HEAD_LEN + index->block_len;
    size_t accepted = 0;
    uint8_t *bytes;
    assert_int_equal(tv_alloc_new(tv_alloc_libc(), &bytes, len, 1, NULL), TV_OK);
    memcpy(bytes + TV_SAVED_HEAD_LEN, index->block, index->block_len);
    assert_true(opens(bytes, len));
    for (size_t at = TV_SAVED_HEAD_LEN; at + 4 <= len; at += 4) {
        uint32_t old;
        memcpy(&old, bytes + at, sizeof(old));
        const uint32_t values[] = {0, 1, 2, old + 1, old - 1, old * 2, INT32_MAX, UINT32_MAX};
        for (size_t i = 0; i < TV_COUNT_OF(values); i++) {
            if (values[i] == old)
                continue;
            memcpy(bytes + at, &values[i], sizeof(old));
            accepted += opens(bytes, len);
        }
        memcpy(bytes + at, &old, sizeof(old));
    }
    /* Names, ids and counts of records are anybody's. */
    assert_true(accepted > 100);
    tv_alloc_release(tv_alloc_libc(), &bytes, len, 1);
}

static void forged_word_is_refused_or_does_no_harm(void **state)
{
    (void)state;
    forge_every_word(asked_trace.index);
}

/* Long enough for mipmaps and segment groups, with calls that are open at both ends. */
static void forged_word_of_a_long_trace_is_refused_or_does_no_harm(void **state)
{
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    (void)state;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual", .methods = ""});
    build_random(&t, (struct random_opts){.seed = 3,
                                          .records = 600,
                                          .threads = 2,
                                          .methods = 2,
                                          .depth_most = 2,
                                          .lost_enter = 20,
                                          .lost_exit = 20});
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(tv_index_build(&index, &trace, NULL, NULL), TV_OK);
    assert_true(index.mipmap_words > 2 && index.segment_group_count > 2);
    forge_every_word(&index);
    tv_index_release(&index);
    tv_trace_release(&trace);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_word_is_refused_or_does_no_harm),
        cmocka_unit_test(forged_word_of_a_long_trace_is_refused_or_does_no_harm),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
