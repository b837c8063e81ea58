/*
 * A connection to the adb server; see adb/connection.h.
 *
 * The socket never blocks; every wait is a poll() that also looks at the descriptor by which the
 * caller cancels, and is bounded by the patience and by the end of the whole exchange. Bytes are
 * read into one room and handed out in place. Each failure has a word (enum tv_adb_trouble), which
 * says to callers and to JSON what is the matter.
 *
 * Nothing of this file knows the protocol: adb/server.c asks, adb/wire.c knows the bytes, and
 * adb/sync.c and adb/shell.c are the two services that send more than a text.
 */
#include "adb/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"

#define READS_UNWATCHED 16u
/* A whole exchange may last EXCHANGE_WAITS times the wait for one piece of an answer, plus the time
 * that its bytes take at the least rate. Without the first limit, a device that sends a byte now
 * and then would never be given up; without the second, a large file over a slow cable would be. */
#define EXCHANGE_WAITS 6u
#define LEAST_BYTES_PER_MS 16u

/* Every trouble of adb becomes one of the program's own codes, which decide the status of the
 * command; the trouble itself is what people and JSON are told. */
static enum tv_code code_of(enum tv_adb_trouble trouble)
{
    switch (trouble) {
    case TV_ADB_NONE:
        return TV_OK;
    case TV_ADB_NO_ADB:
    case TV_ADB_NO_DEVICE:
    case TV_ADB_NOT_THERE:
        return TV_ERR_NOT_FOUND;
    case TV_ADB_SEVERAL:
        return TV_ERR_ARGUMENT;
    case TV_ADB_OTHER_VERSION:
        return TV_ERR_UNSUPPORTED;
    case TV_ADB_GARBAGE:
        return TV_ERR_FORMAT;
    case TV_ADB_CANCELLED:
        return TV_ERR_CANCELLED;
    case TV_ADB_NOT_STARTED:
    case TV_ADB_UNAUTHORISED:
    case TV_ADB_NO_PERMISSION:
    case TV_ADB_OFFLINE:
    case TV_ADB_UNUSABLE:
    case TV_ADB_GONE:
    case TV_ADB_SILENT:
    case TV_ADB_REFUSED:
    case TV_ADB_HERE:
        break;
    }
    return TV_ERR_SYSTEM;
}

const char *tv_adb_trouble_word(enum tv_adb_trouble trouble)
{
#define TROUBLE_WORD(name, word) [TV_ADB_##name] = (word),
    static const char *const words[] = {TV_ADB_TROUBLES(TROUBLE_WORD)};
#undef TROUBLE_WORD
    return words[trouble];
}

enum tv_code tv_adb_fail(struct tv_adb *adb, enum tv_adb_trouble trouble, struct tv_error *err,
                         const char *format, ...)
{
    struct tv_error made;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(made.text, sizeof(made.text), format, arguments);
    va_end(arguments);
    adb->trouble = trouble;
    return tv_fail(err, code_of(trouble), TV_NO_OFFSET, "%s", made.text);
}

enum tv_code tv_adb_fail_here(struct tv_adb *adb, enum tv_code code)
{
    if (code != TV_OK)
        adb->trouble = code == TV_ERR_CANCELLED ? TV_ADB_CANCELLED : TV_ADB_HERE;
    return code;
}

void tv_adb_connection_init(struct tv_adb_connection *connection, struct tv_adb *adb)
{
    *connection = (struct tv_adb_connection){.adb = adb, .fd = -1};
}

void tv_adb_connection_close(struct tv_adb_connection *connection)
{
    if (connection->fd >= 0)
        (void)close(connection->fd);
    connection->fd = -1;
    tv_alloc_release(connection->adb->alloc, &connection->room,
                     connection->room ? TV_ADB_ROOM_LEN : 0, 1);
    connection->begin = connection->end = 0;
}

/* When the whole exchange must be over; 0: no limit. */
static uint64_t exchange_end_ns(const struct tv_adb_connection *connection)
{
    const uint64_t most_ms = (uint64_t)connection->adb->patience_ms * EXCHANGE_WAITS +
                             connection->received / LEAST_BYTES_PER_MS;
    return connection->is_patient ? connection->end_ns
                                  : connection->begun_ns + most_ms * TV_NS_PER_MS;
}

/* Milliseconds that may be waited now; -1: for ever. */
static int time_left(const struct tv_adb_connection *connection, uint64_t end_ns)
{
    uint64_t left_ms = connection->is_patient ? UINT64_MAX : connection->adb->patience_ms;
    if (end_ns) {
        uint64_t now_ns = tv_now_ns();
        uint64_t end_ms = end_ns > now_ns ? (end_ns - now_ns) / TV_NS_PER_MS : 0;
        left_ms = end_ms < left_ms ? end_ms : left_ms;
    }
    if (left_ms == UINT64_MAX)
        return -1;
    return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

static enum tv_code fail_slow(const struct tv_adb_connection *connection, struct tv_error *err)
{
    return tv_adb_fail(connection->adb, TV_ADB_SILENT, err,
                       "the device sent %llu bytes in %.1f seconds, which is given up: take its "
                       "cable out and in, or use another one",
                       (unsigned long long)connection->received,
                       (double)tv_passed_ns(connection->begun_ns, tv_now_ns()) / TV_NS_PER_S);
}

/* Waits until the socket can be read or written. */
static enum tv_code wait_for(const struct tv_adb_connection *connection, short events,
                             struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    struct pollfd polled[] = {{.fd = connection->fd, .events = events},
                              {.fd = adb->cancel_fd, .events = POLLIN}};
    int count;
    const uint64_t end_ns = exchange_end_ns(connection);
    int wait_ms = time_left(connection, end_ns);
    do
        count = poll(polled, TV_COUNT_OF(polled), wait_ms);
    while (count < 0 && errno == EINTR);
    if (count > 0 && polled[1].revents)
        return tv_adb_fail(adb, TV_ADB_CANCELLED, err, "cancelled");
    /* A device that never stops sending needs no wait, so the limit of time is looked at here as
     * well. */
    if (count > 0 && (wait_ms != 0 || !end_ns))
        return TV_OK;
    if (count < 0)
        return tv_adb_fail(adb, TV_ADB_HERE, err, "poll: %s", strerror(errno));
    if (!connection->is_patient && (unsigned)wait_ms < adb->patience_ms)
        return fail_slow(connection, err);
    return tv_adb_fail(adb, TV_ADB_SILENT, err,
                       "no answer from the device for %.1f seconds: see whether its screen asks "
                       "something, or take its cable out and in",
                       (double)wait_ms / 1e3);
}

/* Connects to one address; *why is an errno, 0 when it is connected. */
static enum tv_code connect_to(struct tv_adb_connection *connection, const struct addrinfo *address,
                               int *why, struct tv_error *err)
{
    const int on = 1;
    socklen_t len = sizeof(*why);
    connection->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                            address->ai_protocol);
    if (connection->fd < 0) {
        *why = errno;
        return TV_OK;
    }
    *why = connect(connection->fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (*why == EINPROGRESS) {
        TV_TRY(wait_for(connection, POLLOUT, err));
        if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, why, &len) != 0)
            *why = errno;
    }
    /* Requests are short, and each waits for its answer. */
    (void)setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return TV_OK;
}

/* "localhost" may be an address of IPv6 and one of IPv4, of which adb's server has only one: an
 * address that refuses is no failure while there is another. */
static enum tv_code try_addresses(struct tv_adb_connection *connection,
                                  const struct addrinfo *addresses, int *why, struct tv_error *err)
{
    for (const struct addrinfo *address = addresses; address; address = address->ai_next) {
        TV_TRY(connect_to(connection, address, why, err));
        if (!*why)
            break;
        if (connection->fd >= 0)
            (void)close(connection->fd);
        connection->fd = -1;
    }
    return TV_OK;
}

/* Only a refused connection lets the caller start a server: behind an address that is silent or
 * unknown, another server would not help. */
enum tv_code tv_adb_connection_open(struct tv_adb_connection *connection, bool *is_refused,
                                    struct tv_error *err)
{
    struct tv_adb *adb = connection->adb;
    const struct addrinfo wish = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses;
    int why = ECONNREFUSED;
    *is_refused = false;
    connection->begun_ns = tv_now_ns();
    TV_TRY(tv_adb_fail_here(adb,
                            tv_alloc_new(adb->alloc, &connection->room, TV_ADB_ROOM_LEN, 1, err)));
    int answer = getaddrinfo(adb->host, adb->port, &wish, &addresses);
    if (answer != 0)
        return tv_adb_fail(adb, TV_ADB_HERE, err, "the address of the adb server, %s:%s: %s",
                           adb->host, adb->port, gai_strerror(answer));
    enum tv_code code = try_addresses(connection, addresses, &why, err);
    freeaddrinfo(addresses);
    if (code == TV_OK && why) {
        *is_refused = why == ECONNREFUSED;
        code = tv_adb_fail(adb, TV_ADB_NOT_STARTED, err, "the adb server at %s:%s: %s", adb->host,
                           adb->port, strerror(why));
    }
    if (code != TV_OK)
        tv_adb_connection_close(connection);
    return code;
}

static bool is_to_be_tried_again(int why)
{
    return why == EAGAIN || why == EINTR;
}

static enum tv_code fail_gone(struct tv_adb *adb, struct tv_error *err)
{
    return tv_adb_fail(adb, TV_ADB_GONE, err,
                       "the connection to the device ended in the middle of an answer: is its "
                       "cable in?");
}

/* MSG_NOSIGNAL, because a server that has gone would otherwise end the program by SIGPIPE. */
enum tv_code tv_adb_send(struct tv_adb_connection *connection, struct tv_str bytes,
                         struct tv_error *err)
{
    while (bytes.len) {
        ssize_t len = send(connection->fd, bytes.at, bytes.len, MSG_NOSIGNAL);
        if (len < 0 && !is_to_be_tried_again(errno))
            return fail_gone(connection->adb, err);
        if (len < 0)
            TV_TRY(wait_for(connection, POLLOUT, err));
        if (len > 0)
            bytes = (struct tv_str){bytes.at + len, bytes.len - (size_t)len};
    }
    return TV_OK;
}

/* Reads more behind the bytes that are there; *is_end when there is no more. */
static enum tv_code read_more(struct tv_adb_connection *connection, bool *is_end,
                              struct tv_error *err)
{
    *is_end = false;
    for (;;) {
        /* Bytes that are there need no wait, but time and cancelling are looked at once in a while.
         */
        if (connection->reads++ % READS_UNWATCHED == 0)
            TV_TRY(wait_for(connection, POLLIN, err));
        ssize_t len = recv(connection->fd, connection->room + connection->end,
                           TV_ADB_ROOM_LEN - connection->end, 0);
        if (len > 0) {
            connection->end += (size_t)len;
            connection->received += (uint64_t)len;
        }
        /* A server that gives up on a device resets the connections to it. */
        *is_end = len == 0 || (len < 0 && !is_to_be_tried_again(errno));
        if (len > 0 || *is_end)
            return TV_OK;
        connection->reads = 0;
    }
}

/* Takes exactly `len` bytes; they stay valid until the next call. The bytes are moved to the start
 * of the room only when they would not fit behind. */
enum tv_code tv_adb_take(struct tv_adb_connection *connection, size_t len, const uint8_t **bytes,
                         struct tv_error *err)
{
    bool is_end = false;
    tv_assert(len <= TV_ADB_ROOM_LEN);
    if (len > TV_ADB_ROOM_LEN - connection->begin) {
        memmove(connection->room, connection->room + connection->begin,
                connection->end - connection->begin);
        connection->end -= connection->begin;
        connection->begin = 0;
    }
    while (connection->end - connection->begin < len) {
        TV_TRY(read_more(connection, &is_end, err));
        if (is_end)
            return fail_gone(connection->adb, err);
    }
    *bytes = connection->room + connection->begin;
    connection->begin += len;
    return TV_OK;
}

/* What is there, at most `most` bytes, without waiting for more; an empty text is the end. For
 * output whose length nobody tells. */
enum tv_code tv_adb_take_some(struct tv_adb_connection *connection, size_t most,
                              struct tv_str *bytes, struct tv_error *err)
{
    bool is_end = false;
    if (connection->begin == connection->end) {
        connection->begin = connection->end = 0;
        TV_TRY(read_more(connection, &is_end, err));
    }
    size_t len = connection->end - connection->begin;
    *bytes = (struct tv_str){(const char *)connection->room + connection->begin,
                             len < most ? len : most};
    connection->begin += bytes->len;
    return TV_OK;
}
