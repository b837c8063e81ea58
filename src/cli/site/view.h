/* The viewer of a file, for verbs that come to one. */
#ifndef TV_CLI_SITE_VIEW_H
#define TV_CLI_SITE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "os/file/spool.h"

struct tv_view_options {
    bool no_browser;
    bool app;
    uint64_t port;
    const char *sandbox; /* of tv_sandbox_words; NULL: as usual */
};

/* What is shown. */
struct tv_view_of {
    const char *name;          /* of a file; NULL: the start page */
    const char *const *others; /* files that are opened beside it, where `name` is one */
    size_t other_count;
    struct tv_spool *spool; /* its bytes, which the viewer takes over; NULL: they are in the file */
    const char *view;       /* what the page shows of the file, "#...", or "" */
};

/* Shows the trace until the viewer ends. Returns a status. */
int tv_view(const struct tv_cli *cli, const struct tv_view_options *options,
            const struct tv_view_of *of);

#endif
