/* A trace as one page: what stands where, what a trace may not do to it, and what fails. */
#include "export/single_file/single_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/world.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "support/failing_alloc.h"

#define TEMPLATE                                                                                   \
    "<title><!--tv:title--></title><div id=\"app\"><!--tv:still--></div><!--tv:data--><script>"

static struct world w;
static struct tv_buffer page;

static int begin(void **state)
{
    (void)state;
    world_one_in_another(&w);
    tv_buffer_init(&page, tv_alloc_libc());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_buffer_release(&page);
    world_release(&w);
    return 0;
}

static enum tv_code write_page(const struct tv_single_file *report, const struct tv_alloc *alloc,
                               struct tv_error *err)
{
    page.len = 0;
    TV_TRY(tv_single_file_write(report, &w.index, alloc, NULL, tv_buffer_sink(&page), err));
    return tv_buffer_append(&page, "", 1, err);
}

static const char *written(const struct tv_single_file *report)
{
    assert_int_equal(write_page(report, tv_alloc_libc(), NULL), TV_OK);
    return (const char *)page.bytes;
}

static void each_part_stands_at_its_mark(void **state)
{
    const struct tv_single_file report = {.page = TV_STR(TEMPLATE),
                                          .engine = TV_STR("wasm"),
                                          .trace = TV_STR("trace"),
                                          .name = TV_STR("x.trace"),
                                          .title = TV_STR("A <slow> start"),
                                          .note = TV_STR("look\nhere"),
                                          .link = TV_STR("from=1&to=2")};
    (void)state;
    const char *text = written(&report);
    assert_memory_equal(text, "<title>A &lt;slow&gt; start</title><div id=\"app\"><h1>", 51);
    assert_non_null(strstr(text, "<pre>look\nhere</pre>"));
    assert_non_null(strstr(text, "</svg>\n</div><script type=\"text/plain\" id=\"tv-engine\">"
                                 ",~\"^.</script>\n"));
    assert_non_null(strstr(text, "<script type=\"application/json\" id=\"tv-report\">{\"title\":"
                                 "\"A \\u003cslow>"));
    assert_non_null(strstr(
        text,
        "\"link\":\"from=1&to=2\",\"name\":\"x.trace\",\"sha256\":"
        "\"eafe895eb8119e6e5d06463590b2ef81b3651c157d5c8e18f1889186c7fd0ac0\"}\n</script>\n"));
    assert_non_null(strstr(text, "<div id=\"tv-trace\" hidden>\n<script type=\"text/plain\">lTKlig!"
                                 "</script>\n</div>\n<script>"));
    assert_null(strstr(text, "unpacked"));
}

/* A block of the trace has 128 KiB of it. */
#define BLOCK_LEN ((size_t)1 << 17)

static void a_long_trace_has_several_blocks(void **state)
{
    static const char begin[] = "<script type=\"text/plain\">";
    static const char none[BLOCK_LEN + 1];
    const struct tv_single_file report = {
        .page = TV_STR(TEMPLATE), .name = TV_STR("x.trace"), .trace = {none, sizeof(none)}};
    (void)state;
    const char *first = strstr(written(&report), begin);
    assert_non_null(first);
    const char *text = first + sizeof(begin) - 1;
    /* Zeros come by 14 bits, and fewer than 8 that are left as one character. */
    const size_t digits = BLOCK_LEN * 8 / 14 * 2 + 1;
    assert_int_equal(strspn(text, "!"), digits);
    static const char rest[] =
        "</script>\n<script type=\"text/plain\">!!</script>\n</div>\n<script>";
    assert_string_equal(text + digits, rest);
}

static void of_gzip_the_lengths_are_said(void **state)
{
    static const char gzip[] = "\x1f\x8b\x08\0\0\0\0\0\0\0\3\0\0\0\0\0\x01\x02\x03\x04";
    struct tv_single_file report = {.page = TV_STR(TEMPLATE), .name = TV_STR("x.trace")};
    (void)state;
    report.trace = (struct tv_str){gzip, sizeof(gzip) - 1};
    assert_non_null(strstr(written(&report), "\",\"packed\":20,\"unpacked\":67305985}\n</script>"));
    report.trace.len = 17;
    assert_null(strstr(written(&report), "unpacked"));
}

/* Without the decoder zstd is taken as a whole, and so are its lengths left out. */
static void with_a_decoder_the_lengths_of_zstd_are_said(void **state)
{
    struct tv_single_file report = {.page = TV_STR(TEMPLATE),
                                    .name = TV_STR("x.trace"),
                                    .trace = TV_STR("\x28\xb5\x2f\xfd"),
                                    .unpacked_len = UINT64_C(5000000000)};
    (void)state;
    assert_null(strstr(written(&report), "unpacked"));
    assert_null(strstr(written(&report), "tv-zstd"));
    report.decoder = TV_STR("wasm");
    const char *text = written(&report);
    assert_non_null(strstr(text, "\",\"packed\":4,\"unpacked\":5000000000}\n</script>"));
    assert_non_null(strstr(text, "<script type=\"text/plain\" id=\"tv-zstd\">,~\"^.</script>\n"));
}

static void without_a_script_it_shows_the_top_and_a_graph(void **state)
{
    const struct tv_single_file report = {
        .page = TV_STR(TEMPLATE), .name = TV_STR("x.trace"), .clock = TV_CLOCK_CPU};
    (void)state;
    const char *text = written(&report);
    assert_memory_equal(text, "<title>x.trace</title>", 22);
    assert_non_null(strstr(text, "<caption>Methods by exclusive CPU time</caption>"));
    assert_non_null(strstr(text, "<tr><td>66.7</td><td>0.020</td><td>0.030</td><td>1</td>"
                                 "<td>com.app.Main.run</td></tr>"));
    assert_non_null(strstr(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\""));
    assert_non_null(strstr(text, "<rect x="));
    assert_null(strstr(text, "tv-engine"));
}

static void what_of_the_trace_it_has_is_said(void **state)
{
    struct tv_single_file report = {.page = TV_STR(TEMPLATE), .name = TV_STR("x.trace")};
    (void)state;
    const char *text = written(&report);
    assert_non_null(strstr(text, "<p>This page has a whole trace in it, and the viewer. Where"));
    assert_null(strstr(text, "\"part\""));
    report.part.scope.methods.hidden = TV_STR("a<b");
    report.part.levels = 3;
    text = written(&report);
    assert_non_null(strstr(text, "<p>This page has a part of a trace in it (without a&lt;b, 3 "
                                 "levels of calls), and the viewer. Where"));
    assert_non_null(strstr(text, "\"part\":\"without a\\u003cb, 3 levels of calls\",\"link\""));
    report.old_trace = TV_STR("old");
    assert_non_null(strstr(written(&report), "<p>This page has a part of both traces in it ("));
}

static void the_link_and_its_marks_fit_the_part(void **state)
{
    const struct tv_single_file report = {
        .page = TV_STR(TEMPLATE),
        .name = TV_STR("x.trace"),
        .link = TV_STR("view=2-5ms&mark=2-3ms|%3Cslow%3E&mark=0.1-0.2ms|gone&threads=1:main"),
        .cut = {.has_range = true, .from_ns = 1000000, .to_ns = 4000000}};
    struct tv_single_file redacted = report;
    (void)state;
    const char *text = written(&report);
    assert_non_null(strstr(text, "<ul>\n<li>1 – 2 ms &lt;slow&gt;</li>\n</ul>\n"));
    assert_non_null(strstr(text, "\"link\":\"view=1-3ms&mark=1-2ms|%3Cslow%3E&threads=1:main\""));
    redacted.cut.is_redacted = true;
    text = written(&redacted);
    assert_non_null(strstr(text, "<ul>\n<li>1 – 2 ms </li>\n</ul>\n"));
    assert_non_null(strstr(text, "\"link\":\"view=1-3ms&mark=1-2ms|\""));
}

static void two_traces_stand_in_rows_with_what_changed(void **state)
{
    const struct tv_single_file report = {.page = TV_STR(TEMPLATE),
                                          .trace = TV_STR("trace"),
                                          .name = TV_STR("new.trace"),
                                          .old_trace = TV_STR("trace"),
                                          .old_name = TV_STR("<old>"),
                                          .changes = TV_STR("<p>more</p>\n")};
    (void)state;
    const char *text = written(&report);
    assert_memory_equal(text, "<title>What changed from &lt;old&gt; to new.trace</title>", 56);
    assert_non_null(strstr(text,
                           "<p>This page has both traces in it, and the viewer. Where no script "
                           "may run, it shows this.</p>\n<p>more</p>\n</div>"));
    assert_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "{\"title\":\"\",\"note\":\"\",\"link\":\"tab=changes&against=1\","
                                 "\"name\":\"new.trace\",\"sha256\":\"eafe"));
    assert_non_null(strstr(text, ",\"old\":{\"name\":\"\\u003cold>\",\"sha256\":\"eafe"));
    assert_non_null(strstr(text, "<div id=\"tv-old\" hidden>\n<script type=\"text/plain\">lTKlig!"
                                 "</script>\n</div>\n<div id=\"tv-trace\" hidden>\n"));
}

/* The policy of the page forbids styles, and a script is for the page alone to have. */
static void what_is_shown_has_no_style_and_no_script(void **state)
{
    const struct tv_single_file report = {.page = TV_STR(TEMPLATE), .name = TV_STR("x.trace")};
    (void)state;
    const char *text = written(&report);
    assert_null(strstr(text, "style"));
    assert_null(strstr(text, "<?xml"));
    assert_null(strstr(text, "CDATA"));
}

static void nothing_in_a_name_ends_a_block(void **state)
{
    const struct tv_single_file report = {
        .page = TV_STR(TEMPLATE),
        .name = TV_STR("</script><script>alert(1)</script><!--tv:data-->"),
        .title = TV_STR("</title><script>alert(2)</script>"),
        .note = TV_STR("</pre><script>alert(3)</script>"),
        .link = TV_STR("</script><script>alert(4)</script>")};
    (void)state;
    assert_null(strstr(written(&report), "<script>alert"));
}

static void a_template_without_its_marks_is_refused(void **state)
{
    static const char *const templates[] = {
        "", "<!--tv:title--><!--tv:still-->", "<!--tv:still--><!--tv:title--><!--tv:data-->",
        (TEMPLATE "<!--tv:data-->"), ("<!--tv:title-->" TEMPLATE)};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(templates); i++) {
        struct tv_error err = {.code = TV_OK};
        const struct tv_single_file report = {.page = tv_str_from(templates[i])};
        assert_int_equal(write_page(&report, tv_alloc_libc(), &err), TV_ERR_ARGUMENT);
        assert_non_null(strstr(err.text, "the page's template has <!--tv:"));
    }
}

/* It is refused before any of its bytes is looked at. */
static void a_trace_that_no_browser_could_hold_is_refused(void **state)
{
    struct tv_error err = {.code = TV_OK};
    const struct tv_single_file report = {.page = TV_STR(TEMPLATE),
                                          .trace = {"", TV_PAGE_TRACE_MOST + 1}};
    (void)state;
    assert_int_equal(write_page(&report, tv_alloc_libc(), &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "380 MiB of at most 380; take a shorter part"));
    const struct tv_single_file both = {.page = TV_STR(TEMPLATE),
                                        .trace = {"", TV_PAGE_TRACE_MOST / 2},
                                        .old_trace = {"", TV_PAGE_TRACE_MOST / 2 + 1}};
    assert_int_equal(write_page(&both, tv_alloc_libc(), &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text,
                           "both traces are too long for a page: packed, they have 380 MiB "
                           "of at most 380; take a shorter part"));
}

static enum tv_code write_a_page(const struct tv_alloc *alloc, void *ctx)
{
    const struct tv_single_file report = {.page = TV_STR(TEMPLATE), .name = TV_STR("x.trace")};
    (void)ctx;
    return write_page(&report, alloc, NULL);
}

static void each_refused_allocation_fails_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(write_a_page, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_part_stands_at_its_mark, begin, end),
        cmocka_unit_test_setup_teardown(a_long_trace_has_several_blocks, begin, end),
        cmocka_unit_test_setup_teardown(of_gzip_the_lengths_are_said, begin, end),
        cmocka_unit_test_setup_teardown(with_a_decoder_the_lengths_of_zstd_are_said, begin, end),
        cmocka_unit_test_setup_teardown(without_a_script_it_shows_the_top_and_a_graph, begin, end),
        cmocka_unit_test_setup_teardown(what_of_the_trace_it_has_is_said, begin, end),
        cmocka_unit_test_setup_teardown(the_link_and_its_marks_fit_the_part, begin, end),
        cmocka_unit_test_setup_teardown(two_traces_stand_in_rows_with_what_changed, begin, end),
        cmocka_unit_test_setup_teardown(what_is_shown_has_no_style_and_no_script, begin, end),
        cmocka_unit_test_setup_teardown(nothing_in_a_name_ends_a_block, begin, end),
        cmocka_unit_test_setup_teardown(a_template_without_its_marks_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_trace_that_no_browser_could_hold_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(each_refused_allocation_fails_and_leaks_nothing, begin,
                                        end),
    };
    return cmocka_run_group_tests_name("export/page_report", tests, NULL, NULL);
}
