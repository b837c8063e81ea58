/* The worker threads of a server, which answer slow requests, and the queue of those. */
#ifndef TV_HTTP_REQUEST_WORKERS_H
#define TV_HTTP_REQUEST_WORKERS_H

#include <stdbool.h>

#include "http/exchange.h"

/* Fills the response of a request. Returns whether it has a source that is to be awaited. */
bool tv_request_workers_answer(struct tv_exchange *exchange);
/* Gives a request, whose connection is suspended, to the workers. False: the server ends, and they
 * may have gone. */
bool tv_request_workers_add(struct tv_exchange *exchange);
/* Gives the workers what a request left to be done. When the server ends, and they may have gone,
 * it is done at once. */
void tv_request_workers_leave(struct tv_httpd *httpd, struct tv_http_rest *rest);
/* One request less is under way. */
void tv_request_workers_end_one(struct tv_httpd *httpd);
/* Starts as many workers as the settings say, or as the system gives. */
void tv_request_workers_start(struct tv_httpd *httpd);
/* Waits for the ends of all threads, which the caller causes by setting `is_ending`. */
void tv_request_workers_join(struct tv_httpd *httpd);

#endif
