/*
 * Addresses and networks of IPv4 and IPv6 as values: parsed strictly, compared, and written.
 *
 * An IPv4 address is kept as the IPv6 address ::ffff:10.0.0.1 for 10.0.0.1 that stands for it, so
 * that a client is the same one on a socket of either kind.
 */
#ifndef TV_SITE_CONFIG_ADDRESS_H
#define TV_SITE_CONFIG_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct tv_address {
    uint8_t bytes[16];
};

struct tv_network {
    struct tv_address address;
    unsigned prefix_len; /* how many of the first bits all its addresses share, 0 to 128 */
};

#define TV_NETWORK_LIMIT 32u
struct tv_networks {
    size_t count;
    struct tv_network of[TV_NETWORK_LIMIT];
};

/* Room for any address as text, and for any network. */
#define TV_ADDRESS_TEXT 48u

/* "127.0.0.1", "::1", "::ffff:10.0.0.1": whole text, without port or zone, with four numbers in
 * an IPv4 address. False leaves *address as it was. */
bool tv_address_parse(struct tv_str text, struct tv_address *address);
/* "127.0.0.1:8192", "[::1]:8192", "localhost:8192": an address and a port up to 65535. */
bool tv_address_parse_with_port(struct tv_str text, struct tv_address *address, uint16_t *port);
/* The shortest spelling, of an IPv4 address with dots. */
void tv_address_text(const struct tv_address *address, char text[TV_ADDRESS_TEXT]);
bool tv_address_is_ipv4(const struct tv_address *address);
/* Whether the address is one of the internet, and none of this machine, of a network of somebody's
 * own, of a provider or of a cloud's services: what IANA's registries have as globally reachable.
 * One of IPv6 that stands for one of IPv4 is as that is. */
bool tv_address_is_public(const struct tv_address *address);
/* Whether only this machine reaches the address. */
bool tv_address_is_loopback(const struct tv_address *address);

/* "10.0.0.0/8", "fd00::/8", or one address. Bits behind the prefix must be 0, since a network that
 * has some was mistyped. */
bool tv_network_parse(struct tv_str text, struct tv_network *network);
void tv_network_text(const struct tv_network *network, char text[TV_ADDRESS_TEXT]);
bool tv_networks_contain(const struct tv_networks *networks, const struct tv_address *address);

/* Whom limits and quotas are for: an IPv4 address, or the first 64 bits of an IPv6 address, since a
 * client of IPv6 has as many addresses behind them as it likes. */
struct tv_address tv_address_party(const struct tv_address *address);

#endif
