/* A scripted peer; see peer.h. */
#include "adb/peer.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static bool receive(int fd, void *bytes, size_t len)
{
    char *at = bytes;
    while (len) {
        ssize_t some = recv(fd, at, len, 0);
        if (some <= 0)
            return false;
        at += some;
        len -= (size_t)some;
    }
    return true;
}

/* What follows a word of the sync service: a path, and behind that of RCV2 its flags. */
static bool skips_path(int fd, const char *word)
{
    uint8_t len;
    char skipped[256];
    return receive(fd, &len, 1) && receive(fd, skipped, 3) && receive(fd, skipped, len) &&
           (strcmp(word, "RCV2") != 0 || receive(fd, skipped, 8));
}

static bool receives(int fd, const char *expected)
{
    char got[512];
    size_t len = strlen(expected);
    if (!receive(fd, got, len))
        return false;
    if (len == 4 && memcmp(got, expected, len) == 0)
        return skips_path(fd, expected);
    if (memcmp(got, expected, len) == 0)
        return true;
    (void)fprintf(stderr, "the peer expected \"%s\" and got \"%.*s\"\n", expected, (int)len, got);
    return false;
}

/* Until the client has gone. */
static void drip(int fd, const char *bytes, size_t len, unsigned ms)
{
    while (len--) {
        (void)usleep(ms * 1000);
        if (send(fd, bytes++, 1, MSG_NOSIGNAL) != 1)
            return;
    }
}

static void *play(void *ctx)
{
    struct peer *peer = ctx;
    int fd = -1, other = -1;
    for (; peer->done < peer->count; peer->done++) {
        const struct step *step = &peer->steps[peer->done];
        if (step->expects && !*step->expects) {
            const int left = fd;
            fd = other;
            other = left;
            continue;
        }
        if (fd < 0)
            fd = accept(peer->listener, NULL, NULL);
        if (!step->expects) {
            (void)close(fd);
            fd = -1;
            continue;
        }
        if (!receives(fd, step->expects))
            break;
        size_t len = step->says_len ? step->says_len : strlen(step->says);
        if (peer->drip_ms)
            drip(fd, step->says, len, peer->drip_ms);
        else
            (void)send(fd, step->says, len, MSG_NOSIGNAL);
    }
    if (fd >= 0)
        (void)close(fd);
    if (other >= 0)
        (void)close(other);
    (void)close(peer->listener);
    return NULL;
}

void peer_start(struct peer *peer, const struct step *steps, size_t count, struct tv_adb *adb)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(address);
    *peer = (struct peer){.steps = steps, .count = count};
    peer->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(peer->listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(peer->listener, 8), 0);
    assert_int_equal(getsockname(peer->listener, (struct sockaddr *)&address, &len), 0);
    tv_adb_init(adb, tv_alloc_libc());
    adb->may_start = false;
    (void)snprintf(adb->host, sizeof(adb->host), "127.0.0.1");
    (void)snprintf(adb->port, sizeof(adb->port), "%u", ntohs(address.sin_port));
    assert_int_equal(pthread_create(&peer->thread, NULL, play, peer), 0);
}

void peer_end(struct peer *peer)
{
    (void)pthread_join(peer->thread, NULL);
    assert_int_equal(peer->done, peer->count);
}
