/* served/download: what the reader gets is what the maker made, or breaks off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <time.h>

#include "base/error.h"
#include "export/export_context.h"
#include "index/memory.h"
#include "indexed.h"

/* Some times the ring, and no multiple of it, so that bytes go round it. */
#define FILE_LEN (5 * TV_DOWNLOAD_RING + 12345)

static uint8_t byte_at(uint64_t at)
{
    return (uint8_t)(at * 7 + at / 251);
}

static enum tv_code write_bytes(struct tv_export_context *export_context, uint64_t len,
                                struct tv_error *err)
{
    for (uint64_t at = 0; at < len; at++) {
        uint8_t byte = byte_at(at);
        tv_out_bytes(&export_context->out, &byte, 1);
        if (at % 1000 == 0)
            TV_TRY(tv_export_context_tell(export_context, 65536, err));
    }
    return TV_OK;
}

static enum tv_code write_whole(struct tv_export_context *export_context, struct tv_error *err)
{
    export_context->result->changes[TV_EXPORT_NAMES_CHANGED] = 3;
    return write_bytes(export_context, FILE_LEN, err);
}

static enum tv_code write_for_ever(struct tv_export_context *export_context, struct tv_error *err)
{
    return write_bytes(export_context, UINT64_MAX, err);
}

static enum tv_code fail_at_once(struct tv_export_context *export_context, struct tv_error *err)
{
    (void)export_context;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "nothing to write");
}

static enum tv_code fail_at_the_end(struct tv_export_context *export_context, struct tv_error *err)
{
    TV_TRY(write_bytes(export_context, FILE_LEN, err));
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "broken");
}

static const struct tv_export whole = {.name = "whole", .write = write_whole};
static const struct tv_export endless = {.name = "endless", .write = write_for_ever};
static const struct tv_export hopeless = {.name = "hopeless", .write = fail_at_once};
static const struct tv_export broken = {.name = "broken", .write = fail_at_the_end};

/* A reader that waits until it is woken, as a suspended connection does. */
struct sleeper {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool was_woken;
    unsigned readers; /* that were not released yet */
};

static void wake_up(void *ctx)
{
    struct sleeper *sleeper = ctx;
    pthread_mutex_lock(&sleeper->lock);
    sleeper->was_woken = true;
    pthread_cond_signal(&sleeper->woken);
    pthread_mutex_unlock(&sleeper->lock);
}

static void release(void *ctx)
{
    struct sleeper *sleeper = ctx;
    pthread_mutex_lock(&sleeper->lock);
    sleeper->readers--;
    pthread_mutex_unlock(&sleeper->lock);
}

static void sleep_on(struct sleeper *sleeper)
{
    pthread_mutex_lock(&sleeper->lock);
    while (!sleeper->was_woken)
        pthread_cond_wait(&sleeper->woken, &sleeper->lock);
    sleeper->was_woken = false;
    pthread_mutex_unlock(&sleeper->lock);
}

static struct sleeper sleeper = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};

static struct tv_held hold(struct indexed *indexed)
{
    atomic_fetch_add(&indexed->holders, 1);
    return (struct tv_held){.index = &indexed->index,
                            .file = TV_STR("x.trace"),
                            .memory_most = tv_memory_of_answer(&indexed->index),
                            .let_go = indexed_let_go,
                            .owner = indexed,
                            .what = indexed};
}

/* Waits for the maker of a download that was left, where no other place is free. */
static void take(struct indexed *indexed, struct tv_download **download)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (;;) {
        const struct tv_held held = hold(indexed);
        const enum tv_code code = tv_download_take(&indexed->downloads, &held, download, NULL);
        if (code == TV_OK)
            return;
        assert_int_equal(code, TV_ERR_LIMIT);
        (void)nanosleep(&pause, NULL);
    }
}

/* Every reader was released by then. */
static void release_all(struct indexed *indexed)
{
    indexed_release(indexed);
    assert_int_equal(sleeper.readers, 0);
}

static struct tv_download *begin(struct indexed *indexed, const struct tv_export *format,
                                 uint64_t id)
{
    struct tv_download *download;
    const struct tv_http_reader reader = {.wake = wake_up, .release = release, .ctx = &sleeper};
    take(indexed, &download);
    download->query = (struct tv_export_query){.format = format};
    tv_scope_init(&download->query.opts.scope, download->held.index);
    tv_download_set_id(download, id);
    sleeper.was_woken = false;
    sleeper.readers++;
    tv_download_begin(download, &reader);
    sleep_on(&sleeper);
    return download;
}

/* Reads on; returns how the file ended, with *len bytes, each as it was made. */
static ssize_t read_all(struct tv_download *download, uint64_t *len)
{
    static uint8_t piece[40000];
    ssize_t got;
    *len = 0;
    while ((got = tv_download_read(download, piece, sizeof(piece))) >= 0) {
        if (!got)
            sleep_on(&sleeper);
        for (ssize_t i = 0; i < got; i++)
            assert_int_equal(piece[i], byte_at(*len + (uint64_t)i));
        *len += (uint64_t)got;
    }
    return got;
}

static enum tv_download_state state_of(struct indexed *indexed, uint64_t id)
{
    struct tv_download_view view;
    assert_true(tv_downloads_look(&indexed->downloads, id, &view));
    return view.state;
}

static void every_byte_comes_once_and_in_order(void **state)
{
    struct indexed indexed;
    struct tv_download_view view;
    uint64_t len;
    (void)state;
    indexed_init(&indexed);
    struct tv_download *download = begin(&indexed, &whole, 5);
    assert_int_equal(state_of(&indexed, 5), TV_DOWNLOAD_RUNNING);
    assert_int_equal(read_all(download, &len), TV_HTTP_SOURCE_END);
    assert_int_equal(len, FILE_LEN);
    tv_download_leave(download);
    assert_true(tv_downloads_look(&indexed.downloads, 5, &view));
    assert_int_equal(view.state, TV_DOWNLOAD_DONE);
    assert_int_equal(view.bytes, FILE_LEN);
    assert_int_equal(view.result.changes[TV_EXPORT_NAMES_CHANGED], 3);
    assert_true(view.done > 0 && view.of > 0);
    assert_false(tv_downloads_look(&indexed.downloads, 6, &view));
    release_all(&indexed);
}

static void a_failure_before_the_first_byte_has_its_reason(void **state)
{
    struct indexed indexed;
    struct tv_error err;
    uint64_t len;
    (void)state;
    indexed_init(&indexed);
    struct tv_download *download = begin(&indexed, &hopeless, 1);
    assert_true(tv_download_has_failed(download, &err));
    assert_int_equal(err.code, TV_ERR_ARGUMENT);
    assert_string_equal(err.text, "nothing to write");
    assert_int_equal(read_all(download, &len), TV_HTTP_SOURCE_BROKEN);
    tv_download_leave(download);
    assert_int_equal(state_of(&indexed, 1), TV_DOWNLOAD_FAILED);
    release_all(&indexed);
}

static void a_failure_at_the_end_never_looks_whole(void **state)
{
    struct indexed indexed;
    struct tv_error err;
    uint64_t len;
    (void)state;
    indexed_init(&indexed);
    struct tv_download *download = begin(&indexed, &broken, 1);
    assert_false(tv_download_has_failed(download, &err)); /* by now */
    assert_int_equal(read_all(download, &len), TV_HTTP_SOURCE_BROKEN);
    tv_download_leave(download);
    assert_int_equal(state_of(&indexed, 1), TV_DOWNLOAD_FAILED);
    release_all(&indexed);
}

static void a_reader_that_leaves_stops_the_maker(void **state)
{
    struct indexed indexed;
    (void)state;
    indexed_init(&indexed);
    for (int i = 0; i < 50; i++) { /* far more than there are places */
        struct tv_download *download = begin(&indexed, &endless, 1);
        tv_download_leave(download);
        assert_int_equal(state_of(&indexed, 1), TV_DOWNLOAD_CANCELLED);
    }
    release_all(&indexed);
}

static void what_is_cancelled_breaks_off(void **state)
{
    struct indexed indexed;
    uint64_t len;
    (void)state;
    indexed_init(&indexed);
    struct tv_download *download = begin(&indexed, &endless, 8);
    tv_downloads_cancel(&indexed.downloads, 9); /* another one */
    assert_int_equal(state_of(&indexed, 8), TV_DOWNLOAD_RUNNING);
    tv_downloads_cancel(&indexed.downloads, 8);
    assert_int_equal(read_all(download, &len), TV_HTTP_SOURCE_BROKEN);
    tv_download_leave(download);
    assert_int_equal(state_of(&indexed, 8), TV_DOWNLOAD_CANCELLED);
    release_all(&indexed);
}

static void there_are_so_many_places_and_no_more(void **state)
{
    struct indexed indexed;
    struct tv_download *taken[TV_DOWNLOADS_MOST];
    struct tv_download *more;
    struct tv_error err;
    (void)state;
    indexed_init(&indexed);
    for (size_t i = 0; i < TV_DOWNLOADS_MOST; i++)
        taken[i] = begin(&indexed, &endless, i + 1);
    const struct tv_held held = hold(&indexed);
    assert_int_equal(tv_download_take(&indexed.downloads, &held, &more, &err), TV_ERR_LIMIT);
    assert_null(more);
    tv_download_leave(taken[2]);
    more = begin(&indexed, &hopeless, 77);
    tv_download_leave(more);
    for (size_t i = 0; i < TV_DOWNLOADS_MOST; i++) {
        if (i != 2)
            tv_download_leave(taken[i]);
    }
    assert_int_equal(state_of(&indexed, 77), TV_DOWNLOAD_FAILED);
    release_all(&indexed);
}

static void a_party_has_its_share_of_the_places(void **state)
{
    struct indexed indexed;
    struct tv_download *taken[3];
    struct tv_download *more;
    struct tv_error err;
    (void)state;
    indexed_init(&indexed);
    indexed.downloads.shares.of_party = 2;
    for (size_t i = 0; i < 2; i++)
        taken[i] = begin(&indexed, &endless, i + 1);
    struct tv_held held = hold(&indexed);
    assert_int_equal(tv_download_take(&indexed.downloads, &held, &more, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "2 exports of yours"));
    held = hold(&indexed);
    held.party.bytes[0] = 1;
    assert_int_equal(tv_download_take(&indexed.downloads, &held, &taken[2], &err), TV_OK);
    for (size_t i = 0; i < 3; i++)
        tv_download_leave(taken[i]);
    release_all(&indexed);
}

static void one_that_was_taken_and_not_begun_can_be_left(void **state)
{
    struct indexed indexed;
    struct tv_download *download;
    (void)state;
    indexed_init(&indexed);
    for (int i = 0; i < 10; i++) {
        const struct tv_held held = hold(&indexed);
        assert_int_equal(tv_download_take(&indexed.downloads, &held, &download, NULL), TV_OK);
        tv_download_leave(download);
    }
    release_all(&indexed);
}

/* A request that came before the server was told to end. */
static void none_is_made_after_the_end(void **state)
{
    struct indexed indexed;
    struct tv_download *download;
    struct tv_download *more;
    struct tv_error err;
    uint64_t len;
    const struct tv_http_reader reader = {.wake = wake_up, .release = release, .ctx = &sleeper};
    (void)state;
    indexed_init(&indexed);
    take(&indexed, &download);
    tv_downloads_end(&indexed.downloads);
    download->query = (struct tv_export_query){.format = &endless};
    tv_scope_init(&download->query.opts.scope, download->held.index);
    sleeper.readers++;
    tv_download_begin(download, &reader);
    sleep_on(&sleeper);
    assert_int_equal(read_all(download, &len), TV_HTTP_SOURCE_BROKEN);
    tv_download_leave(download);
    const struct tv_held held = hold(&indexed);
    assert_int_equal(tv_download_take(&indexed.downloads, &held, &more, &err), TV_ERR_LIMIT);
    assert_string_equal(err.text, "the server ends");
    release_all(&indexed);
}

static void count_up(void *ctx)
{
    ++*(int *)ctx;
}

static void count_down(void *ctx)
{
    --*(int *)ctx;
}

static void a_download_counts_while_it_is_read(void **state)
{
    struct indexed indexed;
    struct tv_download *taken;
    int count = 0;
    (void)state;
    indexed_init(&indexed);
    indexed.downloads.counter = (struct tv_download_counter){count_up, count_down, &count};
    take(&indexed, &taken);
    tv_download_leave(taken);
    assert_int_equal(count, 0); /* it was not begun */
    struct tv_download *first = begin(&indexed, &endless, 1);
    struct tv_download *second = begin(&indexed, &hopeless, 2);
    assert_int_equal(count, 2);
    tv_download_leave(second);
    assert_int_equal(count, 1);
    tv_download_leave(first);
    assert_int_equal(count, 0);
    release_all(&indexed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_comes_once_and_in_order),
        cmocka_unit_test(a_failure_before_the_first_byte_has_its_reason),
        cmocka_unit_test(a_failure_at_the_end_never_looks_whole),
        cmocka_unit_test(a_reader_that_leaves_stops_the_maker),
        cmocka_unit_test(what_is_cancelled_breaks_off),
        cmocka_unit_test(there_are_so_many_places_and_no_more),
        cmocka_unit_test(a_party_has_its_share_of_the_places),
        cmocka_unit_test(one_that_was_taken_and_not_begun_can_be_left),
        cmocka_unit_test(none_is_made_after_the_end),
        cmocka_unit_test(a_download_counts_while_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
