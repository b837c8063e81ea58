/*
 * Whose program is at the other end of a connection on this machine; see os/network/peer.h.
 *
 * The kernel lists the sockets of this machine with the user of each: /proc/net/tcp, and
 * /proc/net/tcp6 for programs that speak IPv4 through sockets of IPv6. A line of it (proc(5)):
 *
 *     sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid ...
 *      0: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000 ...
 *
 * An address stands there as the kernel holds it in memory, read as one number (IPv6: four), and a
 * port as a number.
 */
#include "os/network/peer.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The state of an established connection, the only one whose user is told: a socket that its
 * process has closed is listed as root's. */
#define ESTABLISHED "01"
#define LINE_CAP 512
/* What stands before an IPv4 address that is written as one of IPv6: ::ffff:0:0/96. */
#define MAPPED "0000000000000000FFFF0000"

/* The fields of a line that are looked at. */
struct listed {
    char here[48];
    char there[48];
    char state[4];
    char uid[16];
};

static bool take_line(const char *line, struct listed *listed)
{
    return sscanf(line, " %*[^:]: %47s %47s %3s %*s %*s %*s %15[0-9]", listed->here, listed->there,
                  listed->state, listed->uid) == 4;
}

static bool is_address(const char *listed, const char *wanted)
{
    size_t skip = strncmp(listed, MAPPED, strlen(MAPPED)) == 0 ? strlen(MAPPED) : 0;
    return strcmp(listed + skip, wanted) == 0;
}

/* Looks for the socket that has the two addresses. */
static bool find(const char *list, const char *here, const char *there, unsigned long *uid)
{
    char line[LINE_CAP];
    bool is_found = false;
    FILE *file = fopen(list, "re");
    if (!file)
        return false;
    while (!is_found && fgets(line, sizeof(line), file)) {
        struct listed listed;
        is_found = take_line(line, &listed) && is_address(listed.here, here) &&
                   is_address(listed.there, there) && strcmp(listed.state, ESTABLISHED) == 0;
        *uid = is_found ? strtoul(listed.uid, NULL, 10) : 0;
    }
    (void)fclose(file);
    return is_found;
}

static void write_address(char text[16], const struct sockaddr_in *address)
{
    (void)snprintf(text, 16, "%08X:%04X", address->sin_addr.s_addr, ntohs(address->sin_port));
}

bool tv_peer_is_own(int connection)
{
    struct sockaddr_in own;
    struct sockaddr_in peer;
    socklen_t own_len = sizeof(own);
    socklen_t peer_len = sizeof(peer);
    char here[16];
    char there[16];
    unsigned long uid = 0;
    if (getsockname(connection, (struct sockaddr *)&own, &own_len) != 0 ||
        getpeername(connection, (struct sockaddr *)&peer, &peer_len) != 0 ||
        own.sin_family != AF_INET || peer.sin_family != AF_INET)
        return false;
    /* The list is read from the peer's side: its own address is our other end. */
    write_address(here, &peer);
    write_address(there, &own);
    bool is_found =
        find("/proc/net/tcp", here, there, &uid) || find("/proc/net/tcp6", here, there, &uid);
    return is_found && (uid == geteuid() || uid == 0);
}

/* What the kernel reports of a connection that is gone for good needs no asking for. */
bool tv_peer_has_gone(int connection)
{
    struct pollfd looked = {.fd = connection, .events = POLLRDHUP};
    return poll(&looked, 1, 0) > 0 && (looked.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

bool tv_peer_has_sent(int connection)
{
    struct pollfd looked = {.fd = connection, .events = POLLIN};
    return poll(&looked, 1, 0) > 0 && (looked.revents & POLLIN);
}

/* An old kernel fills less of the struct, so the length is looked at. */
bool tv_peer_moved(int connection, uint64_t *bytes)
{
    struct tcp_info info = {.tcpi_state = 0};
    socklen_t len = sizeof(info);
    if (getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received))
        return false;
    *bytes = info.tcpi_bytes_acked + info.tcpi_bytes_received;
    return true;
}
