/* site/stored: which indexes are open, and which files are believed. */
#include "site/stored/stored.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/memory/mapping.h"
#include "site/kept.h"
#include "site/stored/stored_cache.h"

static struct tv_stored_index *hold(struct kept *kept, unsigned i)
{
    struct tv_stored_index *held;
    struct tv_error err;
    if (tv_stored_hold(kept->stored, &kept->of[i].trace, &held, &err) != TV_OK)
        fail_msg("%s", err.text);
    assert_int_equal(held->index.info->total[TV_CLOCK_WALL], 100 * (i + 1));
    return held;
}

static void use(struct kept *kept, unsigned i)
{
    tv_stored_let_go(kept->stored, hold(kept, i));
}

static void expect_counts(struct kept *kept, uint64_t open, uint64_t opened, uint64_t closed)
{
    struct tv_stored_counts counts = tv_stored_count(kept->stored);
    assert_int_equal(counts.open, open);
    assert_int_equal(counts.opened, opened);
    assert_int_equal(counts.closed, closed);
}

static void an_index_is_opened_once(void **state)
{
    struct kept kept;
    (void)state;
    keep(&kept, 1, 2);
    struct tv_stored_index *first = hold(&kept, 0);
    assert_ptr_equal(hold(&kept, 0), first);
    tv_stored_let_go(kept.stored, first);
    tv_stored_let_go(kept.stored, first);
    use(&kept, 0);
    expect_counts(&kept, 1, 1, 0);
    release_kept(&kept);
}

static void the_one_that_was_not_used_longest_is_closed(void **state)
{
    struct kept kept;
    (void)state;
    keep(&kept, 3, 2);
    use(&kept, 0);
    use(&kept, 1);
    use(&kept, 0);
    use(&kept, 2); /* 1 gives way */
    expect_counts(&kept, 2, 3, 1);
    use(&kept, 0);
    expect_counts(&kept, 2, 3, 1);
    use(&kept, 1);
    expect_counts(&kept, 2, 4, 2);
    release_kept(&kept);
}

static void a_held_one_stays(void **state)
{
    struct tv_stored_index *held[3];
    struct kept kept;
    (void)state;
    keep(&kept, 3, 1);
    for (unsigned i = 0; i < TV_COUNT_OF(held); i++)
        held[i] = hold(&kept, i);
    expect_counts(&kept, 3, 3, 0);
    for (unsigned i = 0; i < TV_COUNT_OF(held); i++)
        assert_int_equal(held[i]->index.info->total[TV_CLOCK_WALL], 100 * (i + 1));
    for (unsigned i = 0; i < TV_COUNT_OF(held); i++)
        tv_stored_let_go(kept.stored, held[i]);
    expect_counts(&kept, 1, 3, 2);
    tv_stored_let_go(kept.stored, NULL);
    release_kept(&kept);
}

/* --- files that are not what their row says --- */

static void expect_refused(struct kept *kept, const struct tv_hash *index)
{
    struct tv_stored_trace trace = kept->of[0].trace;
    struct tv_stored_index *held;
    struct tv_error err = {.code = TV_OK};
    trace.index_hash = index->hex;
    assert_int_not_equal(tv_stored_hold(kept->stored, &trace, &held, &err), TV_OK);
    assert_null(held);
    assert_true(err.text[0]);
    expect_counts(kept, 0, 0, 0);
}

static void a_file_that_is_no_index_is_refused(void **state)
{
    static const char text[8192] = "this is an index, believe me";
    struct tv_hash name;
    struct kept kept;
    (void)state;
    keep(&kept, 2, 2);
    memset(&name, 0, sizeof(name));
    memset(name.hex, 'a', 64);
    expect_refused(&kept, &name); /* it is not there */
    keep_bytes(&kept, &name, text, sizeof(text));
    expect_refused(&kept, &name);
    memset(name.hex, 'b', 64);
    keep_bytes(&kept, &name, text, 10);
    expect_refused(&kept, &name);
    expect_refused(&kept, &kept.of[1].index); /* of another trace */
    use(&kept, 0);
    release_kept(&kept);
}

static void a_damaged_index_is_refused(void **state)
{
    static uint8_t bytes[1 << 16];
    size_t len;
    struct tv_hash name;
    struct kept kept;
    (void)state;
    keep(&kept, 1, 2);
    assert_int_equal(kept.store.files.read(kept.store.files.ctx, &kept.of[0].index, 0, bytes,
                                           sizeof(bytes), &len, NULL),
                     TV_OK);
    assert_true(len > 5000 && len < sizeof(bytes));
    memset(&name, 0, sizeof(name));
    memset(name.hex, 'c', 64);
    bytes[len - 9] ^= 1;
    keep_bytes(&kept, &name, bytes, len);
    expect_refused(&kept, &name);
    release_kept(&kept);
}

/* --- many threads --- */

#define ROUNDS 400u

struct user {
    struct kept *kept;
    unsigned seed;
    unsigned wrong;
};

static void *use_many(void *ctx)
{
    struct user *user = ctx;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct tv_stored_index *held;
        user->seed = user->seed * 1103515245u + 12345u;
        unsigned which = (user->seed >> 16) % user->kept->count;
        if (tv_stored_hold(user->kept->stored, &user->kept->of[which].trace, &held, NULL) !=
            TV_OK) {
            user->wrong++;
            continue;
        }
        user->wrong += held->index.info->total[TV_CLOCK_WALL] != 100 * (which + 1);
        tv_stored_let_go(user->kept->stored, held);
    }
    return NULL;
}

static void many_threads_get_what_they_ask_for(void **state)
{
    pthread_t threads[4];
    struct user users[4];
    struct kept kept;
    (void)state;
    keep(&kept, 6, 2);
    for (unsigned i = 0; i < TV_COUNT_OF(threads); i++) {
        users[i] = (struct user){.kept = &kept, .seed = i};
        assert_int_equal(pthread_create(&threads[i], NULL, use_many, &users[i]), 0);
    }
    for (unsigned i = 0; i < TV_COUNT_OF(threads); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(users[i].wrong, 0);
    }
    struct tv_stored_counts counts = tv_stored_count(kept.stored);
    assert_int_equal(counts.open, 2);
    assert_int_equal(counts.opened - counts.closed, 2);
    release_kept(&kept);
}

/* --- indexes that are far --- */

/* The files of a store that are on another machine until they were brought, which takes a while. */
struct far {
    struct tv_store_files near; /* as they are */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_here, may_come, is_broken, may_be_missed;
    unsigned brought;
};

static enum tv_code open_if_here(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                                 struct tv_error *err)
{
    struct far *far = ctx;
    (void)pthread_mutex_lock(&far->lock);
    while (!far->may_be_missed)
        (void)pthread_cond_wait(&far->changed, &far->lock);
    const bool is_here = far->is_here;
    (void)pthread_mutex_unlock(&far->lock);
    return is_here ? far->near.open(far->near.ctx, name, fd, len, err) : TV_ERR_NOT_FOUND;
}

static enum tv_code open_late(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                              struct tv_error *err)
{
    struct far *far = ctx;
    (void)pthread_mutex_lock(&far->lock);
    while (!far->may_come)
        (void)pthread_cond_wait(&far->changed, &far->lock);
    far->brought++;
    const bool is_broken = far->is_broken;
    (void)pthread_mutex_unlock(&far->lock);
    return is_broken ? tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "S3 does not answer")
                     : far->near.open(far->near.ctx, name, fd, len, err);
}

static void keep_far_of(struct kept *kept, struct far *far, unsigned count, unsigned open_most)
{
    keep(kept, count, open_most);
    *far = (struct far){.near = kept->store.files, .may_be_missed = true};
    (void)pthread_mutex_init(&far->lock, NULL);
    (void)pthread_cond_init(&far->changed, NULL);
    kept->store.files.ctx = far;
    kept->store.files.open = open_late;
    kept->store.files.open_here = open_if_here;
}

static void keep_far(struct kept *kept, struct far *far, unsigned count)
{
    keep_far_of(kept, far, count, 4);
}

static void let(struct far *far, bool *what)
{
    (void)pthread_mutex_lock(&far->lock);
    *what = true;
    (void)pthread_cond_broadcast(&far->changed);
    (void)pthread_mutex_unlock(&far->lock);
}

static void let_come(struct far *far)
{
    let(far, &far->may_come);
}

static void release_far(struct kept *kept, struct far *far)
{
    tv_stored_end(kept->stored);
    tv_stored_free(kept->stored);
    kept->store.files = far->near;
    kept->stored = NULL;
    release_kept(kept);
    (void)pthread_cond_destroy(&far->changed);
    (void)pthread_mutex_destroy(&far->lock);
}

static void expect_loading(struct kept *kept, unsigned i, uint64_t least_ns, uint64_t most_ns)
{
    struct tv_stored_index *held;
    struct tv_error err;
    const uint64_t begun_ns = tv_now_ns();
    assert_int_equal(tv_stored_hold(kept->stored, &kept->of[i].trace, &held, &err), TV_ERR_AWAY);
    assert_in_range(tv_now_ns() - begun_ns, least_ns, most_ns);
    assert_string_equal(err.text, TV_STORED_LOADING);
    assert_null(held);
}

/* Wishes for one that is far. */
static void expect_brought(struct kept *kept, unsigned i)
{
    struct tv_stored_index *held;
    tv_stored_wish(kept->stored, &kept->of[i].trace, &held);
    assert_null(held);
}

static void *expect_loading_long(void *ctx)
{
    expect_loading(ctx, 0, TV_NS_PER_S, 20 * TV_NS_PER_S);
    return NULL;
}

static void few_threads_wait_for_a_far_index_and_not_for_long(void **state)
{
    pthread_t waiting;
    struct kept kept;
    struct far far;
    (void)state;
    keep_far(&kept, &far, 3);
    const struct timespec moment = {.tv_nsec = 300 * TV_NS_PER_MS};
    assert_int_equal(pthread_create(&waiting, NULL, expect_loading_long, &kept), 0);
    (void)nanosleep(&moment, NULL);
    /* One waits, as many as may: the others are told at once, of whichever index. */
    expect_loading(&kept, 0, 0, TV_NS_PER_S);
    expect_loading(&kept, 1, 0, TV_NS_PER_S);
    expect_brought(&kept, 2);
    assert_int_equal(pthread_join(waiting, NULL), 0);
    let_come(&far);
    for (unsigned i = 0; i < 3; i++)
        use(&kept, i); /* waits for what is on its way, and brings nothing twice */
    assert_int_equal(far.brought, 3);
    expect_counts(&kept, 3, 3, 0);
    release_far(&kept, &far);
}

static void a_far_index_that_does_not_come_is_told_and_tried_anew(void **state)
{
    struct tv_stored_index *held;
    struct kept kept;
    struct far far;
    struct tv_error err;
    (void)state;
    keep_far(&kept, &far, 1);
    far.is_broken = true;
    let_come(&far);
    assert_int_equal(tv_stored_hold(kept.stored, &kept.of[0].trace, &held, &err), TV_ERR_AWAY);
    assert_string_equal(err.text, "S3 does not answer");
    expect_counts(&kept, 0, 0, 0);
    far.is_broken = false;
    use(&kept, 0);
    expect_counts(&kept, 1, 1, 0);
    release_far(&kept, &far);
}

/* Until a thread waits for an index that is brought. */
static void await_waiting(struct tv_stored *stored)
{
    const struct timespec moment = {.tv_nsec = TV_NS_PER_MS};
    for (unsigned waiting = 0; !waiting;) {
        (void)nanosleep(&moment, NULL);
        (void)pthread_mutex_lock(&stored->lock);
        waiting = stored->waiting_count;
        (void)pthread_mutex_unlock(&stored->lock);
    }
}

static void *use_second(void *ctx)
{
    use(ctx, 1);
    return NULL;
}

static void a_far_index_that_is_waited_for_does_not_give_way(void **state)
{
    pthread_t waiting;
    struct kept kept;
    struct far far;
    (void)state;
    keep_far_of(&kept, &far, 2, 1);
    far.is_here = true;
    struct tv_stored_index *held = hold(&kept, 0);
    far.is_here = false;
    assert_int_equal(pthread_create(&waiting, NULL, use_second, &kept), 0);
    await_waiting(kept.stored);
    let_come(&far);
    assert_int_equal(pthread_join(waiting, NULL), 0);
    expect_counts(&kept, 1, 2, 1); /* it was opened once, and closed behind its use */
    tv_stored_let_go(kept.stored, held);
    release_far(&kept, &far);
}

/* Memory that is refused as soon as another thread waits for the index. */
struct late_refusal {
    struct tv_stored *stored;
    atomic_bool is_asked;
};

static void *refuse_late(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct late_refusal *late = ctx;
    (void)block;
    (void)old_len;
    (void)new_len;
    atomic_store(&late->is_asked, true);
    await_waiting(late->stored);
    return NULL;
}

static void *expect_no_memory(void *ctx)
{
    struct kept *kept = ctx;
    struct tv_stored_index *held;
    struct tv_error err = {.code = TV_OK};
    assert_int_equal(tv_stored_hold(kept->stored, &kept->of[0].trace, &held, &err), TV_ERR_MEMORY);
    assert_int_equal(err.code, TV_ERR_MEMORY);
    assert_null(held);
    return NULL;
}

static void what_cannot_be_brought_is_told_to_those_who_wait(void **state)
{
    const struct timespec moment = {.tv_nsec = TV_NS_PER_MS};
    struct late_refusal late = {.stored = NULL};
    const struct tv_alloc refusing = {.resize = refuse_late, .ctx = &late};
    pthread_t first;
    struct kept kept;
    struct far far;
    (void)state;
    keep_far(&kept, &far, 1);
    let_come(&far);
    late.stored = kept.stored;
    kept.stored->fars.alloc = &refusing;
    assert_int_equal(pthread_create(&first, NULL, expect_no_memory, &kept), 0);
    while (!atomic_load(&late.is_asked))
        (void)nanosleep(&moment, NULL);
    (void)expect_no_memory(&kept);
    assert_int_equal(pthread_join(first, NULL), 0);
    expect_counts(&kept, 0, 0, 0);
    kept.stored->fars.alloc = tv_alloc_libc();
    use(&kept, 0);
    release_far(&kept, &far);
}

struct loading {
    struct kept *kept;
    atomic_uint ended;
};

static void *expect_loading_once(void *ctx)
{
    struct loading *loading = ctx;
    expect_loading(loading->kept, 0, 0, 20 * TV_NS_PER_S);
    (void)atomic_fetch_add(&loading->ended, 1);
    return NULL;
}

/* Who waits while it is looked for here does not wait any longer once it turns out to be far. */
static void an_index_that_turns_out_to_be_far_holds_nobody(void **state)
{
    const struct timespec moment = {.tv_nsec = 100 * TV_NS_PER_MS};
    pthread_t threads[3];
    struct kept kept;
    struct far far;
    (void)state;
    keep_far(&kept, &far, 1);
    far.may_be_missed = false;
    struct loading loading = {.kept = &kept};
    for (unsigned i = 0; i < TV_COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, expect_loading_once, &loading), 0);
    (void)nanosleep(&moment, NULL);
    let(&far, &far.may_be_missed);
    for (unsigned i = 0; i < 200 && atomic_load(&loading.ended) < TV_COUNT_OF(threads); i++)
        (void)nanosleep(&moment, NULL);
    assert_int_equal(atomic_load(&loading.ended), TV_COUNT_OF(threads));
    for (unsigned i = 0; i < TV_COUNT_OF(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    let_come(&far);
    release_far(&kept, &far);
}

static void a_site_that_ends_while_indexes_are_far_ends(void **state)
{
    struct kept kept;
    struct far far;
    (void)state;
    keep_far(&kept, &far, KEPT_MOST);
    for (unsigned i = 0; i < KEPT_MOST; i++)
        expect_brought(&kept, i);
    let_come(&far);
    release_far(&kept, &far);
}

int main(void)
{
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_is_opened_once),
        cmocka_unit_test(the_one_that_was_not_used_longest_is_closed),
        cmocka_unit_test(a_held_one_stays),
        cmocka_unit_test(a_file_that_is_no_index_is_refused),
        cmocka_unit_test(a_damaged_index_is_refused),
        cmocka_unit_test(many_threads_get_what_they_ask_for),
        cmocka_unit_test(few_threads_wait_for_a_far_index_and_not_for_long),
        cmocka_unit_test(a_far_index_that_does_not_come_is_told_and_tried_anew),
        cmocka_unit_test(a_far_index_that_is_waited_for_does_not_give_way),
        cmocka_unit_test(what_cannot_be_brought_is_told_to_those_who_wait),
        cmocka_unit_test(an_index_that_turns_out_to_be_far_holds_nobody),
        cmocka_unit_test(a_site_that_ends_while_indexes_are_far_ends),
    };
    return cmocka_run_group_tests_name("site/stored", tests, NULL, NULL);
}
