/*
 * Connections that are closed while their clients still send; see http/lingering_close.h.
 *
 * The list has copies of sockets, in order of arrival, at most TV_LINGERING_CLOSE_MOST. Each tick
 * reads and drops the bytes that have come and never waits: later bytes are dropped at a later
 * tick. The list's lock guards everything.
 */
#include "http/lingering_close.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "os/clock.h"

/* The most bytes that a tick drops of one connection, so that a quick client does not hold up the
 * others. */
#define TURN ((size_t)16 << 20)

void tv_lingering_close_init(struct tv_lingering_close *lingering)
{
    *lingering = (struct tv_lingering_close){.count = 0};
    (void)pthread_mutex_init(&lingering->lock, NULL);
}

static void end(struct tv_lingering_close *lingering, size_t i)
{
    (void)close(lingering->sockets[i]);
    lingering->count--;
    memmove(&lingering->sockets[i], &lingering->sockets[i + 1],
            (lingering->count - i) * sizeof(lingering->sockets[0]));
    memmove(&lingering->since_ns[i], &lingering->since_ns[i + 1],
            (lingering->count - i) * sizeof(lingering->since_ns[0]));
}

void tv_lingering_close_release(struct tv_lingering_close *lingering)
{
    while (lingering->count)
        end(lingering, 0);
    (void)pthread_mutex_destroy(&lingering->lock);
}

void tv_lingering_close_begin(struct tv_lingering_close *lingering, int connection, uint64_t now_ns)
{
    int copy = fcntl(connection, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return;
    (void)shutdown(copy, SHUT_WR);
    pthread_mutex_lock(&lingering->lock);
    if (lingering->count == TV_LINGERING_CLOSE_MOST)
        end(lingering, 0);
    lingering->sockets[lingering->count] = copy;
    lingering->since_ns[lingering->count++] = now_ns;
    pthread_mutex_unlock(&lingering->lock);
}

/* Drops what has come. Returns whether the client may still send. */
static bool drop(int connection)
{
    char bytes[65536];
    size_t dropped = 0;
    ssize_t got = 1;
    while (got > 0 && dropped < TURN) {
        got = recv(connection, bytes, sizeof(bytes), MSG_DONTWAIT);
        dropped += got > 0 ? (size_t)got : 0;
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void tv_lingering_close_tick(struct tv_lingering_close *lingering, uint64_t now_ns)
{
    pthread_mutex_lock(&lingering->lock);
    for (size_t i = lingering->count; i-- > 0;) {
        bool is_over = tv_passed_ns(lingering->since_ns[i], now_ns) > TV_LINGERING_CLOSE_NS;
        if (is_over || !drop(lingering->sockets[i]))
            end(lingering, i);
    }
    pthread_mutex_unlock(&lingering->lock);
}
