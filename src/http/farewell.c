/* A list in order of arrival. Nothing here waits: what has not come yet is dropped the next time.
 */
#include "http/farewell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "os/clock.h"

/* What is dropped of one connection in a turn, so that a quick client does not hold up the rest. */
#define TURN ((size_t)16 << 20)

void tv_farewell_init(struct tv_farewell *farewell)
{
    *farewell = (struct tv_farewell){.count = 0};
    (void)pthread_mutex_init(&farewell->lock, NULL);
}

static void end(struct tv_farewell *farewell, size_t i)
{
    (void)close(farewell->sockets[i]);
    farewell->count--;
    memmove(&farewell->sockets[i], &farewell->sockets[i + 1],
            (farewell->count - i) * sizeof(farewell->sockets[0]));
    memmove(&farewell->since_ns[i], &farewell->since_ns[i + 1],
            (farewell->count - i) * sizeof(farewell->since_ns[0]));
}

void tv_farewell_release(struct tv_farewell *farewell)
{
    while (farewell->count)
        end(farewell, 0);
    (void)pthread_mutex_destroy(&farewell->lock);
}

void tv_farewell_begin(struct tv_farewell *farewell, int connection, uint64_t now_ns)
{
    int copy = fcntl(connection, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return;
    (void)shutdown(copy, SHUT_WR);
    pthread_mutex_lock(&farewell->lock);
    if (farewell->count == TV_FAREWELL_MOST)
        end(farewell, 0);
    farewell->sockets[farewell->count] = copy;
    farewell->since_ns[farewell->count++] = now_ns;
    pthread_mutex_unlock(&farewell->lock);
}

/* Returns whether the client may still send. */
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

void tv_farewell_tick(struct tv_farewell *farewell, uint64_t now_ns)
{
    pthread_mutex_lock(&farewell->lock);
    for (size_t i = farewell->count; i-- > 0;) {
        bool is_over = tv_passed_ns(farewell->since_ns[i], now_ns) > TV_FAREWELL_NS;
        if (is_over || !drop(farewell->sockets[i]))
            end(farewell, i);
    }
    pthread_mutex_unlock(&farewell->lock);
}
