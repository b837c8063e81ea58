/* Pages: what a trace may not do to them, what is left out of large ones, and links that lead
 * somewhere. tests/cli/dmtracedump.py looks at whole pages. */
#include "export/report/html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/world.h"
#include "base/error.h"
#include "export/formats.h"
#include "export/probe.h"

/* The page of a world, with a zero at its end. */
static void make_page(const struct world *w, struct tv_buffer *out)
{
    tv_buffer_init(out, tv_alloc_libc());
    probe_run(w, &tv_export_html, &(struct probe_opts){.measure = TV_MEASURE_WALL}, out);
    assert_int_equal(tv_buffer_append(out, "", 1, NULL), TV_OK);
}

static const char *text_of(const struct tv_buffer *out)
{
    return (const char *)out->bytes;
}

static unsigned count_of(const struct tv_buffer *out, const char *piece)
{
    unsigned count = 0;
    for (const char *at = text_of(out); (at = strstr(at, piece)) != NULL; at++)
        count++;
    return count;
}

/* Rows of the page's first table, below its heading. */
static unsigned rows_of_first_table(const struct tv_buffer *out)
{
    unsigned count = 0;
    const char *end = strstr(text_of(out), "</table>");
    const char *at = strstr(text_of(out), "<tbody>");
    assert_non_null(end);
    for (; at && (at = strstr(at, "<tr>")) != NULL && at < end; at++)
        count++;
    return count;
}

static void test_rows(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, MAIN, 0, 0, 0);
    world_enter(&w, MAIN, 2, 1000, 10);
    world_enter(&w, MAIN, 0, 1100, 10); /* recursive */
    world_leave(&w, MAIN, 0, 1200, 10);
    world_leave(&w, MAIN, 2, 2000, 20);
    world_leave(&w, MAIN, 0, 1235567, 30);
    world_end(&w);
    make_page(&w, &out);
    assert_non_null(strstr(text_of(&out), "100 % is 1,235.567 ms of wall time, and 0.030 ms of CPU "
                                          "time: the root calls of all threads."));
    assert_non_null(strstr(text_of(&out),
                           "<tr><td class=\"share\" style=\"--s:100\">99.9<td>99.9"
                           "<td>1,234.667<td>0.020<td>1+1<td><a href=\"#m0\">[0]</a> "
                           "com.app.Main.run <small>()V</small>\n"));
    assert_non_null(strstr(text_of(&out), "<tr class=\"line\"><td>recursive<td>0.100<td>0.000"
                                          "<td>1/2<td>\u2191 <a href=\"#m1\">[1]</a> "
                                          "com.lib.List.get <small>(I)J</small>\n"));
    assert_non_null(strstr(text_of(&out), "<span>1+1</span><b>run</b></summary>"));
    tv_buffer_release(&out);
    world_release(&w);
}

/* Whoever is sent the page of a part learns what it lacks. */
static void test_part(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_one_in_another(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &tv_export_html,
              &(struct probe_opts){.from_ns = 10000, .levels = 1, .hidden = "a<b", .chosen = 1},
              &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_non_null(strstr(text_of(&out), "time: the chosen calls on all threads. Shares"));
    assert_non_null(strstr(text_of(&out), "<p>A part of the trace: from 0.01 to "));
    assert_non_null(strstr(text_of(&out), " ms, chosen calls and what they called, without a&lt;b, "
                                          "1 level of calls</p>"));
    tv_buffer_release(&out);
    world_release(&w);
}

static void test_markup_in_names(void **state)
{
    (void)state;
    static struct world w;
    static char methods[70000];
    struct tv_buffer out;
    int len =
        snprintf(methods, sizeof(methods), "0x4\t<script>x\t<init>&\"'\t()V\x1b\xff\n0x8\tLong\t");
    memset(methods + len, 'y', 60000);
    (void)snprintf(methods + len + 60000, sizeof(methods) - (size_t)len - 60000, "\t()V\n");
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = "dual", .methods = methods});
    enter(&w.t, MAIN, 0x4, 10);
    enter(&w.t, MAIN, 0x8, 12);
    leave(&w.t, MAIN, 0x8, 15);
    leave(&w.t, MAIN, 0x4, 20);
    world_read(&w);
    make_page(&w, &out);
    assert_null(strstr(text_of(&out), "<script"));
    assert_non_null(strstr(text_of(&out),
                           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
                           "'none'\">\n"));
    assert_non_null(strstr(text_of(&out), "&lt;script&gt;x.&lt;init&gt;&amp;&quot;' "
                                          "<small>()V\\x1b\xef\xbf\xbd</small>"));
    assert_non_null(strstr(text_of(&out), "yyy (+59000 bytes)"));
    assert_true(out.len < 20000);
    tv_buffer_release(&out);
    world_release(&w);
}

/* 2,600 methods that one calls: of each part the page has the longest, and says how many more. */
static void test_large(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer lines;
    struct tv_buffer out;
    const unsigned count = 2600;
    uint32_t usec = 0;
    tv_buffer_init(&lines, tv_alloc_libc());
    for (unsigned i = 1; i <= count + 1; i++) {
        char line[64];
        int len = snprintf(line, sizeof(line), "0x%x\tC%u\tm%u\t()V\n", i * 4, i % 600, i);
        assert_int_equal(tv_buffer_append(&lines, line, (size_t)len, NULL), TV_OK);
    }
    assert_int_equal(tv_buffer_append(&lines, "", 1, NULL), TV_OK);
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){
                         .version = 3, .clock = "dual", .methods = (const char *)lines.bytes});
    enter(&w.t, MAIN, (count + 1) * 4, 0);
    for (unsigned i = 1; i <= count; i++) {
        enter(&w.t, MAIN, i * 4, usec);
        leave(&w.t, MAIN, i * 4, usec += i);
    }
    leave(&w.t, MAIN, (count + 1) * 4, usec + 1);
    world_read(&w);
    make_page(&w, &out);
    assert_non_null(strstr(text_of(&out), "<p>601 more methods are not in this page.</p>"));
    assert_non_null(strstr(text_of(&out), "<p>1,601 more methods are not in this page.</p>"));
    assert_non_null(strstr(text_of(&out), "<p>100 more classes are not in this page.</p>"));
    assert_non_null(strstr(text_of(&out), "<p>2,101 more names are not in this page.</p>"));
    assert_non_null(strstr(text_of(&out), "and 2575 more callees\n"));
    assert_int_equal(count_of(&out, "<section id=\"m"), 1000);
    assert_int_equal(rows_of_first_table(&out), 2000);
    assert_non_null(strstr(text_of(&out), "href=\"#m999\""));
    assert_null(strstr(text_of(&out), "href=\"#m1000\""));
    tv_buffer_release(&lines);
    tv_buffer_release(&out);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_markup_in_names),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
