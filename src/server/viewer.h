/*
 * The local viewer as a service, without a socket: http/httpd.h puts it on one. Every request
 * passes guard.h first; then the path names the trace, of which there may be several (traces.h),
 * and the table of routes decides who answers (routes.h).
 *
 * The browser is started with an address of its own, since every user of the machine can read the
 * words that a program is started with. That address leads to the page once, and only a program of
 * this user. It leads there by a redirect to the address with the session token, and not by a
 * cookie: a browser sends the cookies of 127.0.0.1 to every port of it, thus to the servers of
 * other users too.
 */
#ifndef TV_SERVER_VIEWER_H
#define TV_SERVER_VIEWER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/memory/pool.h"
#include "http/service.h"
#include "os/token.h"
#include "served/download.h"
#include "server/event_clients.h"
#include "server/helper_thread.h"
#include "server/traces.h"

struct tv_viewer {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* may be NULL */
    const char *settings_path;  /* NULL: there is no folder for settings */
    const char *recent_path;    /* NULL: the files that were opened are not remembered */
    char token[TV_TOKEN_LEN + 1];
    char entry[TV_TOKEN_LEN + 1]; /* the token of the address that the browser is started with */
    atomic_flag entry_used;
    atomic_bool is_in_landlock; /* its threads are in Landlock domains (os/sandbox/landlock.h) */
    struct tv_traces traces;
    struct tv_downloads downloads;
    struct tv_event_clients event_clients;
    atomic_uint_fast64_t recording_number; /* of the address that the last recording began at */
    atomic_uint_fast64_t recorded_number;  /* of the one that its trace is at; 0: none yet */
    atomic_flag is_saving;                 /* a page of the trace is made: one at a time */
    bool makes_pages;                      /* of the trace, for others (single_file_route.h) */
    struct tv_helper_thread *helpers;      /* NULL: nothing can be recorded */
};

/* The path of the address of that number: "/TOKEN/" of the first, "/TOKEN/t/NUMBER/" of others. */
#define TV_VIEWER_ADDRESS_CAP (TV_TOKEN_LEN + 32u)
void tv_viewer_address(const struct tv_viewer *viewer, uint64_t number,
                       char path[TV_VIEWER_ADDRESS_CAP]);

/* The viewer, which is borrowed, as a service. A connection is known once it has shown the session
 * token. */
struct tv_http_service tv_viewer_service(struct tv_viewer *viewer);

#endif
