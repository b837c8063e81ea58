/*
 * Every route with each of its allocations failing in turn: an answer ends as a failure, releases
 * all that it took, and releases nothing twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/api.h"
#include "base/compiler.h"
#include "base/str.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "support/failing_alloc.h"
#include "support/random_trace.h"

static const char *const questions[][2] = {
    {"info", ""},
    {"check", ""},
    {"insights", ""},
    {"detail", "method=0"},
    {"lanes", ""},
    {"top", ""},
    {"top", "n=0&per_call=1&sort=calls"},
    {"top", "sort=inclusive&clock=wall&from=1000&to=900000"},
    {"top", "match=/o+|x/i&threads=1,2"},
    {"top", "match=a&hide=com.,a."},
    {"top", "group=package&from=1000&to=900000"},
    {"top", "group=class&n=2&offset=1"},
    {"top", "ranks=1&overhead=1&n=3"},
    {"methods", "ranks=0,1,2"},
    {"callers", "method=0"},
    {"callers", "method=1&from=1000&to=900000"},
    {"tree", "depth=5"},
    {"tree", "depth=5&match=o&cut=1"},
    {"tree", "depth=3&path=0&sort=exclusive"},
    {"tree", "depth=3&inverted=1&clock=cpu&hide=a."},
    {"tree", "depth=3&from=1000&to=900000"},
    {"calls", "method=0&n=5"},
    {"calls", "method=1&sort=exclusive&min=1&from=1000&to=900000"},
    {"call", "thread=1&depth=0&call=0&step=child"},
    {"call", "at=1000&thread=1"},
    {"search", "q=o"},
    {"search", "q=/o|a/"},
    {"window", "from=0&to=1000000&width=100&rows=1:f,1:0-5,2:f"},
    {"window", "from=0&to=1000000&width=100&rows=1:f,1:0-5,2:f&hide=com.,a."},
    {"call", "thread=1&depth=0&call=0&step=child&hide=a."},
    {"levels", "hide=com."},
    {"curve", "thread=1&bins=9"},
    {"window", "from=0&to=1000000&width=10&rows=1:x,1:f&extents=0&cpu=1"},
    {"overview", "width=200&rows=8"},
    {"overview", "width=200&rows=8&cpu=1"},
    {"flame", "width=300"},
    {"flame", "width=300&hide=a.&match=o"},
    {"flame", "width=300&path=0&clock=wait"},
    {"flame", "width=300&inverted=1"},
    {"flame", "width=300&ops=recursion:0;merge:1"},
    {"flame", "width=300&ops=recursion:0;recursion:1"},
    {"flame", "width=300&ops=focus:1;drop:2;collapse:a"},
    {"calldiff", "old=1.0.0&new=1.0.0"},
    {"before", "old=o&ranks=0,1,2"},
    {"before", "old=o&path=0&ranks=0,1,2&hide=a.&threads=1"},
    {"before", "old=o&path=1.0&inverted=1&ranks=0,1,2&from=1000&to=900000"},
    {"flamediff", "old=o&width=300"},
    {"flamediff", "old_call=1.0.0&new_call=1.0.0&width=300"},
    {"flamediff", "old=o&width=300&view=old&share=1&threads=1,2&hide=a.&match=o"},
    {"counts", ""},
    {"counts", "old=o&mine=a."},
    {"trend", "old=o"},
    {"rules", "text=no+calls+of+a.*%0Amax+of+*+%3C%3D+1+us"},
    {"rules", "text=calls+growth+%3C%3D+1+%25%0Ano+calls+of+*+on+thread+main&old=o"},
    {"checkdiff", "old=o"},
    {"insightsdiff", "old=o"},
    {"lanesdiff", "old=o"},
    {"diff", "old=o&n=0"},
    {"diff", "old=o&new=n&root=0&thread=1"},
};

/* Asks once, with request number fail_at for memory refused; whether any was. */
static bool ask_failing(const struct tv_index *index, const char *const question[2],
                        uint64_t fail_at)
{
    struct failing_alloc failing;
    struct tv_api_response response;
    failing_alloc_init(&failing, fail_at);
    const struct tv_api_trace traces[] = {
        {.index = index, .file = TV_STR("failing.trace"), .name = TV_STR("n")},
        {.index = index, .file = TV_STR("old.trace"), .name = TV_STR("o")}};
    const struct tv_api api = {
        .alloc = &failing.alloc, .traces = traces, .trace_count = TV_COUNT_OF(traces)};
    tv_api_response_init(&response, &failing.alloc);
    enum tv_code code =
        tv_api_get(&api, tv_str_from(question[0]), tv_str_from(question[1]), &response, NULL);
    bool is_told = failing.has_failed ? code == TV_ERR_MEMORY || code == TV_OK : code == TV_OK;
    if (!is_told || (!failing.has_failed && response.status != 200 && response.status != 404))
        fail_msg("%s?%s, request %u failing: code %d, status %d", question[0], question[1],
                 (unsigned)fail_at, (int)code, response.status);
    tv_api_response_release(&response);
    if (failing.live || failing.was_lied_to)
        fail_msg("%s?%s, request %u failing: %u bytes stay, lied to: %d", question[0], question[1],
                 (unsigned)fail_at, (unsigned)failing.live, failing.was_lied_to);
    return failing.has_failed;
}

/* All questions to a trace whose threads differ in size: what was taken for a small one is taken
 * anew for a larger one. */
static void ask_all(struct random_opts opts)
{
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    opts.threads = 1;
    opts.records = 12;
    build_random(&t, opts);
    opts.threads = 3;
    opts.records = 240;
    build_random(&t, opts);
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(tv_index_build(&index, &trace, NULL, NULL), TV_OK);
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        uint64_t requests = 0;
        while (ask_failing(&index, questions[i], requests))
            requests++;
        assert_true(requests > 0);
    }
    tv_index_release(&index);
    tv_trace_release(&trace);
    build_release(&t);
}

static void answers_about_plain_calls_end_well(void **state)
{
    (void)state;
    ask_all((struct random_opts){.seed = 1});
}

static void answers_about_broken_calls_end_well(void **state)
{
    (void)state;
    ask_all((struct random_opts){.seed = 7,
                                 .methods = 9,
                                 .lost_enter = 60,
                                 .lost_exit = 60,
                                 .wrong_exit = 30,
                                 .unwind = 100,
                                 .fall = 20});
}

/* Every question, asked by nobody any more. */
static void no_answer_is_made_that_nobody_wants(void **state)
{
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    atomic_bool is_unwanted = true;
    (void)state;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    build_random(&t, (struct random_opts){.seed = 1, .threads = 3, .records = 240});
    tv_trace_init(&trace, tv_alloc_libc());
    assert_int_equal(tv_trace_open(&trace, t.bytes.bytes, t.bytes.len, NULL, NULL), TV_OK);
    assert_int_equal(tv_index_build(&index, &trace, NULL, NULL), TV_OK);
    const struct tv_api_trace asked = {.index = &index, .file = TV_STR("unwanted.trace")};
    const struct tv_api api = {
        .alloc = tv_alloc_libc(), .traces = &asked, .trace_count = 1, .is_unwanted = &is_unwanted};
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++) {
        struct tv_api_response response;
        tv_api_response_init(&response, tv_alloc_libc());
        assert_int_equal(tv_api_get(&api, tv_str_from(questions[i][0]),
                                    tv_str_from(questions[i][1]), &response, NULL),
                         TV_OK);
        assert_int_equal(response.status, 503);
        tv_api_response_release(&response);
    }
    tv_index_release(&index);
    tv_trace_release(&trace);
    build_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_about_plain_calls_end_well),
        cmocka_unit_test(answers_about_broken_calls_end_well),
        cmocka_unit_test(no_answer_is_made_that_nobody_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
