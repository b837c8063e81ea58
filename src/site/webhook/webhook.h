/*
 * The webhook of a site: a thread of each process with workers. It judges builds when rows have
 * come (site/webhook/build_judge.h), and sends what is due (site/webhook/signed_hook.h). Deliveries
 * are rows of the store, each taken by one process for a while, so that any number of processes
 * send it once; a process that ends between sending and noting it lets it be sent again, with the
 * same id.
 */
#ifndef TV_SITE_WEBHOOK_WEBHOOK_H
#define TV_SITE_WEBHOOK_WEBHOOK_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "fleet/rows_db.h"
#include "site/config/config.h"
#include "store/store.h"

struct tv_webhook_opts {
    const struct tv_alloc *alloc;
    const struct tv_site_config *config; /* with a webhook; outlives the thread, as all here */
    struct tv_store *store;
    const struct tv_fleet_db *rows;
    int64_t (*now)(void);
    /* Something failed; `what` says what was done. Called on the thread; may be NULL. */
    void (*failed)(void *ctx, const char *what, const struct tv_error *failure);
    void *ctx;
};

struct tv_webhook;

enum tv_code tv_webhook_start(struct tv_webhook **webhook, const struct tv_webhook_opts *opts,
                              struct tv_error *err) TV_MUST_CHECK;
/* Rows have come: builds are judged soon. Any thread; NULL is fine. */
void tv_webhook_rows_came(struct tv_webhook *webhook);
/* How long after a judgement builds are not judged again, although rows have come. The judgement
 * took `took_ns`; the last `failed_count` judgements have failed. */
uint64_t tv_webhook_pause_ns(uint64_t took_ns, unsigned failed_count);
/* Ends, at most ten seconds after a request that is under way began. NULL is fine. */
void tv_webhook_stop(struct tv_webhook *webhook);

#endif
