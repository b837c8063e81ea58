/*
 * Taking jobs, and ending them; see site/jobs/workers.h.
 *
 * A thread is one worker, with a name that no other worker of the store has. It takes a job, runs a
 * child for it (index_job.h), renews the lease while the child runs, and keeps the index. A lease
 * that was lost means that somebody else has the job, and the child is ended. A process that is
 * killed loses nothing: its leases lapse, and the jobs are done again. One more thread tidies the
 * store. All that the threads share is under `lock`.
 */
#include "site/jobs/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/file/digest.h"
#include "os/file/file.h"
#include "os/file/hole.h"
#include "os/memory/fault.h"
#include "os/process/pool.h"
#include "os/token.h"
#include "os/waits.h"
#include "site/jobs/index_job.h"
#include "store/job_end.h"

/* How often a lease is renewed: two renewals in a row may fail before it lapses. */
#define RENEW_NS (TV_SITE_LEASE_S * TV_NS_PER_S / 4)
/* How often a worker with nothing to do looks for jobs that other processes queued. */
#define LOOK_S 1
/* How often a worker with nothing to do looks where the store reports new jobs: only for leases
 * that lapsed. */
#define LOOK_WATCHED_S 15
/* How long a worker waits after the store or the disk has failed. */
#define REST_S 5
/* Runs of a child that fail before the file is taken to be the cause. */
#define TRIES 2u
/* Lapsed leases, or children to whom the system refused something, before the file is taken to be
 * the cause. */
#define LAPSES 20u
/* How long a job of another version waits, while no worker has one of that version, before it is
 * taken over, and how many are at once. */
#define LEFT_S 60
#define LEFT_MOST 100u
/* Bytes; a disk with less free space counts as full. */
#define FULL ((uint64_t)64 << 20)
/* Bytes that each index may have, however short its file is. */
#define SHARE_LEAST ((uint64_t)1 << 20)
#define DEFAULT_USER "nobody"
#define USER_ROOM 4096

struct worker {
    struct tv_site_workers *all;
    pthread_t thread;
    char name[TV_STORE_WORKER_MOST + 1];
};

struct tv_site_workers {
    struct tv_site_workers_opts opts;
    struct tv_index_job usual; /* the part of a job that is the same for all */
    pthread_mutex_t lock;      /* guards the rest */
    pthread_cond_t changed;
    uint64_t wake_count; /* how often somebody said that there is a job */
    bool is_ending;
    uint64_t end_ns; /* while ending: when children are ended */
    unsigned started;
    pthread_t tidier;
    bool has_tidier;
    struct worker of[];
};

/* --- one job --- */

/* A job while a worker does it. */
struct doing {
    struct worker *worker;
    struct tv_job job;
    uint64_t renewed_ns;
    bool is_lost; /* somebody else has the job */
    bool is_told; /* to stop */
};

static int64_t lease_now(const struct tv_site_workers_opts *opts)
{
    return tv_store_now(opts->store, opts->now());
}

static bool is_to_stop(struct tv_site_workers *all)
{
    pthread_mutex_lock(&all->lock);
    bool stops = all->is_ending && tv_now_ns() >= all->end_ns;
    pthread_mutex_unlock(&all->lock);
    return stops;
}

/* Renews the lease if it is older than age_ns. False: the job is lost. A store that does not answer
 * may answer next time, so that is no loss. */
static bool renew(struct doing *doing, uint64_t age_ns)
{
    const struct tv_site_workers_opts *opts = &doing->worker->all->opts;
    const struct tv_store_db *db = &opts->store->db;
    uint64_t now_ns = opts->monotonic_ns();
    if (now_ns - doing->renewed_ns < age_ns)
        return true;
    enum tv_code code =
        db->renew_job(db->ctx, &doing->job.raw, doing->job.build, doing->job.mappings,
                      doing->worker->name, lease_now(opts), TV_SITE_LEASE_S, NULL);
    if (code == TV_OK)
        doing->renewed_ns = now_ns;
    doing->is_lost = code == TV_ERR_CONFLICT || code == TV_ERR_NOT_FOUND;
    return !doing->is_lost;
}

static bool goes_on(void *ctx)
{
    struct doing *doing = ctx;
    doing->is_told = is_to_stop(doing->worker->all);
    return !doing->is_told && renew(doing, RENEW_NS);
}

/* Tells the store how a try ended. If the store cannot be told, the lease lapses and the job is
 * done once more. */
static void end_job(struct doing *doing, enum tv_job_end end, unsigned tries, const char *reason)
{
    const struct tv_site_workers_opts *opts = &doing->worker->all->opts;
    const struct tv_store_db *db = &opts->store->db;
    /* Where this fails the lease lapses, and the job is done once more. */
    enum tv_code code =
        db->end_job(db->ctx, &doing->job.raw, doing->job.build, doing->job.mappings,
                    doing->worker->name, lease_now(opts), end, tries, NULL, reason, NULL);
    const bool is_bad = tv_job_end_state(&doing->job, end, tries) == TV_JOB_BAD;
    if (code == TV_OK && opts->ended)
        opts->ended(opts->ctx, &doing->job, is_bad ? TV_JOB_END_BAD : end);
}

/* Whether another child is to try. A mapping may be what is too much, so a trace that no child
 * could read with mappings is tried without. */
static bool is_worth_another(enum tv_index_job_end end, const struct tv_index_job_files *files)
{
    return end == TV_INDEX_JOB_FAILED || (end == TV_INDEX_JOB_REFUSED && files->mapping_count);
}

/* Runs children until one made an index, the file is to blame, or the worker is to stop. On success
 * the index is in `draft`. */
static enum tv_index_job_end run_children(struct doing *doing, struct tv_index_job_files *files,
                                          int draft, uint64_t index_most,
                                          struct tv_index_job_made *made, struct tv_error *err)
{
    struct tv_index_job job = doing->worker->all->usual;
    enum tv_index_job_end end = TV_INDEX_JOB_FAILED;
    job.index_most = index_most;
    job.goes_on = goes_on;
    job.ctx = doing;
    for (unsigned i = 0; i < TRIES && is_worth_another(end, files); i++) {
        if (i)
            files->mapping_count = 0;
        if (ftruncate(draft, 0) != 0 || lseek(draft, 0, SEEK_SET) != 0)
            return TV_INDEX_JOB_UNABLE;
        end = tv_index_job_run(&job, files, draft, made, err);
    }
    return end;
}

/* Tells the store what is known of the index before the job is done, so that who finds it done
 * finds that, too. */
static bool note_made(const struct doing *doing, const struct tv_index_job_made *made)
{
    const struct tv_store_db *db = &doing->worker->all->opts.store->db;
    const struct tv_hash *raw = &doing->job.raw;
    return (!made->map_id[0] ||
            db->note_map_id(db->ctx, raw, tv_str_from(made->map_id), NULL) == TV_OK) &&
           (!made->figures.is_known ||
            db->note_figures(db->ctx, raw, &made->figures, NULL) == TV_OK);
}

/* Where the rows cannot be made now, the next pass makes them. */
static void keep_rows(const struct doing *doing)
{
    const struct tv_site_workers_opts *opts = &doing->worker->all->opts;
    bool made = false;
    if (opts->rows &&
        tv_row_keeper_take(opts->rows, &doing->job, opts->now(), &made, NULL) == TV_OK && made &&
        opts->rowed)
        opts->rowed(opts->ctx, 1);
}

/* Keeps the index and ends the job. False: the store failed. A job that somebody else has is none
 * of this worker's any more, and no failure. */
static bool keep_index(struct doing *doing, int draft, const struct tv_index_job_made *made)
{
    const struct tv_site_workers_opts *opts = &doing->worker->all->opts;
    if (!renew(doing, 0))
        return true;
    if (!note_made(doing, made))
        return false;
    enum tv_code code = tv_store_keep_index(opts->store, draft, &doing->job, doing->worker->name,
                                            made->names, lease_now(opts), NULL);
    if (code == TV_OK && opts->ended)
        opts->ended(opts->ctx, &doing->job, TV_JOB_END_DONE);
    if (code == TV_OK)
        keep_rows(doing);
    return code == TV_OK || code == TV_ERR_CONFLICT || code == TV_ERR_NOT_FOUND;
}

/* Whether the disk is full. The child's word alone is not enough: a trace may have taken the child
 * over and let it say so, to be tried for ever. */
static bool is_full(int draft)
{
    return tv_file_room(draft) < FULL;
}

/* What the disk has for an index. Room was seen to for the share of each trace that was taken
 * (upload_row.c), and what is kept free is for these; an index that takes more leaves that. */
struct room {
    uint64_t share, most;
};

static struct room find_room(const struct tv_site_workers_opts *opts, int raw, int draft)
{
    const uint64_t left = tv_file_room(draft);
    struct room room = {.share = TV_SITE_INDEX_SHARE * tv_file_len_of(raw) + SHARE_LEAST};
    room.most = left > opts->keep_free ? left - opts->keep_free : 0;
    if (room.most < room.share)
        room.most = room.share < left ? room.share : left;
    if (room.most > opts->memory)
        room.most = opts->memory;
    return room;
}

/* The index took all of the room, and there may be more later. A trace that has not had its share
 * waits for that; one that takes more is tried a number of times. */
static void end_without_room(struct doing *doing, const struct room *room)
{
    char reason[TV_STORE_REASON_MOST + 1];
    (void)snprintf(reason, sizeof(reason),
                   "its index takes more than the %llu kB that the disk has left for it",
                   (unsigned long long)(room->most / 1000));
    end_job(doing, TV_JOB_END_PAUSED, room->most < room->share ? TV_JOB_ANY_TRIES : LAPSES, reason);
}

/* The MD5 of a raw file that came without it, which a thread computes beside the child. */
struct summing {
    pthread_t thread;
    int raw;
    char md5[33]; /* "": it could not be read */
    bool is_begun;
};

static void *sum_file(void *arg)
{
    struct summing *summing = arg;
    (void)tv_digest_md5_of(summing->raw, summing->md5);
    return NULL;
}

static void begin_sum(const struct doing *doing, int raw, struct summing *summing)
{
    const struct tv_store_db *db = &doing->worker->all->opts.store->db;
    bool lacks = false;
    *summing = (struct summing){.raw = raw};
    summing->is_begun = db->lacks_md5(db->ctx, &doing->job.raw, &lacks, NULL) == TV_OK && lacks &&
                        pthread_create(&summing->thread, NULL, sum_file, summing) == 0;
}

/* Where the store cannot be told, or no thread could be started, the trace has no link by its MD5,
 * until it is read again. */
static void end_sum(const struct doing *doing, struct summing *summing)
{
    const struct tv_store_db *db = &doing->worker->all->opts.store->db;
    if (!summing->is_begun)
        return;
    (void)pthread_join(summing->thread, NULL);
    if (summing->md5[0])
        (void)db->note_md5(db->ctx, &doing->job.raw, summing->md5, NULL);
}

/* Makes the index and ends the job, whatever happened. False: the store or the disk failed. */
static bool make_index(struct doing *doing, struct tv_index_job_files *files, int draft)
{
    struct tv_index_job_made made;
    struct summing summing;
    struct tv_error err = {.code = TV_OK};
    const uint64_t memory = doing->worker->all->opts.memory;
    const struct room room = find_room(&doing->worker->all->opts, files->raw, draft);
    begin_sum(doing, files->raw, &summing);
    const enum tv_index_job_end end = run_children(doing, files, draft, room.most, &made, &err);
    end_sum(doing, &summing);
    if (end == TV_INDEX_JOB_REFUSED && room.most < memory && tv_file_len_of(draft) >= room.most) {
        end_without_room(doing, &room);
        return true;
    }
    switch (end) {
    case TV_INDEX_JOB_DONE:
        if (keep_index(doing, draft, &made))
            return true;
        end_job(doing, TV_JOB_END_UNKEPT, 0, "the store was full or did not answer");
        return false;
    case TV_INDEX_JOB_REFUSED:
    case TV_INDEX_JOB_FAILED:
        end_job(doing, TV_JOB_END_BAD, 0, err.text);
        return true;
    case TV_INDEX_JOB_UNABLE:
        end_job(doing, TV_JOB_END_RETRY, is_full(draft) ? TV_JOB_ANY_TRIES : LAPSES, err.text);
        return false;
    case TV_INDEX_JOB_STOPPED:
        if (doing->is_told)
            end_job(doing, TV_JOB_END_RETRY, TV_JOB_ANY_TRIES, "the worker was stopped");
        return true;
    }
    return true;
}

static void close_mappings(struct tv_index_job_files *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)close(files->mapping_fds[i]);
    files->mapping_count = 0;
}

/* Opens the mappings of a job. Where one is missing none is tried, and the index has the names of
 * the file. */
static enum tv_code open_mappings(const struct doing *doing, struct tv_index_job_files *files)
{
    const struct tv_store_files *of = &doing->worker->all->opts.store->files;
    struct tv_str rest = tv_str_from(doing->job.mappings);
    struct tv_str name;
    enum tv_code code = TV_OK;
    while (rest.len && files->mapping_count < TV_COUNT_OF(files->mapping_fds) &&
           tv_str_split(&rest, ' ', &name)) {
        struct tv_hash hash = {.hex = {0}};
        uint64_t len;
        memcpy(hash.hex, name.at, name.len < sizeof(hash.hex) ? name.len : sizeof(hash.hex) - 1);
        code = of->open(of->ctx, &hash, &files->mapping_fds[files->mapping_count], &len, NULL);
        if (code != TV_OK)
            break;
        files->mapping_count++;
    }
    const size_t count = files->mapping_count;
    if (strlen(doing->job.mappings) + 1 != count * sizeof(struct tv_hash))
        close_mappings(files, count);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* Opens the files of a job and does it. False: the store or the disk failed, and the worker is to
 * rest. */
static bool do_job(struct doing *doing)
{
    const struct tv_store_files *files = &doing->worker->all->opts.store->files;
    struct tv_index_job_files of = {.raw_hash = doing->job.raw.hex,
                                    .mappings = doing->job.mappings};
    int draft;
    uint64_t len;
    enum tv_code code = files->open(files->ctx, &doing->job.raw, &of.raw, &len, NULL);
    if (code == TV_ERR_NOT_FOUND)
        end_job(doing, TV_JOB_END_BAD, 0, "its file is missing in the store");
    else if (code != TV_OK)
        end_job(doing, TV_JOB_END_RETRY, TV_JOB_ANY_TRIES, "its file could not be opened");
    if (code != TV_OK)
        return code == TV_ERR_NOT_FOUND;
    bool is_well = files->draft(files->ctx, &draft, NULL) == TV_OK;
    if (is_well) {
        is_well = open_mappings(doing, &of) == TV_OK;
        const size_t mapping_count = of.mapping_count;
        if (is_well)
            is_well = make_index(doing, &of, draft);
        else
            end_job(doing, TV_JOB_END_RETRY, TV_JOB_ANY_TRIES, "a mapping could not be opened");
        close_mappings(&of, mapping_count);
        (void)close(draft);
    } else {
        end_job(doing, TV_JOB_END_RETRY, TV_JOB_ANY_TRIES, "no file could be made for its index");
    }
    (void)close(of.raw);
    return is_well;
}

/* --- the life of a worker --- */

/* Waits until somebody says that there is a job, at most that many seconds. `seen` is the count of
 * wakes from before the store was asked, so that no wake is missed. */
static void wait_for_job(struct tv_site_workers *all, uint64_t seen, time_t seconds)
{
    const struct timespec until = tv_wait_until((uint64_t)seconds * TV_NS_PER_S);
    pthread_mutex_lock(&all->lock);
    int failure = 0;
    while (!all->is_ending && all->wake_count == seen && !failure)
        failure = pthread_cond_timedwait(&all->changed, &all->lock, &until);
    pthread_mutex_unlock(&all->lock);
}

/* Waits until it may be time to tidy. False: the workers end. */
static bool wait_to_tidy(struct tv_site_workers *all)
{
    const unsigned wait_s = all->opts.tidy_s < TV_SITE_HURRY_S ? all->opts.tidy_s : TV_SITE_HURRY_S;
    const struct timespec until = tv_wait_until(wait_s * TV_NS_PER_S);
    pthread_mutex_lock(&all->lock);
    int failure = 0;
    while (!all->is_ending && !failure)
        failure = pthread_cond_timedwait(&all->changed, &all->lock, &until);
    bool goes = !all->is_ending;
    pthread_mutex_unlock(&all->lock);
    return goes;
}

/* What is to be tidied now: everything every ten minutes, what was dropped within seconds, and all
 * that no row needs where the quota is nearly taken. */
enum tidying { TIDY_NOTHING, TIDY_DROPPED, TIDY_UNNEEDED, TIDY_ALL };

static enum tidying choose_tidying(const struct tv_site_workers_opts *opts, uint64_t tidied_ns)
{
    const struct tv_store_db *db = &opts->store->db;
    struct tv_file_sums sums;
    if (tv_passed_ns(tidied_ns, tv_now_ns()) >= opts->tidy_s * TV_NS_PER_S)
        return TIDY_ALL;
    if (db->sum_files(db->ctx, &sums, NULL) != TV_OK)
        return TIDY_NOTHING;
    if (opts->quota && sums.bytes > opts->quota - opts->quota / 10)
        return TIDY_UNNEEDED;
    return sums.has_dropped ? TIDY_DROPPED : TIDY_NOTHING;
}

static enum tv_code tidy_now(const struct tv_site_workers_opts *opts, enum tidying what,
                             struct tv_error *err)
{
    struct tv_store_gc done;
    if (what == TIDY_ALL)
        return tv_store_gc(opts->store, opts->now(), TV_STORE_GRACE, &done, err);
    if (what == TIDY_DROPPED)
        return tv_store_gc_dropped(opts->store, opts->now(), &done, err);
    uint64_t count;
    TV_TRY(opts->store->db.drop_replaced(opts->store->db.ctx, opts->build, lease_now(opts) - LEFT_S,
                                         &count, err));
    return tv_store_gc_files(opts->store, opts->now(), TV_SITE_HURRY_S, &done, err);
}

/* Takes over what a program of another version has left in the queue, some at a time. What fails is
 * tried again the next time. */
static void take_over(const struct tv_site_workers_opts *opts)
{
    const struct tv_store_db *db = &opts->store->db;
    enum tv_code code = TV_OK;
    for (unsigned i = 0; i < LEFT_MOST && code == TV_OK; i++) {
        const int64_t now = lease_now(opts);
        struct tv_job left;
        struct tv_job job;
        code = db->find_left_job(db->ctx, opts->build, now, LEFT_S, &left, NULL);
        if (code != TV_OK || !left.raw.hex[0])
            return;
        code = db->want_job(db->ctx, &left.raw, opts->build, left.mappings, true, now, &job, NULL);
        if (code == TV_ERR_CONFLICT) /* a mapping was deleted */
            code = db->want_job(db->ctx, &left.raw, opts->build, "", true, now, &job, NULL);
    }
}

/* Compares traces with rows. */
static enum tv_code tidy_rows(const struct tv_site_workers_opts *opts, struct tv_error *err)
{
    struct tv_row_pass pass;
    const enum tv_code code =
        tv_row_keeper_pass(opts->rows, opts->now(), TV_SITE_ROWS_MOST, &pass, err);
    if (pass.made && opts->rowed)
        opts->rowed(opts->ctx, pass.made);
    return code;
}

/* The thread that tidies the store. What fails is told, and done the next time, or by another
 * process. */
static void *tidy(void *arg)
{
    struct tv_site_workers *all = arg;
    const struct tv_site_workers_opts *opts = &all->opts;
    uint64_t tidied_ns = tv_now_ns();
    uint64_t rowed_ns = 0;
    bool rows_failed = false; /* their database is away: that is told once a minute */
    while (wait_to_tidy(all)) {
        struct tv_error err = {.code = TV_OK};
        const enum tidying what = choose_tidying(opts, tidied_ns);
        const bool rows_are_due =
            opts->rows && ((what == TIDY_DROPPED && !rows_failed) ||
                           tv_passed_ns(rowed_ns, tv_now_ns()) >= TV_SITE_ROWS_S * TV_NS_PER_S);
        enum tv_code code = TV_OK;
        take_over(opts);
        if (what == TIDY_NOTHING && !rows_are_due)
            continue;
        if (what == TIDY_ALL)
            tidied_ns = tv_now_ns();
        if (what != TIDY_NOTHING)
            code = tidy_now(opts, what, &err);
        if (rows_are_due) {
            rowed_ns = tv_now_ns();
            if (code == TV_OK)
                code = tidy_rows(opts, &err);
            rows_failed = code != TV_OK;
        }
        if (opts->tidied)
            opts->tidied(opts->ctx, code == TV_OK ? NULL : &err);
    }
    return NULL;
}

/* Reads the count of wakes. False: the workers end. */
static bool look_at_wakes(struct tv_site_workers *all, uint64_t *seen)
{
    pthread_mutex_lock(&all->lock);
    *seen = all->wake_count;
    bool goes = !all->is_ending;
    pthread_mutex_unlock(&all->lock);
    return goes;
}

/* A worker. Jobs are taken without a pause while there are any; when there is none, the store is
 * asked again after LOOK_S, and after REST_S when it failed. */
static void *work(void *arg)
{
    struct worker *worker = arg;
    struct tv_site_workers *all = worker->all;
    const struct tv_site_workers_opts *opts = &all->opts;
    const struct tv_store_db *db = &opts->store->db;
    uint64_t seen;
    while (look_at_wakes(all, &seen)) {
        struct doing doing = {.worker = worker, .renewed_ns = opts->monotonic_ns()};
        enum tv_code code = db->take_job(db->ctx, opts->build, worker->name, lease_now(opts),
                                         TV_SITE_LEASE_S, LAPSES, &doing.job, NULL);
        if (code == TV_OK && do_job(&doing))
            continue;
        wait_for_job(all, seen,
                     code != TV_ERR_NOT_FOUND ? REST_S
                     : db->watch_jobs         ? LOOK_WATCHED_S
                                              : LOOK_S);
    }
    return NULL;
}

/* --- all of them --- */

/* A site that is started by root reads uploads as another user; one that is not has no other user
 * to become. */
static enum tv_code find_user(const char *name, struct tv_index_job *usual, struct tv_error *err)
{
    char room[USER_ROOM];
    struct passwd entry;
    struct passwd *found = NULL;
    name = name[0] ? name : DEFAULT_USER;
    if (geteuid() != 0)
        return TV_OK;
    if (getpwnam_r(name, &entry, room, sizeof(room), &found) != 0 || !found)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "there is no user %s, whom what reads uploads would run as: name another",
                       name);
    usual->has_user = true;
    usual->user = found->pw_uid;
    usual->group = found->pw_gid;
    return TV_OK;
}

static unsigned threads_of_child(unsigned count)
{
    unsigned processors = tv_processor_count();
    return processors > count ? processors / count : 1;
}

/* Gives the workers names that no other process has: tokens are 128 random bits. */
static enum tv_code name_workers(struct tv_site_workers *all, struct tv_error *err)
{
    char token[TV_TOKEN_LEN + 1];
    TV_TRY(tv_token_make(token, err));
    for (unsigned i = 0; i < all->opts.count; i++) {
        all->of[i].all = all;
        (void)snprintf(all->of[i].name, sizeof(all->of[i].name), "%.16s-%u", token, i + 1);
    }
    return TV_OK;
}

/* Signals stay with the main thread, which waits for them. One worker is enough to go on; without
 * any the site says so. */
static enum tv_code start_threads(struct tv_site_workers *all, struct tv_error *err)
{
    sigset_t old;
    int failure = 0;
    tv_fault_hold_signals(&old);
    while (all->started < all->opts.count && !failure) {
        failure = pthread_create(&all->of[all->started].thread, NULL, work, &all->of[all->started]);
        all->started += !failure;
    }
    all->has_tidier = pthread_create(&all->tidier, NULL, tidy, all) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (all->started)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no worker can be started: %s",
                   strerror(failure));
}

static void init_waiting(struct tv_site_workers *all)
{
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)tv_wait_init(&all->changed);
}

/* The store is told to say nothing more before the workers are gone. */
static void watch(struct tv_site_workers *all, void (*changed)(void *arg))
{
    const struct tv_store_db *db = &all->opts.store->db;
    if (db->watch_jobs)
        db->watch_jobs(db->ctx, changed, all);
}

static void job_waits(void *arg)
{
    tv_site_workers_wake(arg);
}

static size_t size_of(unsigned count)
{
    return sizeof(struct tv_site_workers) + count * sizeof(struct worker);
}

/* Names of workers are made before threads are, since the store knows a worker by its name. */
enum tv_code tv_site_workers_start(struct tv_site_workers **workers,
                                   const struct tv_site_workers_opts *opts, struct tv_error *err)
{
    struct tv_site_workers *all;
    struct tv_index_job usual = {.alloc = opts->alloc,
                                 .pool = opts->pool,
                                 .memory = opts->memory,
                                 .seconds = opts->seconds,
                                 .thread_count = threads_of_child(opts->count)};
    *workers = NULL;
    TV_TRY(find_user(opts->user, &usual, err));
    TV_TRY(tv_alloc_new(opts->alloc, &all, size_of(opts->count), 1, err));
    all->opts = *opts;
    all->usual = usual;
    if (!all->opts.tidy_s)
        all->opts.tidy_s = TV_SITE_TIDY_S;
    if (!all->opts.monotonic_ns)
        all->opts.monotonic_ns = tv_now_ns;
    init_waiting(all);
    enum tv_code code = name_workers(all, err);
    if (code == TV_OK)
        code = start_threads(all, err);
    if (code == TV_OK)
        watch(all, job_waits);
    *workers = all;
    if (code != TV_OK) {
        tv_site_workers_stop(all, 0);
        *workers = NULL;
    }
    return code;
}

void tv_site_workers_wake(struct tv_site_workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->lock);
    workers->wake_count++;
    (void)pthread_cond_broadcast(&workers->changed); /* the tidying thread waits there, too */
    pthread_mutex_unlock(&workers->lock);
}

/* Workers end after what they are doing, or when the patience is over; then their children are
 * stopped, and the jobs come back when their leases run out. */
void tv_site_workers_stop(struct tv_site_workers *workers, uint64_t patience_ns)
{
    if (!workers)
        return;
    watch(workers, NULL);
    pthread_mutex_lock(&workers->lock);
    workers->is_ending = true;
    workers->end_ns = tv_now_ns() + patience_ns;
    (void)pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->started; i++)
        (void)pthread_join(workers->of[i].thread, NULL);
    if (workers->has_tidier)
        (void)pthread_join(workers->tidier, NULL);
    (void)pthread_cond_destroy(&workers->changed);
    (void)pthread_mutex_destroy(&workers->lock);
    const struct tv_alloc *alloc = workers->opts.alloc;
    size_t size = size_of(workers->opts.count);
    tv_alloc_release(alloc, &workers, size, 1);
}

/* --- the name of this build --- */

/* The hash of the program itself. Each start of a site waits for it. */
enum tv_code tv_site_build(char build[TV_SITE_BUILD_CAP], struct tv_error *err)
{
    char sha256[TV_DIGEST_SHA256_LEN + 1];
    uint64_t len;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool is_read = fd >= 0 && tv_digest_sha256_of(fd, sha256, &len);
    const int why = errno;
    if (fd >= 0)
        (void)close(fd);
    if (!is_read)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the program's own file: %s",
                       strerror(why));
    memcpy(build, sha256, TV_SITE_BUILD_CAP - 1);
    build[TV_SITE_BUILD_CAP - 1] = '\0';
    return TV_OK;
}
