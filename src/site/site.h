/*
 * The site: a service (http/service.h) that answers from a store. One struct, made at the start of
 * `traceview serve`; it keeps nothing but caches and counts, so that any number of processes may
 * serve one store.
 *
 * A request finds its row in the table of routes (site/answer/routes.h), is held against the rules
 * of site/request/admission.h, and is answered by the function of its row. Bytes that are uploaded
 * pass site/upload/body_receiver.h on their way into the store.
 *
 * Whoever knows the id of a trace may see it, whoever knows its owner token may change it. There
 * are no cookies, so no other site's page can make a browser change anything.
 */
#ifndef TV_SITE_SITE_H
#define TV_SITE_SITE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/memory/pool.h"
#include "http/service.h"
#include "site/config/config.h"
#include "site/document/static_files.h"
#include "store/store.h"

struct tv_access_log;
struct tv_fleet_db;
struct tv_site_events;
struct tv_metrics;
struct tv_rates;
struct tv_site_workers;
struct tv_stored;
struct tv_body_receiver;

struct tv_site {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* NULL: one thread */
    const struct tv_site_config *config;
    struct tv_store *store;
    struct tv_stored *stored;       /* answers from indexes */
    const struct tv_fleet_db *rows; /* of all traces; NULL: none are kept */
    /* Both may be set while requests are answered. NULL: other processes make indexes, or the
     * workers have not started yet. */
    struct tv_site_workers *_Atomic workers;
    struct tv_httpd *_Atomic httpd; /* for the count of connections */
    atomic_bool is_untidy;          /* the store could not be tidied the last time */
    struct tv_rates *rates;
    struct tv_metrics *metrics;
    struct tv_access_log *log;
    const char *version; /* of the program */
    const char *machine; /* the machine's name, by which clients reach a site that listens on all
                            addresses; NULL: unknown */
    const char *build;   /* the version of this program's indexes (index/saved/saved.h) */
    const char *sample;  /* the id of the bundled example; "": there is none */
    /* Seconds since 1970 by the clock of the system, which may jump; tests give one of their own.
     */
    int64_t (*now)(void);

    /* The fields below are the site's own, and zero at first. */
    struct tv_document_files files; /* of the pages */
    pthread_mutex_t lock;
    struct tv_body_receiver *receivers; /* uploads under way, in a list */
    struct tv_site_events *events;      /* of traces that are processed */
};

/* Begins. The caller has set all fields but the site's own. */
enum tv_code tv_site_init(struct tv_site *site, struct tv_error *err) TV_MUST_CHECK;
/* To be called when no request is under way any more. */
void tv_site_release(struct tv_site *site);
struct tv_http_service tv_site_service(struct tv_site *site);
/* Notes how fast clients are; the main thread calls it from time to time. */
void tv_site_tick(struct tv_site *site);
/* The state of the jobs of a raw file has changed: pages that wait for one are told. `raw` NULL: of
 * any. Any thread. */
void tv_site_job_changed(struct tv_site *site, const struct tv_hash *raw);

/* How many seconds traces of a build wait without a worker until the site reports it. */
#define TV_SITE_UNSERVED_S 60

/* Seconds since 1970. */
int64_t tv_site_clock(void);

#endif
