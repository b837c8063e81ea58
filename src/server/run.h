/*
 * The local viewer from start to end: listens, loads meanwhile, ends on a signal, or soon after the
 * page was closed.
 */
#ifndef TV_SERVER_RUN_H
#define TV_SERVER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <traceview/alloc.h>
#include <traceview/error.h>
#include <traceview/pool.h>

#include "base/compiler.h"
#include "base/str.h"
#include "index/index.h"

/* How long after the last event stream closed the viewer ends: longer than a reload takes. */
#define TV_VIEWER_PATIENCE_NS 5000000000u

enum tv_viewer_life { TV_VIEWER_UNTIL_CLOSED, TV_VIEWER_UNTIL_SIGNAL };

struct tv_viewer_opts {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_str file; /* the file's name, as told to the user */
    uint16_t port;      /* 0: a free one */
    enum tv_viewer_life life;
    /* Builds the index, on a thread of its own; `tell` is as in struct tv_build_opts. */
    enum tv_code (*load)(void *ctx, struct tv_index *index,
                         bool (*tell)(void *tell_ctx, uint64_t done, uint64_t of), void *tell_ctx,
                         struct tv_error *err);
    /* Called once it listens, with the address of the page. */
    void (*listening)(void *ctx, const char *url, uint16_t port);
    /* Called once the index is there. */
    void (*loaded)(void *ctx, const struct tv_index *index);
    void *ctx;
};

/* Returns when the viewer has ended; the failure is that of listening or of loading. */
enum tv_code tv_viewer_run(const struct tv_viewer_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
