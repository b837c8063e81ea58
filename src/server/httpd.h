/*
 * The viewer on a loopback socket. httpd.c is the only file that knows libmicrohttpd.
 *
 * One thread of the library reads all requests and writes all answers. It answers a quick request
 * itself; a slow one it suspends and hands to a worker thread, which resumes the connection with
 * the answer. An event stream is a connection that is suspended whenever it has nothing to say.
 */
#ifndef TV_SERVER_HTTPD_H
#define TV_SERVER_HTTPD_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "server/viewer.h"

struct tv_httpd;

/* The open event streams and downloads, by which the viewer knows whether it is still of use. */
struct tv_httpd_audience {
    unsigned stream_count; /* downloads count, too */
    bool has_been_there;   /* a stream was open once */
    uint64_t left_ns;      /* when the last stream closed */
};

/* Listens on 127.0.0.1; port 0 takes a free one. The viewer must outlive the server. */
enum tv_code tv_httpd_start(struct tv_httpd **httpd, struct tv_viewer *viewer, uint16_t port,
                            struct tv_error *err) TV_MUST_CHECK;
/* Ends all streams, lets the workers finish the answers that they make, and closes. NULL is fine.
 */
void tv_httpd_stop(struct tv_httpd *httpd);
uint16_t tv_httpd_port(const struct tv_httpd *httpd);
/* Wakes the event streams that have something to say. The main thread calls this now and then. */
void tv_httpd_tick(struct tv_httpd *httpd);
struct tv_httpd_audience tv_httpd_audience(struct tv_httpd *httpd);

#endif
