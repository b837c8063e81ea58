/*
 * The local viewer from start to end: listens, loads meanwhile, watches the file that it shows,
 * ends on a signal, or soon after the page was closed.
 */
#ifndef TV_SERVER_RUN_H
#define TV_SERVER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/pool.h"
#include "index/index.h"
#include "server/loader.h"

/* How long after the last event stream closed the viewer ends: longer than a reload takes. */
#define TV_VIEWER_PATIENCE_NS 5000000000u

enum tv_viewer_life { TV_VIEWER_UNTIL_CLOSED, TV_VIEWER_UNTIL_SIGNAL };

struct tv_viewer_opts {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    const char *name; /* of the file to begin with, "-" for standard input; NULL: the start page */
    uint16_t port;    /* 0: a free one */
    enum tv_viewer_life life;
    tv_load_fn load;
    tv_save_fn save; /* may be NULL */
    /* Called once it listens, with the address of the page. */
    void (*listening)(void *ctx, const char *url, uint16_t port);
    /* Called when a trace is there as a whole. */
    void (*loaded)(void *ctx, const char *name, const struct tv_index *index);
    void *ctx;
};

/* Returns when the viewer has ended; the failure is that of listening, or of the file that it began
 * with. Where it is to end in the middle of a long load, it ends the program. */
enum tv_code tv_viewer_run(const struct tv_viewer_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
