/*
 * Sources, which give the body of an answer bit by bit (http/service.h). While a source has nothing
 * to give, its connection is suspended, and the source wakes it. The server knows all sources, so
 * that it can cut them when it ends: the library must not stop while a connection is suspended.
 */
#ifndef TV_HTTP_SENDING_H
#define TV_HTTP_SENDING_H

#include <stdbool.h>

#include "http/exchange.h"

/* A source whose bytes are an answer, or will be; in the list of all. */
struct tv_sending {
    struct tv_httpd *httpd;
    struct tv_exchange *exchange; /* there while the library asks for bytes */
    struct MHD_Connection *connection;
    struct tv_http_source source;
    struct tv_sending *next;
    struct tv_sending *previous;
    pthread_mutex_t lock; /* guards all below; taken with the source's lock held */
    bool is_asleep;       /* its connection is suspended, until it is woken */
    bool was_woken;       /* since the source was last asked for bytes */
    bool is_cut;          /* the server ends: there are no more bytes */
};

/* Gives the exchange a sending of its response's source. False: memory ran out. */
bool tv_sending_make(struct tv_exchange *exchange);
void tv_sending_release(struct tv_sending *sending);
/* The response is the reader of the source from here on; NULL: memory ran out. */
struct MHD_Response *tv_sending_response(struct tv_exchange *exchange);
/* The source has bytes, or has come to its end. ctx is the sending. */
void tv_sending_wake(void *ctx);
/* Ends the source: it is asked for no more bytes. */
void tv_sending_cut(struct tv_sending *sending);
/* Returns whether the connection sleeps from now on: the source may have woken it just before.
 * Where it does, it may be awake, and the sending gone, as soon as this has returned. */
enum tv_sending_from { TV_SENDING_FROM_AWAKE, TV_SENDING_FROM_SUSPENDED };
bool tv_sending_sleep(struct tv_sending *sending, enum tv_sending_from from);

#endif
