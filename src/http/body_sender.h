/*
 * Sources, which give the body of an answer bit by bit (http/service.h). While a source has nothing
 * to give, its connection is suspended, and the source wakes it. The server knows all sources, so
 * that it can cut them when it ends: the library must not stop while a connection is suspended.
 *
 * Owners: a sending is counted. Its exchange, and then the library's response, has one reference,
 * which ends with tv_body_sender_end; the source has another one, its reader; whoever puts the
 * connection to sleep has a third one meanwhile. Each may be the last, since a client can leave at
 * any moment and the source's thread notices that later. A reference is released with no lock of
 * the sending held, so nobody frees a lock that somebody else is about to unlock.
 */
#ifndef TV_HTTP_BODY_SENDER_H
#define TV_HTTP_BODY_SENDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "http/exchange.h"

/* A source whose bytes are an answer, or will be; in the list of all until it is ended. */
struct tv_body_sender {
    const struct tv_alloc *alloc;
    struct tv_httpd *httpd;       /* there until the sending is ended, and so are the next three */
    struct tv_exchange *exchange; /* there while the library asks for bytes */
    struct MHD_Connection *connection;
    struct tv_http_source source;
    struct tv_body_sender *next;
    struct tv_body_sender *previous;
    atomic_uint holders;  /* references; the last one frees */
    pthread_mutex_t lock; /* guards all below; taken with the source's lock held */
    bool is_asleep;       /* its connection is suspended, until it is woken */
    bool was_woken;       /* since the source was last asked for bytes */
    bool is_cut;          /* the server ends: there are no more bytes */
    bool is_ended;        /* the connection is not its own any more */
};

/* Gives the exchange a sending, which takes the source out of the exchange's response. False:
 * memory ran out, and the source stays there. */
bool tv_body_sender_make(struct tv_exchange *exchange);
/* A reference for the source. */
struct tv_http_reader tv_body_sender_reader(struct tv_body_sender *sender);
/* Leaves the source and releases the reference of the exchange, or of the library. Nobody wakes the
 * connection from here on. */
void tv_body_sender_end(struct tv_body_sender *sender);
/* The response is the reader of the source from here on; NULL: memory ran out. */
struct MHD_Response *tv_body_sender_response(struct tv_exchange *exchange);
/* Asks the source, as its `read` does; once it was cut, there is no more. */
ssize_t tv_body_sender_read(struct tv_body_sender *sender, char *out, size_t cap);
/* Ends the source: it is asked for no more bytes. */
void tv_body_sender_cut(struct tv_body_sender *sender);
/* Returns whether the connection sleeps from now on: the source may have woken it just before.
 * Where it does, it may be awake, and the exchange and the caller's reference gone, as soon as this
 * has returned. */
enum tv_body_sender_from { TV_BODY_SENDER_FROM_AWAKE, TV_BODY_SENDER_FROM_SUSPENDED };
bool tv_body_sender_sleep(struct tv_body_sender *sender, enum tv_body_sender_from from);

#endif
