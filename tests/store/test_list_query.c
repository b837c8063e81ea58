/* Where a list of traces begins to look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/list_query.h"

/* A store of `all` traces, of which `having` have the label. */
struct counted {
    int64_t all, having;
    unsigned questions;
};

static enum tv_code count_traces(void *ctx, const struct tv_label *label, int64_t most,
                                 int64_t *count, struct tv_error *err)
{
    struct counted *counted = ctx;
    (void)err;
    counted->questions++;
    *count = label ? counted->having : counted->all;
    *count = *count > most + 1 ? most + 1 : *count; /* as a statement with a LIMIT */
    return TV_OK;
}

static void a_list_begins_with_a_label_where_that_is_less(void **state)
{
    static const struct {
        int64_t all, having;
        size_t most;
        bool is_rare;
        unsigned questions;
    } cases[] = {
        {100000, 0, 50, true, 1},
        {1000, 1000, 50, true, 1},        /* so few that they are put in order at once */
        {1000000, 1001, 50, false, 1},    /* more than ten slices */
        {100000, 2000, 1000, true, 2},    /* two slices of 2,000, for 50,000 traces each */
        {10000, 10000, 1000, false, 2},   /* ten slices of 10,000, for 1,000 traces each */
        {100000, 10000, 1000, true, 2},   /* as many either way */
        {99999, 10000, 1000, false, 2},   /* and one less */
        {1000000, 10001, 1000, false, 1}, /* more than ten slices */
        {1000000, 10000, 50000, true, 2}, /* a slice has a thousand at most */
        {1000000, 1000, 0, true, 1},
        {1000000, 1001, 0, false, 1},
    };
    (void)state;
    const struct tv_label label = {TV_STR("app"), TV_STR("shop")};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct counted counted = {cases[i].all, cases[i].having, 0};
        const struct tv_trace_query query = {
            .labels = &label, .label_count = 1, .most = cases[i].most};
        const struct tv_label *rare;
        assert_int_equal(tv_list_query_find_rare(&query, count_traces, &counted, &rare, NULL),
                         TV_OK);
        assert_ptr_equal(rare, cases[i].is_rare ? &label : NULL);
        assert_int_equal(counted.questions, cases[i].questions);
    }
}

/* A list of one's own begins with these, and a label without a value is no few. */
static void some_lists_begin_with_no_label(void **state)
{
    (void)state;
    struct counted counted = {1000, 1, 0};
    const struct tv_label *rare;
    const struct tv_label label = {TV_STR("app"), TV_STR("shop")};
    const struct tv_label any = {TV_STR("app"), TV_STR("")};
    const struct tv_trace_query queries[] = {
        {.labels = &label, .label_count = 1, .most = 50, .user = TV_STR("ann")},
        {.labels = &any, .label_count = 1, .most = 50},
        {.most = 50},
    };
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        assert_int_equal(tv_list_query_find_rare(&queries[i], count_traces, &counted, &rare, NULL),
                         TV_OK);
        assert_null(rare);
    }
    assert_int_equal(counted.questions, 0);
}

static struct tv_str times(char *text, const char *word, size_t count)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, word, len);
    return (struct tv_str){text, count * len};
}

/* Each word of a search is looked for, so one more than that is refused and not left out. */
static void a_search_has_no_word_that_is_not_looked_for(void **state)
{
    char text[64];
    struct tv_buffer json;
    struct tv_error err;
    (void)state;
    tv_buffer_init(&json, tv_alloc_libc());
    struct tv_trace_query query = {.text = times(text, " a ", 16)};
    assert_int_equal(tv_list_query_write(&query, &json, &err), TV_OK);
    query.text = times(text, " a ", 17);
    assert_int_equal(tv_list_query_write(&query, &json, &err), TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "a search has at most 16 words");
    tv_buffer_release(&json);
}

/* SQLite refuses patterns above 50,000 bytes, and a sign may take two in one. */
static void a_word_longer_than_any_text_finds_nothing(void **state)
{
    static char text[TV_STORE_NOTE_MOST + 2];
    (void)state;
    struct tv_trace_query query = {.text = times(text, "%", TV_STORE_NOTE_MOST)};
    assert_false(tv_list_query_finds_nothing(&query));
    query.text = times(text, "%", TV_STORE_NOTE_MOST + 1);
    assert_true(tv_list_query_finds_nothing(&query));
    text[1] = ' ';
    assert_false(tv_list_query_finds_nothing(&query));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_begins_with_a_label_where_that_is_less),
        cmocka_unit_test(some_lists_begin_with_no_label),
        cmocka_unit_test(a_search_has_no_word_that_is_not_looked_for),
        cmocka_unit_test(a_word_longer_than_any_text_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
