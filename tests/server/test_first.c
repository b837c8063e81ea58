/* server/first: what the page is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/first.h"

static void promise(struct tv_state *state, struct tv_str info, struct tv_str window)
{
    struct tv_kept kept;
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_FILE, "/somewhere/a", TV_STR("a"));
    origin.is_first = true;
    tv_state_want(state, &origin);
    assert_true(tv_state_take_wanted(state, &origin));
    tv_kept_init(&kept, tv_alloc_libc());
    tv_kept_set(&kept.info, info);
    tv_kept_set(&kept.query, TV_STR("width=5&rows=1:f"));
    tv_kept_set(&kept.window, window);
    tv_state_promise(state, &kept);
}

static bool says(const struct tv_http_response *response, const char *text)
{
    return tv_str_find(tv_buffer_view(&response->owned), tv_str_from(text), TV_CASE_EXACT) !=
           SIZE_MAX;
}

static void the_page_has_what_was_promised(void **unused)
{
    struct tv_viewer viewer = {.alloc = tv_alloc_libc()};
    struct tv_http_response page;
    (void)unused;
    tv_state_init(&viewer.state, viewer.alloc);
    tv_http_response_init(&page, viewer.alloc);
    promise(&viewer.state, TV_STR("{\"file\":\"a\"}"), TV_STR("12\0\xff"));
    tv_first_send_page(&viewer, &page);
    assert_int_equal(page.status, 200);
    assert_true(
        says(&page, "<script type=\"application/json\" id=\"first\">{\"state\":{\"trace\":1"));
    assert_true(says(&page, ",\"info\":{\"file\":\"a\"}"));
    assert_true(says(&page, "\"query\":\"width=5&rows=1:f\""));
    assert_true(says(&page, "\"answer\":\"MTIA/w==\"}}"));
    tv_http_response_release(&page);
    tv_state_release(&viewer.state);
}

static void a_name_in_what_the_page_is_told_does_not_end_its_element(void **unused)
{
    struct tv_viewer viewer = {.alloc = tv_alloc_libc()};
    struct tv_http_response page;
    (void)unused;
    tv_state_init(&viewer.state, viewer.alloc);
    tv_http_response_init(&page, viewer.alloc);
    promise(&viewer.state, TV_STR("{\"file\":\"</script><!--<\"}"), TV_STR("1"));
    tv_first_send_page(&viewer, &page);
    assert_true(says(&page, "{\"file\":\"\\u003c/script>\\u003c!--\\u003c\"}"));
    tv_http_response_release(&page);
    tv_state_release(&viewer.state);
}

static void who_asks_is_told_the_same_without_the_window(void **unused)
{
    struct tv_viewer viewer = {.alloc = tv_alloc_libc()};
    struct tv_http_response answer;
    (void)unused;
    tv_state_init(&viewer.state, viewer.alloc);
    tv_http_response_init(&answer, viewer.alloc);
    promise(&viewer.state, TV_STR("{\"file\":\"a\"}"), TV_STR("1"));
    tv_first_send(&viewer, &answer);
    assert_true(says(&answer, "{\"state\":{\"trace\":1,\"loading\":true}"));
    assert_true(says(&answer, ",\"info\":{\"file\":\"a\"}}\n"));
    tv_http_response_release(&answer);
    tv_state_release(&viewer.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_what_was_promised),
        cmocka_unit_test(a_name_in_what_the_page_is_told_does_not_end_its_element),
        cmocka_unit_test(who_asks_is_told_the_same_without_the_window),
    };
    return cmocka_run_group_tests_name("server/first", tests, NULL, NULL);
}
