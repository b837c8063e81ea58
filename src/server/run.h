/*
 * The local viewer from start to end: it listens, loads traces at the same time, watches the files
 * of those that are open, and ends on a signal, or soon after the last page was closed.
 */
#ifndef TV_SERVER_RUN_H
#define TV_SERVER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "index/index.h"
#include "os/file/spool.h"
#include "server/loader.h"

/* How long after the last event stream closed the viewer ends. A reload of the page closes its
 * stream and opens another, so the time is longer than a reload takes. */
#define TV_VIEWER_PATIENCE_NS 5000000000u

/* The address of the first of the files beside the one that the viewer begins with. */
#define TV_VIEWER_OTHERS 2u

enum tv_viewer_life { TV_VIEWER_UNTIL_CLOSED, TV_VIEWER_UNTIL_SIGNAL };

struct tv_viewer_opts {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    const char *name; /* the file to begin with, "-" for standard input; NULL: the start page */
    /* A file without a name to begin with instead, whose label `name` is then; the viewer takes its
     * bytes over. NULL: there is none. */
    struct tv_spool *spool;
    /* Files that are opened beside the first one, at the addresses of numbers TV_VIEWER_OTHERS and
     * following: those that it is compared with, and more runs of its own side. */
    const char *const *others;
    size_t other_count; /* less than TV_TRACES_MOST */
    uint16_t port;      /* 0: a free one */
    enum tv_viewer_life life;
    tv_load_fn load;
    tv_save_fn save; /* may be NULL */
    /* Called once the viewer listens, with the address of the page, and the one to start a browser
     * with: it leads to the page once. */
    void (*listening)(void *ctx, const char *url, const char *entry_url, uint16_t port);
    /* Called on the main thread when the whole of a trace is shown. */
    void (*loaded)(void *ctx, const char *name, const struct tv_index *index);
    void *ctx;                         /* of `listening` and `loaded` */
    void *load_ctx[TV_TRACES_LOADERS]; /* of `load` and `save`, one for each thread that loads */
};

/* Returns when the viewer has ended. It fails where it cannot listen, or where the file that it
 * began with cannot be read. A signal in the middle of a long load ends the program, with status 0.
 */
enum tv_code tv_viewer_run(const struct tv_viewer_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
