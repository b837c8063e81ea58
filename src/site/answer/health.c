/*
 * Answers to what watches over a site; see site/answer/health.h.
 *
 * /healthz says that the process answers, and nothing else, so that a store that is slow does not
 * get the process restarted. /readyz asks the database and writes a few bytes, as an upload would.
 * Metrics are only for the addresses that the configuration names.
 */
#include "site/answer/health.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "http/httpd.h"
#include "site/log/metrics.h"
#include "site/stored/stored.h"

#define CLOCKS_APART_S 5
#define TEXT "text/plain; charset=utf-8"

void tv_site_is_alive(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    (void)context;
    tv_http_say(response, 200, TEXT, "ok\n");
}

/* Cheap however large the store is: probes come every few seconds. */
static enum tv_code ask_database(const struct tv_site *site, struct tv_error *err)
{
    const struct tv_store_db *db = &site->store->db;
    struct tv_file_sums sums;
    return db->sum_files(db->ctx, &sums, err);
}

static enum tv_code ask_sums(const struct tv_site *site, struct tv_store_sums *sums,
                             struct tv_error *err)
{
    const struct tv_trace_row nobody = {.bytes = 0};
    const struct tv_store_db *db = &site->store->db;
    *sums = (struct tv_store_sums){.traces = 0};
    return db->sums(db->ctx, TV_QUOTA_STORE, &nobody, sums, err);
}

/* Traces are shown all the same, so this is told and no failure of the site. */
static bool refuses_uploads(const struct tv_site *site)
{
    uint64_t free_bytes;
    return !site->config->archive && tv_store_free_bytes(site->store, &free_bytes, NULL) == TV_OK &&
           free_bytes < site->config->keep_free;
}

/* Writes a draft and lets it go: what an upload begins with. */
static enum tv_code try_writing(const struct tv_site *site, struct tv_error *err)
{
    struct tv_arrival arrival;
    if (site->config->archive)
        return TV_OK;
    TV_TRY(tv_arrival_begin(&arrival, site->store, TV_DIGEST_SHA256, err));
    enum tv_code code = tv_arrival_write(&arrival, "ready", 5, err);
    tv_arrival_release(&arrival);
    return code;
}

/* Asks for a file that nobody has: where files are in a bucket, that the bucket answers. */
static enum tv_code ask_files(const struct tv_site *site, struct tv_error *err)
{
    const struct tv_store_files *files = &site->store->files;
    struct tv_hash name = {""};
    struct tv_error reason;
    uint64_t len;
    memset(name.hex, '0', sizeof(name.hex) - 1);
    enum tv_code code = files->len(files->ctx, &name, &len, &reason);
    if (code == TV_OK || code == TV_ERR_NOT_FOUND)
        return TV_OK;
    *err = reason;
    return code;
}

/* A site without workers of its build takes uploads that nobody ever sees, so this is told. */
static void say_unserved(const struct tv_request_context *context, struct tv_buffer *body)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_unserved unserved;
    char text[192];
    const int64_t now = tv_store_now(context->site->store, context->now);
    if (context->site->config->archive) /* it shows what is there, and has no worker */
        return;
    if (db->find_unserved(db->ctx, now, TV_SITE_UNSERVED_S, &unserved, NULL) != TV_OK ||
        !unserved.jobs)
        return;
    int len = snprintf(
        text, sizeof(text),
        "no worker for indexes of version %s takes its traces: %llu wait, the oldest for %lld "
        "s\n",
        unserved.build, (unsigned long long)unserved.jobs, (long long)(now - unserved.oldest));
    /* Without memory for the line the rest is told. */
    if (tv_buffer_append(body, text, (size_t)len, NULL) != TV_OK)
        return;
}

static void say_ahead(const char *whose, int64_t ahead_s, struct tv_buffer *body)
{
    char text[128];
    if (ahead_s >= -CLOCKS_APART_S && ahead_s <= CLOCKS_APART_S)
        return;
    int len = snprintf(text, sizeof(text), "the clock of this machine is %lld s %s that of %s\n",
                       (long long)(ahead_s > 0 ? ahead_s : -ahead_s),
                       ahead_s > 0 ? "ahead of" : "behind", whose);
    /* Without memory for the line the rest is told. */
    if (tv_buffer_append(body, text, (size_t)len, NULL) != TV_OK)
        return;
}

/* What is claimed, is made or expires is by the clock of this machine, and a bucket refuses
 * requests of another time than its own. */
static void say_clocks(const struct tv_site *site, struct tv_buffer *body)
{
    const struct tv_store_clocks clocks = tv_store_compare_clocks(site->store, site->now);
    say_ahead("the database's server", clocks.database_s, body);
    say_ahead("the bucket's server", clocks.files_s, body);
}

/* The queue is told, and no reason to be taken for not ready: it is fair by client, so a long one
 * is mostly somebody's own. */
static void say_ready(const struct tv_request_context *context, struct tv_http_response *response)
{
    const struct tv_site *site = context->site;
    struct tv_httpd *httpd = site->httpd;
    char text[256] = "ready\n";
    if (httpd) {
        const struct tv_httpd_counts counts = tv_httpd_counts(httpd);
        (void)snprintf(
            text, sizeof(text), "ready\nwaiting answers: %llu\noldest wait: %llu ms\n%s%s",
            (unsigned long long)counts.waiting,
            (unsigned long long)(counts.waited_ns / TV_NS_PER_MS),
            atomic_load(&site->is_untidy) ? "the store could not be tidied\n" : "",
            refuses_uploads(site) ? "the disk is nearly full: uploads are refused\n" : "");
    }
    if (tv_buffer_append(&response->owned, text, strlen(text), NULL) != TV_OK) {
        tv_http_say(response, 200, TEXT, "ready\n");
        return;
    }
    say_unserved(context, &response->owned);
    say_clocks(site, &response->owned);
    tv_http_send(response, 200, TEXT, "no-store");
}

void tv_site_is_ready(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    if (ask_database(context->site, &context->trouble) != TV_OK) {
        tv_http_say(response, 503, TEXT, "the database does not answer\n");
        tv_http_add(response, "Retry-After", TV_REQUEST_RETRY_S);
    } else if (ask_files(context->site, &context->trouble) != TV_OK) {
        tv_http_say(response, 503, TEXT, "the files of the store cannot be reached\n");
        tv_http_add(response, "Retry-After", TV_REQUEST_RETRY_S);
    } else if (try_writing(context->site, &context->trouble) != TV_OK) {
        tv_http_say(response, 503, TEXT, "the store takes no bytes\n");
        tv_http_add(response, "Retry-After", TV_REQUEST_RETRY_S);
    } else {
        say_ready(context, response);
    }
}

/* What cannot be told is 0 rather than a failure: metrics are asked for most when something is
 * broken. */
static void fill_gauges(const struct tv_site *site, const struct tv_store_sums *sums,
                        struct tv_gauges *gauges)
{
    const struct tv_store_db *db = &site->store->db;
    struct tv_unserved unserved;
    struct tv_httpd *httpd = site->httpd;
    *gauges = (struct tv_gauges){.traces = sums->traces,
                                 .trace_bytes = sums->trace_bytes,
                                 .files = sums->files,
                                 .file_bytes = sums->file_bytes,
                                 .open_uploads = sums->uploads,
                                 .queued_jobs = sums->jobs[TV_JOB_QUEUED],
                                 .taken_jobs = sums->jobs[TV_JOB_TAKEN]};
    if (!site->config->archive && db->find_unserved(db->ctx, tv_store_now(site->store, site->now()),
                                                    TV_SITE_UNSERVED_S, &unserved, NULL) == TV_OK)
        gauges->unserved_jobs = unserved.jobs;
    if (tv_store_free_bytes(site->store, &gauges->free_bytes, NULL) != TV_OK)
        gauges->free_bytes = 0;
    if (site->stored)
        gauges->open_indexes = tv_stored_count(site->stored).open;
    if (httpd) {
        const struct tv_httpd_counts counts = tv_httpd_counts(httpd);
        gauges->connections = counts.open;
        gauges->waiting_answers = counts.waiting;
        gauges->waited_ns = counts.waited_ns;
        gauges->late_answers = counts.late;
    }
}

/* What all processes did; 0 where the store does not tell. */
static void fill_wide(const struct tv_site *site, struct tv_gauges *gauges)
{
    const struct tv_store_db *db = &site->store->db;
    uint64_t tallies[TV_TALLY_COUNT], deliveries[TV_DELIVERY_STATES];
    if (db->read_tallies(db->ctx, tallies, NULL) == TV_OK) {
        gauges->indexed = tallies[TV_TALLY_INDEXED];
        gauges->retried = tallies[TV_TALLY_RETRIED];
        gauges->bad = tallies[TV_TALLY_BAD];
        gauges->rowed = tallies[TV_TALLY_ROWED];
        gauges->rows = tallies[TV_TALLY_ROWS];
        gauges->rows_failed = tallies[TV_TALLY_ROWS_FAILED];
        gauges->rows_behind = tallies[TV_TALLY_ROWS_BEHIND];
        gauges->hook_failed = tallies[TV_TALLY_HOOK_TRIES];
    }
    if (db->count_deliveries(db->ctx, deliveries, NULL) == TV_OK) {
        gauges->hook_waiting = deliveries[TV_DELIVERY_WAITING];
        gauges->hook_done = deliveries[TV_DELIVERY_DONE];
        gauges->hook_given_up = deliveries[TV_DELIVERY_GIVEN_UP];
    }
}

/* Whoever may read metrics learns how much is stored and how busy the site is; so only networks
 * that are named may. */
void tv_site_metrics(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_site *site = context->site;
    struct tv_store_sums sums;
    struct tv_gauges gauges;
    if (!tv_networks_contain(&site->config->metrics_from, &context->client.address)) {
        tv_request_context_refuse(context, 403, "metrics are for those whom metrics-from names",
                                  response);
        return;
    }
    if (ask_sums(site, &sums, &context->trouble) != TV_OK) {
        tv_request_context_refuse(context, 503, "the database does not answer", response);
        return;
    }
    fill_gauges(site, &sums, &gauges);
    fill_wide(site, &gauges);
    if (tv_metrics_write(site->metrics, &gauges, site->version, &response->owned,
                         &context->trouble) == TV_OK)
        tv_http_send(response, 200, TV_METRICS_TYPE, "no-store");
    else
        tv_request_context_fail(context, &context->trouble, response);
}
