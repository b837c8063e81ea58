/* What all pages promise, page by page. */
#include "pages/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "gallery.h"

static struct tv_page_files files;

static struct tv_told_site site_below(const char *base)
{
    return (struct tv_told_site){&files, tv_str_from(base), TV_STR("https://traces.example"),
                                 TV_STR("ada"), true};
}

/* The page as text that ends in NUL; released by the caller. */
static const char *page_of(const struct gallery_page *page, const struct tv_told_site *site,
                           struct tv_buffer *bytes)
{
    tv_buffer_init(bytes, tv_alloc_libc());
    assert_int_equal(page->write(site, tv_buffer_sink(bytes), NULL), TV_OK);
    assert_int_equal(tv_buffer_append(bytes, "", 1, NULL), TV_OK);
    return (const char *)bytes->bytes;
}

static unsigned count_of(const char *text, const char *wanted)
{
    unsigned count = 0;
    for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted))
        count++;
    return count;
}

static bool is_in(const char *name, size_t len, const char *list)
{
    char word[32];
    snprintf(word, sizeof(word), " %.*s ", (int)len, name);
    return strstr(list, word) != NULL;
}

/* Each tag that begins ends, in order. A page that lets text through as markup is not like that. */
static void assert_is_balanced(const char *page, const char *text)
{
    static const char no_end[] = " !DOCTYPE meta link input br ";
    char open[64][16];
    unsigned depth = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        bool is_end = at[1] == '/';
        const char *name = at + 1 + is_end;
        size_t len = strcspn(name, " >/\n");
        const char *close = strchr(at, '>');
        assert_non_null(close);
        if (is_in(name, len, no_end) || close[-1] == '/')
            continue;
        if (!is_end) {
            assert_true(depth < 64 && len < 16);
            snprintf(open[depth++], sizeof(open[0]), "%.*s", (int)len, name);
        } else if (!depth || strlen(open[depth - 1]) != len ||
                   strncmp(open[depth - 1], name, len) != 0) {
            fail_msg("%s: </%.*s> ends <%s>", page, (int)len, name, depth ? open[depth - 1] : "");
        } else {
            depth--;
        }
    }
    assert_int_equal(depth, 0);
}

static void a_page_is_whole(void **state)
{
    struct tv_told_site site = site_below("");
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        struct tv_buffer bytes;
        const char *text = page_of(&gallery[i], &site, &bytes);
        assert_is_balanced(gallery[i].name, text);
        assert_int_equal(count_of(text, "<h1>"), 1);
        assert_int_equal(count_of(text, "<main "), 1);
        assert_int_equal(count_of(text, "<title>"), 1);
        assert_non_null(strstr(text, "<html lang=\"en\""));
        assert_non_null(strstr(text, "href=\"#main\""));
        tv_buffer_release(&bytes);
    }
}

static void text_of_others_is_never_markup(void **state)
{
    struct tv_told_site site = site_below("");
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        struct tv_buffer bytes;
        const char *text = page_of(&gallery[i], &site, &bytes);
        assert_null(strstr(text, "alert(1)</script>"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_null(strchr(text, '\x1b'));
        /* Nothing inline runs or gives a style: the content policy would refuse it. */
        assert_null(strstr(text, " style="));
        assert_null(strstr(text, " onclick="));
        assert_null(strstr(text, "<style"));
        assert_null(strstr(text, "<script>"));
        tv_buffer_release(&bytes);
    }
}

static void every_address_is_below_the_base_path(void **state)
{
    struct tv_told_site site = site_below("/a/b");
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        static const char *const attributes[] = {" href=\"", " src=\"", " action=\"", " data=\""};
        struct tv_buffer bytes;
        const char *text = page_of(&gallery[i], &site, &bytes);
        for (size_t j = 0; j < TV_COUNT_OF(attributes); j++) {
            for (const char *at = strstr(text, attributes[j]); at; at = strstr(at, attributes[j])) {
                at += strlen(attributes[j]);
                if (strncmp(at, "#main", 5) != 0 && strncmp(at, "data:", 5) != 0)
                    assert_memory_equal(at, "/a/b/", 5);
            }
        }
        tv_buffer_release(&bytes);
    }
}

static const struct gallery_page *page_named(const char *name)
{
    for (size_t i = 0; i < gallery_len; i++) {
        if (strcmp(gallery[i].name, name) == 0)
            return &gallery[i];
    }
    fail_msg("no page %s", name);
    return NULL;
}

static void expect_in(const char *name, const char *first, const char *second)
{
    struct tv_told_site site = site_below("");
    struct tv_buffer bytes;
    const char *text = page_of(page_named(name), &site, &bytes);
    const char *at = strstr(text, first);
    if (!at || (second && !strstr(at, second)))
        fail_msg("%s has no %s, or no %s behind it:\n%s", name, first, second ? second : "", text);
    tv_buffer_release(&bytes);
}

static void expect_not_in(const char *name, const char *piece)
{
    struct tv_told_site site = site_below("");
    struct tv_buffer bytes;
    if (strstr(page_of(page_named(name), &site, &bytes), piece))
        fail_msg("%s has %s", name, piece);
    tv_buffer_release(&bytes);
}

static void the_upload_secret_is_asked_for_before_the_file(void **state)
{
    (void)state;
    expect_in("start-secret", "name=\"secret\"", "name=\"trace_file\"");
    expect_not_in("start", "name=\"secret\"");
}

static void a_site_without_uploads_has_no_form_for_them(void **state)
{
    (void)state;
    expect_in("start-closed", "This site takes no uploads.", NULL);
    expect_not_in("start-closed", "<form");
}

static void lives_that_are_longer_than_allowed_are_not_offered(void **state)
{
    (void)state;
    expect_in("start", "value=\"365d\"", NULL);
    expect_not_in("start", "value=\"never\"");
    expect_in("start-secret", "value=\"never\"", NULL);
}

static void a_waiting_page_asks_again_without_script_and_tells_its_place(void **state)
{
    (void)state;
    expect_in("waiting", "<noscript><meta http-equiv=\"refresh\"", "place 3 in the queue");
    expect_not_in("bad", "http-equiv");
}

static void the_redaction_command_names_this_site(void **state)
{
    (void)state;
    expect_in(
        "start",
        "traceview push --redact --keep java.,android. --to https://traces.example/ app.trace",
        NULL);
}

static void threads_without_calls_are_left_out_and_counted(void **state)
{
    (void)state;
    expect_not_in("flames", "Binder:1");
    expect_in("flames", "main <span class=\"quiet\">401,234 calls</span>",
              "1 thread without calls");
    expect_in("flames-sampled", "main <span class=\"quiet\">401,234 runs</span>",
              "1 thread without runs");
    expect_in("flames-sampled", "1 run</span>", NULL);
    expect_not_in("flames-sampled", "call");
    expect_in("flames-many", "/16.svg\"></object>", "<a href=\"/trace/");
    expect_not_in("flames-many", "/17.svg\"></object>");
}

static void the_list_leads_on_with_what_was_searched(void **state)
{
    (void)state;
    expect_in("list", "/list?q=recipes&amp;from=17%20%26%20up\"", NULL);
    expect_in("list", "processing", "cannot be shown");
    expect_in("list-none-found", "No trace has all of", NULL);
}

static void a_note_keeps_its_lines(void **state)
{
    (void)state;
    expect_in("owner", "Start to first frame.\nThe second load is the slow one.</textarea>", NULL);
}

static void the_bar_names_who_is_signed_in(void **state)
{
    (void)state;
    expect_in("stored", "<span class=\"user\">ada</span>", NULL);
}

static void an_unknown_status_has_a_page_too(void **state)
{
    struct tv_told_site site = site_below("");
    struct tv_buffer bytes;
    (void)state;
    tv_buffer_init(&bytes, tv_alloc_libc());
    assert_int_equal(
        tv_page_write_problem(&site, 418, TV_STR("teapot"), tv_buffer_sink(&bytes), NULL), TV_OK);
    assert_true(tv_str_find(tv_buffer_view(&bytes), TV_STR(">418<"), TV_CASE_EXACT) < bytes.len);
    assert_true(tv_str_find(tv_buffer_view(&bytes), TV_STR("teapot"), TV_CASE_EXACT) < bytes.len);
    tv_buffer_release(&bytes);
}

static enum tv_code refuse(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx, (void)bytes, (void)len;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the disk is full");
}

static void a_sink_that_fails_fails_the_page(void **state)
{
    struct tv_told_site site = site_below("");
    (void)state;
    for (size_t i = 0; i < gallery_len; i++)
        assert_int_equal(gallery[i].write(&site, (struct tv_sink){refuse, NULL}, NULL),
                         TV_ERR_LIMIT);
}

static int init_files(void **state)
{
    (void)state;
    tv_page_files_init(&files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_whole),
        cmocka_unit_test(text_of_others_is_never_markup),
        cmocka_unit_test(every_address_is_below_the_base_path),
        cmocka_unit_test(the_upload_secret_is_asked_for_before_the_file),
        cmocka_unit_test(a_site_without_uploads_has_no_form_for_them),
        cmocka_unit_test(lives_that_are_longer_than_allowed_are_not_offered),
        cmocka_unit_test(a_waiting_page_asks_again_without_script_and_tells_its_place),
        cmocka_unit_test(the_redaction_command_names_this_site),
        cmocka_unit_test(threads_without_calls_are_left_out_and_counted),
        cmocka_unit_test(the_list_leads_on_with_what_was_searched),
        cmocka_unit_test(a_note_keeps_its_lines),
        cmocka_unit_test(the_bar_names_who_is_signed_in),
        cmocka_unit_test(an_unknown_status_has_a_page_too),
        cmocka_unit_test(a_sink_that_fails_fails_the_page),
    };
    return cmocka_run_group_tests(tests, init_files, NULL);
}
