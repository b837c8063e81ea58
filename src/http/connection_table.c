/*
 * Connections and what each may take of time and room; see http/connection_table.h.
 *
 * A list in order of the last change of state, so the connection that has waited longest stands
 * before all others that wait. A connection that was sent away is shut down, which makes the
 * library close it; it stays in the list until then, but counts no more. Any thread may call;
 * everything is under the table's lock, and each walk is bounded by the number of connections.
 */
#include "http/connection_table.h"

#include <string.h>

#include <arpa/inet.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/network/peer.h"

void tv_connection_table_init(struct tv_connection_table *connections,
                              const struct tv_connection_entry_limits *limits)
{
    *connections = (struct tv_connection_table){.limits = *limits, .moved = tv_peer_moved};
    (void)pthread_mutex_init(&connections->lock, NULL);
}

void tv_connection_table_release(struct tv_connection_table *connections)
{
    (void)pthread_mutex_destroy(&connections->lock);
}

/* Connections are counted by network: an IPv4 address, as the IPv6 address that it is mapped to, or
 * the first 64 bits of an IPv6 address, since one client has all of those. */
void tv_connection_entry_init(struct tv_connection_entry *entry, int connection,
                              const struct sockaddr *address)
{
    *entry = (struct tv_connection_entry){.connection = connection};
    if (address && address->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, address, sizeof(four));
        memset(&entry->network.s6_addr[10], 0xff, 2);
        memcpy(&entry->network.s6_addr[12], &four.sin_addr, 4);
        (void)inet_ntop(AF_INET, &four.sin_addr, entry->address, sizeof(entry->address));
    } else if (address && address->sa_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, address, sizeof(six));
        entry->network = six.sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
            (void)inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], entry->address,
                            sizeof(entry->address));
            return;
        }
        (void)inet_ntop(AF_INET6, &six.sin6_addr, entry->address, sizeof(entry->address));
        memset(&entry->network.s6_addr[8], 0, 8);
    }
}

/* --- the list --- */

static void take_out(struct tv_connection_table *connections, struct tv_connection_entry *entry)
{
    *(entry->older ? &entry->older->newer : &connections->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &connections->newest) = entry->older;
}

static void put_last(struct tv_connection_table *connections, struct tv_connection_entry *entry)
{
    entry->older = connections->newest;
    entry->newer = NULL;
    *(connections->newest ? &connections->newest->newer : &connections->oldest) = entry;
    connections->newest = entry;
}

static void send_away(struct tv_connection_table *connections, struct tv_connection_entry *entry)
{
    (void)shutdown(entry->connection, SHUT_RDWR);
    entry->was_sent_away = true;
    connections->sent_away++;
    if (!entry->is_known)
        connections->unknown_count--;
}

/* --- who gives way --- */

static bool is_of(const struct tv_connection_entry *entry, const struct in6_addr *network)
{
    return !network || memcmp(&entry->network, network, sizeof(*network)) == 0;
}

/* Whether the connection may be sent away. With a network, only if it is of that network. */
static bool counts(const struct tv_connection_entry *entry, const struct in6_addr *network)
{
    return !entry->was_sent_away && !entry->is_known && is_of(entry, network);
}

static struct tv_connection_entry *find_waiting(const struct tv_connection_table *connections,
                                                const struct in6_addr *network)
{
    for (struct tv_connection_entry *entry = connections->oldest; entry; entry = entry->newer) {
        if (entry->state == TV_CONNECTION_WAITING && counts(entry, network))
            return entry;
    }
    return NULL;
}

static bool is_moving(const struct tv_connection_entry *entry)
{
    return entry->state == TV_CONNECTION_COMING || entry->state == TV_CONNECTION_GOING;
}

/* Whether less than the least rate has moved since the last look, which was at least a second ago.
 */
static bool is_slow(const struct tv_connection_table *connections,
                    const struct tv_connection_entry *entry, uint64_t now_ns)
{
    uint64_t passed_ns = tv_passed_ns(entry->looked_ns, now_ns);
    uint64_t moved;
    return is_moving(entry) && passed_ns >= TV_NS_PER_S &&
           connections->moved(entry->connection, &moved) &&
           moved - entry->moved < connections->limits.least_rate * (passed_ns / TV_NS_PER_S);
}

/* A connection that moves bytes too slowly. When room is needed, it gets no time to become quicker.
 */
static struct tv_connection_entry *find_slow(const struct tv_connection_table *connections,
                                             const struct in6_addr *network, uint64_t now_ns)
{
    for (struct tv_connection_entry *entry = connections->oldest;
         entry && connections->limits.least_rate; entry = entry->newer) {
        if (counts(entry, network) && is_slow(connections, entry, now_ns))
            return entry;
    }
    return NULL;
}

/* Sends one connection away: the one that has waited longest, unless only the new one waits, and
 * then a slow one if there is any. The new connection is in the list and waits, so there is always
 * one that can go. */
static void make_room(struct tv_connection_table *connections, const struct in6_addr *network,
                      uint64_t now_ns)
{
    struct tv_connection_entry *first = find_waiting(connections, network);
    struct tv_connection_entry *slow =
        first == connections->newest ? find_slow(connections, network, now_ns) : NULL;
    if (slow || first)
        send_away(connections, slow ? slow : first);
}

static size_t count_of(const struct tv_connection_table *connections,
                       const struct in6_addr *network)
{
    size_t count = 0;
    for (const struct tv_connection_entry *entry = connections->oldest; entry; entry = entry->newer)
        count += counts(entry, network);
    return count;
}

void tv_connection_table_add(struct tv_connection_table *connections,
                             struct tv_connection_entry *entry, uint64_t now_ns)
{
    const struct tv_connection_entry_limits *limits = &connections->limits;
    pthread_mutex_lock(&connections->lock);
    entry->state = TV_CONNECTION_WAITING;
    entry->since_ns = now_ns;
    put_last(connections, entry);
    connections->count++;
    connections->unknown_count++;
    connections->accepted++;
    if (limits->per_address && !entry->is_exempt &&
        count_of(connections, &entry->network) > limits->per_address)
        make_room(connections, &entry->network, now_ns);
    if (connections->unknown_count > limits->crowd)
        make_room(connections, NULL, now_ns);
    pthread_mutex_unlock(&connections->lock);
}

/* Counted once, whoever is first: one that was sent away has left `unknown_count` then. */
bool tv_connection_table_remove(struct tv_connection_table *connections,
                                struct tv_connection_entry *entry)
{
    pthread_mutex_lock(&connections->lock);
    if (entry->connection >= 0) {
        take_out(connections, entry);
        connections->count--;
        if (!entry->is_known && !entry->was_sent_away)
            connections->unknown_count--;
    }
    entry->connection = -1;
    const bool was_sent_away = entry->was_sent_away;
    pthread_mutex_unlock(&connections->lock);
    return was_sent_away;
}

void tv_connection_table_know(struct tv_connection_table *connections,
                              struct tv_connection_entry *entry)
{
    pthread_mutex_lock(&connections->lock);
    if (!entry->is_known && !entry->was_sent_away)
        connections->unknown_count--;
    entry->is_known = true;
    pthread_mutex_unlock(&connections->lock);
}

/* Time counts anew with each state, and so do the bytes that moved: a slow answer is no fault of
 * the request before it. The connection goes to the end of the list, whose order is that of the
 * last change. */
void tv_connection_table_enter(struct tv_connection_table *connections,
                               struct tv_connection_entry *entry,
                               enum tv_connection_entry_state state, uint64_t now_ns)
{
    pthread_mutex_lock(&connections->lock);
    if (entry->connection >= 0 && entry->state != state) {
        entry->had_request = true;
        entry->state = state;
        entry->since_ns = entry->looked_ns = now_ns;
        if (!is_moving(entry) || !connections->moved(entry->connection, &entry->moved))
            entry->moved = 0;
        take_out(connections, entry);
        put_last(connections, entry);
    }
    pthread_mutex_unlock(&connections->lock);
}

/* Compares the rate since the last look, and begins anew from there, so that a quick beginning is
 * no credit for later. */
static bool is_too_slow(const struct tv_connection_table *connections,
                        struct tv_connection_entry *entry, uint64_t now_ns)
{
    if (!connections->limits.least_rate ||
        tv_passed_ns(entry->looked_ns, now_ns) < connections->limits.rate_ns)
        return false;
    if (is_slow(connections, entry, now_ns))
        return true;
    entry->looked_ns = now_ns;
    (void)connections->moved(entry->connection, &entry->moved);
    return false;
}

/* Whether a connection has used up its time: to send a first request, to send another one, to send
 * a whole request, or to move bytes at the least rate. Working on an answer has no limit here. */
static bool is_late(const struct tv_connection_table *connections,
                    struct tv_connection_entry *entry, uint64_t now_ns)
{
    const struct tv_connection_entry_limits *limits = &connections->limits;
    uint64_t passed_ns = tv_passed_ns(entry->since_ns, now_ns);
    switch (entry->state) {
    case TV_CONNECTION_WAITING:
        return passed_ns > (entry->had_request ? limits->idle_ns : limits->header_ns);
    case TV_CONNECTION_COMING:
        return (limits->request_ns && passed_ns > limits->request_ns) ||
               is_too_slow(connections, entry, now_ns);
    case TV_CONNECTION_GOING:
        return is_too_slow(connections, entry, now_ns);
    case TV_CONNECTION_WORKING:
        break;
    }
    return false;
}

void tv_connection_table_end_late(struct tv_connection_table *connections, uint64_t now_ns)
{
    pthread_mutex_lock(&connections->lock);
    for (struct tv_connection_entry *entry = connections->oldest; entry; entry = entry->newer) {
        if (counts(entry, NULL) && is_late(connections, entry, now_ns))
            send_away(connections, entry);
    }
    pthread_mutex_unlock(&connections->lock);
}
