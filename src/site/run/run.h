/* A site from its start to its end: the store, the workers, the server, signals. */
#ifndef TV_SITE_RUN_RUN_H
#define TV_SITE_RUN_RUN_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "site/config/config.h"

struct tv_site_run_opts {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    const struct tv_site_config *config;
    const char *version;
    /* The site answers: the address of its start page, or NULL where this process has workers
     * alone. */
    void (*listening)(void *ctx, const char *url);
    /* What whoever starts the site should know, in one line. */
    void (*noted)(void *ctx, const char *text);
    void *ctx;
};

/*
 * Runs until SIGINT or SIGTERM, which let what is under way come to its end (stop-patience); a
 * second one does not wait. SIGHUP opens the access log anew.
 */
enum tv_code tv_site_run(const struct tv_site_run_opts *opts, struct tv_error *err) TV_MUST_CHECK;
/* What the settings leave open and the store knows, for whoever checks them: which traces are of
 * projects that the file of projects does not have. Looks at the store, where there is one, and
 * changes nothing; what it finds is noted, and so is why it cannot look. */
void tv_site_check(const struct tv_site_run_opts *opts);

#endif
