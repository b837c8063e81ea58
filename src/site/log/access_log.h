/*
 * The access log: an object of JSON a line for each request, and for what went wrong in the site
 * itself. It has no secret in it: of the target the pattern of its route alone, and of the id in
 * it, which is all that it takes to see a trace, a few digits of its SHA-256. Any number of
 * threads.
 */
#ifndef TV_SITE_LOG_ACCESS_LOG_H
#define TV_SITE_LOG_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "os/waits.h"
#include "site/config/address.h"
#include "site/log/metrics.h"

struct tv_access_log;

/* `where` is "stderr", "none" or a path. No write waits: lines for which there is no room are
 * counted in `metrics`, and the next line that is written is one that says how many they were. */
enum tv_code tv_access_log_open(struct tv_access_log **log, const struct tv_alloc *alloc,
                                const char *where, struct tv_metrics *metrics,
                                struct tv_error *err) TV_MUST_CHECK;
void tv_access_log_close(struct tv_access_log *log);
/* Opens the file again by its name, once the old one was moved away. Where that fails, the old one
 * is kept. */
enum tv_code tv_access_log_reopen(struct tv_access_log *log, struct tv_error *err) TV_MUST_CHECK;

struct tv_access {
    uint64_t now_ms; /* when the request was over, since 1970 */
    const char *method;
    const char *route; /* its pattern, "/trace/{id}/"; NULL: no route has the target */
    struct tv_str id;  /* in the target; it may be empty */
    int status;        /* 0: there was no answer */
    bool is_whole;     /* the client got all of the answer */
    uint64_t received; /* bytes of bodies */
    uint64_t sent;
    uint64_t ns;
    struct tv_waits waits; /* the parts of `ns` that were waits; logged for slow requests only */
    struct tv_address client;
    struct tv_str user; /* it may be empty */
    const char *right;  /* by which the request changed a trace; NULL: it did not */
};

void tv_access_log_write(struct tv_access_log *log, const struct tv_access *access);
/* Tells the site's owner of a failure that is the site's own. At most ten a minute are written,
 * and how many were not. */
void tv_access_log_error(struct tv_access_log *log, uint64_t now_ms, const char *what,
                         const struct tv_error *failure);

#endif
