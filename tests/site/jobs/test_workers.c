/* site/workers: what becomes of jobs in a real store, with children that are this test program: a
 * file that begins with CRAFTED makes the child one of `crafted`. */
#include "site/jobs/workers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "index/saved/saved.h"
#include "os/memory/alloc.h"
#include "os/memory/mapping.h"
#include "os/sandbox/sandboxed_child.h"
#include "site/jobs/index_child.h"
#include "site/jobs/index_job.h"
#include "support/trace_builder.h"

#define CRAFTED "CRAFTED "
#define BUILD "0123456789abcdef"
#define MARK "/tmp/traceview-workers-mark"
#define PATIENCE_MS 60000
#define LAPSES 20u /* after which a file is taken to be the cause */

/* --- in the child --- */

static void crash(void)
{
    __builtin_trap();
}

static void hang(void)
{
    for (;;)
        (void)pause();
}

/* Crashes at first, and says so the second time. */
static void crash_once(void)
{
    static const char text[] = "this is the second try\n";
    if (open(MARK, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) >= 0)
        crash();
    _exit(write(STDERR_FILENO, text, sizeof(text) - 1) > 0 ? TV_CHILD_STATUS_REFUSED : 9);
}

static void write_text(void)
{
    static const char text[8192] = "this is an index, believe me";
    _exit(write(STDOUT_FILENO, text, sizeof(text)) > 0 ? TV_CHILD_STATUS_DONE : 9);
}

static void be_unable(void)
{
    _exit(TV_CHILD_STATUS_UNABLE);
}

/* An index without an end, which the limit of file sizes cuts. */
static void write_much(void)
{
    static const char text[65536], reason[] = "its index is larger than this site keeps\n";
    (void)signal(SIGXFSZ, SIG_IGN);
    while (write(STDOUT_FILENO, text, sizeof(text)) > 0)
        continue;
    _exit(write(STDERR_FILENO, reason, sizeof(reason) - 1) > 0 ? TV_CHILD_STATUS_REFUSED : 9);
}

static const struct {
    const char *name;
    void (*run)(void);
} crafted[] = {{"is unable", be_unable},    {"crashes", crash},           {"hangs", hang},
               {"writes much", write_much}, {"crashes once", crash_once}, {"forges", write_text}};

static void be_child(int word_count, char **words)
{
    char first[32] = "";
    if (pread(STDIN_FILENO, first, sizeof(first) - 1, 0) <= 0 ||
        strncmp(first, CRAFTED, strlen(CRAFTED)) != 0)
        tv_index_child_run(word_count, words);
    for (size_t i = 0; i < TV_COUNT_OF(crafted); i++) {
        if (strcmp(first + strlen(CRAFTED), crafted[i].name) == 0)
            crafted[i].run();
    }
    _exit(9);
}

/* --- a store, and workers --- */

static char folder[] = "/tmp/traceview-workers-XXXXXX";
static struct tv_store store;
static unsigned traces; /* that were added */
static atomic_uint ended;
static atomic_int ended_as;   /* the last that was told */
static _Atomic int64_t ahead; /* seconds that the clock of workers is ahead */

static int64_t now(void)
{
    return (int64_t)time(NULL) + atomic_load(&ahead);
}

static void count_end(void *ctx, const struct tv_job *job, enum tv_job_end end)
{
    (void)job;
    atomic_store(&ended_as, (int)end);
    atomic_fetch_add((atomic_uint *)ctx, 1);
}

static int open_store(void **state)
{
    (void)state;
    struct tv_error err;
    if (mkdtemp(folder) && tv_store_open_place(&store, &(struct tv_store_place){.rows = folder},
                                               TV_STORE_MAKE, tv_os_alloc(), &err) == TV_OK)
        return 0;
    print_error("%s\n", err.text);
    return -1;
}

static int remove_store(void **state)
{
    char command[64];
    (void)state;
    tv_store_close(&store);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

/* Adds a trace of these bytes; its job is queued. */
static struct tv_hash add(const void *bytes, size_t len)
{
    struct tv_arrival arrival;
    struct tv_trace_row row = {.bytes = len, .file_name = TV_STR("x.trace"), .created = now()};
    const struct tv_quota none = {.bytes = {0}};
    enum tv_quota_of over;
    struct tv_error err;
    (void)snprintf(row.id.hex, sizeof(row.id.hex), "%032x", ++traces);
    memset(row.owner.hex, 'a', 64);
    assert_int_equal(tv_arrival_begin(&arrival, &store, TV_DIGEST_SHA256_AND_MD5, &err), TV_OK);
    assert_int_equal(tv_arrival_write(&arrival, bytes, len, &err), TV_OK);
    tv_arrival_end(&arrival, &row.raw, row.md5);
    if (tv_store_keep_trace(&store, &arrival, &row, BUILD, &none, now(), &over, &err) != TV_OK)
        fail_msg("%s", err.text);
    tv_arrival_release(&arrival);
    return row.raw;
}

/* The same child, by a file that differs from others by what follows the NUL. */
static struct tv_hash add_crafted(const char *name, int number)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "%s%s%c%d", CRAFTED, name, 0, number);
    return add(text, (size_t)len);
}

/* A trace that differs from others by a time. */
static struct tv_hash add_trace(unsigned number)
{
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&t, MAIN, FOO, 10);
    leave(&t, MAIN, FOO, 30 + number);
    struct tv_hash raw = add(t.bytes.bytes, t.bytes.len);
    build_release(&t);
    return raw;
}

static unsigned tidy_s;
static uint64_t keep_free;
static uint64_t (*monotonic_ns)(void);

static struct tv_site_workers *start(unsigned count)
{
    const struct tv_site_workers_opts opts = {.alloc = tv_os_alloc(),
                                              .pool = tv_pool_serial(),
                                              .store = &store,
                                              .build = BUILD,
                                              .count = count,
                                              .memory = (uint64_t)1 << 30,
                                              .seconds = 100,
                                              .user = "",
                                              .now = now,
                                              .monotonic_ns = monotonic_ns,
                                              .keep_free = keep_free,
                                              .tidy_s = tidy_s,
                                              .ended = count_end,
                                              .ctx = &ended};
    struct tv_site_workers *workers;
    struct tv_error err;
    if (tv_site_workers_start(&workers, &opts, &err) != TV_OK)
        fail_msg("%s", err.text);
    return workers;
}

static struct tv_job look(const struct tv_hash *raw)
{
    struct tv_job job;
    struct tv_error err;
    if (store.db.want_job(store.db.ctx, raw, BUILD, "", true, now(), &job, &err) != TV_OK)
        fail_msg("%s", err.text);
    return job;
}

static struct tv_job wait_for(const struct tv_hash *raw, enum tv_job_state state)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct tv_job job = look(raw);
    for (unsigned ms = 0; ms < PATIENCE_MS && job.state != state; ms += 5) {
        (void)nanosleep(&pause, NULL);
        job = look(raw);
    }
    if (job.state != state)
        fail_msg("the job stays in state %d: \"%s\"", (int)job.state, job.reason);
    return job;
}

static void expect_bad(const struct tv_hash *raw, const char *reason)
{
    struct tv_job job = wait_for(raw, TV_JOB_BAD);
    if (!strstr(job.reason, reason))
        fail_msg("the reason is \"%s\", without \"%s\"", job.reason, reason);
}

/* The index that the job names is in the store, and whole. */
static void expect_index(const struct tv_hash *raw, const struct tv_job *job)
{
    const struct tv_saved_source source = tv_index_job_source(raw->hex, "");
    struct tv_mapping mapping;
    struct tv_index index;
    uint64_t len;
    int fd;
    assert_int_equal(store.files.open(store.files.ctx, &job->index, &fd, &len, NULL), TV_OK);
    assert_int_equal(tv_mapping_open(&mapping, fd, (size_t)len, NULL), TV_OK);
    assert_int_equal(tv_saved_open(&index, (struct tv_saved_bytes){mapping.bytes, mapping.len},
                                   &source, tv_os_alloc(), tv_pool_serial(), NULL),
                     TV_OK);
    assert_int_equal(index.call_count, 1);
    tv_mapping_release(&mapping);
    (void)close(fd);
}

/* --- tests --- */

static void an_upload_gets_its_index(void **state)
{
    struct tv_site_workers *workers = start(1);
    (void)state;
    struct tv_hash raw = add_trace(1);
    tv_site_workers_wake(workers);
    struct tv_job job = wait_for(&raw, TV_JOB_DONE);
    expect_index(&raw, &job);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
}

static void a_bad_upload_gets_its_reason(void **state)
{
    static const struct {
        const char *name;
        const char *reason;
    } bad[] = {
        {"crashes", "crashed"},
        {"crashes once", "this is the second try"},
        {"forges", "an index that cannot be"},
    };
    struct tv_hash raws[TV_COUNT_OF(bad)];
    (void)state;
    (void)unlink(MARK);
    struct tv_hash text = add("just some text\n", 15);
    for (size_t i = 0; i < TV_COUNT_OF(bad); i++)
        raws[i] = add_crafted(bad[i].name, 0);
    struct tv_site_workers *workers = start(2);
    expect_bad(&text, "not a method trace");
    for (size_t i = 0; i < TV_COUNT_OF(bad); i++)
        expect_bad(&raws[i], bad[i].reason);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
    (void)unlink(MARK);
}

static void a_file_that_is_missing_makes_its_job_bad(void **state)
{
    (void)state;
    struct tv_hash raw = add_trace(2);
    assert_int_equal(store.files.remove(store.files.ctx, &raw, NULL), TV_OK);
    struct tv_site_workers *workers = start(1);
    expect_bad(&raw, "missing");
    tv_site_workers_stop(workers, UINT64_C(1000000000));
}

static void many_workers_do_each_job_once(void **state)
{
    struct tv_hash raws[24];
    struct tv_site_workers *workers[3];
    (void)state;
    for (unsigned i = 0; i < TV_COUNT_OF(raws); i++)
        raws[i] = add_trace(100 + i);
    atomic_store(&ended, 0);
    for (size_t i = 0; i < TV_COUNT_OF(workers); i++)
        workers[i] = start(2);
    for (size_t i = 0; i < TV_COUNT_OF(raws); i++) {
        struct tv_job job = wait_for(&raws[i], TV_JOB_DONE);
        expect_index(&raws[i], &job);
        assert_int_equal(job.tries, 1);
    }
    for (size_t i = 0; i < TV_COUNT_OF(workers); i++)
        tv_site_workers_stop(workers[i], UINT64_C(1000000000));
    assert_int_equal(atomic_load(&ended), TV_COUNT_OF(raws));
}

/* A worker that was killed is one that took a job and does nothing more. */
static void a_job_of_a_killed_worker_is_taken_by_another(void **state)
{
    struct tv_job taken;
    (void)state;
    struct tv_hash raw = add_trace(3);
    assert_int_equal(
        store.db.take_job(store.db.ctx, BUILD, "killed", now(), TV_SITE_LEASE_S, 3, &taken, NULL),
        TV_OK);
    assert_string_equal(taken.raw.hex, raw.hex);
    atomic_fetch_add(&ahead, TV_SITE_LEASE_S + 1);
    struct tv_site_workers *workers = start(1);
    struct tv_job job = wait_for(&raw, TV_JOB_DONE);
    assert_int_equal(job.tries, 2);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
}

/* It is given up, but nobody is to try again: so it is told as bad. */
static void a_job_that_was_tried_too_often_is_told_as_bad(void **state)
{
    struct tv_job taken = {.tries = 0};
    (void)state;
    struct tv_hash raw = add_crafted("is unable", 1);
    while (taken.tries < LAPSES - 1) {
        assert_int_equal(store.db.take_job(store.db.ctx, BUILD, "killed", now(), TV_SITE_LEASE_S,
                                           LAPSES, &taken, NULL),
                         TV_OK);
        assert_string_equal(taken.raw.hex, raw.hex);
        atomic_fetch_add(&ahead, TV_SITE_LEASE_S + 1);
    }
    atomic_store(&ended, 0);
    struct tv_site_workers *workers = start(1);
    assert_int_equal(wait_for(&raw, TV_JOB_BAD).tries, LAPSES);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
    assert_int_equal(atomic_load(&ended), 1);
    assert_int_equal(atomic_load(&ended_as), TV_JOB_END_BAD);
}

/* Nothing is left beside what is kept free, so there is the share of the trace, and 1 MiB. */
static void an_index_leaves_what_is_kept_free(void **state)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct tv_job job = {.tries = 0};
    (void)state;
    keep_free = UINT64_MAX;
    atomic_store(&ended, 0);
    struct tv_hash raw = add_crafted("writes much", 1);
    struct tv_site_workers *workers = start(1);
    for (unsigned ms = 0; ms < PATIENCE_MS && !atomic_load(&ended); ms += 5)
        (void)nanosleep(&pause, NULL);
    job = look(&raw);
    assert_int_equal(job.state, TV_JOB_TAKEN);
    assert_int_equal(job.tries, 1);
    assert_string_equal(job.worker, "");
    assert_string_equal(job.reason,
                        "its index takes more than the 1048 kB that the disk has left for it");
    const struct tv_hash next = add_trace(6); /* there is room for its share */
    tv_site_workers_wake(workers);
    job = wait_for(&next, TV_JOB_DONE);
    expect_index(&next, &job);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
    while (job.tries < LAPSES - 1) {
        atomic_fetch_add(&ahead, TV_JOB_PAUSE_S);
        assert_int_equal(store.db.take_job(store.db.ctx, BUILD, "killed", now(), TV_SITE_LEASE_S,
                                           LAPSES, &job, NULL),
                         TV_OK);
        assert_string_equal(job.raw.hex, raw.hex);
    }
    atomic_fetch_add(&ahead, TV_SITE_LEASE_S);
    workers = start(1);
    (void)wait_for(&raw, TV_JOB_BAD);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
    keep_free = 0;
}

/* Takes a queued job out of the way of other tests. */
static void end_as_bad(const struct tv_hash *raw)
{
    struct tv_job job;
    assert_int_equal(
        store.db.take_job(store.db.ctx, BUILD, "other", now(), TV_SITE_LEASE_S, 9, &job, NULL),
        TV_OK);
    assert_int_equal(store.db.end_job(store.db.ctx, raw, BUILD, "", "other", now(), TV_JOB_END_BAD,
                                      0, NULL, "enough", NULL),
                     TV_OK);
}

static void a_stop_leaves_the_job_to_others(void **state)
{
    (void)state;
    struct tv_hash raw = add_crafted("hangs", 1);
    struct tv_site_workers *workers = start(1);
    (void)wait_for(&raw, TV_JOB_TAKEN);
    tv_site_workers_stop(workers, 0);
    assert_int_equal(look(&raw).state, TV_JOB_QUEUED);
    end_as_bad(&raw);
}

/* Whoever lost the lease neither ends the job nor keeps its child. */
static void a_worker_that_lost_its_lease_lets_go(void **state)
{
    struct tv_job job;
    (void)state;
    struct tv_hash raw = add_crafted("hangs", 2);
    struct tv_site_workers *workers = start(1);
    (void)wait_for(&raw, TV_JOB_TAKEN);
    assert_int_equal(
        store.db.take_job(store.db.ctx, BUILD, "thief", now() + 1000, 5000, 9, &job, NULL), TV_OK);
    assert_string_equal(job.raw.hex, raw.hex);
    /* The same worker has time for another job soon. */
    struct tv_hash next = add_trace(4);
    (void)wait_for(&next, TV_JOB_DONE);
    job = look(&raw);
    assert_int_equal(job.state, TV_JOB_TAKEN);
    assert_string_equal(job.worker, "thief");
    tv_site_workers_stop(workers, 0);
}

/* A clock that stands still, but for what a test adds, and counts who looks at it. */
static _Atomic uint64_t still_ns = 1;
static atomic_uint looks;

static uint64_t look_at_still_clock(void)
{
    atomic_fetch_add(&looks, 1);
    return atomic_load(&still_ns);
}

/* Renewing as it is, and as it fails. */
static enum tv_code (*renew_as_it_is)(void *ctx, const struct tv_hash *raw, const char *build,
                                      const char *mappings, const char *worker, int64_t now,
                                      int64_t lease, struct tv_error *err);
static atomic_uint renewals, refused_renewals;

static enum tv_code count_renewal(void *ctx, const struct tv_hash *raw, const char *build,
                                  const char *mappings, const char *worker, int64_t now_s,
                                  int64_t lease, struct tv_error *err)
{
    atomic_fetch_add(&renewals, 1);
    if (!atomic_load(&refused_renewals))
        return renew_as_it_is(ctx, raw, build, mappings, worker, now_s, lease, err);
    atomic_fetch_sub(&refused_renewals, 1);
    return TV_ERR_SYSTEM;
}

/* Waits until the worker has thought about its lease `count` times since this was called. It looks
 * at the clock each time, so one look more says that a thought is over. */
static void wait_for_thoughts(unsigned count)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    unsigned end = atomic_load(&looks) + count + 1;
    for (unsigned ms = 0; ms < PATIENCE_MS && atomic_load(&looks) < end; ms += 5)
        (void)nanosleep(&pause, NULL);
    assert_true(atomic_load(&looks) >= end);
}

static void add_ms(unsigned ms)
{
    atomic_fetch_add(&still_ns, ms * UINT64_C(1000000));
}

/* After each quarter of its time, so that some renewals may fail. */
static void a_lease_is_renewed_while_the_child_runs(void **state)
{
    struct tv_job job;
    (void)state;
    renew_as_it_is = store.db.renew_job;
    store.db.renew_job = count_renewal;
    monotonic_ns = look_at_still_clock;
    atomic_store(&refused_renewals, 1);
    struct tv_hash raw = add_crafted("hangs", 3);
    struct tv_site_workers *workers = start(1);
    (void)wait_for(&raw, TV_JOB_TAKEN);
    add_ms(TV_SITE_LEASE_S * 1000 / 4 - 1);
    wait_for_thoughts(1);
    assert_int_equal(atomic_load(&renewals), 0);
    atomic_fetch_add(&ahead, TV_SITE_LEASE_S * 3 / 4);
    add_ms(1);
    wait_for_thoughts(2);
    assert_int_equal(atomic_load(&renewals), 2); /* what failed is tried again at the next look */
    /* Without that the lease would have lapsed by now. */
    atomic_fetch_add(&ahead, TV_SITE_LEASE_S * 3 / 4);
    assert_int_equal(
        store.db.take_job(store.db.ctx, BUILD, "thief", now(), TV_SITE_LEASE_S, 9, &job, NULL),
        TV_ERR_NOT_FOUND);
    tv_site_workers_stop(workers, 0);
    store.db.renew_job = renew_as_it_is;
    monotonic_ns = NULL;
    end_as_bad(&raw);
}

static void a_user_that_is_not_there_is_told(void **state)
{
    struct tv_site_workers_opts opts = {.alloc = tv_os_alloc(),
                                        .store = &store,
                                        .build = BUILD,
                                        .count = 1,
                                        .user = "no-such-user-here",
                                        .now = now};
    struct tv_site_workers *workers;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: only root starts children as another user\n");
        skip();
    }
    assert_int_equal(tv_site_workers_start(&workers, &opts, &err), TV_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "no-such-user-here"));
    assert_null(workers);
    tv_site_workers_stop(NULL, 0);
    tv_site_workers_wake(NULL);
}

/* A day after the last trace of a file has gone, the file goes. */
static void what_nobody_needs_is_tidied_away(void **state)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct tv_id id;
    uint8_t byte;
    size_t len;
    (void)state;
    struct tv_hash raw = add_trace(5);
    (void)snprintf(id.hex, sizeof(id.hex), "%032x", traces);
    assert_int_equal(store.db.drop_trace(store.db.ctx, &id, NULL), TV_OK);
    assert_int_equal(store.files.read(store.files.ctx, &raw, 0, &byte, 1, &len, NULL), TV_OK);
    atomic_fetch_add(&ahead, 2 * TV_STORE_GRACE);
    tidy_s = 1;
    struct tv_site_workers *workers = start(1);
    for (unsigned ms = 0;
         ms < PATIENCE_MS && store.files.read(store.files.ctx, &raw, 0, &byte, 1, &len, NULL) == 0;
         ms += 20)
        (void)nanosleep(&pause, NULL);
    assert_int_equal(store.files.read(store.files.ctx, &raw, 0, &byte, 1, &len, NULL),
                     TV_ERR_NOT_FOUND);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
}

static atomic_uint untidy;

static void count_untidy(void *ctx, const struct tv_error *failure)
{
    (void)ctx;
    atomic_fetch_add(&untidy, failure && strcmp(failure->text, "no rows") == 0);
}

static enum tv_code fail_to_expire(void *ctx, int64_t when, int64_t grace, size_t most,
                                   struct tv_expired *expired, struct tv_error *err)
{
    (void)ctx;
    (void)when;
    (void)grace;
    (void)most;
    (void)expired;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no rows");
}

static void a_failure_to_tidy_is_told(void **state)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct tv_store failing = store;
    struct tv_site_workers *workers;
    (void)state;
    failing.db.expire = fail_to_expire;
    const struct tv_site_workers_opts opts = {.alloc = tv_os_alloc(),
                                              .pool = tv_pool_serial(),
                                              .store = &failing,
                                              .build = BUILD,
                                              .count = 1,
                                              .memory = (uint64_t)1 << 30,
                                              .seconds = 100,
                                              .user = "",
                                              .now = now,
                                              .tidy_s = 1,
                                              .tidied = count_untidy};
    assert_int_equal(tv_site_workers_start(&workers, &opts, NULL), TV_OK);
    for (unsigned ms = 0; ms < PATIENCE_MS && !atomic_load(&untidy); ms += 20)
        (void)nanosleep(&pause, NULL);
    assert_true(atomic_load(&untidy) > 0);
    tv_site_workers_stop(workers, UINT64_C(1000000000));
}

static void the_build_has_a_name(void **state)
{
    char build[TV_SITE_BUILD_CAP], again[TV_SITE_BUILD_CAP];
    (void)state;
    assert_int_equal(tv_site_build(build, NULL), TV_OK);
    assert_int_equal(tv_site_build(again, NULL), TV_OK);
    assert_string_equal(build, again);
    assert_int_equal(strspn(build, "0123456789abcdef"), TV_SITE_BUILD_CAP - 1);
}

int main(int argc, char **argv)
{
    if (tv_index_child_is_asked(argc, argv))
        be_child(argc, argv);
    tv_mapping_handle_faults();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upload_gets_its_index),
        cmocka_unit_test(a_bad_upload_gets_its_reason),
        cmocka_unit_test(a_file_that_is_missing_makes_its_job_bad),
        cmocka_unit_test(many_workers_do_each_job_once),
        cmocka_unit_test(a_job_of_a_killed_worker_is_taken_by_another),
        cmocka_unit_test(a_job_that_was_tried_too_often_is_told_as_bad),
        cmocka_unit_test(an_index_leaves_what_is_kept_free),
        cmocka_unit_test(a_stop_leaves_the_job_to_others),
        cmocka_unit_test(a_lease_is_renewed_while_the_child_runs),
        cmocka_unit_test(a_worker_that_lost_its_lease_lets_go),
        cmocka_unit_test(a_user_that_is_not_there_is_told),
        cmocka_unit_test(what_nobody_needs_is_tidied_away),
        cmocka_unit_test(a_failure_to_tidy_is_told),
        cmocka_unit_test(the_build_has_a_name),
    };
    return cmocka_run_group_tests_name("site/workers", tests, open_store, remove_store);
}
