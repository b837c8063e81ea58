/*
 * A service on a listening socket. libmicrohttpd is known to this folder alone: to httpd.c and what
 * includes http/exchange.h, and to form.c.
 *
 * Threads of the library read all requests and write all answers: one, or as many as are asked for,
 * each with connections of its own. They answer a quick request themselves; a slow one they suspend
 * and queue for a worker thread, which resumes the connection with the answer. The queue is fair by
 * client, and short answers do not wait for long ones (http/answer_queue.h). A source with nothing
 * to say suspends its connection, too.
 *
 * What keeps slow and greedy clients from the others is in http/connection_table.h.
 */
#ifndef TV_HTTP_HTTPD_H
#define TV_HTTP_HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "http/service.h"

struct tv_httpd_settings {
    const char *listen; /* "127.0.0.1:8192", "[::1]:0", "[::]:80"; port 0 takes a free one */
    unsigned threads;   /* of the library; 0: one */
    /* Answers that are made at once while they are short; as many threads besides make those that
     * take long (http/answer_queue.h). 0: as many as processors, two at least and eight at most. */
    unsigned workers;
    unsigned answer_s;    /* how long an answer to GET may take, waiting included; 0: any time */
    unsigned connections; /* in all; 0: 512 */
    /* Connections of one address; of IPv6 the first half is the address. 0: no limit. */
    unsigned per_address;
    /* Whether an address has no such limit, as that of a trusted proxy; NULL: none has. The ctx is
     * the service's. */
    bool (*is_exempt)(void *ctx, struct tv_str peer);
    unsigned header_s;    /* how long the first line and the headers may take; 0: 3 */
    unsigned idle_s;      /* how long any connection may be silent; 0: 60 */
    unsigned request_s;   /* how long a whole request may take to come; 0: any time */
    unsigned least_rate;  /* bytes a second that must come of a body, or go of an answer; 0: any */
    unsigned rate_s;      /* the time over which least_rate is measured; 0: 10 */
    bool has_web_sockets; /* for endless sources (http/web_sockets.h) */
    size_t header_bytes;  /* of request line and headers together; 0: 80 KiB, so that the longest
                            query of an answer (64 KiB, api/api.c) comes with all its headers */
};

/* The most that `workers` counts for. */
#define TV_HTTPD_WORKERS_MOST 32u

struct tv_httpd;

/* The service must outlive the server. */
enum tv_code tv_httpd_start(struct tv_httpd **httpd, const struct tv_alloc *alloc,
                            const struct tv_http_service *service,
                            const struct tv_httpd_settings *settings,
                            struct tv_error *err) TV_MUST_CHECK;
/* Sends late and slow connections away. The main thread calls this now and then. */
void tv_httpd_tick(struct tv_httpd *httpd);
/* Takes no more connections, and lets requests that are under way come to their end within that
 * time; then cuts the rest. NULL is fine. */
void tv_httpd_stop(struct tv_httpd *httpd, uint64_t patience_ns);
uint16_t tv_httpd_port(const struct tv_httpd *httpd);

/* Counters of connections and answers. */
struct tv_httpd_counts {
    uint64_t open;      /* now */
    uint64_t accepted;  /* since the start */
    uint64_t sent_away; /* of these: late, slow or too many */
    uint64_t waiting;   /* requests that no thread answers yet */
    uint64_t waited_ns; /* how long the oldest of these has waited */
    uint64_t late;      /* answers that took too long, since the start */
};
struct tv_httpd_counts tv_httpd_counts(struct tv_httpd *httpd);

#endif
