/*
 * The local viewer as a function from request to answer: the page, the api, the settings, the event
 * stream. No sockets; httpd.c puts it on one.
 */
#ifndef TV_SERVER_VIEWER_H
#define TV_SERVER_VIEWER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "os/token.h"
#include "server/http.h"
#include "server/state.h"

struct tv_viewer {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* may be NULL */
    const char *settings_path;  /* NULL: settings are not kept */
    const char *recent_path;    /* NULL: what was opened is not remembered */
    char token[TV_TOKEN_LEN + 1];
    struct tv_state state;
};

/* Fills an initialised response; any number of threads at once. */
void tv_viewer_answer(struct tv_viewer *viewer, const struct tv_http_request *request,
                      struct tv_http_response *response);
/* Whether the body of the request goes to a file: asked when its headers are there. */
bool tv_viewer_takes_upload(const struct tv_viewer *viewer, const struct tv_http_request *request);
/* Whether answering may take long, so that it belongs on a worker thread. */
bool tv_viewer_is_slow(const struct tv_http_request *request);

#endif
