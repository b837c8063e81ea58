/* The struct of site/stored/stored.h, for the files that answer by it. */
#ifndef TV_SITE_STORED_STORED_CACHE_H
#define TV_SITE_STORED_STORED_CACHE_H

#include <pthread.h>

#include "analysis/lean/lean.h"
#include "served/download.h"
#include "site/stored/far_indexes.h"
#include "site/stored/stored.h"

struct tv_stored {
    struct tv_stored_opts opts;
    struct tv_downloads downloads;
    struct tv_lean_cache leans; /* of open indexes */
    pthread_mutex_t lock;       /* guards the rest */
    pthread_cond_t opened;
    struct tv_stored_index *first; /* in no order */
    struct tv_far_indexes fars;    /* with a lock of its own */
    unsigned waiting_count;        /* threads that wait for those */
    uint64_t open_count;
    uint64_t used_no;
    struct tv_stored_counts counts;
};

/* Answers that the index or the file cannot be had: now, or at all. */
void tv_stored_refuse(struct tv_http_response *response, const struct tv_error *err);

#endif
