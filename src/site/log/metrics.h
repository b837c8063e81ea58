/*
 * What a site counts, and the text of /metrics in the format of Prometheus. The names are
 * documented in docs/site.md. Counting takes no lock; any number of threads.
 */
#ifndef TV_SITE_LOG_METRICS_H
#define TV_SITE_LOG_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/memory/buffer.h"

/* X(name, its text, help): what only grows. */
#define TV_SITE_COUNTERS(X)                                                                        \
    X(UPLOADS, "uploads_total", "Uploads that were kept.")                                         \
    X(UPLOADED_BYTES, "uploaded_bytes_total", "Bytes of the uploads that were kept.")              \
    X(UPLOADS_REFUSED, "uploads_refused_total", "Uploads that were refused or broke off.")         \
    X(RATE_LIMITED, "rate_limited_total", "Requests that came too often.")                         \
    X(JOBS_DONE, "jobs_done_total", "Indexes that were built.")                                    \
    X(JOBS_RETRIED, "jobs_retried_total", "Jobs that a worker gave up and another one took.")      \
    X(JOBS_BAD, "jobs_bad_total", "Traces that could not be read.")                                \
    X(ROWED, "rowed_traces_total", "Traces whose rows were made, for questions over all traces.")  \
    X(ERRORS, "errors_total", "Requests and jobs that failed because of the site itself.")         \
    X(TIDYING_FAILED, "tidying_failed_total", "Times that the store could not be tidied.")         \
    X(LOG_LOST, "log_lines_lost_total", "Lines of the access log that could not be written.")

/* X(field, name, help): what is so at the moment; whoever answers /metrics asks for it. */
#define TV_SITE_GAUGES(X)                                                                          \
    X(traces, "traces", "Traces that are kept.")                                                   \
    X(trace_bytes, "trace_bytes", "Bytes of the traces that are kept, each as it was uploaded.")   \
    X(files, "store_files", "Files in the store: traces, indexes, pieces of uploads.")             \
    X(file_bytes, "store_bytes", "Bytes of the files in the store.")                               \
    X(free_bytes, "store_free_bytes", "Bytes that are free where the store is.")                   \
    X(open_uploads, "open_uploads", "Resumable uploads that are not complete.")                    \
    X(queued_jobs, "queued_jobs", "Traces that wait for a worker.")                                \
    X(taken_jobs, "taken_jobs", "Traces that a worker reads.")                                     \
    X(unserved_jobs, "unserved_jobs",                                                              \
      "Traces that wait while no worker of their build takes any.")                                \
    X(open_indexes, "open_indexes", "Indexes that are open.")                                      \
    X(connections, "connections", "Connections that are open.")                                    \
    X(waiting_answers, "waiting_answers", "Requests that no thread answers yet.")                  \
    X(late_answers, "late_answers", "Answers that took longer than answer-time, since the start.")

/* X(field, name, label, type, help): what all processes of the site together did, as the store
 * says; rows of one name follow each other. */
#define TV_SITE_WIDE(X)                                                                            \
    X(indexed, "site_traces_total", "outcome=\"indexed\"", "counter",                              \
      "What became of traces, in all processes of the site.")                                      \
    X(retried, "site_traces_total", "outcome=\"retried\"", "counter", "")                          \
    X(bad, "site_traces_total", "outcome=\"bad\"", "counter", "")                                  \
    X(rowed, "site_traces_total", "outcome=\"rows_made\"", "counter", "")                          \
    X(rows_failed, "site_traces_total", "outcome=\"rows_failed\"", "counter", "")                  \
    X(rows, "site_rows_total", "", "counter",                                                      \
      "Rows of all traces that were made, in all processes of the site.")                          \
    X(rows_behind, "site_rows_behind", "", "gauge",                                                \
      "Traces that count and have no rows yet, as the last look at all of them found.")            \
    X(hook_failed, "site_webhook_failed_tries_total", "", "counter",                               \
      "Tries to tell the webhook that failed.")                                                    \
    X(hook_waiting, "site_webhook_deliveries", "state=\"waiting\"", "gauge",                       \
      "What the webhook is told, of the last 90 days.")                                            \
    X(hook_done, "site_webhook_deliveries", "state=\"delivered\"", "gauge", "")                    \
    X(hook_given_up, "site_webhook_deliveries", "state=\"given_up\"", "gauge", "")

#define TV_SITE_COUNTER(name, ...) TV_COUNTER_##name,
enum tv_counter { TV_SITE_COUNTERS(TV_SITE_COUNTER) TV_COUNTER_COUNT };
#undef TV_SITE_COUNTER

#define TV_SITE_GAUGE(field, ...) uint64_t field;
struct tv_gauges {
    TV_SITE_GAUGES(TV_SITE_GAUGE)
    TV_SITE_WIDE(TV_SITE_GAUGE)
    uint64_t waited_ns; /* how long the oldest of waiting_answers has waited */
};
#undef TV_SITE_GAUGE

#define TV_METRICS_STATUSES 600u
#define TV_METRICS_TIMES 12u

/* All 0 is ready for use. */
struct tv_metrics {
    _Atomic uint64_t counters[TV_COUNTER_COUNT];
    _Atomic uint64_t statuses[TV_METRICS_STATUSES]; /* [0]: there was no answer */
    _Atomic uint64_t times[TV_METRICS_TIMES];       /* answers by how long they took */
    _Atomic uint64_t time_ns;                       /* of all of them */
    _Atomic uint64_t sent_bytes;
    _Atomic uint64_t received_bytes;
};

void tv_metrics_add(struct tv_metrics *metrics, enum tv_counter counter, uint64_t by);
/* One request that is over; status 0: it was cut before it had an answer. */
void tv_metrics_request(struct tv_metrics *metrics, int status, uint64_t received, uint64_t sent,
                        uint64_t ns);
/* Appends the text, of type TV_METRICS_TYPE. What the process takes of the system is in it. */
#define TV_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"
enum tv_code tv_metrics_write(const struct tv_metrics *metrics, const struct tv_gauges *gauges,
                              const char *version, struct tv_buffer *out,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
