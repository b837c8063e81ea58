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
#include "retrace/mapping_choice.h"
#include "store/store_db.h"

struct tv_index_job {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* for the check */
    uint64_t memory;            /* bytes of addresses that the child may have */
    uint64_t index_most;        /* bytes that the index may have */
    unsigned seconds;           /* for the child, of wall time */
    unsigned thread_count;      /* of the child */
    bool has_user;              /* the child runs as that user; this process is root */
    uid_t user;
    gid_t group;
    /* Asked at least once a second while the child runs; false ends the job. May be NULL. */
    bool (*goes_on)(void *ctx);
    void *ctx;
};

/* What an index is made of. */
struct tv_index_job_files {
    const char *raw_hash; /* SHA-256 in 64 digits */
    int raw;
    const char *mappings; /* struct tv_mapping_list; "": none */
    int mapping_fds[TV_STORE_MAPPINGS_MOST];
    size_t mapping_count; /* 0 though there is a list: none of it is tried */
};

/* What is known of an index that was made. */
struct tv_index_job_made {
    char map_id[TV_STORE_MAP_ID_MOST + 1]; /* that the methods have; "": none */
    struct tv_trace_figures figures;
    /* By which mapping the names are, in the words of tv_names_told; "": there was none to try. */
    char names[TV_STORE_REASON_MOST + 1];
};

enum tv_index_job_end {
    TV_INDEX_JOB_DONE,
    TV_INDEX_JOB_REFUSED, /* the file is to blame: another try would end the same way */
    TV_INDEX_JOB_FAILED,  /* the file seems to blame, but another try may do better */
    TV_INDEX_JOB_UNABLE,  /* the system refused something: the file is not to blame */
    TV_INDEX_JOB_STOPPED,
};

/*
 * Makes the index of a raw file, with the names of the mapping that fits, into the empty file
 * `draft`, and checks it. *err has the reason of an end that is not DONE; it is one line of valid
 * UTF-8. All descriptors are the caller's. Any number of threads may run jobs at once.
 */
enum tv_index_job_end tv_index_job_run(const struct tv_index_job *job,
                                       const struct tv_index_job_files *files, int draft,
                                       struct tv_index_job_made *made, struct tv_error *err);

/* The identity that the index of that raw file with these mappings bears: the first half of its
 * hash, and a sum of their names. */
struct tv_saved_source tv_index_job_source(const char *raw_hash, const char *mappings);

/* Words for how a mapping was chosen, by enum tv_choice_by: in that reason, and in answers. */
extern const char *const tv_names_ways[];

/* What the reason of a done job says of the names. */
struct tv_names_told {
    enum tv_choice_by by;
    bool is_failed;      /* no index could be made with mappings: the names are those of the file */
    struct tv_hash file; /* of the mapping; empty where none is taken */
    uint64_t renamed, asked, known; /* methods, as in struct tv_mapping_choice */
};
/* False: nothing is said, since there was no mapping to try. */
bool tv_names_told_read(const char *reason, struct tv_names_told *told);

#endif
