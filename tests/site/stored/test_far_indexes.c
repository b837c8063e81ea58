/* site/stored/far_indexes: what is to be brought is brought, and no more than there is room for. */
#include "site/stored/far_indexes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* Brings nothing until it may, and counts. */
struct bringer {
    struct tv_far_indexes fars;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool may;
    unsigned begun, brought, ended;
    char mappings[16]; /* of the last */
};

static void bring(void *ctx, const struct tv_far_index *far, bool is_ending)
{
    struct bringer *bringer = ctx;
    (void)pthread_mutex_lock(&bringer->lock);
    bringer->begun++;
    (void)pthread_cond_broadcast(&bringer->changed);
    while (!bringer->may)
        (void)pthread_cond_wait(&bringer->changed, &bringer->lock);
    *(is_ending ? &bringer->ended : &bringer->brought) += 1;
    strncpy(bringer->mappings, far->trace.mappings, sizeof(bringer->mappings) - 1);
    (void)pthread_mutex_unlock(&bringer->lock);
}

static void begin(struct bringer *bringer)
{
    memset(bringer, 0, sizeof(*bringer));
    (void)pthread_mutex_init(&bringer->lock, NULL);
    (void)pthread_cond_init(&bringer->changed, NULL);
    tv_far_indexes_init(&bringer->fars, tv_alloc_libc(), bring, bringer);
}

static enum tv_code add(struct bringer *bringer, struct tv_error *err)
{
    char mappings[] = "abc";
    const struct tv_stored_trace trace = {
        .raw_hash = "1", .index_hash = "2", .mappings = mappings, .file_name = ""};
    const enum tv_code code = tv_far_indexes_add(&bringer->fars, &trace, NULL, err);
    memset(mappings, 'x', sizeof(mappings) - 1); /* the request is over */
    return code;
}

static void let(struct bringer *bringer)
{
    (void)pthread_mutex_lock(&bringer->lock);
    bringer->may = true;
    (void)pthread_cond_broadcast(&bringer->changed);
    (void)pthread_mutex_unlock(&bringer->lock);
}

static void wait_for(struct bringer *bringer, const unsigned *count, unsigned wanted)
{
    (void)pthread_mutex_lock(&bringer->lock);
    while (*count < wanted)
        (void)pthread_cond_wait(&bringer->changed, &bringer->lock);
    assert_int_equal(*count, wanted);
    (void)pthread_mutex_unlock(&bringer->lock);
}

static void end(struct bringer *bringer)
{
    tv_far_indexes_end(&bringer->fars);
    (void)pthread_cond_destroy(&bringer->changed);
    (void)pthread_mutex_destroy(&bringer->lock);
}

static void all_are_brought_a_few_at_a_time(void **state)
{
    struct bringer bringer;
    (void)state;
    begin(&bringer);
    for (unsigned i = 0; i < 3 * TV_FAR_INDEXES_THREADS; i++)
        assert_int_equal(add(&bringer, NULL), TV_OK);
    wait_for(&bringer, &bringer.begun, TV_FAR_INDEXES_THREADS);
    let(&bringer);
    end(&bringer);
    assert_int_equal(bringer.brought + bringer.ended, 3 * TV_FAR_INDEXES_THREADS);
    assert_true(bringer.brought >= TV_FAR_INDEXES_THREADS);
    assert_string_equal(bringer.mappings, "abc");
}

static void too_many_are_refused(void **state)
{
    struct bringer bringer;
    struct tv_error err;
    (void)state;
    begin(&bringer);
    for (unsigned i = 0; i < TV_FAR_INDEXES_THREADS; i++)
        assert_int_equal(add(&bringer, NULL), TV_OK);
    wait_for(&bringer, &bringer.begun, TV_FAR_INDEXES_THREADS);
    for (unsigned i = 0; i < TV_FAR_INDEXES_MOST; i++)
        assert_int_equal(add(&bringer, NULL), TV_OK);
    assert_int_equal(add(&bringer, &err), TV_ERR_AWAY);
    assert_string_equal(err.text, "too many traces are being brought from the object store");
    let(&bringer);
    end(&bringer);
    assert_int_equal(bringer.brought + bringer.ended, TV_FAR_INDEXES_THREADS + TV_FAR_INDEXES_MOST);
}

static void no_thread_is_started_where_nothing_is_far(void **state)
{
    struct bringer bringer;
    (void)state;
    begin(&bringer);
    assert_int_equal(bringer.fars.thread_count, 0);
    end(&bringer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_brought_a_few_at_a_time),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(no_thread_is_started_where_nothing_is_far),
    };
    return cmocka_run_group_tests_name("site/stored/far_indexes", tests, NULL, NULL);
}
