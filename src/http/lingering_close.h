/*
 * Connections that are closed while their clients still send: a refusal comes before the body is
 * read. Were the socket closed at once, the client's next bytes would be answered by a reset, which
 * throws away the answer that the client has not read yet. So this end only says that nothing more
 * comes, and drops what arrives, until the client closes or has had its time.
 *
 * Any number of threads may call.
 */
#ifndef TV_HTTP_LINGERING_CLOSE_H
#define TV_HTTP_LINGERING_CLOSE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The most connections that linger; one more, and the oldest is closed at once. */
#define TV_LINGERING_CLOSE_MOST 64u
#define TV_LINGERING_CLOSE_NS UINT64_C(3000000000)

struct tv_lingering_close {
    pthread_mutex_t lock;
    size_t count;
    int sockets[TV_LINGERING_CLOSE_MOST]; /* the oldest first */
    uint64_t since_ns[TV_LINGERING_CLOSE_MOST];
};

void tv_lingering_close_init(struct tv_lingering_close *lingering);
/* Closes all that are left. */
void tv_lingering_close_release(struct tv_lingering_close *lingering);
/* The socket is about to be closed by its owner; this keeps a copy of it. */
void tv_lingering_close_begin(struct tv_lingering_close *lingering, int connection,
                              uint64_t now_ns);
/* Drops what has come, and closes where it is time. Called now and then. */
void tv_lingering_close_tick(struct tv_lingering_close *lingering, uint64_t now_ns);

#endif
