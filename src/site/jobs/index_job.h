/*
 * One index job: a child makes the index of a raw file (site/jobs/index_child.h), and what it made
 * is checked in full, since a child that was taken over by its trace may have written anything.
 */
#ifndef TV_SITE_JOBS_INDEX_JOB_H
#define TV_SITE_JOBS_INDEX_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/saved/saved.h"

struct tv_index_job {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* for the check */
    uint64_t memory;            /* bytes of addresses that the child may have */
    unsigned seconds;           /* for the child, of wall time */
    unsigned thread_count;      /* of the child */
    bool has_user;              /* the child runs as that user; this process is root */
    uid_t user;
    gid_t group;
    /* Asked at least once a second while the child runs; false ends the job. May be NULL. */
    bool (*goes_on)(void *ctx);
    void *ctx;
};

enum tv_index_job_end {
    TV_INDEX_JOB_DONE,
    TV_INDEX_JOB_REFUSED, /* the file is to blame: another try would end the same way */
    TV_INDEX_JOB_FAILED,  /* the file seems to blame, but another try may do better */
    TV_INDEX_JOB_UNABLE,  /* the system refused something: the file is not to blame */
    TV_INDEX_JOB_STOPPED,
};

/*
 * Makes the index of the file `raw`, whose SHA-256 in 64 digits is `raw_hash`, into the empty file
 * `draft`, and checks it. *err has the reason of an end that is not DONE; it is one line of valid
 * UTF-8. Both descriptors are the caller's. Any number of threads may run jobs at once.
 */
enum tv_index_job_end tv_index_job_run(const struct tv_index_job *job, const char *raw_hash,
                                       int raw, int draft, struct tv_error *err);

/* The identity that the index of that raw file bears: the first half of its hash. */
struct tv_saved_source tv_index_job_source(const char *raw_hash);

#endif
