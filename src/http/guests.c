/*
 * A list in order of the last change of state, so the guest that has waited longest stands before
 * all others that wait. A guest that was sent away stays in the list until the library closes it,
 * but counts no more.
 */
#include "http/guests.h"

#include <string.h>

#include <arpa/inet.h>

#include "os/clock.h"
#include "os/network/peer.h"

#define NS_PER_S UINT64_C(1000000000)

void tv_guests_init(struct tv_guests *guests, const struct tv_guest_limits *limits)
{
    *guests = (struct tv_guests){.limits = *limits, .moved = tv_peer_moved};
    (void)pthread_mutex_init(&guests->lock, NULL);
}

void tv_guests_release(struct tv_guests *guests)
{
    (void)pthread_mutex_destroy(&guests->lock);
}

/* An IPv4 address counts as the IPv6 address that it is mapped to. */
void tv_guest_init(struct tv_guest *guest, int connection, const struct sockaddr *address)
{
    *guest = (struct tv_guest){.connection = connection};
    if (address && address->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, address, sizeof(four));
        memset(&guest->network.s6_addr[10], 0xff, 2);
        memcpy(&guest->network.s6_addr[12], &four.sin_addr, 4);
        (void)inet_ntop(AF_INET, &four.sin_addr, guest->address, sizeof(guest->address));
    } else if (address && address->sa_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, address, sizeof(six));
        guest->network = six.sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
            (void)inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], guest->address,
                            sizeof(guest->address));
            return;
        }
        (void)inet_ntop(AF_INET6, &six.sin6_addr, guest->address, sizeof(guest->address));
        memset(&guest->network.s6_addr[8], 0, 8);
    }
}

/* --- the list --- */

static void take_out(struct tv_guests *guests, struct tv_guest *guest)
{
    *(guest->older ? &guest->older->newer : &guests->oldest) = guest->newer;
    *(guest->newer ? &guest->newer->older : &guests->newest) = guest->older;
}

static void put_last(struct tv_guests *guests, struct tv_guest *guest)
{
    guest->older = guests->newest;
    guest->newer = NULL;
    *(guests->newest ? &guests->newest->newer : &guests->oldest) = guest;
    guests->newest = guest;
}

static void send_away(struct tv_guests *guests, struct tv_guest *guest)
{
    (void)shutdown(guest->connection, SHUT_RDWR);
    guest->was_sent_away = true;
    guests->sent_away++;
    if (!guest->is_known)
        guests->unknown_count--;
}

/* --- who gives way --- */

static bool is_of(const struct tv_guest *guest, const struct in6_addr *network)
{
    return !network || memcmp(&guest->network, network, sizeof(*network)) == 0;
}

/* Whether the guest may have to go, if it is of that network; NULL: of any. */
static bool counts(const struct tv_guest *guest, const struct in6_addr *network)
{
    return !guest->was_sent_away && !guest->is_known && is_of(guest, network);
}

static struct tv_guest *find_waiting(const struct tv_guests *guests, const struct in6_addr *network)
{
    for (struct tv_guest *guest = guests->oldest; guest; guest = guest->newer) {
        if (guest->state == TV_GUEST_WAITING && counts(guest, network))
            return guest;
    }
    return NULL;
}

static bool is_moving(const struct tv_guest *guest)
{
    return guest->state == TV_GUEST_COMING || guest->state == TV_GUEST_GOING;
}

/* Whether less than the least rate has moved since the last look, which was a second ago at least.
 */
static bool is_slow(const struct tv_guests *guests, const struct tv_guest *guest, uint64_t now_ns)
{
    uint64_t passed_ns = tv_passed_ns(guest->looked_ns, now_ns);
    uint64_t moved;
    return is_moving(guest) && passed_ns >= NS_PER_S && guests->moved(guest->connection, &moved) &&
           moved - guest->moved < guests->limits.least_rate * (passed_ns / NS_PER_S);
}

/* In a crowd the slow ones have no time to become quicker. */
static struct tv_guest *find_slow(const struct tv_guests *guests, const struct in6_addr *network,
                                  uint64_t now_ns)
{
    for (struct tv_guest *guest = guests->oldest; guest && guests->limits.least_rate;
         guest = guest->newer) {
        if (counts(guest, network) && is_slow(guests, guest, now_ns))
            return guest;
    }
    return NULL;
}

/* The new guest is the newest, and waits, so there is always one that can go. */
static void make_room(struct tv_guests *guests, const struct in6_addr *network, uint64_t now_ns)
{
    struct tv_guest *first = find_waiting(guests, network);
    struct tv_guest *slow = first == guests->newest ? find_slow(guests, network, now_ns) : NULL;
    if (slow || first)
        send_away(guests, slow ? slow : first);
}

static size_t count_of(const struct tv_guests *guests, const struct in6_addr *network)
{
    size_t count = 0;
    for (const struct tv_guest *guest = guests->oldest; guest; guest = guest->newer)
        count += counts(guest, network);
    return count;
}

void tv_guests_add(struct tv_guests *guests, struct tv_guest *guest, uint64_t now_ns)
{
    const struct tv_guest_limits *limits = &guests->limits;
    pthread_mutex_lock(&guests->lock);
    guest->state = TV_GUEST_WAITING;
    guest->since_ns = now_ns;
    put_last(guests, guest);
    guests->count++;
    guests->unknown_count++;
    guests->accepted++;
    if (limits->per_address && !guest->is_exempt &&
        count_of(guests, &guest->network) > limits->per_address)
        make_room(guests, &guest->network, now_ns);
    if (guests->unknown_count > limits->crowd)
        make_room(guests, NULL, now_ns);
    pthread_mutex_unlock(&guests->lock);
}

bool tv_guests_remove(struct tv_guests *guests, struct tv_guest *guest)
{
    pthread_mutex_lock(&guests->lock);
    if (guest->connection >= 0) {
        take_out(guests, guest);
        guests->count--;
        if (!guest->is_known && !guest->was_sent_away)
            guests->unknown_count--;
    }
    guest->connection = -1;
    const bool was_sent_away = guest->was_sent_away;
    pthread_mutex_unlock(&guests->lock);
    return was_sent_away;
}

void tv_guests_know(struct tv_guests *guests, struct tv_guest *guest)
{
    pthread_mutex_lock(&guests->lock);
    if (!guest->is_known && !guest->was_sent_away)
        guests->unknown_count--;
    guest->is_known = true;
    pthread_mutex_unlock(&guests->lock);
}

void tv_guests_enter(struct tv_guests *guests, struct tv_guest *guest, enum tv_guest_state state,
                     uint64_t now_ns)
{
    pthread_mutex_lock(&guests->lock);
    if (guest->connection >= 0 && guest->state != state) {
        guest->had_request = true;
        guest->state = state;
        guest->since_ns = guest->looked_ns = now_ns;
        if (!is_moving(guest) || !guests->moved(guest->connection, &guest->moved))
            guest->moved = 0;
        take_out(guests, guest);
        put_last(guests, guest);
    }
    pthread_mutex_unlock(&guests->lock);
}

/* Looks at the rate once in a while, so that a good beginning is no credit. */
static bool is_too_slow(const struct tv_guests *guests, struct tv_guest *guest, uint64_t now_ns)
{
    if (!guests->limits.least_rate ||
        tv_passed_ns(guest->looked_ns, now_ns) < guests->limits.rate_ns)
        return false;
    if (is_slow(guests, guest, now_ns))
        return true;
    guest->looked_ns = now_ns;
    (void)guests->moved(guest->connection, &guest->moved);
    return false;
}

static bool is_late(const struct tv_guests *guests, struct tv_guest *guest, uint64_t now_ns)
{
    const struct tv_guest_limits *limits = &guests->limits;
    uint64_t passed_ns = tv_passed_ns(guest->since_ns, now_ns);
    switch (guest->state) {
    case TV_GUEST_WAITING:
        return passed_ns > (guest->had_request ? limits->idle_ns : limits->header_ns);
    case TV_GUEST_COMING:
        return (limits->request_ns && passed_ns > limits->request_ns) ||
               is_too_slow(guests, guest, now_ns);
    case TV_GUEST_GOING:
        return is_too_slow(guests, guest, now_ns);
    case TV_GUEST_WORKING:
        break;
    }
    return false;
}

void tv_guests_end_late(struct tv_guests *guests, uint64_t now_ns)
{
    pthread_mutex_lock(&guests->lock);
    for (struct tv_guest *guest = guests->oldest; guest; guest = guest->newer) {
        if (counts(guest, NULL) && is_late(guests, guest, now_ns))
            send_away(guests, guest);
    }
    pthread_mutex_unlock(&guests->lock);
}
