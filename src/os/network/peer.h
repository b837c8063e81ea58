/* The other end of a connection: who holds it, and what it took and sent. */
#ifndef TV_OS_NETWORK_PEER_H
#define TV_OS_NETWORK_PEER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the other end of an IPv4 connection on loopback is held by a process of this user, or of
 * root, who can read this process in any case. False also where that cannot be told: the other end
 * is closed by now, or the system has no list of sockets.
 */
bool tv_peer_is_own(int connection);

/* Whether the other end has closed its side of the connection, or all of it, also where bytes of it
 * are still to be read. */
bool tv_peer_has_gone(int connection);

/* Whether bytes of the other end wait to be read. */
bool tv_peer_has_sent(int connection);

/* How many bytes the other end of a TCP connection has sent, and acknowledged, together. False
 * where the system does not tell. */
bool tv_peer_moved(int connection, uint64_t *bytes);

#endif
