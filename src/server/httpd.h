/*
 * The viewer on a loopback socket. The only file that knows libmicrohttpd is httpd.c: one thread
 * talks to the network and answers what is quick; the rest goes to worker threads while its
 * connection is suspended.
 */
#ifndef TV_SERVER_HTTPD_H
#define TV_SERVER_HTTPD_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "server/viewer.h"

struct tv_httpd;

/* Who listens to events: how many now, and when the last one left. */
struct tv_httpd_audience {
    unsigned stream_count;
    bool has_been_there;
    uint64_t left_ns; /* when stream_count became 0 */
};

/* Listens on 127.0.0.1; port 0 takes a free one. The viewer must outlive it. */
enum tv_code tv_httpd_start(struct tv_httpd **httpd, struct tv_viewer *viewer, uint16_t port,
                            struct tv_error *err) TV_MUST_CHECK;
/* Ends all streams, lets answers that are being made finish, and closes. NULL is fine. */
void tv_httpd_stop(struct tv_httpd *httpd);
uint16_t tv_httpd_port(const struct tv_httpd *httpd);
/* Wakes the event streams that have something to say; to be called now and then. */
void tv_httpd_tick(struct tv_httpd *httpd);
struct tv_httpd_audience tv_httpd_audience(struct tv_httpd *httpd);

#endif
