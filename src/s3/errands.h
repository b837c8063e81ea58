/*
 * Threads that do for others what these may not do, or may not wait for: threads that answer run in
 * a Landlock domain in which no connection can be made (os/sandbox/landlock.h), so whoever starts
 * errands does it before that. Each thread keeps a connection of its own.
 *
 * Some errands are bulky, and take long: a few threads are left to the others, so that a small
 * request does not wait behind large ones. Others are local, as is a file that is opened: threads
 * of their own do these, also while the server is away.
 */
#ifndef TV_S3_ERRANDS_H
#define TV_S3_ERRANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

#define TV_S3_THREADS 8u
#define TV_S3_BULKY_MOST 6u
#define TV_S3_LOCAL_THREADS 2u

struct tv_errands;
struct tv_libcurl;

/* What one thread has: a handle of libcurl (os/network/libcurl.h), which keeps its connection. */
struct tv_s3_line {
    const struct tv_libcurl *libcurl;
    void *curl;
};

/* Lives until it is done. */
struct tv_errand {
    void (*run)(void *ctx, const struct tv_s3_line *line);
    void *ctx;
    bool is_bulky;
    bool is_local; /* it asks nobody, and does not wait behind those that do */
    /* The threads' own. */
    bool is_done;
    struct tv_errand *next;
};

/* TV_ERR_UNSUPPORTED: libcurl is not installed. */
enum tv_code tv_errands_start(struct tv_errands **errands, const struct tv_alloc *alloc,
                              struct tv_error *err) TV_MUST_CHECK;
/* None is under way. NULL is fine. */
void tv_errands_stop(struct tv_errands *errands);

/* Gives an errand to the threads. */
void tv_errands_give(struct tv_errands *errands, struct tv_errand *errand);
/* Waits until it is done. */
void tv_errands_await(struct tv_errands *errands, const struct tv_errand *errand);
/* Both. */
void tv_errands_run(struct tv_errands *errands, struct tv_errand *errand);

#endif
