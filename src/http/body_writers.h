/*
 * The threads of a server that pass bodies on to their sinks, which may wait for a disk. Pieces of
 * a body are gathered while a writer passes the ones before on; when too many have come, or all
 * have, the connection is suspended until the writer is through. Bodies take turns, so one whose
 * sink is slow does not keep the others from more than one of the writers.
 */
#ifndef TV_HTTP_BODY_WRITERS_H
#define TV_HTTP_BODY_WRITERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory/buffer.h"

#define TV_BODY_WRITERS 4u

struct tv_exchange;
struct tv_httpd;

/* What a suspended connection waits for. */
enum tv_body_wait { TV_BODY_WAITS_NOT, TV_BODY_WAITS_FOR_ROOM, TV_BODY_WAITS_FOR_END };

/* The body of one exchange. While it is queued, and the exchange is over, the exchange is the
 * writer's alone. */
struct tv_body_write {
    struct tv_buffer coming;  /* guarded by the writers' lock, as every field but `writing` */
    struct tv_buffer writing; /* the writer's while the body is queued */
    struct tv_error error;    /* of the sink; what comes afterwards is dropped */
    enum tv_body_wait waits;
    bool is_queued; /* in the queue, or a writer has it */
    bool is_over;   /* the connection is gone, and the writer ends the exchange */
    struct tv_exchange *next;
};

struct tv_body_writers {
    pthread_mutex_t lock;
    pthread_cond_t came;
    pthread_cond_t let_go; /* a writer is through with a body */
    struct tv_exchange *first;
    struct tv_exchange *last;
    bool is_ending; /* no more bytes are taken */
    pthread_t threads[TV_BODY_WRITERS];
    unsigned count;
};

void tv_body_writers_init(struct tv_body_writers *writers);
/* Starts the threads, or as many as the system gives. False: it gives none. */
bool tv_body_writers_start(struct tv_httpd *httpd);
/* Waits until all that has come is written. What comes afterwards is refused. */
void tv_body_writers_join(struct tv_httpd *httpd);
void tv_body_writers_release(struct tv_body_writers *writers);

/* All below are for the library's thread of the exchange. */

/* Takes a piece. The connection may be suspended when this returns. */
void tv_body_writers_take(struct tv_exchange *exchange, const char *bytes, size_t len);
/* Whether all is written, and the request's body_error tells how that went. False: the connection
 * is suspended, and resumed then. */
bool tv_body_writers_is_done(struct tv_exchange *exchange);
/* The connection goes away. True: a writer still has the body, and calls tv_exchange_finish. If the
 * sink uses the connection, waits until the piece under way is written, and drops the rest. */
bool tv_body_writers_keep(struct tv_exchange *exchange);

#endif
