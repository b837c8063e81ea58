/*
 * The workers of a site: threads that take jobs from the store and make indexes, each with a child
 * in a sandbox (site/jobs/index_job.h). Any number of processes on any number of machines may have
 * workers of one store: a job is a row that is taken with a lease, and taken by somebody else when
 * the lease lapses, so whoever is killed costs a lease's time and nothing else.
 *
 * How a job ends:
 *
 * - its index is kept, and checked before: whoever reads the row of a done job may believe the
 *   index that it names, as long as its checksums are true;
 * - the child refuses the file with a reason: the job is bad at once, since the same bytes would be
 *   refused again;
 * - the child crashes, runs out of memory or time, or writes what is no index: one more try, and
 *   then the job is bad;
 * - the store or the disk fails: the job is queued again, and this worker waits a while;
 * - the index takes more than the disk has left for it: nobody takes the job for a minute, so that
 *   others get in, and not for ever where it takes more than its share (TV_SITE_INDEX_SHARE);
 * - the worker is told to stop: the job is queued again at once.
 *
 * A job whose lease has lapsed often is bad, too: its file may be what ends servers.
 *
 * Where there are workers, one more thread tidies the store now and then (tv_store_gc): what has
 * expired is dropped, and files that nothing needs are removed. Files of what was deleted go within
 * seconds; where nine tenths of the quota are taken, so do those that were claimed and never
 * named, which have a day otherwise.
 */
#ifndef TV_SITE_JOBS_WORKERS_H
#define TV_SITE_JOBS_WORKERS_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "site/jobs/row_keeper.h"
#include "store/store.h"

/* Seconds until a job of a worker that was killed is taken by another one. */
#define TV_SITE_LEASE_S 10

/* Bytes of an index for each byte of the file: 1.0 to 1.7 of real traces, 3 to 4 of packed ones. An
 * upload is taken only where the disk has room for an index of this share. */
#define TV_SITE_INDEX_SHARE 2u

/* How often the store is tidied. */
#define TV_SITE_TIDY_S 600
/* How often workers check whether the quota is nearly used up, and how old the files are that are
 * removed then. */
#define TV_SITE_HURRY_S 5

/* How often traces and rows are compared; of how many traces rows are made each time. */
#define TV_SITE_ROWS_S 60
#define TV_SITE_ROWS_MOST 1000u

struct tv_site_workers_opts {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* for the checks of indexes */
    struct tv_store *store;
    const char *build;    /* tv_saved_name of its indexes; outlives the workers */
    unsigned count;       /* jobs at a time; at least 1 */
    uint64_t memory;      /* bytes that a child may have */
    unsigned seconds;     /* that a child may take */
    const char *user;     /* whom children run as where this process is root; "": nobody */
    int64_t (*now)(void); /* seconds since 1970 */
    /* A clock that never jumps, by which leases are renewed; NULL: tv_now_ns. */
    uint64_t (*monotonic_ns)(void);
    const struct tv_row_keeper *rows; /* NULL: no trace counts; outlives the workers */
    /* The rows of `count` traces were made. Called on a thread of the workers; may be NULL. */
    void (*rowed)(void *ctx, uint64_t count);
    uint64_t quota;     /* bytes of the store; 0: no limit */
    uint64_t keep_free; /* bytes of the disk that an index leaves which takes more than its share */
    unsigned tidy_s;    /* between two times of tidying; 0: TV_SITE_TIDY_S */
    /* A job ended, well or not, or is to be tried again. Called on a worker's thread;
     * may be NULL. */
    void (*ended)(void *ctx, const struct tv_job *job, enum tv_job_end end);
    /* The store was tidied; `failure` is NULL, or says why it was not. Called on the thread that
     * tidies; may be NULL. */
    void (*tidied)(void *ctx, const struct tv_error *failure);
    void *ctx;
};

struct tv_site_workers;

/* TV_ERR_NOT_FOUND: there is no such user. */
enum tv_code tv_site_workers_start(struct tv_site_workers **workers,
                                   const struct tv_site_workers_opts *opts,
                                   struct tv_error *err) TV_MUST_CHECK;
/* A job was queued by this process; those of others are found within a second. NULL is fine. */
void tv_site_workers_wake(struct tv_site_workers *workers);
/* Takes no more jobs, waits `patience_ns` for those under way, then ends their children and queues
 * them again. NULL is fine. */
void tv_site_workers_stop(struct tv_site_workers *workers, uint64_t patience_ns);

/* The name of this build of the program, by which its answers are told from those of other builds:
 * digits of the SHA-256 of its file. */
#define TV_SITE_BUILD_CAP 17u
enum tv_code tv_site_build(char build[TV_SITE_BUILD_CAP], struct tv_error *err) TV_MUST_CHECK;

#endif
