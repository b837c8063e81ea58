/* What all pages promise, page by page. */
#include "site/document/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "gallery.h"
#include "site/document/gallery.h"

static struct tv_document_files files;

/* The page as text that ends in NUL; released by the caller. */
static const char *page_below(const char *base, const struct gallery_page *page,
                              struct tv_http_response *response)
{
    struct gallery_site site;
    gallery_site_init(&site, &files, base);
    tv_http_response_init(response, tv_alloc_libc());
    page->send(&site.site, &site.config, response);
    assert_int_not_equal(response->status, 500);
    assert_int_equal(tv_buffer_append(&response->owned, "", 1, NULL), TV_OK);
    return (const char *)response->owned.bytes;
}

static const char *page_of(const struct gallery_page *page, struct tv_http_response *response)
{
    return page_below("", page, response);
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
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        struct tv_http_response response;
        const char *text = page_of(&gallery[i], &response);
        assert_is_balanced(gallery[i].name, text);
        assert_int_equal(count_of(text, "<h1>"), 1);
        assert_int_equal(count_of(text, "<main "), 1);
        assert_int_equal(count_of(text, "<title>"), 1);
        assert_non_null(strstr(text, "<html lang=\"en\""));
        assert_non_null(strstr(text, "href=\"#main\""));
        tv_http_response_release(&response);
    }
}

static void text_of_others_is_never_markup(void **state)
{
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        struct tv_http_response response;
        const char *text = page_of(&gallery[i], &response);
        assert_null(strstr(text, "alert(1)</script>"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_null(strchr(text, '\x1b'));
        /* Nothing inline runs or gives a style: the content policy would refuse it. */
        assert_null(strstr(text, " style="));
        assert_null(strstr(text, " onclick="));
        assert_null(strstr(text, "<style"));
        assert_null(strstr(text, "<script>"));
        tv_http_response_release(&response);
    }
}

static void every_address_is_below_the_base_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        static const char *const attributes[] = {" href=\"", " src=\"", " action=\"", " data=\""};
        struct tv_http_response response;
        const char *text = page_below("/a/b", &gallery[i], &response);
        for (size_t j = 0; j < TV_COUNT_OF(attributes); j++) {
            for (const char *at = strstr(text, attributes[j]); at; at = strstr(at, attributes[j])) {
                at += strlen(attributes[j]);
                if (strncmp(at, "#main", 5) != 0 && strncmp(at, "data:", 5) != 0)
                    assert_memory_equal(at, "/a/b/", 5);
            }
        }
        tv_http_response_release(&response);
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
    struct tv_http_response response;
    const char *text = page_of(page_named(name), &response);
    const char *at = strstr(text, first);
    if (!at || (second && !strstr(at, second)))
        fail_msg("%s has no %s, or no %s behind it:\n%s", name, first, second ? second : "", text);
    tv_http_response_release(&response);
}

static void expect_not_in(const char *name, const char *piece)
{
    struct tv_http_response response;
    if (strstr(page_of(page_named(name), &response), piece))
        fail_msg("%s has %s", name, piece);
    tv_http_response_release(&response);
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

static void a_waiting_page_asks_again_without_script(void **state)
{
    (void)state;
    expect_in("waiting", "<noscript><meta http-equiv=\"refresh\"", "waits for its turn");
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

static void each_thread_has_its_picture_or_its_link(void **state)
{
    (void)state;
    expect_in("flames", "main <span class=\"quiet\">401,234 calls</span>", "unnamed thread");
    expect_in("flames-sampled", "main <span class=\"quiet\">401,234 runs</span>", NULL);
    expect_in("flames-none", "No thread of this trace has calls.", NULL);
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

static void a_known_status_says_what_to_do(void **state)
{
    struct gallery_site site;
    struct tv_http_response response;
    (void)state;
    gallery_site_init(&site, &files, "");
    tv_http_response_init(&response, tv_alloc_libc());
    tv_document_problem(&site.site, 507, TV_STR("no room"), &response);
    struct tv_str page = tv_buffer_view(&response.owned);
    assert_true(tv_str_find(page, TV_STR("The site is full"), TV_CASE_EXACT) < page.len);
    assert_true(tv_str_find(page, TV_STR("Delete traces"), TV_CASE_EXACT) < page.len);
    tv_http_response_release(&response);
}

static void an_unknown_status_has_a_page_too(void **state)
{
    struct gallery_site site;
    struct tv_http_response response;
    (void)state;
    gallery_site_init(&site, &files, "");
    tv_http_response_init(&response, tv_alloc_libc());
    tv_document_problem(&site.site, 418, TV_STR("teapot"), &response);
    struct tv_str page = tv_buffer_view(&response.owned);
    assert_int_equal(response.status, 418);
    assert_true(tv_str_find(page, TV_STR(">418<"), TV_CASE_EXACT) < page.len);
    assert_true(tv_str_find(page, TV_STR("teapot"), TV_CASE_EXACT) < page.len);
    tv_http_response_release(&response);
}

static void *no_memory(void *ctx, void *block, size_t old_len, size_t new_len)
{
    (void)ctx, (void)block, (void)old_len, (void)new_len;
    return NULL;
}

static void a_page_without_memory_is_a_refusal(void **state)
{
    const struct tv_alloc none = {.resize = no_memory};
    (void)state;
    for (size_t i = 0; i < gallery_len; i++) {
        struct gallery_site site;
        struct tv_http_response response;
        gallery_site_init(&site, &files, "");
        tv_http_response_init(&response, &none);
        gallery[i].send(&site.site, &site.config, &response);
        assert_int_equal(response.status, 500);
        tv_http_response_release(&response);
    }
}

static int init_files(void **state)
{
    (void)state;
    tv_document_files_init(&files);
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
        cmocka_unit_test(a_waiting_page_asks_again_without_script),
        cmocka_unit_test(the_redaction_command_names_this_site),
        cmocka_unit_test(each_thread_has_its_picture_or_its_link),
        cmocka_unit_test(the_list_leads_on_with_what_was_searched),
        cmocka_unit_test(a_note_keeps_its_lines),
        cmocka_unit_test(the_bar_names_who_is_signed_in),
        cmocka_unit_test(a_known_status_says_what_to_do),
        cmocka_unit_test(an_unknown_status_has_a_page_too),
        cmocka_unit_test(a_page_without_memory_is_a_refusal),
    };
    return cmocka_run_group_tests(tests, init_files, NULL);
}
