/*
 * The thread that looks after requests while they wait for an answer and while it is made: some of
 * them are late, the clients of others have gone, and some have to give way
 * (http/answer_queue.h).
 */
#ifndef TV_HTTP_ANSWER_WATCH_H
#define TV_HTTP_ANSWER_WATCH_H

#include <stdbool.h>

#include "http/exchange.h"

/* False: no thread can be started. */
bool tv_answer_watch_start(struct tv_httpd *httpd);
/* Waits for the end of the thread, which the caller causes by setting `is_ending`. */
void tv_answer_watch_join(struct tv_httpd *httpd);
/* Whether nobody waits for the answer any more: the client has closed its side. A client that
 * closes only that side, and still listens, is taken for one that went away, as proxies do. What
 * changes something is done all the same: a client may ask for it and go. */
bool tv_answer_is_for_nobody(const struct tv_exchange *exchange);
/* Fills the response of a request that was not answered in time, of which nothing else stays. */
void tv_answer_refuse(struct tv_exchange *exchange, enum tv_answer_cut why);

#endif
